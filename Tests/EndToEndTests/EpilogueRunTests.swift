// A day of the third dialect, stepped: the honest relay passes, and one that ends a card before another has taken its place
// does not. script/truth has the other defects, over many seeds.

import Basics
import Testing

@Suite("pushrig run of epilogue", .serialized)
struct EpilogueRunTests {
    private func run(_ more: [String], in folder: String) throws -> (record: JSONValue, code: Int32, words: String) {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "epilogue", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key",
            "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "15s", "--clock", "{{mock.clock}}",
        ]
        let launch = JSONValue.array((words + more).map { .string($0) }).text
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/epilogue.yaml", "--out", folder + "/run", "--quiet", "--set", "relay.launch=" + launch,
            ])
        return (try Rig.json(folder + "/run/run.json"), run.code, run.out + run.error)
    }

    private func broken(_ record: JSONValue) -> Set<String> {
        let verdicts = record["verdicts"]?.array ?? []
        return Set(verdicts.filter { $0["verdict"]?.string == "broken" }.compactMap { $0["id"]?.string })
    }

    @Test("passes an honest relay, 22 hours in less than a minute")
    func honest() throws {
        try Rig.withFolder { folder in
            let time = ContinuousClock()
            let began = time.now
            let run = try run([], in: folder)
            #expect(run.code == 0 && broken(run.record) == [], "\(run.words)")
            #expect(time.now - began < .seconds(60))
            #expect(try #require(run.record["durationNanoseconds"]?.int) > 22 * 3_600_000_000_000)
        }
    }

    @Test("finds that a card is ended before another has taken its place")
    func early() throws {
        try Rig.withFolder { folder in
            let run = try run(["--defect", "ends-before-adoption"], in: folder)
            #expect(run.code == 4 && broken(run.record).contains("old-kept-until-adopted"), "\(run.words)")
        }
    }
}
