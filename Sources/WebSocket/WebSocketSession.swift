// Messages of a WebSocket (RFC 6455) without sockets, on wslay: bytes in, events out, bytes out. Fragments are put together,
// pings are answered and a goodbye is returned in here.

package import Basics
internal import CWslay
import TLS

package enum WebSocketEvent: Hashable, Sendable {
    /// UTF-8.
    case text([UInt8])
    /// Of so many bytes.
    case binary(Int)
    /// The peer's goodbye, which was answered; nil: it gave no code.
    case closed(code: UInt16?, reason: String)
    /// The peer has broken the protocol and was told so, by a code of RFC 6455 §7.4.1: 1002, 1007 for text that is no UTF-8,
    /// 1009 for a message that is longer than is read.
    case broken(code: UInt16)
}

/// Owns a context of wslay. Confined to one thread.
package final class WebSocketSession {
    package enum Role: Sendable { case client, server }

    private var context: OpaquePointer!
    /// What has come and wslay has not read.
    fileprivate let input = ByteBuffer()
    private let output = ByteBuffer()
    fileprivate var events: [WebSocketEvent] = []

    /// `longest`: bytes of a message, all of its fragments together.
    package init(_ role: Role, longest: Int) {
        var callbacks = wslay_event_callbacks()
        callbacks.recv_callback = readInput
        callbacks.send_callback = writeOutput
        callbacks.genmask_callback = makeMask
        callbacks.on_msg_recv_callback = recordMessage
        let user = Unmanaged.passUnretained(self).toOpaque()
        let result =
            role == .client
            ? wslay_event_context_client_init(&context, &callbacks, user)
            : wslay_event_context_server_init(&context, &callbacks, user)
        precondition(result == 0, "no memory for a WebSocket")
        wslay_event_config_set_max_recv_msg_length(context, UInt64(longest))
    }

    deinit { wslay_event_context_free(context) }

    /// wslay itself gave up: no memory, say.
    private var hasFailed = false

    /// Nothing is read any more: the peer has said goodbye, or has broken the protocol.
    package var isOver: Bool { hasFailed || wslay_event_get_read_enabled(context) == 0 }

    /// Takes what the peer sent and gives what it says by it.
    package func receive(_ bytes: Span<UInt8>) -> [WebSocketEvent] {
        guard !isOver else { return [] }
        input.append(bytes)
        hasFailed = wslay_event_recv(context) != 0
        input.clear(keepingUpTo: 1 << 16)
        write()
        defer { events.removeAll() }
        // wslay reads nothing behind what breaks the protocol.
        guard isOver, wslay_event_get_close_received(context) == 0 else { return events }
        let code = wslay_event_get_status_code_sent(context)
        return events + [.broken(code: [1007, 1009].contains(code) ? code : 1002)]
    }

    package func send(text: Span<UInt8>) { send(text, as: WSLAY_TEXT_FRAME) }

    package func send(binary: Span<UInt8>) { send(binary, as: WSLAY_BINARY_FRAME) }

    private func send(_ bytes: Span<UInt8>, as opcode: wslay_opcode) {
        bytes.withUnsafeBufferPointer { bytes in
            var message = wslay_event_msg(opcode: UInt8(opcode.rawValue), msg: bytes.baseAddress, msg_length: bytes.count)
            wslay_event_queue_msg(context, &message)
        }
        write()
    }

    /// Says goodbye; what is sent behind it is dropped.
    package func close(code: UInt16 = 1000) {
        wslay_event_queue_close(context, code, nil, 0)
        write()
    }

    /// Moves what is to be sent to the end of `buffer`.
    package func takeOutput(into buffer: ByteBuffer) {
        let output = output
        buffer.append(output.bytes)
        output.clear(keepingUpTo: 1 << 16)
    }

    private func write() {
        while wslay_event_want_write(context) != 0, wslay_event_send(context) == 0 {}
    }

    fileprivate func put(_ bytes: UnsafeBufferPointer<UInt8>) { output.append(bytes.span) }
}

private func withSession<R>(_ user: UnsafeMutableRawPointer?, _ body: (WebSocketSession) -> R) -> R {
    Unmanaged<WebSocketSession>.fromOpaque(user!)._withUnsafeGuaranteedRef(body)
}

private func readInput(
    _ context: OpaquePointer?, _ room: UnsafeMutablePointer<UInt8>?, _ count: Int, _ flags: Int32,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    withSession(user) { session in
        let input = session.input
        let taken = min(count, input.count)
        guard taken > 0 else {
            wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
            return -1
        }
        let bytes = input.bytes
        bytes.withUnsafeBufferPointer { room!.update(from: $0.baseAddress!, count: taken) }
        input.consume(taken)
        return taken
    }
}

private func writeOutput(
    _ context: OpaquePointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ flags: Int32, _ user: UnsafeMutableRawPointer?
) -> Int {
    withSession(user) { $0.put(UnsafeBufferPointer(start: bytes, count: count)) }
    return count
}

private func makeMask(
    _ context: OpaquePointer?, _ room: UnsafeMutablePointer<UInt8>?, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    room!.update(from: secretBytes(count: count), count: count)
    return 0
}

private func recordMessage(
    _ context: OpaquePointer?, _ message: UnsafePointer<wslay_event_on_msg_recv_arg>?, _ user: UnsafeMutableRawPointer?
) {
    let message = message!.pointee
    let bytes = UnsafeBufferPointer(start: message.msg, count: message.msg_length)
    withSession(user) { session in
        switch UInt32(message.opcode) {
        case WSLAY_TEXT_FRAME.rawValue: session.events.append(.text(Array(bytes)))
        case WSLAY_BINARY_FRAME.rawValue: session.events.append(.binary(bytes.count))
        case WSLAY_CONNECTION_CLOSE.rawValue:
            let code = message.status_code
            session.events.append(
                .closed(code: code == 0 ? nil : code, reason: String(decoding: bytes.dropFirst(2), as: UTF8.self)))
        default: break
        }
    }
}
