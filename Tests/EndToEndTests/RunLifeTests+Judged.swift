// Judged again by the real program: the same record, and of a run that was killed what there is.

import Basics
import Foundation
import Journal
import Testing

extension RunLifeTests {
    private func launch(_ more: [String]) -> [String] {
        let words = [
            "{{pushrig}}", "relay", "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}", "--apns-ca", "{{mock.ca}}",
            "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite",
        ]
        return ["--set", "relay.launch=" + JSONValue.array((words + more).map { .string($0) }).text]
    }

    private func judge(_ folder: String) throws -> (code: Int32, record: JSONValue) {
        let judged = try Rig.run(Rig.pushrig, ["judge", folder, "--format", "json"])
        return (judged.code, try JSONValue(parsing: judged.out))
    }

    /// Members that differ, down to the values.
    private func differences(_ one: JSONValue?, _ other: JSONValue?, at path: String = "") -> [String] {
        if one == other { return [] }
        if let one = one?.object, let other = other?.object {
            return Set(one.map(\.key) + other.map(\.key)).sorted().flatMap { differences(one[$0], other[$0], at: path + "/" + $0) }
        }
        if let one = one?.array, let other = other?.array, one.count == other.count {
            return zip(one, other).enumerated().flatMap { differences($1.0, $1.1, at: path + "/\($0)") }
        }
        return ["\(path): \(one?.text ?? "nothing") and \(other?.text ?? "nothing")"]
    }

    @Test(
        "judged again, a run gives the record that it gave, member by member",
        arguments: [
            (0, []), (3, ["--gate", "delivery.p99 < 1ns"]), (4, ["--defect", "sends-twice"]),
        ] as [(Int32, [String])])
    func judgedAgain(code: Int32, more: [String]) throws {
        try Rig.withFolder { folder in
            let isDefect = more.first == "--defect"
            let arguments = small + (isDefect ? launch(more) : more) + ["--out", folder + "/run"]
            let run = try Rig.run(Rig.pushrig, arguments)
            #expect(run.code == code, "\(run.out)\(run.error)")
            let record = try Rig.json(folder + "/run/run.json")
            #expect(record["correlation"]?["pushes"]?.int ?? 0 > 50)
            let judged = try judge(folder + "/run")
            #expect(judged.code == code)
            #expect(differences(record, judged.record) == [])
        }
    }

    @Test(
        "killed in the middle, a run is judged as far as it got, and marked so; what is proven is proven",
        arguments: [(5, []), (4, ["--defect", "sends-twice"])] as [(Int32, [String])])
    func judgedAfterKill(code: Int32, defect: [String]) throws {
        try Rig.withFolder { folder in
            let code9 = try start(
                small + launch(defect) + ["--set", "workload.arrivals=[{rate: 30, for: 5s}]"], folder: folder + "/run",
                when: { $0 == .phase("measure") }
            ) { process in
                usleep(2_500_000)
                kill(process.processIdentifier, SIGKILL)
            }
            #expect(code9 == SIGKILL && !FileManager.default.fileExists(atPath: folder + "/run/run.json"))
            let judged = try judge(folder + "/run")
            #expect(judged.code == code, "\(judged.record["exit"]?.text ?? "")")
            #expect(judged.record["exit"]?["code"]?.int == Int64(code))
            #expect(judged.record["correlation"]?["totals"]?["delivered"]?.int ?? 0 > 30)
            let lost = judged.record["correlation"]?["totals"]?["lost"]?.int ?? 0
            #expect(lost == 0)
            let end = judged.record["soundness"]?.array?.first { $0["name"]?.string == "the run came to its end" }
            #expect(end?["passed"] == .bool(false))
            #expect(end?["detail"]?.string == "the run was killed: this is judged as far as it got")
            let broken = (judged.record["verdicts"]?.array ?? []).filter { $0["standing"]?.string == "broken" }
            #expect(broken.isEmpty == defect.isEmpty, "\(broken)")
        }
    }
}
