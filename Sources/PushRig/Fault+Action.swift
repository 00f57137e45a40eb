// What a fault does, as a test writes it.

extension Fault {
    public enum Action: Hashable, Sendable {
        /// Refuses with this reason, spelled as APNs does. Its status follows from it. A 410 says that the token died
        /// now, so after it was registered.
        case respond(String)
        /// Refuses with 410 `Unregistered`, and says that the token died a day ago: before the relay registered it. A
        /// relay should keep such a token.
        case respondUnregisteredBeforeRegistration
        /// An answer that APNs never gives, such as a proxy's. `status` is 200 to 999.
        case answer(status: Int, body: String = "", headers: [String: String] = [:])
        /// The right answer, so much later.
        case delay(Duration)
        /// Takes the push and never answers.
        case silence
        /// RST_STREAM in place of the answer, or after its HEADERS. `code` as RFC 9113 §7 names it.
        case resetStream(code: String = "REFUSED_STREAM", afterHeaders: Bool = false)
        /// GOAWAY; `reason` is spelled as APNs does, nil: no debug data. The push itself is answered unless `last` is
        /// before it. With `staysOpen` the connection is left as it is, and whatever comes on it is ignored.
        case goAway(reason: String? = nil, last: LastStream = .usual, staysOpen: Bool = false)
        /// SETTINGS with this MAX_CONCURRENT_STREAMS. Streams beyond it that are opened after the client has acknowledged
        /// them are refused with REFUSED_STREAM; with `isEnforced` false all are served.
        case maxStreams(Int, isEnforced: Bool = true)
        /// SETTINGS with this INITIAL_WINDOW_SIZE; 0 lets no body through.
        case initialWindow(Int)
        /// WINDOW_UPDATE frames come so much later; nil: never.
        case withholdWindowUpdates(Duration?)
        /// Ends the connection.
        case close(Ending = .clean, Moment = .beforeAnswer)
        /// Turns connections away before they have TLS.
        case refuseTLS(Refusal)
        /// Lawless frames by name, such as `empty-data`; `pushrig explain raw` lists them.
        case frames(String)
        /// Bytes as hex digits; `{stream}` and `{apnsId}` stand for the push's own.
        case raw(hex: String, Place = .instead)
    }

    /// The last stream that a GOAWAY promises an answer.
    public enum LastStream: Hashable, Sendable {
        /// The push's own, or 0 for a connection.
        case usual
        /// The one before the push's, which is not processed.
        case before
        /// 0.
        case none
        /// An odd number.
        case stream(Int)
    }

    public enum Ending: String, Hashable, Sendable {
        case clean
        /// FIN without TLS close_notify.
        case fin
        case reset
    }

    public enum Moment: String, Hashable, Sendable {
        case beforeAnswer = "before-answer"
        case halfAnswer = "half-answer"
        case afterAnswer = "after-answer"
    }

    public enum Refusal: String, Hashable, Sendable {
        /// handshake_failure in answer to the ClientHello.
        case alert
        case close, reset
        /// Of an unknown authority, for another name.
        case certificate
    }

    public enum Place: String, Hashable, Sendable {
        case instead, before, after
    }
}
