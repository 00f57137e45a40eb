// What became of the events that a loop sent: counted, measured and put on record.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Planning
import Pushes
import Scenarios

extension LoadLoop: FlightObserver {
    func handedOver(_ flight: Flight, isFirst: Bool) {
        if isFirst, flight.firstSentAt == nil { snapshot.sent += 1 }
        // A reaction has no place in the plan's order.
        guard !EventNumber.isReaction(flight.event.step) else { return }
        if sessions.handedOver(flight.row, step: flight.event.step) { snapshot.inverted += 1 }
    }

    func landed(_ flight: Flight, _ outcome: ClientOutcome) {
        if takesAnotherToken(.alone(flight), outcome) { return }
        if case .response(let response) = outcome, readsAnswers(to: flight.event.call) { answers.read(response.body.bytes) }
        land(flight, outcome)
    }

    /// Each event of the batch has an answer of its own, where the relay gives it.
    func landed(_ batch: Batch, _ outcome: ClientOutcome) {
        if takesAnotherToken(.together(batch), outcome) { return }
        guard case .response(let response) = outcome else {
            for flight in batch.flights { land(flight, outcome) }
            return
        }
        answers.read(response.body.bytes)
        let isExpected = driver.expects(response.status, from: batch.call)
        for (place, flight) in batch.flights.enumerated() {
            let name = batch.spec.name == nil ? nil : driver.resultName(flight)
            let isThere = batch.spec.results.map { answers.choose($0, place: place, name: name, by: batch.spec.by) } ?? true
            land(flight, outcome, lacksResult: !isThere && isExpected)
        }
    }

    /// `lacksResult`: the answer had to tell of this event, and does not.
    private func land(_ flight: Flight, _ outcome: ClientOutcome, lacksResult: Bool = false) {
        var rule: AnswerRule?
        if case .response(let response) = outcome {
            rule = self.rule(for: response, to: flight)
            if let rule, hold(flight, response, rule) { return }
        }
        var draft = EventDraft(flight)
        let endedAt: Instant
        switch outcome {
        case .response(let response):
            answered(flight, response, rule, lacksResult, &draft)
            endedAt = draft.answeredAt
        case .failed(let failure):
            let failure = EventFailure(failure.kind)
            if failure != .dropped, failure != .closed { snapshot.unanswered += 1 }
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

    private func answered(
        _ flight: Flight, _ response: ClientResponse, _ rule: AnswerRule?, _ lacksResult: Bool, _ draft: inout EventDraft
    ) {
        let status = response.status
        snapshot.answered += 1
        snapshot.answersByClass[100...599 ~= status ? status / 100 : 0] += 1
        draft.status = UInt16(clamping: status)
        draft.answeredAt = max(draft.sentAt, response.answeredAt)
        if let failure = lacksResult ? .unlisted : failure(of: response, to: flight, rule) {
            snapshot.count(failure)
            draft.failure = failure.rawValue
            if failure == .pruned { retire(flight) }
            let words = failure == .redirected ? whither(response) : flight.batch == nil ? response.body : answers.chosen
            draft.answer = redacted(words ?? response.body, of: flight)
        } else if memory != nil, !capture(flight, response.head), workload.profile.secretCaptures.isEmpty {
            draft.answer = redacted(response.body, of: flight)
        }
        snapshot.answer.record((draft.answeredAt - draft.plannedAt).nanoseconds)
        snapshot.answerFromSent.record((draft.answeredAt - draft.sentAt).nanoseconds)
    }

    /// A caller that is told of a token's death has done with it.
    private func retire(_ flight: Flight) {
        let targets = workload.profile.calls[flight.event.call].targets
        // Of a call with several tokens nobody knows which.
        guard workload.profile.tokens == .caller, targets.count == 1 else { return }
        retired[flight.event.session, default: []].formUnion(targets)
    }

    private func redacted(_ body: ByteBuffer, of flight: Flight) -> [UInt8] {
        driver.redact(body, of: flight.event.call, flight.carrier, upTo: EventDraft.maxAnswerBytes)
    }

    private func measure(_ flight: Flight) {
        snapshot.lateness.record(flight.lateness.nanoseconds)
        let wait = flight.carrier.waitedAtLimit
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
            plannedAt: flight.plannedAt, sentAt: flight.firstSentAt ?? flight.carrier.sentAt ?? Instant(nanoseconds: 0),
            lateness: flight.lateness, attempts: flight.carrier.attempts + flight.extraAttempts)
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
