// The rule about `aps.timestamp`: Unix seconds, and newer states never stamped older.

import Basics
import Pushes

enum TimestampRule {
    /// From 2001 to the year 5138: what can be Unix seconds at all. Milliseconds lie above, seconds since 2001 below.
    private static let plausible: ClosedRange<Int64> = 1_000_000_000...99_999_999_999
    /// A token whose states all carry one timestamp for longer than this does not count time.
    private static let standstill = Interval.seconds(5)

    private struct Track {
        var step: Int64
        var time: Int64
        var push: ObservedPush
        var firstOfTime: ObservedPush
        var statesOfTime: Int
    }

    static let secondsAndRising = Rule(
        id: "timestamp-seconds-rising", claim: "R0.16, P16", level: .must,
        requirement: "aps.timestamp is in Unix seconds, and a newer state never carries an older one.",
        norm: "Apple, Starting and updating Live Activities: seconds since 1970; the device ignores an older update"
    ) { evidence in
        var tracks: [Int32: Track] = [:]
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted {
            guard let time = push.timestamp else { continue }
            judged += 1
            guard plausible.contains(time) else {
                findings.add(
                    "the timestamp is not in Unix seconds", expected: "about \(push.arrivedWall.seconds)",
                    seen: "\(time)" + (time > plausible.upperBound ? ", as if in milliseconds" : ""), push.id)
                continue
            }
            guard var track = tracks[push.token] else {
                tracks[push.token] = Track(
                    step: push.step, time: time, push: push, firstOfTime: push, statesOfTime: 1)
                continue
            }
            // Without markers arrival is the only order there is.
            let isNewer = !push.hasMarker || push.step >= track.step
            if isNewer ? time < track.time : time > track.time {
                findings.add(
                    isNewer
                        ? "a newer state carries an older timestamp" : "an older state carries a newer timestamp",
                    expected: isNewer ? "at least \(track.time)" : "at most \(track.time)", seen: "\(time)",
                    track.push.id, push.id)
            }
            guard isNewer else { continue }
            if time == track.time, !push.hasMarker || push.step > track.step {
                track.statesOfTime += 1
                let since = push.arrivedAt - track.firstOfTime.arrivedAt
                if track.statesOfTime >= 3, since > standstill {
                    findings.add(
                        "the timestamp stands still", expected: "a newer one after \(since)", seen: "\(time) again",
                        track.firstOfTime.id, push.id)
                }
            } else if time != track.time {
                track.firstOfTime = push
                track.statesOfTime = 1
            }
            track.step = push.step
            track.time = max(time, track.time)
            track.push = push
            tracks[push.token] = track
        }
        return findings.verdict(evidenceCount: judged)
    }
}
