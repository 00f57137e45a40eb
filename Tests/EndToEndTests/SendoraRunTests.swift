// Orders that go to APNs and to FCM: the honest relay passes, and one whose messages are no data alone does not. script/truth has
// the other defects, over many seeds.

import Basics
import Foundation
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
                "messages-well-formed", "messages-are-meant", "live-update-data-only", "live-update-high", "pushes-as-declared",
                "access-token-reused", "topic-fits-type", "provider-token-reused", "webhooks-signed",
            ]
            #expect(verdicts(run.record, "kept").isSuperset(of: judged))
        }
    }

    @Test("finds what is in a Live Update beside its data", arguments: [
        ("notifies-live-updates", ["pushes-as-declared", "live-update-data-only"]), ("adds-data-key", ["pushes-as-declared"]),
        ("normal-live-updates", ["pushes-as-declared", "live-update-high"]),
    ] as [(String, Set<String>)])
    func notified(defect: String, rules: Set<String>) throws {
        try Rig.withFolder { folder in
            let run = try run("conformance/orders", ["--defect", defect], in: folder)
            #expect(run.code == 4 && verdicts(run.record, "broken") == rules, "\(run.words)")
        }
    }

    /// Each is stepped, so it is over within seconds. Its relay's command, with a defect at its end.
    private func play(_ scenario: String, _ defect: String?, in folder: String) throws -> (broken: Set<String>, code: Int32, words: String) {
        let path = folder + "/" + (defect ?? "honest")
        let file = folder + "/\(scenario).yaml"
        let root = FileManager.default.currentDirectoryPath
        let text = try String(contentsOfFile: "Scenarios/conformance/\(scenario).yaml", encoding: .utf8)
            .replacing("../", with: root + "/Scenarios/")
            .replacing("    - --clock\n", with: (defect.map { "    - --defect\n    - \($0)\n" } ?? "") + "    - --clock\n")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try Rig.run(Rig.pushrig, ["run", file, "--out", path, "--quiet"])
        return (verdicts(try Rig.json(path + "/run.json"), "broken"), run.code, run.out + run.error)
    }

    @Test("passes a relay by what Android devices, clocks and callers do to it, and finds the defect that each shows", arguments: [
        ("held-back", "leaves-out-collapse-keys", "late-states-in-order"),
        ("held-back", "shares-collapse-key", "collapse-keys-apart"), ("sent-again", "names-each-attempt", "repeats-shown-once"),
        ("set-back", "stamps-by-the-clock", "timestamp-seconds-rising"), ("told-to-wait", "hides-retry-time", "throttled-says-when"),
    ])
    func played(scenario: String, defect: String, rule: String) throws {
        try Rig.withFolder { folder in
            let honest = try play(scenario, nil, in: folder)
            #expect(honest.code == 0 && honest.broken == [], "\(honest.words)")
            let broken = try play(scenario, defect, in: folder)
            #expect(broken.code == 4 && broken.broken.subtracting(["states-delivered"]) == [rule], "\(broken.words)")
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
