// A whole run with virtual phones: their apps decode what the profile's schemas say, and what they cannot decode changes
// no card.

import Basics
import Testing

@Suite("pushrig run with phones")
struct PhonesRunTests {
    @Test("no activity begins on a phone whose app cannot decode its state")
    func undecodable() throws {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "opencode", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key",
            "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "1s", "--defect", "wrong-case-keys",
        ]
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/conformance/phones.yaml", "--out", folder + "/run", "--quiet", "--set",
                    "latenessBudget=5s", "--set", "relay.launch=" + JSONValue.array(words.map { .string($0) }).text,
                ])
            let record = try Rig.json(folder + "/run/run.json")
            let outcomes = record["correlation"]?["outcomes"]
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(outcomes?["undecodable"]?.int ?? 0 > 0 && outcomes?["started"] == nil, "\(outcomes?.text ?? "")")
        }
    }
}
