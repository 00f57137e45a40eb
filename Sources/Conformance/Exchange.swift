// What a finding shows of the history: the call to the relay and the pushes to the provider, each with its answer.

package import Basics

/// A push to the provider and its answer, as a person can read it.
package struct Exchange: Hashable, Sendable {
    /// The journal's entry id.
    package var entry: UInt64
    /// Since the plan's origin.
    package var at: Interval
    package var time: WallTime
    /// Its connection and stream, as the mock numbers them, and fields, `name: value` each, pseudo-header fields first.
    package var request: [String]
    package var payload: String
    /// Status, reason and body.
    package var answer: String
    /// What the device did with it, or empty.
    package var device: String

    package init(
        entry: UInt64, at: Interval, time: WallTime, request: [String], payload: String, answer: String, device: String
    ) {
        self.entry = entry
        self.at = at
        self.time = time
        self.request = request
        self.payload = payload
        self.answer = answer
        self.device = device
    }
}

/// The call to the relay that a finding speaks of.
package struct CallSeen: Hashable, Sendable {
    /// The journal's entry id.
    package var entry: UInt64
    /// Its name in the profile.
    package var kind: String
    /// Its planned instant, since the plan's origin.
    package var at: Interval
    package var time: WallTime
    /// Status and time of the relay's answer, or why there is none.
    package var answer: String
    /// The beginning of its body; empty where it has none, or nobody knows it any more.
    package var sent: String

    package init(entry: UInt64, kind: String, at: Interval, time: WallTime, answer: String, sent: String = "") {
        self.entry = entry
        self.kind = kind
        self.at = at
        self.time = time
        self.answer = answer
        self.sent = sent
    }
}

/// One line of what happened around a finding.
package struct HistoryLine: Hashable, Sendable {
    /// Since the plan's origin.
    package var at: Interval
    package var words: String
    /// The finding speaks of it.
    package var isMeant: Bool
    /// How many lines of its session are left out before it.
    package var skipped: Int

    package init(at: Interval, words: String, isMeant: Bool, skipped: Int = 0) {
        self.at = at
        self.words = words
        self.isMeant = isMeant
        self.skipped = skipped
    }
}
