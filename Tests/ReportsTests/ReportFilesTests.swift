// The files of a run directory: all there, whole, and read back.

import Basics
import Conformance
import Foundation
import Metrics
import Schemas
import Sessions
import Testing
@testable import Verdicts

@testable import Reports

@Suite struct `Report files` {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "reports-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func `are all written, and nothing else stays behind`() throws {
        try withDirectory { directory in
            try ReportFiles.writeAll(Sample.record(), to: directory)
            try ReportFiles.writeAll(Sample.record(), to: directory)
            #expect(
                try names(in: directory) == ["junit.xml", "latency.hlog", "report.html", "report.sarif", "run.json", "summary.md"])
        }
    }

    @Test func `are read back from the directory or the file`() throws {
        try withDirectory { directory in
            let record = Sample.record()
            try ReportFiles.writeAll(record, to: directory)
            #expect(try ReportFiles.readRecord(at: directory).json == record.json)
            #expect(try ReportFiles.readRecord(at: directory + "/run.json").name == record.name)
        }
    }

    @Test func `tell of sessions as they were seen, with short tokens unless asked for full ones`() throws {
        try withDirectory { directory in
            let sessions = Sample.sessions { $0.worst[0].next?.text.body = "token \(Sample.token)" }
            try ReportFiles.writeAll(Sample.record(), sessions, to: directory, fullTokens: true)
            #expect(try ReportFiles.read(at: directory).sessions == sessions)
            try ReportFiles.writeAll(Sample.record(), sessions, to: directory)
            let read = try ReportFiles.read(at: directory).sessions
            #expect(read == sessions.withShortTokens && read?.worst[0].next?.text.body == "token a1b2c3d4…")
            #expect(try !String(contentsOfFile: directory + "/report.html", encoding: .utf8).contains(Sample.token))
            // A run.json of before tells nothing of them.
            try Sample.record().json.text.write(toFile: directory + "/run.json", atomically: true, encoding: .utf8)
            #expect(try ReportFiles.read(at: directory).sessions == nil)
        }
    }

    @Test func `hold short tokens unless asked for full ones`() throws {
        try withDirectory { directory in
            let record = Sample.record { record in
                record.verdicts[2].verdict = .broken([Sample.finding], count: 1)
            }
            for (fullTokens, expected) in [(false, false), (true, true)] {
                try ReportFiles.writeAll(record, to: directory, fullTokens: fullTokens)
                for name in ["run.json", "report.html"] {
                    let text = try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
                    #expect(text.contains(Sample.token) == expected, "\(name)")
                }
            }
        }
    }

    @Test func `that cannot be written say so in one line`() throws {
        try withDirectory { directory in
            let missing = directory + "/gone"
            #expect {
                try ReportFiles.writeAll(Sample.record(), to: missing)
            } throws: {
                ($0 as? Failure)?.message == "cannot write \(missing)/run.json: No such file or directory"
            }
            try FileManager.default.createDirectory(atPath: directory + "/junit.xml", withIntermediateDirectories: true)
            #expect(throws: Failure.self) { try ReportFiles.writeAll(Sample.record(), to: directory) }
            #expect(try names(in: directory) == ["junit.xml", "latency.hlog", "run.json"])
        }
    }

    @Test func `that are no run record say where they go wrong`() throws {
        try withDirectory { directory in
            try Data("{\"format\": \n oops}".utf8).write(to: URL(filePath: directory + "/run.json"))
            #expect {
                try ReportFiles.readRecord(at: directory)
            } throws: {
                ($0 as? Failure)?.place == "\(directory)/run.json:2:2"
            }
            #expect { try ReportFiles.readRecord(at: "/nowhere") } throws: {
                ($0 as? Failure)?.message == "cannot read /nowhere: No such file or directory"
            }
        }
    }

    @Test func `hold every histogram in latency hlog, tagged`() throws {
        let log = LatencyLog.text(Sample.record { $0.correlation.deliveryByKind["a b,c"] = $0.correlation.answer })
        for tag in ["delivery", "answer", "answer-uncorrected", "lateness", "delivery.progress", "delivery.a_b_c"] {
            #expect(log.contains("Tag=\(tag),"), "\(tag)")
        }
    }

    /// For looking at the page: writes the files where the variable says.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PUSHRIG_SAMPLE_REPORT"] != nil))
    func `can be looked at`() throws {
        let directory = ProcessInfo.processInfo.environment["PUSHRIG_SAMPLE_REPORT"]!
        let troubled = Sample.record { record in
            record.verdicts[2].verdict = .broken(Array(repeating: Sample.finding, count: 5), count: 5)
            record.verdicts[3].verdict = .broken([Sample.finding], count: 1)
            record.gates[1].value = 6.4e8
            record.gates[1].passed = false
            record.correlation.lastState.delivered = 398
            record.correlation.lastState.missingCount = 2
            record.correlation.deadTokens.pushesAfterDeath = 12
            record.correlation.deadTokens.worstDeath = 118
            record.correlation.deadTokens.worstPushes = 5
            record.exit = .init(
                code: 4, word: "conformance broken",
                reasons: [
                    "dead-token-dropped (R0.22, P9, G2) is broken: \(record.verdicts[2].requirement)",
                    "gate breached: delivery.complete.p99 < 500ms, measured 640 ms",
                ])
        }
        for (name, record) in [("passed", Sample.record()), ("troubled", troubled), ("empty", Sample.empty)] {
            let path = "\(directory)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try ReportFiles.writeAll(record, to: path)
        }
        try TerminalSummary.renderText(troubled, color: true, directory: directory)
            .write(toFile: directory + "/terminal.txt", atomically: true, encoding: .utf8)
    }
}
