// An HTTP/2 client that does nothing on its own but acknowledge SETTINGS: the test says each frame, lawful or not.

package import Basics

/// Blocking; for one thread at a time.
package final class WireClient {
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    package let socket: WireSocket
    /// Every frame that came, in order.
    package private(set) var received: [Frame] = []
    /// Where in `received` a test begins to look; for the test's own use.
    package var mark = 0
    package var decoder = HPACKDecoder()
    package var acknowledgesSettings = true
    private var unread: [UInt8] = []
    private var block: (stream: UInt32, bytes: [UInt8])?

    /// Connects. `hello`: sends the preface and SETTINGS, and waits until both sides' SETTINGS are acknowledged.
    package init(
        port: UInt16, trusting caFile: String, protocols: [String] = ["h2"],
        identity: (certificate: String, key: String)? = nil, hello: [(UInt16, UInt32)]? = []
    ) throws {
        socket = try WireSocket(port: port, trusting: caFile, protocols: protocols, identity: identity)
        guard let hello else { return }
        send(bytes: Self.preface + Frame.settings(hello).bytes)
        while let frame = try next() {
            if frame.type == FrameType.settings, frame.has(FrameFlag.acknowledge) { return }
        }
    }

    package func send(_ frames: Frame...) { socket.send(frames.flatMap(\.bytes)) }

    package func send(bytes: [UInt8]) { socket.send(bytes) }

    /// The next frame; nil: the peer has closed. Header blocks are decoded, and SETTINGS acknowledged.
    package func next(within limit: Interval = WireSocket.patience) throws -> Frame? {
        let count = try frameBytes(within: limit)
        guard count > 0 else { return nil }
        var frame = Frame(
            unread[3], flags: unread[4], stream: unread[5..<9].reduce(0) { $0 << 8 | UInt32($1) },
            Array(unread[9..<count]))
        unread.removeFirst(count)
        try note(&frame)
        received.append(frame)
        return frame
    }

    /// Waits until a whole frame is there; gives its length.
    private func frameBytes(within limit: Interval) throws -> Int {
        while true {
            if unread.count >= 9 {
                let count = 9 + unread[0..<3].reduce(0) { $0 << 8 | Int($1) }
                if unread.count >= count { return count }
            }
            let bytes = socket.read(within: limit)
            unread += bytes
            if bytes.isEmpty {
                guard socket.isAtEnd else { throw WireError.silence(after: received.map(\.description)) }
                return 0
            }
        }
    }

    private func note(_ frame: inout Frame) throws {
        switch frame.type {
        case FrameType.settings where !frame.has(FrameFlag.acknowledge):
            if acknowledgesSettings { send(.settingsAcknowledgement) }
        case FrameType.headers, FrameType.continuation:
            let bytes = (block?.bytes ?? []) + frame.payload
            guard frame.has(FrameFlag.endHeaders) else {
                block = (frame.stream, bytes)
                return
            }
            block = nil
            guard let fields = decoder.decode(bytes) else { throw WireError.badHeaderBlock(bytes) }
            frame.fields = fields
        default: break
        }
    }

    // MARK: Answers

    package struct Answer: Sendable {
        package var status: Int
        package var fields: [DecodedField]
        package var body: [UInt8]
        /// HEADERS and DATA, as they came.
        package var frames: [Frame]

        package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Waits for the whole answer on a stream; nil when the stream or the connection ends without one.
    package func answer(on stream: UInt32, within limit: Interval = WireSocket.patience) throws -> Answer? {
        var answer: Answer?
        while let frame = try next(within: limit) {
            guard frame.stream == stream else {
                if frame.type == FrameType.goAway { return nil }
                continue
            }
            switch frame.type {
            case FrameType.headers:
                let status = frame.fields.first { $0.name == ":status" }.flatMap { Int($0.value) }
                answer = Answer(status: status ?? 0, fields: frame.fields, body: [], frames: [frame])
            case FrameType.data:
                answer?.body += frame.payload
                answer?.frames.append(frame)
            case FrameType.reset: return nil
            default: continue
            }
            if frame.has(FrameFlag.endStream) { return answer }
        }
        return nil
    }

    /// Waits for the acknowledgement of a PING sent now, and so until what was sent before has been read.
    package func awaitPing(_ opaque: String = "ping-pin") throws -> Bool {
        send(.ping(opaque))
        while let frame = try next() {
            if frame.type == FrameType.ping, frame.payload == Array(opaque.utf8) { return true }
        }
        return false
    }

    /// The parameters of each SETTINGS frame that came, in their order.
    package var settings: [[Setting]] {
        received.filter { $0.type == FrameType.settings && !$0.has(FrameFlag.acknowledge) }.map { frame in
            stride(from: 0, to: frame.payload.count - 5, by: 6).map {
                Setting(
                    identifier: UInt16(frame.payload[$0]) << 8 | UInt16(frame.payload[$0 + 1]),
                    value: frame.number(at: $0 + 2))
            }
        }
    }

    package struct Setting: Equatable, Sendable, CustomStringConvertible {
        package var identifier: UInt16
        package var value: UInt32

        package init(identifier: UInt16, value: UInt32) {
            self.identifier = identifier
            self.value = value
        }

        package var description: String { "\(identifier)=\(value)" }
    }
}
