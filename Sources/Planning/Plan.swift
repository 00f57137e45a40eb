// What will be sent, when, and by whom: a pure function of the scenario, the seed, the run and the shard. Nothing here
// sends, waits or reads a clock.

package import Basics
package import Scenarios

/// The load of one run, or one shard of it. Cheap to copy and to make; what costs time is computed when asked for.
package struct Plan: Sendable {
    package var scenario: Scenario { workload.scenario }
    package let seed: Seed
    /// Names the run in markers and makes its tokens and secrets its own; the schedule does not depend on it.
    package let run: UInt32
    package let shard: Shard
    /// Sessions of this shard.
    package let sessionCount: Int
    package let workload: Workload
    let totals = PlanTotals()

    /// Of all pushes that a call may owe.
    package let longestDeadline: Interval

    package init(scenario: Scenario, seed: Seed, run: UInt32, shard: Shard = .whole) {
        self.seed = seed
        self.run = run
        self.shard = shard
        workload = Workload(scenario, seed: seed, run: run)
        sessionCount = shard.share(of: workload.arrivals.count, inGroupsOf: workload.sessionsPerUser)
        longestDeadline = workload.profile.calls.flatMap(\.pushes).map(\.deadline).max() ?? .zero
    }

    /// The profile's calls by name, in order: what `EventDraft.kind` and `PlannedEvent.call` index.
    package var kinds: [String] { workload.profile.calls.map(\.name) }

    /// Sessions that begin, over all shards.
    package var arrivalCount: Int { workload.arrivals.count }

    /// Nil where no rate of the scenario is one of events.
    package var eventsPerSession: Double? { workload.eventsPerSession }

    /// Whether any session learns from answers or from phones, and does more than the plan says.
    package var remembers: Bool { workload.hasMemory }

    /// The number over all shards of this shard's `index`-th session.
    package func sessionNumber(_ index: Int) -> UInt32 {
        UInt32(shard.number(at: index, inGroupsOf: workload.sessionsPerUser))
    }

    /// When this shard's `index`-th session begins; never falls as `index` grows.
    package func start(of index: Int) -> Interval { workload.start(of: sessionNumber(index)) }

    package func cursor(_ index: Int) -> SessionCursor {
        SessionCursor(session: sessionNumber(index), start: start(of: index), workload: workload)
    }

    /// The `index`-th session of this shard, `0..<sessionCount`; computed on demand.
    package func session(_ index: Int) -> PlannedSession {
        precondition(index >= 0 && index < sessionCount, "a plan has sessions 0..<sessionCount")
        var cursor = cursor(index)
        var events: [PlannedEvent] = []
        while let event = cursor.next(workload) { events.append(event) }
        return PlannedSession(
            index: cursor.session, start: start(of: index), script: Int(cursor.script),
            identity: workload.identity(of: cursor.session), events: events)
    }

    /// The value of a template variable in that event, as plain text; nil when it is null or unknown.
    package func text(_ variable: TemplateVariable, of event: PlannedEvent, script: Int) -> String? {
        let values = EventValues(workload)
        values.choose(event, script: script)
        guard !values.isNull(variable) else { return nil }
        let buffer = ByteBuffer()
        values.append(variable, .raw, into: buffer)
        return buffer.text
    }
}

extension Plan {
    /// Whether it has that session, by its number over all shards.
    package func plays(_ session: UInt32) -> Bool { position(of: session) != nil }

    /// Numbers of the sessions of one user, in order; empty where it is not this plan's.
    package func sessions(ofUser user: UInt32) -> [UInt32] {
        let size = UInt64(workload.sessionsPerUser)
        return (UInt64(user) * size..<(UInt64(user) + 1) * size).compactMap { UInt32(exactly: $0) }.filter(plays)
    }

    /// What is planned for the session of that number; empty where it is not this plan's.
    package func events(ofSession session: UInt32) -> [PlannedEvent] {
        position(of: session).map { self.session($0).events } ?? []
    }
}
