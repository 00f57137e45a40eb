// The public face of PushRig: a mock APNs inside a Swift test.

import APNs
import Basics
import Journal
import MockServer
import Net
import OperatingSystem
import Synchronization

/// A mock of Apple's push service on a port of this machine. It checks each push as APNs does, answers as APNs does,
/// and remembers all of them. It listens from `init` until `stop()`.
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
/// Several may run at once. All members may be used from any thread.
public final class MockServer: Sendable {
    /// What it was started with; `port` is as it was asked for, see `MockServer.port` for the one in use.
    public let configuration: Configuration
    /// A literal address of the loopback interface.
    public let host: String
    public let port: Int
    /// A PEM file with the authority that the relay must trust. Absolute, like all paths here.
    public let caFile: String
    /// The provider key, as Apple gives it out (`AuthKey_….p8`).
    public let providerKeyFile: String
    public let keyID: String
    public let teamID: String
    /// Credentials and journal. A temporary folder unless the configuration names one.
    public let stateDirectory: String

    let service: MockService
    let clock: any TimeSource
    /// The latest place in the journal that anyone read to, so that `position()` need not read it all.
    let readTo = Mutex<JournalCursor?>(nil)
    /// Ours to remove, with all that is in it.
    private let temporaryFolder: String?

    /// `https://127.0.0.1:…`
    public var url: String { "https://\(host):\(port)" }

    /// Where sandbox is played beside production; nil unless the configuration asks for it.
    public var sandboxURL: String? { service.coordinates.sandbox.map { "https://\($0)" } }

    /// Makes credentials, which takes some milliseconds, and listens. The error says what is in the way, such as a busy
    /// port.
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

    /// Closes all connections, waits at most half a second for answers under way, and removes the temporary folder.
    /// Further calls do nothing. A mock that is let go without it stops too, but blocks the thread that lets go of it.
    public func stop() async {
        let (service, folder) = (service, temporaryFolder)
        await onThreadOfItsOwn { end(service, folder) }
    }

    /// Forgets pushes, faults and tokens; the tokens of the configuration are known again. Connections stay.
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
