// The relay of a scenario: which profile speaks to it, and how it is started, watched and stopped.

package import Basics

/// One relay under test. Either `launch` says how to start it, or `url` says where it already runs, or both
/// (`url` is then a template of where the launched one listens).
package struct RelaySpec: Sendable {
    package var profile: Profile
    /// Program and arguments with `{{variables}}` (see `LaunchTemplate.variables`); nil: it runs already.
    package var launch: [String]?
    /// Where the relay is called, as a template; default `http://{{relay.listen}}`.
    package var url: String
    /// Where a launched relay is told to listen; port 0: the harness picks a free one.
    package var listen: String
    /// Added to the environment of a launched relay; values are templates.
    package var environment: [(name: String, value: String)]
    /// Nil: the system's authorities, and no certificate of ours.
    package var tls: RelayTLS?
    package var ready: ReadySpec
    package var stop: StopSpec
    /// Deaths on purpose, in order of time.
    package var restarts: [RelayRestart]
    /// How many processes of the relay push side by side, each with connections and a provider token of its own.
    package var processes = 1
    /// The clock that it can share with the rig, where a scenario has it go by another one than the host's.
    package var clock = SharedClock.none

    package init(
        profile: Profile, launch: [String]? = nil, url: String = "http://{{relay.listen}}",
        listen: String = "127.0.0.1:0", environment: [(name: String, value: String)] = [],
        ready: ReadySpec = ReadySpec(), stop: StopSpec = StopSpec(), restarts: [RelayRestart] = []
    ) {
        self.profile = profile
        self.launch = launch
        self.url = url
        self.listen = listen
        self.environment = environment
        self.ready = ready
        self.stop = stop
        self.restarts = restarts
    }

    /// `launch` or `environment` hand it the mock's clock.
    package var isToldTheClock: Bool { isTold("mock.clock") }

    /// They say where FCM is, or as whom it is to be called.
    package var isToldOfFCM: Bool { LaunchTemplate.ofFCM.contains(where: isTold) }

    /// Of `{{name}}`, which may go on.
    package func isTold(_ name: String) -> Bool {
        ((launch ?? []) + environment.map(\.value)).contains { $0.contains(name) }
    }
}

/// Which clock a relay can go by besides the host's (docs/time.md).
package enum SharedClock: String, CaseIterable, Hashable, Sendable {
    case none
    /// One that runs faster.
    case scaled
    /// That, and one that moves only when nothing is in flight, in which it takes part.
    case stepped
}

/// How an `https` relay is called. Paths are templates, as `launch` has them.
package struct RelayTLS: Hashable, Sendable {
    /// PEM file of the only authorities to trust; nil: the system's.
    package var ca: String?
    /// PEM files of what we show; both or none.
    package var certificate: String?
    package var key: String?
    /// To ask for and to verify; nil: the host of the URL.
    package var serverName: String?
}

/// When a relay counts as up: `path` is answered with one of the statuses within `timeout`.
package struct ReadySpec: Hashable, Sendable {
    package var method: String
    package var path: String
    /// Answers that say that it is up; nil: any.
    package var statuses: Set<Int>?
    package var timeout: Interval

    package init(
        method: String = "GET", path: String = "/health", statuses: Set<Int>? = Set(200..<300),
        timeout: Interval = .seconds(15)
    ) {
        self.method = method
        self.path = path
        self.statuses = statuses
        self.timeout = timeout
    }
}

/// How a launched relay is ended: `signal`, then KILL after `grace`.
package struct StopSpec: Hashable, Sendable {
    package var signal: ProcessSignal
    package var grace: Interval

    package init(signal: ProcessSignal = .term, grace: Interval = .seconds(5)) {
        self.signal = signal
        self.grace = grace
    }
}

package enum ProcessSignal: String, CaseIterable, Hashable, Sendable {
    case term = "TERM"
    case kill = "KILL"
    case int = "INT"
    case hup = "HUP"
}

/// The relay is ended at `at` (from the start of the load) and started again `down` after it is gone.
package struct RelayRestart: Hashable, Sendable {
    package var at: Interval
    package var signal: ProcessSignal
    package var down: Interval

    package init(at: Interval, signal: ProcessSignal = .kill, down: Interval = .zero) {
        self.at = at
        self.signal = signal
        self.down = down
    }
}
