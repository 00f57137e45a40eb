// The choices about a mock before it starts.

extension MockServer {
    /// The choices about a mock before it starts. All have defaults that suit a test.
    public struct Configuration: Hashable, Sendable {
        /// The folder of credentials and journal; made when absent, used again when present. Nil: a temporary folder,
        /// which is gone when the mock stops.
        public var stateDirectory: String?
        /// The port of APNs, 0 to 65535; 0: a free one.
        public var port: Int
        /// The port of a sandbox beside production, 0 to 65535; 0: a free one, nil: no sandbox.
        public var sandboxPort: Int?
        /// The bundle IDs that the mock knows, without suffixes such as `.push-type.liveactivity`; empty: any.
        public var topics: [String]
        /// The environment at `port`.
        public var environment: Environment
        /// The device tokens that the mock takes.
        public var tokens: Tokens
        /// The number from which all chance follows: with the same seed, faults with a fraction meet the same pushes.
        public var seed: UInt64
        /// Whether broadcast channels can be managed, at a free port of their own; see `channelsURL`.
        public var managesChannels = false
        /// The settings of the mock by name, such as `["tokenUpdateScope": "peer-and-team"]`; `pushrig list settings` tells
        /// all. `MockServer.init` throws for an unknown name or value.
        public var settings: [String: String] = [:]

        public init(
            stateDirectory: String? = nil, port: Int = 0, sandboxPort: Int? = nil, topics: [String] = [],
            environment: Environment = .production, tokens: Tokens = .any, seed: UInt64 = 1
        ) {
            self.stateDirectory = stateDirectory
            self.port = port
            self.sandboxPort = sandboxPort
            self.topics = topics
            self.environment = environment
            self.tokens = tokens
            self.seed = seed
        }
    }

    /// The environment of APNs that a mock plays.
    public enum Environment: Hashable, Sendable { case production, sandbox }

    /// The device tokens that a mock takes.
    public enum Tokens: Hashable, Sendable {
        /// Any well-formed token; its first accepted push tells its topic.
        case any
        /// These tokens, in hex digits, and those of `setToken`; pushes to others are answered 400 BadDeviceToken.
        case registered([String])
    }
}
