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
        var node: Int32
        /// Where its keys begin in `keys`; -1 for an array.
        var keyBase: Int32
        /// One bit for each key seen, by its hash: most new keys are told from all former ones by this alone.
        var keyMask: UInt64
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
    private var table: UnsafeMutablePointer<Int32>
    private var tableCapacity = 0
    private var failure = JSONScanError(code: .unexpectedEnd, offset: 0)

    private var found = 0

    /// How many values the last scan found; 0 when it failed.
    package var nodeCount: Int { found }

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

    /// Nil when `bytes` is one valid document; its nodes stay until the next scan.
    package func scan(_ bytes: Span<UInt8>) -> JSONScanError? {
        found = 0
        guard bytes.count < Int(Int32.max) / 4 else { return JSONScanError(code: .tooLong, offset: 0) }
        take(bytes)
        guard let count = run() else { return failure }
        found = count
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

    /// The pass. Returns the number of nodes, or nil with `failure` set. Nodes and frames are written where they stay:
    /// put together elsewhere and copied they cost twice.
    private func run() -> Int? {
        let text = UnsafePointer(text)
        var nodes = nodes
        var capacity = nodeCapacity
        var count = 0
        var keyCount = 0
        var frame = frames
        let deepest = frames + maxDepth
        frame.pointee = Frame(node: -1, keyBase: -1, keyMask: 0)
        var p = Self.skipSpace(text)
        while true {
            // A value comes next, in an object behind its key.
            if count == capacity {
                guard growNodes() else { return fail(.tooManyNodes, p) }
                nodes = self.nodes
                capacity = nodeCapacity
            }
            let node = nodes + count
            node.initialize(to: .blank)
            if frame.pointee.keyBase >= 0 {
                guard p.pointee == UInt8(ascii: "\"") else { return fail(.unexpectedByte, p) }
                let start = p + 1
                guard let end = string(start, hasEscapes: &node.pointee.keyHasEscapes) else { return nil }
                node.pointee.keyStart = Int32(truncatingIfNeeded: start - text)
                node.pointee.keyEnd = Int32(truncatingIfNeeded: end - 1 - text)
                let base = Int(frame.pointee.keyBase)
                guard note(node, after: base, at: keyCount, mask: &frame.pointee.keyMask) else {
                    return fail(.duplicateKey, p)
                }
                keyCount &+= 1
                p = Self.skipSpace(end)
                guard p.pointee == UInt8(ascii: ":") else { return fail(.unexpectedByte, p) }
                p = Self.skipSpace(p + 1)
            }
            var last = Int32(truncatingIfNeeded: count)
            count &+= 1
            node.pointee.start = Int32(truncatingIfNeeded: p - text)
            let first = p.pointee
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                guard frame < deepest else { return fail(.tooDeep, p) }
                frame += 1
                let isObject = first == UInt8(ascii: "{")
                frame.pointee.node = last
                frame.pointee.keyBase = isObject ? Int32(truncatingIfNeeded: keyCount) : -1
                frame.pointee.keyMask = 0
                node.pointee.kind = isObject ? .object : .array
                p = Self.skipSpace(p + 1)
                if p.pointee != first &+ 2 {
                    node.pointee.firstChild = last &+ 1
                    node.pointee.childCount = 1
                    continue
                }
            } else {
                guard let end = scalar(p, into: node) else { return nil }
                node.pointee.end = Int32(truncatingIfNeeded: end - text)
                p = Self.skipSpace(end)
            }
            // A value has ended: close what ends with it, until a comma asks for another.
            while true {
                guard frame > frames else {
                    return p - text == length ? count : fail(.trailingBytes, p)
                }
                let parent = nodes + Int(frame.pointee.node)
                let keyBase = frame.pointee.keyBase
                let byte = p.pointee
                if byte == UInt8(ascii: ",") {
                    nodes[Int(last)].next = Int32(truncatingIfNeeded: count)
                    parent.pointee.childCount &+= 1
                    p = Self.skipSpace(p + 1)
                    break
                }
                guard byte == (keyBase >= 0 ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return fail(.unexpectedByte, p)
                }
                p += 1
                parent.pointee.end = Int32(truncatingIfNeeded: p - text)
                if keyBase >= 0 {
                    if let twice = repeatedKey(from: Int(keyBase), to: keyCount) {
                        return fail(.duplicateKey, text + twice - 1)
                    }
                    keyCount = Int(keyBase)
                }
                last = frame.pointee.node
                frame -= 1
                p = Self.skipSpace(p)
            }
        }
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
    func fail(_ code: JSONScanError.Code, _ p: JSONText.Bytes) -> Int? {
        let offset = p - UnsafePointer(text)
        failure = JSONScanError(code: offset < length ? code : .unexpectedEnd, offset: min(offset, length))
        return nil
    }
}
