// nghttp2's callbacks: thunks that record what happened into the session and return.

import Basics
import CNghttp2
import HTTP

enum HTTP2Callbacks {
    /// Shared by all sessions; never freed.
    nonisolated(unsafe) static let table: OpaquePointer = {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, onInvalidFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        return callbacks!
    }()

    /// Shared by all sessions; never freed.
    nonisolated(unsafe) static let options: OpaquePointer = {
        var options: OpaquePointer?
        nghttp2_option_new(&options)
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_max_reserved_remote_streams(options, 0)
        nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
        // nghttp2's own fences stand behind ours (HTTP2Meter), which tell the peer why: acknowledgements that wait to be
        // sent (PING and SETTINGS floods of a peer that does not read), parameters in one SETTINGS, and rapid resets.
        nghttp2_option_set_max_outbound_ack(options, 10_000)
        nghttp2_option_set_max_settings(options, 32)
        nghttp2_option_set_stream_reset_rate_limit(options, 100_000, 100_000)
        // nghttp2 counts a CONTINUATION once for each read that ends inside its frame header, up to nine times; at its
        // default of 8 a single one that comes byte by byte would end the connection.
        nghttp2_option_set_max_continuations(options, 128)
        return options!
    }()
}

@inline(__always)
private func withSession<R>(_ user: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> R) -> R {
    Unmanaged<HTTP2Session>.fromOpaque(user!)._withUnsafeGuaranteedRef(body)
}

private func onBeginHeaders(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    let header = frame!.pointee.hd
    let isOpening = header.type == UInt8(NGHTTP2_HEADERS.rawValue) && frame!.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    return withSession(user) { $0.beginHeaders(streamID: header.stream_id, isOpening: isOpening) }
}

private func onHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int, _ flags: UInt8,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(user) {
        $0.header(
            streamID: frame!.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameCount),
            UnsafeBufferPointer(start: value, count: valueCount),
            neverIndexed: flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0)
    }
}

private func onDataChunk(
    _ session: OpaquePointer?, _ flags: UInt8, _ streamID: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(user) { $0.data(streamID: streamID, UnsafeBufferPointer(start: bytes, count: count)) }
    return 0
}

private func onFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    let header = frame!.pointee.hd
    return withSession(user) { session in
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { session.endOfStream(header.stream_id) }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame!.pointee.goaway
            let debug = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            session.record(
                .goAway(lastStreamID: goAway.last_stream_id, code: goAway.error_code, debug: Array(debug)))
        case NGHTTP2_SETTINGS.rawValue:
            guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else {
                session.settingsAcknowledged()
                break
            }
            let settings = frame!.pointee.settings
            return session.settings(UnsafeBufferPointer(start: settings.iv, count: settings.niv))
        case NGHTTP2_RST_STREAM.rawValue: session.resetByPeer(header.stream_id, frame!.pointee.rst_stream.error_code)
        case NGHTTP2_PING.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { session.record(.pingAcknowledged) }
        default: break
        }
        return 0
    }
}

/// A frame of a known type that the RFC forbids; nghttp2 ignores others that it does not understand.
private func onInvalidFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ code: Int32, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    let header = frame!.pointee.hd
    if header.type <= UInt8(NGHTTP2_CONTINUATION.rawValue) { withSession(user) { $0.invalid(streamID: header.stream_id) } }
    return 0
}

private func onStreamClose(
    _ session: OpaquePointer?, _ streamID: Int32, _ code: UInt32, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(user) { $0.streamClosed(streamID, code) }
    return 0
}

/// Hands out what is left of a stream's body.
func readOutBody(
    _ session: OpaquePointer?, _ streamID: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ count: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    Unmanaged<HTTP2Stream>.fromOpaque(source!.pointee.ptr)._withUnsafeGuaranteedRef { stream in
        if let lent = stream.lentBody {
            return lent._withUnsafeGuaranteedRef { stream.read(lent: $0, into: room!, upTo: count, flags!) }
        }
        let body = stream.outBody
        let taken = min(count, body.count)
        if taken > 0 {
            let bytes = body.bytes
            bytes.withUnsafeBufferPointer { room!.update(from: $0.baseAddress!, count: taken) }
            body.consume(taken)
            stream.movedBytes += taken
            Unmanaged<HTTP2Session>.fromOpaque(user!)._withUnsafeGuaranteedRef { $0.heldByStreams -= taken }
        }
        if body.isEmpty {
            if stream.outEnds {
                flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            } else if taken == 0 {
                stream.isDeferred = true
                return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            }
        }
        return taken
    }
}

extension HTTP2Stream {
    fileprivate func read(
        lent: ByteBuffer, into room: UnsafeMutablePointer<UInt8>, upTo count: Int, _ flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let bytes = lent.bytes
        let taken = min(count, max(0, bytes.count - lentSent))
        if taken > 0 {
            bytes.withUnsafeBufferPointer { room.update(from: $0.baseAddress! + lentSent, count: taken) }
        }
        lentSent += taken
        if lentSent >= bytes.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return taken
    }
}
