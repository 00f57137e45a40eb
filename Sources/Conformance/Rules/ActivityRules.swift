// Rules about the life of a Live Activity: its throttle, its last state, its end, its timestamps.

import Basics
import Metrics
import Pushes

enum ActivityRules {
    private struct Target: Hashable {
        var session: Int64
        var token: Int32
    }

    static let throttleRespected = Rule(
        id: "throttle-respected", claim: "R0.7", level: .must,
        requirement: "At most one progress push per session and token is accepted in each throttle window.",
        norm: "Relay contract: progress is throttled to one push per window (a tenth is allowed for the journey)"
    ) { evidence in
        guard let throttle = evidence.facts.throttle else { return .notExercised }
        let kinds = Set(throttle.kinds.compactMap { evidence.texts.number(of: $0) })
        var throttled: Set<StepKey> = []
        for step in evidence.expectations where step.channel == .liveactivity && kinds.contains(step.kind) {
            throttled.insert(StepKey(session: Int64(step.session), step: Int64(step.step)))
        }
        let least = throttle.window * 0.9
        var previous: [Target: ObservedPush] = [:]
        var findings = Findings()
        var pairs = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted && push.hasMarker {
            let target = Target(session: push.session, token: push.token)
            if push.event == .end { previous[target] = nil }
            guard throttled.contains(StepKey(session: push.session, step: push.step)) else { continue }
            defer { previous[target] = push }
            guard let last = previous[target],
                !evidence.restarted(between: last.arrivedAt, and: push.arrivedAt)
            else { continue }
            pairs += 1
            let gap = push.arrivedAt - last.arrivedAt
            if gap < least {
                findings.add(
                    "two progress pushes of session \(push.session) lie too close together",
                    expected: "at least \(throttle.window) between them", seen: "\(gap)", last.id, push.id)
            }
        }
        return findings.verdict(evidenceCount: pairs)
    }

    static let nothingAfterEnd = Rule(
        id: "nothing-after-end", claim: "R0.10, G11", level: .must,
        requirement: "No update arrives after an activity's end with a newer timestamp than the end's.",
        norm: "Apple, ActivityKit: an ended activity takes no further updates; a throttled leftover must be discarded"
    ) { evidence in
        var ends: [Int32: ObservedPush] = [:]
        var findings = Findings()
        var ended = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted {
            switch push.event {
            case .end:
                if ends.updateValue(push, forKey: push.token) == nil { ended += 1 }
            case .update:
                guard let end = ends[push.token], let endTime = end.timestamp, let time = push.timestamp,
                    time > endTime
                else { continue }
                findings.add(
                    "an update reached token \(evidence.short(push.token)) after the end of its activity",
                    expected: "nothing newer than timestamp \(endTime)",
                    seen: "timestamp \(time), \(push.arrivedAt - end.arrivedAt) after the end", end.id, push.id)
            case .start, nil: continue
            }
        }
        return findings.verdict(evidenceCount: ended)
    }

    static let oneStart = Rule(
        id: "one-start", claim: "R0.15, G9", level: .must,
        requirement: "At most one start per session and start token, until the activity answers or ends.",
        norm: "Relay contract: a second start shows the user a second activity of the same session"
    ) { evidence in
        // By session, then by start token.
        var open: [Int64: [Int32: ObservedPush]] = [:]
        var findings = Findings()
        var starts = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted && push.hasMarker {
            switch push.event {
            case .start:
                starts += 1
                if let first = open[push.session]?[push.token] {
                    findings.add(
                        "session \(push.session) was started twice on token \(evidence.short(push.token))",
                        expected: "one start until an update token is known",
                        seen: "a second start \(push.arrivedAt - first.arrivedAt) later", first.id, push.id)
                } else {
                    open[push.session, default: [:]][push.token] = push
                }
            case .update, .end: open[push.session] = nil
            case nil: continue
            }
        }
        return findings.verdict(evidenceCount: starts)
    }

    static let eventsFit = Rule(
        id: "activity-event-fits", claim: "R0.4", level: .must,
        requirement: "Only a terminal state ends the activity, and a terminal state always does.",
        norm: "Relay contract: progress is sent as event update, complete and error as event end"
    ) { evidence in
        var terminal: [StepKey: Bool] = [:]
        for step in evidence.expectations where step.channel == .liveactivity && step.event != nil {
            terminal[StepKey(session: Int64(step.session), step: Int64(step.step))] = step.event == .end
        }
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.hasMarker && push.event != nil {
            guard let ends = terminal[StepKey(session: push.session, step: push.step)] else { continue }
            judged += 1
            if ends != (push.event == .end) {
                findings.add(
                    "step \(push.step) of session \(push.session) was sent with the wrong event",
                    expected: ends ? "event end" : "event update or start",
                    seen: "event \(push.event?.word ?? "none")", push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }

    static let decodable = Rule(
        id: "activity-decodable", claim: "R0.43, P20, P21", level: .must,
        requirement: "Each accepted Live Activity push decodes on the device.",
        norm: "Apple, Starting and updating Live Activities: APNs accepts what the device then drops in silence"
    ) { evidence in
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted {
            judged += 1
            if push.outcome == .undecodable {
                findings.add(
                    "a push to token \(evidence.short(push.token)) was accepted, but no device can decode it",
                    expected: "timestamp, event and content-state, and for a start attributes and alert",
                    seen: "outcome undecodable", push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }

    static let prioritiesMixed = Rule(
        id: "activity-priorities-mixed", claim: "P19, G7", level: .should,
        requirement: "Not every Live Activity update is sent at priority 10.",
        norm: "Apple, Starting and updating Live Activities: priority 10 counts towards the system's budget"
    ) { evidence in
        let enough = 20
        var updates = 0
        var lastUrgent: ObservedPush?
        for push in evidence.pushes where push.kind == .liveactivity && push.wasAccepted && push.event == .update {
            updates += 1
            guard push.priority >= 10 else { return .kept(evidenceCount: 1) }
            lastUrgent = push
        }
        guard updates >= enough, let push = lastUrgent else { return .notExercised }
        var findings = Findings()
        findings.add(
            "all \(updates) updates were sent at priority 10", expected: "priority 5 for states that can wait",
            seen: "priority 10 throughout", push.id)
        return findings.verdict(evidenceCount: updates)
    }
}
