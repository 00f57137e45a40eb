// What one who listens says over a WebSocket, and how it reads what comes. Confined to its loop.

import Basics
import HTTP
import Net
import Scenarios
import WebSocket

final class SocketVoice {
    let spec: ObserverSpec.WebSocket
    let session = WebSocketSession(.client, longest: ObserverSpec.longestMessage)
    private let key = WebSocketHandshake.key()
    private let said: [[UInt8]]
    private let output = ByteBuffer()

    /// `said`: its messages, filled in, the beat last.
    init(_ spec: ObserverSpec.WebSocket, _ said: [[UInt8]]) {
        self.spec = spec
        self.said = said
    }

    var handshake: [(name: String, value: String)] { WebSocketHandshake.request(key, protocol: spec.subprotocol) }

    func objection(to head: HeaderBlock) -> String? {
        WebSocketHandshake.objection(to: head, key, protocol: spec.subprotocol)
    }

    /// Says what is said first.
    func begin() {
        for message in said.prefix(spec.says.count) { session.send(text: message.span) }
    }

    func keepUp() {
        guard spec.beat != nil, let message = said.last else { return }
        session.send(text: message.span)
    }

    func send(on stream: AnswerStream) {
        session.takeOutput(into: output)
        stream.send(output)
    }

    // MARK: What comes

    /// Nil: the message does not say.
    func letsIn(_ message: [UInt8]) -> Bool? {
        guard let joined = spec.joined, let json = try? JSONValue(parsing: message.span),
            let said = json.at(pointer: joined.at.text)
        else { return nil }
        return said.string == joined.text
    }

    /// `message` where it says none.
    func name(of message: [UInt8]) -> String {
        (try? JSONValue(parsing: message.span))?.at(pointer: spec.event.text)?.string ?? "message"
    }

    static func words(of code: UInt16) -> String {
        switch code {
        case 1007: "a text that is no UTF-8"
        case 1009: "a message longer than \(ObserverSpec.longestMessage) bytes"
        default: "a frame that RFC 6455 forbids: with a mask, reserved bits, or out of turn"
        }
    }
}
