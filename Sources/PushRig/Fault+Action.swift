// The action of a fault, as a test writes it.

extension Fault {
    /// The action of a fault: what the mock does to a request or connection that it meets.
    public enum Action: Hashable, Sendable {
        /// A refusal with this reason, spelled as APNs or FCM does. Its status follows from it. A 410 says that the token
        /// died now, so after it was registered.
        case respond(String)
        /// A refusal with 410 `Unregistered` that says the token died a day ago: before the relay registered it. A relay
        /// should keep such a token.
        case respondUnregisteredBeforeRegistration
        /// An answer that APNs never gives, such as a proxy's. `status` is 200 to 999, `body` has at most 64 KiB, and
        /// `headers` are at most 32 with names in lower case.
        case answer(status: Int, body: String = "", headers: [String: String] = [:])
        /// The right answer, so much later, at most 24 hours.
        case delay(Duration)
        /// Silence: the push is taken and never answered.
        case silence
        /// RST_STREAM in place of the answer, or after its HEADERS. `code` as RFC 9113 §7 names it.
        case resetStream(code: String = "REFUSED_STREAM", afterHeaders: Bool = false)
        /// GOAWAY; `reason` is spelled as APNs does, nil: no debug data. The push itself is answered unless `last` is
        /// before it. With `staysOpen` the connection is left as it is, and whatever comes on it is ignored.
        case goAway(reason: String? = nil, last: LastStream = .usual, staysOpen: Bool = false)
        /// SETTINGS with this MAX_CONCURRENT_STREAMS, 0 to 2³² − 1. Streams beyond it that are opened after the client has
        /// acknowledged them are refused with REFUSED_STREAM; with `isEnforced` false all are served.
        case maxStreams(Int, isEnforced: Bool = true)
        /// SETTINGS with this INITIAL_WINDOW_SIZE in bytes, 0 to 2³¹ − 1; 0 lets no body through.
        case initialWindow(Int)
        /// WINDOW_UPDATE frames that come so much later, above 0 and at most a year; nil: never.
        case withholdWindowUpdates(Duration?)
        /// The end of the connection.
        case close(Ending = .clean, Moment = .beforeAnswer)
        /// A refusal of connections before they have TLS.
        case refuseTLS(Refusal)
        /// Lawless frames by name, such as `empty-data`; `pushrig explain raw` lists them.
        case frames(String)
        /// Bytes as hex digits, at most 64 KiB; `{stream}` and `{apnsId}` stand for the push's own.
        case raw(hex: String, Place = .instead)
    }

    /// The last stream to which a GOAWAY promises an answer.
    public enum LastStream: Hashable, Sendable {
        /// The push's own, or 0 for a connection.
        case usual
        /// The stream before the push's, which is not processed.
        case before
        /// Stream 0: nothing was processed.
        case none
        /// The stream of this number, which is odd.
        case stream(Int)
    }

    /// The way in which a connection ends.
    public enum Ending: String, Hashable, Sendable {
        /// TLS close_notify, then FIN.
        case clean
        /// FIN without TLS close_notify.
        case fin
        /// RST.
        case reset
    }

    /// The moment at which a connection ends.
    public enum Moment: String, Hashable, Sendable {
        /// Before the answer: the push is not processed.
        case beforeAnswer = "before-answer"
        /// Within the answer: the push is processed, and half of the answer's bytes are sent.
        case halfAnswer = "half-answer"
        /// After the answer.
        case afterAnswer = "after-answer"
    }

    /// The way in which a connection is turned away before it has TLS.
    public enum Refusal: String, Hashable, Sendable {
        /// The alert handshake_failure in answer to the ClientHello.
        case alert
        /// FIN, or RST, as soon as the connection is accepted.
        case close, reset
        /// A certificate of an unknown authority, for another name.
        case certificate
    }

    /// The place of raw bytes: instead of the answer (the push is not processed), before it, or after it.
    public enum Place: String, Hashable, Sendable {
        case instead, before, after
    }
}
