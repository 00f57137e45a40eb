// A journal can be read by itself: the definition of each rule stands in it, however the rule came, before the first push
// that met it.

import Basics
import Faults
import Journal
import MockServer
import Testing

@Suite struct RuleNoteTests {
    private func definitions(_ mock: TestMock) throws -> [JSONValue] {
        var notes: [JSONValue] = []
        _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
            if case .note(let note) = entry, note.kind == .rule { notes.append((try? JSONValue(parsing: note.text)) ?? .null) }
            return true
        }
        return notes
    }

    @Test func `each rule is defined once, whether the admin API gave it or whoever embeds the mock`() throws {
        try withMock { mock in
            let fromAPI = #"{"id":"outage","action":{"respond":{"reason":"Shutdown"}},"times":1}"#
            try mock.fault(fromAPI)
            let rule = try FaultRule(json: JSONValue(parsing: #"{"action":{"delay":"1ms"},"match":{"nth":2}}"#))
            #expect(mock.service.add(rule, now: now()) == "f2")
            let notes = try definitions(mock)
            #expect(notes.map { $0["number"]?.int } == [1, 2] && notes.map { $0["id"]?.string } == ["outage", "f2"])
            let rules = try notes.map { try FaultRule(json: $0["rule"] ?? .null) }
            #expect(rules == mock.service.faults.rules.map(\.rule))
        }
    }

    @Test func `a definition stands before the first push that met its rule`() throws {
        try withMock { mock in
            let provider = try mock.provider()
            let rule = try FaultRule(json: JSONValue(parsing: #"{"action":{"respond":{"status":502}}}"#))
            mock.service.add(rule, now: now())
            #expect(try provider.ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert).status == 502)
            var order: [String] = []
            _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                if case .note(let note) = entry, note.kind == .rule { order.append("rule") }
                if case .push(let push) = entry { order.append("push \(push.faultRule)") }
                return true
            }
            #expect(order == ["rule", "push 1"])
        }
    }

    @Test func `a rule that is given to a mock that has ended is no trouble`() throws {
        try withMock { mock in
            mock.service.drainAndStop()
            let rule = try FaultRule(json: JSONValue(parsing: #"{"action":{"silence":true}}"#))
            #expect(mock.service.add(rule, now: now()) == "f1")
            #expect(try definitions(mock).isEmpty)
        }
    }
}
