// What a server notes as the instant of a request is never earlier than its client had it.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import Synchronization
import Testing

/// The host's clock, but somebody else gets the processor once between a look at it and what comes next.
private final class InterruptedTime: TimeSource {
    private let interruption = Mutex<Interruption?>(nil)
    private struct Interruption { let run: @Sendable () -> Void }

    func interruptOnce(_ action: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = Interruption(run: action) }
    }

    func now() -> Instant {
        let instant = SystemTime().now()
        let action = interruption.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        action?.run()
        return instant
    }

    func wall() -> WallTime { SystemTime().wall() }
}

private final class Noted: Sendable {
    private let value = Mutex<Instant?>(nil)
    var instant: Instant? { value.withLock { $0 } }
    func note(_ instant: Instant) { value.withLock { $0 = instant } }
}

@Suite("The instant at which a request was read", .timeLimit(.minutes(10)))
struct ReadInstantTests {
    @Test("is not before it was sent, whoever had the processor meanwhile")
    func server() throws {
        let time = InterruptedTime()
        let clock = RunClock(base: time, mode: .running(20))
        let service = try EchoService(tls: false, clock: clock)
        let peer = Mutex(try RawPeer(service.address))
        usleep(50_000)
        let sent = Noted()
        time.interruptOnce {
            sent.note(clock.now())
            peer.withLock { $0.send(text: "Host: a\r\n\r\n") }
        }
        peer.withLock { $0.send(text: "GET /echo HTTP/1.1\r\n") }
        service.await { $0.handler.handled == 1 }
        let arrived = try #require(service.thread.ask { $0.handler.arrivals.first })
        #expect(try arrived >= #require(sent.instant))
    }
}
