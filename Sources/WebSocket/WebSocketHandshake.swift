// How a connection of HTTP/1.1 becomes a WebSocket (RFC 6455 §4).

import Basics
package import HTTP
import TLS

package enum WebSocketHandshake {
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// A client's nonce, new for each connection.
    package static func key() -> String { Base64.encode(secretBytes(count: 16).span) }

    /// What a server makes of it.
    package static func accept(_ key: String) -> String {
        let digest = withBytes(of: key + guid) { sha1($0) }
        return Base64.encode(digest.span)
    }

    // MARK: A client's side

    /// The fields of a client's request. `name`: the one subprotocol that it speaks.
    package static func request(_ key: String, protocol name: String?) -> [(name: String, value: String)] {
        [("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13"), ("sec-websocket-key", key)]
            + (name.map { [("sec-websocket-protocol", $0)] } ?? [])
    }

    /// Why an answer of 101 makes no WebSocket, in words that hold nothing of it; nil where it does.
    package static func objection(to head: HeaderBlock, _ key: String, protocol name: String?) -> String? {
        if head.text("upgrade")?.lowercased() != "websocket" { return "its `Upgrade` is not `websocket`" }
        if !says(head.text("connection"), "upgrade") { return "its `Connection` does not say `Upgrade`" }
        if head.text("sec-websocket-accept") != accept(key) { return "a `Sec-WebSocket-Accept` that does not fit the key" }
        if head.text("sec-websocket-extensions") != nil { return "an extension that nobody asked for" }
        guard head.text("sec-websocket-protocol") != name else { return nil }
        return name == nil ? "a subprotocol that nobody asked for" : "not the subprotocol that was asked for"
    }

    // MARK: A server's side

    /// The fields of the answer with status 101; nil: the request asks for no WebSocket that this side speaks.
    package static func answer(to head: HeaderBlock) -> [(name: String, value: String)]? {
        guard says(head.text("upgrade"), "websocket"), says(head.text("connection"), "upgrade"),
            head.text("sec-websocket-version") == "13", let key = head.text("sec-websocket-key"),
            withBytes(of: key, { Base64.decode($0) })?.count == 16
        else { return nil }
        return [("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-accept", accept(key))]
    }

    /// Whether a list of tokens holds that one, whatever its case.
    private static func says(_ list: String?, _ token: String) -> Bool {
        (list ?? "").lowercased().split(separator: ",")
            .contains { $0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" } == token }
    }
}
