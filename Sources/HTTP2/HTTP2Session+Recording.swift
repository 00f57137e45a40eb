// What a session writes down while nghttp2 reads: called from the callbacks, acts on nothing. Runs for each field of each
// request, so it counts no references.

import Basics
import CNghttp2
import Glibc
import HTTP

extension HTTP2Session {
    func record(_ event: HTTP2Event) {
        events.append(event)
        recorded.append(.other)
    }

    func beginHeaders(streamID: Int32, isOpening: Bool) -> Int32 {
        if role == .server, isOpening {
            guard admits(streamID) else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
            let stream = pool.take()
            stream.id = streamID
            nghttp2_session_set_stream_user_data(session, streamID, Unmanaged.passUnretained(stream).toOpaque())
            keep(stream)
            heldByStreams += HTTP2Stream.bytes
            current = Unmanaged.passUnretained(stream)
            currentID = streamID
            return 0
        }
        return withStream(streamID, otherwise: 0) { stream in
            // A client sees the final answer after a 1xx here; anything else is trailers.
            if role == .client, stream.status == 0 || stream.status / 100 == 1 {
                stream.status = 0
                stream.head.clear()
            } else {
                stream.inTrailers = true
            }
            return 0
        }
    }

    func header(
        streamID: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, neverIndexed: Bool
    ) -> Int32 {
        let value = credential.mode != .plain && name.isAuthorization ? credential.settle(value) : value
        return withStream(streamID, otherwise: 0) { stream in
            guard !stream.inTrailers else { return 0 }
            let bytes = name.count + value.count + 32
            stream.headerListBytes += bytes
            heldByStreams += bytes
            guard stream.headerListBytes <= limits.maxHeaderListBytes else {
                stream.isReset = true
                if role == .server {
                    refusedHeaderLists += 1
                    guard meter.spend(.headerLists, at: receivedAt) else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
                }
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
            }
            if role == .client, name.count == 7, name[0] == 58 {
                for digit in value { stream.status = stream.status * 10 + Int(digit &- 48) }
                return 0
            }
            Unmanaged.passUnretained(stream.head)._withUnsafeGuaranteedRef {
                $0.append(name: name.span, value: value.span, neverIndexed: neverIndexed)
            }
            return 0
        }
    }

    func data(streamID: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        withStream(streamID, otherwise: ()) { stream in
            Unmanaged.passUnretained(stream.body)._withUnsafeGuaranteedRef { body in
                let room = min(limits.maxBodyBytes + 1 - body.count, bytes.count)
                guard room > 0 else { return }
                body.append(bytes.span.extracting(first: room))
                heldByStreams += room
            }
        }
    }

    func endOfStream(_ streamID: Int32) {
        withStream(streamID, otherwise: ()) { stream in
            guard !stream.isComplete else { return }
            stream.isComplete = true
            recorded.append(.message(Unmanaged.passUnretained(stream)))
        }
    }

    /// A stream that is still open tells of it when it closes. With NO_ERROR a client that has its answer says that it wants
    /// no more (RFC 9113 §8.1), and with STREAM_CLOSED that it has done with a stream which was closed: curl does so when it
    /// has read a body to its length.
    func resetByPeer(_ streamID: Int32, _ code: UInt32) {
        guard role == .server, code != HTTP2ErrorCode.noError else { return }
        let isOver = withStream(streamID, otherwise: true) { stream in
            stream.isGivenUp = true
            return false
        }
        if isOver, code != HTTP2ErrorCode.streamClosed { record(.lateReset(streamID: streamID)) }
    }

    func streamClosed(_ streamID: Int32, _ code: UInt32) {
        withStream(streamID, otherwise: ()) { stream in
            stream.isClosed = true
            // By both sides' END_STREAM, of which ours came last.
            stream.isAnswered = isPuttingOut && code == 0 && !stream.isReset
            if role == .server {
                heldByStreams -= stream.heldBytes
                // nghttp2 says so of what breaks the rules of HTTP (RFC 9113 §8.1.1).
                stream.isMalformed = code == HTTP2ErrorCode.protocolError && !stream.isComplete && !stream.isGivenUp
            }
            if stream.headState == .awaited {
                sentHead?.forgo()
                answerHead?.forgo()
            }
            unlink(stream)
            recorded.append(.closed(Unmanaged.passUnretained(stream), code))
        }
        if currentID == streamID { forgetCurrent() }
    }

    /// nghttp2 holds a stream as its user data, unretained; this list keeps it alive from opening to closing.
    func keep(_ stream: HTTP2Stream) {
        let held = Unmanaged.passRetained(stream)
        stream.next = firstOpen
        firstOpen?._withUnsafeGuaranteedRef { $0.previous = held }
        firstOpen = held
        openStreams += 1
    }

    /// The count that the list held passes to the caller.
    func unlink(_ stream: HTTP2Stream) {
        let (next, previous) = (stream.next, stream.previous)
        next?._withUnsafeGuaranteedRef { $0.previous = previous }
        if let previous { previous._withUnsafeGuaranteedRef { $0.next = next } } else { firstOpen = next }
        stream.next = nil
        stream.previous = nil
        openStreams -= 1
    }

    func forgetCurrent() {
        current = nil
        currentID = 0
    }

    /// nghttp2 answers with RST_STREAM, or ends the connection.
    func invalid(streamID: Int32) { withStream(streamID, otherwise: ()) { $0.isReset = true } }

    /// Whether a stream that was opened is no more, or will not be once what waits has been sent.
    func isOver(_ id: Int32) -> Bool { withStream(id, otherwise: true) { $0.isReset } }

    /// Lends the open stream of that id without counting references: this runs once for each field of each request.
    @inline(__always)
    private func withStream<R>(_ id: Int32, otherwise: R, _ body: (HTTP2Stream) -> R) -> R {
        if currentID != id || current == nil {
            guard let pointer = nghttp2_session_get_stream_user_data(session, id) else { return otherwise }
            current = Unmanaged.fromOpaque(pointer)
            currentID = id
        }
        return current!._withUnsafeGuaranteedRef(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isAuthorization: Bool {
        let word: StaticString = "authorization"
        return count == word.utf8CodeUnitCount && memcmp(baseAddress!, word.utf8Start, count) == 0
    }
}
