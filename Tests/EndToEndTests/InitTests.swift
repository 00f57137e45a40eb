// `pushrig init relay`: what it writes is read as it is, and nothing is written over.

import Foundation
import Testing

@Suite("pushrig init relay")
struct InitTests {
    @Test("writes files that dry-run as they are and can be checked, and says what to do next", arguments: [nil, "my-relay", "012"])
    func starter(name: String?) throws {
        try Rig.withFolder { folder in
            let out = folder + "/Scenarios"
            let written = try Rig.run(Rig.pushrig, ["init", "relay"] + (name.map { [$0] } ?? []) + ["--out", out])
            let path = "\(out)/\(name ?? "mine").yaml"
            #expect(written.code == 0 && written.out.contains("wrote \(path)\n"), "\(written.out)\(written.error)")
            #expect(written.out.contains("pushrig run \(path) --dry-run"))
            let plan = try Rig.run(Rig.pushrig, ["run", path, "--dry-run"])
            #expect(plan.code == 0 && plan.out.contains("badRequest"), "\(plan.out)\(plan.error)")
            let cases = try Rig.run(Rig.pushrig, ["check", path, "--list"])
            #expect(cases.code == 0 && cases.out.contains("dead-activity-token"), "\(cases.out)\(cases.error)")
        }
    }

    @Test("says how Android is told of, in lines that hold when they are no comment any more")
    func android() throws {
        try Rig.withFolder { folder in
            #expect(try Rig.run(Rig.pushrig, ["init", "relay", "--out", folder]).code == 0)
            func uncomment(_ path: String, from first: String, _ turn: (String) -> String = { $0 }) throws {
                var isInside = false
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
                let text = lines.map { line -> String in
                    let words = line.drop { $0 == " " }
                    isInside = words.hasPrefix("# ") && (isInside || words.hasPrefix("# " + first))
                    return isInside ? String(line.prefix(line.count - words.count) + words.dropFirst(2)) : String(line)
                }.joined(separator: "\n")
                #expect(text.contains("  " + first))
                try turn(text).write(toFile: path, atomically: true, encoding: .utf8)
            }
            try uncomment(folder + "/relays/mine.yaml", from: "registerAndroid:") {
                $0.replacing("{ channel: alert }", with: "{ channel: fcm }")
            }
            try uncomment(folder + "/mine.yaml", from: "FCM_URL:")
            let session = folder + "/sessions/mine.yaml"
            let steps = try String(contentsOfFile: session, encoding: .utf8)
            try steps.replacing("call: registerDevice", with: "call: registerAndroid")
                .write(toFile: session, atomically: true, encoding: .utf8)
            let plan = try Rig.run(Rig.pushrig, ["run", folder + "/mine.yaml", "--dry-run"])
            #expect(plan.code == 0 && plan.out.contains("registerAndroid"), "\(plan.out)\(plan.error)")
        }
    }

    @Test("writes over no file, and then writes none", arguments: ["relays/mine.yaml", "sessions/mine.yaml", "mine.yaml"])
    func keeps(file: String) throws {
        try Rig.withFolder { folder in
            let path = folder + "/" + file
            let place = URL(filePath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try "mine".write(toFile: path, atomically: true, encoding: .utf8)
            let run = try Rig.run(Rig.pushrig, ["init", "relay", "--out", folder])
            #expect(run.code == 2 && run.error.contains("\(path) is there already"), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
            #expect(files == [file])
        }
    }

    @Test("tells wrong words in one line", arguments: [
        ([], "init what?"), (["profile"], "init makes no 'profile'"), (["relay", "a", "b"], "one NAME too many"),
        (["relay", "../a"], "is no name for a relay's files"), (["relay", ""], "is no name for a relay's files"),
    ] as [([String], String)])
    func usage(words: [String], says: String) throws {
        let run = try Rig.run(Rig.pushrig, ["init"] + words)
        #expect(run.code == 2 && run.error.contains(says) && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }
}
