// A case that is a scenario's file, which the profile names: its history, with the relay that is checked.

package import Basics
import Scenarios

/// What a check has to know of such a file.
package struct CaseFile: Hashable, Sendable {
    /// Absolute.
    package var path: String
    /// A profile of the same relay, absolute; nil: the relay's own.
    package var profile: String?
    /// To the last event that is planned, and from there to the end.
    package var length: Interval
    package var drain: Interval
    package var isStepped: Bool
    package var clockScale: Double
    /// With which its faults answer.
    package var reasons: Set<String> = []
}

/// The clock of a case, where it is another one than its files say.
package enum CaseClock: Hashable, Sendable {
    case asItIs
    /// The host's.
    case running
    /// So many times as fast.
    case scaled(Double)
    case stepped

    var yaml: String {
        switch self {
        case .asItIs: ""
        case .running: "\nclock: running\n"
        case .scaled(let scale): "\nclock: running\nclockScale: \(scale)\n"
        case .stepped: "\nclock: stepped\n"
        }
    }
}

extension Case {
    func text(of file: CaseFile, relayFrom base: String, seed: UInt64, clock: CaseClock) -> String {
        let profile = file.profile.map { "\nrelay: { profile: \(JSONValue.string($0).text) }\n" } ?? ""
        // Both as the file has them, until it was read.
        let drain = file.drain == .zero ? "" : "\nphases: { warmUp: 0s, drain: \(file.drain.nanoseconds / 1_000_000)ms }\n"
        let rules = exercises.isEmpty ? "" : "\nexercises: [\(exercises.joined(separator: ", "))]\n"
        return """
            # \(question)
            #
            # Written by `pushrig check`, from a file that the profile names; runs by itself with `pushrig run`.

            name: \(name)
            extends: \(JSONValue.string(file.path).text)
            relayFrom: \(JSONValue.string(base).text)
            seed: \(seed)
            strict: false
            gates: []
            \(profile)\(clock.yaml)\(drain)\(rules)
            """
    }
}
