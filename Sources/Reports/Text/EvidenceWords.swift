// Findings and examples in words, the same in every report.

import Basics
import Conformance
import Metrics
import Verdicts

extension DeliveryClass {
    /// What a relay has to answer for.
    var isTrouble: Bool {
        switch self {
        case .late, .lost, .duplicated, .reordered, .unexpected, .misdirected, .altered: true
        case .delivered, .superseded, .excused, .unsent, .undecided: false
        }
    }
}

extension Example {
    /// Whose event it was, and when; or which push.
    var words: String {
        let place = kind.isEmpty ? "" : "session \(session) step \(step), \(kind), "
        let push = entries.isEmpty ? "" : "entry \(entries.map(String.init).joined(separator: ", ")), "
        return place + push + "at \(Numbers.offset(at - Instant(nanoseconds: 0)))"
    }
}

extension Exchange {
    var moment: String { momentText(at, time) }
}

extension CallSeen {
    var moment: String { momentText(at, time) }
}

/// `+1.234 s (10:00:01.234Z)`.
private func momentText(_ at: Interval, _ time: WallTime) -> String {
    Numbers.offset(at) + (time.nanoseconds == 0 ? "" : " (\(time.iso8601.dropFirst(11)))")
}
