// GET /v1/phones/events: what happened on phones, and a wait for what is still to come.

import Basics
import Devices
import EventLoop
import Net

/// Confined to the admin loop.
final class PhoneEventFinder {
    static let maxWaiting = 64
    static let lookInterval = Interval.milliseconds(10)

    private struct Question {
        let exchange: ServerExchange
        let after: UInt64
        let limit: Int
        let deadline: Instant
    }

    private let loop: EventLoop
    private let feed: PhoneFeed
    private var questions: [Question] = []
    private var timer: LoopTimer?

    init(loop: EventLoop, feed: PhoneFeed) {
        self.loop = loop
        self.feed = feed
    }

    /// Answers the exchange now or later.
    func find(after: UInt64, wait: Interval, limit: Int, _ exchange: ServerExchange) throws(AdminError) {
        guard after <= feed.last else {
            throw AdminError(
                400, "bad-parameter", "after is \(after), and the latest event is \(feed.last)",
                hint: "a mock that was started anew counts from 1 again: begin with after=0")
        }
        guard questions.count < Self.maxWaiting else {
            throw AdminError(
                503, "too-many-waiting", "\(Self.maxWaiting) questions wait already", hint: "ask again in a moment")
        }
        questions.append(Question(exchange: exchange, after: after, limit: limit, deadline: loop.now + wait))
        look()
    }

    func abandon(_ exchange: ServerExchange) { questions.removeAll { $0.exchange === exchange } }

    /// Answers everyone who waits, with what there is.
    func answerAll() {
        for question in questions { answer(question) }
        questions = []
        timer?.cancel()
        timer = nil
    }

    private func look() {
        timer?.cancel()
        timer = nil
        questions.removeAll { question in
            guard feed.last > question.after || loop.now >= question.deadline else { return false }
            answer(question)
            return true
        }
        if !questions.isEmpty { timer = loop.after(Self.lookInterval) { [self] in look() } }
    }

    private func answer(_ question: Question) {
        let page = feed.events(after: question.after, limit: question.limit)
        let json: JSONValue = [
            "events": .array(page.events.map(\.json)), "next": .integer(Int64(clamping: page.next)),
            "missed": .integer(Int64(clamping: page.missed)),
        ]
        AdminAnswer(json).send(to: question.exchange)
    }
}
