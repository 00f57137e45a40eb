// JSON for the data path: one strict pass over the bytes leaves a table of nodes to look things up in, and no heap
// allocation once the tables have grown to the traffic. RFC 8259, with valid UTF-8, paired surrogates, unique keys
// and finite numbers demanded.
//
// The text is copied first, behind it zeros. That costs a few nanoseconds and buys two things: nobody needs to keep
// the bytes alive while the nodes are read, and the scan needs no test for the end, for a 0 is valid nowhere.
//
//     text:  {"aps":{"alert":"hi"}}0000000000000000 decoded keys …
//     nodes: 0 {…}   1 "aps" {…}   2 "alert" "hi"          (document order)

import Glibc

/// A scanner and the result of its last scan. Confined to one thread.
package final class JSONScanner {
    /// An object or array that is still open.
    private struct Frame {
        var node: Int32 = -1
        var lastChild: Int32 = -1
        var childCount: Int32 = 0
        /// Where its keys begin in `keys`; -1 for an array.
        var keyBase: Int32 = -1
        /// One bit for each key seen, by its hash: most new keys are told from all former ones by this alone.
        var keyMask: UInt64 = 0
    }

    let maxDepth: Int
    let maxNodes: Int
    var text: UnsafeMutablePointer<UInt8>
    private var textCapacity = 1024
    var length = 0
    /// Where the next decoded key goes, behind the text and its zeros.
    var tail = 0
    var nodes: UnsafeMutablePointer<JSONNode>
    /// The keys of all open objects.
    var keys: UnsafeMutablePointer<ScannedKey>
    private var nodeCapacity: Int
    private let frames: UnsafeMutablePointer<Frame>
    private var failure = JSONScanError(code: .unexpectedEnd, offset: 0)

    /// How many values the last scan found; 0 when it failed.
    package private(set) var nodeCount = 0

    /// - Parameters:
    ///   - maxDepth: how many objects and arrays may be open at once, at least 1.
    ///   - maxNodes: how many values a document may hold, at least 1.
    package init(maxDepth: Int = 32, maxNodes: Int = 4096) {
        precondition(maxDepth > 0 && maxNodes > 0, "a scanner's limits are greater than 0")
        self.maxDepth = maxDepth
        self.maxNodes = maxNodes
        nodeCapacity = min(64, maxNodes)
        text = .allocate(capacity: textCapacity)
        nodes = .allocate(capacity: nodeCapacity)
        keys = .allocate(capacity: nodeCapacity)
        frames = .allocate(capacity: maxDepth)
    }

    deinit {
        text.deallocate()
        nodes.deallocate()
        keys.deallocate()
        frames.deallocate()
    }

    /// Nil when `bytes` is one valid document; its nodes stay until the next scan.
    package func scan(_ bytes: Span<UInt8>) -> JSONScanError? {
        nodeCount = 0
        guard bytes.count < Int(Int32.max) / 4 else { return JSONScanError(code: .tooLong, offset: 0) }
        take(bytes)
        guard let count = run() else { return failure }
        nodeCount = count
        return nil
    }

    private func take(_ bytes: Span<UInt8>) {
        length = bytes.count
        let zeros = 16
        if textCapacity < 2 * length + 4 * zeros {
            text.deallocate()
            textCapacity = max(2 * textCapacity, 2 * length + 4 * zeros)
            text = .allocate(capacity: textCapacity)
        }
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { text.update(from: start, count: length) } }
        (text + length).update(repeating: 0, count: zeros)
        tail = length + zeros
    }

    /// The pass. Returns the number of nodes, or nil with `failure` set.
    private func run() -> Int? {
        let text = UnsafePointer(text)
        var nodes = nodes
        var capacity = nodeCapacity
        var p = Self.skipSpace(text)
        var count = 0
        var keyCount = 0
        var depth = 0
        var open = Frame()
        while true {
            // A value comes next, in an object behind its key.
            if count == capacity {
                guard growNodes() else { return fail(.tooManyNodes, p) }
                nodes = self.nodes
                capacity = nodeCapacity
            }
            var node = JSONNode(kind: .null, keyHasEscapes: false, start: 0, end: 0, keyStart: -1, keyEnd: -1)
            if open.keyBase >= 0 {
                guard p.pointee == UInt8(ascii: "\"") else { return fail(.unexpectedByte, p) }
                let keyStart = p + 1
                guard let keyEnd = string(keyStart, hasEscapes: &node.keyHasEscapes) else { return nil }
                node.keyStart = Int32(truncatingIfNeeded: keyStart - text)
                node.keyEnd = Int32(truncatingIfNeeded: keyEnd - 1 - text)
                guard note(node, after: Int(open.keyBase), count: &keyCount, mask: &open.keyMask) else {
                    return fail(.duplicateKey, keyStart - 1)
                }
                p = Self.skipSpace(keyEnd)
                guard p.pointee == UInt8(ascii: ":") else { return fail(.unexpectedByte, p) }
                p = Self.skipSpace(p + 1)
            }
            let index = Int32(truncatingIfNeeded: count)
            node.start = Int32(truncatingIfNeeded: p - text)
            open.lastChild = index
            open.childCount &+= 1
            count &+= 1
            let first = p.pointee
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                guard depth < maxDepth else { return fail(.tooDeep, p) }
                frames[depth] = open
                depth &+= 1
                let isObject = first == UInt8(ascii: "{")
                open = Frame(node: index, keyBase: isObject ? Int32(truncatingIfNeeded: keyCount) : -1)
                node.kind = isObject ? .object : .array
                p = Self.skipSpace(p + 1)
                let isEmpty = p.pointee == first &+ 2
                if !isEmpty { node.firstChild = index &+ 1 }
                nodes[Int(index)] = node
                if !isEmpty { continue }
            } else {
                guard let end = scalar(p, into: &node) else { return nil }
                node.end = Int32(truncatingIfNeeded: end - text)
                nodes[Int(index)] = node
                p = Self.skipSpace(end)
            }
            // A value has ended: close what ends with it, until a comma asks for another.
            while true {
                guard depth > 0 else {
                    return p - text == length ? count : fail(.trailingBytes, p)
                }
                let isObject = open.keyBase >= 0
                let byte = p.pointee
                if byte == UInt8(ascii: ",") {
                    nodes[Int(open.lastChild)].next = Int32(truncatingIfNeeded: count)
                    p = Self.skipSpace(p + 1)
                    break
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return fail(.unexpectedByte, p)
                }
                p += 1
                nodes[Int(open.node)].end = Int32(truncatingIfNeeded: p - text)
                nodes[Int(open.node)].childCount = open.childCount
                if isObject {
                    if let twice = repeatedKey(from: Int(open.keyBase), to: keyCount) {
                        return fail(.duplicateKey, text + twice - 1)
                    }
                    keyCount = Int(open.keyBase)
                }
                depth &-= 1
                open = frames[depth]
                p = Self.skipSpace(p)
            }
        }
    }

    /// The byte behind the string that starts at `p`, behind its quote. Nil with `failure` set.
    @inline(__always)
    private func string(_ p: JSONText.Bytes, hasEscapes: inout Bool) -> JSONText.Bytes? {
        let special = JSONText.plainRun(p)
        if special.pointee == UInt8(ascii: "\"") { return special + 1 }
        var flaw: JSONText.Flaw?
        if let end = JSONText.finishString(special, hasEscapes: &hasEscapes, flaw: &flaw) { return end }
        if let flaw { _ = fail(flaw.code, flaw.at) }
        return nil
    }

    /// The byte behind the string, number or word at `p`. Nil with `failure` set.
    @inline(__always)
    private func scalar(_ p: JSONText.Bytes, into node: inout JSONNode) -> JSONText.Bytes? {
        switch p.pointee {
        case UInt8(ascii: "\""):
            node.kind = .string
            return string(p + 1, hasEscapes: &node.hasEscapes)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            node.kind = .number
            return number(p, isInteger: &node.isInteger)
        case UInt8(ascii: "t"):
            node.kind = .true
            if JSONText.word(p) & 0xFFFF_FFFF == 0x6575_7274 { return p + 4 }
        case UInt8(ascii: "f"):
            node.kind = .false
            if JSONText.word(p) & 0xFF_FFFF_FFFF == 0x65_736C_6166 { return p + 5 }
        case UInt8(ascii: "n"):
            if JSONText.word(p) & 0xFFFF_FFFF == 0x6C6C_756E { return p + 4 }
        default:
            break
        }
        _ = fail(.unexpectedByte, p)
        return nil
    }

    private func number(_ start: JSONText.Bytes, isInteger: inout Bool) -> JSONText.Bytes? {
        var p = start
        if p.pointee == UInt8(ascii: "-") { p += 1 }
        if p.pointee == UInt8(ascii: "0") {
            p += 1
        } else {
            guard digits(&p) else { return nil }
        }
        isInteger = true
        if p.pointee == UInt8(ascii: ".") {
            isInteger = false
            p += 1
            guard digits(&p) else { return nil }
        }
        var mayOverflow = p - start > 200
        if p.pointee | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            p += 1
            if p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { p += 1 }
            let exponent = p
            guard digits(&p) else { return nil }
            mayOverflow = mayOverflow || p - exponent > 2
        }
        if mayOverflow, !JSONText.isFiniteNumber(start, p) {
            _ = fail(.numberOutOfRange, start)
            return nil
        }
        return p
    }

    /// At least one digit.
    @inline(__always)
    private func digits(_ p: inout JSONText.Bytes) -> Bool {
        let start = p
        while p.pointee &- UInt8(ascii: "0") < 10 { p += 1 }
        if p == start { _ = fail(.unexpectedByte, p) }
        return p > start
    }

    @inline(__always)
    private static func skipSpace(_ start: JSONText.Bytes) -> JSONText.Bytes {
        var p = start
        while true {
            let byte = p.pointee
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return p }
            p += 1
        }
    }

    private func growNodes() -> Bool {
        guard nodeCapacity < maxNodes else { return false }
        let capacity = min(2 * nodeCapacity, maxNodes)
        let moreNodes = UnsafeMutablePointer<JSONNode>.allocate(capacity: capacity)
        let moreKeys = UnsafeMutablePointer<ScannedKey>.allocate(capacity: capacity)
        moreNodes.update(from: nodes, count: nodeCapacity)
        moreKeys.update(from: keys, count: nodeCapacity)
        nodes.deallocate()
        keys.deallocate()
        (nodes, keys, nodeCapacity) = (moreNodes, moreKeys, capacity)
        return true
    }

    /// Sets `failure`. Whatever is wrong where the text ends is that it ends.
    private func fail(_ code: JSONScanError.Code, _ p: JSONText.Bytes) -> Int? {
        let offset = p - UnsafePointer(text)
        failure = JSONScanError(code: offset < length ? code : .unexpectedEnd, offset: min(offset, length))
        return nil
    }
}
