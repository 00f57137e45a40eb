// How an event leaves: with others of its call where they go in batches, and with an access token where it needs one. To wait
// for either is part of how the relay is called: it counts in the event's latency, and not as our lateness.

import Basics
import EventLoop
import Journal
import Net
import Planning
import Scenarios

extension LoadLoop {
    func depart(_ flight: Flight) {
        if let spec = workload.profile.calls[flight.event.call].batch { return gather(flight, spec) }
        if loop.isStepped { loop.clock?.calls.begin() }
        board(.alone(flight))
    }

    // MARK: Batches

    private func gather(_ flight: Flight, _ spec: BatchSpec) {
        let call = flight.event.call
        let batch = gathering[call] ?? Batch(call: call, spec, self)
        batch.flights.append(flight)
        flight.batch = batch
        flight.readyAt = loop.stamp()
        if batch.flights.count == 1 {
            gathering[call] = batch
            batch.timer = loop.onClock(at: loop.clockNow() + spec.window) { [weak self, weak batch] in
                if let batch { self?.close(batch) }
            }
        }
        if batch.flights.count >= spec.most { close(batch) }
    }

    private func close(_ batch: Batch) {
        guard isRunning else { return }
        batch.timer?.cancel()
        batch.timer = nil
        gathering[batch.call] = nil
        if loop.isStepped { for _ in batch.flights { loop.clock?.calls.begin() } }
        endWaiting(batch.flights)
        board(.together(batch))
    }

    /// The load ends: what was gathered never leaves.
    func giveUpGathering() {
        let batches = gathering.values.sorted { $0.call < $1.call }
        gathering = [:]
        for batch in batches {
            batch.timer?.cancel()
            for flight in batch.flights { giveUp(flight, .closed) }
        }
    }

    private func endWaiting(_ flights: [Flight]) {
        let now = loop.stamp()
        for flight in flights { flight.setup += max(.zero, now - flight.readyAt) }
    }

    // MARK: Access tokens

    /// Leaves with the access token that it needs, when that is there.
    private func board(_ departure: Departure) {
        guard let spec = driver.oauth2(of: departure.call), let tokens, !tokens.isFresh(spec) else { return leave(departure) }
        let since = loop.stamp()
        for flight in departure.flights { flight.readyAt = since }
        tokens.fetch(spec) { [weak self] refusal in
            guard let self else { return }
            endWaiting(departure.flights)
            guard let refusal else { return leave(departure) }
            let failure = refusal.failure.map { EventFailure($0.kind) } ?? .withheld
            for flight in departure.flights {
                if loop.isStepped { loop.clock?.calls.end() }
                giveUp(flight, failure, refusal.words)
            }
        }
    }

    /// An access token that the relay does not take is replaced, once for each event. False: the answer stands.
    func takesAnotherToken(_ departure: Departure, _ outcome: ClientOutcome) -> Bool {
        guard case .response(let response) = outcome, response.status == 401, isRunning, let tokens,
            let spec = driver.oauth2(of: departure.call), !driver.isSpoilt(departure.call),
            !driver.expects(401, from: departure.call), departure.flights.allSatisfy({ !$0.hadOtherToken })
        else { return false }
        for flight in departure.flights {
            tokens.refuse(spec, number: flight.token)
            flight.hadOtherToken = true
            flight.remember(response, as: .unexpectedStatus)
        }
        loop.atEndOfTurn { [weak self] in
            self?.board(departure)
        }
        return true
    }

    // MARK: Leaving

    private func leave(_ departure: Departure) {
        let now = loop.recordTime.wall()
        let misfit: String?
        switch departure {
        case .alone(let flight):
            misfit = driver.render(flight.event, script: flight.script, into: flight.request, flight.context, at: now)
        case .together(let batch): misfit = driver.render(batch, at: now)
        }
        if let misfit {
            for flight in departure.flights {
                if loop.isStepped { loop.clock?.calls.end() }
                giveUp(flight, .withheld, misfit)
            }
            return
        }
        let pool = lanes.pool(for: departure.session)
        let token = driver.oauth2(of: departure.call).flatMap { tokens?.token($0)?.number } ?? 0
        switch departure {
        case .alone(let flight):
            flight.token = token
            flight.dispatchedAt = loop.stamp()
            pool.send(flight.request, completion: flight.completion)
        case .together(let batch):
            let at = loop.stamp()
            for flight in batch.flights {
                flight.token = token
                flight.dispatchedAt = at
            }
            pool.send(batch.request) { [weak self] outcome in self?.landed(batch, outcome) }
        }
    }

    /// Nothing more comes of it: what it was told last is on record, or else that it was never sent.
    func giveUp(_ flight: Flight, _ failure: EventFailure, _ words: String = "") {
        let now = loop.stamp()
        if flight.firstSentAt != nil {
            var draft = EventDraft(flight)
            draft.status = UInt16(clamping: flight.lastStatus)
            draft.answeredAt = max(draft.sentAt, flight.lastAnsweredAt)
            draft.failure = flight.lastFailure.rawValue
            draft.answer = Array(words.utf8.prefix(EventDraft.maxAnswerBytes))
            snapshot.answered += 1
            snapshot.count(flight.lastFailure)
            return conclude(flight, draft, at: now)
        }
        snapshot.count(failure)
        write(
            EventDraft(
                session: flight.event.session, step: flight.event.step, kind: UInt16(flight.event.call),
                plannedAt: flight.plannedAt, failure: failure.rawValue,
                answer: Array(words.utf8.prefix(EventDraft.maxAnswerBytes))))
        settled(flight.row, wasSent: true, at: now)
        window.giveBack(flight)
    }
}
