// Counts what happened, in one pass: pushes and calls as they come, expectations when their account is over. Memory goes
// with what is open and with the length of the run in seconds, not with how much happened.
//
//     call, push ──▶ observe ──▶ series, reasons, outcomes, histograms
//     account over ──▶ close ──▶ classes, delivery, staleness, last states, examples

package import Basics
import Pushes

package struct Correlator: Sendable {
    /// Kinds beyond these are counted as `other`.
    private static let maxKinds = 128
    private static let maxWords = 1_000
    private static let maxWrongAnswers = 100
    /// Of each class, unless more are wanted.
    package static let fewExamples = 5
    private static let noKind = "(no call)"

    private let kinds: [String]
    private let maxExamples: Int
    /// What was planned before it is warm-up: counted and judged, but left out of the latency figures.
    private let pace: Double
    private let measuredFrom: Instant
    private var correlation = Correlation()
    private var series: SeriesBuilder
    private var course = LatencyCourseBuilder()
    private var sessions = ActiveSessions()
    private var left = LeftBehind()
    /// By the number of the kind.
    private var answers: [UInt16: Histogram] = [:]
    private var deliveries: [UInt16: Histogram] = [:]
    private var wrongAnswers: [WrongKey: Int] = [:]
    private var reasons: [Answer: Int] = [:]
    /// By the outcome's number; 0: no device was asked.
    private var outcomes = [Int](repeating: 0, count: 256)
    private var classes: [ClassKey: Int] = [:]

    /// What a push was answered.
    private struct Answer: Hashable {
        static let other = Answer(status: 0, reason: "other")

        var status: UInt16
        /// Empty where there was none, or no answer.
        var reason: String

        var words: String {
            if self == .other { return reason }
            return status == 0 ? "no answer" : String(status) + (reason.isEmpty ? "" : " " + reason)
        }
    }

    private struct ClassKey: Hashable {
        /// Nil: of no call.
        var kind: UInt16?
        var outcome: DeliveryClass
    }

    private struct WrongKey: Hashable {
        var status: UInt16
        var body: String
    }

    /// `kinds` are the profile's calls by name; `origin` is second 0 of the series, nil: the first instant mentioned.
    /// `maxExamples` of each class are kept.
    /// Times are those of the run's clock, but for our own lateness, which is told in the host's: the clock runs `pace`
    /// times as fast.
    package init(
        kinds: [String], origin: Instant? = nil, measuredFrom: Instant = Instant(nanoseconds: .min),
        maxExamples: Int = fewExamples, pace: Double = 1
    ) {
        self.pace = pace
        self.kinds = kinds
        self.maxExamples = maxExamples
        self.measuredFrom = measuredFrom
        series = SeriesBuilder(origin: origin)
        correlation.cards = AgedCards(origin: origin)
    }

    /// From now on latencies are kept one by one as well, in `Correlation.intervals`.
    package mutating func keepIntervals() { correlation.intervals = IntervalLatencies() }

    // MARK: As it comes

    package mutating func observe(_ push: SeenPush, reason: String) {
        correlation.pushes += 1
        let second = series.second(of: push.arrivedAt)
        series.rows[second].pushes += 1
        if push.isAccepted { series.rows[second].accepted += 1 } else { series.rows[second].errors += 1 }
        let answer = Answer(status: push.status, reason: push.status == 0 ? "" : reason)
        let isKnown = reasons.count < Self.maxWords || reasons[answer] != nil
        reasons[isKnown ? answer : .other, default: 0] += 1
        outcomes[Int(push.outcome?.rawValue ?? 0)] += 1
        guard push.isAccepted else { return }
        if push.outcome == nil { correlation.unasked += 1 }
        // The run's schemas tell what its phones need not know.
        if push.undecodable >= 0, push.outcome?.isUnseen != true { correlation.undecoded += 1 }
    }

    /// What a device did in the end with a push that was stored for it: under a word of its own, such as `late updated`.
    package mutating func observe(late outcome: String) { count(Correlation.late + outcome, in: \.outcomes) }

    /// The relay said that it was too much just now, or that it did not work; `isTriedAgain`: and the caller tries again.
    package mutating func observe(throttled isThrottled: Bool, isTriedAgain: Bool) {
        if isTriedAgain { correlation.triedAgain += 1 }
        if isThrottled { correlation.throttled += 1 }
    }

    /// `answer`: the first bytes of a body that was not expected, or in words why none came.
    package mutating func observe(_ call: SeenCall, answer: String) {
        correlation.events += 1
        series.rows[series.second(of: call.plannedAt)].planned += 1
        guard call.state == .sent else {
            if call.state == .withheld {
                correlation.withheld += 1
                count(answer, in: \.withheldFor)
            } else if call.state == .retired {
                correlation.retired += 1
            } else {
                correlation.dropped += 1
            }
            return
        }
        correlation.sent += 1
        series.rows[series.second(of: call.sentAt)].sent += 1
        let isMeasured = call.plannedAt >= measuredFrom
        let lateness = Int64(saturating: Double(call.lateness.nanoseconds) / pace)
        if isMeasured { correlation.lateness.record(lateness) }
        course.add(lateness: .nanoseconds(lateness), second: series.second(of: call.plannedAt))
        sessions.extend(call.session, from: call.sentAt, to: max(call.sentAt, call.answeredAt))
        if call.wasAnswered {
            correlation.answered += 1
            series.rows[series.second(of: call.answeredAt)].answered += 1
            course.add(answer: call.answeredAt - call.plannedAt, second: series.second(of: call.plannedAt))
            if isMeasured { measureAnswer(call) }
        }
        if call.wasTaken || call.wasToldDead {
            correlation.taken += 1
        } else {
            correlation.failed += 1
            series.rows[series.second(of: max(call.sentAt, call.answeredAt))].errors += 1
            let key = WrongKey(status: call.wasAnswered ? call.status : 0, body: answer)
            let isKnown = wrongAnswers.count < Self.maxWrongAnswers || wrongAnswers[key] != nil
            wrongAnswers[isKnown ? key : WrongKey(status: key.status, body: "…"), default: 0] += 1
        }
    }

    private mutating func measureAnswer(_ call: SeenCall) {
        let answer = (call.answeredAt - call.plannedAt).nanoseconds
        correlation.answer.record(answer)
        if correlation.intervals != nil {
            let second = series.second(of: call.plannedAt)
            correlation.intervals?.add(answer: call.answeredAt - call.plannedAt, second: second)
        }
        correlation.answerUncorrected.record((call.answeredAt - call.sentAt).nanoseconds)
        answers[number(of: call.kind), default: Histogram()].record(answer)
    }

    private mutating func count(_ word: String, in column: WritableKeyPath<Correlation, [String: Int]>) {
        let isKnown = correlation[keyPath: column].count < Self.maxWords || correlation[keyPath: column][word] != nil
        correlation[keyPath: column][isKnown ? word : "other", default: 0] += 1
    }

    private func number(of kind: UInt16) -> UInt16 { Int(kind) < min(kinds.count, Self.maxKinds) ? kind : .max }

    private func name(of kind: UInt16) -> String {
        Int(kind) < min(kinds.count, Self.maxKinds) ? kinds[Int(kind)] : "other"
    }

    /// A push that no account has: its marker is of no open session, its token of none that is planned. Whether it is of this
    /// run's relay for all that is known.
    @discardableResult
    package mutating func observe(stray push: SeenPush, isRelayOurs: Bool) -> Bool {
        guard push.isAccepted else { return false }
        guard push.isMarked || isRelayOurs else {
            correlation.foreign += 1
            return false
        }
        count(.unexpected, kind: nil)
        add(.unexpected, Example(session: push.session, step: push.step, kind: "", at: push.arrivedAt, entries: [push.id]))
        return true
    }

    // MARK: When an account is over

    package mutating func close(_ joined: JoinedAccount, _ circumstances: Circumstances) {
        let account = joined.account
        for index in account.rows.indices { close(row: index, joined) }
        for (index, fault) in joined.fault.enumerated() {
            guard let fault else { continue }
            let push = account.pushes[index]
            let kind = push.isMarked ? account.call(at: push.place)?.kind : nil
            count(fault, kind: kind)
            add(
                fault,
                Example(
                    session: push.session, step: push.step, kind: kind.map(name) ?? "", at: push.arrivedAt,
                    entries: [push.id]))
        }
        countLastStates(joined)
        countDeaths(joined, circumstances)
        let cards = CardAges.cards(of: joined, circumstances)
        for stretch in cards.flatMap(\.stretches) {
            correlation.staleness.record(stretch)
            series.add(stretch)
        }
        correlation.cards.add(cards)
        left.add(cards)
    }

    private mutating func close(row index: Int, _ joined: JoinedAccount) {
        let row = joined.account.rows[index]
        let delivery = joined.deliveries[index]
        correlation.expected += 1
        count(delivery.outcome, kind: row.kind)
        if let excuse = delivery.excuse { count(excuse, in: \.excuses) }
        if delivery.outcome == .undecided, row.flags.contains(.waitsInVain) { correlation.undecidedInVain += 1 }
        if delivery.outcome == .undecided, joined.wasPassedOver(index) { correlation.undecidedPassedOver += 1 }
        if let accepted = delivery.accepted {
            let latency = joined.account.pushes[accepted].arrivedAt - row.plannedAt
            series.add(delivery: latency, plannedAt: row.plannedAt)
            let second = series.second(of: row.plannedAt)
            course.add(delivery: latency, second: second)
            correlation.ages.add(
                microseconds: Int(max(0, latency.nanoseconds / 1_000)), kind: min(Int(row.kind), kinds.count, Self.maxKinds),
                second: second)
            if row.plannedAt >= measuredFrom {
                correlation.delivery.record(latency.nanoseconds)
                let kind = name(of: row.kind)
                correlation.intervals?.add(delivery: latency, kind: kind, second: second)
                deliveries[number(of: row.kind), default: Histogram()].record(latency.nanoseconds)
            }
        }
        switch delivery.outcome {
        case .lost, .late, .excused:
            if delivery.outcome == .lost, joined.account.call(at: row.place)?.wasTaken != true {
                correlation.lostUnaccepted += 1
            }
            add(
                delivery.outcome,
                Example(
                    session: row.session, step: row.step, kind: name(of: row.kind), at: row.plannedAt,
                    entries: joined.attempts(of: index).suffix(4).map(\.id)))
        default: break
        }
    }

    private mutating func count(_ outcome: DeliveryClass, kind: UInt16?) {
        classes[ClassKey(kind: kind.map(number), outcome: outcome), default: 0] += 1
    }

    private mutating func add(_ outcome: DeliveryClass, _ example: Example) {
        guard correlation.examples[outcome]?.count ?? 0 < maxExamples else { return }
        correlation.examples[outcome, default: []].append(example)
    }

    /// A session counts where at least one of its last states could be judged, and as delivered where none was lost.
    private mutating func countLastStates(_ joined: JoinedAccount) {
        var lost: [UInt32: Bool] = [:]
        for (row, delivery) in zip(joined.account.rows, joined.deliveries) where row.isFinal {
            switch delivery.outcome {
            case .lost: lost[row.session] = true
            case .delivered, .late, .superseded: lost[row.session] = lost[row.session] ?? false
            default: break
            }
        }
        correlation.lastState.sessions += lost.count
        let missing = lost.values.count { $0 }
        correlation.lastState.missingCount += missing
        correlation.lastState.delivered += lost.count - missing
    }

    private mutating func countDeaths(_ joined: JoinedAccount, _ circumstances: Circumstances) {
        correlation.deadTokens.died += joined.tokens.deaths.count
        guard !joined.tokens.deaths.isEmpty else { return }
        var after: [UInt64: Int] = [:]
        for push in joined.account.pushes {
            let death = joined.tokens.death(before: push, in: joined.account, grace: circumstances.inFlightGrace)
            guard let death, death.environment == push.environment else { continue }
            let answered = joined.account.pushes[death.push]
            // A 400 may mean the token's topic only (DeviceTokenNotForTopic).
            guard answered.status != 400 || answered.topic == push.topic else { continue }
            let id = answered.id
            if correlation.deadTokens.sample.count < 20 { correlation.deadTokens.sample.append(push.id) }
            after[id, default: 0] += 1
        }
        for (death, count) in after.sorted(by: { $0.key < $1.key }) {
            correlation.deadTokens.pushesAfterDeath += count
            if count > correlation.deadTokens.worstPushes {
                correlation.deadTokens.worstPushes = count
                correlation.deadTokens.worstDeath = death
            }
        }
    }

    // MARK: The end

    /// `end`: when the run stopped listening; nil: with the last that is known of.
    package consuming func finish(at end: Instant? = nil, outages: [Circumstances.Outage] = []) -> Correlation {
        var (correlation, series) = (correlation, series)
        if let end {
            let (stretches, oldest) = left.aged(to: end, without: outages)
            for stretch in stretches {
                correlation.staleness.record(stretch)
                series.add(stretch)
            }
            correlation.cards.ageOn(stretches, oldest: oldest)
        }
        correlation.cards.finish(at: end)
        for (answer, count) in reasons { correlation.reasons[answer.words, default: 0] += count }
        for (number, count) in outcomes.enumerated() where count > 0 {
            let word = Outcome(rawValue: UInt8(number)).map { "\($0.word)" } ?? "no device"
            correlation.outcomes[word, default: 0] += count
        }
        for (key, count) in classes {
            let kind = key.kind.map(name) ?? Self.noKind
            correlation.classes[kind, default: [:]][key.outcome, default: 0] += count
            correlation.totals[key.outcome, default: 0] += count
        }
        for (kind, histogram) in answers {
            correlation.answerByKind[name(of: kind), default: Histogram()].merge(histogram)
        }
        for (kind, histogram) in deliveries {
            correlation.deliveryByKind[name(of: kind), default: Histogram()].merge(histogram)
        }
        correlation.wrongAnswers = wrongAnswers.map { WrongAnswer(status: $0.status, body: $0.body, count: $1) }
            .sorted { ($1.count, $0.status, $0.body) < ($0.count, $1.status, $1.body) }
        correlation.peakSessions = sessions.peak
        correlation.activeSeries = sessions.bySecond(&series)
        correlation.series = series.rows
        correlation.course = course.course
        return correlation
    }
}
