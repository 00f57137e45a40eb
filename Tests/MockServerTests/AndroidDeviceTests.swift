// Android devices and quotas of the mock FCM over the wire (docs/fcm.md §4, §5, §6).

import Basics
import EventLoop
import MockServer
import Net
import Testing

@Suite("Android devices of the mock FCM")
struct AndroidDeviceTests {
    private static let path = "/v1/registrations/" + MessagingMock.token

    /// A mock whose clock stands still but for what a test adds, and a sender.
    private final class Bench {
        let fcm: MessagingMock
        let client: TestClient
        let fields: [(String, String)]

        init(_ fcm: MessagingMock) throws {
            self.fcm = fcm
            client = try fcm.client()
            fields = try fcm.fields(client)
        }

        func send(_ members: String = "", to target: String = #""token":"\#(MessagingMock.token)""#) throws -> Reply {
            try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(members, to: target))
        }

        @discardableResult
        func tell(_ method: String, _ body: String) throws -> Reply { try fcm.mock.admin.ask(method, AndroidDeviceTests.path, body: body) }

        func pass(_ seconds: Double) {
            fcm.mock.service.set(wall: fcm.mock.service.clock.wall() + .seconds(seconds))
        }

        /// Outcome, late outcome and reason of each push, oldest first.
        func outcomes() throws -> [String] {
            let pushes = try fcm.mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            return pushes.map { push in
                [push["outcome"], push["lateOutcome"], push["outcomeReason"]].compactMap { $0?.string }.joined(separator: ", ")
            }
        }
    }

    private func bench(_ settings: [String: String] = [:], _ body: (Bench) throws -> Void) throws {
        let time = ManualTime(wall: SystemTime().wall())
        try withMessaging({ options in
            try! options.set(settings)
            options.clock = time
        }) { try body(Bench($0)) }
    }

    @Test("a device that is set up is what a message meets, and what becomes of stored ones is told")
    func device() throws {
        try bench { bench in
            #expect(try bench.tell("PUT", #"{"android":{"dozing":true}}"#).status == 201)
            _ = try bench.send()
            _ = try bench.send(#","android":{"priority":"HIGH"}"#)
            #expect(try bench.outcomes() == ["stored, the device dozes: at normal priority it waits for a maintenance window", "handed-over"])
            #expect(try bench.tell("GET", "").json["android"]?["stored"]?.int == 1)
            let awake = try bench.tell("PATCH", #"{"android":{"dozing":false}}"#)
            #expect(awake.status == 200 && awake.json["android"]?["stored"]?.int == 0)
            #expect(try bench.outcomes() == ["stored, handed-over", "handed-over"])
            try bench.tell("PATCH", #"{"android":{"app":"force-stopped"}}"#)
            _ = try bench.send()
            #expect(try bench.outcomes().last?.hasPrefix("discarded, its user has force-stopped") == true)
            #expect(try bench.tell("PUT", "{}").json["android"]?.isNull == true)
            _ = try bench.send()
            #expect(try bench.outcomes().last == "handed-over")
        }
    }

    @Test("what a maintenance window or the end of a ttl brings is told when the clock comes there")
    func time() throws {
        try bench(["dozeMaintenance": "10m"]) { bench in
            try bench.tell("PUT", #"{"android":{"dozing":true}}"#)
            _ = try bench.send()
            bench.pass(599)
            #expect(try bench.tell("GET", "").json["android"]?["stored"]?.int == 1)
            bench.pass(1)
            try bench.tell("PATCH", "{}")
            #expect(try bench.outcomes() == ["stored, handed-over"])
            try bench.tell("PATCH", #"{"android":{"offline":true}}"#)
            _ = try bench.send(#","android":{"ttl":"30s"}"#)
            bench.pass(30)
            try bench.tell("PATCH", "{}")
            #expect(try bench.outcomes().last == "stored, expired, its ttl was over before it could be delivered")
        }
    }

    @Test("the states of a live update are told apart by a key of the data")
    func liveUpdate() throws {
        try bench(["liveUpdateKey": "k"]) { bench in
            try bench.tell("PUT", #"{"android":{}}"#)
            for _ in 0..<2 { _ = try bench.send() }
            #expect(try bench.outcomes() == ["shown", "replaced, in the place of an older state of the same activity"])
        }
    }

    @Test("a number in the data tells which of two states is newer, and a text tells the end, as the settings name them")
    func liveUpdateTerms() throws {
        let settings = [
            "liveUpdateKey": "id", "liveUpdateStamp": "n", "liveUpdateEnd": "what=over", "androidWakeOrder": "newest-first",
        ]
        try bench(settings) { bench in
            try bench.tell("PUT", #"{"android":{"offline":true}}"#)
            func state(_ number: String, _ what: String = "on") throws {
                _ = try bench.send(#","android":{"data":{"id":"a","n":"\#(number)","what":"\#(what)"}}"#)
            }
            for number in ["1", "2", "none"] { try state(number) }
            try bench.tell("PATCH", #"{"android":{"offline":false}}"#)
            let words = try bench.outcomes().map { $0.split(separator: ", ")[1] }
            #expect(words == ["ignored-older", "replaced", "shown"] || words == ["ignored-older", "set-back", "shown"], "\(words)")
            try state("5", "over")
            #expect(try bench.outcomes().last == "ended")
        }
    }

    @Test("a restricted package name is that of the registration's app, where it has a device")
    func restricted() throws {
        try bench { bench in
            let other = #","android":{"restricted_package_name":"com.example.other"}"#
            #expect(try bench.send(other).status == 200, "of a registration without a device nobody knows the app")
            try bench.tell("PUT", #"{"android":{}}"#)
            let refused = try bench.send(other)
            #expect(refused.status == 400 && refused.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            try bench.tell("PATCH", #"{"android":{"package":"com.example.other"}}"#)
            #expect(try bench.send(other).status == 200)
        }
    }

    @Test("a registration is gone after 270 days of the mock's clock without a sign of life, though messages are stored for it")
    func idle() throws {
        try bench(["demandsAccessToken": "false"]) { bench in
            try bench.tell("PUT", #"{"android":{"offline":true}}"#)
            bench.pass(260 * 86_400)
            #expect(try bench.send().status == 200)
            bench.pass(10 * 86_400)
            #expect(try bench.tell("GET", "").json["state"]?.string == "unregistered")
            let gone = try bench.send()
            #expect(gone.status == 404 && gone.text.contains("UNREGISTERED"))
            try bench.tell("PATCH", #"{"android":{"offline":false}}"#)
            #expect(try bench.outcomes().first?.hasPrefix("stored, not-delivered") == true, "whoever returns has another token")
        }
    }

    @Test("beyond a device's quota is 429, which the project is not charged for; retry-after is a setting", arguments: ["60", "none"])
    func deviceQuota(retryAfter: String) throws {
        let settings = [
            "messagesPerMinuteAndDevice": "2", "messagesPerMinuteAndProject": "4", "quotaRetryAfter": retryAfter,
        ]
        try bench(settings) { bench in
            #expect(try bench.send().status == 200)
            #expect(try bench.send().status == 200)
            for _ in 0..<3 {
                let reply = try bench.send()
                #expect(reply.status == 429 && reply.field("retry-after") == (retryAfter == "none" ? nil : "60"))
                #expect(reply.json["error"]?["details"]?.array?[0]["errorCode"]?.string == "QUOTA_EXCEEDED")
            }
            #expect(try bench.send(to: #""token":"nope""#).status == 400, "what is wrong counts")
            #expect(try bench.send(to: #""topic":"news""#).status == 200)
            let over = try bench.send(to: #""token":"nope""#)
            #expect(over.status == 429 && over.text.contains("RATE_LIMIT_EXCEEDED"), "and is refused before it is looked at")
            try bench.tell("PUT", #"{"platform":"ios"}"#)
            bench.pass(60)
            for _ in 0..<3 { #expect(try bench.send().status == 200, "only Android devices have a quota") }
        }
    }

    @Test("a device's quota is for what is sent to it: not for trial, not by a topic, not for an activity")
    func whatCounts() throws {
        try bench(["messagesPerMinuteAndDevice": "1"]) { bench in
            try bench.tell("PUT", #"{"android":{}}"#)
            let join = #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)"]}"#
            _ = try bench.client.ask("POST", "/iid/v1:batchAdd", bench.fields + [("access_token_auth", "true")], body: join)
            for _ in 0..<3 { #expect(try bench.send(to: #""topic":"news""#).status == 200) }
            #expect(try bench.send().status == 200)
            #expect(try bench.send().status == 429)
            let trial = #"{"validate_only":true,"message":{"token":"\#(MessagingMock.token)"}}"#
            #expect(try bench.client.ask("POST", MessagingMock.sends, bench.fields, body: trial).status == 200)
            let aps = #"{"timestamp":\#(bench.fcm.mock.service.clock.wall().seconds),"event":"update","content-state":{}}"#
            let token = String(repeating: "ab", count: 80)
            let activity = #","apns":{"live_activity_token":"\#(token)","payload":{"aps":\#(aps)}}"#
            #expect(try bench.send(activity).status != 429)
        }
    }

    @Test("what a device could not have is no sign of life: of a ttl of 0, or by a topic", arguments: [
        #""token":"\#(MessagingMock.token)""#, #""topic":"news""#,
    ])
    func noSign(_ target: String) throws {
        try bench(["demandsAccessToken": "false"]) { bench in
            try bench.tell("PUT", #"{"android":{"offline":true}}"#)
            let join = #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)"]}"#
            _ = try bench.client.ask("POST", "/iid/v1:batchAdd", bench.fields + [("access_token_auth", "true")], body: join)
            bench.pass(260 * 86_400)
            #expect(try bench.send(#","android":{"ttl":"0s"}"#, to: target).status == 200)
            bench.pass(10 * 86_400)
            #expect(try bench.tell("GET", "").json["state"]?.string == "unregistered")
        }
    }

    @Test("a message to a topic brings no registration back that is gone")
    func gone() throws {
        try bench(["demandsAccessToken": "false"]) { bench in
            try bench.tell("PUT", #"{"android":{}}"#)
            let join = #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)"]}"#
            _ = try bench.client.ask("POST", "/iid/v1:batchAdd", bench.fields + [("access_token_auth", "true")], body: join)
            bench.pass(271 * 86_400)
            #expect(try bench.send(to: #""topic":"news""#).status == 200)
            #expect(try bench.tell("GET", "").json["state"]?.string == "unregistered")
            #expect(try bench.send().status == 404)
        }
    }

    @Test("beyond a project's subscriptions in a second each is refused in the words of its API")
    func subscriptions() throws {
        try bench(["topicSubscriptionsPerSecond": "1"]) { bench in
            let v1 = "/v1/projects/\(MessagingMock.project)/registrations/\(MessagingMock.token)/topicSubscriptions?topic_name="
            #expect(try bench.client.ask("POST", v1 + "a", bench.fields, body: "{}").status == 200)
            #expect(try bench.client.ask("POST", v1 + "b", bench.fields, body: "{}").status == 429)
            bench.pass(1)
            let body = #"{"to":"/topics/c","registration_tokens":["\#(MessagingMock.token)","\#(MessagingMock.token)x"]}"#
            let fields = bench.fields + [("access_token_auth", "true")]
            let batch = try bench.client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            #expect(batch.json["results"] == [[:], ["error": "RESOURCE_EXHAUSTED"]])
            let one = try bench.client.ask("POST", "/iid/v1/\(MessagingMock.token)/rel/topics/d", fields, body: "")
            #expect(one.status == 429)
        }
    }

    @Test(
        "a mistake in a device is told with its member",
        arguments: [
            #"{"android":5}"#, #"{"android":{"vendor":"acme"}}"#, #"{"android":{"app":"asleep"}}"#, #"{"android":{"dozing":1}}"#,
            #"{"android":{"package":"a b"}}"#, #"{"android":{"doze":true}}"#, #"{"android":{},"platform":"web"}"#,
            #"{"platform":"windows"}"#,
        ])
    func mistakes(_ body: String) throws {
        try bench { bench in
            let reply = try bench.tell("PUT", body)
            #expect(reply.status == 400 && reply.json["error"]?["message"]?.string?.isEmpty == false, "\(reply.text)")
            #expect(try bench.tell("PATCH", "{}").status == 404, "and nothing is set")
        }
    }
}
