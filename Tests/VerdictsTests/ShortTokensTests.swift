// Tokens of Google's as reports and listings show them.

import Basics
import Conformance
import Testing

@testable import Verdicts

@Suite("Tokens that are shown short")
struct ShortTokensTests {
    private static let own = "APA91b_89dbZFlM" + String(repeating: "x-Y_9", count: 25)
    private static let registration = "eAt-S4YmYTSsdKC2_hBwFK:" + own
    private static let access = "ya29.IwqxR0uU_S" + String(repeating: "z-Y_9", count: 10)

    @Test("are registrations and access tokens, wherever they stand", arguments: [
        ("a message to \(registration).", "a message to eAt-S4Ym…."),
        (#"{"message":{"token":"\#(registration)","data":{}}}"#, #"{"message":{"token":"eAt-S4Ym…","data":{}}}"#),
        (#"{\"message\":{\"token\": \"\#(registration)\"}}"#, #"{\"message\":{\"token\": \"eAt-S4Ym…\"}}"#),
        ("/iid/v1/\(registration)/rel/topics/news", "/iid/v1/eAt-S4Ym…/rel/topics/news"),
        ("/iid/info/eAt-S4YmYTSsdKC2_hBwFK%3A\(own)?details=true", "/iid/info/eAt-S4Ym…?details=true"),
        ("/iid/info/cAt-S4YmYTSsdKC2_hBwFK", "/iid/info/cAt-S4Ym…"),
        ("token:\(registration)", "token:eAt-S4Ym…"),
        ("cut: eAt-S4YmYTSsdKC2_hBwFK:APA91b_8…", "cut: eAt-S4Ym……"),
        (#"["authorization","Bearer \#(access)"]"#, #"["authorization","Bearer ya29.Iwq…"]"#),
        ("no \(access)!", "no ya29.Iwq…!"),
        ("Bearer 0pa9ueT0kenOfSomebodyElses_1", "Bearer 0pa9ueT0…"),
        (#"{"message":{"fid":"cAt-S4YmYTSsdKC2_hBwFK"}}"#, #"{"message":{"fid":"cAt-S4Ym…"}}"#),
        (#"{"live_activity_token":"Zm9vYmFyYmF6cXV4Zm9v"}"#, #"{"live_activity_token":"Zm9vYmFy…"}"#),
        (#"{"liveActivityToken" : "Zm9vYmFyYmF6cXV4Zm9v"}"#, #"{"liveActivityToken" : "Zm9vYmFy…"}"#),
        (#"1,"{""token"":""cAt-S4YmYTSsdKC2_hBwFK""}""#, #"1,"{""token"":""cAt-S4Ym…""}""#),
        ("message, token cAt-S4YmYTSsdKC2_hBwFK, session 1", "message, token cAt-S4Ym…, session 1"),
    ])
    func forms(text: String, shown: String) { #expect(ShortTokens.cut(text) == shown) }

    @Test("are no other words", arguments: [
        "projects/p/messages/0:1700000000000000%abcdef0123456789", "https://127.0.0.1:44097/v1/projects/demo/messages:send",
        "token THIRD_PARTY_AUTH_ERROR_X", "[pr:1a2b3c4d:1x:2f]", #"{"token":"short","topic":"abcdefghijklmnopqrstuvwxyz"}"#,
        "2026-11-27T22:20:54.481Z", "bearer authentication-was-refused-here", "com.example.app:orders-and-more",
    ])
    func others(text: String) { #expect(ShortTokens.cut(text) == text) }

    @Test("are a fingerprint in a header, of Apple's or Google's", arguments: ["bearer", "Bearer"])
    func header(scheme: String) throws {
        let cut = ShortTokens.cutField("authorization: \(scheme) \(Self.access)")
        #expect(cut.wholeMatch(of: /authorization: [Bb]earer #[0-9a-f]{8}/) != nil)
        #expect(ShortTokens.cutField(cut) == cut)
        #expect(ShortTokens.cutField("authorization: \(scheme) \(Self.access)x") != cut)
    }

    @Test("say what a provider token claims")
    func claims() {
        let token = "eyJraWQiOiJLRVkxMjM0NTY3In0.eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzk1OTc3MjkwfQ.c2lnbmF0dXJl"
        let cut = ShortTokens.cutField("authorization: bearer \(token)")
        #expect(cut.hasSuffix(" (team TEAM123456, key KEY1234567, iat 1795977290)") && !cut.contains("c2ln"))
    }
}
