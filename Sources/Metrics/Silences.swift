// When a relay sent nothing at all to APNs behind a failure of APNs: some stop whatever they have to send, not the one push.

package import Basics
import Pushes

package struct Silences: Sendable {
    /// From the first failure on. `until`: the next push that is none of those that were on their way.
    private struct Silence {
        var from: Instant
        var last: Instant
        var until: Instant?
    }

    /// Shorter ones tell nothing: a relay need not have had anything to send.
    private static let least = Interval.seconds(1)
    private static let most = 10_000
    private var list: [Silence] = []

    package init() {}

    /// In order of arrival. `inFlight`: so long pushes may come that had left before.
    package mutating func see(_ push: SeenPush, inFlight: Interval) {
        guard push.provider == .apns else { return }
        let isRefused = push.metFault && push.status >= 500
        // One that is refused again may be a trial, with which the relay asks whether it is over; any other tells of none.
        if !isRefused, let open = list.last, open.until == nil, push.arrivedAt > open.from + inFlight {
            if push.arrivedAt - open.from < Self.least + inFlight {
                list.removeLast()
            } else {
                list[list.count - 1].until = push.arrivedAt
            }
        }
        guard isRefused else { return }
        if let open = list.last, open.until == nil {
            list[list.count - 1].last = push.answeredAt
        } else if list.count < Self.most {
            list.append(Silence(from: push.answeredAt, last: push.answeredAt, until: nil))
        }
    }

    /// When the silence was over, or has to be, that lay between the two; nil: there was none. One that lasts still has to have
    /// lasted as long as one that is over.
    func over(plannedAt: Instant, due: Instant, _ circumstances: Circumstances) -> Instant? {
        for silence in list.reversed() where silence.from <= due {
            // They follow each other, and so do their ends.
            guard plannedAt <= silence.last + circumstances.rest else { return nil }
            let lasted = (silence.until ?? circumstances.end) - silence.from
            let over = min(silence.last + circumstances.rest, silence.until ?? .distantFuture)
            if lasted >= Self.least + circumstances.inFlightGrace, plannedAt <= over { return over }
        }
        return nil
    }
}
