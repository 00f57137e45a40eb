// What a relay's answer held: found by a pointer, bounded, or not found, with the reason in words.

import Basics
import Scenarios

/// A value as text, and whether it was a text in the answer's JSON.
struct CapturedValue: Hashable, Sendable {
    var bytes: [UInt8]
    /// False for a number, true or false, which `|json` writes without quotes.
    var isText: Bool

    func append(_ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        if case .jsonValue = encoding, !isText { return buffer.append(bytes.span) }
        if case .urlJSONValue = encoding, !isText { return TemplateEncoding.url.append(bytes.span, into: buffer) }
        encoding.append(bytes.span, into: buffer)
    }
}

/// Reads answers. Its memory is used again.
final class CaptureReader {
    /// An answer longer than this is not looked through.
    static let mostAnswerBytes = 1 << 20

    private let scanner = JSONScanner(maxDepth: 64, maxNodes: 8_192)
    private let text = ByteBuffer(capacity: 64)
    private var isJSON = false

    /// To be called before `value`, with the same answer.
    func read(_ answer: Span<UInt8>) {
        isJSON = answer.count <= Self.mostAnswerBytes && scanner.scan(answer) == nil
    }

    /// The value at that place of the answer, or in words why there is none.
    func value(at pointer: JSONPointerPath) -> Result<CapturedValue, Words> {
        guard isJSON else { return .failure(Words("the answer is no JSON")) }
        guard let place = place(pointer) else { return .failure(Words("the answer has nothing at \(pointer.text)")) }
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

    struct Words: Error, Hashable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private func place(_ pointer: JSONPointerPath) -> Int? {
        var place = 0
        for (key, step) in zip(pointer.keys, pointer.steps) {
            switch scanner.node(place).kind {
            case .object:
                guard let member = scanner.member(key.span, of: place) else { return nil }
                place = member
            case .array:
                guard let index = Int(step), index >= 0, String(index) == step else { return nil }
                var child = Int(scanner.node(place).firstChild)
                var left = index
                while child >= 0, left > 0 {
                    child = Int(scanner.node(child).next)
                    left -= 1
                }
                guard child >= 0 else { return nil }
                place = child
            default: return nil
            }
        }
        return place
    }
}
