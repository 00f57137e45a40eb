// The place of a mock that is up, in which a run's own mock stands while the run lasts: the run must own its clock, its journal
// and its faults from the first push to the last, which a mock that served others before and after could not grant it.

import Basics
import MockServer
import OperatingSystem
import Pushes
import Scenarios

struct MockPlace {
    /// Absolute.
    let directory: String
    private let found: MockCoordinates

    /// Throws a usage failure when no mock is up on the directory.
    init(of directory: String) throws(Failure) {
        self.directory = FileSystem.absolute(directory) ?? directory
        found = try RunningMock.coordinates(in: self.directory)
    }

    /// It plays production and sandbox.
    var hasSandbox: Bool { found.sandbox != nil }

    /// What of the scenario has to be as the mock is; nil: it is so.
    func override(for wanted: MockSpec.Environment) throws(Failure) -> (path: String, value: String)? {
        let played: MockSpec.Environment = found.sandbox != nil ? .both : found.environment == .sandbox ? .sandbox : .production
        guard wanted != played else { return nil }
        guard wanted != .both else {
            throw Failure(
                .usage,
                "the scenario wants production and sandbox, and the mock of \(directory) plays \(played.rawValue) alone",
                hint: "start it with --sandbox 127.0.0.1:2198 beside --apns")
        }
        return ("mock.environment", played.rawValue)
    }

    /// The run's mock is where relays look for the other one, with the same keys and authority.
    func take(_ options: inout MockOptions) {
        options.apns = found.apns
        options.apnsTwin = found.apnsTwin
        options.sandbox = found.sandbox
        options.fcm = found.fcm ?? options.fcm
        options.sandboxTwin = found.sandboxTwin
        options.channels = found.channels
        options.sandboxChannels = found.sandboxChannels
        options.serverNames += found.names
        options.tellsPlace = false
    }
}
