// A server whose answers have many fields sends nearly the same header block with each of them, and encoding it is most of what
// nghttp2 has to do for an answer. So the session keeps the last block that left HPACK's table alone. An answer with the same
// fields hands nghttp2 one field of the static table instead of its own, and the kept block takes its place on the way out.
// What `SentHead` is for a client's requests, of which each has a path and a length of its own.
//
//     from nghttp2   HEADERS | 88
//     to the peer    HEADERS | 88 c5 c4 c3 c2 c1 c0 bf be
//
// The kept block is good as long as the table is as it was: a block that adds to the table ends it, and no answer is put off
// while a block that might is still to come.

import Basics
import HTTP

/// What one server connection remembers of its answers.
final class AnswerHead {
    /// An answer of fewer fields is encoded as quickly as it is compared.
    static let fewestFields = 6
    /// Heads of more bytes are sent as usual: what is written here must fit one frame.
    private static let largestHead = 8_000

    // The kept block and what it says.
    private let block = ByteBuffer()
    private let head = HeaderBlock()
    private var status = 0
    private var isKept = false

    /// Whole blocks that nghttp2 was given and has not put out yet.
    private var awaited = 0
    private var uses = 0
    private var misses = 0
    /// How many blocks were written from the kept one.
    private(set) var repeated = 0

    /// Whether the block of this answer will be written from the kept one.
    func replaces(_ given: HeaderBlock, status: Int) -> Bool {
        guard isKept, awaited == 0, status == self.status, given.isSame(as: head) else { return false }
        uses += 1
        return true
    }

    /// nghttp2 gets the whole block of an answer.
    func await() { awaited += 1 }

    /// An awaited block will never come, or as one of a stream that is over (`pass`).
    func forgo() { awaited -= 1 }

    /// Looks at a block of a stream that is over.
    func pass(_ frame: UnsafeBufferPointer<UInt8>) {
        if HeaderBlockWalk.literals(in: frame)?.leavesTheTable != true { isKept = false }
    }

    /// Looks at an awaited block on its way out, and at the answer that it is of.
    func observe(_ frame: UnsafeBufferPointer<UInt8>, _ given: HeaderBlock, status: Int) {
        awaited -= 1
        guard let literals = HeaderBlockWalk.literals(in: frame), literals.leavesTheTable else {
            isKept = false
            return
        }
        // Where heads alternate, keeping each of them would cost more than it gives.
        misses &+= 1
        if isKept, uses == 0, misses & 15 != 0 { return }
        guard given.byteCount <= Self.largestHead else { return }
        (isKept, uses) = (true, 0)
        self.status = status
        head.clear()
        head.append(contentsOf: given)
        block.clear()
        block.append(UnsafeBufferPointer(rebasing: frame[FrameHeader.bytes...]).span)
    }

    /// Writes the frame of an answer that `replaces` took. `frame` is what nghttp2 put out instead.
    func write(_ given: HeaderBlock, status: Int, for frame: UnsafeBufferPointer<UInt8>, to output: ByteBuffer) {
        let place = output.count
        output.append(UnsafeBufferPointer(rebasing: frame[..<FrameHeader.bytes]).span)
        // One octet is the one field. More begin with a new size of the table, which may have lost its fields.
        if isKept, frame.count == FrameHeader.bytes + 1 {
            repeated += 1
            let block = block
            output.append(block.bytes)
        } else {
            isKept = false
            output.append(UnsafeBufferPointer(rebasing: frame[HeaderBlockWalk.sizeUpdates(in: frame)]).span)
            output.append(literalName: ":status", isSecret: false)
            output.append(literal: status)
            output.append(literals: given)
        }
        output.settleLength(ofFrameAt: place)
    }
}
