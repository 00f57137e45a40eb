// Cases of the profile's own, as a user runs them: beside the others, by a clock that the relay shares, and in a proof.

import Basics
import Foundation
import Testing

@Suite("pushrig check, the profile's own cases")
struct OwnCaseRunTests {
    @Test("are judged like the others, and stand in every report; a case of eight hours takes none")
    func check() throws {
        try Rig.withFolder { folder in
            let cases = ["dismissed-card", "aged", "relaunched-app"]
            let run = try Rig.run(
                Rig.pushrig,
                ["check", "Scenarios/check/opencode.yaml", "--stepped", "--seed", "4", "--out", folder + "/check"]
                    + cases.flatMap { ["--only", $0] }, seconds: 280)
            #expect(run.code == 0 && run.out.contains("3 kept"), "\(run.out)\(run.error)")
            for name in ["report.html", "junit.xml", "summary.md", "check.json"] {
                let text = try String(contentsOfFile: "\(folder)/check/\(name)", encoding: .utf8)
                #expect(cases.allSatisfy(text.contains), "\(name)")
            }
            #expect(try Rig.json(folder + "/check/codequality.json") == [])
            let again = try Rig.run(
                Rig.pushrig, ["run", folder + "/check/cases/dismissed-card.yaml", "--quiet", "--out", folder + "/again"])
            #expect(again.code == 0, "\(again.out)\(again.error)")
        }
    }

    @Test("convict what no case for all relays sees, as the map tells, by which a proof is held")
    func prove() throws {
        try Rig.withFolder { folder in
            let page = folder + "/page.md"
            let empty = "<!-- prove: opencode-ios -->\n<!-- prove: end -->\n"
            try empty.write(toFile: page, atomically: true, encoding: .utf8)
            let arguments = ["prove", "Scenarios/check/opencode-ios.yaml", "--quiet"]
            let proven = try Rig.run(
                Rig.pushrig,
                arguments + ["--only", "lowers-progress", "--against", Rig.root + "/docs/conformance.md", "--out", folder + "/one"],
                seconds: 280)
            #expect(proven.code == 0 && proven.out.contains("defects: 1 of 1 proven"), "\(proven.out)\(proven.error)")
            let map = try String(contentsOfFile: folder + "/one/conformance.md", encoding: .utf8)
            #expect(map.contains("| `lowers-progress` | R2.9 | `values-never-fall` | `"), "\(map)")
            let wrong = try Rig.run(
                Rig.pushrig, arguments + ["--only", "lowers-progress", "--against", page, "--out", folder + "/two"], seconds: 280)
            #expect(wrong.code == 5 || wrong.code == 4, "a page that names no case for it: \(wrong.out)\(wrong.error)")
            let without = try Rig.run(Rig.pushrig, ["prove", "Scenarios/check/opencode.yaml", "--against", page])
            #expect(without.code == 2 && without.error.contains("has no place for the dialect opencode"), "\(without.error)")
        }
    }
}
