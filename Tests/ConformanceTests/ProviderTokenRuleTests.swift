// Provider tokens: dear, and meant to be kept.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about provider tokens")
struct ProviderTokenRuleTests {
    /// From the third push on with a token that was issued so many seconds after the first.
    private func renewed(_ seconds: Int64, team: String = "TEAM123456", key: String = "KEY1234567") -> History {
        History.honest.with { history in
            let fresh = history.text(bearer(team: team, key: key, issuedAt: epoch + seconds))
            for index in history.pushes.indices.dropFirst(2) { history.pushes[index].authorization = fresh }
        }
    }

    /// J11.
    @Test("two provider tokens issued within 20 minutes of each other break provider-token-reused", arguments: [
        (1_199, 1), (1_200, 0), (5, 1), (-5, 1),
    ] as [(Int64, Int)])
    func tooSoon(seconds: Int64, expected: Int) {
        #expect(renewed(seconds).findings("provider-token-reused") == expected)
    }

    @Test("another team or key has a token of its own")
    func otherSigner() {
        #expect(renewed(5, team: "OTHER").findings("provider-token-reused") == 0)
        #expect(renewed(5, key: "OTHER").findings("provider-token-reused") == 0)
    }

    @Test("each host has a client that signs for itself")
    func otherHost() {
        let apart = renewed(5).with { history in
            for index in history.pushes.indices.dropFirst(2) { history.pushes[index].environment = .sandbox }
        }
        #expect(apart.findings("provider-token-reused") == 0)
        let third = apart.with { $0.pushes[6].authorization = $0.text(bearer(issuedAt: epoch + 9)) }
        #expect(third.findings("provider-token-reused") == 1)
        // One that goes to both hosts counts at either.
        let shared = History.honest.with { history in
            for index in history.pushes.indices.dropFirst(2) { history.pushes[index].environment = .sandbox }
            history.pushes[6].authorization = history.text(bearer(issuedAt: epoch + 5))
        }
        #expect(shared.findings("provider-token-reused") == 1)
    }

    @Test("a rejection excuses the team whose token it was, where the relay heard of it")
    func otherRejection() {
        let rejected = { (team: String) in
            renewed(5).with { history in
                let other = history.text(bearer(team: team))
                history.push(3, at: 13.5, status: 403, reason: "InvalidProviderToken") { $0.authorization = other }
            }
        }
        #expect(rejected("TEAM123456").findings("provider-token-reused") == 0)
        #expect(rejected("OTHER").findings("provider-token-reused") == 1)
        let unheard = rejected("TEAM123456").with { $0.undelivered = [$0.pushes[$0.pushes.count - 1].id] }
        #expect(unheard.findings("provider-token-reused") == 1)
    }

    @Test("as many processes as push side by side may sign one each")
    func processes() {
        let history = renewed(5)
        history.run.circumstances.relayProcesses = 2
        #expect(history.findings("provider-token-reused") == 0)
        let third = history.with { $0.pushes[6].authorization = $0.text(bearer(issuedAt: epoch + 9)) }
        #expect(third.findings("provider-token-reused") == 1)
    }

    @Test("10,000 provider tokens are remembered, and no more")
    func most() {
        func findings(_ count: Int32) -> Int? {
            History.honest.with { history in
                let push = history.pushes[0]
                history.pushes = []
                for number in 0..<count {
                    var next = push
                    next.authorization = number
                    history.pushes.append(next)
                    let issuedAt = epoch + 1_200 * Int64(number == 10_000 ? number - 1 : number)
                    history.run.signers[number] = ProviderTokenClaims(authorization: bearer(issuedAt: issuedAt))
                }
            }.findings("provider-token-reused")
        }
        #expect(findings(10_000) == 0)
        #expect(findings(10_001) == 0)
    }

    @Test("a token that was rejected, or a relay that we restarted, is a reason to sign anew")
    func reasons() {
        let rejected = renewed(5).with { history in
            history.push(3, at: 13.5, status: 403, reason: "InvalidProviderToken")
        }
        #expect(rejected.findings("provider-token-reused") == 0)
        #expect(renewed(5).with { $0.push(3, at: 30, status: 403, reason: "InvalidProviderToken") }.findings("provider-token-reused") == 1)
        let restarted = renewed(5)
        restarted.run.circumstances.outages = [.init(from: at(14), until: at(14.5))]
        #expect(restarted.findings("provider-token-reused") == 0)
        restarted.run.circumstances.outages = [.init(from: at(1), until: at(1.5))]
        #expect(restarted.findings("provider-token-reused") == 1)
        // The process that was told to end sends its first push a moment later.
        restarted.run.circumstances.outages = [.init(from: at(2.01), until: at(13.1))]
        #expect(restarted.findings("provider-token-reused") == 0)
    }

    @Test("one push alone says nothing about reuse, nor do pushes without a token")
    func tooLittle() {
        #expect(History.honest.with { $0.pushes.removeLast(6) }.findings("provider-token-reused") == nil)
        let certificates = History.honest.with { history in
            for index in history.pushes.indices { history.pushes[index].authorization = -1 }
        }
        #expect(certificates.findings("provider-token-reused") == nil)
    }

    @Test("a new token on the connection that was told ExpiredProviderToken breaks expired-connection-left")
    func wedged() {
        // Answered at 2.01 s; the next push comes by itself, the others after all that may be under way.
        let later = { (seconds: Double, connection: UInt64) in
            History.renewed(after: 0.5).with { history in
                history.pushes.removeLast(history.pushes.count - 2)
                let fresh = history.pushes[1].authorization
                history.push(2, at: seconds) { ($0.connection, $0.authorization) = (connection, fresh) }
            }
        }
        let told = History.renewed(after: 0.5).pushes[0].connection
        #expect(later(9, told).findings("expired-connection-left") == 1)
        #expect(later(9, told + 1).findings("expired-connection-left") == 0)
        #expect(later(3.9, told).findings("expired-connection-left") == 0)
        #expect(later(4.1, told).findings("expired-connection-left") == 1)
        let slow = later(4.1, told).with { $0.run.circumstances.inFlightGrace = .seconds(3) }
        #expect(slow.findings("expired-connection-left") == 0)
        // Who goes on with the same token breaks another rule; who never heard of it none.
        let same = later(9, told).with { $0.pushes[2].authorization = $0.pushes[0].authorization }
        #expect(same.findings("expired-connection-left") == 0)
        let never = same.with { $0.pushes[1].authorization = $0.pushes[0].authorization }
        #expect(never.findings("expired-connection-left") == nil, "there is no new token to send anywhere")
        #expect(later(9, told).with { $0.undelivered = [$0.pushes[0].id] }.findings("expired-connection-left") == nil)
        let other = later(9, told).with { $0.refuse(0, status: 403, reason: "InvalidProviderToken") }
        #expect(other.findings("expired-connection-left") == nil)
    }

    @Test("a refused token that is used on breaks provider-token-renewed")
    func notRenewed() {
        let same = { (seconds: Double) in
            History.honest.with { history in
                history.refuse(0, status: 403, reason: "ExpiredProviderToken")
                history.pushes.removeLast(6)
                history.push(2, at: seconds)
            }
        }
        #expect(same(3.02).findings("provider-token-renewed") == nil, "nobody knows what it would have done")
        #expect(same(4.03).findings("provider-token-renewed") == 1)
        #expect(same(4.01).findings("provider-token-renewed") == nil)
        let renewed = same(4.01).with { $0.pushes[$0.pushes.count - 1].authorization = $0.text(bearer(issuedAt: epoch + 60)) }
        #expect(renewed.findings("provider-token-renewed") == 0)
        let crossed = same(4.01).with { history in
            let fresh = history.text(bearer(issuedAt: epoch + 60))
            let answeredAt = history.pushes[0].answeredAt
            history.push(2, at: 1) { ($0.authorization, $0.arrivedAt) = (fresh, answeredAt) }
        }
        #expect(crossed.findings("provider-token-renewed") == nil, "it left before that answer was there")
        // Within two seconds twenty may have been on their way.
        let many = same(3.1).with { history in for _ in 0..<20 { history.push(2, at: 3.5) } }
        #expect(many.findings("provider-token-renewed") == 1)
        #expect(many.with { $0.pushes.removeLast() }.findings("provider-token-renewed") == nil)
        // What comes within the second that is granted to pushes on their way is none of those twenty.
        let inFlight = same(2.5).with { history in for _ in 0..<30 { history.push(2, at: 2.9) } }
        #expect(inFlight.findings("provider-token-renewed") == nil)
        // The relay never heard of it, but of the next one.
        let unheard = same(9).with { $0.undelivered = [$0.pushes[0].id] }
        #expect(unheard.findings("provider-token-renewed") == nil)
        let heard = unheard.with { history in
            history.push(2, at: 9, status: 403, reason: "ExpiredProviderToken")
            history.push(2, at: 19)
        }
        #expect(heard.findings("provider-token-renewed") == 1)
        let other = same(9).with { $0.pushes[0].reason = $0.text("InvalidProviderToken") }
        #expect(other.findings("provider-token-renewed") == nil)
    }

    @Test("one that is an hour old and is used on breaks expired-token-replaced, a MUST")
    func expired() {
        func used(_ age: Int64, byFault: Bool = false) -> Int? {
            History.renewed(after: 0.5).with { history in
                history.expire(by: age)
                if byFault { history.pushes[0].faultRule = 1 }
                let old = history.pushes[0].authorization
                history.push(3, at: 9) { $0.authorization = old }
            }.findings("expired-token-replaced")
        }
        #expect(RuleBook.rule(named: "expired-token-replaced")?.level == .must)
        #expect(used(3_700) == 1)
        #expect(used(3_500) == nil, "younger: by P1 there may be no other yet")
        #expect(used(3_700, byFault: true) == nil, "a fault of ours may say so of any")
    }

    /// The last push comes more than an hour behind the first, with a token that is so many seconds old.
    static func anHour(_ age: Int64 = 1_800, after: Int64 = 3_601, _ turn: (inout SeenPush) -> Void = { _ in }) -> History {
        History.honest.with { history in
            let last = history.pushes.count - 1
            let wall = history.pushes[0].arrivedWall.seconds + after
            history.pushes[last].arrivedWall = WallTime(seconds: wall)
            history.pushes[last].stamp = wall
            history.pushes[last].authorization = history.text(bearer(issuedAt: wall - age))
            turn(&history.pushes[last])
        }
    }

    @Test("a push whose token is older than an hour and a minute breaks provider-token-fresh, a MUST", arguments: [
        (3_600, 0), (3_660, 0), (3_661, 1), (80_000, 1),
    ] as [(Int64, Int)])
    func fresh(age: Int64, expected: Int) {
        #expect(Self.anHour(age).findings("provider-token-fresh") == expected)
        #expect(RuleBook.rule(named: "provider-token-fresh")?.level == .must)
    }

    /// Two seconds of ours are hours there.
    @Test("on a fast clock it may be a few minutes more, however fast that is", arguments: [(1.0, 60), (60, 120), (555, 240), (3_600, 240)])
    func freshOnFastClock(pace: Double, grace: Int64) {
        for (age, expected) in [(3_600 + grace, 0), (3_601 + grace, 1)] {
            let history = Self.anHour(age)
            history.run.circumstances.pace = pace
            #expect(history.findings("provider-token-fresh") == expected, "\(age)")
        }
    }

    @Test("not with a fault of ours, nor within an hour of the key's first push, and once for a token")
    func notFresh() {
        #expect(Self.anHour(3_700) { $0.faultRule = 1 }.findings("provider-token-fresh") == 0)
        #expect(Self.anHour(3_700, after: 3_600).findings("provider-token-fresh") == nil)
        let twice = Self.anHour(3_700).with { history in
            let last = history.pushes[history.pushes.count - 1]
            history.pushes.append(last)
        }
        #expect(twice.findings("provider-token-fresh") == 1)
        #expect(Self.anHour(3_700) { $0.authorization = -1 }.findings("provider-token-fresh") == nil)
    }

    @Test("two teams on one connection break one-team-per-connection")
    func twoTeams() {
        #expect(renewed(5, team: "OTHER").findings("one-team-per-connection") == 5)
        let apart = renewed(5, team: "OTHER").with { history in
            for index in history.pushes.indices.dropFirst(2) { history.pushes[index].connection = 2 }
        }
        #expect(apart.findings("one-team-per-connection") == 0)
        #expect(renewed(5, key: "OTHER").findings("one-team-per-connection") == 0)
    }
}
