// A whole run whose users have virtual phones, on a clock that is stepped: the honest relay passes, and relays that do wrong
// by phones do not. script/truth runs it in real time.

import Basics
import Testing

@Suite("pushrig run with virtual phones", .serialized)
struct PhonesRunTests {
    private func run(
        _ more: [String] = [], in folder: String, settings: [String] = [], seed: Int = 1
    ) throws -> (code: Int32, broken: Set<String>, words: String) {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "opencode", "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}",
            "--apns-ca", "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}",
            "--topic", "{{mock.topic}}", "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "1s", "--clock",
            "{{mock.clock}}",
        ]
        let launch = JSONValue.array((words + more).map { .string($0) }).text
        let run = try Rig.run(
            Rig.pushrig,
            ["run", "Scenarios/conformance/phones.yaml", "--out", folder + "/run", "--quiet", "--stepped", "--seed", "\(seed)"]
                + ["--set", "relay.launch=" + launch] + settings.flatMap { ["--set", $0] })
        let verdicts = try Rig.json(folder + "/run/run.json")["verdicts"]?.array ?? []
        let broken = verdicts.filter { $0["verdict"]?.string == "broken" }.compactMap { $0["id"]?.string }
        return (run.code, Set(broken), run.out + run.error)
    }

    @Test("passes an honest relay, also where a mock knows no token but those of its phones", arguments: 1...5)
    func honest(seed: Int) throws {
        try Rig.withFolder { folder in
            let run = try run(in: folder, settings: seed == 1 ? ["mock.tokens=registered"] : [], seed: seed)
            #expect(run.code == 0 && run.broken == [], "\(run.words)")
            // The journal tells of all three kinds of phone.
            let notes = try Rig.run(
                Rig.pushrig, ["journal", folder + "/run", "--format", "json"]).out.split(separator: "\n")
            for kind in ["started", "token", "rotated", "ended"] {
                #expect(notes.contains { $0.contains(#""note":"phone""#) && $0.contains(#""kind":"\#(kind)""#) }, "\(kind)")
            }
            let unwoken = notes.filter { $0.contains("not awake: no token was sent") }.count
            #expect(unwoken > 2)
        }
    }

    @Test("finds what a relay does wrong", arguments: [
        ("starts-again", ["one-start", "nothing-unexpected"]), ("never-starts", ["states-delivered"]),
        ("keeps-old-token", ["states-delivered", "last-state-delivered"]), ("leaves-out-counts", ["answers-hold-values"]),
    ])
    func defect(name: String, rules: [String]) throws {
        try Rig.withFolder { folder in
            let run = try run(["--defect", name], in: folder)
            #expect(run.code == 4 && run.broken.isSuperset(of: rules), "\(run.broken)\n\(run.words)")
        }
    }

    @Test("tells the timeline of a session: the phone's token, the call that registers it, and the card")
    func timeline() throws {
        try Rig.withFolder { folder in
            #expect(try run(in: folder).code == 0)
            let lines = try Rig.run(Rig.pushrig, ["journal", folder + "/run", "--session", "0"]).out.split(separator: "\n")
            func place(_ words: String...) -> Int? { lines.firstIndex { line in words.allSatisfy { line.contains($0) } } }
            let started = try #require(place("phone-0-1, activity 1: started"), "\(lines)")
            let token = try #require(place("phone-0-1, activity 1: token, token "))
            let offered = try #require(place("offered", "registerActivity", "for `token` of phone 1"))
            let card = try #require(place("card", "phone 1, activity 1 shows Refactor the parser · Done"))
            #expect(started < token && token < offered && offered < card)
        }
    }

    @Test("what users do on their phones is done, and heard of by what their apps then do", arguments: [
        (
            "[{ do: offline, at: 50ms }, { do: online, at: 3s }]",
            ["on phone-0-1: offline", "→ 200, stored", "on phone-0-1: online", "activity 1: started", "activity 1: token", "for `token`"]
        ),
        (
            "[{ do: kill, at: 50ms }, { do: open, at: 3s }]",
            ["on phone-0-1: kill", "activity 1: started", "on phone-0-1: open", "activity 1: token", "for `token`"]
        ),
        (
            "[{ do: dismiss, on: token, after: 1s }]",
            ["activity 1: token", "for `token`", "on phone-0-1: dismiss, activity 1", "activity 1: dismissed", "for `dismissed`"]
        ),
    ])
    func acts(acts: String, tells: [String]) throws {
        try Rig.withFolder { folder in
            let script =
                "{ steps: [{ call: registerDevice }, { call: start, after: 200ms }, { call: permission, at: 8s }], listen: 3s, "
                + "acts: \(acts), reactions: [{ on: token, call: registerActivity, within: 6s, after: 100ms }, "
                + "{ on: dismissed, call: unregisterActivity, after: 100ms }] }"
            let workload = "workload={ arrivals: [{ rate: 1, for: 1s }], phones: { wake: 500ms }, scripts: [{ script: \(script) }] }"
            let run = try run(in: folder, settings: [workload, "exercises=[]"])
            #expect(run.code == 0 && run.broken == [], "\(run.words)")
            let lines = try Rig.run(Rig.pushrig, ["journal", folder + "/run", "--session", "0"]).out.split(separator: "\n")
            var places = tells.map { words in lines.firstIndex { $0.contains(words) } ?? -1 }
            #expect(!places.contains(-1), "\(places): \(lines.joined(separator: "\n"))")
            places.removeAll { $0 < 0 }
            #expect(places == places.sorted(), "\(places): \(lines.joined(separator: "\n"))")
        }
    }

    @Test("where no app is woken nothing is told, and what waits for it waits in vain")
    func unwoken() throws {
        try Rig.withFolder { folder in
            let reaction = "{ on: token, call: registerActivity, within: 1s }"
            let script = "{ steps: [{ call: registerDevice }, { call: start, after: 100ms }], reactions: [\(reaction)] }"
            let workload = "workload={ arrivals: [{ rate: 2, for: 1s }], phones: { never: 1 }, scripts: [{ script: \(script) }] }"
            let run = try run(in: folder, settings: [workload, "exercises=[]", "gates=[]"])
            #expect(run.code == 5 && run.words.contains("in vain"), "\(run.words)")
        }
    }
}
