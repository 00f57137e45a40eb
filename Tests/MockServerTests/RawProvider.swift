// A provider that writes and reads HTTP/2 frames itself, over TLS: for what a library would refuse to send or hide from
// its user.

import APNs
import Basics
import Glibc
import MockServer
import Net
import TLS

/// One connection, used from the test's thread. Every read ends after two seconds at the latest.
final class RawProvider {
    struct Frame: Equatable {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        /// The whole frame as it was on the wire.
        var bytes: [UInt8] {
            [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255), type, flags]
                + word(stream) + payload
        }
    }

    enum Ending: Equatable {
        /// Still there when the time was up.
        case open
        /// TLS close_notify.
        case closed
        /// FIN without close_notify.
        case cutOff
        /// RST.
        case reset
        /// TLS failed, and why.
        case refused(String)
    }

    private var descriptor: Int32
    private let pipe = TLSPipe()
    private let tls: TLSSession
    private let plaintext = ByteBuffer()
    private(set) var frames: [Frame] = []
    private(set) var ending = Ending.open
    private let mock: TestMock

    /// Connects and shakes hands; `ending` tells how that went wrong.
    init(_ mock: TestMock, at address: SocketAddress? = nil, sendsPreface: Bool = true) throws {
        self.mock = mock
        let address = address ?? mock.service.coordinates.apns
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let context = try TLSContext(clientTrusting: mock.service.coordinates.ca, protocols: ["h2"])
        tls = TLSSession(context: context, pipe: pipe, serverName: "localhost")
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = address.port.bigEndian
        target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(.run, "cannot connect") }
        tls.start()
        flush()
        while !tls.isEstablished, ending == .open { guard receive() else { break } }
        guard ending == .open, sendsPreface else { return }
        send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(type: 4, flags: 0, stream: 0, payload: []).bytes)
    }

    deinit { hangUp() }

    // MARK: Sending

    func send(_ bytes: [UInt8]) {
        guard tls.isEstablished else { return }
        tls.send(bytes.span)
        flush()
    }

    func send(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        send(Frame(type: type, flags: flags, stream: stream, payload: payload).bytes)
    }

    /// A push with these fields and that body; `id` is its apns-id.
    func push(
        stream: UInt32 = 1, token: String = TestMock.device, id: String? = nil, body: String = alert,
        topic: String = "com.example.app"
    ) {
        var fields = mock.fields(topic: topic)
        if let id { fields.append(("apns-id", id)) }
        post("/3/device/" + token, fields, body: body, stream: stream)
    }

    func post(_ path: String, _ fields: [(String, String)], body: String, stream: UInt32 = 1) {
        for frame in request(path, fields, body: body, stream: stream) { send(frame.bytes) }
    }

    /// Pushes on these streams, all in one write, each with an apns-id of its own.
    func pushAll(_ streams: [UInt32], token: String = TestMock.device) {
        send(
            streams.flatMap { stream in
                request(
                    "/3/device/" + token, mock.fields([("apns-id", Self.id(stream))]), body: alert, stream: stream)
            }.flatMap(\.bytes))
    }

    /// The apns-id of a push of `pushAll`.
    static func id(_ stream: UInt32) -> String { "eabeae54-14a8-11e5-b60b-" + String(100_000_000_000 + Int(stream)) }

    private func request(_ path: String, _ fields: [(String, String)], body: String, stream: UInt32) -> [Frame] {
        var block: [UInt8] = [0x83, 0x87]
        block += field(":path", path) + field(":authority", "localhost")
        for (name, value) in fields { block += field(name, value) }
        return [
            Frame(type: 1, flags: 4, stream: stream, payload: block),
            Frame(type: 0, flags: 1, stream: stream, payload: Array(body.utf8)),
        ]
    }

    /// Closes the socket. `withReset`: by RST.
    func hangUp(withReset: Bool = false) {
        guard descriptor >= 0 else { return }
        if withReset {
            var rule = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &rule, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// A literal that is not indexed, its texts as they are (RFC 7541 §6.2.2).
    private func field(_ name: String, _ value: String) -> [UInt8] {
        func text(_ text: String) -> [UInt8] {
            var count = text.utf8.count
            guard count >= 127 else { return [UInt8(count)] + Array(text.utf8) }
            var bytes: [UInt8] = [127]
            count -= 127
            while count >= 128 {
                bytes.append(UInt8(count % 128 + 128))
                count /= 128
            }
            return bytes + [UInt8(count)] + Array(text.utf8)
        }
        return [0] + text(name) + text(value)
    }

    private func flush() {
        let bytes = pipe.output.array()
        pipe.output.clear()
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if errno == ECONNRESET { ending = .reset }
                return
            }
            sent += count
        }
    }

    // MARK: Reading

    /// Reads until a frame is the last one wanted, or the connection or the time is over. All frames so far.
    @discardableResult
    func read(until isLast: (Frame) -> Bool = { _ in false }) -> [Frame] {
        while true {
            if let last = frames.last, isLast(last) { return frames }
            if takeFrame() { continue }
            guard ending == .open, receive() else { return frames }
        }
    }

    /// Until an answer of that stream ends it.
    @discardableResult
    func readAnswer(stream: UInt32 = 1) -> [Frame] {
        read { $0.stream == stream && ($0.type == 3 || ($0.type < 2 && $0.flags & 1 == 1)) }
    }

    /// Reads until everything sent before has been dealt with. An echo may overtake an answer of the same turn of the
    /// mock's loop, so a second one follows it.
    @discardableResult
    func echo() -> [Frame] {
        for turn in [1, 2] as [UInt8] {
            let token: [UInt8] = [1, 2, 3, 4, 5, 6, turn, UInt8(truncatingIfNeeded: frames.count)]
            send(type: 6, token)
            read { $0.type == 6 && $0.payload == token }
        }
        return frames
    }

    private func takeFrame() -> Bool {
        let bytes = plaintext.array()
        guard bytes.count >= 9 else { return false }
        let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        guard bytes.count >= 9 + length else { return false }
        frames.append(
            Frame(
                type: bytes[3], flags: bytes[4], stream: number(bytes[5..<9]), payload: Array(bytes[9..<9 + length])))
        plaintext.consume(9 + length)
        return true
    }

    /// Bytes that are no whole frame.
    var rest: [UInt8] { plaintext.array() }

    /// False when nothing came.
    private func receive() -> Bool {
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &room, room.count, 0)
        guard count > 0 else {
            if count == 0 {
                if case .closed = tls.state { ending = .closed } else { ending = .cutOff }
            } else if errno == ECONNRESET {
                ending = .reset
            }
            return false
        }
        let chunk = Array(room[..<count])
        tls.receive(chunk.span, into: plaintext)
        flush()
        if case .failed(let reason) = tls.state { ending = .refused(reason) }
        return true
    }
}

/// Four bytes, the highest first.
func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

extension Array<RawProvider.Frame> {
    func of(type: UInt8) -> [RawProvider.Frame] { filter { $0.type == type } }

    func on(stream: UInt32) -> [RawProvider.Frame] { filter { $0.stream == stream } }

    /// What SETTINGS say, in order, acknowledgements left out.
    var settings: [[UInt16: UInt32]] {
        filter { $0.type == 4 && $0.flags == 0 }.map { frame in
            var values: [UInt16: UInt32] = [:]
            for start in stride(from: 0, to: frame.payload.count, by: 6) {
                let identifier = UInt16(frame.payload[start]) << 8 | UInt16(frame.payload[start + 1])
                values[identifier] = number(frame.payload[(start + 2)..<(start + 6)])
            }
            return values
        }
    }
}
