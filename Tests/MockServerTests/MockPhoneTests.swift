// Virtual phones over the wire: what the admin API sets up is what a provider meets, and what happens on the phones is told
// by GET /v1/phones/events.

import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Pushes
import Testing

@Suite struct MockPhoneTests {
    private static let app = "com.example.app"

    /// A mock with a phone `p` that has one app, woken at once.
    private func withPhone(
        _ settings: [String: String] = [:], app: String = #"{"bundle":"com.example.app","wake":{"delay":"0s"}}"#,
        _ body: (TestMock, TestClient) throws -> Void
    ) throws {
        // The time stands still, but for what a test adds.
        let time = ManualTime(wall: SystemTime().wall())
        try withMock({ options in
            try! options.set(settings)
            options.clock = time
        }) { mock in
            let reply = try mock.admin.ask("PUT", "/v1/phones/p", body: #"{"apps":[\#(app)]}"#)
            #expect(reply.status == 201, "\(reply.text)")
            try body(mock, try mock.provider())
        }
    }

    private func token(_ use: PhoneTokenUse, _ number: UInt32 = 1, rotation: UInt32 = 0) -> String {
        PhoneToken(use, phone: "p", app: Self.app, ordinal: number, rotation: rotation).text(Seed(1))
    }

    /// Sends a Live Activity push; the status.
    private func push(
        _ event: String, to token: String, _ mock: TestMock, _ client: TestClient, state: String = #"{"a":1}"#, ahead: Int64 = 0
    ) throws -> Int {
        let now = mock.service.clock.wall().seconds + ahead
        let start = #","attributes-type":"A","attributes":{},"alert":{"title":"[pr:00000001:2:3]"}"#
        let body =
            #"{"aps":{"timestamp":\#(now),"event":"\#(event)","content-state":\#(state)\#(event == "start" ? start : "")}}"#
        let fields = mock.fields(topic: Self.app + ".push-type.liveactivity").map { name, value in
            name == "apns-push-type" ? (name, "liveactivity") : (name, value)
        }
        return try client.ask("POST", "/3/device/" + token, fields, body: body).status
    }

    /// Outcome and reason of each push, oldest first.
    private func outcomes(_ mock: TestMock) throws -> [String] {
        let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
        return pushes.map { push in
            let words = [push["outcome"], push["lateOutcome"], push["outcomeReason"]].compactMap { $0?.string }
            return words.joined(separator: ", ")
        }
    }

    /// The first activity of the phone's first app.
    private func card(_ mock: TestMock) throws -> JSONValue? {
        let phone = try mock.admin.ask("GET", "/v1/phones/p").json
        return phone["apps"]?.array?.first?["activities"]?.array?.first
    }

    private func events(_ mock: TestMock, after: Int = 0, wait: String = "0s") throws -> [String] {
        let reply = try mock.admin.ask("GET", "/v1/phones/events?after=\(after)&wait=\(wait)")
        return reply.json["events"]?.array?.map { "\($0["event"]?.int ?? 0) \($0["kind"]?.string ?? "")" } ?? []
    }

    private func patch(_ mock: TestMock, _ body: String, status: Int = 200) throws {
        let reply = try mock.admin.ask("PATCH", "/v1/phones/p", body: body)
        #expect(reply.status == status, "\(reply.text)")
    }

    @Test func `a start makes an activity whose token the seed tells, and updates reach its card`() throws {
        try withPhone { mock, client in
            #expect(try push("start", to: token(.start), mock, client) == 200)
            #expect(try events(mock, after: 1, wait: "10s") == ["2 token"])
            let told = try #require(try mock.admin.ask("GET", "/v1/phones/events").json["events"]?.array)
            #expect(told.map { $0["kind"] } == ["started", "token"] && told[0]["marker"] == "[pr:00000001:2:3]")
            #expect(told[1]["token"]?.string == token(.activity) && told[1]["phone"] == "p" && told[1]["activity"] == 1)
            #expect(try push("update", to: token(.activity), mock, client, state: #"{"a":2}"#, ahead: 1) == 200)
            let card = try #require(try card(mock))
            #expect(card["state"] == "active" && card["token"]?.string == token(.activity))
            #expect(card["tokenKnown"] == true && card["marker"] == "[pr:00000001:2:3]")
            #expect(card["contentState"] == ["a": 1], "drawn once in 15 s")
            #expect(try outcomes(mock) == [
                "started", "coalesced, drawn 15s later unless a newer one comes: a card is drawn once per 15 s",
            ])
            #expect(try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"15s"}"#).status == 200)
            #expect(try self.card(mock)?["contentState"] == ["a": 2])
        }
    }

    @Test func `what an app does not decode is said in words`() throws {
        let schema = #"""
            {"bundle":"com.example.app","schema":{"attributesType":"A","contentState":{"type":"object","required":["retryInfo"],
            "properties":{"retryInfo":{"type":"string"},"retry":{"type":"object","properties":{"at":{"type":"number"}}}}}}}
            """#
        try withPhone(app: schema) { mock, client in
            #expect(try push("start", to: token(.start), mock, client) == 200)
            #expect(try push("start", to: token(.start), mock, client, state: #"{"retryInfo":"","retry":{"at":"x"}}"#) == 200)
            #expect(try push("start", to: token(.start), mock, client, state: #"{"retryInfo":""}"#) == 200)
            try patch(mock, #"{"schema":{"attributesType":"B"}}"#)
            #expect(try push("start", to: token(.start), mock, client) == 200)
            try patch(mock, #"{"schema":null}"#)
            #expect(try push("start", to: token(.start), mock, client) == 200)
            let outcomes = try outcomes(mock)
            #expect(outcomes == [
                #"undecodable, does not decode: missing key "retryInfo""#,
                "undecodable, does not decode: content-state/retry/at is text, not a number",
                "started", #"undecodable, does not decode: attributes-type is "A", and the app has "B""#, "started",
            ])
        }
    }

    @Test func `acts on a phone are what pushes meet, and what became of stored ones is told`() throws {
        try withPhone { mock, client in
            #expect(try push("start", to: token(.start), mock, client) == 200)
            try patch(mock, #"{"action":"rotate","activity":1}"#)
            #expect(try push("update", to: token(.activity), mock, client) == 410)
            try patch(mock, #"{"connection":"offline"}"#)
            #expect(try push("update", to: token(.activity, rotation: 1), mock, client, ahead: 1) == 200)
            try patch(mock, #"{"connection":"online","action":"dismiss","activity":1}"#)
            #expect(try push("update", to: token(.activity, rotation: 1), mock, client, ahead: 2) == 200)
            try patch(mock, #"{"liveActivities":false}"#)
            #expect(try push("start", to: token(.start), mock, client) == 200)
            let outcomes = try outcomes(mock)
            #expect(outcomes.count == 5 && outcomes[1] == "" && outcomes[2].hasPrefix("stored, coalesced, drawn"))
            #expect(outcomes[3] == "ignored-ended, dismissed by the user")
            #expect(outcomes[4] == "not-started, Live Activities are switched off")
            try patch(mock, #"{"action":"dismiss","activity":1}"#, status: 409)
            try patch(mock, #"{"action":"jump"}"#, status: 400)
            try patch(mock, #"{"app":"com.example.other","action":"open"}"#, status: 409)
            #expect(try mock.admin.ask("PATCH", "/v1/phones/q", body: "{}").status == 404)
        }
    }

    @Test func `what a PATCH lacks, or passes over, is said in words`() throws {
        try withPhone { mock, _ in
            func refusal(_ body: String) throws -> String {
                let reply = try mock.admin.ask("PATCH", "/v1/phones/p", body: body)
                let error = reply.json["error"]
                return "\(reply.status) \(error?["message"]?.string ?? "") (\(error?["hint"]?.string ?? ""))"
            }
            #expect(try refusal("{}").hasPrefix("400 the body names nothing to change (there are: ios, "))
            #expect(try refusal(#"{"action":"dismiss"}"#).hasPrefix("400 activity is missing (say which: a number from 1"))
            #expect(try refusal(#"{"action":"dismiss","activity":"x"}"#).hasPrefix("400 activity is no number of an activity"))
            #expect(try refusal(#"{"activity":1}"#).hasPrefix("400 activity goes with an action on one"))
            #expect(try refusal(#"{"action":"dismiss","activity":1,"dismissal":"5s"}"#).hasPrefix("400 dismissal goes with"))
            #expect(try refusal(#"{"app":"com.example.app"}"#).hasPrefix("400 app stands without anything to change on it"))
            try patch(mock, #"{"action":"uninstall"}"#)
            #expect(try refusal(#"{"action":"open"}"#) == "400 app is missing (no app is on the phone: install one, with its bundle ID as `app`)")
            try patch(mock, #"{"action":"install"}"#)
            try patch(mock, #"{"action":"install","app":"com.example.other"}"#)
            #expect(
                try refusal(#"{"action":"open"}"#)
                    == "400 app is missing (name one of those on the phone: com.example.app, com.example.other)")
        }
    }

    @Test func `an app that comes back is set up as it was`() throws {
        let app = #"""
            {"bundle":"com.example.app","environment":"sandbox","wake":{"delay":"5s","never":0.5},"liveActivities":false,
            "schema":{"attributesType":"A"}}
            """#
        try withPhone(app: app) { mock, _ in
            func app() throws -> JSONValue? { try mock.admin.ask("GET", "/v1/phones/p").json["apps"]?.array?.first }
            let first = try #require(try app())
            try patch(mock, #"{"action":"uninstall"}"#)
            #expect(try app()?["installed"] == false)
            try patch(mock, #"{"action":"install"}"#)
            let second = try #require(try app())
            for member in ["environment", "wake", "schema"] { #expect(second[member] == first[member], "\(member)") }
            #expect(second["deviceToken"] != first["deviceToken"] && second["startToken"] != first["startToken"])
            #expect(second["liveActivities"] == true, "what a user switches goes with the app")
            try patch(mock, #"{"action":"uninstall"}"#)
            try patch(mock, #"{"action":"install","environment":null,"schema":null,"wake":{"delay":"1s"}}"#)
            let third = try #require(try app())
            #expect(third["environment"] == .null && third["schema"] == .null && third["wake"]?["delay"] == "1s")
            try patch(mock, #"{"environment":"production"}"#, status: 400)
        }
    }

    @Test func `events and reasons stand in the journal`() throws {
        try withPhone { mock, client in
            #expect(try push("start", to: token(.start), mock, client) == 200)
            #expect(try push("update", to: token(.activity), mock, client, ahead: -100) == 200)
            try patch(mock, #"{"action":"dismiss","activity":1}"#)
            mock.service.tellLate()
            var notes: [String] = []
            _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                if case .note(let note) = entry, note.kind == .phone, let value = try? JSONValue(parsing: note.text) {
                    notes.append(value["kind"]?.string ?? value["reason"]?.string ?? "?")
                }
                return true
            }
            #expect(notes.sorted() == ["dismissed", "older than the start", "started", "token"])
        }
    }

    @Test func `what is due on a phone happens when it is due, on a clock that is stepped too`() throws {
        try withMock { mock in
            let app = #"{"apps":[{"bundle":"com.example.app","wake":{"delay":"2s","rotate":"3s"}}]}"#
            #expect(try mock.admin.ask("PUT", "/v1/phones/p", body: app).status == 201)
            let wake = try mock.admin.ask("GET", "/v1/phones/p").json["apps"]?.array?.first?["wake"]
            #expect(wake?["rotate"] == "3s" && wake?["never"]?.double == 0, "\(wake?.text ?? "")")
            let elapsed = try #require(try mock.admin.ask("PUT", "/v1/clock", body: #"{"mode":"stepped"}"#).json["elapsed"]?.int)
            #expect(try push("start", to: token(.start), mock, try mock.provider()) == 200)
            let there = try mock.admin.ask("PUT", "/v1/clock", body: #"{"step":"1m"}"#).json
            #expect(there["elapsed"]?.int == elapsed + 60_000_000)
            var told: [(kind: PhoneEvent.Kind, at: WallTime)] = []
            _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                if case .note(let note) = entry, let event = note.phoneEvent { told.append((event.kind, note.wall)) }
                return true
            }
            #expect(told.map(\.kind) == [.started, .token, .rotated])
            guard told.count == 3 else { return }
            for (event, seconds) in [(told[1], 2), (told[2], 7)] {
                let wait = event.at - told[0].at
                #expect((wait - .seconds(Double(seconds))).nanoseconds.magnitude < 1_000_000, "\(event.kind): \(wait)")
            }
        }
    }

    @Test func `a token of a phone is not changed behind its back`() throws {
        try withPhone { mock, _ in
            for method in ["GET", "PUT", "PATCH"] {
                let reply = try mock.admin.ask(method, "/v1/tokens/" + token(.start), body: #"{"state":"unregistered"}"#)
                #expect(reply.status == 409 && reply.json["error"]?["code"] == "on-phone", "\(reply.text)")
            }
            let activity = try mock.admin.ask("GET", "/v1/activities/" + token(.start))
            #expect(activity.status == 409 && activity.json["error"]?["message"]?.string?.hasSuffix("on the phone p") == true)
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            #expect(try mock.admin.ask("GET", "/v1/phones").json == ["phones": [], "count": 0, "next": .null])
            #expect(try mock.admin.ask("PUT", "/v1/tokens/" + token(.start), body: "{}").status == 201)
        }
    }

    @Test func `phones are listed page by page`() throws {
        try withPhone { mock, _ in
            for number in 0..<25 { _ = try mock.admin.ask("PUT", "/v1/phones/n\(number)", body: "{}") }
            var names: Set<String> = []
            var after: String? = "0"
            while let cursor = after {
                let page = try mock.admin.ask("GET", "/v1/phones?limit=7&after=\(cursor)").json
                let found = page["phones"]?.array?.compactMap { $0["id"]?.string } ?? []
                #expect(found.count <= 7 && names.isDisjoint(with: found) && page["count"] == 26)
                names.formUnion(found)
                after = page["next"]?.string
            }
            #expect(names.count == 26)
            #expect(try mock.admin.ask("DELETE", "/v1/phones/n3").status == 204)
            #expect(try mock.admin.ask("GET", "/v1/phones/n3").status == 404)
        }
    }

    @Test(arguments: [
        (#"{"apps":[{}]}"#, "apps[0].bundle"), (#"{"apps":[{"bundle":"a b"}]}"#, "apps[0].bundle"), (#"{"ios":18}"#, "ios"),
        (#"{"connection":"restricted"}"#, "connection"), (#"{"lowPower":1}"#, "lowPower"), (#"{"x":1}"#, "'x'"),
        (#"{"apps":[{"bundle":"a.b","state":"asleep"}]}"#, "apps[0].state"), (#"{"apps":{}}"#, "apps"),
        (#"{"apps":[{"bundle":"a.b","wake":{"delay":"2d"}}]}"#, "apps[0].wake"),
        (#"{"apps":[{"bundle":"a.b","wake":{"never":1.5}}]}"#, "apps[0].wake.never"),
        (#"{"apps":[{"bundle":"a.b","wake":{"rotate":5}}]}"#, "apps[0].wake"),
        (#"{"apps":[{"bundle":"a.b","schema":{"contentState":{"typ":"object"}}}]}"#, "keyword"),
        (#"{"apps":[{"bundle":"a.b"},{"bundle":"a.b"}]}"#, "a.b"), ("[]", "object"),
    ])
    func `a mistake names its member`(body: String, member: String) throws {
        try withMock { mock in
            let reply = try mock.admin.ask("PUT", "/v1/phones/p", body: body)
            #expect(400...409 ~= reply.status && reply.status != 404, "\(reply.text)")
            #expect(reply.json["error"]?["message"]?.string?.contains(member) == true, "\(reply.text)")
            #expect(reply.json["error"]?["hint"]?.string?.isEmpty == false)
            #expect(try mock.admin.ask("GET", "/v1/phones/p").status == 404)
        }
    }

    @Test func `a reader of events waits, is answered when there is one, and is told of a number that cannot be`() throws {
        try withPhone { mock, client in
            let waiting = mock.admin.send("GET", "/v1/phones/events?after=0&wait=30s")
            #expect(try push("start", to: token(.start), mock, client) == 200)
            #expect(try waiting.take().get().json["events"]?.array?.isEmpty == false)
            let none = try mock.admin.ask("GET", "/v1/phones/events?after=77").json["error"]?["message"]?.string
            #expect(none?.hasPrefix("after is 77, and the latest event is ") == true)
            #expect(try mock.admin.ask("PUT", "/v1/phones/events", body: "{}").status == 405)
        }
    }
}
