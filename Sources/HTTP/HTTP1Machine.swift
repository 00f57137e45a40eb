// One HTTP/1.1 message being read, request or response: bytes go in, in whatever pieces, and end up in a head and a
// body. Nothing is held back but an unfinished line.
//
//     startLine ─▶ fields ─┬─▶ fixedBody ───────────────────────────────────────┬─▶ complete
//         ▲                ├─▶ chunkSize ─▶ chunkData ─▶ chunkEnd ─▶ (chunkSize) │
//         │                │       └─▶ trailers ─────────────────────────────────┤
//         │                ├─▶ untilClose (responses; ends with the input) ──────┤
//         └── after 1xx ───┴─▶ (no body) ────────────────────────────────────────┘
//
// Where two readers of the same bytes might see different messages, the message is refused (RFC 9112 §11.2).

import Basics
import Glibc

struct HTTP1Machine {
    enum Role: Sendable { case request, response }

    enum Phase: UInt8, Sendable {
        case startLine, fields, fixedBody, chunkSize, chunkData, chunkEnd, trailers, untilClose, complete, failed
    }

    typealias Bytes = UnsafePointer<UInt8>

    /// A chunk's size with its extensions, which are ignored.
    private static let maxChunkLineBytes = 256
    /// A body buffer larger than this is given back when the message is done.
    private static let keptBodyBytes = 16_384

    let role: Role
    let limits: HTTP1Limits
    let head: HeaderBlock
    let body: ByteBuffer
    private let line = ByteBuffer()

    var phase = Phase.startLine
    var framing = HTTP1Framing()
    /// What lines of this section may still take.
    private var allowance: Int
    /// What is still to come of the body or chunk.
    private var remaining = 0
    private var trailerCount = 0
    private(set) var failure: (status: Int, message: StaticString) = (502, "")

    init(role: Role, limits: HTTP1Limits, head: HeaderBlock, body: ByteBuffer) {
        self.role = role
        self.limits = limits
        self.head = head
        self.body = body
        allowance = limits.maxHeadBytes
    }

    /// Ready for the next message.
    mutating func reset() {
        head.clear()
        body.clear(keepingUpTo: Self.keptBodyBytes)
        line.clear()
        phase = .startLine
        framing = HTTP1Framing()
        allowance = limits.maxHeadBytes
    }

    /// Nothing has come of the message yet.
    var isIdle: Bool { phase == .startLine && line.isEmpty && !framing.skippedEmptyLine }

    var progress: HTTP1Progress {
        switch phase {
        case .complete: .complete
        case .failed: .failed(status: failure.status, message: failure.message)
        default: .needsMore
        }
    }

    /// Takes bytes up to the end of the message, and says how many.
    mutating func consume(_ input: UnsafeBufferPointer<UInt8>) -> Int {
        guard let start = input.baseAddress else { return 0 }
        let end = start + input.count
        var p = start
        while p < end {
            switch phase {
            case .startLine, .fields, .chunkEnd, .trailers:
                p = readLine(p, end)
            case .chunkSize:
                framing.expectsContinue = false
                p = readLine(p, end)
            case .fixedBody, .chunkData:
                let count = min(remaining, end - p)
                framing.expectsContinue = false
                body.append(Span(_unsafeStart: p, count: count))
                p += count
                remaining -= count
                if remaining == 0 { endOfPart() }
            case .untilClose:
                guard body.count + (end - p) <= limits.maxBodyBytes else {
                    fail(413, "the body is larger than accepted")
                    break
                }
                body.append(Span(_unsafeStart: p, count: end - p))
                p = end
            case .complete, .failed:
                return p - start
            }
        }
        return p - start
    }

    /// The peer will send no more.
    mutating func endOfInput() {
        switch phase {
        case .untilClose: phase = .complete
        case .complete, .failed: break
        default: fail(400, "the connection closed before the message was complete")
        }
    }

    mutating func fail(_ status: Int, _ message: StaticString) {
        failure = (role == .request ? status : 502, message)
        phase = .failed
    }

    // MARK: Lines

    /// Takes one line, or keeps the beginning of one. Returns where to go on.
    private mutating func readLine(_ p: Bytes, _ end: Bytes) -> Bytes {
        let kept = line.count
        let window = min(end - p, allowance - kept)
        guard let found = memchr(p, Int32(HTTP1Bytes.lf), window) else {
            if window < end - p {
                failTooLong()
            } else if kept == 0, phase == .startLine, !mayBegin(p.pointee) {
                fail(400, "this is not HTTP/1.1")
            } else {
                line.append(Span(_unsafeStart: p, count: window))
            }
            return end
        }
        let next = Bytes(found.assumingMemoryBound(to: UInt8.self)) + 1
        if kept == 0 {
            takeLine(p, next - p)
        } else {
            line.append(Span(_unsafeStart: p, count: next - p))
            let line = line
            line.bytes.withUnsafeBufferPointer { takeLine($0.baseAddress!, $0.count) }
            line.clear()
        }
        return next
    }

    /// A first byte that shows at once that somebody speaks another protocol.
    private func mayBegin(_ byte: UInt8) -> Bool {
        byte == HTTP1Bytes.cr || (role == .request ? HTTP1Bytes.tokens[Int(byte)] != 0 : byte == UInt8(ascii: "H"))
    }

    private mutating func failTooLong() {
        switch phase {
        case .startLine: fail(414, "the first line is longer than accepted")
        case .fields, .trailers: fail(431, "the header fields are larger than accepted")
        case .chunkEnd: fail(400, "a chunk is longer than its size says")
        default: fail(400, "a chunk's size line is longer than accepted")
        }
    }

    /// One line of `length` bytes, its line end included.
    private mutating func takeLine(_ p: Bytes, _ length: Int) {
        allowance -= length
        guard length >= 2, p[length - 2] == HTTP1Bytes.cr else { return fail(400, "a line ends without CR") }
        let count = length - 2
        switch phase {
        case .startLine: role == .request ? takeRequestLine(p, count) : takeStatusLine(p, count)
        case .fields: count == 0 ? endOfHead() : takeField(p, count)
        case .chunkSize: takeChunkSize(p, count)
        case .chunkEnd: count == 0 ? expectChunk() : fail(400, "a chunk is longer than its size says")
        default: takeTrailer(p, count)
        }
    }

    // MARK: Bodies

    mutating func expectBody(of count: Int) {
        remaining = count
        phase = count == 0 ? .complete : .fixedBody
    }

    mutating func expectChunk() {
        phase = .chunkSize
        allowance = Self.maxChunkLineBytes
    }

    /// Back to the first line, for the message behind an interim response.
    mutating func expectStartLine() {
        phase = .startLine
        allowance = limits.maxHeadBytes
    }

    private mutating func endOfPart() {
        if phase == .fixedBody {
            phase = .complete
        } else {
            phase = .chunkEnd
            allowance = 2
        }
    }

    /// Hex digits, then nothing or extensions behind a semicolon (RFC 9112 §7.1).
    private mutating func takeChunkSize(_ p: Bytes, _ count: Int) {
        var size = 0
        var index = 0
        while index < count, let digit = Hex.value(p[index]) {
            guard index < 15 else { return fail(413, "a chunk is larger than accepted") }
            size = size << 4 | Int(digit)
            index += 1
        }
        var rest = index
        while rest < count, p[rest] == HTTP1Bytes.space || p[rest] == HTTP1Bytes.tab { rest += 1 }
        guard index > 0, index == count || rest < count && p[rest] == UInt8(ascii: ";") else {
            return fail(400, "a chunk's size is not a hexadecimal number")
        }
        for place in rest..<count where HTTP1Bytes.isControl(p[place]) {
            return fail(400, "a chunk's extension holds a control character")
        }
        if size == 0 {
            phase = .trailers
            allowance = limits.maxHeadBytes
            trailerCount = 0
        } else if body.count + size > limits.maxBodyBytes {
            fail(413, "the body is larger than accepted")
        } else {
            remaining = size
            phase = .chunkData
        }
    }

    /// Trailers are held to the rules of fields, and dropped.
    private mutating func takeTrailer(_ p: Bytes, _ count: Int) {
        guard count > 0 else {
            phase = .complete
            return
        }
        trailerCount += 1
        guard trailerCount <= limits.maxFields else { return fail(431, "there are more trailers than accepted") }
        _ = readField(p, count)
    }
}
