// What an answer means, and the caller's patience: an event that is told to wait is tried again, keeps its place in the
// order of its session and in the window, and counts its latency from the planned instant all the while.

import Basics
import EventLoop
import HTTP
import Journal
import Net
import Planning
import Scenarios

extension LoadLoop {
    /// Something in an answer to that call matters.
    func readsAnswers(to call: Int) -> Bool {
        memory != nil && !workload.owing[call].captures.isEmpty
            || workload.profile.calls[call].answers.contains { $0.pointer != nil || $0.wait != nil }
    }

    /// The first row of the call's table that fits the answer, which is read.
    func rule(for response: ClientResponse, to flight: Flight) -> AnswerRule? {
        let rules = workload.profile.calls[flight.event.call].answers
        guard !rules.isEmpty else { return nil }
        return rules.first { rule in
            guard rule.statuses.contains(response.status) else { return false }
            guard let pointer = rule.pointer else { return true }
            guard case .success(let value) = answers.value(at: pointer) else { return false }
            return rule.values.isEmpty || rule.values.contains(String(decoding: value.bytes, as: UTF8.self))
        }
    }

    /// Why the answer does not take the event; nil where it does.
    func failure(of response: ClientResponse, to flight: Flight, _ rule: AnswerRule?) -> EventFailure? {
        switch rule?.meaning {
        case .throttled: return .throttled
        case .retry, .permanent: return .answeredNo
        case .pruned: return .pruned
        case .ok, nil: break
        }
        if driver.expects(response.status, from: flight.event.call) { return nil }
        return [301, 302, 303, 307, 308].contains(response.status) ? .redirected : .unexpectedStatus
    }

    /// Says where a redirect leads.
    func whither(_ response: ClientResponse) -> ByteBuffer {
        let words = ByteBuffer()
        words.append("a redirect, which is not followed: \(response.head.text("location") ?? "it names no location")")
        return words
    }

    /// Waits with the event as the answer says, and then tries it again. False: it is over.
    func hold(_ flight: Flight, _ response: ClientResponse, _ rule: AnswerRule) -> Bool {
        let patience = workload.profile.retries
        guard rule.meaning.isTriedAgain else { return false }
        let isThrottled = rule.meaning == .throttled
        if isThrottled { snapshot.throttled += 1 }
        guard isRunning, !isEnding, flight.tries < patience.most else { return false }
        let usual = Interval(nanoseconds: patience.wait.nanoseconds.saturating(times: Int64(1) << Int64(flight.tries)))
        let said = wait(said: response, rule)
        guard said ?? .zero <= patience.longest else { return false }
        let wait = said ?? min(usual, patience.longest)
        flight.remember(response, as: .throttled)
        flight.tries += 1
        if !isThrottled { flight.extraAttempts = flight.extraAttempts &+ flight.carrier.attempts }
        snapshot.triedAgain += 1
        journal.append(
            RetryNote(
                session: flight.event.session, step: flight.event.step, status: response.status, isThrottled: isThrottled,
                wait: wait, isSaid: rule.wait == nil ? nil : said != nil),
            at: loop.stamp())
        requestTurnEnd()
        retrying[ObjectIdentifier(flight)] = flight
        if loop.isStepped { loop.clock?.calls.end() }
        _ = loop.onClock(at: loop.clockNow() + wait) { [weak self] in self?.tryAgain(flight) }
        return true
    }

    /// The words of the call are made anew, for a signature may hold the time.
    private func tryAgain(_ flight: Flight) {
        guard isRunning, retrying.removeValue(forKey: ObjectIdentifier(flight)) != nil else { return }
        flight.hadOtherToken = false
        depart(flight)
    }

    /// The load ends: what still waits is on record as what it was told last.
    func giveUpWaiting() {
        let waiting = retrying.values.sorted { ($0.event.session, $0.event.step) < ($1.event.session, $1.event.step) }
        retrying = [:]
        for flight in waiting { giveUp(flight, .throttled) }
    }

    /// Seconds in the body, or `retry-after`: seconds, or a date (RFC 9110 §10.2.3).
    private func wait(said response: ClientResponse, _ rule: AnswerRule) -> Interval? {
        if let pointer = rule.wait, case .success(let value) = answers.value(at: pointer),
            let seconds = Double(String(decoding: value.bytes, as: UTF8.self)), 0...1e9 ~= seconds
        {
            return Interval(nanoseconds: Int64(seconds * 1_000_000_000))
        }
        guard let text = response.head.text("retry-after") else { return nil }
        if let seconds = Int64(text), 0...1_000_000_000 ~= seconds { return .milliseconds(seconds * 1_000) }
        return WallTime(httpDate: text).map { max(.zero, $0 - loop.recordTime.wall()) }
    }
}
