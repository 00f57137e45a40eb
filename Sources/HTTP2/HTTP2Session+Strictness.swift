// Rules of RFC 9113 that nghttp2 does not keep, kept by a server where the header of a frame comes in: identifiers that
// were passed over, DATA and HEADERS on streams that are over, CONTINUATION of any length, SETTINGS that make a stream's
// window too large. And the limit of streams, which nghttp2 would enforce by ending the connection.

import CNghttp2

/// Which identifiers a client has used for its streams (RFC 9113 §5.1.1).
struct StreamIdentifiers {
    private(set) var highest: Int32 = 0
    /// Those that were passed over, newest last. Clients that pass over more ranges are few, and get away with it.
    private var skipped: [ClosedRange<Int32>] = []
    private static let rangesKept = 32

    /// False for an identifier that was passed over: the RFC counts it as used. One that was used, and is used again, may
    /// be trailers that were on their way, which nghttp2 judges.
    mutating func note(_ id: Int32) -> Bool {
        guard id > highest else { return skipped.isEmpty || !skipped.contains { $0.contains(id) } }
        if id - highest > 2 {
            if skipped.count == Self.rangesKept { skipped.removeFirst() }
            skipped.append(highest + 1...id - 1)
        }
        highest = id
        return true
    }
}

extension HTTP2Session {
    /// Streams that are told in one turn that they are over.
    private static let lateFramesLimit = 4_096
    /// Streams that are remembered as reset by us.
    private static let ownResetsKept = 1_024

    /// What a frame's header tells that nghttp2 lets pass. It comes before nghttp2 has read what precedes the frame.
    enum Concern {
        case none
        /// DATA on a stream that may be over: to be looked at again when what precedes it has been read.
        case perhapsLate
        /// The same of HEADERS, which may be trailers.
        case perhapsLateHeaders
        /// SETTINGS, which may change the windows of open streams.
        case settings
        case violation(nghttp2_error_code)
    }

    func concern(about header: FrameHeader) -> Concern {
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue where header.streamID & 1 == 1:
            let isFirst = header.streamID > identifiers.highest
            guard identifiers.note(header.streamID) else { return .violation(NGHTTP2_PROTOCOL_ERROR) }
            if isFirst { return .none }
            hasUnreadEnding = true
            return .perhapsLateHeaders
        case NGHTTP2_DATA.rawValue where hasUnreadEnding || isOver(header.streamID):
            hasUnreadEnding = false
            return .perhapsLate
        case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            return .settings
        case NGHTTP2_CONTINUATION.rawValue where header.length > Self.maxFrameBytes:
            return .violation(NGHTTP2_FRAME_SIZE_ERROR)
        case NGHTTP2_RST_STREAM.rawValue, NGHTTP2_CONTINUATION.rawValue:
            hasUnreadEnding = true
            return .none
        default: return .none
        }
    }

    /// nghttp2 has read all that precedes the DATA.
    func noteLateData(on id: Int32) {
        guard id & 1 == 1, id <= identifiers.highest, !isGoingAway, isOver(id) else { return }
        if lateFrames.last != id, lateFrames.count < Self.lateFramesLimit { lateFrames.append(id) }
    }

    /// nghttp2 has read all that precedes the HEADERS. Those that come after our RST_STREAM were on their way and are
    /// ignored; on a stream that the client itself closed they are a mistake of the connection (§5.1), which nghttp2 passes
    /// over in silence.
    func isViolatedByHeaders(on id: Int32) -> Bool {
        !isGoingAway && nghttp2_session_get_stream_user_data(session, id) == nil && !ownResetIDs.contains(id)
    }

    /// Remembers that RST_STREAM of ours ended the stream.
    func noteOwnReset(of id: Int32) {
        if ownResetIDs.count == Self.ownResetsKept { ownResetIDs.removeFirst() }
        ownResetIDs.append(id)
    }

    /// RST_STREAM for the frames that came on streams that were over (§5.1, §6.1). After what was queued before: a stream
    /// that was refused in this very turn is refused first. False when there is nothing to answer.
    func answerLateFrames() -> Bool {
        guard !lateFrames.isEmpty else { return false }
        for id in lateFrames { resetUnbidden(id, NGHTTP2_STREAM_CLOSED) }
        lateFrames.removeAll()
        return true
    }

    /// Call before SETTINGS are read, and again where a read begins within them: what was sent meanwhile took from the
    /// windows.
    func measureWindows() {
        var widest: Int32 = 0
        for stream in streams { widest = max(widest, nghttp2_session_get_stream_remote_window_size(session, stream.id)) }
        let initial = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
        initialWindowLimit = initial + UInt32(Int32.max - widest)
    }

    /// The peer's SETTINGS are in force. Where they make a stream's window larger than 2^31 - 1, nghttp2 has reset that
    /// stream, while the RFC wants the connection to end (§6.9.2).
    func settings(_ entries: UnsafeBufferPointer<nghttp2_settings_entry>) -> Int32 {
        record(.settings)
        defer { initialWindowLimit = .max }
        let identifier = Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue)
        guard entries.contains(where: { $0.settings_id == identifier && $0.value > initialWindowLimit }) else { return 0 }
        violation = NGHTTP2_FLOW_CONTROL_ERROR.rawValue
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }

    /// Nothing more is read: says why with a GOAWAY.
    func terminate(after result: Int) {
        let code: UInt32 =
            switch Int32(result) {
            case _ where violation != nil: violation!
            case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: NGHTTP2_PROTOCOL_ERROR.rawValue
            case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue:
                NGHTTP2_ENHANCE_YOUR_CALM.rawValue
            default: NGHTTP2_INTERNAL_ERROR.rawValue
            }
        nghttp2_session_terminate_session(session, code)
    }

    /// Whether one stream more may be opened; if not, it is refused, and the peer may send the request again (§8.7).
    func admits(_ streamID: Int32) -> Bool {
        guard openStreams >= Int(streamLimit) else { return true }
        if let known = knownStreams, openStreams >= Int(known) { overrunStreams += 1 }
        resetUnbidden(streamID, NGHTTP2_REFUSED_STREAM)
        return false
    }

    /// While the limit is lower than it was, streams beyond it are no fault of the peer's.
    private func resetUnbidden(_ streamID: Int32, _ code: nghttp2_error_code) {
        if streamLimit < highestStreamLimit { ownResets += 1 }
        noteOwnReset(of: streamID)
        nghttp2_submit_rst_stream(session, 0, streamID, code.rawValue)
    }
}
