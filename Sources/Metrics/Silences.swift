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
    /// Who asks whether it is over asks no oftener than this with what it had not sent before, each process: more is no
    /// silence, but a relay that goes on with what is refused and keeps back the rest. (Our choice: once a second.)
    private static let mostTrials = 10
    private static let trialSpan = Interval.seconds(10)
    private var list: [Silence] = []
    /// Of the last one, while it lasts: what was refused in it, and when the last new ones among them came, once nothing was on
    /// its way any more.
    private var refused: Set<PushIdentity> = []
    private var trials: [Instant] = []

    package init() {}

    /// In order of arrival. `inFlight`: so long pushes may come that had left before; `processes`: so many push side by side.
    package mutating func see(_ push: SeenPush, inFlight: Interval, processes: Int = 1) {
        guard push.provider == .apns else { return }
        let isRefused = push.metFault && push.status >= 500
        let isNew = isRefused && (refused.count >= Self.most || refused.insert(push.identity).inserted)
        if let last = list.indices.last, list[last].until == nil, push.arrivedAt > list[last].from + inFlight {
            // One that is refused again may be a trial, with which the relay asks whether it is over; any other tells of none.
            if !isRefused {
                end(at: push.arrivedAt, inFlight)
            } else if isNew {
                if trials.count >= Self.mostTrials * processes {
                    let first = trials.removeFirst()
                    // It had gone on since the first of them.
                    if push.arrivedAt - first < Self.trialSpan { end(at: first, inFlight) }
                }
                trials.append(push.arrivedAt)
            }
        }
        guard isRefused else { return }
        if let last = list.indices.last, list[last].until == nil {
            list[last].last = push.answeredAt
        } else if list.count < Self.most {
            list.append(Silence(from: push.answeredAt, last: push.answeredAt, until: nil))
            (refused, trials) = ([push.identity], [])
        }
    }

    /// The last of them is over, unless it was too short to be one.
    private mutating func end(at instant: Instant, _ inFlight: Interval) {
        if instant - list[list.count - 1].from < Self.least + inFlight {
            list.removeLast()
        } else {
            list[list.count - 1].until = instant
        }
        (refused, trials) = ([], [])
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
