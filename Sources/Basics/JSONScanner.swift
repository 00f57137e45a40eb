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
    /// An object or array that is still open. Below the first lies one that belongs to no container.
    private struct Frame {
        var node: UnsafeMutablePointer<JSONNode>
        /// Where its keys begin; nil for an array.
        var keys: UnsafeMutablePointer<ScannedKey>?
        /// One bit for each key seen, by its hash: most new keys are told from all former ones by this alone.
        var keyMask: UInt64
    }

    let maxDepth: Int
    let maxNodes: Int
    package let allowsRepeatedKeys: Bool
    /// The last scan found a key twice in one object, and `dropRepeatedMembers` has not been asked since.
    var hasRepeatedKeys = false
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
    private var table: UnsafeMutablePointer<Int32>
    private var tableCapacity = 0
    private var failure = JSONScanError(code: .unexpectedEnd, offset: 0)

    private var found = 0

    /// How many values the last scan found; 0 when it failed.
    package var nodeCount: Int { found }

    /// - Parameters:
    ///   - maxDepth: how many objects and arrays may be open at once, at least 1.
    ///   - maxNodes: how many values a document may hold, at least 1.
    ///   - allowsRepeatedKeys: a key may stand twice in one object, which RFC 8259 §4 advises against and leaves open.
    ///     `member` gives the first, and all are there to walk through, until `dropRepeatedMembers` leaves the last.
    package init(maxDepth: Int = 32, maxNodes: Int = 4096, allowsRepeatedKeys: Bool = false) {
        precondition(maxDepth > 0 && maxNodes > 0, "a scanner's limits are greater than 0")
        self.maxDepth = maxDepth
        self.maxNodes = maxNodes
        self.allowsRepeatedKeys = allowsRepeatedKeys
        nodeCapacity = min(64, maxNodes)
        text = .allocate(capacity: textCapacity)
        nodes = .allocate(capacity: nodeCapacity)
        keys = .allocate(capacity: nodeCapacity)
        frames = .allocate(capacity: maxDepth + 1)
        table = .allocate(capacity: tableCapacity)
    }

    deinit {
        text.deallocate()
        nodes.deallocate()
        keys.deallocate()
        frames.deallocate()
        table.deallocate()
    }

    /// Nil when `bytes` is one valid document; its nodes stay until the next scan. The same document once more, as when
    /// one payload goes to many devices, costs a comparison.
    package func scan(_ bytes: Span<UInt8>) -> JSONScanError? {
        if found > 0, isText(bytes) { return nil }
        found = 0
        hasRepeatedKeys = false
        guard bytes.count < Int(Int32.max) / 4 else { return JSONScanError(code: .tooLong, offset: 0) }
        take(bytes)
        guard let count = run() else { return failure }
        found = count
        return nil
    }

    /// What was scanned last was these very bytes.
    private func isText(_ bytes: Span<UInt8>) -> Bool {
        bytes.count == length && bytes.withUnsafeBufferPointer { memcmp($0.baseAddress!, text, length) == 0 }
    }

    /// Copies the text, and makes room for as many values as it can hold: each needs a byte.
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
        let values = min(maxNodes, length)
        if nodeCapacity < values {
            nodes.deallocate()
            keys.deallocate()
            nodeCapacity = min(maxNodes, max(2 * nodeCapacity, values))
            nodes = .allocate(capacity: nodeCapacity)
            keys = .allocate(capacity: nodeCapacity)
        }
    }

    /// The pass. Returns the number of nodes, or nil with `failure` set. Nodes and frames are written where they stay:
    /// put together elsewhere and copied they cost twice.
    private func run() -> Int? {
        let text = UnsafePointer(text)
        let root = nodes
        let limit = nodes + nodeCapacity
        var node = nodes
        var key = keys
        var frame = frames
        let deepest = frames + maxDepth
        frame.pointee = Frame(node: root, keys: nil, keyMask: 0)
        var p = Self.skipSpace(text)
        while true {
            // A value comes next, in an object behind its key.
            guard node < limit else { return fail(.tooManyNodes, p) }
            node.initialize(to: .blank)
            if let base = frame.pointee.keys {
                guard p.pointee == UInt8(ascii: "\"") else { return fail(.unexpectedByte, p) }
                let start = p + 1
                guard let end = string(start, hasEscapes: &node.pointee.keyHasEscapes) else { return nil }
                node.pointee.keyStart = Int32(truncatingIfNeeded: start - text)
                node.pointee.keyEnd = Int32(truncatingIfNeeded: end - 1 - text)
                guard note(node, as: key, after: base, mask: &frame.pointee.keyMask) || takesRepeat() else {
                    return fail(.duplicateKey, p)
                }
                key += 1
                p = Self.skipSpace(end)
                guard p.pointee == UInt8(ascii: ":") else { return fail(.unexpectedByte, p) }
                p = Self.skipSpace(p + 1)
            }
            var last = node
            node += 1
            last.pointee.start = Int32(truncatingIfNeeded: p - text)
            let first = p.pointee
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                guard frame < deepest else { return fail(.tooDeep, p) }
                frame += 1
                let isObject = first == UInt8(ascii: "{")
                frame.pointee = Frame(node: last, keys: isObject ? key : nil, keyMask: 0)
                last.pointee.kind = isObject ? .object : .array
                p = Self.skipSpace(p + 1)
                if p.pointee != first &+ 2 {
                    last.pointee.firstChild = Int32(truncatingIfNeeded: node - root)
                    last.pointee.childCount = 1
                    continue
                }
            } else {
                guard let end = scalar(p, into: last) else { return nil }
                last.pointee.end = Int32(truncatingIfNeeded: end - text)
                p = Self.skipSpace(end)
            }
            // A value has ended: close what ends with it, until a comma asks for another.
            while true {
                guard frame > frames else {
                    return p - text == length ? node - root : fail(.trailingBytes, p)
                }
                let parent = frame.pointee.node
                let byte = p.pointee
                if byte == UInt8(ascii: ",") {
                    last.pointee.next = Int32(truncatingIfNeeded: node - root)
                    parent.pointee.childCount &+= 1
                    p = Self.skipSpace(p + 1)
                    break
                }
                let base = frame.pointee.keys
                guard byte == (base != nil ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return fail(.unexpectedByte, p)
                }
                p += 1
                parent.pointee.end = Int32(truncatingIfNeeded: p - text)
                if let base {
                    if let twice = repeatedKey(from: base, to: key), !takesRepeat() {
                        return fail(.duplicateKey, text + twice - 1)
                    }
                    key = base
                }
                last = parent
                frame -= 1
                p = Self.skipSpace(p)
            }
        }
    }

    @inline(never)
    private func takesRepeat() -> Bool {
        hasRepeatedKeys = true
        return allowsRepeatedKeys
    }

    /// A table of that many slots, all -1.
    func clearTable(_ capacity: Int) -> UnsafeMutablePointer<Int32> {
        if tableCapacity < capacity {
            table.deallocate()
            table = .allocate(capacity: capacity)
            tableCapacity = capacity
        }
        table.update(repeating: -1, count: capacity)
        return table
    }

    /// Sets `failure`. Whatever is wrong where the text ends is that it ends.
    func fail(_ code: JSONScanError.Code, _ p: JSONText.Bytes) -> Int? {
        let offset = p - UnsafePointer(text)
        failure = JSONScanError(code: offset < length ? code : .unexpectedEnd, offset: min(offset, length))
        return nil
    }
}
