// A mock alone, and a relay that somebody else drives: what its journal shows by itself is judged, and convicts.

import Basics
import Foundation
import Testing

@Suite("A relay that is driven by somebody else")
struct AloneTests {
    /// What each rule says of a relay with that defect, or with none, by the journal of a mock that knows no plan.
    private func standings(_ defect: String?) throws -> [String: String] {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            func told(_ key: String) throws -> String { try #require(mock.ready[key]?.string) }
            let port = 20_000 + Int.random(in: 0..<10_000)
            let relay = Process()
            relay.executableURL = URL(filePath: Rig.pushrig)
            relay.arguments =
                [
                    "relay", "--listen", "127.0.0.1:\(port)", "--apns", "https://\(mock.address)", "--apns-ca", mock.ca, "--key",
                    try told("apnsKey"), "--key-id", try told("keyId"), "--team-id", try told("teamId"), "--topic", mock.topic,
                    "--storage", folder + "/relay.sqlite",
                ] + (defect.map { ["--defect", $0] } ?? [])
            relay.standardOutput = FileHandle.nullDevice
            relay.standardError = FileHandle.nullDevice
            try relay.run()
            defer {
                relay.terminate()
                relay.waitUntilExit()
            }
            func post(_ path: String, _ body: String) throws {
                let url = "http://127.0.0.1:\(port)/v1/\(path)"
                let call = try Rig.run("curl", ["-s", "--retry", "50", "--retry-delay", "1", "--retry-connrefused", "-d", body, url])
                #expect(call.code == 0 && call.out.contains(#""ok":true"#), "\(call)")
            }
            let (phone, card) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
            try post("device/register", #"{"secret":"x","deviceToken":"\#(phone)"}"#)
            try post("activity/register", #"{"secret":"x","sessionID":"s","activityToken":"\#(card)"}"#)
            for type in ["permission", "error"] {
                try post(
                    "event",
                    #"{"secret":"x","serverID":"ab","eventType":"\#(type)","sessionID":"s","title":"T","body":"Working"}"#)
            }
            #expect(try Rig.wait { try mock.journaled()[200] ?? 0 >= 4 })
            usleep(300_000)
            mock.process.terminate()
            mock.process.waitUntilExit()
            let judged = try Rig.run(Rig.pushrig, ["judge", folder + "/state", "--format", "json"])
            let verdicts = try #require(JSONValue(parsing: judged.out)["verdicts"]?.array)
            return Dictionary(
                uniqueKeysWithValues: try verdicts.map {
                    (try #require($0["id"]?.string), try #require($0["standing"]?.string))
                })
        }
    }

    @Test("is kept where it is honest, and convicted of what its pushes show", arguments: [
        (nil, nil), ("repeats-accepted", "accepted-not-repeated"), ("leaves-out-push-type", "push-type-given"),
    ] as [(String?, String?)])
    func judged(defect: String?, rule: String?) throws {
        let standings = try standings(defect)
        #expect(standings["accepted-not-repeated"] != nil && standings["push-type-given"] != nil)
        let red = standings.filter { ["broken", "warning"].contains($0.value) }
        #expect(red == (rule.map { [$0: "warning"] } ?? [:]), "\(standings)")
    }
}
