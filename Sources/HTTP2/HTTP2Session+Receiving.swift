// Bytes from the peer on their way into nghttp2. A server counts the frames first, and looks at whole HEADERS frames for
// the credential that they repeat; everything else passes as it came.

package import Basics
import CNghttp2

/// Follows the frames in what the peer sends, from read to read.
struct FrameCursor {
    /// Bytes still to come of a frame, or of the client's preface.
    var rest: Int
    /// The bytes of a frame's header that came before a read ended within them.
    private var headerBytes = 0
    private(set) var length = 0
    private(set) var type: UInt8 = 0
    private(set) var flags: UInt8 = 0

    init(preface: Int) { rest = preface }

    /// Whether a frame header begins where the next byte stands.
    var isBetweenFrames: Bool { rest == 0 && headerBytes == 0 }

    /// Passes over the part of a frame that is at hand. The number of bytes passed.
    mutating func pass(upTo count: Int) -> Int {
        let step = min(rest, count)
        rest -= step
        return step
    }

    /// Takes one byte of a frame header that was cut in two. True when length, type and flags are known.
    mutating func take(_ byte: UInt8) -> Bool {
        switch headerBytes {
        case 0: length = Int(byte)
        case 1, 2: length = length << 8 | Int(byte)
        case 3: type = byte
        default:
            flags = byte
            rest = length + HeaderBlockWalk.frameHeader - 5
            headerBytes = 0
            return true
        }
        headerBytes += 1
        return false
    }
}

extension HTTP2Session {
    /// Feeds what the peer sent. Nil, or why the connection cannot go on; a GOAWAY may then wait in the output. A server
    /// stops at a frame that is one too many and says so in `offence`; nothing may be fed any more.
    package func receive(_ bytes: Span<UInt8>, at now: Instant = Instant(nanoseconds: 0)) -> String? {
        receivedAt = now
        let result = bytes.withUnsafeBufferPointer { role == .server ? feedFrames($0) : feed($0) }
        forgetCurrent()
        return result < 0 ? String(cString: nghttp2_strerror(Int32(result))) : nil
    }

    private func feed(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    }

    private func feedFrames(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var fed = 0
        var at = 0
        while at < bytes.count {
            if frames.rest > 0 {
                at += frames.pass(upTo: bytes.count - at)
                continue
            }
            guard frames.isBetweenFrames, bytes.count - at >= HeaderBlockWalk.frameHeader else {
                if frames.take(bytes[at]), !admits(frames.length, frames.type, frames.flags) { break }
                at += 1
                continue
            }
            let length = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            guard admits(length, bytes[at + 3], bytes[at + 4]) else { break }
            let end = at + HeaderBlockWalk.frameHeader + length
            guard end <= bytes.count else {
                frames.rest = end - bytes.count
                at = bytes.count
                break
            }
            if bytes[at + 3] == UInt8(NGHTTP2_HEADERS.rawValue), length <= HTTP2Pool.scratchBytes {
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

    private func admits(_ length: Int, _ type: UInt8, _ flags: UInt8) -> Bool {
        meter.admits(length: length, type: type, flags: flags, at: receivedAt)
    }
}
