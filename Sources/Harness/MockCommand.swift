// `pushrig mock`: the mock alone, until a signal ends it.

import APNs
package import Basics
import EventLoop
import MockServer
import Net
import Pushes

package struct MockCommand: Sendable {
    package var stateDirectory = "pushrig-state"
    package var apns = "127.0.0.1:2197"
    package var apnsTwin: String?
    package var sandbox: String?
    package var sandboxTwin: String?
    package var admin = "127.0.0.1:2190"
    package static let usualFCM = "127.0.0.1:2198"
    /// Where FCM and its token endpoint listen; nil: nowhere.
    package var fcm: String?
    /// Nil: Apple's port for the environment, or a free one if that is taken. `none`: nowhere.
    package var channels: String?
    package var sandboxChannels: String?
    /// Names and values; see `pushrig list settings`.
    package var settings: [(name: String, value: String)] = []
    /// How far the mock's clock is ahead of the world's.
    package var clockSkew = Interval.zero
    package var clockScale = 1.0
    package var registersTokens = false
    /// `production` or `sandbox`.
    package var environment = PushEnvironment.production.word.description
    package static let environments = PushEnvironment.words
    package var topics: [String] = []
    /// Further names of its certificate.
    package var names: [String] = []
    /// Prints variables in this format, and starts nothing; nil: runs.
    package var printedFormat: String?
    package static let formats = MockVariables.Format.allCases.map(\.rawValue)
    package var loops = 1
    package var seed: UInt64 = 1

    package init() {}

    /// 2196 is production's port, 2195 the sandbox's (docs/apns.md §1). Whoever asks for port 0 of APNs runs many mocks
    /// at once, and gets any port here as well; a default that is taken moves, an address that was given does not.
    private func chooseChannels(_ options: inout MockOptions) throws(Failure) {
        func address(_ text: String?, beside apns: SocketAddress, _ port: UInt16) throws(Failure) -> SocketAddress? {
            guard let text else { return apns.with(port: apns.port == 0 ? 0 : port) }
            return text == "none" ? nil : try SocketAddress(parsing: text)
        }
        options.channels = try address(channels, beside: options.apns, options.environment == .sandbox ? 2195 : 2196)
        if let sandbox = options.sandbox { options.sandboxChannels = try address(sandboxChannels, beside: sandbox, 2195) }
        options.channelsMayMove = channels == nil && sandboxChannels == nil
    }

    private func options() throws(Failure) -> MockOptions {
        var options = MockOptions(stateDirectory: stateDirectory)
        options.apns = try SocketAddress(parsing: apns)
        options.apnsTwin = try apnsTwin.map { text throws(Failure) in try SocketAddress(parsing: text) }
        options.sandbox = try sandbox.map { text throws(Failure) in try SocketAddress(parsing: text) }
        options.sandboxTwin = try sandboxTwin.map { text throws(Failure) in try SocketAddress(parsing: text) }
        options.admin = try SocketAddress(parsing: admin)
        options.fcm = try fcm.map { text throws(Failure) in try SocketAddress(parsing: text) }
        guard let place = PushEnvironment(word: environment) else {
            throw Failure(
                .usage, "\(environment) is no environment", hint: Suggestion.hint(for: environment, among: Self.environments))
        }
        options.environment = place
        try chooseChannels(&options)
        options.registration = registersTokens ? .registered : .any
        options.topics = topics
        options.serverNames = names
        options.loops = loops
        options.seed = Seed(seed)
        for (name, value) in settings { try options.set(name, to: value) }
        options.runClock = RunClock(base: SystemTime(), mode: .running(clockScale))
        options.clockSkew = clockSkew
        return options
    }

    /// Prints the ready line, serves, drains on SIGINT or SIGTERM. Throws when it cannot start.
    package func run(signals: Signals) throws(Failure) -> ExitCode {
        let options = try options()
        if let format = printedFormat.flatMap(MockVariables.Format.init) {
            let found = RunningMock.isUp(stateDirectory)
                ? try RunningMock.coordinates(in: stateDirectory) : try MockService.prepare(options)
            let variables = try MockVariables(found)
            Console.out(variables.text(format))
            if let lack = variables.lack { Console.error(lack) }
            return .passed
        }
        signals.attend()
        DescriptorLimit.raise()
        let broken = Handover<Failure>()
        let mock = try MockService(options: options) { failure in
            broken.give(failure)
            // The thread that waits for signals hears of it this way.
            Signals.raiseTermination()
        }
        Console.out(mock.coordinates.readyLine + "\n")
        try serve(mock, signals)
        signals.endAtNext()
        mock.drainAndStop()
        if let failure = mock.failure { throw failure }
        return .passed
    }

    /// Until a signal comes; stands aside for each run that wants its place.
    private func serve(_ mock: MockService, _ signals: Signals) throws(Failure) {
        var lender = MockLender(mock, in: stateDirectory)
        while !signals.wait(atMost: lender.pace) { try lender.look() }
    }
}
