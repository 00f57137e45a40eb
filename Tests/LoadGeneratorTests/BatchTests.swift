// Several events in one request: how they gather, and what the answer says to each.

import Basics
import Journal
import Net
@testable import LoadGenerator
import Scenarios
import Testing

@Suite(.serialized)
struct BatchTests {
    private static let item = "{ to: \"{{deviceToken}}\", text: \"{{marker}}\" }"

    private static func call(_ batch: String, answers: String = "[]", json: String = "[\(item)]") -> String {
        "json: \(json)\n        batch: \(batch)\n        answers: \(answers)"
    }

    @Test func `events of many sessions go in one request, each with its own record`() throws {
        let relay = try ScriptedRelay { _, _ in .init() }
        defer { relay.stop() }
        let call = Self.call(
            "{ of: 4, within: 200ms, at: /all/0 }", json: "{ topic: \"{{topic}}\", all: [[\(Self.item)]], last: 1 }")
        let drive = try Drive(try ScriptedRelay.plan(call: call), at: relay.origin)
        #expect(drive.isDone && drive.isWhole && drive.events.count == 10)
        let bodies = relay.requests(to: "/one").map(\.json)
        #expect(bodies.map { $0["all"]?.array?.first?.array?.count } == [4, 4, 2])
        #expect(bodies.allSatisfy { $0["topic"] == "com.example.app" && $0["last"] == 1 })
        let markers = bodies.flatMap { $0["all"]?.array?.first?.array ?? [] }.compactMap { $0["text"]?.string }
        #expect(Set(markers).count == 10)
        #expect(Set(drive.events.map(\.plannedAt)).count == 10 && Set(drive.events.map(\.sentAt)).count == 3)
        #expect(drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 && $0.attempts == 1 })
        // The last two waited for others, which is none of our lateness.
        let last = try #require(drive.events.max { $0.plannedAt < $1.plannedAt })
        #expect(last.answeredAt - last.plannedAt > .milliseconds(150))
        #expect(drive.usualLateness < .milliseconds(50))
    }

    @Test func `a session's next event waits for the answer to its batch`() throws {
        let relay = try ScriptedRelay { _, _ in .init(after: .milliseconds(20)) }
        defer { relay.stop() }
        let plan = try ScriptedRelay.plan(call: Self.call("{ of: 100, within: 5ms }"), sessions: 5, steps: 4)
        let drive = try Drive(plan, at: relay.origin)
        #expect(drive.isWhole && drive.events.count == 20 && drive.snapshot.inverted == 0)
        for session in drive.sessions {
            for (a, b) in zip(session, session.dropFirst()) { #expect(a.answeredAt <= b.sentAt) }
        }
        for request in relay.requests(to: "/one") {
            let tokens = request.json.array?.compactMap { $0["to"]?.string } ?? []
            #expect(Set(tokens).count == tokens.count)
        }
    }

    private static let rules = """
        [{ status: 200, at: /is, equals: dead, means: pruned }, { status: 200, at: /is, equals: no, means: permanent },
             { status: 200, at: /is, equals: later, means: retry }, { status: 200, at: /is, equals: busy, means: throttled }]
        """

    /// What the relay says of the items of its first requests, by the order of their sessions.
    private static let said = ["ok", "dead", "no", "later", "busy"]

    @Test(arguments: [
        ("{ of: 5, within: 200ms, results: /data }", 0), ("{ of: 5, within: 200ms, results: /data, is: \"{{deviceToken}}\" }", 1),
        ("{ of: 5, within: 200ms, results: /data, by: /of/token, is: \"{{deviceToken}}\" }", 2),
    ])
    func `each event has the result that is its own`(batch: String, form: Int) throws {
        let relay = try ScriptedRelay { request, count in
            let tokens = request.json.array?.compactMap { $0["to"]?.string } ?? []
            let results = tokens.enumerated().map { ($1, count == 1 ? Self.said[$0] : "ok") }
            let data: String
            switch form {
            case 0: data = "[" + results.map { #"{"is":"\#($0.1)"}"# }.joined(separator: ",") + "]"
            case 1: data = "{" + results.reversed().map { #""\#($0.0)":{"is":"\#($0.1)"}"# }.joined(separator: ",") + "}"
            default:
                let told = results.reversed().filter { $0.1 != "ok" }
                data = "[" + told.map { #"{"of":{"token":"\#($0.0)"},"is":"\#($0.1)"}"# }.joined(separator: ",") + "]"
            }
            return .init(body: #"{"data":\#(data)}"#)
        }
        defer { relay.stop() }
        let drive = try Drive(try ScriptedRelay.plan(call: Self.call(batch, answers: Self.rules), sessions: 5), at: relay.origin)
        #expect(drive.isWhole && drive.events.count == 5)
        let events = drive.events.sorted { $0.plannedAt < $1.plannedAt }
        #expect(events.map(\.failure) == [.none, .pruned, .answeredNo, .none, .none].map(\EventFailure.rawValue))
        #expect(events.map(\.attempts) == [1, 1, 1, 2, 1])
        #expect(String(decoding: events[1].answer, as: UTF8.self).contains("dead"))
        #expect(!String(decoding: events[1].answer, as: UTF8.self).contains("\"no\""))
        #expect(drive.snapshot.triedAgain == 2 && drive.snapshot.throttled == 1)
        #expect(relay.requests(to: "/one").map { $0.json.array?.count } == [5, 2])
    }

    @Test func `a result by place that is missing is told as unlisted, and a status that is not expected is every event's`() throws {
        let short = try ScriptedRelay { _, _ in .init(body: #"{"data":[{"is":"ok"},{"is":"ok"}]}"#) }
        defer { short.stop() }
        let call = Self.call("{ of: 5, within: 200ms, results: /data }", answers: Self.rules)
        let drive = try Drive(try ScriptedRelay.plan(call: call, sessions: 5), at: short.origin)
        let missing = EventFailure.unlisted.rawValue
        #expect(drive.events.sorted { $0.plannedAt < $1.plannedAt }.map(\.failure) == [0, 0, missing, missing, missing])
        let down = try ScriptedRelay { _, _ in .init(status: 500, body: "{}") }
        defer { down.stop() }
        let failed = try Drive(try ScriptedRelay.plan(call: call, sessions: 5), at: down.origin)
        #expect(failed.events.allSatisfy { $0.status == 500 && $0.failure == EventFailure.unexpectedStatus.rawValue })
    }

    @Test func `captures are of the event's own result`() throws {
        let relay = try ScriptedRelay { request, _ in
            let items = request.json.array ?? []
            return .init(body: #"{"data":["# + items.map { #"{"id":\#($0["to"]!.text)}"# }.joined(separator: ",") + "]}")
        }
        defer { relay.stop() }
        let call = Self.call("{ of: 5, within: 200ms, results: /data }") + "\n        captures: { ticket: /id }"
        let drive = try Drive(try ScriptedRelay.plan(call: call, sessions: 5), at: relay.origin)
        let tickets = drive.notes.compactMap(\.capture)
        #expect(tickets.count == 5 && Set(tickets.compactMap(\.value)).count == 5)
    }

    @Test func `what was gathered when the load ends is on record as never sent`() throws {
        let relay = try ScriptedRelay { _, _ in .init() }
        defer { relay.stop() }
        let plan = try ScriptedRelay.plan(call: Self.call("{ of: 100, within: 10s }"))
        let drive = try Drive(plan, at: relay.origin, timeout: .seconds(1))
        #expect(!drive.isDone && drive.events.count == 10 && drive.snapshot.inFlight == 0 && relay.requests(to: "/one").isEmpty)
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.closed.rawValue && $0.sentAt.nanoseconds == 0 })
    }

    @Test func `a batch that is refused for its token goes again with another`() throws {
        let relay = try ScriptedRelay { request, count in
            if request.path == "/token" { return .init(body: #"{"access_token":"t\#(count)"}"#) }
            return .init(status: request.authorization == "Bearer t2" ? 200 : 401)
        }
        defer { relay.stop() }
        let profile = "auth: { oauth2: { tokenURL: /token, clientID: rig, clientSecret: SECRET } }"
        let plan = try ScriptedRelay.plan(profile: profile, call: Self.call("{ of: 10, within: 200ms }"))
        let drive = try Drive(plan, at: relay.origin)
        #expect(drive.isWhole && drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 })
        #expect(relay.requests(to: "/one").map { $0.json.array?.count } == [10, 10])
    }
}
