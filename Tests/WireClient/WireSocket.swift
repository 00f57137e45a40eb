// A TLS connection that a test drives by hand: it sends any bytes at all and reads with a deadline.

package import Basics
import Glibc
import TLS

package enum WireError: Error, CustomStringConvertible {
    case cannotConnect(String)
    /// Nothing came in time; what had come before.
    case silence(after: [String])
    case badHeaderBlock([UInt8])

    package var description: String {
        switch self {
        case .cannotConnect(let why): "cannot connect: \(why)"
        case .silence(let frames): "the peer says nothing more; last came: \(frames.suffix(6))"
        case .badHeaderBlock(let block): "the peer's header block breaks RFC 7541: \(Hex.encode(block.span))"
        }
    }
}

/// Blocking; for one thread at a time.
package final class WireSocket {
    /// How long a peer may be silent before a test gives up: more than a sanitizer on a busy machine needs.
    package static let patience = Interval.seconds(60)

    private let descriptor: Int32
    private let pipe = TLSPipe()
    private let session: TLSSession
    private let plaintext = ByteBuffer()
    /// The peer has closed, in order or not.
    package private(set) var isAtEnd = false

    /// Connects to 127.0.0.1 and finishes the TLS handshake. An empty `protocols` offers no ALPN at all. `identity` are
    /// the PEM files of a client certificate and its key.
    package init(
        port: UInt16, trusting caFile: String, protocols: [String] = ["h2"],
        identity: (certificate: String, key: String)? = nil
    ) throws {
        let context = try TLSContext(
            clientTrusting: caFile, protocols: protocols, certificateFile: identity?.certificate,
            keyFile: identity?.key)
        session = TLSSession(context: context, pipe: pipe, serverName: "localhost")
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw WireError.cannotConnect(String(cString: strerror(errno))) }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        session.start()
        flush()
        while case .handshaking = session.state {
            guard receive(within: Self.patience) else { throw WireError.cannotConnect("no handshake: \(session.state)") }
        }
        guard session.isEstablished else { throw WireError.cannotConnect("\(session.state)") }
    }

    deinit { close(descriptor) }

    /// What ALPN settled on.
    package var negotiatedProtocol: String? { session.negotiatedProtocol }

    /// Sends what the peer still takes; that it has gone is seen when reading.
    package func send(_ bytes: [UInt8]) {
        guard session.isEstablished, !bytes.isEmpty else { return }
        session.send(bytes.span)
        flush()
    }

    /// Ends the connection without a word: the kernel sends what there is to send.
    package func abandon() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// What has come and was not taken, at least one byte; waits for it. Empty: at the end, or nothing came in time.
    package func read(within limit: Interval) -> [UInt8] {
        let clock = ContinuousClock()
        let deadline = clock.now + .nanoseconds(limit.nanoseconds)
        while plaintext.isEmpty, !isAtEnd {
            let left = (deadline - clock.now).components
            let nanoseconds = left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000
            guard nanoseconds > 0, receive(within: .nanoseconds(nanoseconds)) else { break }
        }
        let bytes = plaintext.array()
        plaintext.clear()
        return bytes
    }

    /// False when nothing came in time, or the end.
    private func receive(within limit: Interval) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(limit.nanoseconds / 1_000_000) + 1) > 0 else { return false }
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &room, room.count, 0)
        guard count > 0 else {
            isAtEnd = true
            return false
        }
        room.removeLast(room.count - count)
        session.receive(room.span, into: plaintext)
        flush()
        switch session.state {
        case .handshaking, .established: break
        case .closed, .failed: isAtEnd = true
        }
        return true
    }

    private func flush() {
        while !pipe.output.isEmpty {
            let bytes = pipe.output.array()
            let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard sent > 0 else { return pipe.output.clear() }
            pipe.output.consume(sent)
        }
    }
}
