// The evidence of a run as users get at it: `journal`, `report`, `judge` on a mock; and the page that lists every option.

import Basics
import Foundation
import Testing

@Suite("Evidence on the command line", .serialized)
struct JournalVerbTests {
    /// The smoke run, against a reference relay that keeps dead tokens.
    private func run(to out: String) throws -> Rig.Output {
        let relay = [
            "{{pushrig}}", "relay", "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}", "--apns-ca", "{{mock.ca}}",
            "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "1s", "--defect", "keeps-dead-tokens",
        ]
        let launch = "[" + relay.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        return try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/smoke.yaml", "--quiet", "--out", out, "--set", "relay.launch=" + launch,
                "--set", "latenessBudget=5s",
            ])
    }

    @Test("a finding's command shows the history around it, and tokens come back from the journal")
    func finding() throws {
        try Rig.withFolder { folder in
            let out = folder + "/run"
            let run = try run(to: out)
            #expect(run.code == 4, "\(run.out)\n\(run.error)")
            let record = try Rig.json(out + "/run.json")
            let rule = try #require(record["verdicts"]?.array?.first { $0["id"] == "dead-token-dropped" })
            let finding = try #require(rule["findings"]?.array?.first)
            let command = try #require(finding["more"]?.string)
            #expect(run.out.contains("more    " + command))
            #expect(finding["call"]?["kind"]?.string != nil)
            let words = command.split(separator: " ").map(String.init)
            let shown = try Rig.run(Rig.pushrig, Array(words.dropFirst()))
            #expect(shown.code == 0 && shown.out.contains("\n> "), "\(command)\n\(shown.out)\(shown.error)")

            let path = finding["exchanges"]?.array?.first?["request"]?.array?.compactMap(\.string).first { $0.hasPrefix(":path") }
            let short = try #require(path?.split(separator: "/").last)
            #expect(short.count == 9 && short.hasSuffix("…"))
            let full = try Rig.run(
                Rig.pushrig, ["journal", out, "--token", String(short), "--full-tokens", "--format", "json", "--limit", "1"])
            let token = try #require(try JSONValue(parsing: full.out)["token"]?.string)
            #expect(token.count > 60)
            func page(_ arguments: [String]) throws -> String {
                let report = try Rig.run(Rig.pushrig, ["report", out, "--out", folder + "/again"] + arguments)
                #expect(report.code == 0, "\(report.error)")
                return try String(contentsOfFile: folder + "/again/report.html", encoding: .utf8)
            }
            #expect(try !page([]).contains(token))
            #expect(try page(["--full-tokens"]).contains(token))

            // Of a run that was killed there is the journal alone.
            try FileManager.default.removeItem(atPath: out + "/run.json")
            #expect(try page([]).contains("dead-token-dropped"))
            try FileManager.default.copyItem(atPath: folder + "/again/run.json", toPath: out + "/run.json")
            try FileManager.default.removeItem(atPath: out + "/journal")
            let gone = try Rig.run(Rig.pushrig, ["report", out, "--full-tokens"])
            #expect(gone.code == 2 && gone.error.contains("the journal that holds them is gone"), "\(gone.error)")
            #expect(gone.error.split(separator: "\n").count == 1)
        }
    }

    @Test("a mock's own journal is shown and judged, and the verdict says that there was no plan")
    func mock() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder)
            var arguments = ["-s", "--http2", "--cacert", mock.ca, "-d", #"{"aps":{"alert":"hello"}}"#]
            for (name, value) in mock.headers { arguments += ["-H", "\(name): \(value)"] }
            for _ in 0..<2 { _ = try Rig.run("curl", arguments + [mock.url]) }
            let shown = try Rig.run(Rig.pushrig, ["journal", folder])
            #expect(shown.code == 0 && shown.out.contains("a mock's own journal"), "\(shown.out)\(shown.error)")
            #expect(shown.out.contains("alert, token a1a1a1a1… → 200, shown"))
            let judged = try Rig.run(Rig.pushrig, ["judge", folder])
            #expect(judged.code == 0 && judged.out.contains("no plan: nothing was expected"), "\(judged.out)\(judged.error)")
            let gated = try Rig.run(Rig.pushrig, ["judge", folder, "--gate", "lost == 0"])
            #expect(gated.code == 5, "\(gated.out)")
        }
    }

    @Test("docs/cli.md tells what --help tells of every verb")
    func page() throws {
        let page = try String(contentsOfFile: Rig.root + "/docs/cli.md", encoding: .utf8)
        let overview = try Rig.run(Rig.pushrig, ["--help"]).out
        let verbs = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(verbs.contains("journal") && verbs.count >= 10)
        for verb in verbs {
            let help = try Rig.run(Rig.pushrig, [verb, "--help"]).out
            #expect(page.contains("\n## `pushrig \(verb)`\n\n```\n\(help)```\n"), "docs/cli.md is not what `pushrig \(verb) --help` says")
        }
    }
}
