// The admin API as scripts use it.

import Basics
import EventLoop
import MockServer
import Net
import TLS
import Testing

@Suite struct AdminTests {
    private let path = "/3/device/" + TestMock.device

    // MARK: Pushes

    @Test func `a push is shown with everything a script asks for`() throws {
        try withMock { mock in
            let id = "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"
            _ = try mock.provider().ask("POST", path, mock.fields([("apns-id", id)]), body: alert)
            let page = try mock.admin.ask("GET", "/v1/pushes").json
            let push = try #require(page["pushes"]?.array?.first)
            #expect(page["pushes"]?.array?.count == 1)
            #expect(push["provider"] == "apns" && push["token"]?.string == TestMock.device)
            #expect(push["topic"] == "com.example.app" && push["pushType"] == "alert" && push["priority"] == 10)
            #expect(push["apnsId"]?.string == id && push["status"] == 200 && push["reason"] == .null)
            #expect(push["outcome"] == "shown" && push["fault"] == .null)
            #expect(push["headers"]?["apns-push-type"] == "alert" && push["headers"]?[":method"] == "POST")
            #expect(push.at(pointer: "/payload/aps/alert/title") == "Build 7")
            #expect(push["arrivedAt"]?.string.flatMap { WallTime(iso8601: $0) } != nil)
        }
    }

    @Test func `a body that is no JSON is shown in Base64`() throws {
        try withMock { mock in
            _ = try mock.provider().ask("POST", path, mock.fields(), body: "no {json")
            let push = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array?.first
            #expect(push?["payload"] == .null && push?["payloadBase64"] == "bm8ge2pzb24=")
        }
    }

    @Test func `pushes are found by token, limited, and read on from a cursor`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let other = String(TestMock.device.reversed())
            for number in 0..<6 {
                let token = number % 2 == 0 ? TestMock.device : other
                _ = try client.ask("POST", "/3/device/" + token, mock.fields(), body: alert)
            }
            let query = "/v1/pushes?limit=2&token=" + TestMock.device.uppercased()
            let first = try mock.admin.ask("GET", query).json
            let next = try #require(first["next"]?.string)
            let second = try mock.admin.ask("GET", query + "&since=" + next).json
            let third = try mock.admin.ask("GET", query + "&since=" + (second["next"]?.string ?? "")).json
            #expect(tokens(first) == [TestMock.device, TestMock.device])
            #expect(tokens(second) == [TestMock.device] && tokens(third).isEmpty)
            #expect(try tokens(mock.admin.ask("GET", "/v1/pushes").json).count == 6)
        }
    }

    @Test func `a question may wait for a push, and is answered as soon as there is one`() throws {
        try withMock { mock in
            let client = try mock.provider()
            _ = try client.ask("POST", path, mock.fields(), body: alert)
            let begin = now()
            let question = mock.admin.send("GET", "/v1/pushes?since=end&wait=8s")
            // Another one is asked meanwhile, over a connection of its own.
            let other = try TestClient(
                Origin(parsing: mock.service.coordinates.adminURL!), ClientConfiguration(version: .http1))
            #expect(try other.ask("GET", "/v1/pushes?since=end&wait=100ms").json["pushes"] == [])
            #expect(now() - begin >= .milliseconds(100))
            let id = try client.ask("POST", path, mock.fields(), body: alert).field("apns-id")
            let answer = try question.take().get().json
            #expect(now() - begin < .seconds(4))
            #expect(answer["pushes"]?.array?.map { $0["apnsId"]?.string } == [id])
        }
    }

    @Test func `a push is there before its answer, also when that is delayed`() throws {
        try withMock { mock in
            try mock.slow(by: "2s")
            let client = try mock.provider()
            let pending = client.send("POST", path, mock.fields(), body: alert)
            let page = try mock.admin.ask("GET", "/v1/pushes?wait=5s").json
            #expect(tokens(page) == [TestMock.device])
            #expect(page["pushes"]?.array?.first?["delayMilliseconds"]?.double == 2000)
            _ = pending.take()
        }
    }

    @Test func `pushes outlive a restart, and a reset hides those before it for good`() throws {
        try withDirectory { directory in
            func start(_ body: (TestMock) throws -> Void) throws {
                let mock = try TestMock(directory, { _ in })
                defer { mock.stop() }
                try body(mock)
            }
            func count(_ mock: TestMock) throws -> Int { try tokens(mock.admin.ask("GET", "/v1/pushes").json).count }
            try start { _ = try $0.provider().ask("POST", path, $0.fields(), body: alert) }
            try start { mock in
                #expect(try count(mock) == 1)
                let client = try mock.provider()
                _ = try client.ask("POST", path, mock.fields(), body: alert)
                #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
                #expect(try count(mock) == 0)
                _ = try client.ask("POST", path, mock.fields(), body: alert)
                #expect(try count(mock) == 1)
                #expect(try mock.journal().count == 3)
            }
            try start { mock in
                let seen = try count(mock)
                #expect(seen == 1)
            }
        }
    }

    // MARK: Tokens and activities

    @Test func `a token is made, read, changed and forgotten`() throws {
        try withMock { mock in
            let admin = mock.admin
            let token = "/v1/tokens/" + TestMock.device
            #expect(try admin.ask("GET", token).status == 404)
            let made = try admin.ask("PUT", token, body: #"{"kind":"activity","topic":"com.example.app"}"#)
            #expect(made.status == 201)
            #expect(
                made.text == "{\"token\":\"\(TestMock.device)\",\"kind\":\"activity\",\"topic\":\"com.example.app\","
                    + "\"environment\":null,\"state\":\"active\",\"since\":null,\"device\":null,"
                    + "\"connection\":\"online\",\"replacedBy\":null,\"frequentUpdates\":false}\n")
            let died = try admin.ask("PATCH", token, body: #"{"state":"expired","since":"2026-11-20T10:00:00Z"}"#)
            #expect(died.status == 200 && died.json["kind"] == "activity" && died.json["state"] == "expired")
            #expect(died.json["since"] == "2026-11-20T10:00:00.000Z")
            let again = try admin.ask("PUT", token, body: "{}")
            #expect(again.status == 200 && again.json["kind"] == "unknown" && again.json["state"] == "active")
            #expect(try admin.ask("DELETE", token).status == 204)
            #expect(try admin.ask("DELETE", token).status == 404)
            #expect(try admin.ask("PATCH", token, body: "{}").status == 404)
        }
    }

    @Test func `a token that dies without a date dies now`() throws {
        try withMock { mock in
            let reply = try mock.admin.ask(
                "PUT", "/v1/tokens/ab12" + TestMock.device, body: #"{"state":"unregistered"}"#)
            let since = try #require(reply.json["since"]?.string.flatMap { WallTime(iso8601: $0) })
            #expect(SystemTime().wall() - since < .seconds(30))
        }
    }

    @Test func `an activity is shown as its pushes left it`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let seconds = SystemTime().wall().seconds
            let update = """
                {"aps":{"timestamp":\(seconds),"event":"update","content-state":{"status":"working"}}}
                """
            let fields = [
                ("authorization", mock.authorization), ("apns-topic", "com.example.app.push-type.liveactivity"),
                ("apns-push-type", "liveactivity"), ("apns-priority", "5"),
            ]
            #expect(try client.ask("POST", path, fields, body: update).status == 200)
            let list = try mock.admin.ask("GET", "/v1/activities").json["activities"]?.array
            let one = try mock.admin.ask("GET", "/v1/activities/" + TestMock.device).json
            #expect(list == [one])
            #expect(
                one["state"] == "active" && one["lastTimestamp"]?.int == Int64(seconds) && one["lastEvent"] == "update")
            #expect(one["shown"] == 1 && one["ignored"] == 0)
        }
    }

    // MARK: Mistakes

    private let mistakes: [(method: String, path: String, body: String, status: Int, code: String)] = [
        ("GET", "/nothing", "", 404, "not-found"),
        ("GET", "/v1/pushes?tokn=ab", "", 400, "unknown-parameter"),
        ("GET", "/v1/pushes?limit=1&limit=2", "", 400, "repeated-parameter"),
        ("GET", "/v1/pushes?limit=0", "", 400, "bad-parameter"),
        ("GET", "/v1/pushes?wait=soon", "", 400, "bad-parameter"),
        ("GET", "/v1/pushes?wait=1h", "", 400, "bad-parameter"),
        ("GET", "/v1/pushes?since=yesterday", "", 400, "bad-parameter"),
        ("GET", "/v1/pushes?since=%2", "", 400, "bad-path"),
        ("GET", "/v1/activities?limit=many", "", 400, "bad-parameter"),
        ("GET", "/v1/activities/00ff", "", 404, "no-such-activity"),
        ("GET", "/v1/tokens/xyz", "", 400, "bad-token"),
        ("GET", "/v1/faults/f9", "", 404, "no-such-fault"),
        ("DELETE", "/v1/faults/f9", "", 404, "no-such-fault"),
        ("POST", "/v1/faults", "", 400, "bad-json"),
        ("POST", "/v1/faults", "{", 400, "bad-json"),
        ("POST", "/v1/faults", "{}", 400, "bad-rule"),
        ("POST", "/v1/faults", #"{"action":{"respond":{"reason":"BadDeviceTokn"}}}"#, 400, "bad-rule"),
        ("POST", "/v1/faults", #"{"id":"a/b","action":{"silence":true}}"#, 400, "bad-rule"),
        ("PUT", "/v1/tokens/00ff", #"{"kind":"phone"}"#, 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff", #"{"since":"now"}"#, 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff", #"{"topics":[]}"#, 400, "unknown-member"),
        ("PUT", "/v1/tokens/00ff", "[]", 400, "bad-json"),
        ("PUT", "/v1/tokens/00ff", #"{"topic":"a b"}"#, 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff", #"{"topic":".voip"}"#, 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff/channel", "{}", 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff/channel", #"{"channel":"not base64"}"#, 400, "bad-member"),
        ("PUT", "/v1/tokens/00ff/channel", #"{"channel":"AAAAAAAAAAAAAAAAAAAAAA=="}"#, 404, "no-such-channel"),
        ("DELETE", "/v1/reset", "", 405, "method-not-allowed"),
    ]

    @Test func `a mistake is one clear line with a hint`() throws {
        try withMock { mock in
            for mistake in mistakes {
                let reply = try mock.admin.ask(mistake.method, mistake.path, body: mistake.body)
                let error = reply.json["error"]
                let about: Comment = "\(mistake.method) \(mistake.path) \(mistake.body)"
                #expect(reply.status == mistake.status, about)
                #expect(error?["code"]?.string == mistake.code, about)
                #expect(error?["message"]?.string?.contains("\n") == false, about)
                #expect(error?["hint"]?.string?.isEmpty == false, about)
            }
        }
    }

    @Test func `a wrong content type is 415 and a huge body 413`() throws {
        try withMock { mock in
            let xml = try mock.admin.ask("POST", "/v1/faults", [("content-type", "text/xml")], body: "<x/>")
            #expect(xml.status == 415)
            for type in ["application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded"] {
                let reply = try mock.admin.ask(
                    "POST", "/v1/faults", [("content-type", type)], body: #"{"action":{"silence":true}}"#)
                #expect(reply.status == 201, "\(type)")
            }
            let huge = try mock.admin.ask("POST", "/v1/faults", body: String(repeating: " ", count: 1_100_000))
            #expect(huge.status == 413)
        }
    }

    @Test func `another method is 405 with those there are`() throws {
        try withMock { mock in
            let reply = try mock.admin.ask("POST", "/v1/tokens/00ff", body: "{}")
            #expect(reply.status == 405)
            #expect(reply.field("allow") == "GET, HEAD, PUT, PATCH, DELETE")
        }
    }

    @Test func `what a page of another site loads takes no places, and its links may lead to the dashboard`() throws {
        try withMock { mock in
            func ask(_ path: String, _ site: String, _ mode: String = "no-cors") throws -> Int {
                try mock.admin.ask("GET", path, [("sec-fetch-site", site), ("sec-fetch-mode", mode)]).status
            }
            for site in ["cross-site", "same-site"] {
                #expect(try ask("/v1/pushes?wait=60s", site) == 403)
                #expect(try ask("/v1/pushes", site, "navigate") == 403)
                #expect(try ask("/", site) == 403)
                #expect(try ask("/", site, "navigate") == 200)
            }
            let own = try ["same-origin", "none"].map { try ask("/v1/pushes", $0) }
            #expect(own == [200, 200])
        }
    }

    @Test func `a page of another origin may not steer the mock`() throws {
        try withMock { mock in
            let host = try #require(mock.service.coordinates.admin?.description)
            let foreign = try mock.admin.ask("POST", "/v1/reset", [("origin", "https://example.com")])
            #expect(foreign.status == 403)
            #expect(try mock.admin.ask("POST", "/v1/reset", [("origin", "http://" + host)]).status == 204)
        }
    }

    @Test func `a page whose name was pointed at loopback may not steer the mock`() throws {
        try withMock { mock in
            let foreign = ["evil.example", "evil.example:2190", "127.0.0.1.evil.example"]
            let near = ["localhost:2190", "LOCALHOST", "mock.localhost", "127.0.0.1", "[::1]:2190"]
            for (host, status) in foreign.map({ ($0, 403) }) + near.map({ ($0, 204) }) {
                let fields = [(":authority", host), ("origin", "http://" + host)]
                let reply = try mock.admin.ask("POST", "/v1/reset", fields)
                #expect(reply.status == status, "\(host)")
            }
        }
    }

    @Test func `off loopback the bearer token is demanded, except for what tells nothing`() throws {
        try withMock({ $0.admin = SocketAddress(host: "0.0.0.0", port: 0) }) { mock in
            let coordinates = mock.service.coordinates
            let token = try #require(coordinates.adminToken)
            let port = try #require(coordinates.admin?.port)
            let admin = try TestClient(
                Origin(isTLS: false, host: "127.0.0.1", port: port), ClientConfiguration(version: .http1))
            #expect(token.utf8.count == 48)
            #expect(try admin.ask("GET", "/v1/info").status == 401)
            #expect(
                try admin.ask("GET", "/v1/info", [("authorization", "Bearer " + token.dropLast() + "x")]).status == 401)
            let info = try admin.ask("GET", "/v1/info", [("authorization", "Bearer " + token)])
            #expect(info.status == 200 && !info.text.contains(token))
            #expect(try admin.ask("GET", "/v1/health").status == 200)
            #expect(try admin.ask("GET", "/").status == 200)
            #expect(try JSONValue(parsing: coordinates.readyLine)["adminToken"]?.string == token)
        }
    }

    // MARK: Figures

    @Test func `metrics count what happened`() throws {
        try withMock { mock in
            let client = try mock.provider()
            _ = try client.ask("POST", path, mock.fields(), body: alert)
            _ = try client.ask("POST", "/3/device/zz", mock.fields(), body: alert)
            let reply = try mock.admin.ask("GET", "/metrics")
            #expect(reply.field("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(reply.text.split(separator: "\n").map(String.init))
            for line in [
                #"pushrig_pushes_total{provider="apns"} 2"#,
                #"pushrig_answers_total{provider="apns",status="200",reason=""} 1"#,
                #"pushrig_answers_total{provider="apns",status="400",reason="BadDeviceToken"} 1"#,
                #"pushrig_outcomes_total{outcome="shown"} 1"#, "pushrig_connections 1", "pushrig_healthy 1",
            ] { #expect(lines.contains(line), "\(line)") }
            let memory = lines.first { $0.hasPrefix("process_resident_memory_bytes ") }
            #expect(Int(memory?.split(separator: " ").last ?? "") ?? 0 > 1_000_000)
        }
    }

    @Test func `the dashboard loads nothing from elsewhere`() throws {
        try withMock { mock in
            let page = try mock.admin.ask("GET", "/")
            #expect(page.status == 200 && page.field("content-type") == "text/html; charset=utf-8")
            #expect(!page.text.contains("http://") && !page.text.contains("https://") && !page.text.contains(" src="))
        }
    }

    @Test func `the dashboard's policy lets its own script and style run, and nothing else`() throws {
        try withMock { mock in
            let page = try mock.admin.ask("GET", "/")
            let policy = try #require(page.field("content-security-policy"))
            for tag in ["script", "style"] {
                let start = try #require(page.text.firstRange(of: "<\(tag)>")), end = try #require(page.text.firstRange(of: "</\(tag)>"))
                let inside = Array(page.text[start.upperBound..<end.lowerBound].utf8)
                #expect(policy.contains("\(tag)-src 'sha256-\(Base64.encode(sha256(inside.span).span))'"))
                #expect(page.text.split(separator: "<\(tag)").count == 2)
            }
            for word in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"] {
                #expect(policy.contains(word))
            }
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=", " onclick="] {
                #expect(!page.text.contains(word), "\(word)")
            }
        }
    }

    private func tokens(_ page: JSONValue) -> [String] {
        page["pushes"]?.array?.compactMap { $0["token"]?.string } ?? []
    }
}
