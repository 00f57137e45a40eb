// When sessions begin and end, by the calls that say so. The id of a session that is over may be used again.

import Basics
import Pushes

struct SessionCourse {
    struct End {
        var sentAt: Instant
        /// When the relay knows of it: a relay that has not taken the call goes on.
        var heardAt: Instant
    }

    private var ends: [UInt32: [End]] = [:]
    /// Calls that owe a state, sent.
    private var states: [UInt32: [Instant]] = [:]

    init(_ account: Account) {
        var known: Set<UInt64> = []
        func end(_ place: UInt64) -> (session: UInt32, end: End)? {
            guard known.insert(place).inserted, let call = account.call(at: place), call.state == .sent else { return nil }
            return (call.session, End(sentAt: call.sentAt, heardAt: call.wasTaken ? call.sentAt : .distantFuture))
        }
        let unregistrations = account.tokenCalls.lazy.filter { $0.lane.role == .activity && !$0.isRegistration }.map(\.place)
        for place in unregistrations + account.rows.filter({ $0.event == .end }).map(\.place) {
            if let made = end(place) { ends[made.session, default: []].append(made.end) }
        }
        for row in account.rows where row.type == .liveactivity && row.event != .end && !known.contains(row.place) {
            guard let call = account.call(at: row.place), call.state == .sent else { continue }
            states[call.session, default: []].append(call.sentAt)
        }
        for session in ends.keys { ends[session]!.sort { $0.sentAt < $1.sentAt } }
    }

    /// Whether the session ended and began again between the two: nobody can tell which life a card of then is of.
    func beganAgain(_ session: UInt32, between first: Instant, and last: Instant) -> Bool {
        guard let end = ends[session]?.first(where: { first < $0.sentAt && $0.sentAt <= last }) else { return false }
        return states[session]?.contains { end.sentAt < $0 && $0 <= last } ?? false
    }

    /// The end that an activity lives to, which was registered at that instant: the session's next, or the last one where
    /// nothing has begun since.
    func end(of session: UInt32, registeredAt instant: Instant) -> End? {
        guard let ends = ends[session] else { return nil }
        if let last = ends.last(where: { $0.sentAt <= instant }),
            states[session]?.contains(where: { last.sentAt < $0 && $0 <= instant }) != true
        {
            return last
        }
        return ends.first { $0.sentAt > instant }
    }
}
