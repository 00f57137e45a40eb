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
        // One that is refused again may be a trial, with which the relay asks whether it is over.
        if !isRefused, let open = list.last, open.until == nil, push.arrivedAt > open.last + inFlight {
            if push.arrivedAt - open.last < Self.least + inFlight {
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

    /// When the silence was over, or has to be, that lay between the two; nil: there was none.
    func over(plannedAt: Instant, due: Instant, rest: Interval) -> Instant? {
        let instants = list.compactMap { silence -> Instant? in
            let over = min(silence.last + rest, silence.until ?? .distantFuture)
            return silence.from <= due && plannedAt <= over ? over : nil
        }
        return instants.max()
    }
}
