// Where a run leaves its files.

import Basics
import Foundation
import OperatingSystem
import Testing

@testable import Harness

@Suite struct `A run directory` {
    private let time = WallTime(iso8601: "2026-11-21T10:11:12.345Z")!

    @Test func `is made with its journal and the scenario's text`() throws {
        try Place.withFolder { folder in
            let chosen = folder + "/deep/run"
            let directory = try RunDirectory(chosen: chosen, scenario: "smoke", scenarioText: "name: smoke\n", at: time)
            #expect(directory.path == chosen)
            #expect(FileManager.default.fileExists(atPath: directory.journal))
            #expect(FileSystem.text(of: chosen + "/scenario.yaml") == "name: smoke\n")
        }
    }

    @Test func `may exist, but hold no run`() throws {
        try Place.withFolder { folder in
            func make() throws { _ = try RunDirectory(chosen: folder, scenario: "smoke", scenarioText: "", at: time) }
            try make()
            try FileSystem.write("{}", to: folder + "/run.json")
            let failure = #expect(throws: Failure.self) { try make() }
            #expect(failure?.kind == .usage)
            #expect(failure?.message == "\(folder) holds a run already")
        }
    }

    @Test func `cannot be a file`() throws {
        try Place.withFolder { folder in
            try FileSystem.write("", to: folder + "/file")
            let failure = #expect(throws: Failure.self) {
                _ = try RunDirectory(chosen: folder + "/file/run", scenario: "smoke", scenarioText: "", at: time)
            }
            #expect(failure?.kind == .run)
            #expect(failure?.hint == "choose another with --out DIR")
        }
    }

    /// In a process of its own, since it changes the working folder.
    @Test func `is named after time and scenario, and the latest one is linked`() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "harness-" + UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            precondition(FileManager.default.changeCurrentDirectoryPath(folder.path))
            for name in ["2026-11-21-101112-my-run", "2026-11-21-101112-my-run-2"] {
                let directory = try RunDirectory(
                    chosen: nil, scenario: "my run", scenarioText: "",
                    at: WallTime(iso8601: "2026-11-21T10:11:12.345Z")!)
                precondition(directory.path.hasSuffix("/Reports/" + name), directory.path)
                precondition(FileSystem.destination(of: "Reports/latest") == name)
                precondition(FileSystem.exists("Reports/latest/journal"))
            }
        }
    }
}
