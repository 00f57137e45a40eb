// The answer to a step of the clock: it comes when the clock has come there, and what was due by then has been done.

import Basics
import EventLoop
import Net
import Synchronization

/// A step whose answer waits.
struct ClockArrival {
    /// Exchanges are used again: this is never the same.
    let number: Int
    let exchange: ServerExchange
    let goal: Instant
    let answer: () -> AdminAnswer
}

extension ClockKeeper {
    /// Answers when the clock shows `goal`, when it is not stepped any more, or after `wait` of real time, which is at most
    /// `longestWait`.
    func answer(
        _ exchange: ServerExchange, at goal: Instant, within wait: Interval, _ answer: @escaping () -> AdminAnswer
    ) {
        lastArrival += 1
        let number = lastArrival
        arrivals.append(ClockArrival(number: number, exchange: exchange, goal: goal, answer: answer))
        _ = loop.after(wait) { [weak self] in self?.send { $0.number == number } }
        look()
    }

    func answerArrivals() {
        guard !arrivals.isEmpty else { return }
        let (isStepped, now) = (clock.isStepped, clock.now())
        // Of what is due at this very instant some may still be under way.
        let isDone = restingTurns() != nil && everybodyHasHeard
            && clock.everyFollower.allSatisfy { $0.next.load(ordering: .sequentiallyConsistent) > now.nanoseconds }
        send { !isStepped || now > $0.goal || now == $0.goal && isDone }
    }

    private func send(_ isMeant: (ClockArrival) -> Bool) {
        let due = arrivals.filter(isMeant)
        arrivals.removeAll(where: isMeant)
        for arrival in due where arrival.exchange.isOpen { arrival.answer().send(to: arrival.exchange) }
    }
}
