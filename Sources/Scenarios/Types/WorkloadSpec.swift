// How many sessions begin, when, and what each of them does.

package import Basics

/// An open workload: sessions begin by the clock, whatever the relay answers.
package struct WorkloadSpec: Sendable {
    /// One after the other from the start of the load.
    package var arrivals: [ArrivalStage]
    /// Where in the time of a rate its sessions begin.
    package var spacing = ArrivalSpacing.even
    /// At least one.
    package var scripts: [WeightedScript]
    /// Which of them a session plays.
    package var draw = ScriptDraw.byWeight
    /// Divides every time of the scripts: 2 plays them twice as fast. Greater than 0.
    package var pace: Double
    package var users: DevicesSpec
    /// Files of rows, one of each for every session, no two with a column of the same name.
    package var feeders: [FeederSpec] = []
    /// Each user's phones are virtual phones of the run's mock, with the app that the profile names; nil: nobody has one.
    package var phones: PhonesSpec?
    /// Android devices of the run's mock behind the users' registrations; nil: none.
    package var androids: AndroidsSpec?
    /// No session begins beyond this count in all.
    package var maxSessions: Int
    /// Connections to the relay, at most: one more is opened while all are busy. Beyond it an event waits for the relay,
    /// which is the relay's latency.
    package var connections: Int
    /// Event loops of the load, each its own thread with its share of the sessions and of `connections`; 1…16.
    package var loops = 1
    /// IP addresses of this host, from which the connections to the relay come in turn; empty: the kernel chooses.
    package var sources: [String] = []
    /// From leaving the session's queue until the answer.
    package var requestTimeout: Interval
    /// No event is planned later than so long behind the load's start, whatever its session still has to say; nil: all are.
    package var stopAfter: Interval?

    /// A plan that is played again: how many times as fast, which `pace` counts in, and what is left out of its beginning.
    package var speed = 1.0
    package var skipped = Interval.zero

    /// As many as a relay of one process may be expected to hold open, and as an event that leaves each few milliseconds
    /// needs when the relay takes a second for each.
    package static let usualConnections = 256

    package init(
        arrivals: [ArrivalStage], scripts: [WeightedScript], pace: Double = 1, users: DevicesSpec = DevicesSpec(),
        phones: PhonesSpec? = nil, androids: AndroidsSpec? = nil, maxSessions: Int = 1_000_000,
        connections: Int = usualConnections,
        requestTimeout: Interval = .seconds(30)
    ) {
        self.arrivals = arrivals
        self.scripts = scripts
        self.pace = pace
        self.users = users
        self.phones = phones
        self.androids = androids
        self.maxSessions = maxSessions
        self.connections = connections
        self.requestTimeout = requestTimeout
    }

    /// Whether a user has two phones, where users have any: a call of the scripts speaks of a second one.
    package func hasSecondPhones(_ profile: Profile) -> Bool {
        scripts.flatMap { $0.script.calls(profile) }.contains { call in
            (call.registers + call.pushes.map(\.token)).contains { $0.phone == 1 }
        }
    }
}

package struct WeightedScript: Sendable {
    /// Greater than 0; shares are weight over the sum of weights.
    package var weight: Double
    package var script: SessionScript

    package init(weight: Double, script: SessionScript) {
        self.weight = weight
        self.script = script
    }
}

/// Who the sessions belong to.
package struct DevicesSpec: Hashable, Sendable {
    /// How many consecutive sessions share one user, and with it secret, device token and start token; 1 or more.
    package var sessionsPerUser: Int

    package init(sessionsPerUser: Int = 1) { self.sessionsPerUser = sessionsPerUser }
}
