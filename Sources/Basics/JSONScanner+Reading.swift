// What can be asked of a scanned document. Indices out of range are our own mistake and stop the process.

import Glibc

extension JSONScanner {
    /// Node 0 is the root; the others follow in document order.
    package func node(_ index: Int) -> JSONNode {
        checked(index).pointee
    }

    /// The value node of that key. Keys written with escapes compare as what they say. Nil when there is no such
    /// member, and when the node is not an object.
    package func member(_ key: StaticString, of object: Int) -> Int? {
        member(key.utf8Start, key.utf8CodeUnitCount, of: object)
    }

    /// The same for a key that is not known in advance; of a key that stands twice the first.
    package func member(_ key: Span<UInt8>, of object: Int) -> Int? {
        // An empty key has no address of its own, and needs none.
        key.withUnsafeBufferPointer { member($0.baseAddress ?? UnsafePointer(text), $0.count, of: object) }
    }

    private func member(_ wanted: UnsafePointer<UInt8>, _ count: Int, of object: Int) -> Int? {
        let parent = checked(object)
        guard parent.pointee.kind == .object else { return nil }
        var child = Int(parent.pointee.firstChild)
        while child >= 0 {
            let node = nodes + child
            let start = Int(node.pointee.keyStart)
            let length = Int(node.pointee.keyEnd) - start
            if node.pointee.keyHasEscapes {
                if isDecoded(start, length, wanted, count) { return child }
            } else if length == count, memcmp(text + start, wanted, count) == 0 {
                return child
            }
            child = Int(node.pointee.next)
        }
        return nil
    }

    /// The value of an integer literal; nil when it does not fit 64 bits, and for anything else.
    package func integer(_ node: Int) -> Int64? {
        let node = checked(node)
        guard node.pointee.isInteger else { return nil }
        var p = UnsafePointer(text + Int(node.pointee.start))
        let end = UnsafePointer(text + Int(node.pointee.end))
        let isNegative = p.pointee == UInt8(ascii: "-")
        if isNegative { p += 1 }
        var value: Int64 = 0
        while p < end {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(p.pointee &- UInt8(ascii: "0"))
            let (sum, carry) = tenfold.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflow, !carry else { return nil }
            value = sum
            p += 1
        }
        return value
    }

    /// A number as a whole one, towards zero; nil for other kinds and for what 64 bits cannot hold.
    package func wholeNumber(_ node: Int) -> Int64? {
        if let integer = integer(node) { return integer }
        return double(node).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    /// The value of a number, rounded to the nearest double; nil for other kinds. Not for the data path.
    package func double(_ node: Int) -> Double? {
        let node = checked(node)
        guard node.pointee.kind == .number else { return nil }
        return JSONText.double(text + Int(node.pointee.start), text + Int(node.pointee.end))
    }

    /// The raw text of the value, quotes and brackets included. Valid until the next scan.
    @_lifetime(borrow self)
    package func text(_ node: Int) -> Span<UInt8> {
        let node = checked(node)
        return span(Int(node.pointee.start), Int(node.pointee.end))
    }

    /// The raw text between a string's quotes, which is its content unless `hasEscapes`; of other kinds the whole
    /// text. Valid until the next scan.
    @_lifetime(borrow self)
    package func content(_ node: Int) -> Span<UInt8> {
        let node = checked(node)
        let quote = node.pointee.kind == .string ? 1 : 0
        return span(Int(node.pointee.start) + quote, Int(node.pointee.end) - quote)
    }

    /// The raw text of a member's key between its quotes, which is the key unless `keyHasEscapes`; empty for what is no
    /// member. Valid until the next scan.
    @_lifetime(borrow self)
    package func keyContent(_ node: Int) -> Span<UInt8> {
        let node = checked(node)
        return span(max(0, Int(node.pointee.keyStart)), max(0, Int(node.pointee.keyEnd)))
    }

    /// Whether the node is a string that says `wanted`.
    package func isString(_ node: Int, _ wanted: StaticString) -> Bool {
        let node = checked(node)
        guard node.pointee.kind == .string else { return false }
        let start = Int(node.pointee.start) + 1
        let length = Int(node.pointee.end) - 1 - start
        let count = wanted.utf8CodeUnitCount
        if node.pointee.hasEscapes { return isDecoded(start, length, wanted.utf8Start, count) }
        return length == count && memcmp(text + start, wanted.utf8Start, count) == 0
    }

    /// Appends what a string node says, escapes decoded. The node must be a string.
    package func decodeString(_ node: Int, into buffer: ByteBuffer) {
        let row = checked(node).pointee
        precondition(row.kind == .string, "only a string can be decoded as one")
        let (start, length) = (Int(row.start) + 1, Int(row.end) - Int(row.start) - 2)
        if row.hasEscapes {
            let decoded = decode(start, length)
            buffer.append(span(scratch, scratch + decoded))
        } else {
            buffer.append(span(start, start + length))
        }
    }

    /// What a string node says; nil for other kinds. Not for the data path.
    package func string(_ node: Int) -> String? {
        let node = checked(node)
        guard node.pointee.kind == .string else { return nil }
        return decodedText(Int(node.pointee.start) + 1, Int(node.pointee.end) - 1, node.pointee.hasEscapes)
    }

    /// The key of a member, escapes decoded; nil for what is no member. Not for the data path.
    package func key(_ node: Int) -> String? {
        let node = checked(node)
        guard node.pointee.keyStart >= 0 else { return nil }
        return decodedText(Int(node.pointee.keyStart), Int(node.pointee.keyEnd), node.pointee.keyHasEscapes)
    }

    // The space behind the document serves decoded keys during a scan, and one decoded string at a time after it.

    private var scratch: Int { length + 16 }

    private func decode(_ start: Int, _ count: Int) -> Int {
        JSONText.unescape(text + start, text + start + count, into: text + scratch)
    }

    private func isDecoded(_ start: Int, _ length: Int, _ wanted: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        decode(start, length) == count && memcmp(text + scratch, wanted, count) == 0
    }

    private func decodedText(_ start: Int, _ end: Int, _ hasEscapes: Bool) -> String {
        hasEscapes ? span(scratch, scratch + decode(start, end - start)).text : span(start, end).text
    }

    private func checked(_ node: Int) -> UnsafeMutablePointer<JSONNode> {
        precondition(node >= 0 && node < nodeCount, "no such node in this document")
        return nodes + node
    }

    @_lifetime(borrow self)
    private func span(_ start: Int, _ end: Int) -> Span<UInt8> {
        let span = Span<UInt8>(_unsafeStart: UnsafePointer(text + start), count: end - start)
        return _overrideLifetime(span, borrowing: self)
    }
}
