// An expectation and an arrival as the correlator keeps them: flat, without text.

struct Planned: Sendable {
    struct Flags: OptionSet, Sendable {
        var rawValue: UInt8
        static let mayBeSuperseded = Flags(rawValue: 1)
        static let isFinal = Flags(rawValue: 2)
    }

    var plannedAt: Int64
    var deadline: Int64
    var session: UInt32
    var step: UInt32
    var token: Int32
    var kind: UInt16
    var channel: UInt8
    var flags: Flags

    /// What an arrival must carry to belong here.
    var key: PlanKey { PlanKey(session: session, step: step, channel: channel) }

    /// The last instant that is in time.
    var dueAt: Int64 {
        let (due, overflow) = plannedAt.addingReportingOverflow(deadline)
        return overflow ? .max : due
    }
}

struct PlanKey: Comparable {
    var place: UInt64
    var channel: UInt8

    init(session: UInt32, step: UInt32, channel: UInt8) {
        place = UInt64(session) << 32 | UInt64(step)
        self.channel = channel
    }

    static func < (a: PlanKey, b: PlanKey) -> Bool {
        a.place != b.place ? a.place < b.place : a.channel < b.channel
    }
}

struct Arrival: Sendable {
    struct Flags: OptionSet, Sendable {
        var rawValue: UInt8
        /// Carries a marker of this run.
        static let isMarked = Flags(rawValue: 1)
        static let isAnswered200 = Flags(rawValue: 2)
        /// Answered 200, and a live activity took it.
        static let isAccepted = Flags(rawValue: 4)
        /// The answer told that the token is dead.
        static let killedToken = Flags(rawValue: 8)
    }

    var at: Int64
    var answeredAt: Int64
    var id: UInt64
    var session: UInt32
    var step: UInt32
    var token: Int32
    var channel: UInt8
    var flags: Flags

    var key: PlanKey { PlanKey(session: session, step: step, channel: channel) }
}
