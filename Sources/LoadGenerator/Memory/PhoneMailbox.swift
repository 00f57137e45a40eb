// Where the load generator hears of what happens on phones, and says what users do on them. It knows no mock: whoever runs both
// posts here, and takes it from here.

package import Pushes
import Synchronization

/// Any thread may post. What comes before the load begins is nobody's: no session of its has begun.
package final class PhoneMailbox: Sendable {
    private let receiver = Mutex<Receiver?>(nil)

    /// A function in a mutex is wrapped once more each time that the mutex is locked, unless something stands around it.
    private struct Receiver { let receive: @Sendable (PhoneEvent) -> Void }

    /// Takes what a user does, from any thread; returns at once.
    let act: @Sendable (PhoneDeed) -> Void

    package init(act: @escaping @Sendable (PhoneDeed) -> Void = { _ in }) { self.act = act }

    /// Hands an event over. Under the lock, so that two threads' events keep their order: `receive` only puts letters into
    /// mailboxes.
    package func post(_ event: PhoneEvent) { receiver.withLock { $0?.receive(event) } }

    /// From now on `receive` gets each event once, in order of number, from any thread. Called once.
    func begin(_ receive: @escaping @Sendable (PhoneEvent) -> Void) { receiver.withLock { $0 = Receiver(receive: receive) } }

    /// Nothing more is received after it has returned. Idempotent.
    func end() { receiver.withLock { $0 = nil } }
}
