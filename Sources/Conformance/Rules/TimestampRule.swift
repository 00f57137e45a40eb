// The rule about `aps.timestamp`: Unix seconds, and newer states never stamped older.

import Basics
import Metrics
import Pushes

enum TimestampRule {
    /// From 2001 to the year 5138: what can be Unix seconds at all. Milliseconds lie above, seconds since 2001 below.
    private static let plausible: ClosedRange<Int64> = 1_000_000_000...99_999_999_999
    /// A device drops an update that is stamped more than 8 h ahead (Apple developer forums 776165).
    private static let farAhead: Int64 = 8 * 3_600

    private struct Key: Hashable {
        var token: TokenHash
        var session: UInt32
    }

    private struct Track {
        /// Among the account's pushes.
        var newest: Int
        var stamp: Int64
        var firstOfStamp: Int
        var statesOfStamp: Int
    }

    /// A session on one phone.
    private struct Card: Hashable {
        var session: UInt32
        var phone: UInt8
    }

    private static func card(of push: SeenPush, _ joined: JoinedAccount) -> Card? {
        guard push.isMarked, let lane = joined.tokens.lanes[push.token] else { return nil }
        return Card(session: push.session, phone: lane.phone)
    }

    /// The token became known after the start, so it is that of the activity which the start made, where no phone has told
    /// that it is of an earlier one.
    private static func isLater(_ token: TokenHash, than start: SeenPush, _ joined: JoinedAccount) -> Bool {
        if let card = joined.account.card(of: token), card.startedAt < start.arrivedAt { return false }
        return joined.tokens.registrations[token]?.first.map { $0.sentAt > start.arrivedAt } ?? false
    }

    /// Whether a clock that is read in seconds must have moved between the two, whether the relay reads it when a call comes
    /// or when it builds a push, which for the first may be late and for the second early.
    private static func hasTimePassed(
        _ first: SeenPush, _ second: SeenPush, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let standstill = max(Tolerances.reaction, run.circumstances.real(ClockBounds.leastSpan))
        guard second.arrivedAt - first.arrivedAt >= standstill, let earlier = joined.account.call(at: first.place),
            let later = joined.account.call(at: second.place)
        else { return false }
        return later.sentAt - max(earlier.sentAt, earlier.answeredAt) >= standstill
            && toldBehind(first, second, later.sentAt, run.circumstances) >= standstill
    }

    /// How long the second that both carry had begun when the later state was told: by the mock's clock, or by the host's where
    /// the relay goes by that.
    private static func toldBehind(
        _ first: SeenPush, _ second: SeenPush, _ sentAt: Instant, _ circumstances: Circumstances
    ) -> Interval {
        let stamped = WallTime(seconds: second.stamp ?? 0)
        let skew = circumstances.clockSkew
        func distance(_ wall: WallTime) -> UInt64 { (stamped - wall).nanoseconds.magnitude }
        let ahead = distance(first.arrivedWall - skew) < distance(first.arrivedWall) ? skew : .zero
        let (former, latter) = (first.arrivedWall - ahead, second.arrivedWall - ahead)
        // The lesser, where we set the clock in between.
        let told = min(former + (sentAt - first.arrivedAt), latter - (second.arrivedAt - sentAt))
        // A push is built before it arrives: who is ahead of that, no clock of ours having been set, has not read the time.
        let built = circumstances.isWallTimeSet ? stamped : min(stamped, WallTime(seconds: former.seconds))
        return told - built
    }

    static let secondsAndRising = Rule(
        "timestamp-seconds-rising", ["R0.16", "P16", "G6"], .must,
        requirement: "aps.timestamp is in Unix seconds, and a newer state never carries an older one.",
        norm: "Apple, Starting and updating Live Activities: seconds since 1970; the device ignores an older update",
        advice: "stamp in the order of the states: whole seconds since 1970, never less than the last one of that activity"
    ) { joined, run, tally in judge(joined, run, &tally) }

    /// By whatever way they go to Apple.
    static func judge(_ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally) {
        var tracks: [Key: Track] = [:]
        var starts: [Card: SeenPush] = [:]
        let pushes = joined.account.pushes
        for (index, push) in pushes.enumerated() where push.isLiveActivity && push.isAccepted {
            guard let stamp = push.stamp else { continue }
            tally.test()
            let session = push.isMarked ? push.session : nil
            let step = push.isMarked ? push.step : nil
            guard plausible.contains(stamp), stamp - push.arrivedWall.seconds <= farAhead else {
                tally.find(
                    "the timestamp is not in Unix seconds, or far ahead", expected: "about \(push.arrivedWall.seconds)",
                    seen: "\(stamp)" + (stamp > plausible.upperBound ? ", as if in milliseconds" : ""), session: session,
                    step: step, push.id)
                continue
            }
            if let card = card(of: push, joined) {
                if push.event == .start {
                    starts[card] = push
                } else if push.event == .update, let start = starts[card], isLater(push.token, than: start, joined),
                    let started = start.stamp, stamp < started,
                    run.wasHeard(start.place, before: push.place, in: joined.account)
                {
                    tally.find(
                        "an update is stamped older than the start of its activity", expected: "at least \(started)",
                        seen: "\(stamp)", of: push, restsOn: .order, start.id, push.id)
                }
            }
            let key = Key(token: push.token, session: session ?? .max)
            guard var track = tracks[key] else {
                tracks[key] = Track(newest: index, stamp: stamp, firstOfStamp: index, statesOfStamp: 1)
                continue
            }
            // Without markers arrival is the only order there is.
            let isNewer = !push.isMarked || push.place >= pushes[track.newest].place
            let (older, newer) = isNewer ? (pushes[track.newest], push) : (push, pushes[track.newest])
            let isKnown = !run.circumstances.mayBeForgotten(pushes[track.newest], by: push)
                && (!push.isMarked || run.wasHeard(older.place, before: newer.place, in: joined.account))
            if isNewer ? stamp < track.stamp : stamp > track.stamp, isKnown {
                tally.find(
                    isNewer
                        ? "a newer state carries an older timestamp" : "an older state carries a newer timestamp",
                    expected: isNewer ? "at least \(track.stamp)" : "at most \(track.stamp)", seen: "\(stamp)",
                    of: push, restsOn: push.isMarked ? .order : [], pushes[track.newest].id, push.id)
            }
            guard isNewer else { continue }
            if stamp == track.stamp, !push.isMarked || push.place > pushes[track.newest].place {
                track.statesOfStamp += 1
                let first = pushes[track.firstOfStamp]
                let since = push.arrivedWall - first.arrivedWall
                let isStill =
                    push.isMarked
                    ? hasTimePassed(first, push, joined, run) : track.statesOfStamp >= 3 && since > Tolerances.flight
                if isStill {
                    tally.find(
                        "the timestamp stands still", expected: "a newer one after \(since)", seen: "\(stamp) again",
                        session: session, step: step, first.id, push.id)
                }
            } else if stamp != track.stamp {
                track.firstOfStamp = index
                track.statesOfStamp = 1
            }
            track.stamp = max(stamp, track.stamp)
            track.newest = index
            tracks[key] = track
        }
    }
}
