// `pushrig replay` and `pushrig export`: a red run is red again by the same rules, and green once its defect is gone.

import Basics
import Foundation
import Testing

@Suite("pushrig replay", .serialized)
struct ReplayTests {
    private func relay(_ dialect: String, _ more: [String]) -> [String] {
        [
            "{{pushrig}}", "relay", "--dialect", dialect, "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}",
            "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id",
            "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}", "--storage", "{{run.dir}}/relay.sqlite",
        ] + more
    }

    private func broken(_ folder: String) throws -> Set<String> {
        let verdicts = try Rig.json(folder + "/run.json")["verdicts"]?.array ?? []
        let failing = verdicts.filter { $0["verdict"]?.string == "broken" && $0["level"]?.string == "must" }
        return Set(failing.compactMap { $0["id"]?.string })
    }

    /// The session of a finding, and one that no finding speaks of.
    private func sessions(_ folder: String, rule: String) throws -> (bad: Int64, good: Int64) {
        let verdicts = try Rig.json(folder + "/run.json")["verdicts"]?.array ?? []
        let findings = verdicts.flatMap { $0["findings"]?.array ?? [] }
        let own = verdicts.first { $0["id"]?.string == rule }?["findings"]?.array?.compactMap { $0["session"]?.int } ?? []
        let bad = try #require(own.first)
        let named = Set(findings.compactMap { $0["session"]?.int })
        return (bad, try #require((0..<200).first { !named.contains($0) }))
    }

    private func run(_ scenario: String, _ launch: [String], _ folder: String) throws -> Rig.Output {
        try Rig.run(
            Rig.pushrig,
            [
                "run", scenario, "--out", folder, "--quiet", "--set", "latenessBudget=5s", "--set",
                "relay.launch=" + JSONValue.array(launch.map { .string($0) }).text,
            ])
    }

    private func replay(_ what: String, to folder: String, _ more: [String] = []) throws -> Rig.Output {
        try Rig.run(Rig.pushrig, ["replay", what, "--out", folder, "--quiet"] + more)
    }

    @Test("finds the same rules broken, whole, by one session, from a file, twice as fast; and none without the defect")
    func openCode() throws {
        try Rig.withFolder { folder in
            let honest = relay("opencode", ["--throttle", "1s"])
            let first = try run("Scenarios/conformance/refusals.yaml", honest + ["--defect", "keeps-dead-tokens"], folder + "/run")
            #expect(first.code == 4, "\(first.out)\(first.error)")
            let rules = try broken(folder + "/run")
            #expect(rules == ["dead-token-dropped", "dead-device-token-dropped"])
            let (bad, good) = try sessions(folder + "/run", rule: "dead-token-dropped")
            #expect(first.out.contains("replay  pushrig replay \(folder)/run --session \(bad)"), "\(first.out)")

            // It may have been moved.
            try FileManager.default.moveItem(atPath: folder + "/run", toPath: folder + "/kept")
            let whole = try replay(folder + "/kept", to: folder + "/whole", ["--speed", "2"])
            #expect(whole.code == 4 && whole.out.contains("same verdict: conformance broken (4): dead-token-dropped"), "\(whole.out)")
            #expect(try broken(folder + "/whole") == rules)

            let file = folder + "/bad.ndjson"
            let export = try Rig.run(Rig.pushrig, ["export", folder + "/kept", "--session", "\(bad)", "--out", file])
            #expect(export.code == 0, "\(export.error)")
            let fromFile = try replay(file, to: folder + "/file")
            #expect(fromFile.code == 4 && fromFile.out.contains("same verdict: conformance broken (4): dead-token-dropped"))
            // Of the two, what that session's tokens show.
            #expect(try broken(folder + "/file") == ["dead-token-dropped"])
            #expect(try Rig.json(folder + "/file/run.json")["load"]?["sessions"]?.int == 1)

            let mended = try replay(file, to: folder + "/mended", ["--"] + honest)
            #expect(mended.code == 0 && mended.out.contains("dead-token-dropped was broken, and is kept"), "\(mended.out)\(mended.error)")
            let fine = try replay(folder + "/kept", to: folder + "/fine", ["--session", "\(good)"])
            #expect([0, 5].contains(fine.code) && fine.out.contains("same verdict: "), "\(fine.out)\(fine.error)")

            // A replay is a run: it is judged again, and names itself.
            let judged = try Rig.run(Rig.pushrig, ["judge", folder + "/file"])
            #expect(judged.code == 4 && judged.out.contains("replay  pushrig replay \(folder)/file\n"), "\(judged.out)")
        }
    }

    @Test("finds the same rules broken where the clock is stepped, in a day of one session and in what is left of a killed run")
    func epilogue() throws {
        try Rig.withFolder { folder in
            let honest = relay("epilogue", ["--throttle", "15s", "--clock", "{{mock.clock}}"])
            let first = try run("Scenarios/epilogue.yaml", honest + ["--defect", "ends-before-adoption"], folder + "/run")
            #expect(first.code == 4, "\(first.out)\(first.error)")
            let (bad, _) = try sessions(folder + "/run", rule: "old-kept-until-adopted")
            let one = try replay(folder + "/run", to: folder + "/one", ["--session", "\(bad)"])
            #expect(one.code == 4 && one.out.contains("same verdict: conformance broken (4): "), "\(one.out)\(one.error)")
            #expect(try broken(folder + "/one").contains("old-kept-until-adopted"))
            let mended = try replay(folder + "/one", to: folder + "/mended", ["--"] + honest)
            #expect(mended.code == 0 && mended.out.contains("another verdict"), "\(mended.out)\(mended.error)")

            // As a killed run leaves it.
            for name in ["run", "load-0", "apns-0"] {
                let path = folder + "/run/journal/\(name).journal"
                let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
                try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: UInt64(name == "run" ? size - 100 : size * 3 / 4))
            }
            let torn = try replay(folder + "/run", to: folder + "/torn", ["--session", "\(bad)"])
            #expect(torn.code == 4 && torn.out.contains("old-kept-until-adopted"), "\(torn.out)\(torn.error)")
        }
    }

    @Test("replays a case of a check")
    func check() throws {
        try Rig.withFolder { folder in
            let launch = relay("opencode", ["--defect", "keeps-old-token"])
            let check = try Rig.run(
                Rig.pushrig,
                [
                    "check", "Scenarios/relays/opencode.yaml", "--only", "rotated-token", "--out", folder + "/check", "--seed", "4",
                    "--quiet", "--set", "latenessBudget=5s", "--",
                ] + launch.filter { $0 != "--apns-sandbox" && $0 != "https://{{mock.sandbox}}" })
            #expect(check.code == 4, "\(check.out)\(check.error)")
            let again = try replay(folder + "/check/rotated-token", to: folder + "/again")
            #expect(again.code == 4 && again.out.contains("same verdict: conformance broken (4): "), "\(again.out)\(again.error)")
            #expect(try broken(folder + "/again") == broken(folder + "/check/rotated-token"))
        }
    }

    @Test("a mistake is one line with the fix", arguments: [
        (["replay"], "such as pushrig replay Reports/latest"),
        (["replay", "/nowhere"], "/nowhere holds no journal"),
        (["replay", "README.md"], "is no file of `pushrig export`"),
        (["replay", "Scenarios"], "Scenarios holds no journal"),
        (["replay", "README.md", "--speed", "0"], "--speed 0 is not a number above 0"),
        (["export", "/nowhere"], "/nowhere holds no journal"),
        (["export", "/nowhere", "--to", "xml"], "--to cannot be 'xml'"),
        (["export", "/nowhere", "--out", "README.md"], "README.md is there already"),
    ] as [([String], String)])
    func usage(arguments: [String], says: String) throws {
        let run = try Rig.run(Rig.pushrig, arguments)
        #expect(run.code == 2 && run.error.contains(says), "\(run.out)\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
    }
}
