// What became of the events that a loop sent: counted, measured and put on record.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Pushes
import Scenarios

extension LoadLoop: FlightObserver {
    func handedOver(_ flight: Flight, isFirst: Bool) {
        if isFirst, flight.tries == 0 { snapshot.sent += 1 }
        // A reaction has no place in the plan's order.
        guard !EventNumber.isReaction(flight.event.step) else { return }
        if sessions.handedOver(flight.row, step: flight.event.step) { snapshot.inverted += 1 }
    }

    func landed(_ flight: Flight, _ outcome: ClientOutcome) {
        var rule: AnswerRule?
        if case .response(let response) = outcome {
            rule = self.rule(for: response, to: flight)
            if let rule, hold(flight, response, rule) { return }
        }
        var draft = EventDraft(flight)
        let endedAt: Instant
        switch outcome {
        case .response(let response):
            answered(flight, response, rule, &draft)
            endedAt = draft.answeredAt
        case .failed(let failure):
            let failure = EventFailure(failure.kind)
            draft.failure = failure.rawValue
            snapshot.count(failure)
            endedAt = loop.stamp()
        }
        if loop.isStepped { loop.clock?.calls.end() }
        conclude(flight, draft, at: endedAt)
    }

    /// The flight is over.
    func conclude(_ flight: Flight, _ draft: EventDraft, at endedAt: Instant) {
        measure(flight)
        write(draft)
        settled(flight.row, wasSent: true, at: endedAt)
        window.giveBack(flight)
        finishIfDone()
    }

    private func answered(_ flight: Flight, _ response: ClientResponse, _ rule: AnswerRule?, _ draft: inout EventDraft) {
        let status = response.status
        snapshot.answered += 1
        snapshot.answersByClass[100...599 ~= status ? status / 100 : 0] += 1
        draft.status = UInt16(clamping: status)
        draft.answeredAt = max(draft.sentAt, response.answeredAt)
        if let failure = failure(of: response, to: flight, rule) {
            snapshot.count(failure)
            draft.failure = failure.rawValue
            let words = failure == .redirected ? whither(response) : response.body
            draft.answer = driver.redact(words, of: flight.event.call, flight.request, upTo: EventDraft.maxAnswerBytes)
        } else if memory != nil {
            capture(from: response, flight)
        }
        snapshot.answer.record((draft.answeredAt - draft.plannedAt).nanoseconds)
        snapshot.answerFromSent.record((draft.answeredAt - draft.sentAt).nanoseconds)
    }

    private func measure(_ flight: Flight) {
        snapshot.lateness.record(flight.lateness.nanoseconds)
        let wait = flight.request.waitedAtLimit
        guard wait > .zero else { return }
        snapshot.waitedForConnection += 1
        snapshot.connectionWait.record(wait.nanoseconds)
    }
}

extension EventDraft {
    /// What is known of a flight that has landed, but for its outcome.
    init(_ flight: Flight) {
        self.init(
            session: flight.event.session, step: flight.event.step, kind: UInt16(flight.event.call),
            plannedAt: flight.plannedAt, sentAt: flight.firstSentAt ?? flight.request.sentAt ?? Instant(nanoseconds: 0),
            lateness: flight.lateness, attempts: flight.request.attempts + flight.extraAttempts)
    }
}

extension EventFailure {
    /// A full queue of the pool is our own limit, like the window: the event counts as dropped.
    init(_ kind: ClientFailure.Kind) {
        self =
            switch kind {
            case .connect: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .refused: .refused
            case .reset: .reset
            case .goAway: .goAway
            case .closed: .closed
            case .overloaded: .dropped
            case .protocolError: .protocolError
            }
    }
}
