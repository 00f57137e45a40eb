// Reads the body of a send by the table of its fields. A body that is well-formed costs a walk over the scanner's nodes and no
// heap; one that is not is walked once more, to say all that is wrong with it as Google does (docs/fcm.md §3).

import Basics

/// Of a key that stands twice in one object the last counts, whatever it holds; it takes the other's whole place
/// (docs/fcm.md §1). One per loop.
final class BodyReader {
    /// Faults of one body that are told: an answer is not to be many times as long as what it answers.
    static let mostTold = 100

    let scanner = JSONScanner(maxDepth: 64, maxNodes: 8192, allowsRepeatedKeys: true)
    /// Nodes by `MessageSlot`, of which there are as many; -1: not given.
    private var slots: InlineArray<20, Int32> = .init(repeating: -1)
    /// Where the walk is; kept up while `violations` is asked for.
    private var trail: [String] = []
    private var isExplaining = false
    private var isRight = true
    private(set) var violations: [FieldViolation] = []

    /// False: `violations` tells why.
    func read(_ body: Span<UInt8>, as type: MessageType = .request) -> Bool {
        slots = .init(repeating: -1)
        if !violations.isEmpty { violations.removeAll() }
        if let error = scanner.scan(body) {
            violations = [FieldViolation(field: nil, description: Self.words(of: error, in: body))]
            return false
        }
        scanner.dropRepeatedMembers()
        isRight = true
        isExplaining = false
        walk(0, type)
        guard !isRight else { return true }
        isExplaining = true
        trail.removeAll()
        slots = .init(repeating: -1)
        walk(0, type)
        return false
    }

    /// The node of a field that was given, and is not null.
    func node(_ slot: MessageSlot) -> Int? {
        let node = slots[slot.rawValue]
        return node < 0 ? nil : Int(node)
    }

    // MARK: The walk

    private func walk(_ object: Int, _ type: MessageType) {
        guard scanner.node(object).kind == .object else {
            return object == 0 ? fail(nil, "Root element must be a message.") : wrongValue(object, type.url)
        }
        var target = -1
        var child = Int(scanner.node(object).firstChild)
        while child >= 0 {
            let node = child
            child = Int(scanner.node(node).next)
            guard let row = row(of: node, in: type) else {
                unknown(scanner.key(node) ?? "", "Cannot find field.")
                continue
            }
            guard !comesAgain(row, behind: node) else { continue }
            // A null is as good as absent (JSON of Protocol Buffers).
            guard scanner.node(node).kind != .null else { continue }
            if row.isTarget {
                if target >= 0, let other = self.row(of: target, in: type), other.name != row.name {
                    let what = "oneof field 'target' is already set. Cannot set '\(row.name)'"
                    fail(path, "Invalid value at '\(path ?? "")' (oneof), \(what)")
                    continue
                }
                target = node
            }
            if let slot = row.slot { slots[slot.rawValue] = Int32(truncatingIfNeeded: node) }
            if isExplaining { trail.append(row.name) }
            check(node, row)
            if isExplaining { trail.removeLast() }
        }
    }

    /// The field's other spelling comes later in the same object, and that one counts.
    private func comesAgain(_ row: FieldRow, behind node: Int) -> Bool {
        guard row.hasTwoSpellings else { return false }
        let scanner = scanner
        var other = Int(scanner.node(node).next)
        while other >= 0 {
            if scanner.node(other).keyHasEscapes {
                if let key = scanner.key(other), key == row.name || key == row.camel { return true }
            } else {
                let key = scanner.keyContent(other)
                if key.says(row.name) || key.says(row.camel) { return true }
            }
            other = Int(scanner.node(other).next)
        }
        return false
    }

    private func row(of node: Int, in type: MessageType) -> FieldRow? {
        let scanner = scanner
        let row = scanner.node(node)
        if row.keyHasEscapes {
            guard let key = scanner.key(node) else { return nil }
            return type.fields.first { $0.name == key || $0.camel == key }
        }
        return type.field(scanner.keyContent(node))
    }

    private func check(_ node: Int, _ row: FieldRow) {
        let kind = scanner.node(node).kind
        if kind == .array {
            guard row.kind.isRepeated else {
                return unknown(row.name, "Proto field is not repeating, cannot start list.", isOfParent: true)
            }
            var child = Int(scanner.node(node).firstChild)
            var index = 0
            while child >= 0 {
                if isExplaining { trail[trail.count - 1] = "\(row.name)[\(index)]" }
                single(child, row)
                child = Int(scanner.node(child).next)
                index += 1
            }
            return
        }
        single(node, row)
    }

    private func single(_ node: Int, _ row: FieldRow) {
        switch row.kind {
        case .message(let type): walk(node, type)
        case .map: map(node, row)
        case .free: if scanner.node(node).kind != .object { wrongValue(node, row.url) }
        default:
            if scanner.node(node).kind == .object {
                return unknown(row.name, "Cannot find field.", isOfParent: true)
            }
            if let trouble = FieldValues.trouble(node, row, scanner) { wrongValue(node, row.url, trouble, row) }
        }
    }

    private func map(_ node: Int, _ row: FieldRow) {
        guard scanner.node(node).kind == .object else { return wrongValue(node, row.url) }
        var child = Int(scanner.node(node).firstChild)
        var index = 0
        while child >= 0 {
            let entry = scanner.node(child)
            if entry.kind != .string {
                isRight = false
                if tells {
                    trail[trail.count - 1] = "\(row.name)[\(index)]"
                    trail.append("value")
                    switch entry.kind {
                    case .object: unknown(scanner.key(child) ?? "", "Cannot find field.")
                    case .array: unknown(scanner.key(child) ?? "", "Proto field is not repeating, cannot start list.")
                    default: wrongValue(child, row.url)
                    }
                    trail.removeLast()
                    trail[trail.count - 1] = row.name
                }
            }
            child = Int(entry.next)
            index += 1
        }
    }

    // MARK: What is wrong

    /// Whether one more fault is told.
    private var tells: Bool { isExplaining && violations.count < Self.mostTold }

    private var path: String? { trail.isEmpty ? nil : trail.joined(separator: ".") }

    private func fail(_ field: String?, _ description: @autoclosure () -> String) {
        isRight = false
        if tells { violations.append(FieldViolation(field: field, description: description())) }
    }

    private func unknown(_ name: String, _ why: String, isOfParent: Bool = false) {
        isRight = false
        guard tells else { return }
        let place = isOfParent ? (trail.count > 1 ? trail.dropLast().joined(separator: ".") : nil) : path
        let at = place.map { " at '\($0)'" } ?? ""
        fail(place, "Invalid JSON payload received. Unknown name \"\(name)\"\(at): \(why)")
    }

    /// `trouble`: what the reader of a duration or a time says.
    private func wrongValue(
        _ node: Int, _ type: String, _ trouble: FieldValues.Trouble = .plain, _ row: FieldRow? = nil
    ) {
        isRight = false
        guard isExplaining else { return }
        let scanner = scanner
        let said =
            switch trouble {
            case .plain: scanner.text(node).text
            case .format(let what):
                "Field '\(row?.camel ?? "")', \(what)\(scanner.string(node) ?? scanner.text(node).text)"
            }
        fail(path, "Invalid value at '\(path ?? "")' (\(type)), \(said)")
    }

    /// As Google's parser tells it: what it met, the line, and a mark below the place.
    private static func words(of error: JSONScanError, in body: Span<UInt8>) -> String {
        let what =
            switch error.code {
            case .unexpectedEnd: "Unexpected end of string."
            case .invalidUTF8: "Encountered non UTF-8 code points."
            case .tooDeep: "Message too deep. Max recursion depth reached."
            default: "Unexpected token."
            }
        let start = max(0, error.offset - 20)
        let end = min(body.count, error.offset + 20)
        let line = body.extracting(start..<end).text.replacing("\n", with: " ")
        let mark = String(repeating: " ", count: error.offset - start) + "^"
        return "Invalid JSON payload received. \(what)\n\(line)\n\(mark)"
    }
}

extension Span<UInt8> {
    /// Without heap: `text` is native UTF-8.
    func says(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        return withBytes(of: text) { equals($0) }
    }
}
