// A plan's virtual phones: what they are called and like, and that the plan registers the tokens they mint.

import Basics
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

struct PlannedPhoneTests {
    private func scenario(
        _ phones: PhonesSpec? = PhonesSpec(), calls: [ProfileCall] = Knobs.calls, sessionsPerUser: Int = 1, pace: Double = 1
    ) -> Scenario {
        var scenario = Knobs.scenario(
            arrivals: [.constant(rate: 6, duration: .seconds(1))], sessionsPerUser: sessionsPerUser, calls: calls)
        scenario.workload.phones = phones
        scenario.workload.pace = pace
        return scenario
    }

    /// The knobs with a second phone that registers.
    private var twoPhones: [ProfileCall] {
        var calls = Knobs.calls
        calls[0].registers += [.deviceToken2, .startToken2]
        return calls
    }

    @Test func `without the key there are no phones, and tokens are as ever`() {
        let (without, with) = (Knobs.plan(scenario(nil)), Knobs.plan(scenario()))
        #expect(without.phoneCount == 0 && Array(without.phones).isEmpty)
        #expect(without.token(.startToken, session: 0).count == 128)
        for variable: SessionVariable in [.activityToken, .rotatedToken, .newStartToken, .secret, .sessionID] {
            #expect(without.token(variable, session: 3) == with.token(variable, session: 3), "\(variable)")
        }
        #expect(without.token(.deviceToken, session: 3) != with.token(.deviceToken, session: 3))
        #expect(without.digest() == with.digest())
    }

    @Test func `device and start tokens are those that the user's phones mint from the seed of the run's mock`() {
        let plan = Knobs.plan(scenario(calls: twoPhones, sessionsPerUser: 2), seed: 5)
        let app = plan.scenario.relay.profile.topic
        #expect(plan.mockSeed == Seed(5).child("mock"))
        for session: UInt32 in 0..<6 {
            for (variable, use, phone) in [
                (SessionVariable.deviceToken, PhoneTokenUse.device, 1), (.startToken, .start, 1), (.deviceToken2, .device, 2),
                (.startToken2, .start, 2),
            ] {
                let minted = PhoneToken(use, phone: "phone-\(session / 2)-\(phone)", app: app).text(Seed(5).child("mock"))
                #expect(plan.token(variable, session: session) == minted, "\(variable)")
            }
        }
        var visited: [SessionVariable] = []
        plan.tokens { variable, _, _ in visited.append(variable) }
        #expect(Set(visited) == [.activityToken], "a phone's tokens are made known by the phone")
    }

    @Test func `a phone lives in one environment where the mock plays both`() {
        func homes(_ mock: MockSpec.Environment, _ phones: PhonesSpec) -> Set<PushEnvironment?> {
            var scenario = scenario(phones)
            scenario.mock.environment = mock
            return Set(Knobs.plan(scenario).phones.map(\.environment))
        }
        #expect(homes(.both, PhonesSpec()) == [.production])
        #expect(homes(.both, PhonesSpec(environment: .sandbox)) == [.sandbox])
        for mock: MockSpec.Environment in [.production, .sandbox] {
            #expect(homes(mock, PhonesSpec(environment: .sandbox)) == [nil])
        }
    }

    @Test func `so do the tokens that no phone has: those of the user's activities`() {
        func homes(_ mock: MockSpec.Environment, _ phones: PhonesSpec?) -> Set<PushEnvironment?> {
            var scenario = scenario(PhonesSpec())
            (scenario.mock.environment, scenario.workload.phones) = (mock, phones)
            var homes: Set<PushEnvironment?> = []
            Knobs.plan(scenario).tokens { variable, _, home in
                if variable == .activityToken { homes.insert(home) }
            }
            return homes
        }
        #expect(homes(.both, PhonesSpec()) == [.production])
        #expect(homes(.both, PhonesSpec(environment: .sandbox)) == [.sandbox])
        #expect(homes(.both, nil) == [nil] && homes(.sandbox, PhonesSpec()) == [nil])
    }

    @Test func `each user of the shard has one phone, or two where a call speaks of a second`() {
        let one = Knobs.plan(scenario(sessionsPerUser: 2))
        #expect(one.phones.map(\.name) == ["phone-0-1", "phone-1-1", "phone-2-1"] && one.phoneCount == 3)
        #expect(one.phones.allSatisfy { $0.app == one.scenario.relay.profile.topic })
        #expect(one.token(.deviceToken2, session: 0).count == 64)
        #expect(one.workload.minted(.deviceToken2, session: 0) == nil, "there is no such phone")
        let second = Knobs.plan(scenario(calls: twoPhones), shard: Shard(index: 1, count: 2))
        #expect(
            second.phones.map(\.name) == [
                "phone-1-1", "phone-1-2", "phone-3-1", "phone-3-2", "phone-5-1", "phone-5-2",
            ])
    }

    @Test func `what a script says of phones stands before the workload's, and all times are divided by pace`() {
        var scenario = scenario(PhonesSpec(wake: .constant(8), never: 0.5), pace: 4)
        scenario.workload.scripts[0].script.phones = PhonesSpec(never: 0, rotate: .uniform(4, 8))
        let spec = Knobs.plan(scenario).phones.first { _ in true }?.spec
        #expect(spec == PhonesSpec(wake: .constant(2), never: 0, rotate: .uniform(1, 2), environment: .production))
        let usual = Knobs.plan(self.scenario(pace: 4)).phones.first { _ in true }?.spec
        #expect(usual == PhonesSpec(wake: .constant(0.25), never: 0, environment: .production))
    }

    @Test func `of several scripts that of the user's first session counts`() {
        var scenario = scenario(sessionsPerUser: 2)
        var other = scenario.workload.scripts[0]
        other.script.phones = PhonesSpec(never: 1)
        scenario.workload.scripts.append(other)
        scenario.workload.arrivals = [.constant(rate: 40, duration: .seconds(1))]
        let plan = Knobs.plan(scenario)
        for (user, phone) in plan.phones.enumerated() {
            #expect(phone.spec.never == (plan.session(2 * user).script == 1 ? 1 : 0))
        }
        #expect(Set(plan.phones.map(\.spec.never)).count == 2)
    }
}
