// A TLS client that speaks no HTTP of its own: a test writes frames, and reads what came, to the byte.

import Basics
import EventLoop
import Glibc
import Net
import TLS

/// One HTTP/2 frame as it stood on the wire.
struct WireFrame: Equatable, Sendable {
    var type: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    static let settings: UInt8 = 4
    static let goAway: UInt8 = 7

    /// Whole frames only.
    static func read(_ bytes: [UInt8]) -> [WireFrame] {
        var frames: [WireFrame] = []
        var place = 0
        while bytes.count - place >= 9 {
            let length = Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
            guard bytes.count - place - 9 >= length else { break }
            let stream = bytes[place + 5..<place + 9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            frames.append(
                WireFrame(
                    type: bytes[place + 3], flags: bytes[place + 4], stream: stream,
                    payload: Array(bytes[place + 9..<place + 9 + length])))
            place += 9 + length
        }
        return frames
    }
}

enum WirePeer {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// Connects, sends `bytes` once the handshake is over, and reads until the peer closes, or `text` has
    /// come. At most five seconds.
    static func converse(
        with address: SocketAddress, ca: String, certificateFile: String? = nil, keyFile: String? = nil,
        protocols: [String] = ["h2"], sending bytes: [UInt8] = preface,
        until text: String? = nil
    ) throws -> (received: [UInt8], closed: Bool) {
        let context = try TLSContext(
            clientTrusting: ca, protocols: protocols, certificateFile: certificateFile, keyFile: keyFile)
        let pipe = TLSPipe()
        let session = TLSSession(context: context, pipe: pipe, serverName: "localhost")
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = address.port.bigEndian
        inet_pton(AF_INET, address.host, &place.sin_addr)
        let connected = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(.run, "cannot connect") }
        func flush() {
            let output = pipe.output
            let bytes = output.array()
            _ = send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            output.clear()
        }
        session.start()
        flush()
        let plaintext = ByteBuffer()
        var room = [UInt8](repeating: 0, count: 16_384)
        var hasSpoken = false
        while true {
            let count = recv(number, &room, room.count, 0)
            guard count > 0 else { return (plaintext.array(), count == 0) }
            let chunk = Array(room[..<count])
            session.receive(chunk.span, into: plaintext)
            if session.isEstablished, !hasSpoken {
                hasSpoken = true
                session.send(bytes.span)
            }
            flush()
            if let text, String(decoding: plaintext.array(), as: UTF8.self).contains(text) {
                return (plaintext.array(), false)
            }
            switch session.state {
            case .closed: return (plaintext.array(), true)
            case .failed(let reason): throw Failure(.run, reason)
            default: break
            }
        }
    }
}
