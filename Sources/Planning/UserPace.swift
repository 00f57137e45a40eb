// When the users of a closed load begin their sessions: at the load's start, and then each time one of them is free again and
// has thought. Users are alike, so that only when the next one begins counts, and not who it is.

package import Basics
package import Scenarios

package struct UserPace {
    private let users: ClosedUsers
    private let seed: Seed
    /// Sessions of the whole load, at most.
    private let most: Int
    private let end: Interval
    private var waiting = EventQueue()
    private var begun = 0
    private var thoughts: UInt64 = 0

    /// As many as a list of instants may have, which these become.
    private static let mostSessions = 1_000_000

    /// A session that says nothing does not bring the next at once.
    private static let shortest = Interval.milliseconds(1)

    package init(_ users: ClosedUsers, _ workload: Workload) {
        self.users = users
        seed = workload.scheduleSeed.child("think")
        most = min(workload.scenario.workload.maxSessions, Self.mostSessions)
        end = min(users.duration, workload.stopAfter)
        for _ in 0..<min(users.count, most) { waiting.push(0, 0) }
    }

    /// When the next session begins; nil: none does, as far as is known now.
    package var next: Interval? { waiting.top.map { Interval(nanoseconds: $0.time) } }

    /// Takes the session that begins next: they are numbered as they begin.
    package mutating func begin() -> (session: UInt32, at: Interval) {
        let at = Interval(nanoseconds: waiting.top!.time)
        waiting.pop()
        defer { begun += 1 }
        return (UInt32(begun), at)
    }

    /// A session is over; `wasSilent`: it made no call.
    package mutating func isFree(at now: Interval, wasSilent: Bool = false) {
        var generator = seed.child(thoughts).generator()
        thoughts += 1
        let pause = Interval.seconds(min(users.think.sample(&generator), 4e9))
        let at = now + (wasSilent ? max(pause, Self.shortest) : pause)
        guard at < end, begun + waiting.count < most else { return }
        // To the microsecond, as a list has it.
        waiting.push((at.nanoseconds / 1_000 + 1) * 1_000, 0)
    }
}
