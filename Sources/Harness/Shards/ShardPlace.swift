// Which shard of how many this process is: as the command line says, or as whoever started it says in the environment.

package import Basics
import Journal

/// One shard's place in a run on several machines.
package struct ShardPlace: Hashable, Sendable {
    /// `0..<count`, and that in `PlanNote.shardCounts`.
    package var index: Int
    package var count: Int
    /// Names the run; empty: nobody did.
    package var runID = ""
    /// 0 for the first; whoever starts a shard again says 1.
    package var attempt = 0

    /// Our own words of the environment: for engines that do not tell all of it, and over what they tell.
    static let countName = "PUSHRIG_SHARDS"
    static let runName = "PUSHRIG_RUN"
    static let attemptName = "PUSHRIG_ATTEMPT"

    package init(index: Int, count: Int, runID: String = "", attempt: Int = 0) {
        self.index = index
        self.count = count
        self.runID = runID
        self.attempt = attempt
    }

    /// `text` is `I/N` or `auto`, `count` is `--shards`, `runID` is `--run-id`. Throws a usage failure for what is no shard,
    /// and for `auto` where the environment does not tell it.
    package init(
        _ text: String, count: Int?, runID: String?, environment: (String) -> String?
    ) throws(Failure) {
        let engine = Engine.all.first { environment($0.index) != nil }
        if text == "auto" {
            (index, self.count) = try Self.found(engine, count, environment)
        } else {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let index = parts[0], let count = parts[1], 0 <= index, index < count,
                PlanNote.shardCounts.contains(count)
            else {
                throw Failure(
                    .usage, "--shard \(text) is not one of 0/N to N-1/N with N up to 1000000",
                    hint: "for example --shard 0/4, or --shard auto")
            }
            (self.index, self.count) = (index, count)
        }
        self.runID = runID ?? environment(Self.runName) ?? engine?.run.flatMap(environment) ?? ""
        guard self.runID.utf8.count <= Self.longestName, self.runID.utf8.allSatisfy(Self.isNameByte) else {
            throw Failure(
                .usage,
                "the run id '\(self.runID)' is not made of letters, digits, '.', '-' and '_', at most \(Self.longestName)",
                hint: "for example --run-id nightly-42")
        }
        let tried = environment(Self.attemptName) ?? engine?.attempt.flatMap(environment) ?? ""
        guard let attempt = tried.isEmpty ? 0 : Int(tried), attempt >= 0 else {
            throw Failure(.usage, "\(Self.attemptName) is '\(tried)', which is no number of an attempt", hint: "0 is the first")
        }
        self.attempt = attempt
    }

    private static let longestName = 100
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // MARK: - What engines say

    /// The names of the environment by which an engine tells a process its place.
    private struct Engine: Sendable {
        var index: String
        var counts: [String]
        /// The lowest index, and how far one is from the next.
        var first: String?
        var step: String?
        var usualFirst = 0
        var run: String?
        var attempt: String?

        /// The first that is there counts. Kubernetes (Indexed Job), Slurm (job array), Open MPI, MPICH and other PMI, GNU
        /// parallel.
        static let all = [
            Engine(index: "JOB_COMPLETION_INDEX", counts: []),
            Engine(
                index: "SLURM_ARRAY_TASK_ID", counts: ["SLURM_ARRAY_TASK_COUNT"], first: "SLURM_ARRAY_TASK_MIN",
                step: "SLURM_ARRAY_TASK_STEP", run: "SLURM_ARRAY_JOB_ID", attempt: "SLURM_RESTART_COUNT"),
            Engine(index: "OMPI_COMM_WORLD_RANK", counts: ["OMPI_COMM_WORLD_SIZE"]),
            Engine(index: "PMI_RANK", counts: ["PMI_SIZE"]),
            Engine(index: "PARALLEL_SEQ", counts: [], usualFirst: 1),
        ]
    }

    private static func found(
        _ engine: Engine?, _ given: Int?, _ environment: (String) -> String?
    ) throws(Failure) -> (index: Int, count: Int) {
        guard let engine else {
            throw Failure(
                .usage, "--shard auto finds none of \(Engine.all.map(\.index).joined(separator: ", ")) in the environment",
                hint: "give --shard I/N, or let Kubernetes, Slurm, MPI or GNU parallel start it")
        }
        func number(_ name: String?) throws(Failure) -> Int? {
            guard let name, let text = environment(name) else { return nil }
            guard let number = Int(text) else { throw Failure(.usage, "\(name) is '\(text)', which is no number") }
            return number
        }
        var count = given
        if count == nil { count = try number(countName) }
        for name in engine.counts where count == nil { count = try number(name) }
        guard let count else {
            throw Failure(
                .usage, "\(engine.index) does not tell of how many shards", hint: "give --shards N, or set \(countName)=N")
        }
        let first = try number(engine.first) ?? engine.usualFirst
        let step = max(1, try number(engine.step) ?? 1)
        guard let task = try number(engine.index), PlanNote.shardCounts.contains(count), task >= first,
            (task - first) % step == 0, (task - first) / step < count
        else {
            throw Failure(
                .usage, "\(engine.index)=\(environment(engine.index) ?? "") is none of \(count) shards from \(first) on",
                hint: "an array of N tasks needs N shards: see --shards and \(countName)")
        }
        return ((task - first) / step, count)
    }
}
