// Bytes from the peer on their way into nghttp2. A server looks at whole HEADERS frames first, for the credential that
// they repeat; everything else passes as it came.

import CNghttp2

/// Follows the frames in what the peer sends, from read to read.
struct FrameCursor {
    /// Bytes still to come of a frame, or of the client's preface.
    var rest: Int
    /// The bytes of a frame's length that came before a read ended within them.
    private var lengthBytes = 0
    private var length = 0

    init(preface: Int) { rest = preface }

    /// Whether a frame header begins where the next byte stands.
    var isBetweenFrames: Bool { rest == 0 && lengthBytes == 0 }

    /// Passes over the part of a frame that is at hand. The number of bytes passed.
    mutating func pass(upTo count: Int) -> Int {
        let step = min(rest, count)
        rest -= step
        return step
    }

    /// Takes one byte of a frame header that was cut in two.
    mutating func take(_ byte: UInt8) {
        length = length << 8 | Int(byte)
        lengthBytes += 1
        guard lengthBytes == 3 else { return }
        rest = length + HeaderBlockWalk.frameHeader - 3
        (length, lengthBytes) = (0, 0)
    }
}

extension HTTP2Session {
    /// Feeds what the peer sent. Nil, or why the connection cannot go on; a GOAWAY may then wait in the output.
    package func receive(_ bytes: Span<UInt8>) -> String? {
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
                frames.take(bytes[at])
                at += 1
                continue
            }
            let length = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            let end = at + HeaderBlockWalk.frameHeader + length
            guard end <= bytes.count else {
                frames.rest = end - bytes.count
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
        return fed < bytes.count ? feed(UnsafeBufferPointer(rebasing: bytes[fed...])) : 0
    }
}
