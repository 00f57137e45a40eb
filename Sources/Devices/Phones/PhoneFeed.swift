// What happened on all phones, in one order, for whoever plays the apps. Bounded: what has fallen out is told by number.

package import Pushes
import Synchronization

/// The events of one mock: 1, 2, 3 and so on. Safe to use from any thread.
package final class PhoneFeed: Sendable {
    /// A part of the feed.
    package struct Page: Sendable, Equatable {
        package var events: [PhoneEvent]
        /// What to ask for events after next.
        package var next: UInt64
        /// Events behind the one asked for that are not kept any more.
        package var missed: UInt64
    }

    private struct State {
        /// A ring; the oldest is at `start` once it is full.
        var ring: [PhoneEvent] = []
        var start = 0
        var last: UInt64 = 0
        var listeners: [@Sendable (PhoneEvent) -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())
    private let latest = Atomic<UInt64>(0)

    /// `limit` events are kept, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of the latest event; 0: there is none. Takes no lock.
    package var last: UInt64 { latest.load(ordering: .acquiring) }

    /// Numbers and keeps them. Listeners hear of each once, in order of number.
    func add(_ events: [PhoneEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            for event in events {
                state.last += 1
                var event = event
                event.number = state.last
                if state.ring.count < limit {
                    state.ring.append(event)
                } else {
                    state.ring[state.start] = event
                    state.start = (state.start + 1) % limit
                }
                for listener in state.listeners { listener(event) }
            }
            latest.store(state.last, ordering: .releasing)
        }
    }

    /// At most `limit` events behind that number, oldest first.
    package func events(after number: UInt64, limit: Int) -> Page {
        state.withLock { state in
            let first = state.last - UInt64(state.ring.count) + 1
            let missed = number < first ? first - 1 - number : 0
            let begin = max(number, first - 1)
            guard begin < state.last, limit > 0 else {
                return Page(events: [], next: max(number, begin), missed: missed)
            }
            let count = min(UInt64(limit), state.last - begin)
            let offset = Int(begin + 1 - first)
            let events = (0..<Int(count)).map { state.ring[(state.start + offset + $0) % state.ring.count] }
            return Page(events: events, next: begin + count, missed: missed)
        }
    }

    /// `body` gets each event from now on, in order of number, on the thread that brought it and with a lock held: it may
    /// post a letter, and asks nothing of the phones or of the feed. There is no way to stop listening.
    package func listen(_ body: @escaping @Sendable (PhoneEvent) -> Void) { state.withLock { $0.listeners.append(body) } }

    /// Forgets the events, not their numbers.
    func removeAll() {
        state.withLock { state in
            state.ring = []
            state.start = 0
        }
    }
}
