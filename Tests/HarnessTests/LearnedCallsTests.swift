// What `pushrig learn` makes of requests that it has seen.

import Basics
import Journal
import Pushes
import Testing

@testable import Harness

@Suite("What is learned of requests")
struct LearnedCallsTests {
    private static let device = String(repeating: "ab", count: 32)
    private static let card = String(repeating: "cd", count: 80)
    private static let newCard = String(repeating: "ce", count: 80)

    private static func call(
        _ path: String, _ body: String = "", at seconds: Double, status: Int = 200, answer: String = "", method: String = "POST",
        headers: [(name: String, value: String)] = []
    ) -> ObservedCall {
        ObservedCall(
            method: method, path: path, headers: headers, body: body, status: status, answer: answer, sentAt: at(seconds),
            answeredAt: at(seconds + 0.01), sentWall: WallTime(seconds: 1_790_000_000))
    }

    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private static func push(_ token: String, _ body: String, at seconds: Double, type: String = "alert") -> PushEntry {
        let payload: JSONValue = ["aps": ["alert": ["title": "Build 7", "body": .string(body)]]]
        return PushEntry(
            id: UInt64(seconds * 10), arrivedAt: at(seconds), arrivedWall: WallTime(seconds: 1_790_000_000), status: 200, token: token,
            topic: "com.learned.app" + (type == "alert" ? "" : ".push-type.liveactivity"), pushType: type,
            event: type == "alert" ? nil : .update, payload: payload.encoded())
    }

    private static func drafts(_ calls: [ObservedCall], _ pushes: [PushEntry] = []) -> [LearnedCalls.Draft] {
        LearnedCalls(calls, pushes, topic: "com.example.app", origin: "http://127.0.0.1:1").drafts
    }

    @Test("Names become variables of users and sessions, tokens their own, and the words of a push the text")
    func variables() throws {
        let drafts = Self.drafts(
            [
                Self.call("/devices", #"{"user":"user-17","token":"\#(Self.device)","app":"com.learned.app"}"#, at: 1),
                Self.call("/say", #"{"user":"user-17","thread":"t-900","title":"Build 7","body":"All is done"}"#, at: 2),
                Self.call("/say", #"{"user":"user-17","thread":"t-900","title":"Build 7","body":"Or nearly so"}"#, at: 4),
                Self.call("/devices/\(Self.device)?user=user-17", at: 6, method: "DELETE"),
            ], [Self.push(Self.device, "All is done", at: 2.1), Self.push(Self.device, "Or nearly so", at: 4.1)])
        #expect(drafts.map(\.curl.url) == [
            "http://127.0.0.1:1/devices", "http://127.0.0.1:1/say",
            "http://127.0.0.1:1/devices/{{deviceToken}}?user=user-{{secret}}",
        ])
        #expect(drafts[0].curl.body == #"{"user":"user-{{secret}}","token":"{{deviceToken}}","app":"{{topic}}"}"#)
        #expect(drafts[1].curl.body == #"{"user":"user-{{secret}}","thread":"t-{{sessionID}}","title":"Build 7","body":"{{text}}"}"#)
        #expect(drafts[1].requests == [1, 2] && drafts[1].traits.notes.first == "Seen 2 times.")
        #expect(drafts[2].traits.unregisters == ["deviceToken"] && drafts[0].traits.unregisters.isEmpty)
    }

    @Test("What several users say is no session's, names stand within other texts, and a second phone has its own tokens")
    func scopes() throws {
        let (other, second, cards) = (String(repeating: "ad", count: 32), String(repeating: "ae", count: 32), String(repeating: "af", count: 32))
        let drafts = Self.drafts([
            Self.call("/d", #"{"user":"ann-1001","token":"\#(Self.device)","server":"host-09"}"#, at: 1),
            Self.call("/d", #"{"user":"bob-2002","token":"\#(other)","server":"host-09"}"#, at: 2),
            Self.call("/d", #"{"user":"ann-1001","token":"\#(second)","startToken":"\#(cards)"}"#, at: 3),
            Self.call("/s?user=eq.bob-2002", #"{"server":"host-09"}"#, at: 3.5, headers: [("authorization", "Bearer device.bob-2002")]),
            Self.call("/s?user=eq.ann-1001", #"{"server":"host-09"}"#, at: 4, headers: [("authorization", "Bearer device.ann-1001")]),
        ])
        #expect(drafts.map(\.curl.body) == [
            #"{"user":"{{secret}}","token":"{{deviceToken}}","server":"host-09"}"#,
            #"{"user":"{{secret}}","token":"{{deviceToken2}}","startToken":"{{startToken2}}"}"#, #"{"server":"host-09"}"#,
        ])
        #expect(drafts[2].curl.url.hasSuffix("/s?user=eq.{{secret}}"), "\(drafts[2].curl.url)")
        #expect(drafts[2].curl.headers.map(\.value) == ["Bearer device.{{secret}}"])
    }

    @Test("Sessions of one user are sessions though they name its phone, and whoever no call registered is a stranger")
    func ofOneUser() {
        func call(_ path: String, _ user: String, _ session: String, _ more: String = "", at seconds: Double) -> ObservedCall {
            Self.call(path, #"{"user":"\#(user)","session":"\#(session)"\#(more)}"#, at: seconds)
        }
        let (card, other) = (#","card":"\#(Self.card)","device":"\#(Self.device)""#, #","card":"\#(Self.newCard)","device":"\#(Self.device)""#)
        let drafts = Self.drafts(
            [
                Self.call("/d", #"{"user":"ann-1001","device":"\#(Self.device)"}"#, at: 1),
                call("/card", "ann-1001", "s-77a1", card, at: 2), call("/say", "ann-1001", "s-77a1", at: 3),
                call("/card", "ann-1001", "s-88b2", other, at: 4), call("/say", "ann-1001", "s-88b2", at: 5),
                call("/say", "eve-6006", "s-99c3", at: 6),
            ], [Self.push(Self.card, "x", at: 3.1, type: "liveactivity"), Self.push(Self.newCard, "y", at: 5.1, type: "liveactivity")])
        #expect(drafts[1].curl.body?.contains(#""session":"s-{{sessionID}}","card":"{{activityToken}}""#) ?? false, "\(drafts[1].curl.body ?? "")")
        #expect(drafts[1].requests == [1, 3] && drafts[2].requests == [2, 4])
        #expect(drafts[3].curl.body == #"{"user":"nobody-{{secret}}","session":"s-99c3"}"# && drafts[3].traits.isUnknown)
    }

    @Test("The marker stands where most pushes show what their call alone says, also in calls that had no push")
    func places() {
        let words = ["first", "second", "third"]
        let calls = words.enumerated().map { place, word in
            Self.call("/say", #"{"ref":"\#(word)-ref","body":"Some words for \#(place == 2 ? "none" : word)"}"#, at: Double(place) + 1)
        }
        let pushes = ["first", "second"].enumerated().map { place, word in
            PushEntry(
                id: UInt64(place) + 1, arrivedAt: Self.at(Double(place) + 1.1), status: 200, token: Self.device, topic: "com.learned.app",
                pushType: "alert", payload: JSONValue.object(["aps": ["alert": "Some words for first"], "ref": .string("\(word)-ref")]).encoded())
        }
        let drafts = Self.drafts(calls, pushes)
        #expect(drafts.compactMap(\.curl.body).allSatisfy { $0.contains(#""ref":"{{marker}}""#) }, "\(drafts.map(\.curl.body))")
    }

    @Test("Each session's calls are a script in their order, with its user's, and alike ones are one")
    func scripts() {
        func session(_ id: String, _ end: String, _ at: Double) -> [ObservedCall] {
            [Self.call("/begin", #"{"session":"\#(id)"}"#, at: at), Self.call("/\(end)", #"{"session":"\#(id)"}"#, at: at + 1)]
        }
        let calls = [Self.call("/login", #"{"name":"x"}"#, at: 0.5)] + session("s-1001", "done", 1) + session("s-1002", "fail", 3)
            + session("s-1003", "done", 5) + [Self.call("/bad", "{}", at: 9, status: 400)]
        let plan = LearnedCalls(calls, [], topic: "t", origin: "http://h").plan
        let words = plan.scripts.map { $0.map { plan.drafts[$0].curl.url.dropFirst("http://h/".count) } }
        #expect(words == [["login", "begin", "done", "bad"], ["login", "begin", "fail"]], "\(words)")
    }

    @Test("A card's second token for one session is its newer one, and the first of another session its first")
    func rotation() {
        let other = String(repeating: "cf", count: 80)
        let drafts = Self.drafts([
            Self.call("/card", #"{"order":"o-1001","activityToken":"\#(Self.card)"}"#, at: 1),
            Self.call("/card", #"{"order":"o-1001","activityToken":"\#(Self.newCard)"}"#, at: 2),
            Self.call("/card", #"{"order":"o-1002","activityToken":"\#(other)"}"#, at: 3),
            Self.call("/step", #"{"order":"o-1002"}"#, at: 4),
        ])
        #expect(drafts.map(\.curl.body) == [
            #"{"order":"o-{{sessionID}}","activityToken":"{{activityToken}}"}"#,
            #"{"order":"o-{{sessionID}}","activityToken":"{{rotatedToken}}"}"#, #"{"order":"o-{{sessionID}}"}"#,
        ])
    }

    @Test("What an answer told is captured where it was told")
    func captures() {
        let drafts = Self.drafts([
            Self.call("/sessions", "{}", at: 1, answer: #"{"session":{"id":"zq81mm20"}}"#),
            Self.call("/sessions/zq81mm20/events", #"{"text":"hello"}"#, at: 2),
        ])
        #expect(drafts[1].curl.url.hasSuffix("/sessions/{{id}}/events"))
        #expect(drafts[0].traits.captures.map(\.name) == ["id"] && drafts[0].traits.captures.map(\.pointer) == ["/session/id"])
    }

    @Test("Forms, times, UUIDs, base64 and credentials are read; what was refused stays so")
    func kinds() {
        let form: [(name: String, value: String)] = [
            ("content-type", "application/x-www-form-urlencoded"), ("authorization", "Bearer k"), ("user-agent", "x"),
        ]
        let digits = Hex.decode(Self.device) ?? []
        let bytes = Base64.encode(digits.span)
        let drafts = Self.drafts(
            [
                Self.call("/f", "token=\(bytes.replacing("+", with: "%2B"))&when=1790000003", at: 1, headers: form),
                Self.call("/e", #"{"event_id":"0b9bb2c8-8f9f-4c0e-9a31-3f9b3a0c7d11","at":1790000001,"on":"2026-11-30T10:00:00Z"}"#, at: 2),
                Self.call("/e", #"{"wrong":true}"#, at: 3, status: 422), Self.call("/e", #"{"down":true}"#, at: 3, status: 500), Self.call("/e", "\u{FFFD}\u{1}", at: 3),
            ], [Self.push(Self.device, "x", at: 1.1)])
        #expect(drafts.map(\.curl.body) == [
            "token={{deviceToken|base64}}&when={{now|unix}}",
            #"{"event_id":"{{uuid}}","at":"{{now|unix}}","on":"{{now|iso}}"}"#, #"{"wrong":true}"#,
        ])
        #expect(drafts[0].curl.headers.map(\.name) == ["content-type", "authorization"])
        #expect(drafts[0].traits.notes.contains { $0.hasPrefix("Its credential stands here") })
        #expect(drafts.map(\.traits.refusedWith) == [nil, nil, 422])
    }

    @Test("A name that the relay does not take otherwise stays as it was")
    func doubts() {
        var learned = LearnedCalls(
            [Self.call("/a", #"{"account":"acme","x":1}"#, at: 1), Self.call("/b", #"{"account":"acme"}"#, at: 2)], [],
            topic: "t", origin: "http://h")
        #expect(learned.drafts[0].curl.body == #"{"account":"{{sessionID}}","x":1}"#)
        for form in ["{{sessionID|uuid}}", "{{session}}", "acme"] {
            let isDoubted = learned.doubt(learned.drafts[0])
            #expect(isDoubted && learned.drafts[1].curl.body == #"{"account":"\#(form)"}"#)
        }
        #expect(learned.drafts.map(\.curl.body) == [#"{"account":"acme","x":1}"#, #"{"account":"acme"}"#])
        let isDoubtedAgain = learned.doubt(learned.drafts[0])
        #expect(!isDoubtedAgain)
        learned.drop(learned.drafts[0])
        #expect(learned.drafts.map(\.curl.url) == ["http://h/b"])
    }

    @Test("A key of all callers is nobody's name, what an answer of any session told is one, and braces are not ours")
    func kept() {
        let key: [(name: String, value: String)] = [("authorization", "Bearer sk_live_51Habcdef")]
        func session(_ id: String, _ at: Double) -> [ObservedCall] {
            [
                Self.call("/sessions", "{}", at: at, answer: #"{"id":"\#(id)","token":"tok-\#(id)"}"#, headers: key),
                Self.call("/sessions/\(id)/events", #"{"token":"tok-\#(id)"}"#, at: at + 1, headers: key),
            ]
        }
        var learned = LearnedCalls(
            session("zq81mm20", 1) + session("bb72kk11", 3) + [Self.call("/x", #"{"text":"Hello {{name}}"}"#, at: 9)], [], topic: "t",
            origin: "http://h")
        #expect(learned.drafts.map(\.curl.url) == ["http://h/sessions", "http://h/sessions/{{id}}/events"])
        #expect(learned.drafts[1].curl.body == #"{"token":"{{token2}}"}"#, "{{token}} is a word of a tour")
        #expect(learned.drafts[0].traits.captures.map(\.name) == ["id", "token2"])
        #expect(learned.drafts.allSatisfy { $0.curl.headers[0].value == "Bearer sk_live_51Habcdef" } && learned.unreadable == 1)
        // Where the call that tells them is gone, nothing is named after what it told.
        learned.drop(learned.drafts[0])
        #expect(learned.drafts.map(\.curl.url) == ["http://h/sessions/zq81mm20/events", "http://h/sessions/bb72kk11/events"])
    }

    @Test("A GET of a word is no health check, and flags and keys of a query stay")
    func queries() {
        let drafts = Self.drafts([
            Self.call("/devices", at: 1, method: "GET"), Self.call("/send?silent&x=1", #"{"a":1}"#, at: 2),
            Self.call("/send?user%5Bid%5D=1", #"{"b":1}"#, at: 3),
        ])
        #expect(drafts.map(\.curl.url) == [
            "http://127.0.0.1:1/devices", "http://127.0.0.1:1/send?silent&x=1", "http://127.0.0.1:1/send?user%5Bid%5D=1",
        ])
    }

    @Test("A health check is where the relay is asked whether it is up")
    func health() {
        let learned = LearnedCalls(
            [Self.call("/healthz", at: 1, method: "GET"), Self.call("/a", #"{"x":1}"#, at: 2)], [], topic: "t", origin: "http://h")
        #expect(learned.readyPath == "/healthz" && learned.drafts.count == 1)
    }
}
