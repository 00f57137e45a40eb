// What a session tells after it was fed. C callbacks only record these; acting comes after C has returned.

/// Takes what a session recorded. Confined to the session's loop.
package protocol HTTP2EventHandler: AnyObject {
    /// The peer's message on this stream is whole.
    func message(_ stream: HTTP2Stream)
    /// The stream is over; `code` is the RST_STREAM code or 0. It goes back to its pool afterwards.
    func closed(_ stream: HTTP2Stream, code: UInt32)
    func happened(_ event: HTTP2Event)
}

/// What concerns the whole connection.
package enum HTTP2Event {
    /// The peer will open or take no streams above `lastStreamID`.
    case goAway(lastStreamID: Int32, code: UInt32, debug: [UInt8])
    /// The peer's SETTINGS were applied.
    case settings
    /// Our PING was answered.
    case pingAcknowledged
    /// The peer gave up a stream that is over for us: it had not read our answer when it did.
    case lateReset(streamID: Int32)
}

/// Parameters of SETTINGS (RFC 9113 §6.5.2), sent in the order given.
package struct HTTP2Setting: Hashable, Sendable {
    package var identifier: UInt16
    package var value: UInt32

    package init(_ identifier: UInt16, _ value: UInt32) {
        self.identifier = identifier
        self.value = value
    }

    package static func headerTableSize(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(1, value) }
    package static func enablePush(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(2, value) }
    package static func maxConcurrentStreams(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(3, value) }
    package static func initialWindowSize(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(4, value) }
    package static func maxFrameSize(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(5, value) }
    package static func maxHeaderListSize(_ value: UInt32) -> HTTP2Setting { HTTP2Setting(6, value) }
}

/// Error codes of RFC 9113 §7.
package enum HTTP2ErrorCode {
    package static let noError: UInt32 = 0
    package static let protocolError: UInt32 = 1
    package static let streamClosed: UInt32 = 5
    package static let refusedStream: UInt32 = 7
    package static let cancel: UInt32 = 8
    package static let enhanceYourCalm: UInt32 = 11
}

package struct HTTP2Limits: Sendable {
    /// Bytes of one body kept; the rest is counted and dropped.
    package var maxBodyBytes: Int
    /// Bytes of one header list: names, values and 32 for each field. Beyond it the stream is reset.
    package var maxHeaderListBytes: Int
    /// Encoded bytes of one header block, all its frames together. Servers only, like what follows.
    package var maxHeaderBlockBytes = 32_768
    /// CONTINUATION frames of one header block. nghttp2 by itself allows no more than 8.
    package var maxContinuations = 8
    package var rates = HTTP2Rates()

    package init(maxBodyBytes: Int, maxHeaderListBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
        self.maxHeaderListBytes = maxHeaderListBytes
    }
}
