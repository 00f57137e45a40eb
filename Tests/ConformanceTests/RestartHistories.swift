// Honest histories of activities that a relay replaces before they grow too old.

import Basics
import Conformance
import Metrics
import Pushes

extension History {
    /// A day's session: started, shown, replaced at its age, and over an hour later.
    struct Day {
        var session = History.session
        /// Of the start for the successor, in seconds since the first.
        var age = 24_600.0
        var adopted = 1.0
    }

    static func withRestarts() -> History {
        let history = History()
        history.run.carriesValues = true
        history.run.circumstances.restart = RestartTerms(
            after: .seconds(24_600), within: .seconds(60), before: .seconds(25_200), adoptWithin: .seconds(60),
            pause: .seconds(300), longestPause: .seconds(3_600))
        return history
    }

    static var replaced: History {
        var history = withRestarts()
        history.play(Day())
        return history
    }

    mutating func play(_ day: Day) {
        let (session, own) = (day.session, TokenHash("a1-\(day.session)"))
        call(0, .register, at: 0, session: session)
        registers(0, .device, .device, session: session)
        registers(0, .start, .start, session: session)
        call(1, .start, at: 1, session: session)
        expect(1, .start, at: 1, event: .start, token: .start, lane: .start, session: session)
        start(1, at: 1.02, session: session)
        call(2, .registerActivity, at: 2, session: session)
        registers(2, own, .activity, session: session)
        call(4, .progress, at: 4, session: session)
        expect(4, .progress, at: 4, token: own, flags: [.mayBeSuperseded], session: session)
        push(4, at: 4.02, token: own, session: session)
        start(4, at: 1.02 + day.age, session: session)
        adopt(6, at: 1.02 + day.age + day.adopted, shown: 4, from: own, session: session)
    }

    mutating func start(_ step: UInt32, at seconds: Double, token: TokenHash = .start, session: UInt32 = session) {
        push(step, at: seconds, event: .start, token: token, session: session) {
            $0.flags.insert(.asksForToken)
            $0.outcome = .started
            $0.priority = 10
        }
    }

    /// The successor's token, the old card's end, a state, and an hour later the session's end.
    private mutating func adopt(_ step: UInt32, at seconds: Double, shown: UInt32, from old: TokenHash, session: UInt32) {
        let new = TokenHash("a2-\(session)")
        call(step, .registerActivity, at: seconds, session: session)
        registers(step, new, .activity, session: session)
        endReplaced(shown, at: seconds + 0.02, token: old, session: session)
        call(step + 1, .progress, at: seconds + 100, session: session)
        expect(step + 1, .progress, at: seconds + 100, token: new, flags: [.mayBeSuperseded], session: session)
        push(step + 1, at: seconds + 100.02, token: new, session: session)
        complete(step + 4, at: seconds + 3_600, token: new, session: session)
    }

    /// A card that another has replaced goes with its end.
    mutating func endReplaced(_ step: UInt32, at seconds: Double, token: TokenHash, session: UInt32 = session) {
        push(step, at: seconds, event: .end, token: token, session: session) {
            $0.outcome = .ended
            $0.dismissal = $0.stamp
        }
    }

    mutating func complete(_ step: UInt32, at seconds: Double, token: TokenHash, session: UInt32 = session) {
        call(step, .complete, at: seconds, session: session)
        registers(step, token, .activity, session: session, isRegistration: false)
        expect(step, .complete, at: seconds, event: .end, token: token, flags: .isFinal, session: session)
        push(step, at: seconds + 0.02, event: .end, token: token, session: session) {
            $0.outcome = .ended
            $0.dismissal = $0.stamp! + 5
        }
    }

    /// What is said between the start of the successor and its adoption is said to both cards.
    static var between: History {
        var history = withRestarts()
        history.play(Day(adopted: 30))
        history.call(5, .progress, at: 24_610)
        history.expect(5, .progress, at: 24_610, token: TokenHash("a1-1"), flags: [.mayBeSuperseded])
        history.push(5, at: 24_610.02, token: TokenHash("a1-1"))
        history.push(5, at: 24_631.06, token: TokenHash("a2-1"))
        // The end of the old card says the same.
        let end = history.pushes.firstIndex { $0.event == .end && $0.token == TokenHash("a1-1") }!
        history.pushes[end].step = 5
        return history
    }

    /// The phone is so slow that two starts for one successor have left, and both of their cards are adopted: the one that
    /// is registered last stays.
    static var rivals: History {
        var history = withRestarts()
        history.run.circumstances.dismissal = .seconds(5)
        let tokens = (1...3).map { TokenHash("a\($0)-1") }
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.registers(0, .start, .start)
        history.call(1, .start, at: 1)
        history.expect(1, .start, at: 1, event: .start, token: .start, lane: .start)
        history.start(1, at: 1.02)
        history.start(1, at: 24_601)
        history.start(1, at: 24_901)
        for (number, (begun, known)) in [(1.02, 2.0), (24_601, 24_960), (24_901, 25_260)].enumerated() {
            let step = UInt32(number + 2)
            history.call(step, .registerActivity, at: known)
            history.registers(step, tokens[number], .activity)
            history.cards.append(SeenCard(phone: 0, number: UInt32(number + 1), startedAt: at(begun)))
            history.cards[number].tokens = [tokens[number]]
            guard number > 0 else { continue }
            history.endReplaced(1, at: known + 0.02, token: tokens[number - 1])
            history.cards[number - 1].endedAt = at(known + 0.02)
        }
        history.complete(6, at: 28_000, token: tokens[2])
        return history
    }

    /// The session is over before the successor's token comes, and its card is ended so long after that; nil: not at all.
    static func late(_ end: Double?, registered: Bool = true) -> History {
        var history = withRestarts()
        history.play(Day())
        history.pushes.removeAll { $0.arrivedAt > at(24_602) }
        history.rows.removeAll { $0.step > 5 }
        history.calls.removeAll { $0.step > 5 }
        history.tokenCalls.removeAll { $0.place & 0xffff_ffff > EventNumber.place(session: 0, step: 5) }
        history.complete(6, at: 24_610, token: TokenHash("a1-1"))
        history.call(7, .registerActivity, at: 24_700)
        if registered { history.registers(7, TokenHash("a2-1"), .activity) }
        if let end { history.endReplaced(6, at: 24_700 + end, token: TokenHash("a2-1")) }
        history.call(8, .register, at: 30_000)
        return history
    }

    /// The app begins the activity itself; starts for its successor are accepted and shown by nobody.
    static func unadopted(starts: [Double] = [24_602, 24_902, 25_502, 26_702]) -> History {
        var history = withRestarts()
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.registers(0, .start, .start)
        history.call(1, .registerActivity, at: 2)
        history.registers(1, .activity, .activity)
        history.call(2, .progress, at: 4)
        history.expect(2, .progress, at: 4, flags: [.mayBeSuperseded])
        history.push(2, at: 4.02)
        for seconds in starts { history.start(2, at: seconds) }
        history.complete(5, at: 28_000, token: .activity)
        return history
    }

    /// The app is relaunched before the restart, and registers its phone without a start token.
    static var relaunchedAndReplaced: History {
        replaced.with { history in
            history.call(3, .register, at: 3)
            history.registers(3, .device, .device)
        }
    }

    /// The registration of the activity that was replaced comes again.
    static var replacedAndLate: History { replaced.with { $0.call(8, .lateUnregister, at: 26_000) } }

    /// One of many that begin together.
    static func aligned(one number: Int, age: Double) -> History {
        var history = withRestarts()
        history.play(Day(session: UInt32(number + 1), age: age))
        return history
    }

    /// Thirty sessions that begin together.
    static func aligned(apart seconds: Double = 3) -> History {
        var history = withRestarts()
        for number in 0..<30 {
            history.play(Day(session: UInt32(number + 1), age: 24_555 + seconds * Double(number)))
        }
        return history
    }
}
