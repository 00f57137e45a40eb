// Rows, measured times and branches in a real run: what a file says reaches the phone, and afterwards the journal is enough.

import Basics
import Foundation
import Testing

@Suite("A run with files of data", .serialized)
struct FeedsRunTests {
    private static let users = ["ada", "bob", "cyd"]
    private static let words = ["alpha", "beta"]

    private func scenario(in folder: String) throws -> String {
        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
        }
        try write("users.csv", "user,plan\r\n" + Self.users.map { "\($0),\"a, \"\"b\"\"\"\r\n" }.joined())
        try write("words.jsonl", Self.words.map { #"{"word":"\#($0)","n":1}"# + "\n" }.joined())
        try write("dwell.csv", "100ms\n200ms\n400ms\n")
        try write(
            "feeds.yaml",
            """
            extends: \(Rig.root)/Scenarios/smoke.yaml
            name: feeds
            seed: 3
            latenessBudget: 5s
            workload:
              arrivals: [{ rate: 20, for: 1s }]
              feeders:
                - { file: users.csv }
                - { file: words.jsonl, take: at-random }
              scripts:
                - script:
                    steps:
                      - call: registerDevice
                      - { wait: { file: dwell.csv } }
                      - call: start
                      - { call: registerActivity, after: 300ms }
                      - oneOf:
                          - weight: 3
                            steps: [{ call: permission, after: 500ms, with: { text: "{{feed.user}}: {{feed.word}}?" } }]
                          - steps:
                              - { wait: { file: dwell.csv } }
                              - { call: progress, after: 1s, with: { text: "{{feed.word}}" } }
                      - { call: complete, after: 1500ms }
                      - { call: unregisterActivity, after: 500ms }
            faults: []
            gates: [lost == 0]
            exercises: [states-delivered, content-unchanged]

            """)
        return folder + "/feeds.yaml"
    }

    private func journal(_ out: String) throws -> Data {
        let folder = out + "/journal"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".journal") }
            .reduce(into: Data()) { $0 += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $1)) }
    }

    private func digest(_ output: Rig.Output) -> Substring? {
        output.out.split(separator: "\n").first { $0.hasPrefix("digest") }?.split(separator: " ").last
    }

    @Test("a fed value reaches the relay and the phone, and a judge needs no file")
    func run() throws {
        try Rig.withFolder { folder in
            let path = try scenario(in: folder)
            let out = folder + "/run"
            let planned = try Rig.run(Rig.pushrig, ["run", path, "--dry-run"])
            #expect(planned.code == 0 && planned.out.contains("rows       2 of words.jsonl, at-random"), "\(planned.error)")
            let shard = try Rig.run(Rig.pushrig, ["run", path, "--dry-run", "--shard", "1/2"])
            let whole = try #require(digest(planned))
            #expect(shard.out.contains("all together: \(whole)"), "\(shard.out)\(shard.error)")

            let run = try Rig.run(Rig.pushrig, ["run", path, "--quiet", "--out", out])
            #expect(run.code == 0, "\(run.out)\n\(run.error)")
            // What a call said stands in the push that the relay made of it.
            let heard = try journal(out)
            for user in Self.users {
                #expect(Self.words.contains { heard.range(of: Data("\(user): \($0)?".utf8)) != nil }, "\(user)")
            }
            let before = try Rig.run(Rig.pushrig, ["judge", out])
            for name in ["users.csv", "words.jsonl", "dwell.csv", "feeds.yaml"] {
                try FileManager.default.removeItem(atPath: folder + "/" + name)
            }
            let after = try Rig.run(Rig.pushrig, ["judge", out])
            #expect(after.code == 0 && after.out == before.out, "\(after.out)\(after.error)")
            let record = try Rig.json(out + "/run.json")
            #expect(after.out.contains(whole) || record.text.contains(String(whole)))
            let again = try Rig.run(Rig.pushrig, ["replay", out, "--dry-run"])
            #expect(again.code == 0 && digest(again) == whole, "\(again.out)\(again.error)")
        }
    }

    @Test("too few rows, and a row that is not whole, are told before anything starts")
    func refused() throws {
        try Rig.withFolder { folder in
            let path = try scenario(in: folder)
            let few = try Rig.run(
                Rig.pushrig, ["run", path, "--out", folder + "/run", "--set", "workload.feeders[0].take=once"])
            #expect(few.code == 2 && few.out == "" && !FileManager.default.fileExists(atPath: folder + "/run"))
            #expect(
                few.error.hasSuffix(
                    "feeds.yaml:8:15: `users.csv` has 3 rows to be taken once, and 20 sessions begin (add rows, write "
                        + "`maxSessions: 3`, or `take: in-order`)\n"), "\(few.error)")
            try "user,plan\nada\n".write(toFile: folder + "/users.csv", atomically: true, encoding: .utf8)
            let ragged = try Rig.run(Rig.pushrig, ["run", path, "--dry-run"])
            #expect(ragged.code == 2 && ragged.out == "")
            #expect(
                ragged.error.hasSuffix(
                    "/users.csv:2:1: this row has 1 field, and the header 2 (write an empty field for what it lacks)\n"),
                "\(ragged.error)")
        }
    }
}
