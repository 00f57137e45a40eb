// Bytes from the peer on their way into nghttp2. A server looks at the frames first: it counts them, keeps the rules that
// nghttp2 lets pass, and finds in whole HEADERS frames the credential that they repeat. Everything else passes as it came.

package import Basics
import CNghttp2

/// What stands before each frame (RFC 9113 §4.1).
struct FrameHeader {
    static let bytes = 9

    var length: Int
    var type: UInt8
    var flags: UInt8
    var streamID: Int32

    /// The header that begins there, all of it.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
        length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        type = bytes[start + 3]
        flags = bytes[start + 4]
        let high = UInt32(bytes[start + 5] & 0x7F) << 24 | UInt32(bytes[start + 6]) << 16
        streamID = Int32(high | UInt32(bytes[start + 7]) << 8 | UInt32(bytes[start + 8]))
    }
}

/// Follows the frames in what the peer sends, from read to read.
struct FrameCursor {
    /// Bytes still to come of a frame, or of the client's preface.
    var rest: Int
    /// The part of a frame's header that came before a read ended within it.
    private var header = InlineArray<9, UInt8>(repeating: 0)
    private var headerBytes = 0

    init(preface: Int) { rest = preface }

    /// Whether a frame header begins where the next byte stands.
    var isBetweenFrames: Bool { rest == 0 && headerBytes == 0 }

    /// Passes over the part of a frame that is at hand. The number of bytes passed.
    mutating func pass(upTo count: Int) -> Int {
        let step = min(rest, count)
        rest -= step
        return step
    }

    /// Takes one byte of a frame header that was cut in two; gives the header with its last byte.
    mutating func take(_ byte: UInt8) -> FrameHeader? {
        header[headerBytes] = byte
        headerBytes += 1
        guard headerBytes == FrameHeader.bytes else { return nil }
        let whole = header.span.withUnsafeBufferPointer { FrameHeader($0, at: 0) }
        (headerBytes, rest) = (0, whole.length)
        return whole
    }
}

extension HTTP2Session {
    /// Feeds what the peer sent. Nil, or why the connection cannot go on; a GOAWAY may then wait in the output. A server
    /// stops at a frame that is one too many and says so in `offence`; nothing may be fed any more.
    package func receive(_ bytes: Span<UInt8>, at now: Instant = Instant(nanoseconds: 0)) -> String? {
        guard violation == nil else { return nil }
        receivedAt = now
        let result = bytes.withUnsafeBufferPointer { role == .server ? feedFrames($0) : feed($0) }
        forgetCurrent()
        guard result < 0 else { return nil }
        if offence == nil { terminate(after: result) }
        return String(cString: nghttp2_strerror(Int32(result)))
    }

    private func feed(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    }

    private func feedFrames(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var fed = 0
        var at = 0
        while at < bytes.count {
            if frames.rest > 0 {
                hasUnreadEnding = true
                if initialWindowLimit != .max { measureWindows() }
                at += frames.pass(upTo: bytes.count - at)
                continue
            }
            guard frames.isBetweenFrames, bytes.count - at >= FrameHeader.bytes else {
                if let header = frames.take(bytes[at]) {
                    guard admits(header) else { break }
                    // What precedes the frame was fed with an earlier read.
                    let attended = attend(to: header, feeding: bytes[0..<0])
                    guard attended >= 0 else { return attended }
                }
                at += 1
                continue
            }
            let header = FrameHeader(bytes, at: at)
            guard admits(header) else { break }
            let attended = attend(to: header, feeding: bytes[fed..<at])
            guard attended >= 0 else { return attended }
            fed += attended
            let end = at + FrameHeader.bytes + header.length
            guard end <= bytes.count else {
                frames.rest = end - bytes.count
                at = bytes.count
                break
            }
            if header.type == UInt8(NGHTTP2_HEADERS.rawValue), header.length <= HTTP2Pool.scratchBytes {
                let frame = UnsafeBufferPointer(rebasing: bytes[at..<end])
                let (mode, count) = credential.examine(frame, scratch: pool.scratch)
                if mode != .plain {
                    let before = feed(UnsafeBufferPointer(rebasing: bytes[fed..<at]))
                    guard before >= 0 else { return before }
                    credential.mode = mode
                    let result = feed(mode == .restoring ? UnsafeBufferPointer(start: pool.scratch, count: count) : frame)
                    credential.mode = .plain
                    guard result >= 0 else { return result }
                    fed = end
                }
            }
            at = end
        }
        return fed < at ? feed(UnsafeBufferPointer(rebasing: bytes[fed..<at])) : 0
    }

    private func admits(_ header: FrameHeader) -> Bool {
        meter.admits(length: header.length, type: header.type, flags: header.flags, at: receivedAt)
    }

    /// Looks at a frame's header, and if it is of concern, feeds what precedes it. How many bytes were fed; negative: the
    /// connection is at its end.
    @inline(__always)
    private func attend(to header: FrameHeader, feeding before: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let concern = concern(about: header)
        if case .none = concern { return 0 }
        if before.count > 0, case let result = feed(UnsafeBufferPointer(rebasing: before)), result < 0 { return result }
        switch concern {
        case .none: break
        case .perhapsLate: noteLateData(on: header.streamID)
        case .perhapsLateHeaders: if isViolatedByHeaders(on: header.streamID) { return violated(NGHTTP2_STREAM_CLOSED) }
        case .settings: measureWindows()
        case .violation(let code): return violated(code)
        }
        return before.count
    }

    private func violated(_ code: nghttp2_error_code) -> Int {
        violation = code.rawValue
        return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
}
