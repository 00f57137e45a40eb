// What one may choose about a mock before it starts.

extension MockServer {
    /// All fields have defaults that suit a test.
    public struct Configuration: Hashable, Sendable {
        /// Credentials and journal; made when absent, used again when present. Nil: a temporary folder, which is gone
        /// when the mock stops.
        public var stateDirectory: String?
        /// 0 picks a free one.
        public var port: Int
        /// Where sandbox is played as well, beside production; 0 picks a free one, nil: nowhere.
        public var sandboxPort: Int?
        /// Bundle IDs that exist, without suffixes such as `.push-type.liveactivity`; empty: every one.
        public var topics: [String]
        public var environment: Environment
        public var tokens: Tokens
        /// The same seed lets faults with a fraction meet the same pushes.
        public var seed: UInt64
        /// Whether broadcast channels can be managed, on a port of their own; see `channelsURL`.
        public var managesChannels = false
        /// Rules that Apple leaves open, by name, such as `["tokenUpdateScope": "peer-and-team"]`; `pushrig list settings`
        /// tells those there are.
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

    /// Which of Apple's two services it plays.
    public enum Environment: Hashable, Sendable { case production, sandbox }

    /// Which device tokens are taken.
    public enum Tokens: Hashable, Sendable {
        /// Each one that is well formed; its first accepted push tells its topic.
        case any
        /// These, in hex digits, and those of `setToken`; pushes to others are answered 400 BadDeviceToken.
        case registered([String])
    }
}
