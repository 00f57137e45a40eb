// The public face of PushRig: a mock APNs inside a Swift test.

import APNs
import Basics
import Journal
import MockServer
import Net
import OperatingSystem
import Synchronization

/// A mock of Apple's push service on a port of this machine. It checks each push as APNs does, answers as APNs does,
/// and keeps all of them. It listens from `init` until `stop()`.
///
/// ```swift
/// let mock = try MockServer()
/// let relay = try await MyRelay(apns: mock.url, trusting: mock.caFile, key: mock.providerKeyFile,
///                               keyID: mock.keyID, teamID: mock.teamID)
/// try await relay.notify(token, title: "Build finished")
/// let push = try await mock.waitForPush(token: token)
/// #expect(push.string(at: "/aps/alert/title") == "Build finished")
/// await mock.stop()
/// ```
///
/// Several mocks may run at once. All members may be used from any thread.
public final class MockServer: Sendable {
    /// The configuration that the mock was started with. Its `port` is the one asked for; `MockServer.port` is in use.
    public let configuration: Configuration
    /// The address where the mock listens, on the loopback interface: `127.0.0.1`.
    public let host: String
    /// The port where it listens, 1 to 65535.
    public let port: Int
    /// The path of a PEM file with the authority that the relay must trust. Absolute, like all paths here.
    public let caFile: String
    /// The path of the provider key, as Apple gives it out (`AuthKey_….p8`).
    public let providerKeyFile: String
    /// The ID of the provider key, ten characters.
    public let keyID: String
    /// The team of the provider key, ten characters.
    public let teamID: String
    /// The folder of credentials and journal: a temporary one unless the configuration names another.
    public let stateDirectory: String

    let service: MockService
    let clock: any TimeSource
    /// The latest place in the journal that anyone read to, so that `position()` need not read it all.
    let readTo = Mutex<JournalCursor?>(nil)
    /// The folder to remove in the end, with all that is in it; nil: none.
    private let temporaryFolder: String?

    /// The URL of the mock, `https://127.0.0.1:…`.
    public var url: String { "https://\(host):\(port)" }

    /// The URL of the sandbox beside production; nil unless the configuration has a `sandboxPort`.
    public var sandboxURL: String? { service.coordinates.sandbox.map { "https://\($0)" } }

    /// A mock that listens when this returns; making its credentials takes some milliseconds. Throws for a port beyond
    /// 65535 or in use, an unknown setting, and a folder that cannot be made.
    public init(_ configuration: Configuration = Configuration()) throws(MockError) {
        guard let port = UInt16(exactly: configuration.port) else {
            throw MockError("\(configuration.port) is not a port", hint: "give 0 to 65535; 0 picks a free one")
        }
        let sandboxPort = try configuration.sandboxPort.map { number throws(MockError) in
            guard let port = UInt16(exactly: number) else {
                throw MockError("\(number) is not a port", hint: "give 0 to 65535; 0 picks a free one")
            }
            return port
        }
        temporaryFolder = configuration.stateDirectory == nil ? try makeTemporaryFolder() : nil
        var options = MockOptions(stateDirectory: configuration.stateDirectory ?? temporaryFolder!)
        options.apns = SocketAddress(host: "127.0.0.1", port: port)
        options.sandbox = sandboxPort.map { SocketAddress(host: "127.0.0.1", port: $0) }
        options.admin = nil
        if configuration.managesChannels { options.channels = SocketAddress(host: "127.0.0.1", port: 0) }
        options.registration = configuration.tokens == .any ? .any : .registered
        options.environment = configuration.environment.inside
        options.topics = configuration.topics
        options.seed = Seed(configuration.seed)
        options.drainLimit = Self.drainLimit
        do throws(Failure) {
            try options.set(configuration.settings)
            service = try MockService(options: options)
            clock = service.time
        } catch {
            if let temporaryFolder { FileSystem.removeAll(temporaryFolder) }
            throw MockError(error)
        }
        let coordinates = service.coordinates
        host = coordinates.apns.host
        self.port = Int(coordinates.apns.port)
        caFile = coordinates.ca
        providerKeyFile = coordinates.apnsKey
        keyID = coordinates.keyID
        teamID = coordinates.teamID
        stateDirectory = String(coordinates.ca[..<(coordinates.ca.lastIndex(of: "/") ?? coordinates.ca.endIndex)])
        self.configuration = configuration
        // A folder that was used before may hold pushes of an earlier mock.
        try reset()
    }

    deinit { end(service, temporaryFolder) }

    /// How long answers that are under way may take when the mock stops.
    private static var drainLimit: Interval { .milliseconds(500) }

    /// Closes all connections, waits at most 500 ms for answers under way, and removes the temporary folder. Further
    /// calls do nothing. A mock that is let go without it stops too, but blocks the thread that lets go of it.
    public func stop() async {
        let (service, folder) = (service, temporaryFolder)
        await onThreadOfItsOwn { end(service, folder) }
    }

    /// Forgets pushes, faults and tokens; the tokens of the configuration are known again. Connections stay. Throws where
    /// the state directory cannot be read or written, and for a token of the configuration that is none.
    public func reset() throws(MockError) {
        do throws(Failure) { try service.reset() } catch { throw MockError(error) }
        if case .registered(let tokens) = configuration.tokens {
            for token in tokens { try setToken(token) }
        }
    }
}

private func end(_ service: MockService, _ folder: String?) {
    service.drainAndStop()
    if let folder { FileSystem.removeAll(folder) }
}

private func makeTemporaryFolder() throws(MockError) -> String {
    do { return try FileSystem.makeTemporaryFolder() } catch {
        throw MockError(
            "cannot make a temporary folder: \(error.words)", hint: "set TMPDIR, or name a stateDirectory")
    }
}
