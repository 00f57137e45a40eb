// One valid history, in milliseconds: an expectation at 1000 and its push 50 later. Tests turn one knob each.

import Basics
import Journal
import Pushes

@testable import Metrics

struct History {
    static let run: UInt32 = 0x1A2B_3C4D
    static let token = String(repeating: "ab", count: 32)

    var correlator = Correlator(run: run)
    private var nextID: UInt64 = 1

    mutating func expect(
        _ session: UInt32 = 1, _ step: UInt32 = 1, at milliseconds: Int64 = 1000, kind: String = "progress",
        channel: PushType = .liveactivity, coalesce: Bool = false, deadline: Int64 = 500, isFinal: Bool = false,
        token: String = token
    ) {
        correlator.expect(
            Expectation(
                session: session, step: step, kind: kind, channel: channel, plannedAt: instant(milliseconds),
                coalesceKey: coalesce, deadline: .milliseconds(deadline), isFinal: isFinal, token: token))
    }

    /// Gives the push's journal id.
    @discardableResult
    mutating func push(
        _ session: UInt32 = 1, _ step: UInt32 = 1, at milliseconds: Int64 = 1050, status: UInt16 = 200,
        reason: String? = nil, outcome: Outcome? = .updated, channel: PushType = .liveactivity,
        token: String = token, run: UInt32 = run, delay: Int64 = 0
    ) -> UInt64 {
        let text = #"{"aps":{"content-state":{"lastMessage":"\#(Marker(run: run, session: session, step: step).text)"}}}"#
        return pushText(
            text, at: milliseconds, status: status, reason: reason, outcome: outcome, channel: channel, token: token,
            delay: delay)
    }

    @discardableResult
    mutating func pushText(
        _ payload: String, at milliseconds: Int64, status: UInt16 = 200, reason: String? = nil,
        outcome: Outcome? = .updated, channel: PushType = .liveactivity, token: String = token, delay: Int64 = 0
    ) -> UInt64 {
        let entry = PushEntry(
            id: nextID, arrivedAt: instant(milliseconds), status: status, reason: reason, outcome: outcome,
            delay: .milliseconds(delay), token: token, pushType: channel.word.description,
            marker: withBytes(of: payload) { Marker.find(in: $0) }, payload: Array(payload.utf8))
        nextID += 1
        correlator.observe(entry)
        return entry.id
    }

    mutating func event(
        _ session: UInt32 = 1, _ step: UInt32 = 1, kind: UInt16 = 0, at milliseconds: Int64 = 1000, sent: Int64? = 1001,
        answered: Int64? = 1010, status: UInt16 = 200, failure: EventFailure = .none
    ) {
        correlator.observe(
            EventEntry(
                id: nextID, session: session, step: step, kind: kind, plannedAt: instant(milliseconds),
                sentAt: instant(sent ?? 0), answeredAt: instant(answered ?? 0), status: answered == nil ? 0 : status,
                failure: failure.rawValue))
        nextID += 1
    }

    /// What became of the latest push after it had been stored.
    mutating func late(_ outcome: Outcome) { correlator.observe(late: outcome, of: nextID - 1) }

    mutating func finish(end: Int64 = 100_000) -> Correlation { correlator.finish(end: instant(end)) }
}

func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

/// What became of all expectations and pushes, without the zeros: `delivered 1, lost 2`.
func classes(_ correlation: Correlation) -> String {
    let named = DeliveryClass.allCases.map { ($0.rawValue, correlation.count($0)) }
    let rest = [
        ("excused", correlation.excused), ("unsent", correlation.unsent), ("undecided", correlation.undecided),
    ]
    return (named + rest).filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
}

enum PushEntryMaker {
    static var entry: PushEntry {
        PushEntry(
            id: 99, arrivedAt: instant(1050), status: 410, reason: "Unregistered", token: "aa",
            pushType: "liveactivity", marker: Marker(run: History.run, session: 1, step: 1))
    }
}
