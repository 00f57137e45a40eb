// Rules about sending the same push again.

import Basics
import Pushes

enum RetryRules {
    /// What makes two requests the same push: token, type and marker, or without a marker the payload.
    private struct Identity: Hashable {
        var token: Int32
        var kind: PushType
        var session: Int64
        var step: Int64
        var payload: Int

        init(_ push: ObservedPush) {
            token = push.token
            kind = push.kind
            session = push.session
            step = push.step
            payload = push.hasMarker ? 0 : push.payloadHash
        }
    }

    private static let leastPause = Interval.seconds(1)

    static let backsOff = Rule(
        id: "retry-backs-off", claim: "P13", level: .should,
        requirement: "After 429 or 5xx the same push is not sent again within a second.",
        norm: "Apple, Handling notification responses from APNs: retry with a delay; 15 minutes after 5xx"
    ) { evidence in
        var refused: [Identity: ObservedPush] = [:]
        var findings = Findings()
        var retries = 0
        for push in evidence.pushes {
            let identity = Identity(push)
            if let first = refused[identity] {
                retries += 1
                let pause = push.arrivedAt - first.answeredAt
                if pause < leastPause {
                    findings.add(
                        "a push was sent again at once after \(evidence.reason(first))",
                        expected: "a pause of at least \(leastPause)", seen: "\(pause)", first.id, push.id)
                }
            }
            refused[identity] = push.status == 429 || push.status >= 500 ? push : nil
        }
        return findings.verdict(evidenceCount: retries)
    }

    static let keepsID = Rule(
        id: "retry-keeps-apns-id", claim: "P15, R0.23", level: .should,
        requirement: "An apns-id belongs to one push, and a retry after 429 or 5xx carries it again.",
        norm: "Apple, Sending notification requests to APNs: apns-id is the notification's own identifier"
    ) { evidence in
        var owners: [UUIDBytes: (identity: Identity, push: ObservedPush)] = [:]
        var refused: [Identity: ObservedPush] = [:]
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes {
            let identity = Identity(push)
            defer { refused[identity] = push.status == 429 || push.status >= 500 ? push : nil }
            guard push.gaveAPNsID else { continue }
            if let owner = owners[push.apnsID], owner.identity != identity {
                findings.add(
                    "two different pushes carry one apns-id", expected: "an apns-id of its own for each push",
                    seen: push.apnsID.text(), owner.push.id, push.id)
            }
            if owners[push.apnsID] == nil { owners[push.apnsID] = (identity, push) }
            judged += 1
            if let first = refused[identity], first.gaveAPNsID, first.apnsID != push.apnsID {
                findings.add(
                    "a retry carries another apns-id than the push it repeats", expected: first.apnsID.text(),
                    seen: push.apnsID.text(), first.id, push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }
}
