// A thread with a loop and one state that never leaves it. Letters cross the wall; the state does not.

package import Basics
import CLinux
import Glibc
import OperatingSystem
import Synchronization

/// Letters for one loop: posted from any thread, delivered on the loop's.
final class Mailbox: Sendable {
    private struct Letters {
        var waiting: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let letters = Mutex(Letters())
    private let descriptor: Descriptor
    var bell: Int32 { descriptor.number }

    init() throws(Failure) {
        descriptor = try SystemCall.make("eventfd") { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }
    }

    /// False, and the letter dropped, after `close`.
    @discardableResult
    func post(_ letter: @escaping @Sendable () -> Void) -> Bool { add(letter, isLast: false) }

    /// Posts the last letter: whatever was taken before is delivered first, and nothing is taken after it.
    func close(_ letter: @escaping @Sendable () -> Void) { _ = add(letter, isLast: true) }

    private func add(_ letter: @escaping @Sendable () -> Void, isLast: Bool) -> Bool {
        let (isTaken, isFirst) = letters.withLock { letters in
            guard !letters.isClosed else { return (false, false) }
            letters.isClosed = isLast
            letters.waiting.append(letter)
            return (true, letters.waiting.count == 1)
        }
        if isFirst {
            var one: UInt64 = 1
            _ = write(bell, &one, 8)
        }
        return isTaken
    }

    var hasLetters: Bool { letters.withLock { !$0.waiting.isEmpty } }

    func silence() {
        var count: UInt64 = 0
        _ = read(bell, &count, 8)
    }

    func deliver() {
        let batch = letters.withLock { letters in
            let batch = letters.waiting
            letters.waiting.removeAll(keepingCapacity: true)
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
    let rest: LoopRest
    private let thread: Mutex<pthread_t?>

    /// Starts the thread and waits until `make` has run on it; rethrows what `make` throws. `name` shows in `top -H`. Work on
    /// it goes by `clock`, in which it takes part with `rank` (nil: it does not); nil: the host's.
    package init(
        name: String, clock: RunClock? = nil, rank: ClockFollower.Rank? = .mock,
        make: @escaping @Sendable (EventLoop) throws -> State
    ) throws {
        let confined = Confined()
        let outcome = Handover<Result<(Mailbox, LoopRest), any Error>>()
        let number = try Thread.spawn(name: name) {
            let loop: EventLoop
            do { loop = try EventLoop(clock: clock, rank: rank) } catch {
                outcome.give(.failure(error))
                return
            }
            do {
                confined.state = try make(loop)
                confined.loop = loop
                outcome.give(.success((loop.mailbox, loop.rest)))
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
            (mailbox, rest) = try outcome.take().get()
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

    /// Posts and waits for the answer. Not after `stop`, and never from a loop's own thread: it would wait for itself.
    package func ask<R: Sendable>(_ letter: @escaping @Sendable (State) -> R) -> R {
        guard let answer = askUnlessStopped(letter) else { preconditionFailure("a loop is asked after its end") }
        return answer
    }

    /// The same, for whoever cannot know: nil after `stop`.
    package func askUnlessStopped<R: Sendable>(_ letter: @escaping @Sendable (State) -> R) -> R? {
        let answer = Handover<R>()
        let confined = confined
        guard mailbox.post({ if let state = confined.state { answer.give(letter(state)) } }) else { return nil }
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
        mailbox.close { confined.loop?.stop() }
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

    /// The value, or nil when it does not come in that time.
    package func take(atMost limit: Interval) -> Value? {
        semaphore.wait(atMost: limit)
        return value.withLock { $0 }
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

    func wait(atMost limit: Interval) {
        var until = timespec()
        clock_gettime(CLOCK_REALTIME, &until)
        let nanoseconds = Int64(until.tv_nsec) + max(.zero, limit).nanoseconds
        until.tv_sec += Int(nanoseconds / 1_000_000_000)
        until.tv_nsec = Int(nanoseconds % 1_000_000_000)
        while sem_timedwait(semaphore, &until) != 0, errno == EINTR {}
    }
}
