// What a server asks of the one who answers.

package import Basics
package import HTTP2

/// Answers the requests of a `Server`. Confined to the server's loop.
package protocol ServerHandler: AnyObject {
    /// The peer is known and HTTP/2 about to begin: the MAX_CONCURRENT_STREAMS to announce in the first SETTINGS. Nil: as
    /// configured. Not asked for HTTP/1.1.
    func firstStreamLimit(for connection: ServerConnection) -> UInt32?
    func connected(_ connection: ServerConnection)
    func disconnected(_ connection: ServerConnection)
    /// One whole request. Answer at once, or keep the exchange and answer later on the same loop.
    func handle(_ exchange: ServerExchange)
    /// The peer reset the stream or vanished before the answer; answering is of no use any more.
    func abandoned(_ exchange: ServerExchange)
    /// The end of a turn, before bytes leave. False: nothing of this turn is sent and its connections close.
    func willSend() -> Bool
}

extension ServerHandler {
    package func firstStreamLimit(for connection: ServerConnection) -> UInt32? { nil }
    package func connected(_ connection: ServerConnection) {}
    package func disconnected(_ connection: ServerConnection) {}
    package func abandoned(_ exchange: ServerExchange) {}
    package func willSend() -> Bool { true }
}

/// Certificate and key of a TLS server, as PEM files.
package struct TLSServerSettings: Sendable {
    package var certificateFile: String
    package var keyFile: String
    /// Sends a CertificateRequest; an empty answer is fine.
    package var requestsClientCertificate: Bool
    /// PEM files of the authorities whose client certificates are trusted; others are shown to the handler as untrusted.
    package var clientAuthorityFiles: [String]

    package init(
        certificateFile: String, keyFile: String, requestsClientCertificate: Bool = false,
        clientAuthorityFiles: [String] = []
    ) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.requestsClientCertificate = requestsClientCertificate
        self.clientAuthorityFiles = clientAuthorityFiles
    }
}

/// What a server grants its peers. Everything is bounded.
package struct ServerLimits: Sendable {
    /// Bytes of one request body. A larger one is handed on cut to `maxBodyBytes + 1` bytes, for the handler to refuse.
    package var maxBodyBytes = 1 << 20
    /// Bytes of one header list as HTTP/2 counts it (names, values and 32 for each field).
    package var maxHeaderListBytes = 8_000
    /// HTTP/2 streams at once on a connection, as announced in the first SETTINGS.
    package var maxConcurrentStreams: UInt32 = 1_000
    package var maxConnections = 20_000
    /// A connection without any byte for this long is closed.
    package var idleTimeout = Interval.seconds(3_600)
    /// From accept to the end of the TLS handshake.
    package var handshakeTimeout = Interval.seconds(10)
    /// Bytes that may wait for a peer that does not read, before its connection is closed.
    package var maxPendingOutputBytes = 4 << 20

    package init() {}
}

package struct ServerConfiguration: Sendable {
    package var tls: TLSServerSettings?
    package var allowsHTTP1 = true
    package var allowsHTTP2 = true
    package var limits = ServerLimits()
    /// The first SETTINGS, in this order. Its MAX_CONCURRENT_STREAMS is what is advertised; `limits` say what is
    /// enforced. Empty: the limits as they are.
    package var http2Settings: [HTTP2Setting] = []

    package init(tls: TLSServerSettings? = nil) { self.tls = tls }
}
