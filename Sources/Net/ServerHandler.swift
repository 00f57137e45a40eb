// What a server asks of the one who answers.

package import HTTP2

/// Answers the requests of a `Server`. Confined to the server's loop.
package protocol ServerHandler: AnyObject {
    /// Whether a connection that was just accepted gets its TLS. `number` is the nth accepted, or 0.
    func admit(number: UInt64, peer: String) -> Admission
    /// The peer is known and HTTP/2 about to begin: the MAX_CONCURRENT_STREAMS to announce in the first SETTINGS. Nil: as
    /// configured. Not asked for HTTP/1.1.
    func firstStreamLimit(for connection: ServerConnection) -> UInt32?
    func connected(_ connection: ServerConnection)
    func disconnected(_ connection: ServerConnection)
    /// One whole request. Answer at once, or keep the exchange and answer later on the same loop.
    func handle(_ exchange: ServerExchange)
    /// The peer reset the stream or vanished before the answer; answering is of no use any more.
    func abandoned(_ exchange: ServerExchange)
    /// The answer to the exchange of that mark was not handed to the network, or may not have been read because the
    /// connection was cut off right behind it. Once at most; also after `disconnected`.
    func undelivered(_ mark: UInt64)
    /// The peer opened so many streams more than the MAX_CONCURRENT_STREAMS that it had acknowledged; they are refused.
    func overran(_ connection: ServerConnection, streams: Int)
    /// So many requests were refused before anybody could read them, in words. Their connection may end with them.
    func unread(_ connection: ServerConnection, requests: Int, why: String)
    /// The end of a turn, before bytes leave. False: nothing of this turn is sent and its connections close.
    func willSend() -> Bool
    /// A limit was broken, so many times; what it took has been done.
    func refused(_ refusal: Refusal, times: Int)
}

extension ServerHandler {
    package func admit(number: UInt64, peer: String) -> Admission { .serve }
    package func firstStreamLimit(for connection: ServerConnection) -> UInt32? { nil }
    package func connected(_ connection: ServerConnection) {}
    package func disconnected(_ connection: ServerConnection) {}
    package func abandoned(_ exchange: ServerExchange) {}
    package func undelivered(_ mark: UInt64) {}
    package func overran(_ connection: ServerConnection, streams: Int) {}
    package func unread(_ connection: ServerConnection, requests: Int, why: String) {}
    package func willSend() -> Bool { true }
    package func refused(_ refusal: Refusal, times: Int) {}
}

/// What becomes of an accepted connection.
package enum Admission: Sendable {
    case serve
    /// FIN at once.
    case close
    /// RST at once.
    case reset
    /// A fatal TLS alert in answer to the ClientHello.
    case alert(UInt8)
    /// Served with `ServerConfiguration.impostor` in place of the certificate.
    case impostor
}

/// What a server does about streams beyond the MAX_CONCURRENT_STREAMS that it announced.
package enum AnnouncedStreams: Sendable {
    /// They are refused from the moment it is announced.
    case enforced
    /// From when the peer has acknowledged it.
    case enforcedOnceRead
    case served
}

/// Certificate and key of a TLS server, as PEM files.
package struct TLSServerSettings: Sendable {
    package var certificateFile: String
    package var keyFile: String
    /// Sends a CertificateRequest; an empty answer is fine.
    package var requestsClientCertificate: Bool
    /// PEM files of the authorities whose client certificates are trusted; others are shown to the handler as untrusted.
    package var clientAuthorityFiles: [String]
    /// Keys of the tickets by which clients resume sessions; nil: they do not.
    package var ticketKeys: [UInt8]?

    package init(
        certificateFile: String, keyFile: String, requestsClientCertificate: Bool = false,
        clientAuthorityFiles: [String] = [], ticketKeys: [UInt8]? = nil
    ) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.requestsClientCertificate = requestsClientCertificate
        self.clientAuthorityFiles = clientAuthorityFiles
        self.ticketKeys = ticketKeys
    }
}

package struct ServerConfiguration: Sendable {
    package var tls: TLSServerSettings?
    package var allowsHTTP1 = true
    package var allowsHTTP2 = true
    package var limits = ServerLimits()
    /// Makes the certificate that `Admission.impostor` shows, when it is first wanted.
    package var impostor: (@Sendable () throws -> TLSServerSettings)?
    /// The first SETTINGS, in this order. Their MAX_CONCURRENT_STREAMS is what is announced; `limits` say what is
    /// enforced. Empty: the limits as they are.
    package var http2Settings: [HTTP2Setting] = []
    /// From when on streams beyond what was last announced are refused, though `limits` allow them.
    package var announcedStreams = AnnouncedStreams.enforcedOnceRead

    package init(tls: TLSServerSettings? = nil) { self.tls = tls }
}
