import Basics
import EventLoop
import Synchronization
import Testing

@Suite("An event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test("runs timers in order of deadline, and cancelled ones never")
    func timers() throws {
        let thread = try LoopThread(name: "timers") { loop in Recorder(loop) }
        let done = Handover<[String]>()
        thread.post { recorder in
            let loop = recorder.loop
            _ = loop.after(.milliseconds(30)) { done.give(recorder.seen) }
            _ = loop.after(.milliseconds(20)) { recorder.seen.append("second") }
            _ = loop.after(.milliseconds(10)) { recorder.seen.append("first") }
            loop.after(.milliseconds(15)) { recorder.seen.append("never") }.cancel()
        }
        #expect(done.take() == ["first", "second"])
    }

    @Test("never runs a timer before its time")
    func punctual() throws {
        let thread = try LoopThread(name: "timers") { loop in Recorder(loop) }
        let done = Handover<Interval>()
        thread.post { recorder in
            let deadline = recorder.loop.time.now() + .milliseconds(5)
            _ = recorder.loop.at(deadline) { done.give(recorder.loop.time.now() - deadline) }
        }
        #expect(done.take() >= .zero)
    }

    @Test("delivers letters of one sender in order, ends turns after them, and stops when told")
    func letters() throws {
        let thread = try LoopThread(name: "letters") { loop in Recorder(loop) }
        for number in 0..<1_000 { thread.post { $0.seen.append("\(number)") } }
        #expect(thread.ask { $0.seen } == (0..<1_000).map(String.init))
        thread.post { recorder in recorder.loop.atEndOfTurn { recorder.seen.append("end") } }
        _ = thread.ask { $0.seen.count }
        // The letter before this one was in an earlier turn, which has ended.
        #expect(thread.ask { $0.seen.last } == "end")
        thread.stop()
        thread.stop()
    }

    @Test("lets go of letters that came too late, with its thread")
    func lateLetters() throws {
        weak var released: Cargo?
        do {
            let thread = try LoopThread(name: "late") { loop in Recorder(loop) }
            thread.stop()
            let cargo = Cargo()
            released = cargo
            thread.post { _ in withExtendedLifetime(cargo) {} }
        }
        #expect(released == nil)
    }

    @Test("answers everyone it took a letter of before its end, and nobody after")
    func askedAtTheEnd() throws {
        let thread = try LoopThread(name: "asked") { loop in Recorder(loop) }
        let answers = Handover<[Int?]>()
        let asker = try LoopThread(name: "asker") { _ in () }
        asker.post { _ in
            var given: [Int?] = []
            repeat {
                let count = given.count
                given.append(thread.askUnlessStopped { _ in count })
            } while given.last! != nil
            answers.give(given)
        }
        thread.stop()
        #expect(answers.take().last! == nil)
        #expect(thread.askUnlessStopped { _ in 1 } == nil)
    }

    @Test("lets go, in the end, of one who holds the timer that holds him")
    func ownTimer() throws {
        weak var released: Recorder?
        do {
            let loop = try EventLoop()
            let recorder = Recorder(loop)
            recorder.timer = loop.after(.seconds(3_600)) { recorder.seen.append("never") }
            released = recorder
            loop.letGo()
        }
        #expect(released == nil)
    }

    @Test("tells the maker's error to the one who starts it")
    func failingMaker() {
        #expect(throws: Failure(.run, "no")) {
            _ = try LoopThread<Int>(name: "failing") { _ in throw Failure(.run, "no") }
        }
    }
}

private final class Cargo: Sendable {}

private final class Recorder {
    let loop: EventLoop
    var seen: [String] = []
    var timer: LoopTimer?
    init(_ loop: EventLoop) { self.loop = loop }
}
