// A run as one could have been: two minutes, a fault, a restart of the relay, a broken rule. Tests turn its knobs.

import Basics
import Conformance
import Metrics
@testable import Verdicts

enum Sample {
    static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"

    /// A run that went well, except for what the caller turns.
    static func record(seconds: Int = 150, _ turn: (inout RunRecord) -> Void = { _ in }) -> RunRecord {
        var record = RunRecord(
            name: "quickstart", scenarioPath: "Scenarios/quickstart.yaml", scenarioText: scenarioText,
            profile: "opencode", seed: 18_446_744_073_709_551_615, run: 0x1a2b_3c4d, command: "pushrig run quickstart",
            replayCommand: "pushrig run Scenarios/quickstart.yaml --seed 18446744073709551615",
            planDigest: "9f2c51d07ab3", machine: machine, commit: "4c1d9e2", toolVersion: "0.1.0",
            startedAt: WallTime(iso8601: "2026-11-20T10:00:00.123Z")!, duration: .seconds(Double(seconds)),
            phases: [
                .init(name: "warm-up", start: .zero, end: .seconds(15)),
                .init(name: "measure", start: .seconds(15), end: .seconds(130)),
                .init(name: "drain", start: .seconds(130), end: .seconds(Double(seconds))),
            ],
            bands: [
                .init(kind: .fault, label: "410 Unregistered, 10 %", start: .seconds(40), end: .seconds(60)),
                .init(kind: .fault, label: "delay 50–400 ms", start: .seconds(50), end: .seconds(75)),
                .init(kind: .restart, label: "relay KILL", start: .seconds(90), end: .seconds(96)),
            ],
            load: .init(
                sessions: 400, planned: 24_000, sent: 23_990, answered: 23_800, failed: 190, dropped: 0, connections: 16
            ),
            mock: .init(
                connections: 4, pushes: 21_480, byStatus: [200: 21_100, 410: 300, 503: 80], tokens: 1_200,
                faultsFired: 380, journalBytes: 18_400_000),
            soundness: [
                .init(name: "lateness", passed: true, detail: "p99 410 µs, budget 10 ms"),
                .init(name: "queues", passed: true, detail: "no event was dropped"),
                .init(name: "journal", passed: true, detail: "every record is whole"),
            ],
            correlation: seconds == 150 ? usual : correlation(seconds: seconds),
            gates: [
                gate("delivery.p99 < 12s", "delivery.p99", .nanoseconds, value: 9.8e9, threshold: 12e9),
                gate(
                    "delivery.complete.p99 < 500ms", "delivery.complete.p99", .nanoseconds, value: 3.1e8, threshold: 5e8
                ),
                gate("lost.rate < 0.1%", "lost.rate", .ratio, value: 0.0004, threshold: 0.001),
                gate("pushes.rate > 100", "pushes.rate", .perSecond, value: 143.2, threshold: 100),
            ],
            verdicts: verdicts, exit: .init(code: 0, word: "passed", reasons: []))
        record.directory = "Reports/latest"
        turn(&record)
        return record
    }

    /// A run in which nothing happened.
    static var empty: RunRecord {
        record { record in
            record.correlation = Correlation()
            record.phases = []
            record.bands = []
            record.soundness = []
            record.gates = [
                .init(
                    text: "delivery.p99 < 12s", metric: "delivery.p99", unit: .nanoseconds, value: nil, threshold: 12e9,
                    passed: nil),
                .init(
                    text: "errors.rate < 1%", metric: "errors.rate", unit: .ratio, value: .nan, threshold: .infinity,
                    passed: nil),
            ]
            record.verdicts = verdicts.map { result in
                var copy = result
                copy.verdict = .notExercised
                return copy
            }
            record.exit = .init(code: 5, word: "inconclusive", reasons: ["no event was sent to the relay"])
        }
    }

    static func gate(
        _ text: String, _ metric: String, _ unit: RunRecord.GateResult.Unit, value: Double, threshold: Double,
        passed: Bool = true
    ) -> RunRecord.GateResult {
        .init(text: text, metric: metric, unit: unit, value: value, threshold: threshold, passed: passed)
    }

    /// A rule of the book with a verdict of the caller's.
    static func rule(_ id: String, _ verdict: Verdict, known: Bool = false) -> RuleResult {
        let rule = RuleBook.rule(named: id)!
        return RuleResult(
            id: rule.id, claims: rule.claims, level: rule.level, basis: rule.basis, requirement: rule.requirement,
            norm: rule.norm, advice: rule.advice, verdict: verdict, isKnownFailing: known)
    }

    /// With the pushes it speaks of, whose paths hold the whole token.
    static let finding: Finding = {
        var finding = Finding(
            message: "pushed again to token a1b2c3d4…, which had been declared dead",
            expected: "no push after 410 Unregistered", seen: "a push 2.4s after that answer", session: 17, step: 40,
            entries: [118, 204])
        finding.call = CallSeen(
            entry: 203, kind: "progress", at: .seconds(63.5), time: WallTime(iso8601: "2026-11-20T10:01:03Z")!, answer: "204 in 2 ms")
        finding.exchanges = [exchange(118, at: 61.2, "10:01:01"), exchange(204, at: 63.6, "10:01:03")]
        finding.history = [
            HistoryLine(at: .seconds(2.5), words: "`registerActivity` (step 2) registers activity token 7f3a…", isMeant: false),
            HistoryLine(at: .seconds(63.6), words: "push liveactivity update (step 9) to 7f3a… → 410", isMeant: true, skipped: 41),
        ]
        finding.change = "delete the token's row with its first 410"
        return finding
    }()

    private static func exchange(_ entry: UInt64, at seconds: Double, _ time: String) -> Exchange {
        Exchange(
            entry: entry, at: .seconds(seconds), time: WallTime(iso8601: "2026-11-20T\(time)Z")!,
            request: [
                ":method: POST", ":path: /3/device/\(token)", "apns-push-type: liveactivity", "apns-priority: 10",
            ],
            payload: #"{"aps":{"timestamp":1795168861,"event":"update","content-state":{"phase":"running"}}}"#,
            answer: "410 Unregistered", device: "")
    }

    static let example = Example(
        session: 17, step: 40, kind: "progress", at: Instant(nanoseconds: 61_200_000_000), entries: [118, 204])

    private static let verdicts = [
        rule("last-state-delivered", .kept(evidenceCount: 396)),
        rule("throttle-respected", .kept(evidenceCount: 8_120)),
        rule("dead-token-dropped", .kept(evidenceCount: 31)),
        rule("urgent-states-at-10", .kept(evidenceCount: 900)),
        rule("retry-keeps-apns-id", .notExercised),
    ]

    static let machine = Machine(
        host: "bench-1", system: "Debian GNU/Linux 12, kernel 6.1", processor: "AMD EPYC 7B13", cores: 2,
        memoryBytes: 8_200_000_000)

    private static let scenarioText = """
        name: quickstart
        relay: { profile: opencode }
        workload:
          arrivals: [{ ramp: { from: 10/s, to: 200/s, for: 60s } }]
        gates:
          - delivery.p99 < 12s

        """

    /// `count` draws around a median, with a long tail.
    static func histogram(median: Double, p95: Double, count: Int, seed: UInt64) -> Histogram {
        var histogram = Histogram()
        var generator = Seed(seed).generator()
        let distribution = Distribution.logNormal(median: median, p95: p95)
        for _ in 0..<count { histogram.record(Int64(distribution.sample(&generator) * 1e9)) }
        return histogram
    }

    private static let usual = correlation(seconds: 150)

    private static func correlation(seconds: Int) -> Correlation {
        var c = Correlation()
        c.deliveryByKind = [
            "progress": histogram(median: 1.9, p95: 9.1, count: 15_000, seed: 1),
            "complete": histogram(median: 0.028, p95: 0.12, count: 2_400, seed: 2),
            "permission": histogram(median: 0.024, p95: 0.09, count: 900, seed: 3),
            "start": histogram(median: 0.041, p95: 0.2, count: 400, seed: 4),
        ]
        for (_, histogram) in c.deliveryByKind { c.delivery.merge(histogram) }
        c.answer = histogram(median: 0.012, p95: 0.4, count: 23_800, seed: 5)
        c.answerUncorrected = histogram(median: 0.011, p95: 0.05, count: 23_800, seed: 6)
        c.answerByKind = ["progress": histogram(median: 0.011, p95: 0.3, count: 20_000, seed: 7)]
        c.lateness = histogram(median: 0.000_060, p95: 0.000_25, count: 23_990, seed: 8)
        c.staleness = histogram(median: 2.1, p95: 9.5, count: 40_000, seed: 10)
        c.classes = [
            "progress": [.delivered: 15_000, .superseded: 4_900, .late: 12, .lost: 6, .excused: 62],
            "complete": [.delivered: 2_400, .lost: 2, .duplicated: 3],
            "permission": [.delivered: 900, .reordered: 1],
            "start": [.delivered: 400],
            "(no call)": [.unexpected: 2],
        ]
        for counts in c.classes.values { c.totals.merge(counts, uniquingKeysWith: +) }
        c.expected = DeliveryClass.ofExpectations.reduce(0) { $0 + c.count($1) }
        c.excuses = ["410 Unregistered, 10 %": 62]
        c.lostUnaccepted = 3
        c.examples = [.lost: [example]]
        c.reasons = ["200": 21_100, "410 Unregistered": 300, "503 ServiceUnavailable": 72, "no answer": 8]
        c.outcomes = [
            "updated": 17_200, "ended": 2_380, "started": 400, "shown": 1_090, "ignored-older": 30, "no device": 380,
        ]
        c.deadTokens.died = 31
        c.lastState.sessions = 400
        c.lastState.delivered = 400
        c.events = 24_000
        c.sent = 23_990
        c.answered = 23_800
        c.taken = 23_800
        c.wrongAnswers = [WrongAnswer(status: 0, body: "the connection was closed", count: 190)]
        c.failed = 190
        c.pushes = 21_480
        c.peakSessions = 212
        var generator = Seed(9).generator()
        for second in 0..<seconds {
            let load = min(1, Double(second) / 60) * (second < 130 ? 1 : max(0, 1 - Double(second - 130) / 10))
            var row = SeriesRow(second: second)
            row.planned = Int(200 * load * (0.92 + 0.16 * generator.unit()))
            row.sent = row.planned
            let isDown = (90..<96).contains(second)
            row.answered = isDown ? 0 : row.planned
            row.pushes = isDown ? 0 : Int(Double(row.planned) * (second == 96 || second == 97 ? 1.5 : 0.9))
            let refused = (40..<60).contains(second) ? row.pushes / 10 : 0
            row.accepted = row.pushes - refused
            row.errors = refused + (isDown ? row.planned : 0)
            row.cardMilliseconds = Int(212 * load) * 1_000
            row.cardAges = 2 * row.cardMilliseconds
            row.deliveries = row.accepted
            row.deliveryMicroseconds = row.accepted * 400_000
            row.slowestMicroseconds = row.accepted > 0 ? 2_500_000 : 0
            c.series.append(row)
            // A relay that is down answers nothing, and is slow when it comes back.
            let isSlow = second == 96 || second == 97
            let p99: Int64 = isSlow ? 2_400_000_000 : 300_000_000
            c.course.delivery.append(LatencyCourse.Row(count: row.accepted, p50: 200_000_000, p99: p99))
            c.course.answer.append(LatencyCourse.Row(count: row.answered, p50: 9_000_000, p99: p99 / 10))
            c.course.lateness.append(LatencyCourse.Row(count: row.sent, p50: 40_000, p99: 90_000))
            c.activeSeries.append(Int(212 * load))
        }
        return c
    }
}
