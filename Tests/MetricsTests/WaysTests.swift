// What goes a row's way next, and what was refused there: looked up, it is what reading all pushes finds.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("The ways that pushes go")
struct WaysTests {
    private func joined(seed: UInt64) -> JoinedAccount {
        var dice = Seed(seed).generator()
        func any(_ count: UInt64) -> UInt64 { dice.next() % count }
        var story = Story()
        let tokens: [TokenHash] = [.activity, .rotated, .other, .device]
        for session in [1, 2] as [UInt32] {
            story.registers(0, tokens[Int(session) - 1], session: session)
            story.registers(1, tokens[Int(session)], session: session)
        }
        story.registers(2, .device, role: .device)
        for step in 0..<60 as Range<UInt32> {
            let (at, session) = (Int64(step) * 500, UInt32(1 + any(2)))
            story.call(step + 3, at: at, session: session)
            story.expect(step + 3, at: at, session: session, token: tokens[Int(any(4))])
            let isRefused = any(3) == 0
            story.push(step + 3, at: at + Int64(any(3_000)), session: session, token: tokens[Int(any(4))], status: isRefused ? 503 : 200) {
                if isRefused, any(2) == 0 { $0.faultRule = 4 }
                if any(5) == 0 { $0.flags = [] }
            }
        }
        return story.joined
    }

    @Test("are found as a reader of all would find them", arguments: Array(1...10) as [UInt64])
    func found(seed: UInt64) {
        let joined = joined(seed: seed)
        let pushes = joined.account.pushes
        for row in joined.account.rows {
            for seconds in 0..<33 {
                let instant = instant(Int64(seconds) * 1_000)
                let next = pushes.first { $0.arrivedAt > instant && joined.isOnItsWay($0, row) }
                #expect(joined.ways.next(row, behind: instant)?.id == next?.id)
                let first = pushes.first { $0.arrivedAt > instant && $0.token == row.token && $0.isAccepted }
                #expect(joined.ways.first(to: row.token, behind: instant, where: \.isAccepted)?.id == first?.id)
            }
        }
    }

    @Test("hold what was refused by a fault of ours, to the row's tokens or of its session", arguments: Array(1...10) as [UInt64])
    func held(seed: UInt64) {
        let joined = joined(seed: seed)
        for row in joined.account.rows {
            let found = joined.ways.held(at: [row.token], of: row.session, from: instant(5_000), to: instant(15_000))
            let expected = joined.account.pushes.indices.filter { index in
                let push = joined.account.pushes[index]
                guard push.metFault, push.arrivedAt <= instant(15_000), let until = joined.ways.wait(behind: push) else { return false }
                return until > instant(5_000) && (push.token == row.token || push.isMarked && push.session == row.session)
            }
            #expect(found.map(\.push) == expected)
        }
    }

    @Test("are kept of nothing where no fault of ours met a push")
    func none() {
        let joined = Story.usual.joined
        #expect(joined.ways.next(joined.account.rows[0], behind: instant(0)) == nil)
    }
}
