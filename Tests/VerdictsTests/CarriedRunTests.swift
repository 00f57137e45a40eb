// Runs of a relay whose calls say only what has changed, judged as a whole.

import Basics
import Conformance
import Metrics
import Testing

@testable import Journal
@testable import Verdicts

/// One session to a user: at 0.5, then twice a call that says nothing of it, then the end.
private let scenario = """
    name: carried
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        carries: { progress: { at: /aps/content-state/progress, from: /contentState/progress, rises: true } }
        calls:
          register: { path: /a, json: { token: "{{activityToken}}" }, registers: [activityToken] }
          update:
            path: /b
            variables: { progress: null }
            json: { contentState: { progress: "{{progress|optional}}", note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: update }]
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: update, after: 2s, with: { progress: 0.5 } }
              - { call: update, after: 2s, every: 2s, count: 2 }
    """

@Suite("A run of states told piece by piece")
struct CarriedRunTests {
    private static let rules = ["omitted-values-kept", "values-never-fall"]

    /// The honest relay's later pushes show 0.5; `shown` is what they show in the sessions of the first user instead.
    private func words(_ shown: String, failing step: UInt32? = nil) throws -> [String] {
        let record = try judge(
            scenario,
            call: { if $0.step == step { $0.status = 500 } },
            spoil: { sendings, account in
                for index in sendings.indices where sendings[index].row.step > 1 {
                    let progress = account == 0 ? shown : "0.5"
                    sendings[index].payload = sendings[index].payload.replacing(
                        #""content-state":{"#, with: #""content-state":{"progress":\#(progress),"#)
                }
            })
        return Self.rules.map { id in record.verdicts.first { $0.id == id }?.verdict.word ?? "?" }
    }

    @Test("keeps what was left out")
    func kept() throws { #expect(try words("0.50") == ["kept", "kept"]) }

    @Test("is broken where something else is shown, and where that is less")
    func broken() throws {
        #expect(try words("0.75") == ["broken", "kept"])
        #expect(try words("0") == ["broken", "broken"])
    }

    /// The second update is refused, as the profile allows, and changes nothing.
    @Test("goes on from before a call that was refused", arguments: [("0.5", "kept"), ("0.9", "broken")])
    func refused(shown: String, word: String) throws {
        let more = "- { call: update, after: 2s, with: { progress: 0.9 } }\n          - { call: update, after: 2s }"
        let lenient = scenario.replacing("path: /b", with: "path: /b\n        expect: [200, 413]")
            .replacing("- { call: update, after: 2s, every: 2s, count: 2 }", with: more)
        let record = try judge(
            lenient, call: { if $0.step == 2 { $0.status = 413 } },
            spoil: { sendings, _ in
                sendings.removeAll { $0.row.step == 2 }
                for index in sendings.indices where sendings[index].row.step == 3 {
                    sendings[index].payload = sendings[index].payload.replacing(
                        #""content-state":{"#, with: #""content-state":{"progress":\#(shown),"#)
                }
            })
        #expect(record.verdicts.first { $0.id == "omitted-values-kept" }?.verdict.word == word)
        #expect(record.verdicts.first { $0.id == "states-delivered" }?.verdict.word == "kept")
    }

    /// Two lives of a session under one token: the end of the first was refused, so that no end closed its card.
    @Test("counts anew in a session's next life", arguments: [(true, "kept"), (false, "broken")])
    func nextLife(isOver: Bool, word: String) throws {
        let begins = "{ path: /s, json: { n: '{{marker}}' }, pushes: [{ channel: liveactivity, event: start }] }"
        let lives = scenario.replacing("[activityToken]", with: "[activityToken, startToken]").replacing(
            "    update:\n", with: "    start: \(begins)\n      finish: { path: /f, final: \(isOver), json: { n: '{{marker}}' }, pushes: [\(isOver ? "{ channel: liveactivity, event: end }" : "")] }\n      update:\n"
        ).replacing(
            "- { call: update, after: 2s, every: 2s, count: 2 }",
            with: """
                - { call: finish, after: 2s }
                          - { call: start, after: 2s }
                          - { call: update, after: 2s, with: { progress: 0.1 } }
                          - { call: update, after: 2s }
                """
        ).replacing("- call: register\n", with: "- call: register\n          - { call: start, after: 1s }\n")
        // The last update says nothing of it, and shows what its own life said last.
        let record = try judge(
            lives,
            spoil: { sendings, _ in
                for index in sendings.indices where sendings[index].row.step == 6 {
                    sendings[index].payload = sendings[index].payload.replacing(
                        #""content-state":{"#, with: #""content-state":{"progress":0.1,"#)
                }
            })
        #expect(record.verdicts.first { $0.id == "values-never-fall" }?.verdict.word == word, "\(record.exit.reasons)")
        #expect(record.verdicts.first { $0.id == "omitted-values-kept" }?.verdict.word == word)
    }

    /// Nobody knows what the relay made of that call; its own push is all that is left to judge.
    @Test("is not judged behind a call that failed")
    func failed() throws { #expect(try words("0", failing: 1) == ["kept", "kept"]) }
}
