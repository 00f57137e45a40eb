// Orders that go to APNs and to FCM: the honest relay passes, and one whose messages are no data alone does not. script/truth has
// the other defects, over many seeds.

import Basics
import Testing

@Suite("pushrig run of orders", .serialized)
struct SendoraRunTests {
    private func run(
        _ scenario: String, _ more: [String], in folder: String
    ) throws -> (record: JSONValue, code: Int32, words: String) {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "sendora", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-ca", "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}",
            "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}", "--fcm", "https://{{mock.fcm}}",
            "--service-account", "{{mock.serviceAccount}}", "--storage", "{{run.dir}}/relay.sqlite", "--webhook",
            "{{rig.webhook}}", "--webhook-key", "Scenarios/conformance/webhook.key",
        ]
        let launch = JSONValue.array((words + more).map { .string($0) }).text
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/\(scenario).yaml", "--out", folder + "/run", "--quiet", "--set", "relay.launch=" + launch,
                "--set", "workload.maxSessions=40",
            ])
        return (try Rig.json(folder + "/run/run.json"), run.code, run.out + run.error)
    }

    private func verdicts(_ record: JSONValue, _ word: String) -> Set<String> {
        let verdicts = record["verdicts"]?.array ?? []
        return Set(verdicts.filter { $0["verdict"]?.string == word }.compactMap { $0["id"]?.string })
    }

    @Test("passes a relay that routes each row to its provider, and judges both")
    func honest() throws {
        try Rig.withFolder { folder in
            let run = try run("conformance/orders", [], in: folder)
            #expect(run.code == 0 && verdicts(run.record, "broken") == [], "\(run.words)")
            let judged: Set = [
                "messages-well-formed", "messages-are-meant", "live-update-data-only", "live-update-high",
                "access-token-reused", "topic-fits-type", "provider-token-reused", "webhooks-signed",
            ]
            #expect(verdicts(run.record, "kept").isSuperset(of: judged))
        }
    }

    @Test("finds that a Live Update is no data alone")
    func notified() throws {
        try Rig.withFolder { folder in
            let run = try run("conformance/orders", ["--defect", "notifies-live-updates"], in: folder)
            #expect(run.code == 4 && verdicts(run.record, "broken").contains("live-update-data-only"), "\(run.words)")
        }
    }

    @Test("names what a relay is not told, in one line", arguments: [
        (["--fcm", "https://127.0.0.1:1"], "--service-account is missing"),
        (["--fcm", "https://fcm.googleapis.com", "--service-account", "Package.swift"], "the service account's file is no JSON"),
    ])
    func untold(words: [String], told: String) throws {
        let own = ["relay", "--dialect", "sendora", "--apns", "https://127.0.0.1:1", "--key", "x", "--key-id", "K",
            "--team-id", "T", "--topic", "com.example.app"]
        let run = try Rig.run(Rig.pushrig, own + words)
        #expect(run.code == 2 && run.error.contains(told), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1)
    }
}
