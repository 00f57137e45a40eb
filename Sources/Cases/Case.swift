// One case: what a relay is put through, and which rules it is to put to the test. It is written as a scenario file that
// anybody can run by itself.

package import Basics

/// A small scenario with sessions, users and tokens of its own.
package struct Case: Sendable {
    /// In file names and reports: lower case, hyphens.
    package let name: String
    /// What a relay is asked, as one sentence.
    package let question: String
    /// Each as often as the others.
    package var scripts: [CaseScript]
    /// The scripts are played in turn, so that each is, and not by chance.
    package var isInTurn = false
    /// Some of them make malformed requests.
    package var hasMalformed = false
    /// How many sessions of a user follow each other; 2: two at a time share a user.
    package var sessionsPerUser = 1
    package var sessions = 8
    /// Items of `faults`, each a YAML mapping in one line.
    package var faults: [String] = []
    /// Items of `restarts`, likewise.
    package var restarts: [String] = []
    package var needsBothEnvironments = false
    /// What it has to put to the test, or it has said nothing.
    package var exercises: [String]
    /// What it is about besides: whether it comes to that is the relay's to say.
    package var touches: [String] = []
    /// How long the relay may be busy with what was under way; nil: as the file that it extends says.
    package var inFlightGrace: Interval?
    /// How long the rig waits for an answer of the relay: no relay should keep its callers so long, whatever APNs does.
    package var requestTimeout = Interval.seconds(10)
    /// How often at most APNs asks for a rest before what is last told has to come, where the profile says how long that is.
    package var rests = 0
    package var rest = Interval.zero
    /// How long the provider is out behind the last call. What it refused may wait twice as long for the next try.
    var outage = Interval.zero
    /// It is about connections, which know the host's time alone.
    package var needsHostClock = false
    /// The scenario that it is, where the profile names one.
    package var file: CaseFile?

    /// All that it is about.
    package var rules: [String] { exercises + touches }

    /// As planned, from the first call to the end of the wait for late pushes.
    package var duration: Interval {
        file.map { $0.length + $0.drain } ?? arrivals + (scripts.map(\.duration).max() ?? .zero) + drain
    }

    /// Who answers when its push is through keeps its callers for as long as it rests.
    private var patience: Interval { max(requestTimeout, rest * Double(rests) + .seconds(10)) }

    static let arrivals = Interval.milliseconds(800)
    private var arrivals: Interval { Self.arrivals }
    private var drain: Interval {
        (scripts.map(\.deadline).max() ?? .zero) + rest * Double(rests) + outage * 3 + .milliseconds(700) + reconnecting
    }

    /// What stops the clock of a push whose stream or connection a fault ended.
    private var reconnecting: Interval {
        let cuts = ["reset-stream", "goaway", "close"]
        return faults.contains { fault in cuts.contains { fault.contains($0) } } ? .milliseconds(2_500) : .zero
    }

    /// The scenario, which has all that it does not say itself from the file at `base`.
    package func text(extending base: String, seed: UInt64, clock: CaseClock = .asItIs) -> String {
        if let file { return text(of: file, relayFrom: base, seed: seed, clock: clock) }
        var text = """
            # \(question)
            #
            # Written by `pushrig check`; runs by itself with `pushrig run`.

            name: \(name)
            extends: \(JSONValue.string(base).text)
            seed: \(seed)

            workload:
              arrivals: [{ rate: \(Double(sessions) / arrivals.seconds), for: \(arrivals.nanoseconds / 1_000_000)ms }]
              maxSessions: \(sessions)
              users: { sessionsPerUser: \(sessionsPerUser) }
              requestTimeout: \(patience.nanoseconds / 1_000_000)ms

            """
        if isInTurn { text += "  draw: in-turn\n" }
        text += "  scripts:\n"
        for (place, script) in scripts.enumerated() {
            let name = script.name ?? (scripts.count == 1 ? name : "\(name)-\(place + 1)")
            text += "    - script:\n" + script.yaml(name: name, indent: "        ")
        }
        // Those of the base are its own, as its faults are.
        text += "\nrelay:\n  malformed: \(hasMalformed)\n"
        text += "  restarts:" + (restarts.isEmpty ? " []\n" : "\n" + restarts.map { "    - \($0)\n" }.joined())
        if let inFlightGrace { text += "\ninFlightGrace: \(inFlightGrace.nanoseconds / 1_000_000)ms\n" }
        if needsBothEnvironments { text += "\nmock:\n  environment: both\n" }
        text += faults.isEmpty ? "\nfaults: []\n" : "\nfaults:\n" + faults.map { "  - \($0)\n" }.joined()
        text += clock.yaml
        text += "\nphases: { warmUp: 0s, drain: \(drain.nanoseconds / 1_000_000)ms }\n"
        text += "\ngates: []\n\nexercises: [\(exercises.joined(separator: ", "))]\n"
        return text
    }
}

extension Case {
    /// Whether a fault of its own answers with that reason.
    package func says(_ reason: String) -> Bool {
        file?.reasons.contains(reason) ?? false || faults.contains { $0.contains(reason) }
    }

    /// One whose scenario is a file of its own: only what is told of it.
    package init(name: String, question: String, exercises: [String]) {
        self.init(name: name, question: question, scripts: [], exercises: exercises)
    }
}
