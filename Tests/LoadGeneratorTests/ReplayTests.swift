// A plan that is played again: a part of its sessions, at another speed, with what is left of its faults.

import Basics
import Faults
import Journal
import Metrics
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

@testable import LoadGenerator

struct ReplayTests {
    private func scenario(sessionsPerUser: Int = 1, phones: Bool = false) -> Scenario {
        var scenario = Knobs.scenario(
            arrivals: [.constant(rate: 10, duration: .seconds(2.3))],
            steps: [
                Knobs.step(0, .at(.uniform(0, 1))),
                Knobs.step(3, .after(.exponential(mean: 2)), repeating: Repetition(every: .uniform(1, 3), limit: .count(.uniform(2, 9)))),
            ], sessionsPerUser: sessionsPerUser)
        if phones { scenario.workload.phones = PhonesSpec() }
        return scenario
    }

    private func plan(_ scenario: Scenario, users: [Int]?, shard: (Int, Int) = (0, 1)) -> Plan {
        Knobs.plan(scenario, shard: Shard(index: shard.0, count: shard.1, users: users))
    }

    // MARK: A part of the sessions

    @Test(arguments: [1, 2, 3]) func `a part has the sessions of its users as the whole has them`(size: Int) {
        let scenario = scenario(sessionsPerUser: size)
        let (whole, part) = (Knobs.plan(scenario), plan(scenario, users: [1, 4]))
        let wanted = [1, 4].flatMap { user in (user * size..<(user + 1) * size).map { UInt32($0) } }
        #expect((0..<part.sessionCount).map { part.session($0).index } == wanted)
        for (position, number) in wanted.enumerated() {
            let (own, other) = (part.session(position), whole.session(Int(number)))
            #expect(own.events == other.events && own.identity == other.identity && own.start == other.start)
            #expect(part.position(of: number) == position && part.events(ofSession: number) == part.session(position).events)
            #expect(part.token(.activityToken, session: number) == whole.token(.activityToken, session: number))
        }
        #expect(part.accountCount == 2)
        for (position, user) in [1, 4].enumerated() {
            let account = part.account(position, origin: Instant(nanoseconds: 5))
            #expect(account.number == UInt32(user))
            #expect(account.rows == whole.account(user, origin: Instant(nanoseconds: 5)).rows)
            #expect(part.sessions(ofUser: UInt32(user)).count == size)
        }
        #expect(!part.plays(0) && !part.plays(UInt32(2 * size)) && part.sessions(ofUser: 2).isEmpty)
        #expect(part.digest() != whole.digest() && part.digest() == plan(scenario, users: [1, 4]).digest())
    }

    @Test func `the last user may have fewer sessions, and one beyond it none`() {
        let scenario = scenario(sessionsPerUser: 2)
        let count = Knobs.plan(scenario).sessionCount
        #expect(count == 23)
        #expect(plan(scenario, users: [11]).sessionCount == 1)
        #expect(plan(scenario, users: [11, 12, 4_000]).sessionCount == 1)
        #expect(plan(scenario, users: []).sessionCount == 0)
    }

    @Test func `of a shard only its own users count`() {
        let scenario = scenario()
        let part = plan(scenario, users: [3, 4, 5], shard: (1, 2))
        #expect((0..<part.sessionCount).map { part.session($0).index } == [3, 5])
    }

    @Test func `phones are those of its users`() {
        let scenario = scenario(phones: true)
        #expect(plan(scenario, users: [2, 7]).phones.map(\.name) == ["phone-2-1", "phone-7-1"])
    }

    // MARK: Speed

    private func replayed(_ note: ReplayNote, _ turn: (inout Scenario) -> Void = { _ in }) -> (Plan, Scenario) {
        var scenario = scenario()
        turn(&scenario)
        let played = scenario.replayed(note)
        return (plan(played, users: note.users), played)
    }

    @Test(arguments: [0.5, 2, 3]) func `a speed divides each instant of the plan, and nothing else of it`(speed: Double) {
        let whole = Knobs.plan(scenario())
        let (part, _) = replayed(ReplayNote(users: [2, 20], speed: speed))
        for number: UInt32 in [2, 20] {
            let (then, now) = (whole.events(ofSession: number), part.events(ofSession: number))
            #expect(then.map(\.call) == now.map(\.call) && then.map(\.step) == now.map(\.step) && !now.isEmpty)
            for (a, b) in zip(then, now) { #expect(abs(a.at.seconds / speed - b.at.seconds) < 1e-6) }
        }
    }

    @Test func `what is skipped is missing at the beginning`() {
        let whole = Knobs.plan(scenario())
        let (part, _) = replayed(ReplayNote(users: [20], speed: 2, skipped: .seconds(1)))
        #expect(abs(part.start(of: 0).seconds - (whole.start(of: 20).seconds - 1) / 2) < 1e-6)
    }

    @Test(arguments: [1, 2, 4]) func `faults, restarts and the warm-up are over sooner by the speed`(speed: Double) {
        let (_, played) = replayed(ReplayNote(speed: speed)) { scenario in
            scenario.faults = [ScheduledFault(at: .seconds(8), rule: FaultRule(action: .silence, duration: .seconds(4)))]
            scenario.relay.restarts = [RelayRestart(at: .seconds(6), down: .seconds(2))]
            scenario.phases.warmUp = .seconds(4)
        }
        #expect(played.faults[0].at == .seconds(8 / speed) && played.faults[0].rule.duration == .seconds(4 / speed))
        #expect(played.relay.restarts == [RelayRestart(at: .seconds(6 / speed), down: .seconds(2 / speed))])
        #expect(played.phases.warmUp == .seconds(4 / speed))
    }

    @Test func `faults and restarts keep their place in the plan, and quotas their own time`() throws {
        let rule = FaultRule(
            id: "f", action: .silence, times: 3, duration: .seconds(8), renew: .seconds(1),
            windows: .periodic(every: .seconds(4), duration: .seconds(2)), timeToLive: .seconds(20))
        let (_, played) = replayed(ReplayNote(speed: 4, skipped: .seconds(2))) { scenario in
            scenario.faults = [ScheduledFault(at: .seconds(10), rule: rule), ScheduledFault(at: .seconds(1), rule: rule)]
            scenario.relay.restarts = [RelayRestart(at: .seconds(6), down: .seconds(2))]
            scenario.phases.warmUp = .seconds(4)
        }
        #expect(played.faults.map(\.at) == [.seconds(2), .zero])
        #expect(played.faults[0].rule.duration == .seconds(2) && played.faults[0].rule.timeToLive == .seconds(5))
        #expect(played.faults[0].rule.windows == .periodic(every: .seconds(1), duration: .milliseconds(500)))
        #expect(played.faults[0].rule.renew == .seconds(1) && played.faults[0].rule.times == 3)
        #expect(played.relay.restarts == [RelayRestart(at: .seconds(1), down: .milliseconds(500))])
        #expect(played.phases.warmUp == .milliseconds(500))
    }

    // MARK: What is left of the scenario

    @Test func `of a part, gates and lists of all sessions do not count, and each deadline passes`() throws {
        let note = ReplayNote(users: [1], exercises: ["new-token-used"], knownFailing: ["R0.8"])
        let (_, played) = replayed(note) { scenario in
            scenario.gates = [try! Gate(parsing: "lost == 0")]
            scenario.exercises = ["states-delivered"]
            scenario.knownFailing = ["R0.7"]
            scenario.relay.profile.knownFailing = ["R0.6"]
            scenario.phases.drain = .seconds(1)
        }
        #expect(played.gates.isEmpty && played.exercises == ["new-token-used"] && played.knownFailing == ["R0.8"])
        #expect(played.relay.profile.knownFailing.isEmpty && played.phases.drain == .seconds(15.5))
        let (_, whole) = replayed(ReplayNote()) { $0.exercises = ["states-delivered"] }
        #expect(whole.exercises == ["states-delivered"] && whole.phases.drain == scenario().phases.drain)
    }

    @Test func `a fault is left out, may rest, or is given for what it met`() {
        let rule = FaultRule(
            id: "f", match: FaultMatch(token: "cd"), action: .silence, times: 9, after: 4)
        let note = ReplayNote(
            users: [1],
            faults: [ReplayedFault(isLeftOut: true), ReplayedFault(mayRest: true), ReplayedFault(tokens: ["ab"], after: 0, times: 2)])
        let (_, played) = replayed(note) { $0.faults = (0..<4).map { ScheduledFault(at: .seconds(Double($0)), rule: rule) } }
        #expect(played.faults.map(\.isLeftOut) == [true, false, false, false])
        #expect(played.faults.map(\.mayRest) == [false, true, false, false])
        #expect(played.faults[2].rule.match.tokens == ["ab"] && played.faults[2].rule.match.token == nil)
        #expect(played.faults[2].rule.times == 2 && played.faults[2].rule.after == 0)
        #expect(played.faults[3].rule == rule)
    }

    // MARK: A call, told again

    @Test func `a request is told whole`() throws {
        let plan = Knobs.plan(scenario())
        let renderer = RequestRenderer(CallRenderer(plan))
        let call = try #require(renderer.request(session: 4, step: 1))
        #expect(call.method == "POST" && call.path == "/v1/progress")
        #expect(call.headers.map(\.name) == ["content-type"])
        #expect(call.body.contains(plan.token(.secret, session: 4)) && call.body.contains("hello"))
        #expect(renderer.request(session: 4, step: 900) == nil && renderer.request(session: 900, step: 0) == nil)
    }
}
