// Runs with pushes that bear no marker, because what they say has no text: told by their token.

import Basics
import Conformance
import Metrics
import Testing

@testable import Verdicts

/// One session to a user: a text, none, and a text again.
private let scenario = """
    name: unmarked
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.app
        passes: [{ channel: liveactivity, at: /aps/content-state/note, from: /contentState/note }]
        calls:
          register: { path: /a, json: { token: "{{activityToken}}" }, registers: [activityToken] }
          write:
            path: /b
            json: { contentState: { note: "{{marker}}" } }
            pushes: [{ channel: liveactivity, event: update }]
          clear:
            path: /b
            json: { contentState: { note: "" } }
            passes: [{ channel: liveactivity, at: /aps/content-state/note, is: null }]
            pushes: [{ channel: liveactivity, event: update, marked: false }]
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: write, after: 2s }
              - { call: clear, after: 2s }
              - { call: write, after: 2s }
    """

@Suite("A run with pushes that bear no marker")
struct UnmarkedRunTests {
    /// What the rules say where the first user's clear is pushed as `spoil` has it; the honest one shows null.
    private func words(
        _ rules: [String], _ spoil: (inout [Sending]) -> Void = { _ in }
    ) throws -> [String] {
        let record = try judge(
            scenario,
            spoil: { sendings, account in
                for index in sendings.indices where sendings[index].row.step == 2 {
                    sendings[index].payload = sendings[index].payload.replacing(#""note":"""#, with: #""note":null"#)
                }
                if account == 0 { spoil(&sendings) }
            })
        return rules.map { id in record.verdicts.first { $0.id == id }?.verdict.word ?? "?" }
    }

    private func clear(_ sendings: [Sending]) -> Int { sendings.firstIndex { $0.row.step == 2 }! }

    @Test("takes each for that of its token's last call that has such a push")
    func told() throws {
        #expect(
            try words(["states-delivered", "nothing-unexpected", "content-unchanged", "state-order"])
                == ["kept", "kept", "kept", "kept"])
    }

    @Test("misses one that does not come, or that comes to a token of nobody's")
    func missed() throws {
        #expect(try words(["states-delivered"]) { $0.remove(at: self.clear($0)) } == ["broken"])
        #expect(try words(["states-delivered"]) { $0[self.clear($0)].token = "abcdef" } == ["broken"])
    }

    @Test("finds one that comes before any such call, one that comes twice, and one that shows something else")
    func wrong() throws {
        let early = try words(["nothing-unexpected"]) { sendings in
            var push = sendings[self.clear(sendings)]
            push.at = sendings[0].at + .seconds(1)
            sendings.insert(push, at: 1)
        }
        #expect(early == ["broken"])
        let twice = try words(["no-duplicate-push"]) { sendings in
            var push = sendings[self.clear(sendings)]
            push.at = push.at + .milliseconds(10)
            sendings.insert(push, at: self.clear(sendings) + 1)
        }
        #expect(twice == ["broken"])
        let other = try words(["content-unchanged", "states-delivered"]) { sendings in
            let index = self.clear(sendings)
            sendings[index].payload = sendings[index].payload.replacing(#""note":null"#, with: #""note":"gone""#)
        }
        #expect(other == ["broken", "broken"])
    }
}
