// One HTTP/2 connection without a socket, on nghttp2: bytes in, events out, bytes out. Serves both ends.

package import Basics
import CNghttp2
import HTTP

/// Owns an nghttp2_session. Confined to its loop.
package final class HTTP2Session {
    package enum Role: Sendable { case server, client }

    let session: OpaquePointer
    let pool: HTTP2Pool
    let limits: HTTP2Limits
    let role: Role
    /// What happened since events were last handed out, in order. Streams stand in it uncounted: an open one is kept alive by
    /// the list of open streams, a closed one by the count that its event took over from the list.
    var recorded: [Recorded] = []
    enum Recorded {
        case message(Unmanaged<HTTP2Stream>)
        case closed(Unmanaged<HTTP2Stream>, UInt32)
        /// The next one of `events`.
        case other
    }
    var events: [HTTP2Event] = []
    /// Streams that are open, ours and the peer's.
    package internal(set) var openStreams = 0
    /// The stream that the callbacks spoke of last, kept alive by the list of open streams.
    var current: Unmanaged<HTTP2Stream>?
    var currentID: Int32 = 0
    var firstOpen: Unmanaged<HTTP2Stream>?
    /// A server's view of the frames that come in: a client's preface has 24 bytes (RFC 9113 §3.4).
    var frames = FrameCursor(preface: 24)
    var credential = RepeatedCredential()
    /// A client's last header block.
    let sentHead: SentHead?
    /// A server's, from the first answer on that has many fields.
    var answerHead: AnswerHead?
    var meter: HTTP2Meter
    /// When the bytes came that were received last.
    var receivedAt = Instant(nanoseconds: 0)
    /// What the open streams hold of the peer's requests and of our answers (servers).
    var heldByStreams = 0
    /// RST_STREAM frames on their way that nobody but us has caused.
    var ownResets = 0
    /// Streams reset since the last look because their header list was too large.
    var refusedHeaderLists = 0
    /// The MAX_CONCURRENT_STREAMS that the peer has acknowledged last (servers).
    var acknowledgedStreams: UInt32?
    /// Streams refused since the last look although the peer knew how many it may open.
    var overrunStreams = 0
    /// Streams that a server's peer may have open; one more is refused, whatever SETTINGS announce.
    package var streamLimit: UInt32 { didSet { highestStreamLimit = max(highestStreamLimit, streamLimit) } }
    private(set) var highestStreamLimit: UInt32
    var identifiers = StreamIdentifiers()
    /// Streams that were over when DATA or HEADERS came on them, for `answerLateFrames`.
    var lateFrames: [Int32] = []
    /// The latest streams that RST_STREAM of ours has ended (servers): what the peer had on its way is no mistake.
    var ownResetIDs: [Int32] = []
    /// Something has come that may end a stream, and nghttp2 may not have read it yet: RST_STREAM, trailers, more of a
    /// header block.
    var hasUnreadEnding = false
    /// The largest INITIAL_WINDOW_SIZE that SETTINGS may bring while they are being read (servers).
    var initialWindowLimit = UInt32.max
    /// The error code of what ended the connection, where nghttp2 saw nothing wrong.
    var violation: UInt32?
    private(set) var isGoingAway = false
    /// Our GOAWAY said that streams above it were not processed: they are not handed up.
    private(set) var lastPromised = Int32.max
    /// The highest stream whose message was handed up.
    private(set) var lastHandedUp: Int32 = 0
    /// Output is being taken: a stream that closes meanwhile does so by what we sent.
    private(set) var isPuttingOut = false
    /// The largest frame that is read; no server of ours announces another (RFC 9113 §4.2).
    static let maxFrameBytes = 16_384
    /// The SETTINGS of a server that the peer has not acknowledged.
    var announced: [Announcement] = []
    /// WINDOW_UPDATE frames that wait for `releaseWindowUpdates`; nil: they are sent. nghttp2 takes them for sent.
    private var withheld: ByteBuffer?

    /// Queues the preface (client) and a SETTINGS frame with `settings` in that order. `scheme` and `authority` are those
    /// of a client's requests. `isEnforcedOnceRead`: the announced MAX_CONCURRENT_STREAMS takes the place of `streamLimit`
    /// as soon as the peer has acknowledged it.
    package init(
        role: Role, settings: [HTTP2Setting], streamLimit: UInt32 = .max, isEnforcedOnceRead: Bool = false,
        limits: HTTP2Limits, pool: HTTP2Pool, scheme: StaticString = "https", authority: String = ""
    ) {
        self.role = role
        self.streamLimit = streamLimit
        highestStreamLimit = streamLimit
        sentHead = role == .client ? SentHead(scheme: scheme, authority: authority) : nil
        self.limits = limits
        self.pool = pool
        meter = HTTP2Meter(limits: limits)
        var made: OpaquePointer?
        let room = UnsafeMutablePointer<nghttp2_mem>.allocate(capacity: 1)
        defer { room.deallocate() }
        room.initialize(to: pool.memory.mem)
        switch role {
        case .server:
            nghttp2_session_server_new3(&made, HTTP2Callbacks.table, nil, HTTP2Callbacks.options, room)
        case .client:
            nghttp2_session_client_new3(&made, HTTP2Callbacks.table, nil, HTTP2Callbacks.options, room)
        }
        session = made!
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        submit(settings: settings)
        if isEnforcedOnceRead { announced[announced.count - 1].isEnforcedOnceRead = true }
    }

    deinit {
        nghttp2_session_del(session)
        for stream in streams {
            unlink(stream)
            Unmanaged.passUnretained(stream).release()
        }
        recycle()
    }

    // MARK: Bytes

    /// Appends what is to be sent, up to about `limit` bytes. False when nghttp2 gave up.
    package func takeOutput(into output: ByteBuffer, limit: Int = 1 << 18) -> Bool {
        isPuttingOut = true
        defer { isPuttingOut = false }
        while output.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            if count == 0 {
                guard answerLateFrames() else { return true }
                continue
            }
            guard count > 0 else { return false }
            let frame = UnsafeBufferPointer(start: bytes, count: count)
            if role == .server, frame.startsReset { noteReset(of: FrameHeader(frame, at: 0).streamID) }
            if !announced.isEmpty, frame.startsSettings {
                append(settings: frame, to: output)
            } else if role == .client, frame.startsHeaders {
                append(headers: frame, to: output)
            } else if let answerHead, frame.startsHeaders {
                append(answer: frame, answerHead, to: output)
            } else if let withheld, frame.isWindowUpdate {
                withheld.append(frame.span)
            } else {
                output.append(frame.span)
            }
        }
        return true
    }

    /// A stream ended by RST_STREAM of ours is on the peer's account, unless we wanted it so.
    private func noteReset(of id: Int32) {
        noteOwnReset(of: id)
        if ownResets > 0 { ownResets -= 1 } else { _ = meter.spend(.resets, at: receivedAt) }
    }

    /// Writes a SETTINGS frame with the stream limit that nghttp2 was not told.
    private func append(settings bytes: UnsafeBufferPointer<UInt8>, to output: ByteBuffer) {
        guard let place = announced.firstIndex(where: { !$0.isWritten }) else { return output.append(bytes.span) }
        announced[place].isWritten = true
        let shown = announced[place].limit
        let end = 9 + (Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2]))
        for index in 0..<bytes.count {
            let entry = index >= 9 && index < end ? (index - 9) / 6 * 6 + 9 : -1
            guard let shown, entry >= 0, index >= entry + 2, bytes[entry] == 0, bytes[entry + 1] == 3 else {
                output.append(bytes[index])
                continue
            }
            output.append(UInt8(truncatingIfNeeded: shown >> UInt32((entry + 5 - index) * 8)))
        }
    }

    /// Neither side has anything more to say.
    package var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    package var wantsWrite: Bool { nghttp2_session_want_write(session) != 0 || !lateFrames.isEmpty }

    /// Hands out what was recorded, in order, also what is recorded meanwhile; then closed streams go back to the pool.
    /// Whoever kept one must let it go in `closed`. Streams are lent without counting references.
    package func handOutEvents(to handler: some HTTP2EventHandler) {
        guard !recorded.isEmpty else { return }
        var index = 0
        var nextEvent = 0
        while index < recorded.count {
            switch recorded[index] {
            case .message(let stream):
                stream._withUnsafeGuaranteedRef { stream in
                    guard stream.id <= lastPromised else { return }
                    lastHandedUp = max(lastHandedUp, stream.id)
                    handler.message(stream)
                }
            case .closed(let stream, let code): stream._withUnsafeGuaranteedRef { handler.closed($0, code: code) }
            case .other:
                handler.happened(events[nextEvent])
                nextEvent += 1
            }
            index += 1
        }
        recycle()
    }

    private func recycle() {
        for index in recorded.indices {
            if case .closed(let stream, _) = recorded[index] { pool.give(stream.takeRetainedValue()) }
        }
        recorded.removeAll(keepingCapacity: true)
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
    }

    // MARK: Connection

    /// Sends SETTINGS. A server's MAX_CONCURRENT_STREAMS is an announcement: what is enforced is `streamLimit`, by refusing
    /// streams, because nghttp2 would end the connection of a peer that had not read the frame in time.
    package func submit(settings: [HTTP2Setting]) {
        var entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.identifier), value: $0.value) }
        if role == .server {
            let place = settings.firstIndex { $0.identifier == HTTP2Setting.maxConcurrentStreams(0).identifier }
            announced.append(Announcement(limit: place.map { settings[$0].value }))
            if announced.count > Announcement.mostWaiting {
                nghttp2_session_terminate_session(session, NGHTTP2_SETTINGS_TIMEOUT.rawValue)
            }
            if let place { entries[place].value = UInt32(Int32.max) }
        }
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    /// The peer is not told any more that it may send more, though it may as far as we are concerned.
    package func withholdWindowUpdates() { if withheld == nil { withheld = ByteBuffer() } }

    /// What was withheld, for sending; nil when nothing was.
    package func releaseWindowUpdates() -> ByteBuffer? {
        defer { withheld = nil }
        return withheld
    }

    package func ping() { nghttp2_submit_ping(session, 0, nil) }

    /// The last stream that a GOAWAY counts as processed, or as one that may still be (RFC 9113 §6.8).
    package enum LastStream {
        /// The last one that was handed up.
        case handedUp
        /// The last one that the peer has opened; its request may not be whole yet.
        case opened
        case stream(Int32)
    }

    /// Streams above the last one are not handed up from now on, though they may have come already.
    package func goAway(code: UInt32, upTo limit: LastStream, debug: [UInt8]) {
        let last =
            switch limit {
            case .handedUp: lastHandedUp
            case .opened: nghttp2_session_get_last_proc_stream_id(session)
            case .stream(let id): id
            }
        isGoingAway = true
        if role == .server { lastPromised = min(lastPromised, last) }
        nghttp2_submit_goaway(session, 0, last, code, debug, debug.count)
    }

    /// Bytes that go out as they are, beside the session's own: a GOAWAY among their frames counts like one of ours.
    package func noteRaw(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            var at = 0
            while bytes.count - at >= FrameHeader.bytes {
                let header = FrameHeader(bytes, at: at)
                at += FrameHeader.bytes
                if header.type == UInt8(NGHTTP2_GOAWAY.rawValue), header.length >= 4, bytes.count - at >= 4 {
                    let last = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[at + $1]) } & 0x7FFF_FFFF
                    lastPromised = min(lastPromised, Int32(last))
                }
                at += min(header.length, bytes.count - at)
            }
        }
    }

    package var remoteMaxConcurrentStreams: Int {
        Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// The streams that are open, newest first: for the moment when the connection dies.
    package var streams: [HTTP2Stream] {
        var found: [HTTP2Stream] = []
        var cursor = firstOpen
        while let held = cursor {
            let stream = held.takeUnretainedValue()
            found.append(stream)
            cursor = stream.next
        }
        return found
    }

    // MARK: Streams

    package func reset(_ stream: HTTP2Stream, code: UInt32) {
        guard !stream.isClosed else { return }
        stream.endLending()
        stream.isReset = true
        ownResets += 1
        nghttp2_submit_rst_stream(session, 0, stream.id, code)
    }

    func provider(for stream: HTTP2Stream) -> nghttp2_data_provider {
        nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()), read_callback: readOutBody)
    }

    static let noCopyName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
    static let noIndex = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)

    func fill(_ fields: UnsafeMutableBufferPointer<nghttp2_nv>, from start: Int, _ head: HeaderBlock) {
        for index in 0..<head.count {
            let name = head.name(at: index)
            let value = head.value(at: index)
            name.withUnsafeBufferPointer { name in
                value.withUnsafeBufferPointer { value in
                    fields[start + index] = nghttp2_nv(
                        name: UnsafeMutablePointer(mutating: name.baseAddress),
                        value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count,
                        valuelen: value.count, flags: head.isNeverIndexed(at: index) ? Self.noIndex : 0)
                }
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes begin with a HEADERS frame.
    fileprivate var startsHeaders: Bool { count >= 9 && self[3] == 1 }

    fileprivate var isWindowUpdate: Bool { count >= 9 && self[3] == 8 }

    /// The bytes begin with a SETTINGS frame that is no acknowledgement (RFC 9113 §6.5).
    fileprivate var startsSettings: Bool { count >= 9 && self[3] == 4 && self[4] & 1 == 0 }

    fileprivate var startsReset: Bool { count >= 9 && self[3] == 3 }
}
