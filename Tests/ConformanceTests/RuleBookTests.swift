// The book as a whole: ids, claims, and what every rule says to nothing and to an honest relay.

import Basics
import Conformance
import Metrics
import Testing

@Suite struct `The rule book` {
    @Test func `holds each id once, in lower-case words joined by hyphens`() {
        let ids = RuleBook.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(id.allSatisfy { ($0.isLowercase && $0.isASCII) || $0 == "-" }, "\(id)") }
    }

    /// Ids are forever: files and lists of known breaks name them. Add to this list, never change it.
    @Test func `still has every id it ever had`() {
        let ids: Set = [
            "last-state-delivered", "throttle-respected", "nothing-after-end", "one-start", "activity-event-fits",
            "timestamp-seconds-rising", "activity-decodable", "alerts-only-where-due", "alert-goes-first",
            "payload-fits", "requests-well-formed", "dead-token-dropped", "living-token-kept", "sessions-kept-apart",
            "provider-token-reused", "one-team-per-connection", "connections-reused", "retry-backs-off",
            "retry-keeps-apns-id", "activity-priorities-mixed",
        ]
        #expect(ids.isSubset(of: Set(RuleBook.all.map(\.id))))
    }

    @Test(arguments: RuleBook.all.map(\.id))
    func `a rule says something to whoever failed it`(id: String) throws {
        let rule = try #require(RuleBook.rule(named: id))
        #expect(rule.requirement.hasSuffix("."))
        #expect(!rule.norm.isEmpty)
        #expect(!rule.claims.isEmpty)
    }

    @Test(arguments: RuleBook.all.map(\.id))
    func `no evidence exercises no rule`(id: String) {
        #expect(History().verdict(of: id) == .notExercised)
    }

    @Test(arguments: RuleBook.all.map(\.id))
    func `an honest session breaks no rule`(id: String) {
        let verdict = History.honest.verdict(of: id)
        #expect(!verdict.isBroken, "\(verdict)")
    }

    @Test func `a rule is found by id and by claim`() {
        #expect(RuleBook.rule(named: "P9")?.id == "dead-token-dropped")
        #expect(RuleBook.rule(named: "r0.8")?.id == "last-state-delivered")
        #expect(RuleBook.rule(named: "no-such-rule") == nil)
    }

    @Test func `a known break does not fail the run, and a healed one does`() throws {
        let spoiled = History.honest.with { $0.pushes[1].seconds = 3 }
        let known = try #require(
            RuleBook.judge(spoiled.evidence, knownFailing: ["R0.7"]).first { $0.id == "throttle-respected" })
        #expect(known.standing == .knownBroken)
        #expect(!known.standing.failsTheRun)
        let healed = try #require(
            RuleBook.judge(History.honest.evidence, knownFailing: ["throttle-respected"])
                .first { $0.id == "throttle-respected" })
        #expect(healed.standing == .healed)
        #expect(healed.standing.failsTheRun)
    }

    @Test func `only the first findings are listed, the rest are counted`() throws {
        let many = History.honest.with { history in
            history.pushes += (0..<40).map { Sent(30 + Double($0), step: 1).with { $0.timestamp = 1_760_000_000_000 } }
        }
        let findings = many.verdict(of: "timestamp-seconds-rising").findings
        #expect(findings.count == 26)
        #expect(findings.last?.message == "15 more of the same")
    }

    @Test func `a finding shows no more than eight characters of a token`() {
        let dead = History.honest.with { history in
            history.pushes[0].status = 410
            history.pushes[0].reason = "Unregistered"
        }
        let findings = dead.verdict(of: "dead-token-dropped").findings
        #expect(!findings.isEmpty)
        for finding in findings { #expect(!"\(finding)".contains("a1a1a1a1a")) }
    }
}
