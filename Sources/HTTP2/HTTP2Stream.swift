// One exchange on an HTTP/2 connection as both ends see it: what came in, what goes out.

package import Basics
package import HTTP

/// Reused through its pool: holding one after its `closed` event is a mistake.
package final class HTTP2Stream {
    package internal(set) var id: Int32 = 0
    /// What the peer sent: request fields on a server (pseudo-header fields first), answer fields on a client.
    package let head = HeaderBlock()
    /// At most the session's body limit plus one byte.
    package let body = ByteBuffer()
    /// The answer's fields (server), for whoever answers to fill. What is to be remembered of a request's (client).
    package let outHead = HeaderBlock()
    /// The answer's `:status`; on a server where it is remembered with the answer's head.
    package internal(set) var status = 0
    /// The peer has ended its side.
    package internal(set) var isComplete = false
    package internal(set) var isClosed = false
    /// Closed, and all of our answer was put out (servers).
    package internal(set) var isAnswered = false
    /// RST_STREAM of ours is on its way (servers).
    var isReset = false
    /// The peer reset it.
    var isGivenUp = false
    /// Its request broke the rules of HTTP, and was not handed up.
    package internal(set) var isMalformed = false
    /// Whoever works for this stream above; cleared when the stream goes back to its pool.
    package var owner: AnyObject?
    /// Like `owner`, but stays with the stream in its pool: for an object that is made once and used again.
    package var companion: AnyObject?

    /// What is still to be sent of our body: the stream's own buffer (server), or the request's and how much of it has
    /// been sent (client).
    let outBody = ByteBuffer()
    /// Uncounted: whoever lent it keeps it until `endLending` or the stream's end.
    var lentBody: Unmanaged<ByteBuffer>?
    var lentSent = 0
    /// What has become of our header block (client; server with an `AnswerHead`).
    enum HeadState { case out, awaited, replaced }
    var headState = HeadState.out
    /// Bytes of the request's body (client).
    var bodyCount = 0
    var outEnds = true
    var isDeferred = false
    var inTrailers = false
    var headerListBytes = 0
    /// Since when the peer has been seen to owe us something on this stream, and what; see `HTTP2Session.watch`.
    var owed = Owed.nothing
    var owedSince = Instant(nanoseconds: 0)
    /// Bytes of the answer's body that have left since then.
    var movedBytes = 0

    enum Owed { case nothing, request, reading }

    /// What a server remembers for the stream, roughly.
    var heldBytes: Int { Self.bytes + headerListBytes + body.count + outBody.count }
    /// Bytes of the answer's body that are still to be sent (server).
    package var waitingBytes: Int { outBody.count }
    /// A stream without its content: our objects and nghttp2's.
    static let bytes = 4_096

    /// The session's list of open streams; the session keeps them alive through it.
    var next: Unmanaged<HTTP2Stream>?
    var previous: Unmanaged<HTTP2Stream>?

    init() {}

    /// The request goes back to whoever lent its body, whether it was sent to its end or not.
    package func endLending() { lentBody = nil }

    func reset() {
        id = 0
        head.clear()
        outHead.clear()
        body.clear(keepingUpTo: 8_192)
        outBody.clear(keepingUpTo: 1_024)
        lentBody = nil
        lentSent = 0
        headState = .out
        status = 0
        isComplete = false
        isClosed = false
        isAnswered = false
        isReset = false
        isGivenUp = false
        isMalformed = false
        owner = nil
        outEnds = true
        isDeferred = false
        inTrailers = false
        headerListBytes = 0
        owed = .nothing
        movedBytes = 0
    }
}

/// Streams and nghttp2 memory that the sessions of one loop share.
package final class HTTP2Pool {
    let memory = HTTP2Memory()
    /// Where a session rewrites one HEADERS frame of at most `scratchBytes` (and its header).
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: HTTP2Pool.scratchBytes + 16)
    static let scratchBytes = 16_384
    /// Streams at rest, linked through `next`, which holds the count of each.
    private var resting: Unmanaged<HTTP2Stream>?
    private var restingCount = 0

    package init() {}

    deinit {
        scratch.deallocate()
        while resting != nil { _ = take() }
    }

    func take() -> HTTP2Stream {
        guard let stream = resting?.takeRetainedValue() else { return HTTP2Stream() }
        resting = stream.next.take()
        restingCount -= 1
        return stream
    }

    func give(_ stream: consuming HTTP2Stream) {
        stream.reset()
        guard restingCount < 4_096 else { return }
        stream.next = resting
        resting = .passRetained(stream)
        restingCount += 1
    }
}
