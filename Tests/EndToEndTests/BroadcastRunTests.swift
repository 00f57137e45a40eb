// Broadcasts that a relay owes: the stand-in of scores, as it is and with its bugs.

import Foundation
import Testing

@Suite("Runs with broadcasts")
struct BroadcastRunTests {
    private func run(_ bug: String?) throws -> (code: Int32, out: String) {
        try Rig.withFolder { folder in
            var arguments = ["run", "Scenarios/relays-of-others/scores.yaml", "--quiet", "--out", folder + "/run"]
            if let bug {
                let launch = #"["/usr/bin/python3", "Tests/StandIns/relay.py", "scores", "{{relay.listen}}", "--bug", "\#(bug)"]"#
                arguments += ["--set", "relay.launch=" + launch]
            }
            let run = try Rig.run(Rig.pushrig, arguments)
            return (run.code, run.out + run.error)
        }
    }

    @Test("count each request as what its call owes, and find what is lost and what goes to another's channel")
    func scores() throws {
        let honest = try run(nil)
        #expect(honest.code == 0 && honest.out.contains("32 expected: 32 delivered"), "\(honest.out)")
        let lost = try run("loses-goals")
        #expect(lost.code == 4 && lost.out.contains("states-delivered"), "\(lost.out)")
        let mixed = try run("mixes-channels")
        #expect(mixed.code == 4 && mixed.out.contains("nothing-unexpected"), "\(mixed.out)")
    }
}
