// `pushrig check` finds what OpenCode's relay does wrong as it was built: docs/reference-relay.md has the table.

import Basics
import Foundation
import Testing

@Suite("pushrig check of a relay as built")
struct AsBuiltTests {
    private func broken(_ profile: String, _ cases: [String], _ flags: [String]) throws -> [String: Set<String>] {
        try Rig.withFolder { folder in
            let relay = [
                "{{pushrig}}", "relay", "--dialect", "opencode", "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}",
                "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id",
                "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}", "--storage",
                "{{run.dir}}/relay.sqlite",
            ]
            let run = try Rig.run(
                Rig.pushrig,
                ["check", "Scenarios/relays/\(profile).yaml", "--seed", "4", "--out", folder + "/check", "--set", "latenessBudget=5s"]
                    + cases.flatMap { ["--only", $0] } + ["--"] + relay + flags, seconds: 280)
            #expect(run.code == 4, "\(run.out)\(run.error)")
            let record = try Rig.json(folder + "/check/check.json")
            var broken: [String: Set<String>] = [:]
            for item in record["cases"]?.array ?? [] {
                // A should that is broken is a warning.
                let rules = item["rules"]?.array?.filter { ["broken", "warning"].contains($0["standing"]?.string) } ?? []
                broken[item["name"]?.string ?? ""] = Set(rules.compactMap { $0["id"]?.string })
            }
            return broken
        }
    }

    /// The rows of the table: a case, and the rule that it turns red.
    private func rows() throws -> [(name: String, rule: String)] {
        let page = try String(contentsOfFile: Rig.root + "/docs/reference-relay.md", encoding: .utf8)
        let section = page.components(separatedBy: "## As built\n")[1].components(separatedBy: "\n## ")[0]
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            return (cells[2], cells[3])
        }
    }

    @Test("shows each trap of the table in its case, by its rule")
    func traps() throws {
        let rows = try rows()
        let broken = try broken("opencode", rows.map(\.name), ["--as-built"])
        for row in rows { #expect(broken[row.name]?.contains(row.rule) == true, "\(row): \(broken[row.name] ?? [])") }
    }

    @Test("shows variant A to an app of variant B, and B to one of A")
    func variants() throws {
        #expect(try broken("opencode-b", ["lifecycle"], ["--as-built", "--variant", "A"])["lifecycle"]?.contains("content-decodes") == true)
        #expect(try broken("opencode", ["lifecycle"], ["--as-built", "--variant", "B"])["lifecycle"]?.contains("content-decodes") == true)
    }
}
