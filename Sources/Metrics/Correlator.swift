// Joins what was planned with what was sent and what arrived. It only collects; all judging is done in `finish`, so the
// order in which things are told to it does not matter.
//
//     plan ──▶ expect ──┐
//     load's journal ──▶ observe(event) ──┼──▶ finish ──▶ Correlation
//     mock's journal ──▶ observe(push) ───┘

package import Basics
package import Journal

/// Memory: 32 bytes an expectation, 48 bytes a push, 8 bytes a failed event, and for each token and session some tens.
package struct Correlator: Sendable {
    /// A push that comes to a dead token this soon after the answer that said so may have been on its way already.
    package static let usualDeadTokenGrace = Interval.milliseconds(100)
    /// Kinds beyond these are counted as `other`.
    private static let maxKinds = 128
    private static let maxWords = 1000
    private static let maxDeadTexts = 10_000

    let run: UInt32
    let deadTokenGrace: Interval

    var planned: [Planned] = []
    var arrivals: [Arrival] = []
    var tokens = TokenTable()
    var finalTokens = FinalTokens()
    /// Tokens that died, by their number.
    var deadTexts: [Int32: String] = [:]
    var kinds: [String] = []
    private var kindNumbers: [String: UInt16] = [:]
    private var eventKinds: [String] = []

    /// Pushes whose outcome came later than they, and was good.
    private var takenLate: Set<UInt64> = []

    /// Events that the relay did not take, by session and step: not sent at all, or not answered with 2xx.
    var unsent: [UInt64] = []
    var refused: [UInt64] = []

    private var correlation = Correlation()
    private var series: SeriesBuilder
    private var sessions = ActiveSessions()
    /// By the number of the event's kind.
    private var answers: [UInt16: Histogram] = [:]
    private var reasons: [Answer: Int] = [:]

    private struct Answer: Hashable {
        var status: UInt16
        var reason: String?

        var text: String { status == 0 ? "no answer" : String(status) + (reason.map { " " + $0 } ?? "") }
    }

    /// What was planned before it is warm-up: counted and judged, but left out of the latency figures.
    let measuredFrom: Instant

    /// `origin` is second 0 of the series; nil takes the first instant that is mentioned. `measuredFrom` nil: there is
    /// no warm-up.
    package init(
        run: UInt32, origin: Instant? = nil, measuredFrom: Instant? = nil,
        deadTokenGrace: Interval = Self.usualDeadTokenGrace
    ) {
        self.run = run
        self.measuredFrom = measuredFrom ?? Instant(nanoseconds: .min)
        self.deadTokenGrace = deadTokenGrace
        series = SeriesBuilder(origin: origin)
    }

    package mutating func expect(_ expectation: Expectation) {
        var flags: Planned.Flags = []
        if expectation.coalesceKey { flags.insert(.mayBeSuperseded) }
        if expectation.isFinal { flags.insert(.isFinal) }
        planned.append(
            Planned(
                plannedAt: expectation.plannedAt.nanoseconds, deadline: expectation.deadline.nanoseconds,
                session: expectation.session, step: expectation.step,
                token: tokens.number(of: expectation.token), kind: number(ofKind: expectation.kind),
                channel: expectation.channel.number, flags: flags))
        if expectation.isFinal {
            finalTokens.add(
                expectation.token, token: planned[planned.count - 1].token, session: expectation.session,
                step: expectation.step)
        }
        correlation.expected += 1
    }

    package mutating func observe(_ push: PushEntry) {
        let marker = Marker.find(in: push.payload.span, run: run)
        let channel = PushChannel(pushType: push.pushType)
        let token = tokens.number(of: push.token)
        let killed = push.status == 410 || push.reason == "BadDeviceToken"
        var flags: Arrival.Flags = []
        if marker != nil { flags.insert(.isMarked) }
        if killed { flags.insert(.killedToken) }
        if push.status == 200 {
            flags.insert(.isAnswered200)
            if channel != .liveactivity || Self.isAccepted(push.outcome) { flags.insert(.isAccepted) }
        }
        arrivals.append(
            Arrival(
                at: push.arrivedAt.nanoseconds, answeredAt: push.arrivedAt.nanoseconds &+ push.delay.nanoseconds,
                id: push.id, session: marker?.session ?? 0, step: marker?.step ?? 0, token: token,
                channel: channel.number, flags: flags))
        count(push)
        if killed, deadTexts.count < Self.maxDeadTexts { deadTexts[token] = push.token }
    }

    /// What a device did in the end with a push that was stored for it. It counts under a word of its own, such as
    /// `late updated`; a state that was taken counts as received when the push arrived.
    package mutating func observe(late outcome: String, of push: UInt64) {
        if Self.isAccepted(outcome) { takenLate.insert(push) }
        count(outcome: "late " + outcome)
    }

    package mutating func observe(_ event: EventEntry) {
        let wasDropped = event.failure == EventFailure.dropped.rawValue
        let wasSent = event.sentAt.nanoseconds != 0 && !wasDropped
        let wasAnswered = wasSent && event.answeredAt.nanoseconds != 0 && event.status != 0
        let key = UInt64(event.session) << 32 | UInt64(event.step)
        correlation.events += 1
        series.count(event.plannedAt, \.planned)
        guard !wasDropped else {
            correlation.dropped += 1
            unsent.append(key)
            return
        }
        let isMeasured = event.plannedAt >= measuredFrom
        if isMeasured { correlation.lateness.record(max(0, event.lateness.nanoseconds)) }
        guard wasSent else {
            // The relay took no connection: its failure, not ours.
            correlation.failed += 1
            refused.append(key)
            series.count(event.plannedAt, \.errors)
            return
        }
        correlation.sent += 1
        series.count(event.sentAt, \.sent)
        sessions.extend(event.session, from: event.sentAt, to: max(event.sentAt, event.answeredAt))
        if wasAnswered {
            correlation.answered += 1
            series.count(event.answeredAt, \.answered)
            if isMeasured { measureAnswer(event) }
        }
        if event.failure != 0 || !wasAnswered { correlation.failed += 1 }
        if !wasAnswered || !(200...299).contains(event.status) { refused.append(key) }
        if event.failure != 0 || !wasAnswered || event.status >= 400 {
            series.count(max(event.sentAt, event.answeredAt), \.errors)
        }
    }

    private mutating func measureAnswer(_ event: EventEntry) {
        let answer = Self.distance(event.plannedAt, event.answeredAt)
        correlation.answer.record(answer)
        correlation.answerUncorrected.record(Self.distance(event.sentAt, event.answeredAt))
        let kind = Int(event.kind) < Self.maxKinds ? event.kind : UInt16.max
        answers[kind, default: Histogram()].record(answer)
    }

    /// The names that the events' `kind` numbers index, as the journal's `kinds` note has them.
    package mutating func name(kinds: [String]) { eventKinds = kinds }

    /// Judges everything. `end` is when the run stopped listening: what is due later and has not come is undecided.
    package mutating func finish(end: Instant) -> Correlation {
        var correlation = correlation
        for (answer, count) in reasons { correlation.reasons[answer.text, default: 0] += count }
        for (kind, histogram) in answers {
            let isNamed = eventKinds.indices.contains(Int(kind))
            let name = isNamed ? eventKinds[Int(kind)] : kind == .max ? "other" : "#\(kind)"
            correlation.answerByKind[name, default: Histogram()].merge(histogram)
        }
        if !takenLate.isEmpty {
            for index in arrivals.indices where takenLate.contains(arrivals[index].id) {
                arrivals[index].flags.insert(.isAccepted)
            }
        }
        var join = Join(self, end: end)
        join.judge(into: &correlation)
        var sessions = sessions
        var series = series
        if sessions.isEmpty {
            for row in planned {
                let at = Instant(nanoseconds: row.plannedAt)
                sessions.extend(row.session, from: at, to: at)
            }
        }
        correlation.peakSessions = sessions.peak
        correlation.activeSeries = sessions.bySecond(&series)
        correlation.series = series.rows
        return correlation
    }

    /// What the device did with a live activity push that counts as received. No word at all means that no device
    /// was modelled.
    private static func isAccepted(_ outcome: String) -> Bool {
        switch outcome {
        case "", "shown", "replaced", "started", "updated", "ended", "silent": true
        default: false
        }
    }

    private mutating func count(_ push: PushEntry) {
        correlation.pushes += 1
        series.count(push.arrivedAt, \.pushes)
        series.count(push.arrivedAt, push.status == 200 ? \.accepted : \.errors)
        let answer = Answer(status: push.status, reason: push.reason)
        let isFew = reasons.count < Self.maxWords
        reasons[isFew ? answer : Answer(status: push.status), default: 0] += 1
        count(outcome: push.outcome)
    }

    private mutating func count(outcome: String) {
        let isKnown = correlation.outcomes.count < Self.maxWords || correlation.outcomes[outcome] != nil
        correlation.outcomes[isKnown ? outcome : "other", default: 0] += 1
    }

    private mutating func number(ofKind name: String) -> UInt16 {
        if let known = kindNumbers[name] { return known }
        let name = kinds.count < Self.maxKinds ? name : "other"
        if let known = kindNumbers[name] { return known }
        kinds.append(name)
        kindNumbers[name] = UInt16(kinds.count - 1)
        return UInt16(kinds.count - 1)
    }

    static func distance(_ from: Instant, _ to: Instant) -> Int64 {
        let (distance, overflow) = to.nanoseconds.subtractingReportingOverflow(from.nanoseconds)
        return overflow ? 0 : distance
    }
}
