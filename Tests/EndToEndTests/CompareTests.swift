import Basics
import Foundation
import Testing

@Suite("pushrig compare", .serialized)
struct CompareTests {
    /// Two seconds of load without faults; how late our own events leave is a matter of the machine, and not of these tests.
    private static let small = [
        "faults=[]", "exercises=[]", "gates=[]", "latenessBudget=5s", "workload.arrivals=[{rate: 15, for: 1s}]",
        "workload.scripts=[{script: sessions/S0-burst.yaml, with: {silence: 1s}}]", "phases={drain: 2s}",
    ].flatMap { ["--set", $0] }

    private static let scenario = "Scenarios/smoke.yaml"

    private func run(_ folder: String, seed: Int = 1, _ more: [String] = []) throws -> Rig.Output {
        try Rig.run(
            Rig.pushrig, ["run", Self.scenario, "--seed", "\(seed)", "--out", folder, "--quiet"] + Self.small + more)
    }

    private func compare(_ words: [String]) throws -> Rig.Output { try Rig.run(Rig.pushrig, ["compare"] + words) }

    @Test("compares one run each, writes its files, and names what makes runs incomparable")
    func single() throws {
        try Rig.withFolder { folder in
            #expect(try run(folder + "/base").code == 0)
            #expect(try run(folder + "/new").code == 0)
            let out = try compare([folder + "/base", folder + "/new", "--out", folder + "/out"])
            #expect([0, 3, 5].contains(out.code), "\(out.out)\(out.error)")
            #expect(out.out.contains("within one run only: how two runs of the same relay differ is not known"))
            #expect(out.out.contains("processor per push") && out.out.contains("delivery p99.9"), "\(out.out)")
            let json = try Rig.json(folder + "/out/compare.json")
            #expect(json["design"]?.string == "single" && json["exit"]?["code"]?.int == Int64(out.code))
            let names = json["metrics"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == ["delivery.p50", "delivery.p99", "answer.p99"])
            #expect(json["metrics"]?.array?.allSatisfy { $0["low"]?.double != nil } == true, "each by its seconds")
            let page = try String(contentsOfFile: folder + "/out/compare.html", encoding: .utf8)
            #expect(page.contains("id=\"course-wide-t\"") && !page.contains("src=\"http"))
            #expect(try String(contentsOfFile: folder + "/out/summary.md", encoding: .utf8).contains("| Metric | base | new |"))

            #expect(try run(folder + "/other", seed: 2).code == 0)
            let seeds = try compare([folder + "/base", folder + "/other"])
            #expect(seeds.code == 2 && seeds.error.contains("the seeds differ"), "\(seeds.error)")
            #expect(seeds.error.split(separator: "\n").count == 1)
            let none = try compare([folder + "/nowhere", folder + "/new"])
            #expect(none.code == 5 && none.error.contains("there is no baseline"), "\(none.error)")
            let nothing = try compare([folder + "/base", folder + "/nowhere"])
            #expect(nothing.code == 2 && nothing.error.contains("there is no run in"))
            let twice = try compare([folder + "/base", folder + "/base"])
            #expect(twice.code == 2 && twice.error.contains("is on both sides"))
            let unclear = try compare([folder + "/base", folder + "/new", folder + "/other"])
            #expect(unclear.code == 2 && unclear.error.contains("put -- between the sides"))
            let divided = try compare(
                ["--format", "markdown", "--metric", "delivery.p99", folder + "/base", "--", folder + "/new"])
            #expect([0, 3, 5].contains(divided.code) && divided.out.contains("## "), "\(divided.error)")
            let check = try compare(["--self-check", folder + "/base"])
            #expect(check.code == 5 && check.error.contains("1 run cannot be split"), "\(check.error)")
        }
    }

    @Test("plays pairs in turn, one seed each, and names a must that the new relay breaks")
    func live() throws {
        try Rig.withFolder { folder in
            let launch = try launch()
            let out = try Rig.run(
                Rig.pushrig,
                ["compare", "--live", "2", Self.scenario, "--new", launch + " --defect sends-twice", "--out", folder + "/c"]
                    + Self.small, seconds: 240)
            #expect(out.code == 4, "\(out.out)\(out.error)")
            let named = "newly broken  no-duplicate-push (must, broken in 0 of 2 runs before, 2 of 2 now)"
            #expect(out.out.contains(named), "\(out.out)")
            let json = try Rig.json(folder + "/c/compare.json")
            let (base, new) = (try runs(json, "base"), try runs(json, "new"))
            #expect(base.count == 2 && new.count == 2)
            #expect(base.map(\.seed) == new.map(\.seed) && Set(base.map(\.seed)).count == 2)
            // ABBA.
            #expect(base[0].at < new[0].at && new[1].at < base[1].at)
            #expect(out.error.contains("pair 2 of 2"))
            #expect(out.out.contains("cannot show any difference"))
            // What was played can be compared again.
            let again = try compare([folder + "/c/base", folder + "/c/new", "--format", "json"])
            #expect(again.code == out.code)
            #expect(try JSONValue(parsing: again.out)["metrics"] == json["metrics"])
        }
    }

    @Test("of two histories by a stepped clock tells the first push that differs")
    func stepped() throws {
        try Rig.withFolder { folder in
            for (name, more) in [("a", []), ("b", []), ("c", ["--set", "relay.launch[23]=5h"])] as [(String, [String])] {
                let words = ["run", "Scenarios/long/S0-8h.yaml", "--out", folder + "/" + name, "--quiet"]
                _ = try Rig.run(Rig.pushrig, words + more)
            }
            let same = try compare([folder + "/a", folder + "/b", "--format", "json"])
            #expect(try JSONValue(parsing: same.out)["firstDifference"] == .null, "\(same.out)")
            let other = try compare([folder + "/a", folder + "/c"])
            #expect(other.code == 4, "\(other.out)\(other.error)")
            #expect(other.out.contains("the first push that differs: number "), "\(other.out)")
        }
    }

    private func runs(_ json: JSONValue, _ side: String) throws -> [(seed: String, at: String)] {
        try #require(json[side]?["runs"]?.array).map { ($0["seed"]?.string ?? "", $0["startedAt"]?.string ?? "") }
    }

    /// The words with which the scenario launches its relay, for a shell.
    private func launch() throws -> String {
        let text = try String(contentsOfFile: Rig.root + "/" + Self.scenario, encoding: .utf8)
        var words: [String] = []
        var isInside = false
        for line in text.split(separator: "\n") {
            let word = line.drop { $0 == " " }
            if word == "launch:" { isInside = true; continue }
            guard isInside, !word.hasPrefix("#") else { continue }
            guard word.hasPrefix("- ") else { break }
            words.append(word.dropFirst(2).filter { $0 != "\"" })
        }
        return words.map { "'\($0)'" }.joined(separator: " ")
    }

    @Test("tells mistakes of its flags before anything starts", arguments: [
        (["--live", "2", "Scenarios/smoke.yaml"], "both sides launch one relay"),
        (["--live", "0", "Scenarios/smoke.yaml", "--new", "x"], "--live 0 is not a whole number"),
        (["--live", "2", "Scenarios/smoke.yaml", "--new", "'x"], "a quote is left open in --new"),
        (["--live", "2", "Scenarios/smoke.yaml", "--new", " "], "--new names no command"),
        (["--live", "2", "Scenarios/smoke.yaml", "--new", "x", "--metric", "lateness.p99"], "our own lateness"),
        (["a", "b", "--metric", "delivery.p77"], "there is no statistic"),
        (["a", "b", "--margin", "5"], "is no margin"),
        (["a", "b", "--base", "x"], "--base is for relays that are played"),
        (["a"], "compare needs both sides"),
    ] as [([String], String)])
    func mistakes(words: [String], message: String) throws {
        let out = try compare(words)
        #expect(out.code == 2 && out.error.contains(message), "\(out.error)")
        #expect(out.error.split(separator: "\n").count == 1, "\(out.error)")
    }
}
