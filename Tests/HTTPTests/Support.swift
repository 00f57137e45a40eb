// Messages as tests see them, and the two ways of feeding a parser: in one piece, and cut anywhere.

import Basics
import HTTP

/// What a parser made of a message.
struct Message: Equatable, CustomStringConvertible {
    var fields: [String]
    var body: String
    var keepAlive: Bool
    var rest: String
    /// Of a response, or of a refusal.
    var status = 0

    init(_ head: HeaderBlock, _ body: ByteBuffer, keepAlive: Bool, rest: String, status: Int = 0) {
        fields = head.lines
        self.body = body.text
        self.keepAlive = keepAlive
        self.rest = rest
        self.status = status
    }

    var description: String { "\(status) \(fields) body \(body.debugDescription) rest \(rest.debugDescription)" }
}

/// How reading ended.
enum Reading: Equatable {
    case message(Message)
    case refused(Int)
    case unfinished
}

extension HeaderBlock {
    /// `name: value` for each field.
    var lines: [String] { (0..<count).map { "\(name(at: $0).text): \(value(at: $0).text)" } }

    convenience init(_ fields: [(String, String)]) {
        self.init()
        for (name, value) in fields { append(name: name, value: value) }
    }
}

/// Feeds the pieces of a text to a parser's `consume` until it takes no more; returns what it left.
func feed(_ text: String, cutAt cuts: [Int], _ consume: (Span<UInt8>) -> Int) -> String {
    let bytes = Array(text.utf8)
    var start = 0
    for end in cuts.filter({ $0 < bytes.count }) + [bytes.count] {
        let piece = Array(bytes[start..<end])
        let taken = consume(piece.span)
        start += taken
        if taken < piece.count { break }
    }
    return String(decoding: bytes[start...], as: UTF8.self)
}

func readRequest(_ text: String, cutAt cuts: [Int] = [], limits: HTTP1Limits = HTTP1Limits()) -> Reading {
    let parser = HTTP1RequestParser(limits: limits)
    let rest = feed(text, cutAt: cuts) { parser.consume($0) }
    switch parser.progress {
    case .complete: return .message(Message(parser.head, parser.body, keepAlive: parser.keepAlive, rest: rest))
    case .failed(let status, _): return .refused(status)
    case .needsMore: return .unfinished
    }
}

func readResponse(
    _ text: String, isHEAD: Bool = false, closed: Bool = false, cutAt cuts: [Int] = [],
    limits: HTTP1Limits = HTTP1Limits()
) -> Reading {
    let parser = HTTP1ResponseParser(limits: limits)
    parser.begin(isHEAD: isHEAD)
    let rest = feed(text, cutAt: cuts) { parser.consume($0) }
    if closed { parser.endOfInput() }
    switch parser.progress {
    case .complete:
        return .message(
            Message(parser.head, parser.body, keepAlive: parser.keepAlive, rest: rest, status: parser.status))
    case .failed(let status, _): return .refused(status)
    case .needsMore: return .unfinished
    }
}

/// Every way of cutting a text once, and the way of cutting it after each byte.
func allCuts(of text: String) -> [[Int]] {
    let count = text.utf8.count
    return [Array(0..<count)] + (0..<count).map { [$0] }
}
