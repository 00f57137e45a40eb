// Scripted misbehaviour, from the admin API to the wire and into the journal.

import APNs
import Basics
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite struct FaultTests {
    private let path = "/3/device/" + TestMock.device

    @Test func `a rule refuses as often as it says, and then no more`() throws {
        try withMock { mock in
            let rule =
                #"{"match":{"token":"\#(TestMock.device)"},"action":{"respond":{"reason":"BadDeviceToken"}},"times":3}"#
            let added = try mock.admin.ask("POST", "/v1/faults", [("content-type", "application/json")], body: rule)
            #expect(added.status == 201)
            let id = try #require(added.json["id"]?.string)
            let client = try mock.provider()
            let fields = mock.fields()
            let statuses = try (0..<4).map { _ in try client.ask("POST", path, fields, body: alert).status }
            #expect(statuses == [400, 400, 400, 200])
            #expect(try mock.admin.ask("GET", "/v1/faults/" + id).json["fired"]?.int == 3)
            let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(pushes.map { $0["fault"]?.string } == [id, id, id, nil])
            #expect(pushes.map { $0["reason"]?.string } == ["BadDeviceToken", "BadDeviceToken", "BadDeviceToken", nil])
            #expect(mock.service.statistics().faultsFired == 3)
        }
    }

    @Test func `a refusal of the rules is not scripted away and uses up no rule`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"respond":{"reason":"ServiceUnavailable"}},"times":1}"#)
            let client = try mock.provider()
            #expect(try client.ask("POST", "/3/device/zz", mock.fields(), body: alert).status == 400)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 503)
        }
    }

    @Test func `a scripted 410 carries a timestamp`() throws {
        try withMock { mock in
            try mock.fault(
                #"{"action":{"respond":{"reason":"Unregistered","timestamp":"2026-11-20T10:00:00Z"}},"times":1}"#)
            try mock.fault(#"{"action":{"respond":{"reason":"ExpiredToken"}},"times":1}"#)
            let client = try mock.provider()
            let first = try client.ask("POST", path, mock.fields(), body: alert)
            #expect(first.text == #"{"reason":"Unregistered","timestamp":1795168800000}"#)
            let second = try client.ask("POST", path, mock.fields(), body: alert)
            #expect(second.status == 410 && second.json["reason"] == "ExpiredToken")
            #expect(try #require(second.json["timestamp"]?.int) > 1_700_000_000_000)
        }
    }

    @Test func `a delayed answer comes later, and others overtake it`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let fields = mock.fields()
            _ = try client.ask("POST", path, fields, body: alert)
            try mock.fault(#"{"action":{"delay":"250ms"},"times":1}"#)
            let begin = now()
            let (slow, fast) = (
                client.send("POST", path, fields, body: alert), client.send("POST", path, fields, body: alert)
            )
            let (late, early) = (try slow.take().get(), try fast.take().get())
            #expect(late.status == 200 && early.status == 200 && early.answeredAt < late.answeredAt)
            #expect(late.answeredAt - begin >= .milliseconds(250))
            let delays = try mock.journal().map(\.delay)
            #expect(delays == [.zero, .milliseconds(250), .zero])
        }
    }

    @Test func `a refusal may come later, and its timestamp is of when the push came`() throws {
        try withMock { mock in
            let client = try mock.provider()
            try mock.fault(#"{"action":{"respond":{"reason":"Unregistered","delay":"250ms"}}}"#)
            let begin = now()
            let late = try client.ask("POST", path, mock.fields(), body: alert)
            #expect(late.status == 410 && late.json["reason"] == "Unregistered")
            #expect(late.answeredAt - begin >= .milliseconds(250))
            let seen = try #require(try mock.journal().first)
            #expect(seen.delay == .milliseconds(250))
        }
    }

    @Test func `silence is never answered and reaches no device`() throws {
        try withMock { mock in
            let client = try mock.provider()
            try mock.fault(#"{"action":{"silence":true},"times":1}"#)
            let outcome = client.send("POST", path, mock.fields(), body: alert, timeout: .milliseconds(300)).take()
            guard case .failure(let failure) = outcome else { throw Failure(.run, "it was answered") }
            #expect(failure.kind == .timeout)
            let push = try #require(try mock.journal().first)
            #expect(push.status == 0 && push.outcome == nil && push.faultRule == 1)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
            let statistics = mock.service.statistics()
            #expect(statistics.silenced == 1 && statistics.openStreams == 0)
        }
    }

    @Test func `an answer that APNs never gives has its own status, fields and body`() throws {
        try withMock { mock in
            let headers = #"{"content-type":"text/html","retry-after":"5"}"#
            try mock.fault(
                #"{"action":{"respond":{"status":502,"body":"<html>","headers":\#(headers)}},"times":1}"#)
            try mock.fault(#"{"action":{"respond":{"reason":"Novel","status":499}},"times":1}"#)
            let client = try mock.provider()
            let first = try client.ask("POST", path, mock.fields(), body: alert)
            #expect(first.status == 502 && first.text == "<html>")
            #expect(first.fields.map(\.name) == ["apns-id", "content-type", "retry-after"])
            let second = try client.ask("POST", path, mock.fields(), body: alert)
            #expect(second.status == 499 && second.text == #"{"reason":"Novel"}"#)
            #expect(try mock.journal().map(\.status) == [502, 499])
            let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(pushes.map { $0["faultAction"]?.string } == ["respond", "respond"])
        }
    }

    @Test func `what a provider does heals it, and the API counts that`() throws {
        try withMock { mock in
            let id = try mock.fault(
                #"{"action":{"respond":{"reason":"InternalServerError"}},"until-heals":"new-connection"}"#)
            let ill = try mock.provider()
            #expect(try ill.ask("POST", path, mock.fields(), body: alert).status == 500)
            #expect(try ill.ask("POST", path, mock.fields(), body: alert).status == 500)
            let well = try mock.provider()
            #expect(try well.ask("POST", path, mock.fields(), body: alert).status == 200)
            #expect(try ill.ask("POST", path, mock.fields(), body: alert).status == 500)
            let status = try mock.admin.ask("GET", "/v1/faults/" + id).json
            #expect(status["fired"]?.int == 3 && status["healed"]?.int == 1 && status["matched"]?.int == 4)
        }
    }

    @Test func `a provider token that is called expired until a new connection comes wedges the one that it came by`() throws {
        for (cure, second) in [(#","until-heals":"new-connection""#, 403), ("", 200)] {
            try withMock { mock in
                try mock.fault(#"{"action":{"respond":{"reason":"ExpiredProviderToken"}},"times":1\#(cure)}"#)
                let ill = try mock.provider()
                #expect(try ill.ask("POST", path, mock.fields(), body: alert).status == 403)
                #expect(try ill.ask("POST", path, mock.fields(), body: alert).status == second)
                #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)
                let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
                #expect(pushes.map { $0["fault"]?.string != nil } == [true, false, false], "the second refusal is Apple's own")
            }
        }
    }

    @Test func `a rule whose time to live is over is not listed, and its pushes still name it`() throws {
        try withMock { mock in
            let rule = #"{"id":"brief","action":{"respond":{"reason":"Shutdown"}},"ttl":"200ms"}"#
            try mock.fault(rule)
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 503)
            sleepFor(.milliseconds(250))
            #expect(try mock.admin.ask("GET", "/v1/faults/brief").status == 404)
            #expect(try mock.admin.ask("GET", "/v1/faults").json["faults"]?.array == [])
            let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(pushes.map { $0["fault"]?.string } == ["brief"])
        }
    }

    @Test func `a rule for one environment spares the other`() throws {
        try withMock { mock in
            try mock.fault(#"{"match":{"environment":"sandbox"},"action":{"respond":{"reason":"Shutdown"}}}"#)
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)
        }
        try withMock({ $0.environment = .sandbox }) { mock in
            try mock.fault(#"{"match":{"environment":"sandbox"},"action":{"respond":{"reason":"Shutdown"}}}"#)
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 503)
        }
    }

    @Test func `a rule that is removed fires no more`() throws {
        try withMock { mock in
            let id = try mock.fault(#"{"action":{"respond":{"reason":"InternalServerError"}}}"#)
            let client = try mock.provider()
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 500)
            #expect(try mock.admin.ask("DELETE", "/v1/faults/" + id).status == 204)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
        }
    }
}
