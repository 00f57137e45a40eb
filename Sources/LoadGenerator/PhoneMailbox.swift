// Where the load generator hears of what happens on phones, and says what users do on them. It knows no mock: whoever runs both
// posts here, and takes it from here.

package import Planning
package import Pushes
import Scenarios
import Synchronization

/// Any thread may post. What comes before the load begins is nobody's: no session of its has begun.
package final class PhoneMailbox: Sendable {
    private let receiver = Mutex<Receiver?>(nil)

    /// A function in a mutex is wrapped once more each time that the mutex is locked, unless something stands around it.
    private struct Receiver { let receive: @Sendable (PhoneEvent) -> Void }

    private let perform: @Sendable (PhoneDeed) -> Void
    /// Phones whose user has ended the app: how often, and whether it runs again.
    private let ended = Mutex<[String: (times: UInt32, runs: Bool)]>([:])

    package init(act: @escaping @Sendable (PhoneDeed) -> Void = { _ in }) { perform = act }

    /// Takes what a user does, from any thread; returns at once.
    func act(_ deed: PhoneDeed) {
        switch deed.deed {
        case .kill: ended.withLock { $0[deed.phone, default: (0, true)] = (($0[deed.phone]?.times ?? 0) + 1, false) }
        case .open, .relaunch: ended.withLock { $0[deed.phone]?.runs = true }
        case .dismiss, .offline, .online: break
        }
        perform(deed)
    }

    /// How often the app was ended before it runs as it does now; nil: it was ended, and runs no code. What was begun in
    /// another life of it does not happen any more.
    func life(on phone: String) -> UInt32? {
        ended.withLock { ended in
            guard let app = ended[phone] else { return 0 }
            return app.runs ? app.times : nil
        }
    }

    /// Hands an event over. Under the lock, so that two threads' events keep their order: `receive` only puts letters into
    /// mailboxes.
    package func post(_ event: PhoneEvent) { receiver.withLock { $0?.receive(event) } }

    /// From now on `receive` gets each event once, in order of number, from any thread. Called once.
    func begin(_ receive: @escaping @Sendable (PhoneEvent) -> Void) { receiver.withLock { $0 = Receiver(receive: receive) } }

    /// Nothing more is received after it has returned. Idempotent.
    func end() { receiver.withLock { $0 = nil } }
}
