// When a relay that answers nothing is called no further.

import Basics
import Journal
import LoadGenerator
import Testing

@testable import Harness

@Suite struct `A watch for a relay that answers nothing` {
    /// What is counted at each second from 0 on, until the watch gives the relay up: that second, and its note.
    private func givesUp(
        timeout: Double, until last: Int = 400, isHeldDown: (Int) -> Bool = { _ in false }, _ load: (Int) -> LoadSnapshot
    ) -> (at: Int, note: MuteNote)? {
        var watch = MuteWatch(requestTimeout: .seconds(timeout))
        let origin = Instant(nanoseconds: 5_000_000_000)
        for second in 0...last {
            let at = origin + .seconds(Double(second))
            if let note = watch.see(load(second), at: at, isHeldDown: isHeldDown(second)) { return (second, note) }
        }
        return nil
    }

    private func load(answered: Int = 0, unanswered: Int = 0, underWay: Int = 0, waiting: Int = 0) -> LoadSnapshot {
        var load = LoadSnapshot()
        (load.answered, load.unanswered, load.underWay, load.waiting) = (answered, unanswered, underWay, waiting)
        return load
    }

    /// One session, whose calls wait for each other, or many at once.
    @Test(arguments: [(30, 40), (10, 30), (1, 3), (60, 60), (14, 40)])
    func `gives it up after three time-outs, or forty seconds where one is no longer`(timeout: Int, expected: Int) throws {
        for width in [1, 64] {
            let given = givesUp(timeout: Double(timeout)) { second in
                load(unanswered: second / timeout * width, underWay: width, waiting: 7)
            }
            let (at, note) = try #require(given)
            #expect(at == expected && note.silence == .seconds(Double(expected)) && note.underWay == width)
            #expect(note.unanswered == expected / timeout * width)
        }
    }

    @Test func `does not where one of three calls is answered, nor where a caller was told to wait`() {
        #expect(givesUp(timeout: 10) { load(answered: $0 / 20, unanswered: $0 / 10, underWay: 64, waiting: 100) } == nil)
        let given = givesUp(timeout: 10) { second in
            var load = load(unanswered: second / 10, underWay: 64)
            load.triedAgain = second / 20
            return load
        }
        #expect(given == nil)
    }

    @Test func `counts from the last answer on`() throws {
        let given = givesUp(timeout: 10) { load(answered: min($0, 100), unanswered: $0 / 10, underWay: 3) }
        #expect(try #require(given).at == 130 && given?.note.unanswered == 3)
    }

    @Test func `does not count the time in which we hold it down, nor that in which nobody calls it`() throws {
        let down = givesUp(timeout: 10, isHeldDown: { (5...104).contains($0) }) { load(unanswered: $0 / 10, underWay: 3) }
        #expect(try #require(down).at == 130)
        #expect(givesUp(timeout: 10, isHeldDown: { _ in true }) { load(unanswered: $0 / 10, underWay: 3) } == nil)
        let idle = givesUp(timeout: 10) { load(unanswered: min($0, 5) * 10, underWay: $0 < 100 ? 0 : 3) }
        #expect(try #require(idle).at == 124)
    }

    @Test func `does not for a call or two`() {
        #expect(givesUp(timeout: 10) { load(unanswered: $0 / 10 > 0 ? 1 : 0, underWay: 1) } == nil)
        #expect(givesUp(timeout: 10) { _ in load(underWay: 64, waiting: 9) } == nil, "none was given up")
    }
}
