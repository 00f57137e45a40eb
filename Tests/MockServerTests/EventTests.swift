// GET /v1/events: what is told, to whom, and what a listener who does not keep up misses.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing

@Suite struct EventTests {
    private let path = "/3/device/" + TestMock.device

    private func isConnected(_ client: EventClient) -> Bool { !client.frames.isEmpty }
    private func number(_ push: JSONValue) -> Int64? { push.at(pointer: "/payload/n")?.int }

    private func send(_ mock: TestMock, _ numbers: ClosedRange<Int>, size: Int = 0) throws {
        let client = try mock.provider()
        let filling = String(repeating: "x", count: size)
        let pending = numbers.map { number in
            client.send(
                "POST", path, mock.fields(), body: #"{"aps":{"alert":"\#(filling)"},"n":\#(number)}"#, timeout: .seconds(60))
        }
        for answer in pending { #expect(try answer.take().get().status == 200) }
    }

    // MARK: Pushes

    @Test func `a push is told to those who listen, as the list of pushes has it, with an id to go on from`() throws {
        try withMock { mock in
            let client = EventClient(mock)
            #expect(client.wait(until: isConnected))
            #expect(client.status == 200 && client.head.contains("content-type: text/event-stream"))
            #expect(client.frames.first?.retry == "2000")
            try send(mock, 1...1)
            #expect(client.wait { $0.pushes().count == 1 && $0.frames.last?.id != nil })
            let list = try mock.admin.ask("GET", "/v1/pushes").json
            #expect(client.pushes() == list["pushes"]?.array)
            try send(mock, 2...2)
            #expect(client.wait { $0.pushes().count == 2 })
            // Who comes back is told what came since, and what came before his id is not told again.
            let later = EventClient(mock, "?after=end", fields: [("last-event-id", list["next"]?.string ?? "")])
            #expect(later.wait { $0.pushes().count == 1 })
            #expect(number(later.pushes()[0]) == 2)
        }
    }

    @Test func `the newest pushes from before are told first, oldest of them first, then what comes`() throws {
        try withMock { mock in
            try send(mock, 1...30)
            let client = EventClient(mock, "?last=5")
            #expect(client.wait { $0.pushes().count == 5 })
            try send(mock, 31...31)
            #expect(client.wait { $0.pushes().count == 6 })
            #expect(Set(client.pushes().dropLast().compactMap(number)).count == 5)
            #expect(number(client.pushes()[5]) == 31)
            #expect(client.frames.first { $0.name == "push" } != nil && client.lastID != nil)
            let all = EventClient(mock, "?after=")
            #expect(all.wait { $0.pushes().count == 31 })
        }
    }

    @Test func `after a reset none from before is told`() throws {
        try withMock { mock in
            try send(mock, 1...3)
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            try send(mock, 4...4)
            let client = EventClient(mock, "?last=500")
            #expect(client.wait { !$0.pushes().isEmpty })
            client.read(for: .milliseconds(200))
            #expect(client.pushes().compactMap(number) == [4])
        }
    }

    @Test func `line ends in a payload do not end the line of data`() throws {
        try withMock { mock in
            let client = EventClient(mock)
            #expect(client.wait(until: isConnected))
            let body = "{\r\n\"aps\":\n\n{\"alert\":\"a\\nb\"},\r\r\"event: clock\":\n\"data: {}\"\n}"
            _ = try mock.provider().ask("POST", path, mock.fields(), body: body)
            #expect(client.wait { $0.pushes().count == 1 })
            #expect(client.frames(of: "clock").isEmpty)
            #expect(client.frames(of: "push")[0].lines.count == 1)
            #expect(client.pushes()[0].at(pointer: "/payload/aps/alert") == "a\nb")
        }
    }

    // MARK: The rest

    @Test func `faults are told when they are set, when they fire, and when they go`() throws {
        try withMock { mock in
            let client = EventClient(mock, "?kinds=fault")
            #expect(client.wait(until: isConnected))
            try mock.fault(#"{"id":"gone","action":{"respond":{"reason":"Unregistered"}}}"#)
            #expect(client.wait { $0.frames(of: "fault").count == 1 })
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 410)
            #expect(client.wait { $0.frames(of: "fault").count == 2 })
            #expect(try mock.admin.ask("DELETE", "/v1/faults/gone").status == 204)
            #expect(client.wait { $0.frames(of: "fault").count == 3 })
            #expect(try mock.admin.ask("DELETE", "/v1/faults").status == 204)
            #expect(client.wait { $0.frames(of: "fault").count == 4 })
            let told = client.frames(of: "fault").map(\.json)
            #expect(told.map { $0["change"]?.string } == ["set", "fired", "removed", "removed"])
            #expect(told.map { $0["id"]?.string } == ["gone", "gone", "gone", nil])
            #expect(told[1]["fault"]?["fired"] == 1 && told[2]["fault"] == .null)
            #expect(client.pushes().isEmpty && client.frames(of: "gap").isEmpty)
        }
    }

    @Test func `clock, tokens, activities and resets are told`() throws {
        try withMock { mock in
            let client = EventClient(mock)
            #expect(client.wait(until: isConnected))
            let clock = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"1h"}"#).json
            #expect(client.wait { !$0.frames(of: "clock").isEmpty })
            #expect(client.frames(of: "clock").first?.json["offsetMilliseconds"] == clock["offsetMilliseconds"])
            let token = try mock.admin.ask(
                "PUT", "/v1/tokens/" + TestMock.device,
                body: #"{"kind":"activity","topic":"com.example.app","device":"lena"}"#
            ).json
            #expect(client.wait { !$0.frames(of: "token").isEmpty })
            let told = client.frames(of: "token").first?.json
            #expect(told?["change"] == "set" && told?["record"] == token)
            let seconds = (SystemTime().wall() + .seconds(3_600)).seconds
            let update = #"{"aps":{"timestamp":\#(seconds),"event":"update","content-state":{}}}"#
            let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                (name, name == "apns-push-type" ? "liveactivity" : value)
            }
            let authorized = fields.map { name, value in
                (name, name == "authorization" ? mock.authorization(at: SystemTime().wall() + .seconds(3_600)) : value)
            }
            #expect(try mock.provider().ask("POST", path, authorized, body: update).status == 200)
            #expect(client.wait { !$0.frames(of: "activity").isEmpty })
            let activity = try mock.admin.ask("GET", "/v1/activities/" + TestMock.device).json
            #expect(client.frames(of: "activity").map(\.json) == [activity])
            #expect(try mock.admin.ask("DELETE", "/v1/tokens/" + TestMock.device).status == 204)
            #expect(client.wait { $0.frames(of: "token").count == 2 })
            #expect(client.frames(of: "token")[1].json["change"] == "removed")
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            #expect(client.wait { !$0.frames(of: "reset").isEmpty })
        }
    }

    @Test func `what became of a stored push is told`() throws {
        try withMock { mock in
            let client = EventClient(mock, "?kinds=push,outcome")
            #expect(client.wait(until: isConnected))
            let token = "/v1/tokens/" + TestMock.device
            _ = try mock.admin.ask("PUT", token, body: #"{"kind":"device","connection":"offline"}"#)
            let fields = mock.fields([("apns-expiration", "\(SystemTime().wall().seconds + 600)")])
            _ = try mock.provider().ask("POST", path, fields, body: alert)
            #expect(client.wait { $0.pushes().count == 1 })
            _ = try mock.admin.ask("PATCH", token, body: #"{"connection":"online"}"#)
            #expect(client.wait { !$0.frames(of: "outcome").isEmpty })
            #expect(client.frames(of: "outcome").first?.json["push"] == client.pushes()[0]["id"])
        }
    }

    @Test func `what happens on phones is told as the journal has it, to those who want nothing else`() throws {
        try withMock { mock in
            let client = EventClient(mock, "?kinds=phone")
            #expect(client.wait(until: isConnected))
            let writer = try JournalWriter(directory: mock.service.journalDirectory, name: "phones", time: SystemTime())
            let event = #"{"event":1,"kind":"ended","phone":"lena","app":"com.example.app","activity":2}"#
            for text in [event, #"{"missed":3}"#] { writer.append(note: .phone, text: text, at: now()) }
            #expect(writer.commit())
            // It is looked for when the mock commits something.
            try send(mock, 1...1)
            #expect(client.wait { !$0.frames(of: "phone").isEmpty })
            client.read(for: .milliseconds(100))
            #expect(client.frames(of: "phone").map(\.json.text) == [event])
            #expect(client.pushes().isEmpty && client.frames(of: "gap").isEmpty && client.lastID != nil)
        }
    }

    // MARK: Bounds

    @Test func `who does not read is told what he missed, and those who do miss nothing`() throws {
        try withMock { mock in
            let (slow, quick) = (EventClient(mock, receiveBuffer: 4_096), EventClient(mock))
            #expect(slow.wait(until: isConnected) && quick.wait(until: isConnected))
            let count = 3_000
            for start in stride(from: 1, through: count, by: 200) {
                try send(mock, start...start + 199, size: 3_800)
                #expect(quick.wait { $0.frames(of: "push").count == start + 199 })
                // So much of what waits has to be read, or the connection would be closed after half a minute.
                slow.read(bytes: 70_000)
            }
            #expect(quick.frames(of: "gap").isEmpty)
            func missed() -> Int {
                slow.frames(of: "gap").reduce(0) { $0 + Int($1.json["pushes"]?.int ?? 0) }
            }
            #expect(slow.wait { _ in missed() + slow.frames(of: "push").count == count })
            #expect(missed() > 0 && !slow.frames(of: "push").isEmpty)
            // They stand in the journal behind the cursor that it names.
            let gap = try #require(slow.frames(of: "gap").first?.json["since"]?.string)
            let page = try mock.admin.ask("GET", "/v1/pushes?limit=1&since=" + gap).json
            let told = slow.frames.filter { $0.name == "push" }.compactMap { number($0.json) }
            let first = try #require(page["pushes"]?.array?.first.flatMap(number))
            #expect(!told.contains(first))
        }
    }

    @Test func `the thirty-third listener is turned away, and takes the place of one who goes`() throws {
        try withMock { mock in
            var clients = (0..<32).map { _ in EventClient(mock) }
            for client in clients { #expect(client.wait(until: isConnected)) }
            let refused = try mock.admin.ask("GET", "/v1/events")
            #expect(refused.status == 503 && refused.json["error"]?["code"] == "too-many-listening")
            clients.removeLast()
            var last = EventClient(mock)
            for _ in 0..<50 where !last.wait(until: { $0.status != 0 }) || last.status == 503 {
                sleepFor(.milliseconds(20))
                last = EventClient(mock)
            }
            #expect(last.status == 200)
            try send(mock, 1...1)
            for client in clients + [last] { #expect(client.wait { $0.pushes().count == 1 }) }
        }
    }

    @Test(arguments: [
        "?last=x", "?last=501", "?last=-1", "?after=yesterday", "?after=end&last=3", "?kinds=", "?kinds=push,phones", "?x=1",
    ])
    func `a mistake is answered before anything is told`(query: String) throws {
        try withMock { mock in
            let reply = try mock.admin.ask("GET", "/v1/events" + query)
            #expect(reply.status == 400 && reply.json["error"]?["hint"]?.string?.isEmpty == false)
        }
    }

    @Test func `HEAD has its answer at once, and a stop of the mock ends the stream`() throws {
        try withDirectory { directory in
            let mock = try TestMock(directory + "/state") { _ in }
            #expect(try mock.admin.ask("HEAD", "/v1/events").field("content-type") == "text/event-stream")
            let client = EventClient(mock)
            #expect(client.wait(until: isConnected))
            let begin = now()
            mock.stop()
            #expect(client.wait { $0.hasEnded })
            #expect(now() - begin < .seconds(5))
        }
    }

    @Test(.enabled(if: has("curl"))) func `HTTP/2 carries it as well`() throws {
        try withMock { mock in
            try send(mock, 1...3)
            let url = try #require(mock.service.coordinates.adminURL)
            let told = try #require(run("curl -sN --http2-prior-knowledge -m 1 '\(url)/v1/events?last=2'"))
            #expect(told.split(separator: "\n").count { $0 == "event: push" } == 2, "\(told)")
        }
    }
}
