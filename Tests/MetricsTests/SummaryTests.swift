// The figures beside the classes: last states, times of the relay's answers, counts by second, sessions.

import Basics
import Journal
import Pushes
import Testing

@testable import Metrics

@Suite struct SummaryTests {
    var history = History()

    // MARK: Last states

    @Test mutating func aSessionWhoseLastStateArrivesIsWell() {
        history.expect(1, 1)
        history.expect(1, 2, at: 1100, isFinal: true)
        history.push(1, 2, at: 1150)
        let last = history.finish().lastState
        #expect(last.sessions == 1)
        #expect(last.delivered == 1)
        #expect(last.missing.isEmpty)
    }

    @Test mutating func aLateLastStateIsThereAllTheSame() {
        history.expect(isFinal: true)
        history.push(at: 9000)
        #expect(history.finish().lastState.delivered == 1)
    }

    @Test mutating func aMissingLastStateIsNamed() {
        history.expect(3, 1)
        history.expect(3, 2, at: 1100, kind: "complete", isFinal: true, token: "abcd")
        history.push(3, 1)
        let last = history.finish().lastState
        #expect(last.sessions == 1)
        #expect(last.delivered == 0)
        #expect(last.missingCount == 1)
        #expect(last.missing == [LastState.Missing(session: 3, step: 2, kind: "complete", token: "abcd")])
    }

    @Test mutating func theActivityCountsWhereThereIsOne() {
        history.expect(1, 2, channel: .alert, isFinal: true)
        history.expect(1, 2, channel: .liveactivity, isFinal: true)
        history.push(1, 2, channel: .liveactivity)
        history.expect(2, 2, channel: .alert, isFinal: true)
        history.expect(2, 2, channel: .liveactivity, isFinal: true)
        history.push(2, 2, channel: .alert)
        history.expect(3, 2, channel: .alert, isFinal: true)
        history.push(3, 2, channel: .alert)
        let last = history.finish().lastState
        #expect(last.sessions == 3)
        #expect(last.missing.map(\.session) == [2])
    }

    @Test mutating func sessionsThatCannotBeJudgedAreLeftOut() {
        history.expect(1, 1, isFinal: true)
        history.push(1, 1, status: 410, reason: "Unregistered")
        history.expect(2, 1, isFinal: true, token: "bb")
        history.event(2, 1, sent: nil, answered: nil, failure: .dropped)
        history.expect(3, 1, at: 99_000, deadline: 5000, isFinal: true, token: "cc")
        let result = history.finish()
        #expect(classes(result) == "excused 1, unsent 1, undecided 1")
        #expect(result.lastState.sessions == 0)
    }

    @Test mutating func theSampleOfMissingStatesIsBoundedAndInOrder() {
        for session in 0..<50 { history.expect(UInt32(session), 1, isFinal: true) }
        let last = history.finish().lastState
        #expect(last.missingCount == 50)
        #expect(last.missing.map(\.session) == Array(0..<20))
    }

    // MARK: Events

    @Test mutating func answersAreMeasuredFromThePlannedInstantToo() {
        history.event(at: 1000, sent: 1004, answered: 1010)
        let result = history.finish()
        #expect(result.answer.value(at: 50) / 1_000_000 == 10)
        #expect(result.answerUncorrected.value(at: 50) / 1_000_000 == 6)
        #expect(result.lateness.value(at: 50) / 1_000_000 == 4)
        #expect([result.events, result.sent, result.answered, result.failed] == [1, 1, 1, 0])
    }

    @Test mutating func aDroppedEventHasNoTimes() {
        history.event(sent: nil, answered: nil, failure: .dropped)
        let result = history.finish()
        #expect([result.events, result.sent, result.answered, result.dropped, result.failed] == [1, 0, 0, 1, 0])
        #expect(result.lateness.isEmpty && result.answer.isEmpty)
    }

    @Test mutating func anEventWithoutAnAnswerHasFailed() {
        history.event(1, 1, answered: nil, failure: .timeout)
        history.event(1, 2, answered: nil, failure: .none)
        history.event(1, 3, status: 500, failure: .unexpectedStatus)
        let result = history.finish()
        #expect([result.sent, result.answered, result.failed] == [3, 1, 3])
        #expect(result.answer.count == 1)
        #expect(result.lateness.count == 3)
    }

    @Test mutating func answersAreKeptByKind() {
        history.event(1, 1, kind: 0)
        history.event(1, 2, kind: 1)
        history.event(1, 3, kind: 1)
        history.event(1, 4, kind: 2)
        history.event(1, 5, kind: 60_000)
        history.correlator.name(kinds: ["start", "progress"])
        let counts = history.finish().answerByKind.mapValues(\.count)
        #expect(counts == ["start": 1, "progress": 2, "#2": 1, "other": 1])
    }

    @Test mutating func theWarmUpIsJudgedButNotMeasured() {
        history.correlator = Correlator(run: History.run, origin: instant(0), measuredFrom: instant(2000))
        for step in [1, 2] as [UInt32] {
            history.expect(1, step, at: 1000 * Int64(step))
            history.event(1, step, at: 1000 * Int64(step), sent: 1000 * Int64(step), answered: 1000 * Int64(step) + 5)
            history.push(1, step, at: 1000 * Int64(step) + 50)
        }
        let result = history.finish()
        #expect(classes(result) == "delivered 2")
        #expect([result.events, result.answered] == [2, 2])
        #expect(
            [result.delivery, result.answer, result.answerUncorrected, result.lateness].map(\.count) == [1, 1, 1, 1])
    }

    // MARK: By second

    @Test mutating func thingsAreCountedInTheirSecond() {
        history = History()
        history.correlator = Correlator(run: History.run, origin: instant(1000))
        history.event(1, 1, at: 1000, sent: 1999, answered: 2001)
        history.event(1, 2, at: 3500, sent: 3600, answered: 3700, status: 503)
        history.push(1, 1, at: 2999)
        history.push(1, 2, at: 3000, status: 429, reason: "TooManyRequests")
        let rows = history.finish().series
        #expect(rows.map(\.second) == [0, 1, 2])
        #expect(rows.map(\.planned) == [1, 0, 1])
        #expect(rows.map(\.sent) == [1, 0, 1])
        #expect(rows.map(\.answered) == [0, 1, 1])
        #expect(rows.map(\.pushes) == [0, 1, 1])
        #expect(rows.map(\.accepted) == [0, 1, 0])
        #expect(rows.map(\.errors) == [0, 0, 2])
    }

    @Test mutating func absurdInstantsNeitherCrashNorTakeMuchMemory() {
        history.push(1, 1, at: 1000)
        for extreme in [Int64.min, -1, Int64.max] {
            var entry = PushEntryMaker.entry
            entry.arrivedAt = Instant(nanoseconds: extreme)
            entry.delay = Interval(nanoseconds: extreme)
            history.correlator.observe(entry)
            history.correlator.expect(
                Expectation(
                    session: 1, step: 1, kind: "x", channel: .liveactivity, plannedAt: Instant(nanoseconds: extreme),
                    deadline: Interval(nanoseconds: extreme), token: "aa"))
        }
        let result = history.finish()
        #expect(result.pushes == 4)
        #expect(result.series.count <= 7 * 86_400)
    }

    @Test mutating func sessionsAreActiveFromTheirFirstCallToTheirLastSignOfLife() {
        history.correlator = Correlator(run: History.run, origin: instant(1000))
        history.event(1, 1, at: 1000, sent: 1000, answered: 1100)
        history.event(1, 2, at: 4000, sent: 4000, answered: 4100)
        history.event(2, 1, at: 2500, sent: 2500, answered: 2600)
        history.event(3, 1, at: 2700, sent: 2700, answered: 4500)
        history.event(4, 1, at: 2700, sent: nil, answered: nil, failure: .dropped)
        let result = history.finish()
        #expect(result.peakSessions == 2)
        #expect(result.activeSeries == [1, 3, 2, 2])
        #expect(result.series.count == result.activeSeries.count)
    }

    @Test mutating func withoutALoadsJournalThePlanTellsWhoIsActive() {
        history.expect(1, 1, at: 1000)
        history.expect(1, 2, at: 3000)
        history.expect(2, 1, at: 2000)
        #expect(history.finish().peakSessions == 2)
    }

    @Test mutating func aHundredThousandOfEachAreJudgedInReasonableTime() {
        let start = ContinuousClock.now
        for session in 0..<10_000 as Range<UInt32> {
            for step in 0..<10 as Range<UInt32> {
                history.expect(session, step, at: Int64(step) * 1000, coalesce: step % 2 == 0, isFinal: step == 9)
            }
        }
        for session in 0..<10_000 as Range<UInt32> {
            for step in [1, 3, 5, 7, 9] as [UInt32] { history.push(session, step, at: Int64(step) * 1000 + 50) }
        }
        #expect(classes(history.finish()) == "delivered 50000, superseded 50000")
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
