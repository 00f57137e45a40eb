// The figures beside the classes: last states, times of the relay's answers, counts by second, sessions, examples.

import Basics
import Journal
import Pushes
import Testing

@testable import Metrics

@Suite("A correlation")
struct SummaryTests {
    @Test("names accepted pushes that nobody ever saw, and those that still waited at the end")
    func unseen() {
        var correlator = Correlator(kinds: [])
        let outcomes: [Outcome] = [
            .updated, .shown, .silent, .coalesced, .discarded, .discarded, .undecodable, .ignoredOlder, .stored, .stored, .stored,
        ]
        for (number, outcome) in outcomes.enumerated() {
            let story = Story.usual.with { $0.push(1, at: Int64(number), outcome: outcome) }
            correlator.observe(story.account.pushes[1], reason: "")
        }
        var garbage = Story.usual.with { $0.push(1, at: 20, outcome: .updated) }.account.pushes[1]
        garbage.undecodable = 0
        correlator.observe(garbage, reason: "")
        garbage.outcome = nil
        correlator.observe(garbage, reason: "")
        correlator.observe(late: "\(Outcome.updated.word)")
        correlator.observe(late: "\(Outcome.expired.word)")
        let c = correlator.finish()
        #expect(c.accepted == 13 && c.unasked == 1)
        #expect(c.unseen == ["discarded": 2, "undecodable": 3, "ignored-older": 1, "expired": 1, "still stored": 1])
    }

    @Test("what is noted of a push is a bit of its own each")
    func flags() {
        let all: [SeenPush.Flags] = [
            .isMarked, .gaveAPNsID, .gavePriority, .isAnswerUndelivered, .hasUnknownEvent, .asksForToken, .expiresInMilliseconds, .alerts,
        ]
        #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 } && Set(all.map(\.rawValue)).count == all.count)
    }

    // MARK: Last states

    private func final(_ turn: (inout Story) -> Void = { _ in }) -> LastState {
        Story.usual.with {
            $0.account.rows[0].flags = .isFinal
            turn(&$0)
        }.correlation().lastState
    }

    @Test("counts sessions by whether their last state came")
    func lastStates() {
        #expect(final() == LastState.of(1, delivered: 1, missing: 0))
        #expect(final { $0.account.pushes[0].arrivedAt = instant(9_000) } == .of(1, delivered: 1, missing: 0))
        #expect(final { $0.account.pushes = [] } == .of(1, delivered: 0, missing: 1))
        #expect(final { $0.account.rows[0].flags = [] } == .of(0, delivered: 0, missing: 0))
        // What cannot be judged is left out.
        #expect(final { $0.account.pushes[0].status = 410 } == .of(0, delivered: 0, missing: 0))
        #expect(final { $0.account.calls[0].state = .dropped; $0.account.pushes = [] } == .of(0, delivered: 0, missing: 0))
        // Of two phones one got nothing.
        let phones = final {
            $0.expect(1, flags: .isFinal, token: .other, phone: 1)
            $0.expect(1, session: 2, flags: .isFinal, token: .rotated)
            $0.push(1, session: 2, token: .rotated)
        }
        #expect(phones == .of(2, delivered: 1, missing: 1))
    }

    @Test("counts how many of the lost belong to an event that the relay did not take")
    func lostUnaccepted() {
        let lost = Story.usual.with { $0.account.pushes = [] }
        #expect(lost.correlation().lostUnaccepted == 0)
        #expect(lost.with { $0.account.calls[0].wasTaken = false }.correlation().lostUnaccepted == 1)
        #expect(Story.usual.with { $0.account.calls[0].wasTaken = false }.correlation().lostUnaccepted == 0)
    }

    // MARK: Events

    @Test("measures answers from the planned instant and from the sent one, and our own lateness")
    func times() {
        let correlation = Story.usual.with {
            $0.account.calls[0].sentAt = instant(1_004)
            $0.account.calls[0].lateness = .milliseconds(3)
        }.correlation()
        #expect(correlation.answer.value(at: 50) / 1_000_000 == 10)
        #expect(correlation.answerUncorrected.value(at: 50) / 1_000_000 == 6)
        #expect(correlation.lateness.value(at: 50) / 1_000_000 == 3)
        #expect([correlation.events, correlation.sent, correlation.answered, correlation.taken] == [1, 1, 1, 1])
        #expect([correlation.failed, correlation.dropped, correlation.pushes] == [0, 0, 1])
    }

    @Test("counts what was dropped, what failed and what was not taken")
    func failures() {
        let story = Story().with { story in
            story.call(1) { $0.state = .dropped }
            story.call(2, status: 0) { $0.answeredAt = instant(0) }
            story.call(3, status: 500)
            story.call(4, status: 200)
        }
        let c = story.correlation()
        #expect([c.events, c.sent, c.answered, c.taken, c.failed, c.dropped] == [4, 3, 2, 1, 2, 1])
        #expect(c.lateness.count == 3)
        #expect(c.answer.count == 2)
    }

    @Test("keeps answers by kind, and what has no name under other")
    func byKind() {
        let story = Story().with { story in
            for (step, kind) in [(1, 0), (2, 1), (3, 1), (4, 2), (5, 60_000)] as [(UInt32, UInt16)] {
                story.call(step, kind: kind)
            }
        }
        #expect(story.correlation().answerByKind.mapValues(\.count) == ["progress": 1, "complete": 2, "other": 2])
        let many = (0..<200).map { "k\($0)" }
        let last = Story().with { story in
            story.call(1, kind: 127)
            story.call(2, kind: 128)
            story.call(3, kind: 199)
        }
        #expect(last.correlation(kinds: many).answerByKind.mapValues(\.count) == ["k127": 1, "other": 2])
    }

    @Test("judges the warm-up and does not measure it")
    func warmUp() {
        let story = Story().with { story in
            for step in [1, 2] as [UInt32] {
                story.call(step, at: 1000 * Int64(step))
                story.expect(step, at: 1000 * Int64(step))
                story.push(step, at: 1000 * Int64(step) + 50)
            }
        }
        let c = story.correlation(measuredFrom: instant(2_000))
        #expect([c.count(.delivered), c.events, c.answered] == [2, 2, 2])
        #expect([c.delivery, c.answer, c.answerUncorrected, c.lateness].map(\.count) == [1, 1, 1, 1])
    }

    @Test("groups wrong answers, the most frequent first, and bounds them")
    func wrongAnswers() {
        let story = Story().with { story in
            for step in 0..<5 as Range<UInt32> { story.call(step, status: step < 2 ? 404 : 401) }
            story.call(9, status: 0)
        }
        let answer = { (call: SeenCall) in call.wasAnswered ? "no" : "timeout" }
        let list = story.correlation(answer: answer).wrongAnswers
        #expect(list.map(\.count) == [3, 2, 1])
        #expect(list.map(\.status) == [401, 404, 0])
        #expect(list.map(\.body) == ["no", "no", "timeout"])
        let many = Story().with { story in for step in 0..<150 as Range<UInt32> { story.call(step, status: 400) } }
        let bounded = many.correlation(answer: { "\($0.step)" }).wrongAnswers
        #expect(bounded.count == 101)
        #expect(bounded.first == WrongAnswer(status: 400, body: "…", count: 50))
    }

    @Test("counts pushes by answer and by outcome, late ones apart, and bounds the words")
    func words() {
        let story = Story().with { story in
            story.push(1)
            story.push(2, status: 410)
            story.push(3, status: 0)
        }
        let c = story.correlation(reason: { $0.status == 410 ? "Unregistered" : "" })
        #expect(c.reasons == ["200": 1, "410 Unregistered": 1, "no answer": 1])
        #expect(c.outcomes == ["updated": 1, "no device": 2])
        var correlator = Correlator(kinds: [])
        correlator.observe(late: "updated")
        #expect(correlator.finish().outcomes == ["late updated": 1])
        let many = Story().with { story in for step in 0..<1_100 as Range<UInt32> { story.push(step, status: 400) } }
        let reasons = many.correlation(reason: { "r\($0.step)" }).reasons
        #expect(reasons.count == 1_001)
        #expect(reasons["other"] == 100)
    }

    @Test("names the first five of each class that is worth looking at, with their pushes")
    func examples() {
        let story = Story().with { story in
            for step in 0..<8 as Range<UInt32> {
                story.call(step, at: 1_000 + Int64(step))
                story.expect(step, at: 1_000 + Int64(step), kind: 1)
                for attempt in 0..<6 { story.push(step, at: 1_100 + Int64(attempt), status: 403) }
            }
        }
        let examples = story.correlation().examples
        #expect(Set(examples.keys) == [.lost])
        #expect(examples[.lost]?.map(\.step) == [0, 1, 2, 3, 4])
        let first = examples[.lost]?.first
        #expect(first?.kind == "complete" && first?.session == 1 && first?.at == instant(1_000))
        // The last four of its six attempts.
        #expect(first?.entries.count == 4)
        let twice = Story.usual.with { $0.push(1, at: 1_200) }.correlation().examples
        #expect(twice[.duplicated] == [Example(session: 1, step: 1, kind: "progress", at: instant(1_200), entries: [2])])
        #expect(Story.usual.correlation().examples.isEmpty)
    }

    @Test("counts faults of pushes by the kind of their call, and without one apart")
    func pushKinds() {
        let c = Story.usual.with {
            $0.push(1, at: 1_200)
            $0.push(7, at: 1_300)
        }.correlation()
        #expect(c.classes["progress"] == [.delivered: 1, .duplicated: 1])
        #expect(c.classes["(no call)"] == [.unexpected: 1])
    }

    @Test("tells strays of ours from those of foreigners")
    func strays() {
        func counts(isMarked: Bool, isOurs: Bool, status: UInt16 = 200) -> [Int] {
            var correlator = Correlator(kinds: [])
            let push = Story().with { $0.push(1, status: status) { $0.flags = isMarked ? .isMarked : [] } }.account.pushes[0]
            correlator.observe(stray: push, isRelayOurs: isOurs)
            let c = correlator.finish()
            #expect(c.examples[.unexpected]?.count ?? 0 == c.count(.unexpected) && c.examples.count <= 1)
            return [c.count(.unexpected), c.foreign]
        }
        #expect(counts(isMarked: true, isOurs: false) == [1, 0])
        #expect(counts(isMarked: false, isOurs: true) == [1, 0])
        #expect(counts(isMarked: false, isOurs: false) == [0, 1])
        #expect(counts(isMarked: true, isOurs: true, status: 400) == [0, 0])
    }

    // MARK: By second

    @Test("counts things in their second")
    func series() {
        let story = Story().with { story in
            story.call(1, at: 1_000) {
                $0.sentAt = instant(1_999)
                $0.answeredAt = instant(2_001)
            }
            story.call(2, at: 3_500, status: 503) {
                $0.sentAt = instant(3_600)
                $0.answeredAt = instant(3_700)
            }
            story.push(1, at: 2_999)
            story.push(2, at: 3_000, status: 429)
        }
        let rows = story.correlation(origin: instant(1_000)).series
        #expect(rows.map(\.second) == [0, 1, 2])
        #expect(rows.map(\.planned) == [1, 0, 1])
        #expect(rows.map(\.sent) == [1, 0, 1])
        #expect(rows.map(\.answered) == [0, 1, 1])
        #expect(rows.map(\.pushes) == [0, 1, 1])
        #expect(rows.map(\.accepted) == [0, 1, 0])
        #expect(rows.map(\.errors) == [0, 0, 2])
        // Without an origin the first instant mentioned is second 0, and what comes before counts for it.
        let early = Story().with { story in
            story.push(1, at: 5_000)
            story.push(2, at: 6_999)
        }
        #expect(early.correlation().series.map(\.pushes) == [1, 1])
        #expect(early.correlation(origin: instant(5_500)).series.map(\.pushes) == [1, 1])
    }

    @Test("neither crashes nor takes much memory for absurd instants")
    func absurd() {
        var builder = SeriesBuilder(origin: instant(0))
        for extreme in [Int64.min, -1, 0, Int64.max] {
            let second = builder.second(of: Instant(nanoseconds: extreme))
            builder.rows[second].pushes += 1
        }
        #expect(builder.rows.count == 7 * 86_400)
        #expect(builder.rows.first?.pushes == 3)
        #expect(builder.rows.last?.pushes == 1)
        var negative = SeriesBuilder(origin: Instant(nanoseconds: .min))
        #expect(negative.second(of: Instant(nanoseconds: .max)) == 0)
        #expect(negative.rows.count == 1)
    }

    @Test("knows who was active from their first call to their last sign of life")
    func active() {
        let story = Story().with { story in
            func call(_ session: UInt32, _ step: UInt32, sent: Int64, answered: Int64, dropped: Bool = false) {
                story.call(step, at: sent, session: session) {
                    $0.answeredAt = instant(answered)
                    if dropped { $0.state = .dropped }
                }
            }
            call(1, 1, sent: 1_000, answered: 1_100)
            call(1, 2, sent: 4_000, answered: 4_100)
            call(2, 1, sent: 2_500, answered: 2_600)
            call(3, 1, sent: 2_700, answered: 4_500)
            call(4, 1, sent: 2_700, answered: 2_800, dropped: true)
        }
        let c = story.correlation(origin: instant(1_000))
        #expect(c.peakSessions == 2)
        #expect(c.activeSeries == [1, 3, 2, 2])
        #expect(c.series.count == c.activeSeries.count)
        // Calls of one session in another order come to the same; where one ends as another begins both are there.
        var sessions = ActiveSessions()
        sessions.extend(1, from: instant(5_000), to: instant(6_000))
        sessions.extend(1, from: instant(3_000), to: instant(2_000))
        sessions.extend(2, from: instant(6_000), to: instant(5_000))
        #expect(sessions.peak == 2)
        sessions.extend(3, from: instant(6_001), to: instant(6_002))
        #expect(sessions.peak == 2)
        #expect(!sessions.isEmpty && ActiveSessions().isEmpty && ActiveSessions().peak == 0)
    }

    @Test("knows texts by number, each once, and bounds them")
    func texts() {
        var texts = Texts()
        #expect(texts[-1].isEmpty)
        let numbers = ["a", "b", "a"].map { texts.intern($0) }
        #expect(numbers == [0, 1, 0])
        #expect(texts[1] == "b")
        #expect(texts.number(of: "b") == 1 && texts.number(of: "c") == nil)
        for number in 0..<100_010 { _ = texts.intern("t\(number)") }
        #expect(texts[texts.intern("one more")] == "…")
        #expect(texts.intern("two more") == texts.intern("three more"))
        #expect(texts[texts.intern("t99997")] == "t99997")
        #expect(texts[texts.intern("t99998")] == "…")
    }

    @Test("starts with nothing counted")
    func empty() {
        let c = Correlation()
        #expect([c.expected, c.events, c.sent, c.answered, c.taken, c.dropped, c.failed, c.pushes, c.foreign] == Array(repeating: 0, count: 9))
        #expect([c.excused, c.unsent, c.undecided, c.peakSessions, c.lostUnaccepted] == Array(repeating: 0, count: 5))
    }
}

extension LastState {
    static func of(_ sessions: Int, delivered: Int, missing: Int) -> LastState {
        var state = LastState()
        (state.sessions, state.delivered, state.missingCount) = (sessions, delivered, missing)
        return state
    }
}
