// Gathers findings up to a limit: the first ones in full, then only their number.

import Basics

struct Findings {
    static let limit = 25

    private var list: [Finding] = []
    private var more = 0

    var isEmpty: Bool { list.isEmpty }

    mutating func add(
        _ message: @autoclosure () -> String, expected: @autoclosure () -> String, seen: @autoclosure () -> String,
        _ entries: UInt64...
    ) {
        guard list.count < Self.limit else {
            more += 1
            return
        }
        list.append(Finding(message: message(), expected: expected(), seen: seen(), entries: entries))
    }

    /// Broken with what was found; else kept `evidenceCount` times; else not exercised.
    func verdict(evidenceCount: Int) -> Verdict {
        guard list.isEmpty else {
            guard more > 0 else { return .broken(list) }
            let rest = Finding(
                message: "\(more) more of the same", expected: list[0].expected, seen: "not listed one by one",
                entries: [])
            return .broken(list + [rest])
        }
        return evidenceCount > 0 ? .kept(evidenceCount: evidenceCount) : .notExercised
    }
}

extension Evidence {
    /// A token as it may be shown: the first eight characters.
    func short(_ token: Int32) -> String {
        let text = texts[token]
        return text.count > 8 ? text.prefix(8) + "…" : text
    }

    func reason(_ push: ObservedPush) -> String {
        push.reason < 0 ? String(push.status) : "\(push.status) \(texts[push.reason])"
    }

    /// Whether the relay was stopped between the two instants.
    func restarted(between first: Instant, and second: Instant) -> Bool {
        facts.relayRestarts.contains { first <= $0 && $0 <= second }
    }
}
