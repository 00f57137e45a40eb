// Where in a JSON text something stands, for mistakes that are found after it was read.

extension JSONValue {
    /// Line and column, from 1, columns in characters: of a member its key, of an element the value. Of what is not there the
    /// nearest thing on the way to it; of a text that is no JSON its beginning.
    package static func place(of pointer: String, in text: String) -> (line: Int, column: Int) {
        let scanner = JSONScanner(maxDepth: 64, maxNodes: 65_536)
        guard let path = JSONPointerPath(pointer), withBytes(of: text, { scanner.scan($0) }) == nil else { return (1, 1) }
        var (node, offset) = (0, Int(scanner.node(0).start))
        for (step, key) in zip(path.steps, path.keys) {
            switch scanner.node(node).kind {
            case .object:
                guard let member = scanner.member(key.span, of: node) else { break }
                (node, offset) = (member, Int(scanner.node(member).keyStart) - 1)
                continue
            case .array:
                guard let index = Int(step), 0..<Int(scanner.node(node).childCount) ~= index else { break }
                node = Int(scanner.node(node).firstChild)
                for _ in 0..<index { node = Int(scanner.node(node).next) }
                offset = Int(scanner.node(node).start)
                continue
            default: break
            }
            break
        }
        let before = text.utf8.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { text.utf8.index(after: $0) } ?? text.startIndex
        return (before.count { $0 == UInt8(ascii: "\n") } + 1, text[lineStart..<before.endIndex].count + 1)
    }
}
