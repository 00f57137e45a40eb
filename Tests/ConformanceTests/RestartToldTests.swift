// What a phone tells of its cards, and what that lets a relay be that replaces activities.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Cards that a phone tells of, while activities are replaced:")
struct RestartToldTests {
    private static func isEnd(of token: String) -> (SeenPush) -> Bool {
        { $0.event == .end && $0.token == TokenHash(token) }
    }

    /// The replaced one, on a phone that tells of both cards.
    private func told(_ history: History = .replaced, _ turn: (inout History) -> Void = { _ in }) -> History {
        history.with { history in
            for (number, begun) in [1.02, 24_601.02].enumerated() {
                history.cards.append(SeenCard(phone: 0, number: UInt32(number + 1), startedAt: at(begun)))
                history.cards[number].tokens = [TokenHash("a\(number + 1)-1")]
            }
            turn(&history)
        }
    }

    @Test("a token that no phone knows, told behind no start, is its card's: the end that goes to it ends that one")
    func unknownToken() {
        func rotated(_ ended: Bool) -> History {
            told { history in
                history.call(5, .registerActivity, at: 180)
                history.registers(5, TokenHash("b1-1"), .activity)
                let end = history.pushes.firstIndex(where: Self.isEnd(of: "a1-1"))!
                if ended { history.pushes[end].token = TokenHash("b1-1") } else { history.pushes.remove(at: end) }
            }
        }
        #expect(rotated(true).findings("one-card-at-a-time") == 0)
        #expect(rotated(false).findings("one-card-at-a-time") == 1)
    }

    @Test("a card that the system had ended before another came is owed no end, one that its user removed is")
    func endedByAge() {
        func unended(_ turn: (inout SeenCard) -> Void) -> Int? {
            told { history in
                history.pushes.removeAll(where: Self.isEnd(of: "a1-1"))
                turn(&history.cards[0])
            }.findings("replaced-card-ended")
        }
        #expect(unended { _ in } == 1 && unended { $0.endedAt = at(24_700) } == 1)
        #expect(unended { $0.endedAt = at(24_600) } == nil)
        #expect(unended { ($0.endedAt, $0.dismissedAt) = (at(24_600), at(24_600)) } == 1)
        // Where no phone tells, by its age.
        for (age, findings) in [(28_700, 1), (28_810, nil)] as [(Double, Int?)] {
            var history = History.withRestarts()
            history.play(History.Day(age: age))
            history.pushes.removeAll(where: Self.isEnd(of: "a1-1"))
            #expect(history.findings("replaced-card-ended") == findings)
        }
        let late = told(.late(nil)) { $0.cards[1].endedAt = at(24_650) }
        #expect(told(.late(nil)).findings("late-card-ended") == 1 && late.findings("late-card-ended") == nil)
    }

    /// The old card's token rotates in the hand-over, so that the relay may take it for the successor's: the end goes to none.
    @Test("where a token of the old card is told behind the start of its successor, nobody can tell the two apart", arguments: [
        (24_601.0, 1), (24_601.5, nil), (24_650, nil),
    ])
    func blurred(told seconds: Double, findings: Int?) {
        let history = told { history in
            history.call(5, .registerActivity, at: seconds)
            history.registers(5, TokenHash("b1-1"), .activity)
            history.cards[0].tokens.append(TokenHash("b1-1"))
            history.pushes.removeAll(where: Self.isEnd(of: "a1-1"))
        }
        for rule in ["replaced-card-ended", "one-card-at-a-time"] { #expect(history.findings(rule) == findings) }
        #expect(history.findings("restart-by-own-age") == 0)
    }
}
