// Cases side by side: each a `pushrig run` of its own, with a mock and, where it is launched, a relay of its own.

import Basics
import Cases
import EventLoop
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// Plays cases in their order, so many at a time. Confined to the thread that makes it.
struct CheckLanes {
    /// A case that is to be played.
    struct Job {
        /// Of its folder, below that of all.
        var name: String
        var item: Case
        var play: CheckPlan.Play
        var scenario: String
        /// Beside those of all.
        var arguments: [String] = []
        /// That of its scenario, where that has one.
        var seed: Seed?
        var attempt = 1

        /// A relay that runs already, or keeps its database, knows the sessions of the attempt before: these are others.
        var seedArguments: [String] {
            guard attempt > 1, let seed else { return [] }
            return ["--seed", String(seed.child("attempt \(attempt)").value)]
        }
    }

    private struct Playing {
        var job: Job
        var process: RelayProcess
        var deadline: Instant
        var isOverdue = false
    }

    /// Cases side by side; those by a clock that is stepped wait for nothing but their own processes, and so many.
    let count: Int
    private let steppedCount: Int
    private var room: LaneRoom
    let folder: String
    /// Behind `run SCENARIO --out DIR`.
    let arguments: [String]
    let signals: Signals
    var executable: String?
    private(set) var isInterrupted = false
    /// One that runs already, and is the same for all cases.
    var isOneRelay = false
    /// Why the rest was not asked, in words; nil: there was no reason.
    private(set) var whyStopped: String?
    private var jobs: [Job] = []
    private let time = SystemTime()

    /// Small relays that wait most of their time: so many for a processor.
    static var usualCount: Int { min(14, max(1, Machine.current.cores * 7)) }

    /// Between the starts of two that wait: coming up is all work, and who does it together keeps the others waiting. Those by
    /// a clock that is stepped have nobody who is late.
    private static let gap = Interval.milliseconds(250)

    /// A relay that answers no call of so many cases answers none of the others.
    private static let mostMute = 3

    /// A run whose own measuring was not sound says nothing of the relay: so often it is tried.
    private static let mostAttempts = 3
    /// Beyond its planned duration: for the relay to come up and to go, and for the judge.
    private static let patience = Interval.seconds(90)
    /// And for what was ended then, to tell what it has seen.
    private static let grace = Interval.seconds(20)

    init(count: Int, folder: String, arguments: [String], signals: Signals) {
        self.count = count
        room = LaneRoom(most: count)
        steppedCount = min(count, Machine.current.cores * 2)
        self.folder = folder
        self.arguments = arguments
        self.signals = signals
    }

    var waiting: Int { jobs.count }

    mutating func add(_ job: Job) { jobs.append(job) }

    /// The next that there is room for beside those that play: the longest wait first, then what is work alone. Another that
    /// waits begins when `isTime`.
    private mutating func next(beside playing: [Playing], isTime: Bool) -> Job? {
        let stepped = playing.count { $0.job.play.isStepped }
        let place = jobs.indices.filter { jobs[$0].play.isStepped ? stepped < steppedCount : isTime }.max { one, other in
            let (one, other) = (jobs[one].play, jobs[other].play)
            return one.isStepped == other.isStepped ? one.takes < other.takes : one.isStepped
        }
        return playing.count < room.count ? place.map { jobs.remove(at: $0) } : nil
    }

    /// By name. `tell` is told each result as it comes, and gives what is to be played because of it. Where the first could not
    /// run the others are not begun: they would fail alike.
    mutating func play(_ tell: (String, CaseResult) throws(Failure) -> [Job]) throws(Failure) -> [String: CaseResult] {
        signals.attend()
        var results: [String: CaseResult] = [:]
        var playing: [Playing] = []
        var isStopped = false
        var nextStart = time.now()
        while !playing.isEmpty || (!jobs.isEmpty && !isStopped) {
            if !isStopped, let job = next(beside: playing, isTime: time.now() >= nextStart) {
                playing.append(try begin(job))
                if !job.play.isStepped { nextStart = time.now() + Self.gap }
            }
            if signals.wait(atMost: .milliseconds(20)), !isInterrupted {
                isInterrupted = true
                isStopped = true
                signals.endAtNext()
                for item in playing { item.process.send(.int) }
            }
            for place in playing.indices.reversed() {
                hurry(&playing[place])
                let item = playing[place]
                guard item.process.isGone else { continue }
                playing.remove(at: place)
                let result = result(of: item)
                let wasStarved = result.verdict == .inconclusive && !result.isSound
                room.see(wasStarved: wasStarved)
                if wasStarved, item.job.attempt < Self.mostAttempts, !isStopped {
                    var again = item.job
                    again.attempt += 1
                    jobs.append(again)
                    continue
                }
                let outcome = conclude(result, after: results)
                results[item.job.name] = outcome
                jobs += try tell(item.job.name, outcome)
                giveUp(after: results)
                if whyStopped != nil { isStopped = true }
            }
        }
        return results
    }

    /// One that is slow to come up may be so beside many others alone: where it is asked by many, several have to fail.
    private mutating func giveUp(after results: [String: CaseResult]) {
        let enough = min(count, Self.mostMute)
        guard whyStopped == nil, results.count >= enough, results.values.allSatisfy({ $0.verdict == .couldNotRun }) else {
            return
        }
        whyStopped = "not asked: \(results.count == 1 ? "the first case" : "the first \(results.count) cases") could not run"
    }

    /// Whether there is any use in asking further.
    private mutating func conclude(_ result: CaseResult, after others: [String: CaseResult]) -> CaseResult {
        if result.isMute, others.count + 1 >= Self.mostMute, others.allSatisfy(\.value.isMute) {
            whyStopped = "not asked: the relay answered no call of \(others.count + 1) cases"
        }
        let isConvicted = others.contains { $0.value.verdict == .broken }
        guard isOneRelay, result.verdict == .couldNotRun,
            isConvicted || result.wasNeverReady && others.contains(where: \.value.hasAnswers)
        else { return result }
        whyStopped = "not asked: the relay was gone"
        var result = result
        result.relayWasGone(isConvicted: isConvicted)
        return result
    }

    /// A relay that answers nothing would keep its case going: it is judged as far as it got.
    private func hurry(_ item: inout Playing) {
        guard time.now() > item.deadline else { return }
        item.process.send(item.isOverdue ? .kill : .int)
        item.deadline = time.now() + Self.grace
        item.isOverdue = true
    }

    private func directory(of job: Job) -> String {
        "\(folder)/\(job.name)" + (job.attempt > 1 ? "-\(job.attempt)" : "")
    }

    private func begin(_ job: Job) throws(Failure) -> Playing {
        let out = directory(of: job)
        let program = executable ?? FileSystem.executable
        let process = try RelayProcess(
            arguments: [program, "run", job.scenario, "--quiet", "--out", out] + arguments + job.arguments + job.seedArguments,
            environment: [], logPath: out + ".log")
        try process.start()
        return Playing(job: job, process: process, deadline: time.now() + job.play.takes + Self.patience)
    }

    private func result(of playing: Playing) -> CaseResult {
        let job = playing.job
        var result: CaseResult
        do throws(Failure) {
            let record = try ReportFiles.readRecord(at: directory(of: job))
            result = CaseResult(name: job.item.name, question: job.item.question, exercises: job.item.exercises, record)
            result.directory = directory(of: job)
            if playing.isOverdue { result.wasOverdue() }
        } catch {
            result = CaseResult(name: job.item.name, question: job.item.question, verdict: .couldNotRun)
            result.exercises = job.item.exercises
            let words = playing.process.lastWords
            result.reasons = [words.isEmpty ? "its run \(playing.process.ending ?? "left nothing")" : words]
        }
        (result.scenario, result.touches) = (job.scenario, job.item.touches)
        result.attempts = job.attempt
        return result
    }
}
