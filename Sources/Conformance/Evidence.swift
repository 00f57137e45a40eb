// What the rules look at: one compact row per push, the plan's expectations, and plain facts about the run.
// Texts are interned, so a row is some 100 bytes and a run of ten million pushes fits in memory.

package import Basics
package import Metrics

/// Everything a judge may read. Built by `EvidenceCollector` from one pass over the journal.
package struct Evidence: Sendable {
    /// In order of arrival.
    package var pushes: [ObservedPush]
    package var expectations: [ExpectedStep]
    package var correlation: Correlation
    package var facts: RunFacts
    /// When the relay accepted a registration of a token, by the token's number.
    var registrations: [Int32: [Instant]]
    /// Who signed, by the number of the `authorization` text.
    var signers: [Int32: ProviderTokenClaims]
    var texts: Texts
}

/// Plain facts about the run and the relay's profile that no push can tell.
package struct RunFacts: Sendable {
    /// The profile's throttle: at most one live-activity push of these event kinds per session per window.
    package struct Throttle: Hashable, Sendable {
        package var window: Interval
        package var kinds: Set<String>

        package init(window: Interval, kinds: Set<String>) {
            self.window = window
            self.kinds = kinds
        }
    }

    package var throttle: Throttle?
    /// When the harness stopped or killed the relay; a new process may sign and connect anew.
    package var relayRestarts: [Instant]
    /// Connections that a fault of ours closed; the relay is not blamed for opening others.
    package var connectionsClosedByFaults: Int
    /// Pushes to a dead token that arrive within this time after the answer left were in flight: 1 s by default.
    package var inFlightGrace: Interval
    /// How many processes of the relay push side by side, each allowed a provider token of its own. At least 1.
    package var relayProcesses: Int
    /// When the run began on the mocks' wall clock; a 410 that speaks of an earlier time kills no token of this run.
    package var startedAt: WallTime?

    package init(
        throttle: Throttle? = nil, relayRestarts: [Instant] = [], connectionsClosedByFaults: Int = 0,
        inFlightGrace: Interval = .seconds(1), relayProcesses: Int = 1,
        startedAt: WallTime? = nil
    ) {
        self.throttle = throttle
        self.relayRestarts = relayRestarts
        self.connectionsClosedByFaults = connectionsClosedByFaults
        self.inFlightGrace = inFlightGrace
        self.relayProcesses = relayProcesses
        self.startedAt = startedAt
    }
}
