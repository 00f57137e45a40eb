// Rules about device and activity tokens: dead ones are dropped, living ones are kept, none is mixed up.

import Basics
import Pushes

enum TokenRules {
    /// Answers after which a token is dead for good.
    private static func isDefinite(_ push: ObservedPush, _ evidence: Evidence) -> Bool {
        switch (push.status, evidence.texts[push.reason]) {
        case (410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
            true
        default: false
        }
    }

    private struct Place: Hashable {
        var token: Int32
        var environment: PushEnvironment
    }

    static let deadTokenDropped = Rule(
        id: "dead-token-dropped", claim: "R0.22, P9", level: .must,
        requirement: "After 410, or 400 BadDeviceToken or DeviceTokenNotForTopic, no further push goes to that token.",
        norm: "Apple, Handling notification responses from APNs: requests with these answers are never retried"
    ) { evidence in
        var deaths: [Place: ObservedPush] = [:]
        var findings = Findings()
        var died = 0
        for push in evidence.pushes {
            let place = Place(token: push.token, environment: push.environment)
            if let death = deaths[place] {
                if evidence.registered(push.token, between: death.arrivedAt, and: push.arrivedAt) {
                    deaths[place] = nil
                } else if push.arrivedAt > death.answeredAt + evidence.facts.inFlightGrace {
                    findings.add(
                        "pushed again to token \(evidence.short(push.token)), which had been declared dead",
                        expected: "no push after \(evidence.reason(death))",
                        seen: "a push \(push.arrivedAt - death.answeredAt) after that answer", death.id, push.id)
                }
            } else if isDefinite(push, evidence), !evidence.speaksOfThePast(push) {
                deaths[place] = push
                died += 1
            }
        }
        return findings.verdict(evidenceCount: died)
    }

    static let livingTokenKept = Rule(
        id: "living-token-kept", claim: "R0.23, G1", level: .must,
        requirement: "A 403, 429 or 5xx reply never makes the relay forget a token.",
        norm: "Apple, Handling notification responses from APNs: these codes speak of the sender or of APNs, "
            + "not of the token"
    ) { evidence in
        var lastPush: [Int32: ObservedPush] = [:]
        for push in evidence.pushes { lastPush[push.token] = push }
        // A token is judged when its last push met such a reply and the relay then accepted more work for it.
        var wanted: [Int32: Instant] = [:]
        for step in evidence.expectations where step.wasAcceptedByRelay && !step.mayBeSuperseded && step.token >= 0 {
            wanted[step.token] = max(wanted[step.token] ?? step.plannedAt, step.plannedAt)
        }
        var refused: [Int32: ObservedPush] = [:]
        for push in evidence.pushes where refused[push.token] == nil {
            if push.status == 403 || push.status == 429 || push.status >= 500 { refused[push.token] = push }
        }
        var findings = Findings()
        var judged = 0
        for (token, first) in refused.sorted(by: { $0.value.id < $1.value.id }) {
            guard let planned = wanted[token], let last = lastPush[token], planned > first.answeredAt,
                !evidence.restarted(between: first.arrivedAt, and: planned)
            else { continue }
            judged += 1
            let lastWasRefused = last.status == 403 || last.status == 429 || last.status >= 500
            if lastWasRefused, last.answeredAt < planned {
                findings.add(
                    "token \(evidence.short(token)) was never pushed to again after \(evidence.reason(last))",
                    expected: "a push for the event planned \(planned - last.answeredAt) after that reply",
                    seen: "none", last.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }

    static let sessionsKeptApart = Rule(
        id: "sessions-kept-apart", claim: "R0.30, R0.39", level: .must,
        requirement: "A state of one session never reaches a token that belongs only to another.",
        norm: "Relay contract: tokens and states never cross sessions"
    ) { evidence in
        var owners: [Int32: Set<Int64>] = [:]
        for step in evidence.expectations where step.token >= 0 {
            owners[step.token, default: []].insert(Int64(step.session))
        }
        var findings = Findings()
        var judged = 0
        for push in evidence.pushes where push.hasMarker {
            guard let sessions = owners[push.token] else { continue }
            judged += 1
            if !sessions.contains(push.session) {
                findings.add(
                    "a state of session \(push.session) reached token \(evidence.short(push.token)) of another session",
                    expected: "a token of session \(push.session)",
                    seen: "a token of session \(sessions.min() ?? -1)", push.id)
            }
        }
        return findings.verdict(evidenceCount: judged)
    }
}

extension Evidence {
    /// Whether the relay accepted a registration of this token between the two instants.
    func registered(_ token: Int32, between first: Instant, and second: Instant) -> Bool {
        registrations[token]?.contains { first < $0 && $0 <= second } ?? false
    }

    /// A 410 whose timestamp lies before the run, or before the token's last registration, kills nothing (P10).
    func speaksOfThePast(_ push: ObservedPush) -> Bool {
        guard push.status == 410, push.diedMilliseconds > 0 else { return false }
        let died = WallTime(milliseconds: push.diedMilliseconds)
        if let start = facts.startedAt, died < start { return true }
        return registered(push.token, between: push.arrivedAt - (push.arrivedWall - died), and: push.arrivedAt)
    }
}
