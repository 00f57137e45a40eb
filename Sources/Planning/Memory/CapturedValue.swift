// What a relay's answer held: found by a pointer, bounded, or not found, with the reason in words.

package import Basics
package import Scenarios

/// A value as text, and whether it was a text in the answer's JSON.
package struct CapturedValue: Hashable, Sendable {
    package var bytes: [UInt8]
    /// False for a number, true or false, which `|json` writes without quotes.
    package var isText: Bool

    package func append(_ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        if case .jsonValue = encoding, !isText { return buffer.append(bytes.span) }
        if case .urlJSONValue = encoding, !isText { return TemplateEncoding.url.append(bytes.span, into: buffer) }
        encoding.append(bytes.span, into: buffer)
    }
}

/// Reads answers. Its memory is used again.
package final class CaptureReader {
    /// An answer longer than this is not looked through.
    static let mostAnswerBytes = 1 << 20

    private let scanner = JSONScanner(maxDepth: 64, maxNodes: 32_768)
    private let text = ByteBuffer(capacity: 64)
    private let result = ByteBuffer(capacity: 256)
    private var isJSON = false
    /// The node from which pointers lead; nil: the answer says nothing of what is asked for.
    private var root: Int? = 0

    package init() {}

    /// To be called before `value`, with the same answer.
    package func read(_ answer: Span<UInt8>) {
        root = 0
        isJSON = answer.count <= Self.mostAnswerBytes && scanner.scan(answer) == nil
    }

    // MARK: Results of a batch

    /// From now on pointers lead from one of the results that stand `at` a place: by its `place` in a list, or by its name.
    /// False where it had to be there and is not: not all events need be named. Without that place in the answer they lead
    /// from the whole.
    package func choose(_ at: JSONPointerPath, place: Int, name: [UInt8]?, by: JSONPointerPath?) -> Bool {
        root = 0
        guard isJSON, let list = self.place(at, from: 0) else { return false }
        guard let name else {
            root = scanner.node(list).kind == .array ? child(place, of: list) : nil
            return root != nil
        }
        guard let by else {
            root = scanner.node(list).kind == .object ? scanner.member(name.span, of: list) : nil
            return true
        }
        root = nil
        guard scanner.node(list).kind == .array else { return true }
        var child = Int(scanner.node(list).firstChild)
        while child >= 0, root == nil {
            if let place = self.place(by, from: child), case .success(let value) = value(of: place, by), value.bytes == name {
                root = child
            }
            child = Int(scanner.node(child).next)
        }
        return true
    }

    /// What was chosen, as it stands in the answer; nil: the whole, or nothing.
    package var chosen: ByteBuffer? {
        guard isJSON, let root, root > 0 else { return nil }
        let (scanner, result) = (scanner, result)
        result.clear()
        result.append(scanner.text(root))
        return result
    }

    // MARK: Values

    /// The value at that place of the answer, or in words why there is none.
    package func value(at pointer: JSONPointerPath) -> Result<CapturedValue, Words> {
        guard isJSON else { return .failure(Words("the answer is no JSON")) }
        guard let root, let place = place(pointer, from: root) else {
            return .failure(Words("the answer has nothing at \(pointer.text)"))
        }
        return value(of: place, pointer)
    }

    /// The value in a header of the answer, whose field is `text`; nil: there is none.
    package static func value(inHeader name: String, _ text: String?, behind: String) -> Result<CapturedValue, Words> {
        guard let text else { return .failure(Words("the answer has no header \(name)")) }
        guard behind.isEmpty || text.contains(behind) else {
            return .failure(Words("the answer's header \(name) has no \(behind)"))
        }
        let value = text.firstRange(of: behind).map { text[$0.upperBound...] } ?? text[...]
        guard value.utf8.count <= Capture.mostBytes, value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            return .failure(Words("what the answer's header \(name) has is longer than \(Capture.mostBytes) bytes, or no text"))
        }
        return .success(CapturedValue(bytes: Array(value.utf8), isText: true))
    }

    private func value(of place: Int, _ pointer: JSONPointerPath) -> Result<CapturedValue, Words> {
        let node = scanner.node(place)
        switch node.kind {
        case .string:
            guard let text = scanner.string(place), text.utf8.count <= Capture.mostBytes else {
                return .failure(Words("what the answer has at \(pointer.text) is longer than \(Capture.mostBytes) bytes"))
            }
            // In a header of a later call they would begin a new line.
            guard text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
                return .failure(Words("what the answer has at \(pointer.text) holds control characters"))
            }
            return .success(CapturedValue(bytes: Array(text.utf8), isText: true))
        case .number, .true, .false:
            let (scanner, text) = (scanner, text)
            text.clear()
            text.append(scanner.text(place))
            guard text.count <= Capture.mostBytes else {
                return .failure(Words("what the answer has at \(pointer.text) is longer than \(Capture.mostBytes) bytes"))
            }
            return .success(CapturedValue(bytes: text.array(), isText: false))
        case .object, .array, .null:
            return .failure(Words("what the answer has at \(pointer.text) is neither text nor number"))
        }
    }

    package struct Words: Error, Hashable {
        package let text: String
        init(_ text: String) { self.text = text }
    }

    private func place(_ pointer: JSONPointerPath, from root: Int) -> Int? {
        var place = root
        for (key, step) in zip(pointer.keys, pointer.steps) {
            switch scanner.node(place).kind {
            case .object:
                guard let member = scanner.member(key.span, of: place) else { return nil }
                place = member
            case .array:
                guard let index = Int(step), String(index) == step, let child = child(index, of: place) else { return nil }
                place = child
            default: return nil
            }
        }
        return place
    }

    private func child(_ index: Int, of array: Int) -> Int? {
        guard index >= 0 else { return nil }
        var child = Int(scanner.node(array).firstChild)
        var left = index
        while child >= 0, left > 0 {
            child = Int(scanner.node(child).next)
            left -= 1
        }
        return child >= 0 ? child : nil
    }
}
