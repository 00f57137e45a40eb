// Runs with reloads of widgets and controls, which say no more than that something changed.

import Basics
import Conformance
import Metrics
import Testing

@testable import Verdicts

/// One session to a user: two changes 50 ms apart, and a third.
private let scenario = """
    name: reloads
    relay:
      url: "http://127.0.0.1:1"
      profile:
        topic: com.example.home
        deadlines: { default: 1s }
        calls:
          register:
            path: /a
            registers: [widgetToken, controlToken, otherControlToken]
            json: { widgets: "{{widgetToken}}", lamp: "{{controlToken}}", door: "{{otherControlToken}}" }
          renew: { path: /a, json: { widgets: "{{newWidgetToken}}" }, registers: [newWidgetToken] }
          lamp: { path: /b, json: { name: lamp }, pushes: [{ channel: widgets }, { channel: controls }] }
          door: { path: /b, json: { name: door }, pushes: [{ channel: widgets }, { channel: controls, token: otherControlToken }] }
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      scripts:
        - script:
            steps:
              - call: register
              - { call: lamp, after: 2s }
              - { call: lamp, after: 50ms }
              - { call: door, after: 2s }
              - { call: renew, after: 2s }
              - { call: lamp, after: 2s }
    """

@Suite("A run with reloads of widgets and controls")
struct ReloadRunTests {
    /// What the rules say where the first user's reloads are as `spoil` leaves them.
    private func words(_ rules: [String], _ spoil: (inout [Sending]) -> Void = { _ in }) throws -> [String] {
        let record = try judge(scenario, spoil: { sendings, account in if account == 0 { spoil(&sendings) } })
        return rules.map { id in record.verdicts.first { $0.id == id }?.verdict.word ?? "?" }
    }

    private static let rules = ["states-delivered", "states-in-time", "nothing-unexpected", "no-duplicate-push", "token-of-its-kind"]
    private static let kept = Array(repeating: "kept", count: rules.count)

    private func index(_ sendings: [Sending], step: UInt32, _ role: Lane.Role) -> Int {
        sendings.firstIndex { $0.row.step == step && $0.row.lane.role == role }!
    }

    @Test("keeps every rule where each change reloads the widgets and its own control")
    func honest() throws { #expect(try words(Self.rules + ["new-token-used"]) == Self.kept + ["kept"]) }

    @Test("takes one reload for all that was said before it left")
    func together() throws {
        let words = try words(Self.rules) { sendings in
            for role in [Lane.Role.widget, .control] { sendings.remove(at: self.index(sendings, step: 1, role)) }
        }
        #expect(words == Self.kept)
    }

    @Test("takes a reload that was refused for now, and came again behind the next change, for that change's and its own")
    func again() throws {
        let words = try words(Self.rules) { sendings in
            let first = self.index(sendings, step: 1, .widget)
            (sendings[first].status, sendings[first].reason, sendings[first].outcome) = (503, "ServiceUnavailable", nil)
        }
        #expect(words == Self.kept)
    }

    @Test("misses a change where the only reload left before it: it is shown late, by the next one, or never")
    func early() throws {
        let late = try words(["states-in-time"]) { sendings in sendings.remove(at: self.index(sendings, step: 2, .widget)) }
        #expect(late == ["broken"])
        let lost = try words(["states-delivered"]) { $0.removeAll { $0.row.step >= 2 && $0.row.lane.role == .widget } }
        #expect(lost == ["broken"])
    }

    @Test("finds the control that is never reloaded, the wrong one, and a reload too many")
    func wrong() throws {
        #expect(try words(["states-delivered"]) { $0.remove(at: self.index($0, step: 3, .otherControl)) } == ["broken"])
        let astray = try words(["no-duplicate-push"]) { sendings in
            var push = sendings[self.index(sendings, step: 3, .otherControl)]
            push.token = sendings[self.index(sendings, step: 1, .control)].token
            push.at = push.at + .milliseconds(20)
            sendings.append(push)
        }
        #expect(astray == ["broken"])
        let twice = try words(["no-duplicate-push"]) { sendings in
            var push = sendings[self.index(sendings, step: 3, .widget)]
            push.at = push.at + .milliseconds(300)
            sendings.append(push)
        }
        #expect(twice == ["broken"])
    }

    @Test("finds what goes to a token of another kind, and to one that was replaced")
    func elsewhere() throws {
        let kinds = try words(["token-of-its-kind"]) { sendings in
            let control = self.index(sendings, step: 3, .otherControl)
            sendings[control].token = sendings[self.index(sendings, step: 3, .widget)].token
        }
        #expect(kinds == ["broken"])
        let old = try words(["new-token-used"]) { sendings in
            sendings[self.index(sendings, step: 5, .widget)].token = sendings[self.index(sendings, step: 1, .widget)].token
        }
        #expect(old == ["broken"])
    }

    @Test("counts a reload that comes behind its deadline as late")
    func late() throws {
        let words = try words(["states-in-time"]) { sendings in
            for index in sendings.indices where sendings[index].row.step == 3 { sendings[index].at = sendings[index].at + .milliseconds(1500) }
        }
        #expect(words == ["broken"])
    }
}
