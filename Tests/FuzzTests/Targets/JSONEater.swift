// JSON twice over: the scanner of the data path and the parser of everything else know nothing of each other and must
// be of one opinion.

import Basics

/// First byte: where the depth limit lies. The rest is a text.
final class JSONEater: FuzzEater {
    private let shallow = JSONScanner(maxDepth: 4, maxNodes: 64)
    private let deep = JSONScanner(maxDepth: 64, maxNodes: 1 << 20)

    func eat(_ input: Span<UInt8>) throws(Violation) {
        guard input.count > 0 else { return }
        let text = input.extracting(1..<input.count)
        let isShallow = input[0] & 1 == 1
        let scanner = isShallow ? shallow : deep
        let refusal = scanner.scan(text)
        let parsed = Result { () throws(JSONError) in try JSONValue(parsing: text, maxDepth: isShallow ? 4 : 64) }
        if isShallow, refusal?.code == .tooManyNodes { return }
        switch (refusal, parsed) {
        case (nil, .success(let value)):
            var visited = 0
            try hold(try tree(scanner, 0, &visited) == value, "scanner and parser read different values")
            try hold(visited == scanner.nodeCount, "the scanner has \(scanner.nodeCount) nodes, \(visited) are in the tree")
            try roundTrip(value)
        case (let refusal?, .failure(let error)):
            try hold(0...text.count ~= refusal.offset, "the scanner's error is at \(refusal.offset) of \(text.count)")
            try hold(0...text.count ~= error.offset, "the parser's error is at \(error.offset) of \(text.count)")
            try hold(error.line >= 1 && error.column >= 1, "the parser's error is at \(error)")
            try hold(scanner.nodeCount == 0, "a refused text has nodes")
        case (let refusal?, .success): throw Violation(description: "only the scanner refuses: \(refusal)")
        case (nil, .failure(let error)): throw Violation(description: "only the parser refuses: \(error)")
        }
    }

    private func roundTrip(_ value: JSONValue) throws(Violation) {
        for isPretty in [false, true] {
            let written = value.encoded(pretty: isPretty)
            guard let again = try? JSONValue(parsing: written.span) else {
                throw Violation(description: "what we wrote is not read: \(String(decoding: written, as: UTF8.self))")
            }
            try hold(again == value, "what we wrote is read as something else")
        }
    }

    /// The tree that the nodes describe; each node's text must say by itself what the node says.
    private func tree(_ scanner: JSONScanner, _ index: Int, _ visited: inout Int) throws(Violation) -> JSONValue {
        visited += 1
        let node = scanner.node(index)
        var children: [(key: String?, value: JSONValue)] = []
        var child = Int(node.firstChild)
        while child >= 0 {
            children.append((scanner.key(child), try tree(scanner, child, &visited)))
            child = Int(scanner.node(child).next)
        }
        try hold(children.count == Int(node.childCount), "a node has not the children it counts")
        switch node.kind {
        case .null: return .null
        case .true: return true
        case .false: return false
        case .number:
            if let integer = scanner.integer(index) { return .integer(integer) }
            guard let number = scanner.double(index) else { throw Violation(description: "a number has no value") }
            return .number(number)
        case .string:
            guard let text = scanner.string(index) else { throw Violation(description: "a string has no text") }
            let decoded = ByteBuffer()
            scanner.decodeString(index, into: decoded)
            try hold(decoded.text == text, "a string is decoded in two ways")
            return .string(text)
        case .array: return .array(children.map(\.value))
        case .object:
            var object = JSONObject()
            for (key, value) in children {
                guard let key else { throw Violation(description: "a member has no key") }
                object[key] = value
            }
            return .object(object)
        }
    }
}
