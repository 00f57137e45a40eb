// How a WebSocket begins: RFC 6455's own example, and one thing wrong at a time.

import HTTP
import Testing
import WebSocket

@Suite("The handshake of a WebSocket")
struct WebSocketHandshakeTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func head(_ fields: [(name: String, value: String)]) -> HeaderBlock {
        let head = HeaderBlock()
        for field in fields { head.append(name: field.name, value: field.value) }
        return head
    }

    @Test("answers the key as the RFC's example does")
    func example() {
        #expect(WebSocketHandshake.accept(Self.key) == Self.accept)
        #expect(WebSocketHandshake.key() != WebSocketHandshake.key() && WebSocketHandshake.key().count == 24)
    }

    @Test("its two sides agree")
    func agree() throws {
        let answer = try #require(WebSocketHandshake.answer(to: head(WebSocketHandshake.request(Self.key, protocol: nil))))
        #expect(WebSocketHandshake.objection(to: head(answer), Self.key, protocol: nil) == nil)
        let named = head(answer + [("sec-websocket-protocol", "chat")])
        #expect(WebSocketHandshake.objection(to: named, Self.key, protocol: "chat") == nil)
    }

    @Test("a client tells what is wrong about an answer", arguments: [
        ("upgrade", "h2c", "`Upgrade`"), ("connection", "keep-alive", "`Connection`"),
        ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOp=", "`Sec-WebSocket-Accept`"), ("sec-websocket-accept", "", "`Sec-WebSocket-Accept`"),
        ("sec-websocket-extensions", "permessage-deflate", "extension"), ("sec-websocket-protocol", "chat", "subprotocol"),
    ])
    func objection(name: String, value: String, words: String) {
        var fields: [(name: String, value: String)] = [
            ("upgrade", "WebSocket"), ("connection", "keep-alive, Upgrade"), ("sec-websocket-accept", Self.accept),
        ]
        #expect(WebSocketHandshake.objection(to: head(fields), Self.key, protocol: nil) == nil)
        fields[1].value = "keep-alive,\tUpgrade"
        #expect(WebSocketHandshake.objection(to: head(fields), Self.key, protocol: nil) == nil)
        fields.removeAll { $0.name == name }
        fields.append((name, value))
        let objection = WebSocketHandshake.objection(to: head(fields), Self.key, protocol: nil)
        #expect(objection?.contains(words) == true, "\(objection ?? "none")")
    }

    @Test("a subprotocol that was asked for is answered")
    func subprotocol() {
        let answer = head([("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-accept", Self.accept)])
        #expect(WebSocketHandshake.objection(to: answer, Self.key, protocol: "chat")?.contains("asked for") == true)
    }

    @Test("a server takes no request that asks for something else", arguments: [
        ("upgrade", "h2c"), ("connection", "close"), ("sec-websocket-version", "8"), ("sec-websocket-key", "c2hvcnQ="),
    ])
    func request(name: String, value: String) {
        var fields = WebSocketHandshake.request(Self.key, protocol: nil)
        fields.removeAll { $0.name == name }
        fields.append((name, value))
        #expect(WebSocketHandshake.answer(to: head(fields)) == nil)
    }
}
