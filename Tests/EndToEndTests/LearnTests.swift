// `pushrig learn` against stand-ins: what it writes is a profile of them.

import Basics
import Foundation
import Testing

@Suite("pushrig learn")
struct LearnTests {
    private static let card = String(repeating: "cd", count: 80)
    private static let newCard = String(repeating: "ce", count: 80)

    @Test("writes a profile of lines of curl, which a check then plays")
    func calls() throws {
        try Rig.withFolder { folder in
            let port = try Rig.freePort()
            func call(_ path: String, _ json: String) -> [String] {
                ["--call", "curl -H 'Authorization: Bearer k' --json '\(json)' http://127.0.0.1:\(port)\(path)"]
            }
            let register = #""platform":"ios","schema_version":1"#
            let relay = ["/usr/bin/python3", "Tests/StandIns/relay.py", "pushgo", "127.0.0.1:\(port)"]
            let run = try Rig.run(
                Rig.pushrig,
                ["learn", "--no-443", "--out", folder + "/learn"]
                    + call("/v1/activity/register", #"{"activity_key":"order-77","token":"\#(Self.card)",\#(register)}"#)
                    + call("/event/update", #"{"activity_key":"order-77","state":{"note":"The pizza is in the oven"}}"#)
                    + call("/v1/activity/register", #"{"activity_key":"order-77","token":"\#(Self.newCard)",\#(register),"replaces":"\#(Self.card)"}"#)
                    + call("/event/close", #"{"activity_key":"order-77","state":{"note":"Enjoy your meal"}}"#) + ["--"] + relay)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            let profile = try String(contentsOfFile: folder + "/learn/profile.yaml", encoding: .utf8)
            for line in [
                "registers: [activityToken]", "registers: [rotatedToken]", "- { channel: liveactivity, event: update, token: activityToken }",
                "- { channel: liveactivity, event: end, token: activityToken }", "final: true",
                #""activity_key":"order-{{sessionID}}""#, #"{"note":"{{marker}} {{text}}"}"#,
                #"at: "/aps/content-state/note", from: "/state/note""#,
            ] {
                #expect(profile.contains(line), "\(line)\n\(profile)")
            }
            let cases = try Rig.run(Rig.pushrig, ["check", folder + "/learn/scenario.yaml", "--list"])
            #expect(cases.code == 0 && cases.out.contains("rotated-token"), "\(cases.out)\(cases.error)")
        }
    }

    @Test("watches somebody's tests through its proxy, and tells where nothing was pushed")
    func tests() throws {
        try Rig.withFolder { folder in
            let port = try Rig.freePort()
            let line = #"/usr/bin/python3 -c "import os, urllib.request as r; print(r.urlopen(os.environ['PUSHRIG_RELAY_URL'] + '/healthz').status)""#
            let relay = ["/usr/bin/python3", "Tests/StandIns/relay.py", "pushgo", "127.0.0.1:\(port)"]
            let arguments = ["learn", "--no-443", "--relay", "http://127.0.0.1:\(port)"]
            let run = try Rig.run(Rig.pushrig, arguments + ["--out", folder + "/learn", "--tests", line, "--"] + relay)
            let said = try String(contentsOfFile: folder + "/learn/tests.log", encoding: .utf8)
            #expect(said == "200\n" && run.error.contains("1 request was seen"), "\(said)\(run.out)\(run.error)")
            #expect(run.code == 1 && run.error.contains("no request that was seen could be made again"), "\(run.out)\(run.error)")
            let silent = try Rig.run(Rig.pushrig, arguments + ["--out", folder + "/silent", "--tests", "true", "--"] + relay)
            #expect(silent.code == 1 && silent.error.contains("nobody called the relay through"), "\(silent.out)\(silent.error)")
        }
    }

    @Test("needs to know where the relay is")
    func usage() throws {
        let run = try Rig.run(Rig.pushrig, ["learn", "--", "true"])
        #expect(run.code == 2 && run.error.contains("nobody says where the relay listens"), "\(run.out)\(run.error)")
    }
}
