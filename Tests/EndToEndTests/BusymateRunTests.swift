// Rows that are pushed when they are written, before their push function has run: the honest relay passes, and one that loses
// them does not. script/truth has the other defects, over many seeds.

import Basics
import Testing

@Suite("pushrig run of rows", .serialized)
struct BusymateRunTests {
    private func run(_ more: [String], in folder: String) throws -> (record: JSONValue, code: Int32, words: String) {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "busymate", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key",
            "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite",
        ]
        let launch = JSONValue.array((words + more).map { .string($0) }).text
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/conformance/cold.yaml", "--out", folder + "/run", "--quiet", "--set",
                "relay.launch=" + launch,
            ])
        return (try Rig.json(folder + "/run/run.json"), run.code, run.out + run.error)
    }

    private func broken(_ record: JSONValue) -> Set<String> {
        let verdicts = record["verdicts"]?.array ?? []
        return Set(verdicts.filter { $0["verdict"]?.string == "broken" }.compactMap { $0["id"]?.string })
    }

    @Test("passes a relay that pushes them when it can")
    func honest() throws {
        try Rig.withFolder { folder in
            let run = try run([], in: folder)
            #expect(run.code == 0 && broken(run.record) == [], "\(run.words)")
        }
    }

    @Test("finds that they are lost")
    func lost() throws {
        try Rig.withFolder { folder in
            let run = try run(["--defect", "loses-cold-writes"], in: folder)
            #expect(run.code == 4 && broken(run.record) == ["states-delivered"], "\(run.words)")
        }
    }
}
