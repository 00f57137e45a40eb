// A peer without manners: a blocking socket in clear text, bytes as the test wants them, and HTTP/2 frames made by hand.

import Basics
import Glibc
import Net

struct Frame: Equatable {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + Frame.word(stream) + payload
    }

    static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) } }

    /// `GET /echo` (or another path) as static-table references and literals; END_HEADERS unless `more` follows.
    static func request(
        _ stream: UInt32, path: String = "/echo", ends: Bool = true, more: Bool = false, extra: [UInt8] = []
    ) -> Frame {
        let block = [0x82, 0x86, 0x04, UInt8(path.utf8.count)] + Array(path.utf8) + [0x01, 1, 0x61] + extra
        return Frame(type: 1, flags: (ends ? 1 : 0) | (more ? 0 : 4), stream: stream, payload: block)
    }

    /// A header field that is not indexed, names and values below 127 bytes.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    static func reset(_ stream: UInt32, code: UInt32 = 8) -> Frame { Frame(type: 3, stream: stream, payload: word(code)) }
    static func goAway(code: UInt32 = 0) -> Frame { Frame(type: 7, payload: word(0) + word(code)) }
    static let settings = Frame(type: 4)
    static let ping = Frame(type: 6, payload: Array(repeating: 7, count: 8))
}

final class RawPeer {
    private var socket: Int32
    private var input: [UInt8] = []
    /// The other side has closed.
    private(set) var isClosed = false
    /// By RST.
    private(set) var wasReset = false

    /// Speaks to a server in clear text; reads wait two seconds at most.
    init(_ address: SocketAddress, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var wait = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = address.port.bigEndian
        target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, 16) }
        }
        guard result == 0 else { throw Failure(.run, "cannot connect") }
    }

    deinit { hangUp() }

    /// Closes. `withReset`: by RST, whatever there is to read.
    func hangUp(withReset: Bool = false) {
        guard socket >= 0 else { return }
        if withReset {
            var rule = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &rule, socklen_t(MemoryLayout<linger>.size))
        }
        close(socket)
        socket = -1
    }

    /// Connects, and says the preface and SETTINGS of HTTP/2.
    convenience init(http2 address: SocketAddress, settings: [UInt8] = []) throws {
        try self.init(address)
        send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(type: 4, payload: settings).bytes)
    }

    /// False when the other side takes no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ frames: [Frame]) -> Bool { send(frames.flatMap(\.bytes)) }

    func send(text: String) { send(Array(text.utf8)) }

    /// The next frame; nil when the connection has ended or nothing comes.
    func frame() -> Frame? {
        while true {
            if input.count >= 9 {
                let length = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
                if input.count >= 9 + length {
                    let stream = input[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    let frame = Frame(
                        type: input[3], flags: input[4], stream: stream & 0x7FFF_FFFF, payload: Array(input[9..<9 + length]))
                    input.removeFirst(9 + length)
                    return frame
                }
            }
            guard receive() else { return nil }
        }
    }

    /// The next frame of a type, and of a stream if one is named.
    func frame(_ type: UInt8, on stream: UInt32? = nil) -> Frame? {
        while let frame = frame() {
            if frame.type == type, stream == nil || frame.stream == stream { return frame }
        }
        return nil
    }

    /// Code and debug text of the next GOAWAY.
    func goAway() -> (code: UInt32, text: String)? {
        guard let frame = frame(7) else { return nil }
        let code = frame.payload[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (code, String(decoding: frame.payload[8...], as: UTF8.self))
    }

    /// Everything up to the end of the connection, or for two seconds.
    func rest() -> String {
        while receive() {}
        return String(decoding: input, as: UTF8.self)
    }

    /// Whether the other side has closed, waiting for it two seconds at most.
    func endsSoon() -> Bool {
        while receive() {}
        return isClosed
    }

    /// Reads at most so many bytes and forgets them.
    @discardableResult
    func readSome(_ count: Int) -> Int {
        var room = [UInt8](repeating: 0, count: count)
        return max(0, recv(socket, &room, count, Int32(MSG_DONTWAIT)))
    }

    /// Reads and forgets until so many bytes, the end, or two seconds of silence. The number of bytes.
    func readAll(upTo limit: Int = .max, atOnce: Int = 1 << 18) -> Int {
        var room = [UInt8](repeating: 0, count: atOnce)
        var sum = 0
        while sum < limit, case let count = recv(socket, &room, room.count, 0), count > 0 { sum += count }
        return sum
    }

    private func receive() -> Bool {
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &room, room.count, 0)
        if count > 0 {
            input.append(contentsOf: room[..<count])
            return true
        }
        if count < 0, errno == ECONNRESET { wasReset = true }
        if count == 0 || errno != EAGAIN { isClosed = true }
        return false
    }
}
