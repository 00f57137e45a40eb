// A start for a successor that was refused, and comes again behind its session's end.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("A start for a successor that was refused")
struct StaleSuccessorTests {
    /// The session is over at 28,000 s, and its end is answered 5 ms later.
    private func history(again seconds: Double?, refused: UInt16 = 429, _ turn: (inout History) -> Void = { _ in }) -> History {
        History.unadopted(starts: [27_999]).with { history in
            let first = history.pushes.firstIndex { $0.event == .start }!
            history.pushes[first].status = refused
            history.pushes[first].flags.remove(.isMarked)
            if let seconds {
                history.start(2, at: seconds)
                history.pushes[history.pushes.count - 1].flags.remove(.isMarked)
            }
            history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
            turn(&history)
        }
    }

    @Test("and comes again behind the session's end breaks stale-start-dropped, with a marker or without", arguments: [
        (27_999.5, 0), (28_000.2, 0), (28_000.5, 1), (28_000.9, 1), (28_030, 1),
    ] as [(Double, Int)])
    func again(seconds: Double, findings: Int) {
        let unmarked = history(again: seconds)
        #expect((unmarked.findings("stale-start-dropped") ?? 0) == findings)
        let marked = history(again: seconds) { history in
            for index in history.pushes.indices { history.pushes[index].flags.insert(.isMarked) }
        }
        #expect((marked.findings("stale-start-dropped") ?? 0) >= findings)
    }

    @Test("breaks nothing where nothing comes again, where it had been taken, and where the session has begun again")
    func honest() {
        #expect(history(again: nil).findings("stale-start-dropped") == 0)
        #expect((history(again: 28_000.5, refused: 200).findings("stale-start-dropped") ?? 0) == 0)
        let begun = history(again: 28_010) { history in
            history.call(9, .start, at: 28_009)
            history.expect(9, .start, at: 28_009, event: .start, token: .start, lane: .start)
        }
        #expect((begun.findings("stale-start-dropped") ?? 0) == 0)
    }
}
