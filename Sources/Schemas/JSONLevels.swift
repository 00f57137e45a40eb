// A document and the JSON text within its strings: one scanner for each level, and the way to where somebody stands.

import Basics

/// Scanned documents within one another. Confined to one thread; its memory is used again.
final class JSONLevels {
    /// Objects and arrays within each other, as the mock takes them.
    static let depthMax = 128
    static let nodesMax = 16_384

    /// One step of a way, written out only when somebody asks.
    private enum Step {
        case member(level: Int, node: Int)
        case element(Int)
    }

    /// Of the levels 1 and deeper, and of level 0 unless it was scanned elsewhere.
    private var scanners: [JSONScanner] = []
    private var outer: JSONScanner?
    private(set) var level = 0
    private var steps: [Step] = []
    private let scratch = ByteBuffer(capacity: 256)
    /// The way to what stands at level 0's root.
    private var prefix = ""

    /// The scanner of the present level.
    var json: JSONScanner {
        if level == 0, let outer { return outer }
        return scanner(level)
    }

    /// Begins with a document that `scanner` has scanned; `pointer` is the way there.
    func start(_ scanner: JSONScanner?, pointer: String) {
        outer = scanner
        prefix = pointer
        level = 0
        steps.removeAll(keepingCapacity: true)
    }

    /// Scans a text as the document of level 0.
    func start(_ text: Span<UInt8>, pointer: String) -> JSONScanError? {
        start(nil, pointer: pointer)
        return scan(text)
    }

    /// Back to the root of level 0.
    func rewind() {
        level = 0
        steps.removeAll(keepingCapacity: true)
    }

    /// Goes down a way from where we stand, into JSON text within strings too; the node at its end, nil when it leads
    /// nowhere.
    func walk(_ path: JSONPointerPath) -> Int? {
        var node = 0
        for (place, key) in path.keys.enumerated() {
            if json.node(node).kind == .string {
                guard descend(into: node) == nil else { return nil }
                node = 0
            }
            if json.node(node).kind == .array {
                let step = path.steps[place]
                guard let index = Int(step), index >= 0, String(index) == step, let item = item(index, of: node) else {
                    return nil
                }
                steps.append(.element(index))
                node = item
            } else {
                guard let member = json.member(key.span, of: node) else { return nil }
                enter(member: member)
                node = member
            }
        }
        return node
    }

    private func item(_ index: Int, of array: Int) -> Int? {
        guard index < json.node(array).childCount else { return nil }
        var child = Int(json.node(array).firstChild)
        for _ in 0..<index { child = Int(json.node(child).next) }
        return child
    }

    func enter(member node: Int) { steps.append(.member(level: level, node: node)) }
    func enter(element index: Int) { steps.append(.element(index)) }
    func leave() { steps.removeLast() }

    /// Reads the JSON text that the string `node` holds and stands at its root, node 0 of `json`; `ascend` goes back.
    /// With an error it stays where it is.
    func descend(into node: Int) -> JSONScanError? {
        let scratch = scratch
        scratch.clear(keepingUpTo: 65_536)
        json.decodeString(node, into: scratch)
        level += 1
        if let error = scan(scratch.bytes) {
            level -= 1
            return error
        }
        return nil
    }

    func ascend() { level -= 1 }

    /// Where we stand, as a pointer.
    var pointer: String {
        var text = prefix
        for step in steps {
            switch step {
            case .element(let index): text += "/\(index)"
            case .member(let level, let node):
                let scanner = level == 0 ? outer ?? scanner(0) : scanner(level)
                text += "/" + JSONPointerPath.escaped(scanner.key(node) ?? "")
            }
        }
        return text
    }

    /// Of a key that stands twice the first counts, as for Swift; other readers take the last.
    private func scan(_ text: Span<UInt8>) -> JSONScanError? {
        let error = scanner(level).scan(text)
        guard error?.code == .duplicateKey else { return error }
        let tolerant = JSONScanner(maxDepth: Self.depthMax, maxNodes: Self.nodesMax, allowsRepeatedKeys: true)
        if let error = tolerant.scan(text) { return error }
        scanners[level] = tolerant
        return nil
    }

    private func scanner(_ level: Int) -> JSONScanner {
        while scanners.count <= level {
            scanners.append(JSONScanner(maxDepth: Self.depthMax, maxNodes: Self.nodesMax))
        }
        return scanners[level]
    }
}
