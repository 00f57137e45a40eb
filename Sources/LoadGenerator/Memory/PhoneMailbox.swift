// Where the load generator hears of what happens on phones. It knows no mock: whoever runs both posts here.

package import Pushes
import Synchronization

/// Any thread may post. What comes before anybody listens is kept, so far as there is room.
package final class PhoneMailbox: Sendable {
    private struct State {
        var receive: (@Sendable (PhoneEvent) -> Void)?
        var early: [PhoneEvent] = []
        var isOver = false
        var lost = 0
    }

    /// Events that wait for a listener, at most.
    package static let mostEarly = 10_000

    private let state = Mutex(State())

    package init() {}

    /// Events that found no room.
    package var lost: Int { state.withLock { $0.lost } }

    /// Hands an event over. Under the lock, so that two threads' events keep their order: `receive` only puts letters into
    /// mailboxes.
    package func post(_ event: PhoneEvent) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let receive = state.receive { return receive(event) }
            guard state.early.count < Self.mostEarly else {
                state.lost += 1
                return
            }
            state.early.append(event)
        }
    }

    /// From now on `receive` gets each event once, in order of number, from any thread. Called once.
    func begin(_ receive: @escaping @Sendable (PhoneEvent) -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            for event in state.early { receive(event) }
            state.early = []
            state.receive = receive
        }
    }

    /// Nothing more is received after it has returned. Idempotent.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.receive = nil
            state.early = []
        }
    }
}
