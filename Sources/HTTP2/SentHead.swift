// A client sends nearly the same header block with each request, and encoding it is a quarter of a request's cost. So the
// session keeps the last block that nghttp2 encoded without touching HPACK's table. A request with the same fields hands
// nghttp2 three fields of the static table instead of its own, and the kept block takes their place on the way out; only
// `:path` and `content-length` are written anew where they differ, as plain literals that are not indexed (RFC 7541
// §6.2.2).
//
//     from nghttp2   HEADERS | 83 87 84
//     to the peer    HEADERS | 87 be 83 04 ‹path› c0 1f 08 ‹credential› bf … 0f 0d ‹length›
//
// The kept block is good as long as the table is as it was: a block that adds to the table ends it, and no request is
// put off while a block that might is still to come.

import Basics
import HTTP

/// What one client connection remembers of its requests. Takes up to 10 KB once it has something to remember.
final class SentHead {
    /// Heads of more bytes are sent as usual: what is written here must fit one frame.
    private static let largestHead = 8_000

    /// The same for all requests of a connection.
    let scheme: StaticString
    let authority: String

    // The kept block and what it says.
    private let block = ByteBuffer()
    private var literals = HeaderBlockWalk.Literals()
    private let head = HeaderBlock()
    private var pathIndex = 0
    private var bodyCount = 0
    private var isKept = false

    /// Whole blocks that nghttp2 was given and has not put out yet.
    private var awaited = 0
    private var uses = 0
    private var misses = 0
    /// How many blocks were written from the kept one.
    private(set) var repeated = 0

    init(scheme: StaticString, authority: String) {
        self.scheme = scheme
        self.authority = authority
    }

    /// Whether the block of this request will be written from the kept one. Notes in the stream what differs.
    func replaces(_ given: HeaderBlock, bodyCount count: Int, on stream: HTTP2Stream) -> Bool {
        guard isKept, awaited == 0, (count > 0) == (bodyCount > 0), given.byteCount <= Self.largestHead,
            given.isSame(as: head, butForValueAt: pathIndex)
        else { return false }
        if !given.hasSameValue(as: head, at: pathIndex) {
            stream.outHead.append(":path", given.value(at: pathIndex))
        }
        stream.bodyCount = count
        uses += 1
        return true
    }

    /// nghttp2 gets the whole block of this request; the stream notes what it says.
    func await(_ given: HeaderBlock, bodyCount count: Int, on stream: HTTP2Stream) {
        awaited += 1
        stream.bodyCount = count
        stream.outHead.append(contentsOf: given)
    }

    /// An awaited block will never come.
    func forgo() { awaited -= 1 }

    /// Looks at an awaited block on its way out.
    func observe(_ frame: UnsafeBufferPointer<UInt8>, of stream: HTTP2Stream) {
        awaited -= 1
        guard let literals = HeaderBlockWalk.literals(in: frame), literals.leavesTheTable else {
            isKept = false
            return
        }
        // Where heads alternate, keeping each of them would cost more than it gives.
        misses &+= 1
        if isKept, uses == 0, misses & 15 != 0 { return }
        let full = stream.outHead
        guard full.byteCount <= Self.largestHead, Self.isUsualMethod(full), let path = full.index(of: ":path"),
            literals.path != nil, (literals.length != nil) == (stream.bodyCount > 0)
        else { return }
        isKept = true
        uses = 0
        self.literals = literals
        pathIndex = path
        bodyCount = stream.bodyCount
        head.clear()
        head.append(contentsOf: full)
        block.clear()
        block.append(UnsafeBufferPointer(rebasing: frame[FrameHeader.bytes...]).span)
    }

    /// Only for GET and POST has the static table a field, and nghttp2 goes by the method.
    private static func isUsualMethod(_ head: HeaderBlock) -> Bool {
        head.name(at: 0).equals(":method") && (head.value(at: 0).equals("POST") || head.value(at: 0).equals("GET"))
    }

    // MARK: Writing

    /// Writes the frame of a request that `replaces` took. `frame` is what nghttp2 put out instead.
    func write(_ stream: HTTP2Stream, for frame: UnsafeBufferPointer<UInt8>, to output: ByteBuffer) {
        let place = output.count
        output.append(UnsafeBufferPointer(rebasing: frame[..<FrameHeader.bytes]).span)
        // Three octets are the three fields. More begin with a new size of the table, which may have lost its fields.
        if isKept, frame.count == FrameHeader.bytes + 3 {
            repeated += 1
            writeKept(stream, to: output)
        } else {
            isKept = false
            let updates = HeaderBlockWalk.sizeUpdates(in: frame)
            output.append(UnsafeBufferPointer(rebasing: frame[updates]).span)
            writeLiterally(stream, to: output)
        }
        output.settleLength(ofFrameAt: place)
    }

    private func writeKept(_ stream: HTTP2Stream, to output: ByteBuffer) {
        let (block, other) = (block, stream.outHead)
        var written = 0
        if let path = literals.path, other.count > 0 {
            output.append(block.bytes.extracting(0..<path.lowerBound - FrameHeader.bytes))
            output.append(literal: other.value(at: 0))
            written = path.upperBound - FrameHeader.bytes
        }
        if let length = literals.length, stream.bodyCount != bodyCount {
            output.append(block.bytes.extracting(written..<length.lowerBound - FrameHeader.bytes))
            output.append(literal: stream.bodyCount)
            written = length.upperBound - FrameHeader.bytes
        }
        output.append(block.bytes.extracting(written..<block.count))
    }

    /// All fields as literals that need no table.
    private func writeLiterally(_ stream: HTTP2Stream, to output: ByteBuffer) {
        let (head, other) = (head, stream.outHead)
        output.append(literalName: ":scheme", isSecret: false)
        scheme.withUTF8Buffer { output.append(literal: $0.span) }
        output.append(literalName: ":authority", isSecret: false)
        withBytes(of: authority) { output.append(literal: $0) }
        output.append(literals: head, butValueAt: other.count > 0 ? pathIndex : -1, other)
        guard bodyCount > 0 else { return }
        output.append(literalName: "content-length", isSecret: false)
        output.append(literal: stream.bodyCount)
    }
}

extension ByteBuffer {
    /// Writes the length of a frame that began there and ends here (RFC 9113 §4.1).
    func settleLength(ofFrameAt place: Int) {
        let length = count - place - FrameHeader.bytes
        for octet in 0..<3 {
            replace(at: place + octet, with: UInt8(truncatingIfNeeded: length >> (16 - 8 * octet)))
        }
    }

    /// Fields that leave the table as it is; the one at that place has the first value of another block.
    func append(literals head: HeaderBlock, butValueAt place: Int = -1, _ other: HeaderBlock? = nil) {
        for index in 0..<head.count {
            let isSecret = head.isNeverIndexed(at: index) || head.name(at: index).equals("authorization")
            append(isSecret ? 0x10 : 0)
            append(literal: head.name(at: index))
            if let other, index == place {
                append(literal: other.value(at: 0))
            } else {
                append(literal: head.value(at: index))
            }
        }
    }

    /// The beginning of a field that leaves the table as it is (RFC 7541 §6.2.2, §6.2.3).
    func append(literalName name: StaticString, isSecret: Bool) {
        append(isSecret ? 0x10 : 0)
        name.withUTF8Buffer { append(literal: $0.span) }
    }

    /// A string literal without Huffman coding (RFC 7541 §5.2).
    fileprivate func append(literal text: Span<UInt8>) {
        if text.count < 0x7F {
            append(UInt8(text.count))
        } else {
            append(0x7F)
            var rest = text.count - 0x7F
            while rest >= 0x80 {
                append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            append(UInt8(rest))
        }
        append(text)
    }

    func append(literal number: Int) {
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var first = 20
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(48 + rest % 10)
            rest /= 10
        } while rest > 0
        append(literal: digits.span.extracting(first..<20))
    }
}
