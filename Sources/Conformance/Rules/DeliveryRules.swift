// Rules about what reaches the user: last states, alerts, sizes and well-formed requests.

import Basics
import Metrics
import Pushes

enum DeliveryRules {
    static let alertsOnlyWhereDue = Rule(
        id: "alerts-only-where-due", claim: "R0.3", level: .must,
        requirement: "An event that only changes the Live Activity raises no ordinary alert.",
        norm: "Relay contract: progress and start are silent; an alert every few seconds drives users away"
    ) { evidence in
        var alerting: Set<StepKey> = []
        var planned: Set<StepKey> = []
        for step in evidence.expectations {
            let key = StepKey(session: Int64(step.session), step: Int64(step.step))
            planned.insert(key)
            if step.channel == .alert { alerting.insert(key) }
        }
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.hasMarker {
            let key = StepKey(session: push.session, step: push.step)
            guard planned.contains(key), !alerting.contains(key) else { continue }
            judged += 1
            if push.kind == .alert {
                findings.add(
                    "step \(push.step) of session \(push.session) raised an ordinary alert",
                    expected: "a Live Activity push only", seen: "push type alert", push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }

    static let alertFirst = Rule(
        id: "alert-goes-first", claim: "R0.2", level: .must,
        requirement: "Where an event calls for both, the alert arrives, and before the Live Activity push.",
        norm: "Relay contract: the ordinary push still goes out, in addition to and before the activity's"
    ) { evidence in
        var alerting: Set<StepKey> = []
        var live: Set<StepKey> = []
        for step in evidence.expectations {
            let key = StepKey(session: Int64(step.session), step: Int64(step.step))
            if step.channel == .alert { alerting.insert(key) }
            if step.channel == .liveactivity { live.insert(key) }
        }
        let both = alerting.intersection(live)
        var alerts: Set<StepKey> = []
        var early: [StepKey: ObservedPush] = [:]
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.hasMarker {
            let key = StepKey(session: push.session, step: push.step)
            guard both.contains(key) else { continue }
            if push.kind == .alert {
                alerts.insert(key)
            } else if push.kind == .liveactivity, !alerts.contains(key), early[key] == nil {
                early[key] = push
            }
        }
        judged = alerts.union(early.keys).count
        for (key, push) in early.sorted(by: { $0.value.id < $1.value.id }) {
            findings.add(
                "step \(key.step) of session \(key.session) reached the activity before it reached the user",
                expected: "the alert first", seen: alerts.contains(key) ? "the alert afterwards" : "no alert", push.id)
        }
        return findings.verdict(evidenceCount: judged)
    }

    static let payloadFits = Rule(
        id: "payload-fits", claim: "R0.6", level: .must,
        requirement: "No payload is larger than 4096 bytes.",
        norm: "Apple, Generating a remote notification: 4 KB for everything but VoIP"
    ) { evidence in
        let limit: Int32 = 4096
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where [.alert, .liveactivity, .background].contains(push.kind) {
            judged += 1
            if push.payloadCount > limit {
                findings.add(
                    "a payload is too large", expected: "at most \(limit) bytes", seen: "\(push.payloadCount) bytes",
                    push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }

    /// Rejections that only a malformed request can earn.
    private static let malformed = [
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPath", "BadPriority", "BadTopic", "DuplicateHeaders",
        "InvalidPushType", "MethodNotAllowed", "MissingDeviceToken", "MissingProviderToken", "MissingTopic",
        "PayloadEmpty", "PayloadTooLarge", "TopicDisallowed",
    ]

    static let requestsWellFormed = Rule(
        id: "requests-well-formed", claim: "P17, P18, P22, P23", level: .must,
        requirement: "No push is rejected for its path, its header fields or its payload.",
        norm: "Apple, Sending notification requests to APNs"
    ) { evidence in
        let reasons = Set(malformed.compactMap { evidence.texts.number(of: $0) })
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where !push.metFault {
            judged += 1
            if reasons.contains(push.reason) {
                findings.add(
                    "a push was rejected for its form", expected: "a request APNs accepts",
                    seen: evidence.reason(push), push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }
}
