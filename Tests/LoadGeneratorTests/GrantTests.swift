// Access tokens by OAuth2's client credentials: fetched once, renewed, and told of in one line where there is none.

import Basics
import EventLoop
import Journal
import Net
@testable import LoadGenerator
import Scenarios
import Synchronization
import Testing

@Suite(.serialized)
struct GrantTests {
    private static let usual = "auth: { oauth2: { tokenURL: /token, clientID: the rig, clientSecret: SECRET } }"
    private static let call = "json: { text: \"{{marker}}\" }"

    private static func token(_ number: Int, seconds: Int = 3_600) -> String {
        #"{"access_token":"token-\#(number)-abc","token_type":"Bearer","expires_in":\#(seconds)}"#
    }

    @Test func `all calls wait for one token, and that is nobody's lateness`() throws {
        let relay = try ScriptedRelay { request, count in
            request.path == "/token" ? .init(body: Self.token(count), after: .milliseconds(300)) : .init()
        }
        defer { relay.stop() }
        let drive = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call, steps: 2), at: relay.origin)
        #expect(drive.isDone && drive.isWhole && drive.events.count == 20)
        #expect(drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 && $0.attempts == 1 })
        let grants = relay.requests(to: "/token")
        #expect(grants.map(\.body) == ["grant_type=client_credentials"])
        // The name and the secret percent-encoded, RFC 6749 §2.3.1.
        #expect(grants.first?.authorization == "Basic " + Base64.encode(Array("the%20rig:s%20e%26cret".utf8).span))
        #expect(Set(relay.requests(to: "/one").map(\.authorization)) == ["Bearer token-1-abc"])
        let first = drive.events.filter { $0.step == 0 }
        #expect(first.allSatisfy { $0.answeredAt - $0.plannedAt > .milliseconds(200) })
        #expect(drive.usualLateness < .milliseconds(50))
    }

    @Test func `a client may stand in the form, with scope and audience`() throws {
        let relay = try ScriptedRelay { request, count in request.path == "/token?a=b" ? .init(body: Self.token(count)) : .init() }
        defer { relay.stop() }
        let profile = """
            auth: { oauth2: { tokenURL: "/token?a=b", clientID: rig, clientSecret: SECRET, style: post, scope: push send, audience: r } }
            """
        let drive = try Drive(try ScriptedRelay.plan(profile: profile, call: Self.call), at: relay.origin)
        #expect(drive.isWhole && drive.events.allSatisfy { $0.status == 200 })
        let grant = try #require(relay.requests(to: "/token?a=b").first)
        #expect(grant.authorization == "")
        #expect(
            grant.body
                == "grant_type=client_credentials&scope=push%20send&audience=r&client_id=rig&client_secret=s%20e%26cret")
    }

    @Test func `a token is replaced before it ends`() throws {
        let given = Mutex<[String: Instant]>([:])
        let relay = try ScriptedRelay { request, count in
            let now = SystemTime().now()
            if request.path == "/token" {
                given.withLock { $0["Bearer token-\(count)-abc"] = now }
                return .init(body: Self.token(count, seconds: 2))
            }
            let age = given.withLock { $0[request.authorization] }.map { now - $0 }
            // Its last fifth is not used.
            return .init(status: (age ?? .seconds(9)) < .milliseconds(1_800) ? 200 : 410)
        }
        defer { relay.stop() }
        let plan = try ScriptedRelay.plan(profile: Self.usual, call: Self.call, sessions: 4, steps: 200, every: "20ms")
        let drive = try Drive(plan, at: relay.origin)
        #expect(drive.isWhole && drive.events.allSatisfy { $0.status == 200 })
        let grants = relay.requests(to: "/token").count
        #expect(3...4 ~= grants, "\(grants)")
    }

    @Test func `an answer to a token that was replaced meanwhile says nothing of the new one`() throws {
        let relay = try ScriptedRelay { request, count in
            if request.path == "/token" { return .init(body: Self.token(count), after: .milliseconds(300)) }
            guard request.authorization == "Bearer token-1-abc" else { return .init() }
            return .init(status: 401, after: .milliseconds(count % 2 == 0 ? 0 : 900))
        }
        defer { relay.stop() }
        let drive = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call), at: relay.origin)
        #expect(drive.isWhole && drive.events.count == 10 && drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 })
        #expect(relay.requests(to: "/token").count == 2)
    }

    @Test func `a token that is refused is replaced once, and the call made anew`() throws {
        let relay = try ScriptedRelay { request, count in
            if request.path == "/token" { return .init(body: Self.token(count)) }
            return .init(status: request.authorization == "Bearer token-1-abc" && count > 3 ? 401 : 200)
        }
        defer { relay.stop() }
        let drive = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call, steps: 2), at: relay.origin)
        #expect(drive.isWhole && drive.events.count == 20 && drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 })
        #expect(relay.requests(to: "/token").count == 2)
        let never = try ScriptedRelay { request, count in
            request.path == "/token" ? .init(body: Self.token(count)) : .init(status: 401)
        }
        defer { never.stop() }
        let vain = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call, sessions: 1, steps: 3), at: never.origin)
        #expect(vain.isWhole && vain.events.allSatisfy { $0.status == 401 && $0.failure == EventFailure.unexpectedStatus.rawValue })
        #expect(never.requests(to: "/one").count == 6 && vain.snapshot.sent == 3)
    }

    @Test func `a refusal that is expected stands, and the token is kept`() throws {
        let relay = try ScriptedRelay { request, count in
            request.path == "/token" ? .init(body: Self.token(count)) : .init(status: 401)
        }
        defer { relay.stop() }
        let plan = try ScriptedRelay.plan(profile: Self.usual, call: Self.call + "\n        expect: 401")
        let drive = try Drive(plan, at: relay.origin)
        #expect(drive.isWhole && drive.events.allSatisfy { $0.status == 401 && $0.failure == 0 })
        #expect(relay.requests(to: "/token").count == 1 && relay.requests(to: "/one").count == 10)
    }

    @Test func `a spoilt call shows a token that nobody gave, and keeps the good one`() throws {
        let relay = try ScriptedRelay { request, count in
            if request.path == "/token" { return .init(body: Self.token(count)) }
            return .init(status: request.authorization == "Bearer token-1-abc" ? 200 : 401)
        }
        defer { relay.stop() }
        let profile = String(Self.usual.dropLast()) + ", spoil: true }"
        let drive = try Drive(
            try ScriptedRelay.plan(profile: profile, call: Self.call + "\n        expect: 401"), at: relay.origin)
        #expect(drive.isWhole && drive.events.allSatisfy { $0.status == 401 && $0.failure == 0 })
        #expect(relay.requests(to: "/token").count == 1 && relay.requests(to: "/one").count == 10)
        let shown = Set(relay.requests(to: "/one").map(\.authorization))
        #expect(shown.count == 1 && shown.first?.utf8.count == "Bearer token-1-abc".utf8.count)
        // Where another refusal was expected this one stands, and the good token is not given up for it.
        let other = try ScriptedRelay { request, count in
            request.path == "/token" ? .init(body: Self.token(count)) : .init(status: 401)
        }
        defer { other.stop() }
        let vain = try Drive(
            try ScriptedRelay.plan(profile: profile, call: Self.call + "\n        expect: 403"), at: other.origin)
        #expect(vain.isWhole && vain.events.allSatisfy { $0.failure == EventFailure.unexpectedStatus.rawValue })
        #expect(other.requests(to: "/token").count == 1 && other.requests(to: "/one").count == 10)
    }

    @Test(arguments: [
        (401, "application/json", #"{"error":"invalid_client","error_description":"s e&cret"}"#, "401, invalid_client"),
        (400, "application/json", #"{"error":"s e&cret"}"#, "400"), (200, "text/html", "<p>s e&cret", "with what is no JSON"),
        (200, "application/json", #"{"token":"s e&cret"}"#, "200 without an `access_token`"),
        (200, "application/json", #"{"error":"invalid_scope"}"#, "200, but invalid_scope"),
        (200, "application/json", #"{"access_token":"a b"}"#, "200 without an `access_token`"),
        (
            200, "application/json", #"{"access_token":"\#(String(repeating: "a", count: 8_193))"}"#,
            "200 without an `access_token`"
        ),
        (200, "application/json", #"{"access_token":"ab","token_type":"mac"}"#, "200 with a token that is no bearer token"),
    ])
    func `what is no token is told in one line, and nothing is sent`(
        status: Int, type: String, body: String, words: String
    ) throws {
        let relay = try ScriptedRelay { request, _ in
            request.path == "/token" ? .init(status: status, body: body, type: type) : .init()
        }
        defer { relay.stop() }
        let drive = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call), at: relay.origin)
        #expect(drive.isDone && drive.events.count == 10 && drive.snapshot.withheld == 10 && drive.snapshot.inFlight == 0)
        #expect(relay.requests(to: "/token").count == 1 && relay.requests(to: "/one").isEmpty)
        for event in drive.events {
            #expect(String(decoding: event.answer, as: UTF8.self) == "no access token: the token URL answered " + words)
        }
    }

    @Test func `another server may give the tokens, and a relay that repeats one is not quoted`() throws {
        let issuer = try ScriptedRelay { _, count in .init(body: Self.token(count)) }
        let relay = try ScriptedRelay { request, _ in .init(status: 403, body: "got \(request.authorization), want s e&cret") }
        defer {
            issuer.stop()
            relay.stop()
        }
        let url = "\(issuer.origin)/token"
        let profile = "auth: { oauth2: { tokenURL: \"\(url)\", clientID: rig, clientSecret: SECRET } }"
        let plan = try ScriptedRelay.plan(profile: profile, call: Self.call)
        #expect(plan.tokenURLs == [url])
        let drive = try Drive(plan, at: relay.origin, tokenTargets: [url: TargetPolicy.loopback(issuer.origin)])
        #expect(drive.isWhole && issuer.requests(to: "/token").count == 1 && relay.requests(to: "/token").isEmpty)
        let answers = Set(drive.events.map { String(decoding: $0.answer, as: UTF8.self) })
        #expect(answers == ["got Bearer (secret), want (secret)"])
    }

    @Test func `a relay that is not there has failed the calls that wait for its token`() throws {
        let drive = try Drive(try ScriptedRelay.plan(profile: Self.usual, call: Self.call), at: TinyRelay.nowhere())
        #expect(drive.isDone && drive.events.count == 10)
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.connect.rawValue && $0.sentAt.nanoseconds == 0 })
    }
}
