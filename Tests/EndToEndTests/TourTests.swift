// `pushrig exec --tour` against stand-ins: nobody says what they owe.

import Basics
import Foundation
import Testing

@Suite("A tour")
struct TourTests {
    /// Of Mattermost's push proxy, which names the phone in each call.
    private func tour(_ folder: String, bug: String? = nil, text: String = "{{text}}") throws -> Rig.Output {
        let port = try Rig.freePort()
        let call = """
            curl --json '{"server_id": "s", "device_id": "{{token}}", "platform": "apple", "message": "\(text)"}' \
            http://127.0.0.1:\(port)/api/v1/send_push
            """
        let relay = ["/usr/bin/python3", "Tests/StandIns/relay.py", "mattermost", "127.0.0.1:\(port)"]
        return try Rig.run(
            Rig.pushrig,
            ["exec", "--tour", "--no-443", "--call", call, "--out", folder + "/tour", "--"] + relay + (bug.map { ["--bug", $0] } ?? []))
    }

    @Test("tells of a relay that tries nothing again as a warning, and writes its profile")
    func honest() throws {
        try Rig.withFolder { folder in
            let run = try tour(folder)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(run.out.contains("refused-comes-again"), "\(run.out)")
            let profile = try String(contentsOfFile: folder + "/tour/profile.yaml", encoding: .utf8)
            #expect(profile.contains("tokens: caller") && profile.contains("- { channel: alert, token: deviceToken }"), "\(profile)")
            #expect(profile.contains("- { channel: alert, at: \"/aps/alert\", from: \"/message\" }"), "\(profile)")
            #expect(run.error.contains("What more to say there"), "\(run.error)")
        }
    }

    @Test("convicts one that signs anew for each push")
    func broken() throws {
        try Rig.withFolder { folder in
            let run = try tour(folder, bug: "new-provider-token")
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(run.out.contains("  - provider-token-reused ("), "\(run.out)")
        }
    }

    @Test("says what is wrong with a call before anything is started")
    func unmarked() throws {
        try Rig.withFolder { folder in
            let run = try tour(folder, text: "hello")
            #expect(run.code == 2 && run.error.contains("no call of the tour says {{text}}"), "\(run.out)\(run.error)")
            let other = try tour(folder, text: "{{text}} {{txt}}")
            #expect(other.code == 2 && other.error.contains("unknown variable `txt`"), "\(other.out)\(other.error)")
        }
    }
}
