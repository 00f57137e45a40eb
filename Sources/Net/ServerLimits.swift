// What a server grants its peers. Everything is bounded, in number, size and time; docs/hardening.md says why each number
// is what it is, what happens when it is passed, and what memory all of them together allow.

package import Basics
package import HTTP2

/// The limits of one `Server`, which is one loop's share of a service.
package struct ServerLimits: Sendable {
    // MARK: Sizes

    /// Bytes of one request body. A larger one is handed on cut to `maxBodyBytes + 1` bytes, for the handler to refuse.
    package var maxBodyBytes = 1 << 20
    /// Bytes of one header list as HTTP/2 counts it (names, values and 32 for each field). Beyond it: RST_STREAM.
    package var maxHeaderListBytes = 8_000
    /// Encoded bytes of one HTTP/2 header block, all its frames together. Beyond it the connection ends.
    package var maxHeaderBlockBytes = 32_768
    /// CONTINUATION frames of one header block, at most 8. Beyond it the connection ends.
    package var maxContinuations = 8
    /// Bytes of an HTTP/1.1 request line with its fields. Beyond it: 414 or 431.
    package var maxHeadBytes = 16_384
    /// Fields of an HTTP/1.1 request. Beyond it: 431.
    package var maxHeadFields = 128

    // MARK: Numbers

    /// HTTP/2 streams at once on a connection. Beyond it: RST_STREAM (REFUSED_STREAM).
    package var maxConcurrentStreams: UInt32 = 1_000
    /// Connections at once. Beyond it the oldest that never sent a whole request makes room for a new one; where all
    /// have, the new one is closed.
    package var maxConnections = 20_000
    /// TLS handshakes under way at once. Beyond it the oldest of them is closed.
    package var maxHandshakes = 1_024
    /// How often a connection may reset streams and send frames that are no requests. Beyond it the connection ends.
    package var rates = HTTP2Rates()

    // MARK: Times

    /// From accept to the end of the TLS handshake, or to the first bytes in clear text.
    package var handshakeTimeout = Interval.seconds(10)
    /// From the first byte of an HTTP/1.1 request to the end of its head. Beyond it: 408.
    package var headTimeout = Interval.seconds(10)
    /// For one whole request. Beyond it: RST_STREAM (CANCEL), or 408.
    package var requestTimeout = Interval.seconds(30)
    /// Within this time a peer must read 64 KiB of what waits for it, or all of it. Beyond it the connection ends.
    package var answerTimeout = Interval.seconds(30)
    /// A connection without any byte for this long is closed.
    package var idleTimeout = Interval.seconds(3_600)
    /// How long a refused peer may take to close, so that it can read why. What it sends meanwhile is dropped.
    package var lingerTimeout = Interval.seconds(1)

    // MARK: Memory

    /// Bytes that may wait for one peer that does not read, before its connection is closed.
    package var maxPendingOutputBytes = 4 << 20
    /// Bytes of requests and answers that all connections together may keep here. Beyond it those go first that owe us
    /// the most: the rest of a request, or the reading of an answer.
    package var maxHeldBytes = 256 << 20

    /// What counts as reading within `answerTimeout`.
    static let readBytes = 65_536

    package init() {}

    /// Makes these the limits of one of `loops` loops that deal connections to each other, in a process whose descriptors
    /// have to suffice for more than connections.
    package mutating func share(among loops: Int) {
        let descriptors = max(64, DescriptorLimit.current - DescriptorLimit.reserve)
        maxConnections = (min(maxConnections, descriptors) + loops - 1) / loops
        maxHandshakes = (maxHandshakes + loops - 1) / loops
        maxHeldBytes /= loops
    }

    /// How often connections are looked at: often enough for the shortest of the times.
    var sweepInterval: Interval {
        let shortest = min(
            handshakeTimeout, headTimeout, requestTimeout, answerTimeout, idleTimeout, lingerTimeout * 4)
        return max(.milliseconds(20), min(.seconds(1), shortest * 0.25))
    }

    var http2: HTTP2Limits {
        var limits = HTTP2Limits(maxBodyBytes: maxBodyBytes, maxHeaderListBytes: maxHeaderListBytes)
        limits.maxHeaderBlockBytes = maxHeaderBlockBytes
        limits.maxContinuations = maxContinuations
        limits.rates = rates
        return limits
    }
}
