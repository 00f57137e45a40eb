// A whole run of the second dialect: the honest relay passes, and one that forgets what an update leaves out does not.
// script/truth has the other defects, over many seeds.

import Basics
import Testing

@Suite("pushrig run of opencode-ios", .serialized)
struct OpenCodeIOSRunTests {
    private func run(_ more: [String], in folder: String) throws -> (code: Int32, broken: Set<String>, words: String) {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "opencode-ios", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key",
            "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "1s",
        ]
        let launch = JSONValue.array((words + more).map { .string($0) }).text
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/opencode-ios.yaml", "--out", folder + "/run", "--quiet", "--set", "latenessBudget=5s",
                "--set", "relay.launch=" + launch,
            ])
        let verdicts = try Rig.json(folder + "/run/run.json")["verdicts"]?.array ?? []
        let broken = verdicts.filter { $0["verdict"]?.string == "broken" }.compactMap { $0["id"]?.string }
        return (run.code, Set(broken), run.out + run.error)
    }

    @Test("passes an honest relay")
    func honest() throws {
        try Rig.withFolder { folder in
            let run = try run([], in: folder)
            #expect(run.code == 0 && run.broken == [], "\(run.words)")
        }
    }

    @Test("finds that omitted values are reset")
    func resets() throws {
        try Rig.withFolder { folder in
            let run = try run(["--defect", "resets-omitted"], in: folder)
            #expect(run.code == 4 && run.broken == ["omitted-values-kept", "values-never-fall"], "\(run.words)")
        }
    }
}
