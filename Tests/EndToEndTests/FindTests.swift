// A search with the real program: two trials of a relay that holds the one load it is asked about.

import Basics
import Foundation
import Testing

@Suite("pushrig find")
struct FindVerbTests {
    @Test("searches, keeps each trial as a run, and goes on where it was stopped")
    func search() throws {
        try Rig.withFolder { folder in
            let out = folder + "/find"
            let terms = [
                "--from", "20", "--to", "20", "--trial", "7s", "--sum", "7s", "--confirm", "0s", "--gate", "delivery.p90 < 5s",
                "--set", "latenessBudget=2s", "--set", "phases.drain=5s",
            ]
            let first = try Rig.run(Rig.pushrig, ["find", "Scenarios/capacity.yaml", "--out", out, "--budget", "49s"] + terms)
            let text = try String(contentsOfFile: out + "/find.json", encoding: .utf8)
            let record = try JSONValue(parsing: text)
            #expect(record["format"]?.string == "pushrig.find" && record["goals"]?.array?.count == 1)
            let trials = try #require(record["trials"]?.array)
            #expect(trials.first?["kind"]?.string == "warm-up" && trials.count >= 2)
            for trial in trials {
                let run = out + "/" + (trial["folder"]?.string ?? "")
                #expect(FileManager.default.fileExists(atPath: run + "/run.json"))
                // Both processors may be busy here: then the search says so, and no number.
                guard trial["void"]?.isNull == true, trial["kind"]?.string == "trial" else { continue }
                #expect(trial["figures"]?["deliveryP99Nanoseconds"]?.double ?? 0 > 0)
            }
            #expect(FileManager.default.fileExists(atPath: out + "/curve.html"))
            let stop = record["stop"]?.string
            #expect(["above-max", "deadline", "rig-limit"].contains(stop), "\(first.out)\(first.error)")
            #expect(first.code == (stop == "above-max" ? 0 : 5), "\(first.out)\(first.error)")
            #expect(first.out.contains("find.json, curve.html and the runs"))

            let again = try Rig.run(Rig.pushrig, ["find", "Scenarios/capacity.yaml", "--out", out] + terms)
            #expect(again.code == 2 && again.error.contains("holds a search already"), "\(again.error)")
            let other = try Rig.run(Rig.pushrig, ["find", "--resume", out, "--gate", "delivery.p50 < 1s"])
            #expect(other.code == 2 && other.error.contains("--gate beside --resume"), "\(other.error)")

            // It takes up what it knows: what was asked, and each trial that counted.
            let resumed = try Rig.run(Rig.pushrig, ["find", "--resume", out, "--budget", "3m"])
            let later = try JSONValue(parsing: try String(contentsOfFile: out + "/find.json", encoding: .utf8))
            #expect(later["asked"] == record["asked"] && later["terms"]?["from"]?.double == 20)
            #expect(Array((later["trials"]?.array ?? []).prefix(trials.count)) == trials)
            #expect(["above-max", "rig-limit"].contains(later["stop"]?.string), "\(resumed.out)\(resumed.error)")

            // Of another scenario's plan nothing is known here, and what it would not have tried is no trial of it.
            func spoilt(_ name: String, _ value: JSONValue) -> JSONValue {
                .array(trials.enumerated().map { $0 == 1 ? .object($1.object?.with(name, value) ?? JSONObject()) : $1 })
            }
            for (change, words) in [
                ({ $0["trials"] = spoilt("rate", 60) }, "trial 2 in"), ({ $0["trials"] = spoilt("seed", "5") }, "trial 2 in"),
                ({ $0["trials"] = spoilt("seconds", 70) }, "trial 2 in"),
                ({ $0["trials"] = .array(trials + [trials[trials.count - 1]]) }, "is not one that this search would have made"),
                ({ $0["terms"] = .object(($0["terms"]?.object ?? JSONObject()).with("width", 0)) }, "is not from"),
                ({ $0["filesDigest"] = "0" }, "is another than when the search"),
            ] as [((inout JSONObject) -> Void, String)] {
                var object = try #require(record.object)
                change(&object)
                try JSONValue.object(object).text.write(toFile: out + "/find.json", atomically: true, encoding: .utf8)
                let refused = try Rig.run(Rig.pushrig, ["find", "--resume", out])
                #expect(refused.code == 2 && refused.error.contains(words), "\(refused.out)\(refused.error)")
            }
            var object = try #require(later.object)
            object["planDigest"] = "0"
            try JSONValue.object(object).text.write(toFile: out + "/find.json", atomically: true, encoding: .utf8)
            let moved = try Rig.run(Rig.pushrig, ["find", "--resume", out])
            #expect(moved.code == 2 && moved.error.contains("is another than when the search"), "\(moved.error)")
        }
    }

    @Test("what no search could answer is one line, before anything starts", arguments: [
        (["--budget", "5s"], "a budget of 5 s is too short"), (["--from", "9", "--to", "3"], "--from is above --to"),
        (["--set", "relay.restarts=[{ at: 2s }]"], "restarted on purpose"), (["--gate", "delivery.p9999 < 1s"], "no statistic"),
        (["--resume", "/nowhere"], "Scenarios/capacity.yaml beside --resume"),
    ])
    func refusals(arguments: [String], words: String) throws {
        let result = try Rig.run(Rig.pushrig, ["find", "Scenarios/capacity.yaml"] + arguments)
        #expect(result.code == 2 && result.error.contains(words), "\(result.error)")
    }
}

extension JSONObject {
    fileprivate func with(_ name: String, _ value: JSONValue) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
