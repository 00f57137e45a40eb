// Rules about the access tokens that messages to FCM bear: how often a relay asks for another one, and why (docs/fcm.md §7).
// They ask across accounts.

import Basics
import Metrics
import Pushes

enum AccessTokenRules {
    static let all = [reused, kept, renewed]

    static let reused = Rule(
        "access-token-reused", ["F10"], .should, on: .fcm,
        requirement: "A process asks for one access token an hour, and all its messages share it.",
        norm: "Google, Using OAuth 2.0 for Server to Server Applications: an hour of life; one for a process is practice",
        advice: "ask once, keep the token until shortly before its end, and let concurrent messages wait for the one answer",
        make: { Reused() })

    /// Google's own library for Python asks for another one after each 401: whoever uses it is warned, not failed.
    static let kept = Rule(
        "access-token-kept", ["F5"], .should, on: .fcm,
        requirement: "A 401 about the project's key for APNs makes the relay ask for no other access token.",
        norm: "Google, FCM ErrorCode: THIRD_PARTY_AUTH_ERROR means the key for APNs; another access token does not help",
        advice: "on 401 with THIRD_PARTY_AUTH_ERROR keep the access token, and report that the key for APNs is wrong",
        make: { Kept() })

    static let renewed = Rule(
        "access-token-renewed", ["F10"], .should, on: .fcm,
        requirement: "After 401 ACCESS_TOKEN_EXPIRED the relay asks for a new token.",
        norm: "Google, Using OAuth 2.0 for Server to Server Applications: get another access token when one has expired",
        advice: "on 401 ACCESS_TOKEN_EXPIRED discard the access token, get another, and send the message once more",
        make: { ConnectionRules.Renewed() })

    private struct Reused: PushMachine {
        private var uses = AccessUses()

        mutating func see(_ push: SeenPush, _ run: RunContext) { uses.note(push, run) }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            if uses.count > 1 { tally.test(uses.count) }
            // Whatever it says: some ask for another one after each.
            for (earlier, use) in uses.renewals(run) where !uses.hasRefusal(between: earlier, and: use, ofKey: nil) {
                let allowed = max(1, run.circumstances.relayProcesses)
                tally.find(
                    "another access token was in use too soon", expected: "at most \(allowed) in 50 minutes",
                    seen: "two that were first used \(use.arrivedAt - earlier.arrivedAt) apart", earlier.id, use.id)
            }
            return tally.verdict
        }
    }

    private struct Kept: PushMachine {
        private var uses = AccessUses()

        mutating func see(_ push: SeenPush, _ run: RunContext) { uses.note(push, run) }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            if uses.followed > 0 { tally.test(uses.followed) }
            for (earlier, use) in uses.renewals(run)
            where uses.hasRefusal(between: earlier, and: use, ofKey: true)
                && !uses.hasRefusal(between: earlier, and: use, ofKey: false)
            {
                tally.find(
                    "the relay got another access token after an error about the key for APNs",
                    expected: "the one that was in use",
                    seen: "another, after 401 THIRD_PARTY_AUTH_ERROR", earlier.id, use.id)
            }
            return tally.verdict
        }
    }
}

/// Which access tokens messages bore, and what was said against them.
private struct AccessUses {
    private static let mostTokens = 10_000
    private static let mostRefusals = 100_000

    private var known: Set<Int32> = []
    /// In order of time: the first message with each.
    private var first: [SeenPush] = []
    /// Answers 401, and whether they speak of the key for APNs.
    private var refusals: [(at: Instant, isOfKey: Bool)] = []
    /// Messages with an access token.
    private(set) var count = 0
    /// Answers that spoke of the key, with a message behind them.
    private(set) var followed = 0
    private var unfollowed = 0

    mutating func note(_ push: SeenPush, _ run: RunContext) {
        guard push.authorization >= 0 || push.status == 401 else { return }
        followed += unfollowed
        unfollowed = 0
        if push.status == 401, refusals.count < Self.mostRefusals {
            let isOfKey = run.credential(in: push) == .key
            if isOfKey { unfollowed = 1 }
            refusals.append((push.answeredAt, isOfKey))
        }
        guard push.authorization >= 0 else { return }
        count += 1
        guard known.count < Self.mostTokens, known.insert(push.authorization).inserted else { return }
        first.append(push)
    }

    /// Tokens that came into use sooner than the end of another one asked for.
    func renewals(_ run: RunContext) -> [(earlier: SeenPush, use: SeenPush)] {
        let allowed = max(1, run.circumstances.relayProcesses)
        return first.indices.dropFirst(allowed).compactMap { index in
            let (earlier, use) = (first[index - allowed], first[index])
            guard use.arrivedAt - earlier.arrivedAt < SheetFigures.accessTokenUse,
                !run.circumstances.wasDown(between: earlier.arrivedAt, and: use.arrivedAt)
            else { return nil }
            return (earlier, use)
        }
    }

    /// `ofKey`: whether they speak of the key; nil: whatever they speak of.
    func hasRefusal(between earlier: SeenPush, and use: SeenPush, ofKey: Bool?) -> Bool {
        refusals.contains { refusal in
            earlier.arrivedAt <= refusal.at && refusal.at <= use.arrivedAt && (ofKey.map { $0 == refusal.isOfKey } ?? true)
        }
    }
}
