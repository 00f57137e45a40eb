// A scenario's workload, compiled: flat steps without references for the schedule, and the seeds everything descends
// from. Immutable and shared by all loops.

package import Basics
package import Scenarios

package final class Workload: Sendable {
    package let scenario: Scenario
    package let profile: Profile
    package let scripts: [SessionScript]
    let table: MoveTable
    let feeds: Feeds
    /// The profile's calls, as far as they are asked for every event.
    package let owing: [OwingCall]
    /// Cumulative weights, the last of which is 1.
    private let shares: [Double]
    let pace: Double
    let arrivals: Arrivals
    /// Nil where no rate is one of events.
    let eventsPerSession: Double?
    package let sessionsPerUser: Int
    /// Since the plan's start; no event is later.
    let stopAfter: Interval
    let run: UInt32
    /// Of times and choices: independent of the run, so that a seed names one schedule.
    let scheduleSeed: Seed
    let valueSeed: Seed
    /// Of what depends on phones: when a reaction or an act follows its event, and whether it does.
    let reactionSeed: Seed
    /// By script: its sessions capture, react or act, so that they have a memory.
    private let remembering: [Bool]
    /// Some step tells the relay of a registration that takes the place of the first.
    let rotatesRegistrations: Bool
    /// Of tokens and secrets: they differ from run to run.
    let sessionSeed: Seed
    let userSeed: Seed
    /// Of the run's mock, whose phones mint their tokens from it.
    let mockSeed: Seed
    /// Virtual ones; 0 where the scenario has none.
    let phonesPerUser: Int

    init(_ scenario: Scenario, seed: Seed, run: UInt32) {
        let spec = scenario.workload
        precondition(!spec.scripts.isEmpty, "a workload has at least one script")
        precondition(spec.pace > 0, "pace is greater than 0")
        self.scenario = scenario
        profile = scenario.relay.profile
        owing = profile.calls.map(OwingCall.init)
        scripts = spec.scripts.map(\.script)
        table = MoveTable(scripts)
        feeds = Feeds(spec, names: scenario.relay.profile.feeds, seed: seed.child("feeders"))
        let total = spec.scripts.reduce(0) { $0 + $1.weight }
        var sum = 0.0
        shares = spec.scripts.map { weighted in
            sum += weighted.weight / total
            return sum
        }
        pace = spec.pace
        eventsPerSession = spec.arrivals.contains(where: \.countsEvents) ? SessionMix(scenario).eventsPerSession : nil
        sessionsPerUser = max(1, spec.users.sessionsPerUser)
        stopAfter = spec.stopAfter ?? Interval(nanoseconds: .max)
        self.run = run
        scheduleSeed = seed.child("schedule")
        arrivals = Arrivals(
            spec.arrivals, limit: spec.maxSessions, eventsPerSession: eventsPerSession ?? 1,
            chance: spec.spacing == .poisson ? scheduleSeed.child("arrivals") : nil)
        valueSeed = seed.child("values")
        reactionSeed = seed.child("reactions")
        remembering = scripts.map { script in
            script.followsPhones || script.steps.contains { !scenario.relay.profile.calls[$0.call].captures.isEmpty }
        }
        rotatesRegistrations = scripts.contains { script in
            script.steps.contains { scenario.relay.profile.calls[$0.call].needed.contains(.session(.newRegistrationToken)) }
        }
        let identity = seed.child("identity").child(UInt64(run))
        sessionSeed = identity.child("sessions")
        userSeed = identity.child("users")
        mockSeed = seed.child("mock")
        phonesPerUser = Self.phonesPerUser(spec, scenario.relay.profile)
    }

    /// When the session of that number begins, since the plan's start.
    package func start(of session: UInt32) -> Interval {
        let spec = scenario.workload
        let start = arrivals.start(of: Int(session)) - spec.skipped
        return spec.speed == 1 ? start : start * (1 / spec.speed)
    }

    /// So long after its beginning a session may wait for a phone.
    func longestWait(_ script: UInt16) -> Interval {
        .seconds(min((scripts[Int(script)].reactions.compactMap(\.within).max() ?? 0) / pace, 4e9))
    }

    /// So long after its last planned event it heeds its phones; zero without reactions and acts.
    func listen(_ script: UInt16) -> Interval {
        scripts[Int(script)].followsPhones ? .seconds(min(scripts[Int(script)].listen / pace, 4e9)) : .zero
    }

    func remembers(_ script: UInt16) -> Bool { remembering[Int(script)] }
    /// Whether any session has a memory.
    package var hasMemory: Bool { remembering.contains(true) }

    /// The script of a session of that number, by weight or in turn; draws only when there is a choice.
    func drawScript(for session: UInt32, _ generator: inout Generator) -> UInt16 {
        guard shares.count > 1 else { return 0 }
        if scenario.workload.draw == .inTurn { return UInt16(session % UInt32(shares.count)) }
        let draw = generator.unit()
        return UInt16(shares.firstIndex { draw < $0 } ?? shares.count - 1)
    }

    /// Which of `count` choices variable `variable` of that event takes: by position, not by order of asking.
    func choice(session: UInt32, step: UInt32, variable: Int, of count: Int) -> Int {
        guard count > 1 else { return 0 }
        let seed = valueSeed.child(UInt64(session) << 32 | UInt64(step)).child(UInt64(variable))
        return min(count - 1, Int(seed.unit * Double(count)))
    }
}

extension SessionScript {
    /// Its sessions have something to do with what happens on phones.
    var followsPhones: Bool { !reactions.isEmpty || !acts.isEmpty }
}
