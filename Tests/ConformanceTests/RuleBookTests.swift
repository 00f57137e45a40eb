// The book as a whole: ids, levels, what every rule says to nothing and to a history that puts it to the test honestly.

import Basics
import Journal
import Metrics
import Pushes
import Testing

@testable import Conformance

/// For each rule an honest history that puts it to the test.
private let honestHistories: [String: @Sendable () -> History] = [
    "relay-serves": { .honest },
    "accepted-is-pushed": { .honest },
    "answers-in-time": { .honest.with { $0.push(2, at: 2.01, status: 0) { $0.faultRule = 1 } } },
    "bad-requests-refused": { .honest.with { $0.call(7, .nonsense, at: 30, status: 400) } },
    "oversized-refused": { .honest.with { $0.call(7, .long, at: 30, status: 413) { $0.wasTaken = true } } },
    "answers-hold-values": {
        .honest.with { $0.run.learn(CaptureNote(session: 1, step: 0, name: "activityID", value: "a1")) }
    },
    "answers-keep-secrets": {
        .honest.with { history in
            history.run.lackingKinds = [3: ["key"]]
            history.run.learn(CaptureNote(session: 1, step: 0, name: "key", failure: "nothing there"), of: 3)
        }
    },
    "aged-activity-ended": { AgeRuleTests.aged() },
    "content-decodes": { .honest },
    "content-fits-contract": { .honest.with { $0.run.hasSchemas = true } },
    "content-unchanged": { .honest.with { ($0.run.passesContent, $0.pushes[0].flags) = (true, [.isMarked, .isCompared]) } },
    "payload-fits": { .honest },
    "omitted-values-kept": { .honest.with { $0.run.carriesValues = true } },
    "values-never-fall": { .honest.with { $0.run.carriesValues = true } },
    "pushes-as-declared": {
        .honest.with { history in
            for index in history.pushes.indices { history.pushes[index].flags.insert(.isDeclared) }
        }
    },
    "requests-well-formed": { .honest }, "topic-fits-type": { .honest },
    "pushes-accepted": { .honest.with { $0.run.isMockAlone = true } },
    "timestamp-seconds-rising": { .honest },
    "dead-token-dropped": { .died(.activity, at: 14) },
    "dead-device-token-dropped": { .died(.device, at: 14) },
    "living-token-kept": { .refused(status: 400, reason: "BadTopic") },
    "other-token-kept": { .died(.activity, at: 14) },
    "token-of-its-kind": { .honest },
    "old-410-ignored": { .oldReport },
    "changed-row-kept": { .changed(.rotated) },
    "dismissal-respected": { .goneOn },
    "refusal-not-repeated": { .refused(status: 400, reason: "BadTopic") },
    "new-token-used": { .rotated },
    "newer-registration-kept": { .overtaken },
    "unregister-respected": { .goneOn },
    "start-token-kept": { .relaunched },
    "unknown-secret-silent": { .honest.with { $0.call(7, .stranger, at: 30) } },
    "other-environment-once": { .otherEnvironment("BadEnvironmentKeyInToken") },
    "bad-token-other-environment": { .otherEnvironment("BadDeviceToken") },
    "one-start": { .started },
    "stale-start-dropped": { .refusedStart(acceptedAt: 1.8) },
    "start-is-complete": { .started },
    "start-asks-for-token": { .started },
    "activity-event-fits": { .honest },
    "nothing-after-end": { .honest },
    "urgent-states-at-10": { .honest },
    "activity-priorities-mixed": { .busy },
    "answers-named": { .honest },
    "restart-in-time": { .replaced },
    "restart-by-own-age": { .replaced },
    "restart-in-window": { .replaced },
    "restarts-spread": { .aligned() },
    "restart-by-current-token": { .relaunchedAndReplaced },
    "old-kept-until-adopted": { .unadopted() },
    "replaced-card-ended": { .replaced },
    "replaced-card-goes": { .replaced },
    "late-card-ended": { .late(0.1) },
    "one-card-at-a-time": { .rivals },
    "start-is-shown": { .started },
    "ended-card-goes": { .rivals },
    "hand-over-catches-up": { .between },
    "seconds-run-with-clock": { .honest.with { $0.run.countsSeconds = true } },
    "late-registration-ignored": { .replacedAndLate },
    "restart-tried-again": { .unadopted() },
    "restart-backs-off": { .unadopted() },
    "restart-keeps-state": { .replaced },
    "numbers-run-on": { .replaced },
    "alerts-only-where-due": { .honest },
    "alert-goes-first": { .honest },
    "progress-is-quiet": { .honest.with { $0.run.hasSchemas = true } },
    "throttle-respected": { .honest },
    "urgent-states-not-held": { .honest },
    "throttle-per-session": { .twoSessions },
    "retry-backs-off": { .retried(after: 1) },
    "retry-storm": { .retried(after: 1) },
    "accepted-not-repeated": { .alone([1, 2, 3]) },
    "push-type-given": { .honest },
    "long-ids-apart": { .shortened((1, 1), (2, 2), (1, 1)) },
    "expired-token-replaced": { .renewed(after: 0.5).with { $0.expire() } },
    "retry-keeps-apns-id": { .retried(after: 1) },
    "apns-id-unique": { .retried(after: 1) },
    "provider-token-reused": { .honest },
    "provider-token-fresh": { ProviderTokenRuleTests.anHour() },
    "provider-token-renewed": { .renewed(after: 0.5) },
    "expired-connection-left": { .renewed(after: 0.5) },
    "one-team-per-connection": { .honest },
    "stream-limit-obeyed": { .honest },
    "connections-reused": { .busy },
    "broadcasts-told": { .listenedTo },
    "broadcasts-own": { .listenedTo },
    "observers-agree": { .listenedTo },
    "broadcasts-readable": { .listenedTo },
    "repeats-alike": { RepeatRuleTests.toldAgain(3) },
    "messages-well-formed": { .messages },
    "messages-are-meant": { .messages },
    "live-update-data-only": { .messages },
    "live-update-high": { .messages },
    "token-rate-kept": { .messages },
    "late-states-in-order": { .messages.with { $0.pushes[1].outcome = .superseded } },
    "repeats-shown-once": { .sentAgain(.replaced) }, "collapse-keys-apart": { .keyed(7, 8) },
    "throttled-says-when": { .toldToWait(true) },
    "live-activity-messages-fit": { .forApple },
    "messages-ramp-up": { .rising() },
    "access-token-kept": { .answered(401, "THIRD_PARTY_AUTH_ERROR") },
    "dead-registration-dropped": { .answered(404, "UNREGISTERED").with { $0.pushes.removeLast(2) } },
    "living-registration-kept": { .answered(400, "INVALID_ARGUMENT") },
    "other-not-found-kept": { .answered(404, "NOT_FOUND") },
    "disabled-token-dropped": { .answered(400, "APNS_TOKEN_DISABLED").with { $0.pushes.removeLast(2) } },
    "refused-message-not-repeated": { .answered(403, "SENDER_ID_MISMATCH") },
    "message-answer-awaited": { .slowMessage(8) },
    "message-connections-reused": { .manyMessages(over: 1) },
    "quota-obeyed": { .answered(429, "QUOTA_EXCEEDED").with { $0.message(2, at: 63) } },
    "failure-awaited": { .answered(503, "UNAVAILABLE").with { $0.message(2, at: 63) } },
    "access-token-reused": { .messages },
    "access-token-renewed": {
        .answered(401, "ACCESS_TOKEN_EXPIRED").with { history in
            for index in 1...2 { history.pushes[index].authorization = history.text("Bearer ya29.two") }
        }
    },
    "dead-token-forgotten": { .looked },
    "living-token-held": { .looked },
    "webhooks-told": { .calledBack }, "webhooks-signed": { .calledBack },
    "webhooks-in-order": { .calledBack }, "webhooks-once": { .calledBack },
    "webhooks-for-cause": { .calledBack },
    "webhooks-retried": { .calledBack },
    "last-state-delivered": { .honest },
    "states-delivered": { .honest },
    "states-in-time": { .honest },
    "no-duplicate-push": { .honest },
    "state-order": { .honest },
    "nothing-unexpected": { .honest },
    "sessions-kept-apart": { .honest },
    "each-phone-served": { .twoPhones },
    "goaway-obeyed": { .goneAway },
    "malformed-answered": { MalformedRuleTests.refused }, "malformed-reaches-nobody-else": { MalformedRuleTests.refused }, "omission-reaches-nobody-else": { MalformedRuleTests.refused },
    "refused-comes-again": { RestRuleTests.refused(again: 15.6) },
    "accepted-not-told-failed": { CallerTokenRuleTests.answeredLater }, "dead-token-told": { CallerTokenRuleTests.told }, "living-token-not-told-dead": { CallerTokenRuleTests.told },
]

@Suite("The rule book")
struct RuleBookTests {
    @Test("holds each id once, in lower-case words joined by hyphens")
    func ids() {
        let ids = RuleBook.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect(id.allSatisfy { ($0.isLowercase && $0.isASCII) || $0 == "-" || $0.isNumber }, "\(id)")
        }
    }

    /// Ids are for ever: files and lists of known breaks name them. Add to this list, never change it.
    @Test("still has every id it ever had")
    func idsAreForEver() {
        let ids: Set = [
            "last-state-delivered", "throttle-respected", "nothing-after-end", "one-start", "activity-event-fits",
            "timestamp-seconds-rising", "alerts-only-where-due", "alert-goes-first", "payload-fits",
            "requests-well-formed", "dead-token-dropped", "living-token-kept", "sessions-kept-apart",
            "provider-token-reused", "one-team-per-connection", "connections-reused", "retry-backs-off",
            "retry-keeps-apns-id", "activity-priorities-mixed",
        ]
        #expect(ids.isSubset(of: Set(RuleBook.all.map(\.id))))
    }

    @Test("a rule says something to whoever failed it", arguments: RuleBook.all.map(\.id))
    func words(id: String) throws {
        let rule = try #require(RuleBook.rule(named: id))
        #expect(rule.requirement.hasSuffix("."))
        #expect(!rule.norm.isEmpty && !rule.advice.isEmpty && !rule.claims.isEmpty)
    }

    @Test("nothing exercises no rule", arguments: RuleBook.all.map(\.id))
    func nothing(id: String) { #expect(History().verdict(of: id) == .notExercised) }

    @Test("an honest session breaks no rule", arguments: RuleBook.all.map(\.id))
    func honest(id: String) {
        for history in [History.honest, .started, .twoSessions, .busy] {
            #expect(!history.verdict(of: id).isBroken, "\(history.verdict(of: id))")
        }
    }

    @Test("each rule is kept by an honest history that puts it to the test", arguments: RuleBook.all.map(\.id))
    func kept(id: String) throws {
        let make = try #require(honestHistories[id], "no honest history for \(id)")
        let history = make()
        #expect(history.isKept(id), "\(history.verdict(of: id))")
    }

    /// Each of these histories is honest in every other way, too.
    @Test("what is honest for one rule breaks no other", arguments: RuleBook.all.map(\.id))
    func honestThroughout(id: String) throws {
        let history = try #require(honestHistories[id])
        for broken in history().brokenRules() { Issue.record("\(broken.id): \(broken.verdict)") }
    }

    @Test("a rule is found by id and by claim, in any case of letters")
    func lookup() {
        #expect(RuleBook.rule(named: "P9")?.id == "dead-token-dropped")
        #expect(RuleBook.rule(named: "r0.7")?.id == "throttle-respected")
        #expect(RuleBook.rule(named: "One-Start")?.id == "one-start")
        #expect(RuleBook.rule(named: "no-such-rule") == nil)
    }

    @Test("a list of known breaks names a rule by its id or by any claim that the table has it judge")
    func knownBreaks() throws {
        let starts = try #require(RuleBook.rule(named: "one-start"))
        for name in ["one-start", "One-Start", "R0.13", "g18"] { #expect(RuleBook.names([name], starts), "\(name)") }
        for name in ["state-order", "R0.7", "G99", ""] { #expect(!RuleBook.names([name], starts), "\(name)") }
    }

    @Test("what a finding rests on are three different things")
    func basis() {
        let all: [Rule.Basis] = [.timing, .absence, .order]
        for (index, one) in all.enumerated() {
            for other in all[(index + 1)...] { #expect(one.isDisjoint(with: other)) }
        }
    }

    @Test("findings are listed up to ten, and all are counted")
    func limit() {
        let many = History.honest.with { history in
            for number in 0..<40 { history.push(2, at: 30 + Double(number)) { $0.stamp = 1 } }
        }
        guard case .broken(let findings, let count) = many.verdict(of: "timestamp-seconds-rising") else {
            Issue.record("not broken")
            return
        }
        #expect(findings.count == 10)
        #expect(count == 40)
        #expect(findings.allSatisfy { $0.session == 1 && $0.step == 2 })
    }

    /// `RuleCourse` hands every rule the same history, each once.
    @Test("all rules at work on one history say what each says alone")
    func course() {
        let history = History.twoSessions.with { $0.pushes[1].arrivedAt = at(8) }
        var course = RuleCourse()
        let joined = history.joined
        for push in joined.account.pushes { course.see(push, history.run) }
        history.run.pushCount = joined.account.pushes.count
        course.close(joined, history.run)
        let results = course.results(history.run, knownFailing: [], isStrict: false)
        #expect(results.map(\.id) == RuleBook.all.map(\.id))
        for result in results { #expect(result.verdict == history.verdict(of: result.id), "\(result.id)") }
        #expect(results.first { $0.id == "throttle-respected" }?.verdict.isBroken == true)
    }
}

@Suite("A claim that several rules judge, listed as a known break,")
struct KnownClaimTests {
    /// R0.22 by one rule, R0.8 by two and more.
    private func standings(_ history: History, _ known: String) -> [RuleResult.Standing] {
        var course = RuleCourse()
        let joined = history.joined
        for push in joined.account.pushes { course.see(push, history.run) }
        course.close(joined, history.run)
        let rules = Claim.named(known)?.rules ?? []
        return course.results(history.run, knownFailing: [known], isStrict: false).filter { rules.contains($0.id) }
            .map(\.standing)
    }

    @Test("has healed when all of them hold, and not before")
    func healed() {
        let late = History.honest.with { $0.pushes[2].arrivedAt = at(29.5) }
        #expect(Set(standings(.honest, "R0.8")) == [.healed])
        #expect(Set(standings(late, "R0.8")) == [.kept, .knownBroken])
        #expect(!standings(History.honest.with { $0.rows.removeAll(); $0.pushes.removeAll() }, "R0.8").contains(.healed))
    }
}

@Suite("A finding rests on")
struct BasisTests {
    private func result(_ id: String, _ history: History) -> RuleResult {
        var course = RuleCourse()
        course.close(history.joined, history.run)
        return course.results(history.run, knownFailing: [], isStrict: false).first { $0.id == id }!
    }

    @Test("the clock, too, where a newer state came, but too late; one that nothing followed does not")
    func loss() {
        let late = History.honest.with { history in
            history.pushes.removeAll { $0.step == 3 }
            history.rows.removeAll { $0.step == 4 }
            history.pushes.removeAll { $0.step == 4 }
        }
        #expect(late.findings("last-state-delivered") == 1)
        #expect(result("last-state-delivered", late).basis == [.absence, .timing])
        let both = late.with { $0.pushes.removeAll { $0.step == 6 } }
        #expect(both.findings("last-state-delivered") == 2)
        #expect(result("last-state-delivered", both).basis == .absence)
    }

    @Test("no more than its firmest finding, however many there are")
    func firmest() {
        var tally = Tally()
        for _ in 0..<20 { tally.find("soft", expected: "", seen: "", restsOn: .timing) }
        #expect(tally.verdict.basis == .timing && tally.verdict.findings.count == 10)
        tally.find("firm", expected: "", seen: "")
        #expect(tally.verdict.basis == [] && tally.verdict.findings.last?.message == "firm")
        tally.find("soft", expected: "", seen: "", restsOn: .timing)
        #expect(tally.verdict.findings.last?.message == "firm" && tally.verdict.findings.count == 10)
    }
}

@Suite("A verdict comes to")
struct StandingTests {
    private let finding = Finding(message: "m", expected: "e", seen: "s")

    private func standing(
        _ verdict: Verdict, _ level: Rule.Level, isKnownFailing: Bool = false, isStrict: Bool = false
    ) -> RuleResult.Standing {
        RuleResult(
            id: "x", claims: [], level: level, requirement: "", norm: "", verdict: verdict,
            isKnownFailing: isKnownFailing, isStrict: isStrict
        ).standing
    }

    @Test("its level, the list of known breaks and strictness together")
    func standings() {
        let broken = Verdict.broken([finding], count: 1)
        let kept = Verdict.kept(evidenceCount: 1)
        #expect(standing(broken, .must) == .broken)
        #expect(standing(broken, .should) == .warning)
        #expect(standing(broken, .should, isStrict: true) == .broken)
        #expect(standing(broken, .environment, isStrict: true) == .environment)
        #expect(standing(broken, .must, isKnownFailing: true) == .knownBroken)
        #expect(standing(broken, .should, isKnownFailing: true, isStrict: true) == .knownBroken)
        #expect(standing(kept, .must) == .kept)
        #expect(standing(kept, .should, isKnownFailing: true) == .healed)
        #expect(standing(.notExercised, .must, isKnownFailing: true) == .notExercised)
    }

    @Test("a failed run where it is broken or healed, and nowhere else")
    func failing() {
        #expect(RuleResult.Standing.allCases.filter(\.failsTheRun) == [.broken, .healed])
    }

    @Test("one word, and findings only where it is broken")
    func words() {
        let broken = Verdict.broken([finding], count: 3)
        #expect([broken, .kept(evidenceCount: 2), .notExercised].map(\.word) == ["broken", "kept", "not exercised"])
        #expect([broken, .kept(evidenceCount: 2), .notExercised].map(\.isBroken) == [true, false, false])
        #expect(broken.findings == [finding])
        #expect(Verdict.notExercised.findings.isEmpty)
    }

    @Test("known breaks are named by id or claim")
    func names() throws {
        let rule = try #require(RuleBook.rule(named: "throttle-respected"))
        #expect(RuleBook.names(["one-start", "Throttle-Respected"], rule))
        #expect(RuleBook.names(["r0.7"], rule))
        #expect(!RuleBook.names(["R0.8", "throttle"], rule))
    }
}

@Suite("Who signed a provider token")
struct ProviderTokenClaimsTests {
    @Test("is read without verifying it")
    func read() throws {
        let claims = try #require(ProviderTokenClaims(authorization: bearer(team: "T", key: "K", issuedAt: 5)))
        #expect([claims.team, claims.key] == ["T", "K"])
        #expect(claims.issuedAt == 5)
        #expect(ProviderTokenClaims(authorization: bearer().replacing("bearer", with: "Bearer")) != nil)
    }

    @Test(
        "is unknown where the text is none",
        arguments: ["", "bearer", "basic a.b.c", "bearer a.b", "bearer a.b.c", bearer() + ".x", bearer() + " x"])
    func unreadable(text: String) { #expect(ProviderTokenClaims(authorization: text) == nil) }

    @Test("has no time where that is no sensible number")
    func absurdTime() {
        func token(_ iat: String) -> String {
            let header = withBytes(of: #"{"kid":"K"}"#) { Base64URL.encode($0) }
            let claims = withBytes(of: #"{"iss":"T","iat":\#(iat)}"#) { Base64URL.encode($0) }
            return "bearer \(header).\(claims).x"
        }
        #expect(ProviderTokenClaims(authorization: token("1e300")).map { $0.issuedAt == nil } == true)
        #expect(ProviderTokenClaims(authorization: token(#""12""#)).map { $0.issuedAt == nil } == true)
        #expect(ProviderTokenClaims(authorization: token("12"))?.issuedAt == 12)
    }
}
