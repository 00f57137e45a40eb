// A thread with a loop and one state that never leaves it. Letters cross the wall; the state does not.

import Basics
import CLinux
import Glibc
import Synchronization

/// Letters for one loop: posted from any thread, delivered on the loop's.
final class Mailbox: Sendable {
    private let letters = Mutex<[@Sendable () -> Void]>([])
    let bell: Int32

    init() { bell = SystemCall.must("eventfd") { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) } }

    deinit { close(bell) }

    func post(_ letter: @escaping @Sendable () -> Void) {
        let wasEmpty = letters.withLock { queue in
            queue.append(letter)
            return queue.count == 1
        }
        guard wasEmpty else { return }
        var one: UInt64 = 1
        _ = write(bell, &one, 8)
    }

    func silence() {
        var count: UInt64 = 0
        _ = read(bell, &count, 8)
    }

    func deliver() {
        let batch = letters.withLock { queue in
            let batch = queue
            queue.removeAll(keepingCapacity: true)
            return batch
        }
        for letter in batch { letter() }
    }
}

/// One thread, one event loop, one `State` made on that thread and confined to it. Letters receive the state.
package final class LoopThread<State>: Sendable {
    /// Holds the confined state. Unchecked because only letters touch it, and letters run on the loop's thread.
    private final class Confined: @unchecked Sendable {
        var state: State?
        var loop: EventLoop?
    }

    private let confined: Confined
    /// Held by nobody else once the loop has ended: letters that came too late, which hold `confined`, go with it.
    private let mailbox: Mailbox
    private let thread: Mutex<pthread_t?>

    /// Starts the thread and waits until `make` has run on it; rethrows what `make` throws. `name` shows in `top -H`.
    package init(name: String, make: @escaping @Sendable (EventLoop) throws -> State) throws {
        let confined = Confined()
        let outcome = Handover<Result<Mailbox, any Error>>()
        let number = try Thread.spawn(name: name) {
            let loop = EventLoop()
            do {
                confined.state = try make(loop)
                confined.loop = loop
                outcome.give(.success(loop.mailbox))
            } catch {
                loop.letGo()
                outcome.give(.failure(error))
                return
            }
            loop.run()
            confined.state = nil
            confined.loop = nil
        }
        do {
            mailbox = try outcome.take().get()
        } catch {
            pthread_join(number, nil)
            throw error
        }
        self.confined = confined
        thread = Mutex(number)
    }

    deinit { stop() }

    /// Hands a letter to the loop. Letters arrive in the order posted; after `stop` they are dropped.
    package func post(_ letter: @escaping @Sendable (State) -> Void) {
        let confined = confined
        mailbox.post { if let state = confined.state { letter(state) } }
    }

    /// Posts and waits for the answer. Never from a loop's own thread: it would wait for itself.
    package func ask<R: Sendable>(_ letter: @escaping @Sendable (State) -> R) -> R {
        let answer = Handover<R>()
        post { state in answer.give(letter(state)) }
        return answer.take()
    }

    /// Ends the loop after the letters posted so far and joins the thread. Further calls do nothing.
    package func stop() {
        guard
            let number = thread.withLock({ held in
                let number = held; held = nil; return number
            })
        else { return }
        let confined = confined
        mailbox.post { confined.loop?.stop() }
        if pthread_equal(number, pthread_self()) != 0 { pthread_detach(number) } else { pthread_join(number, nil) }
    }
}

/// Starts POSIX threads. Apart from the generic class, because C takes no function that depends on a type parameter.
private enum Thread {
    fileprivate final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func spawn(name: String, _ body: @escaping @Sendable () -> Void) throws -> pthread_t {
        var number = pthread_t()
        let box = Unmanaged.passRetained(Start(body))
        let result = pthread_create(&number, nil, runStart, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw Failure(.run, "cannot start a thread: \(SystemCall.describe(result))")
        }
        _ = pushrig_name_thread(number, String(name.prefix(15)))
        return number
    }
}

private func runStart(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Thread.Start>.fromOpaque(argument!).takeRetainedValue().body()
    return nil
}

/// One value handed from one thread to another that waits for it.
package final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore: Semaphore

    package init() { semaphore = Semaphore() }

    /// Once.
    package func give(_ given: Value) {
        value.withLock { $0 = given }
        semaphore.signal()
    }

    /// Waits for the value. Once.
    package func take() -> Value {
        semaphore.wait()
        return value.withLock { $0! }
    }
}

/// A POSIX semaphore. Unchecked because sem_t is made for use from many threads.
private final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
