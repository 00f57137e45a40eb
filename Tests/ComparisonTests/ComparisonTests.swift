import Basics
import Conformance
import Metrics
import Testing
import Verdicts

@testable import Comparison

@Suite("a comparison of saved runs")
struct ComparisonTests {
    private static let noise = [1.0, 1.01, 0.99, 1.02, 0.985, 1.005, 0.995]

    /// So many runs a side, in turn, of one seed a pair: `factor` is what the new one takes.
    private func sides(
        _ count: Int, factor: Double = 1, pairs: Bool = true, base: (inout RunRecord) -> Void = { _ in },
        new: (inout RunRecord) -> Void = { _ in }
    ) -> (base: [RunFigures], new: [RunFigures]) {
        let all = (0..<count).map { place in
            let first = Double(place) * 100
            let isTurned = place % 2 == 1
            let seed = pairs ? UInt64(place) : 1
            return (
                SampleRun.record(
                    "base/\(place)", at: first + (isTurned ? 50 : 0), seed: seed,
                    milliseconds: 100 * Self.noise[place % 7], turn: base),
                SampleRun.record(
                    "new/\(place)", at: first + (isTurned ? 0 : 50), seed: seed,
                    milliseconds: 100 * factor * Self.noise[(place + 3) % 7], turn: new)
            )
        }
        return (all.map { SampleRun.figures($0.0) }, all.map { SampleRun.figures($0.1) })
    }

    private func compare(_ sides: (base: [RunFigures], new: [RunFigures]), _ names: [String] = []) throws -> ComparisonRecord {
        try Comparison.compare(sides.base, sides.new, .init(metrics: try names.map { try DeclaredMetric(parsing: $0) }))
    }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing was thrown"
        } catch { return "\(error)" }
    }

    @Test("of pairs says worse, better, same and undecided, with the exit code of each")
    func words() throws {
        for (factor, word, code) in [(1.2, "worse", 3), (0.8, "better", 0), (1.0, "same", 0)] as [(Double, String, Int32)] {
            let record = try compare(sides(7, factor: factor))
            #expect(record.design == .pairs)
            // Answers were not measured, so nobody has to decide on them.
            #expect(record.metrics.map(\.name) == ["delivery.p50", "delivery.p99"])
            #expect(record.metrics.map(\.word.rawValue) == [word, word], "\(record.metrics)")
            #expect((record.exit.code, record.exit.word) == (code, word))
        }
        let few = try compare(sides(3, factor: 2))
        #expect((few.exit.code, few.exit.word, few.design) == (5, "undecided", .runs))
        let remark = try #require(few.remarks.first)
        #expect(remark.contains("cannot show any difference") && remark.contains("5 runs a side"), "\(remark)")
    }

    @Test("of runs of one seed deals them anew, and says where all of one side came first")
    func unpaired() throws {
        let turns = sides(5, factor: 1.2, pairs: false)
        let record = try compare(turns)
        #expect((record.design, record.exit.code) == (.runs, 3))
        #expect(!record.remarks.contains { $0.contains("drift") })
        var later = turns
        later.new = later.new.map { run in
            var record = run.record
            record.startedAt = record.startedAt + .seconds(10_000)
            return RunFigures(record)
        }
        #expect(try compare(later).remarks.contains { $0.contains("drift") })
    }

    @Test("a metric that somebody names and that has no data is undecided")
    func noData() throws {
        let record = try compare(sides(7), ["answer.p99", "delivery.p99"])
        #expect(record.metrics.map(\.word) == [.undecided, .same])
        #expect(record.exit.code == 5 && record.exit.reasons.first?.contains("no data") == true, "\(record.exit)")
    }

    @Test(
        "refuses metrics that say nothing of a relay",
        arguments: ["lateness.p99", "undecided", "sessions.peak", "delivery.count", "nonsense"])
    func badMetrics(name: String) {
        #expect(throws: Failure.self) { try DeclaredMetric(parsing: name) }
    }

    @Test("a must that is newly broken comes first, a healed one and a should are told")
    func rules() throws {
        let broken = SampleRun.rule(.must, SampleRun.broken)
        let kept = SampleRun.rule(.must, .kept(evidenceCount: 3))
        let proven = { (record: inout RunRecord) in (record.verdicts, record.proof.broken) = ([broken], ["a-rule"]) }
        let worse = try compare(sides(7, factor: 1.2, base: { $0.verdicts = [kept] }, new: proven))
        #expect((worse.exit.code, worse.rules.map(\.change)) == (4, [.broken]))
        #expect(worse.rules.first?.finding == "it was not" && worse.rules.first?.directory == "new/0")
        let unsound = try compare(sides(7, base: { $0.verdicts = [kept] }, new: { $0.verdicts = [broken] }))
        #expect((unsound.exit.code, unsound.rules.first?.isProven) == (5, false), "it may be our own fault")
        let healed = try compare(sides(7, base: { $0.verdicts = [broken] }, new: { $0.verdicts = [kept] }))
        #expect((healed.exit.code, healed.rules.map(\.change)) == (0, [.healed]))
        let idle = try compare(
            sides(7, base: { $0.verdicts = [broken] }, new: { $0.verdicts = [SampleRun.rule(.must, .notExercised)] }))
        #expect(idle.rules.map(\.change) == [.differs], "what is not put to the test is not healed")
        let should = try compare(sides(7, new: { $0.verdicts = [SampleRun.rule(.should, SampleRun.broken)] }))
        #expect((should.exit.code, should.rules.count) == (0, 1))
        let both = try compare(sides(7, base: { $0.verdicts = [broken] }, new: { $0.verdicts = [broken] }))
        #expect(both.rules.isEmpty && both.exit.code == 0)
    }

    @Test("counts that should be nothing are exact")
    func counts() throws {
        let lost = try compare(sides(7, new: { if $0.directory == "new/3" { $0.correlation.totals[.lost] = 1 } }))
        #expect(lost.counts.first { $0.name == "lost" }?.word == .worse)
        #expect((lost.exit.code, lost.exit.reasons) == (3, ["lost is worse"]))
        #expect(ExactFacts.word([0, 0], [0, 0]) == .same)
        #expect(ExactFacts.word([0, 0], [0, 1]) == .worse)
        #expect(ExactFacts.word([1, 2], [0, 0]) == .better)
        // Some of the base had none either.
        #expect(ExactFacts.word([0, 2, 1, 4, 1], [0, 0, 0, 0, 0]) == .undecided)
        #expect(ExactFacts.word([3, 3], [3, 3]) == .same)
        #expect(ExactFacts.word([3, 4], [5, 6]) == .undecided)
        #expect(ExactFacts.word([3, 4, 3, 4, 3], [5, 6, 7, 5, 5]) == .worse)
    }

    @Test("a difference within the margin is the same, for a share and for a duration")
    func margin() throws {
        var options = Comparison.Options()
        let slower = sides(7, factor: 1.08)
        #expect(try Comparison.compare(slower.base, slower.new, options).exit.code == 3)
        options.margin = try Margin(parsing: "20%")
        #expect(try Comparison.compare(slower.base, slower.new, options).exit.word == "same")
        options.margin = try Margin(parsing: "1%, 20ms")
        #expect(try Comparison.compare(slower.base, slower.new, options).exit.word == "same")
        #expect("\(options.margin)" == "1 % or 20ms" && "\(Margin())" == "5 % or 5ms")
        for text in ["5", "-5%", "x", "5%,", "", "101%"] { #expect(throws: Failure.self) { try Margin(parsing: text) } }
    }

    @Test("figures of which some are 0 are compared by their difference")
    func zero() throws {
        let some = sides(
            7, base: { $0.correlation.failed = 0 }, new: { $0.correlation.failed = 25 + Int($0.seed) })
        let record = try compare(some, ["errors.rate"])
        let metric = try #require(record.metrics.first)
        #expect((metric.scale, metric.word) == (.difference, .worse))
        #expect(abs((metric.shift ?? 0) - 0.056) < 0.001, "\(metric)")
    }

    @Test("what cannot be compared is named in one line")
    func incomparable() {
        func message(_ turn: @escaping (inout RunRecord) -> Void) -> String { failure { _ = try compare(sides(5, new: turn)) } }
        #expect(message { $0.planDigest = "another" }.contains("the plan differs"))
        #expect(message { $0.toolVersion = "9" }.contains("version of pushrig differs: 0.1.0 in base/0, 9 in new/0"))
        #expect(message { $0.machine.host = "two" }.contains("the machine differs: one (2 cores"))
        #expect(message { $0.profile = "x" }.contains("the relay profile differs"))
        #expect(message { $0.clockScale = 2 }.contains("the clock's pace differs"))
        let seeds = message { ($0.seed, $0.planDigest) = ($0.seed + 1, "digest \($0.seed + 1)") }
        #expect(seeds.contains("the seeds differ: seed 0 is only on the base's side"))
        #expect(message { $0.soundness[0].passed = false }.contains("the run in new/0 is void: our lateness: 1 ms"))
        #expect(message { $0.exit.code = 1 }.contains("is void: could not run"))
        #expect(message { _ in } == "nothing was thrown")
    }

    @Test("one run each is drawn anew from its seconds, and says so first")
    func single() throws {
        let one = sides(1, factor: 1.5)
        let record = try compare(one, ["delivery.mean"])
        #expect(record.design == .single)
        let remark = try #require(record.remarks.first)
        #expect(remark.hasPrefix("within one run only: how two runs of the same relay differ is not known"))
        #expect(record.metrics.first?.word == .worse && record.exit.code == 3, "\(record.metrics)")
        // A percentile needs the samples of each second, which a record alone does not hold.
        let percentile = try compare(one, ["delivery.p99"])
        #expect(percentile.metrics.first?.reason?.contains("not known by the second") == true)
        #expect(percentile.exit.code == 5)
    }

    @Test("a self-check tells how often halves of one side are told apart")
    func selfCheck() throws {
        let runs = sides(12, pairs: false).base
        let check = try #require(try Comparison.selfCheck(runs, Comparison.Options()))
        #expect((check.half, check.splits) == (6, SelfCheck.most))
        #expect(check.rate <= check.limit, "\(check)")
        // One that drifts shows it in order of time.
        let drifting = (0..<12).map {
            SampleRun.figures(SampleRun.record("r\($0)", at: Double($0) * 100, milliseconds: 100 + 5 * Double($0)))
        }
        #expect(try #require(try Comparison.selfCheck(drifting, Comparison.Options())).inOrder == .worse)
        #expect(try Comparison.selfCheck(Array(runs.prefix(3)), Comparison.Options()) == nil)
    }
}
