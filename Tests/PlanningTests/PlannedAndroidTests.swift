// A plan's Android devices: each behind its user's registration, as the workload has them.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

struct PlannedAndroidTests {
    @Test func `each user has one, behind the registration that its sessions share`() {
        var scenario = Knobs.scenario(
            arrivals: [.constant(rate: 6, duration: .seconds(1))], sessionsPerUser: 2, calls: Knobs.calls)
        #expect(Array(Knobs.plan(scenario).androids).isEmpty)
        scenario.workload.androids = AndroidsSpec()
        let plan = Knobs.plan(scenario)
        let androids = Array(plan.androids)
        #expect(androids.map(\.user) == [0, 1, 2])
        #expect(androids.map(\.registration) == [0, 2, 4].map { plan.token(.registrationToken, session: $0) })
        #expect(plan.phoneCount == 0)
    }

    @Test func `where a script rotates, a device is behind the registration that follows as well`() {
        var calls = Knobs.calls
        calls[0].body = Template(segments: [.variable(.session(.newRegistrationToken), .jsonString)])
        var scenario = Knobs.scenario(arrivals: [.constant(rate: 1, duration: .seconds(1))], calls: calls)
        scenario.workload.androids = AndroidsSpec()
        let plan = Knobs.plan(scenario)
        let names = [SessionVariable.registrationToken, .newRegistrationToken].map { plan.token($0, session: 0) }
        #expect(plan.androids.map(\.registration) == names && Set(names).count == 2)
    }
}
