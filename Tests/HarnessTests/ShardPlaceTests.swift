// Which shard a process is, as each engine tells it.

import Basics
import Testing

@testable import Harness

@Suite("A shard's place")
struct ShardPlaceTests {
    private func place(
        _ text: String = "auto", _ environment: [String: String] = [:], count: Int? = nil, runID: String? = nil
    ) throws -> ShardPlace {
        try ShardPlace(text, count: count, runID: runID) { environment[$0] }
    }

    @Test("is what the engine says", arguments: [
        (["JOB_COMPLETION_INDEX": "3", "PUSHRIG_SHARDS": "8", "PUSHRIG_RUN": "job-1"], 3, 8, "job-1"),
        (["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_JOB_ID": "77"], 2, 4, "77"),
        // --array=10-22:4
        (
            [
                "SLURM_ARRAY_TASK_ID": "18", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10",
                "SLURM_ARRAY_TASK_STEP": "4", "SLURM_ARRAY_JOB_ID": "78", "PUSHRIG_RUN": "ours",
            ], 2, 4, "ours"
        ),
        (["OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"], 0, 2, ""),
        (["PMI_RANK": "5", "PMI_SIZE": "6"], 5, 6, ""),
        (["PARALLEL_SEQ": "4", "PUSHRIG_SHARDS": "4"], 3, 4, ""),
    ])
    func engines(environment: [String: String], index: Int, count: Int, run: String) throws {
        #expect(try place("auto", environment) == ShardPlace(index: index, count: count, runID: run))
    }

    @Test("is counted by --shards, and named by --run-id, first of all")
    func given() throws {
        let found = try place("auto", ["PARALLEL_SEQ": "1", "PUSHRIG_SHARDS": "9", "PUSHRIG_RUN": "a"], count: 3, runID: "b")
        #expect(found == ShardPlace(index: 0, count: 3, runID: "b"))
        #expect(try place("1/4", ["PARALLEL_SEQ": "3"]) == ShardPlace(index: 1, count: 4))
    }

    @Test("knows that it is tried again")
    func attempts() throws {
        let slurm = ["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "1", "SLURM_RESTART_COUNT": "2"]
        #expect(try place("auto", slurm).attempt == 2)
        #expect(try place("0/2", ["PUSHRIG_ATTEMPT": "1"]).attempt == 1)
        #expect(try place("0/2", ["PUSHRIG_ATTEMPT": ""]).attempt == 0)
    }

    @Test("that cannot be is told in one line", arguments: [
        ("auto", [:], "finds none of JOB_COMPLETION_INDEX"), ("4/4", [:], "is not one of 0/N"), ("1", [:], "is not one of 0/N"),
        ("auto", ["JOB_COMPLETION_INDEX": "0"], "does not tell of how many"),
        ("auto", ["JOB_COMPLETION_INDEX": "4", "PUSHRIG_SHARDS": "4"], "is none of 4 shards"),
        ("auto", ["PARALLEL_SEQ": "5", "PUSHRIG_SHARDS": "4"], "is none of 4 shards from 1 on"),
        ("auto", ["PARALLEL_SEQ": "x", "PUSHRIG_SHARDS": "4"], "which is no number"),
        ("0/2", ["PUSHRIG_ATTEMPT": "twice"], "is no number of an attempt"),
        ("0/2", ["PUSHRIG_RUN": "../x y"], "is not made of letters"),
    ])
    func wrong(text: String, environment: [String: String], says: String) throws {
        let failure = #expect(throws: Failure.self) { try place(text, environment) }
        #expect(failure?.kind == .usage && failure?.message.contains(says) == true, "\(failure?.message ?? "")")
    }
}
