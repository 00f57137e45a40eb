// What `pushrig replay` was told on the command line.

import Basics
import OperatingSystem

package struct ReplayOptions: Sendable {
    /// A run's directory, or a file of `pushrig export`.
    package var path: String
    /// Only this one, and the others of its user.
    package var session: UInt32?
    /// How many times as fast the plan is played.
    package var speed = 1.0
    /// Where a relay runs already, in the place of the recorded one; or how to launch another.
    package var relayURL: String?
    package var launch: [String] = []
    /// Where the mock listens, and the folder of its keys, for a relay that runs already.
    package var mockAddress: String?
    package var mockState: String?
    /// Beside those of the recorded run, behind them.
    package var overrides: [(path: String, value: String)] = []
    package var gates: [String] = []
    package var knownFailing: [String] = []
    package var isStrict = false
    /// How it is played, and what is printed: the scenario's path, seed, overrides, gates and known breaks do not count.
    package var run: RunOptions

    package init(path: String) {
        self.path = path
        run = RunOptions(scenarioPath: path)
    }

    /// What was told of the relay, as overrides of the scenario.
    func relayOverrides() throws(Failure) -> [(path: String, value: String)] {
        guard relayURL == nil || launch.isEmpty else {
            throw Failure(
                .usage, "--relay names a relay that runs already, and a command behind -- launches one",
                hint: "give one of both")
        }
        guard relayURL == nil || mockAddress != nil else {
            throw Failure(
                .usage, "a relay that runs already has to find the mock where it looks for APNs",
                hint: "add --mock-address 127.0.0.1:2197 and --mock-state DIR, as the relay knows them")
        }
        var overrides: [(path: String, value: String)] = []
        if let relayURL {
            guard relayURL.hasPrefix("http://") || relayURL.hasPrefix("https://") else {
                throw Failure(.usage, "--relay is no URL: `\(relayURL)`", hint: "such as --relay http://127.0.0.1:8787")
            }
            overrides += [("relay.url", CheckBase.quoted(relayURL)), ("relay.launch", "null")]
        }
        if !launch.isEmpty { overrides.append(("relay.launch", "[\(launch.map(CheckBase.quoted).joined(separator: ", "))]")) }
        if let mockAddress { overrides.append(("mock.apns", CheckBase.quoted(mockAddress))) }
        if let mockState {
            overrides.append(("mock.state", CheckBase.quoted(FileSystem.absolute(mockState) ?? mockState)))
        }
        return overrides
    }
}
