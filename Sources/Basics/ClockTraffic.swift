// What must be counted where a clock stands: it may go on only when nothing is under way.

package import Synchronization

/// How many of something were begun and how many of these are over. Never falls.
package struct ClockTraffic: Hashable, Sendable {
    package var begun: Int64
    package var ended: Int64

    package init(begun: Int64 = 0, ended: Int64 = 0) {
        self.begun = begun
        self.ended = ended
    }

    /// Of a difference of two counts: both sides have as many that are not over.
    package var isEven: Bool { begun == ended }

    package mutating func subtract(_ other: ClockTraffic) {
        begun = begun.saturating(minus: other.begun)
        ended = ended.saturating(minus: other.ended)
    }
}

/// Counts from any thread.
package final class ClockCounter: Sendable {
    private let begun = Atomic<Int64>(0)
    private let ended = Atomic<Int64>(0)

    package init() {}

    package func begin() { begun.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    package func end() { ended.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    package var now: ClockTraffic {
        ClockTraffic(begun: begun.load(ordering: .sequentiallyConsistent), ended: ended.load(ordering: .sequentiallyConsistent))
    }
}

/// Something with timers on a run's clock, as others see it: an event loop. Written by its own thread at the end of each
/// turn, read by any.
package final class ClockFollower: Sendable {
    /// At one instant the followers of a lower rank go first.
    package enum Rank: Int, Comparable, Sendable {
        case timeline, mock, load

        package static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
    }

    package let rank: Rank
    /// Makes it look at the clock. From any thread.
    package let wake: @Sendable () -> Void
    private let hasLetters: @Sendable () -> Bool
    /// Odd while it works.
    package let turn = Atomic<UInt64>(0)
    /// Its next timer on the clock, in nanoseconds; `Int64.max`: none.
    package let next = Atomic<Int64>(.max)

    package init(
        rank: Rank = .mock, hasLetters: @escaping @Sendable () -> Bool = { false }, wake: @escaping @Sendable () -> Void
    ) {
        self.rank = rank
        self.hasLetters = hasLetters
        self.wake = wake
    }

    /// Changes with each turn; nil while it works, or is about to.
    package var restingTurn: UInt64? {
        let turn = turn.load(ordering: .sequentiallyConsistent)
        return turn & 1 == 1 || hasLetters() ? nil : turn
    }

    package func begin() { turn.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Until something happens nothing will but for the next timer.
    package func rest(until next: Instant?) {
        self.next.store(next?.nanoseconds ?? .max, ordering: .sequentiallyConsistent)
        turn.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
}
