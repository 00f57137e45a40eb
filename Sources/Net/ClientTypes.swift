// What a client sends and what comes of it.

package import Basics
package import HTTP

/// Where requests go: scheme, host and port.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let isTLS: Bool
    package let host: String
    package let port: UInt16
    /// Of a socket in the file system, to which all goes; nil: host and port say where.
    package let socketPath: String?

    package init(isTLS: Bool, host: String, port: UInt16, socketPath: String? = nil) {
        self.socketPath = socketPath
        self.isTLS = isTLS
        self.host = host
        self.port = port
    }

    /// The same with the path that stands behind it, or `/`.
    package static func withPath(parsing text: String) throws(Failure) -> (origin: Origin, path: String) {
        let behind = text.drop { $0 != ":" }.dropFirst(3)
        return (try Origin(parsing: text), behind.firstIndex(of: "/").map { String(behind[$0...]) } ?? "/")
    }

    /// Reads `http://127.0.0.1:8787` or `https://[::1]:2197`; a path behind it is ignored. `unix:/path` is a socket in the
    /// file system, whose host is then `localhost`.
    package init(parsing text: String) throws(Failure) {
        if text.hasPrefix("unix:/") {
            let path = String(text.dropFirst(5))
            guard path.utf8.count <= SocketAddress.longestPath else {
                throw Failure(
                    .usage, "the path of the socket is longer than \(SocketAddress.longestPath) bytes: \(path)",
                    hint: "put it into a folder with a shorter name, such as one in /tmp")
            }
            self.init(isTLS: false, host: "localhost", port: 80, socketPath: path)
            return
        }
        let hint = "write http://HOST:PORT or https://HOST:PORT"
        let isTLS = text.hasPrefix("https://")
        guard isTLS || text.hasPrefix("http://") else {
            throw Failure(.usage, "'\(text)' is not an http or https URL", hint: hint)
        }
        let authority = text.dropFirst(isTLS ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        var host = authority
        var port: UInt16 = isTLS ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = UInt16(authority[authority.index(after: colon)...]) else {
                throw Failure(.usage, "'\(text)' has no valid port", hint: hint)
            }
            host = authority[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("@") else {
            throw Failure(.usage, "'\(text)' has no valid host", hint: hint)
        }
        self.init(isTLS: isTLS, host: host.lowercased(), port: port)
    }

    /// `host:port` as it stands in `:authority` and `Host`.
    package var authority: String { socketPath == nil ? hostAndPort : host }
    private var hostAndPort: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
    package var description: String { socketPath.map { "unix:" + $0 } ?? webAddress }
    private var webAddress: String { (isTLS ? "https://" : "http://") + authority }
}

package struct TLSClientSettings: Sendable {
    /// PEM file of the only authorities to trust. Nil: the system's.
    package var caFile: String?
    /// The name to ask for and to verify. Nil: the origin's host.
    package var serverName: String?
    /// PEM files of a client certificate and its key; nil: none is shown.
    package var certificateFile: String?
    package var keyFile: String?

    package init(
        caFile: String? = nil, serverName: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) {
        self.caFile = caFile
        self.serverName = serverName
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

package struct ClientConfiguration: Sendable {
    package enum Version: Sendable { case http1, http2 }

    package var version: Version
    package var tls: TLSClientSettings
    package var maxConnections = 1
    /// Of this host, from which connections come in turn (ports are the kernel's choice); empty: it chooses both.
    package var sources: [IPAddress] = []
    /// Opens all connections at once instead of when they are needed.
    package var opensEagerly = false
    /// HTTP/2 streams at once on a connection; the peer's SETTINGS may lower it. HTTP/1.1 has one.
    package var maxConcurrentStreams = 1_000
    /// Requests that wait for a free stream; more fail at once with `.overloaded`.
    package var maxQueued = 100_000
    /// Sends again what the peer certainly did not process (REFUSED_STREAM, above GOAWAY's last stream, not handed over
    /// yet), and once, on a fresh connection, what a reused HTTP/1.1 connection took with it when it ended without a
    /// byte of an answer (RFC 9112 §9.3.1). False: the failure is told, whoever asked decides.
    package var resends = false
    package var connectTimeout = Interval.seconds(5)
    package var requestTimeout = Interval.seconds(30)
    /// Time-outs of requests go by the host's clock also where the run's stands.
    package var timesOutByHost = false
    /// HTTP/2 PING when a connection has been silent for this long; without an answer in that time it is closed.
    package var pingInterval: Interval?
    package var maxBodyBytes = 1 << 20

    package init(version: Version, tls: TLSClientSettings = TLSClientSettings()) {
        self.version = version
        self.tls = tls
    }
}

/// An answer. Valid during the completion only; the pool uses it again.
package final class ClientResponse {
    package internal(set) var status = 0
    // Uncounted: both belong to whoever calls the completion.
    package internal(set) unowned(unsafe) var head: HeaderBlock
    package internal(set) unowned(unsafe) var body: ByteBuffer
    /// When the request's bytes were handed to the kernel, for the first time where it was sent again.
    package internal(set) var sentAt = Instant(nanoseconds: 0)
    /// When the answer's last bytes were read.
    package internal(set) var answeredAt = Instant(nanoseconds: 0)

    init(head: HeaderBlock, body: ByteBuffer) {
        self.head = head
        self.body = body
    }
}

package struct ClientFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        case connect, tls, timeout, refused, reset(UInt32), goAway, closed, overloaded, protocolError
    }

    package var kind: Kind
    package var message: String
    /// The peer did not process it (REFUSED_STREAM, above GOAWAY's last stream, never sent).
    package var isSafeToResend: Bool

    package var description: String { message }
}

package enum ClientOutcome {
    case response(ClientResponse)
    case failed(ClientFailure)
}

package struct ClientStatistics: Sendable {
    package var connectionsOpened = 0
    package var connectionsOpen = 0
    package var inFlight = 0
    package var queued = 0
    /// Requests that a dying reused connection took with it and that were sent once more.
    package var sentTwice = 0
    /// Sent again because the peer certainly had not processed them.
    package var sentAgainUnprocessed = 0
    /// Answers, or other bytes, that nobody had asked for: each ended its connection.
    package var strayAnswers = 0

    package init() {}
}
