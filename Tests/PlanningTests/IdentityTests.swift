// Who the sessions are.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

struct IdentityTests {
    @Test func `tokens have the sizes seen in the field and are lower-case hex`() {
        let identity = Knobs.plan().session(0).identity
        #expect(identity.deviceToken.count == 64)
        #expect(identity.startToken.count == 128)
        #expect(identity.activityToken.count == 160)
        for token in [identity.deviceToken, identity.startToken, identity.activityToken, identity.secret] {
            #expect(token.allSatisfy { "0123456789abcdef".contains($0) })
        }
        #expect(identity.sessionID.hasPrefix("ses_"))
    }

    @Test func `no two sessions share anything`() {
        let plan = Knobs.plan(Knobs.scenario(arrivals: [.constant(rate: 5_000, duration: .seconds(1))]))
        var seen: Set<String> = []
        for index in 0..<5_000 {
            let identity = plan.session(index).identity
            for text in [
                identity.sessionID, identity.secret, identity.serverID, identity.deviceToken, identity.startToken,
                identity.activityToken,
            ] { #expect(seen.insert(text).inserted) }
        }
    }

    @Test func `each digit that is a registration's own is drawn from all that there are`() {
        let workload = Knobs.plan(Knobs.scenario(arrivals: [.constant(rate: 500, duration: .seconds(1))])).workload
        let texts = (0..<500).map { Array(workload.text(.registrationToken, session: $0).utf8) }
        #expect(texts.allSatisfy { $0.count == 163 && String(decoding: $0[22..<29], as: UTF8.self) == ":APA91b" })
        for place in Array(1..<22) + Array(29..<163) { #expect(Set(texts.map { $0[place] }).count > 48, "digit \(place)") }
    }

    @Test func `no two tokens of a session are equal`() {
        let workload = Knobs.plan().workload
        for variables in [SessionVariable.tokens, [.secret, .serverID, .sessionID]] {
            let texts = variables.map { workload.text($0, session: 3) }
            #expect(Set(texts).count == texts.count)
            let beginnings = Set(texts.map { $0.prefix(16) })
            #expect(beginnings.count == texts.count, "none is the beginning of another")
        }
    }

    @Test func `sessions of one user share the user's secret and tokens only`() {
        let plan = Knobs.plan(Knobs.scenario(sessionsPerUser: 2))
        let (a, b, c) = (plan.session(0).identity, plan.session(1).identity, plan.session(2).identity)
        #expect(a.secret == b.secret && a.deviceToken == b.deviceToken && a.startToken == b.startToken)
        #expect(a.sessionID != b.sessionID && a.activityToken != b.activityToken)
        #expect(b.secret != c.secret && b.deviceToken != c.deviceToken)
    }

    @Test func `numbers are written in any base without leading zeros`() {
        func text(_ value: UInt64, _ radix: UInt64) -> String {
            let buffer = ByteBuffer()
            Text.append(value, radix: radix, into: buffer)
            return buffer.text
        }
        for value: UInt64 in [0, 1, 9, 10, 35, 36, 1_295, 1_296, 4_294_967_295] {
            #expect(text(value, 10) == String(value))
            #expect(text(value, 36) == String(value, radix: 36))
        }
    }
}
