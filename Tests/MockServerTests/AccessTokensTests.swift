// Access tokens say themselves what they allow: nothing is remembered, and nothing is forgotten.

import Basics
import Net
import Testing

@testable import FCM
@testable import MockServer

struct AccessTokensTests {
    private static let now = WallTime(seconds: 1_760_000_000)
    private static let grant = TokenGrant(account: "sender", project: "p", maySend: true)

    @Test func `one is good for its hour however many are given out behind it`() throws {
        let tokens = AccessTokens(secret: Array(repeating: 7, count: 32))
        func grant(_ token: String) -> AccessGrant? { withBytes(of: token) { tokens.grant(of: $0) } }
        let first = tokens.issue(Self.grant, now: Self.now)
        let others = (0..<10_050).map { _ in tokens.issue(Self.grant, now: Self.now) }
        #expect(Set(others + [first]).count == 10_051, "each is another")
        for token in [first, others[0], others[10_049]] {
            #expect(
                grant(token)
                    == AccessGrant(project: Array("p".utf8), expiresAt: Self.now + AccessTokens.lifetime, maySend: true))
        }
        let narrow = tokens.issue(TokenGrant(account: "a", project: "other", maySend: false), now: Self.now)
        #expect(grant(narrow)?.maySend == false && grant(narrow)?.project == Array("other".utf8))
    }

    @Test func `one that was changed, cut or sealed elsewhere is none`() {
        let tokens = AccessTokens(secret: Array(repeating: 7, count: 32))
        let token = tokens.issue(Self.grant, now: Self.now)
        func isGood(_ text: String) -> Bool { withBytes(of: text) { tokens.grant(of: $0) != nil } }
        #expect(isGood(token))
        for place in 5..<token.utf8.count {
            var bytes = Array(token.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!isGood(String(decoding: bytes, as: UTF8.self)), "byte \(place)")
        }
        for count in 0..<token.count { #expect(!isGood(String(token.prefix(count)))) }
        for text in ["", "ya29.", "ya29.x", token + "A", "ya29." + token] { #expect(!isGood(text)) }
        let other = AccessTokens(secret: Array(repeating: 8, count: 32))
        withBytes(of: token) { #expect(other.grant(of: $0) == nil) }
    }

    @Test func `a mock that is started anew in the same directory takes what the one before gave`() throws {
        try withDirectory { directory in
            var fields: [(String, String)] = []
            for _ in 0..<2 {
                let mock = try TestMock(directory + "/state") { $0.fcm = SocketAddress(host: "127.0.0.1", port: 0) }
                defer { mock.stop() }
                let fcm = try MessagingMock(mock)
                let client = try fcm.client()
                if fields.isEmpty { fields = try fcm.fields(client) }
                let body = #"{"message":{"token":"\#(MessagingMock.token)","data":{"a":"b"}}}"#
                #expect(try client.ask("POST", MessagingMock.sends, fields, body: body).status == 200)
            }
        }
    }
}
