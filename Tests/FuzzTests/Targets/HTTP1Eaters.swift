// The HTTP/1.1 codec. What it makes of some bytes must not depend on the pieces in which they came, and what our
// writer makes of a message must be read as that message.

import Basics
import HTTP

/// Small, so that small inputs reach them.
private let limits = HTTP1Limits(maxHeadBytes: 1_024, maxFields: 16, maxBodyBytes: 1_024)

/// What one reading of the bytes came to: messages one after the other, and how it ended.
private struct Reading: Equatable {
    var messages: [[UInt8]] = []
    var end = ""
    var taken = 0

    mutating func note(_ head: HeaderBlock, _ body: ByteBuffer, _ facts: String) {
        var text = Array(facts.utf8)
        for index in 0..<head.count { text += head.name(at: index).array + [0] + head.value(at: index).array + [1] }
        messages.append(text + [2] + body.array())
    }
}

/// Pieces of 1 to 16 bytes, or now and then more, drawn from the seed; seed 0 is one piece.
private func pieces(_ input: [UInt8], seed: UInt8) -> [ArraySlice<UInt8>] {
    guard seed > 0 else { return [input[...]] }
    var generator = Seed(UInt64(seed)).generator()
    var pieces: [ArraySlice<UInt8>] = []
    var rest = input[...]
    while !rest.isEmpty {
        let draw = generator.next()
        let count = min(rest.count, draw % 5 == 0 ? Int(draw >> 8 % 300) + 1 : Int(draw >> 8 % 16) + 1)
        pieces.append(rest.prefix(count))
        rest = rest.dropFirst(count)
    }
    return pieces
}

/// First byte: how the rest is cut into pieces.
final class HTTP1RequestEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let seed = choices.byte() | 1
        let wire = choices.remainder()
        let whole = try read(wire, seed: 0)
        let split = try read(wire, seed: seed)
        try hold(whole == split, "in pieces of seed \(seed) the requests are \(split), in one they are \(whole)")
    }

    private func read(_ wire: [UInt8], seed: UInt8) throws(Violation) -> Reading {
        let parser = HTTP1RequestParser(limits: limits)
        var reading = Reading()
        pieces: for piece in pieces(wire, seed: seed) {
            var rest = piece
            while !rest.isEmpty {
                let taken = withExactBytes(rest) { parser.consume($0) }
                rest = rest.dropFirst(taken)
                reading.taken += taken
                try hold(parser.body.count <= limits.maxBodyBytes, "the body is larger than its limit")
                try hold(parser.head.count <= limits.maxFields + 3, "there are more fields than their limit")
                switch parser.progress {
                case .needsMore: try hold(rest.isEmpty, "bytes are left, and the parser wants more")
                case .failed(let status, let message):
                    try hold(400...599 ~= status && message.utf8CodeUnitCount > 0, "a failure without status or reason")
                    reading.end = "failed"
                    break pieces
                case .complete:
                    reading.note(parser.head, parser.body, "\(parser.keepAlive) \(parser.isHTTP10)")
                    try rewrite(parser)
                    parser.reset()
                }
            }
        }
        // Where a failing line is noticed, and for which of its faults, depends on the pieces; that it fails does not.
        if !reading.end.isEmpty { reading.taken = 0 }
        return reading
    }

    private func rewrite(_ parser: HTTP1RequestParser) throws(Violation) {
        let output = ByteBuffer()
        HTTP1Writer.request(parser.head, body: parser.body, into: output)
        let again = HTTP1RequestParser(limits: HTTP1Limits(maxHeadBytes: 8_192, maxFields: 32, maxBodyBytes: 1_024))
        let taken = again.consume(output.bytes)
        guard case .complete = again.progress, taken == output.count else {
            throw Violation(description: "our own request is not read: \(output.text)")
        }
        try hold(again.body.array() == parser.body.array(), "our own request has another body")
        for name in [":method", ":path"] as [StaticString] {
            try hold(again.head.text(name) == parser.head.text(name), "our own request has another \(name)")
        }
    }
}

/// First byte: how the rest is cut; second: bits for HEAD and for the end of the connection.
final class HTTP1ResponseEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let seed = choices.byte() | 1
        let bits = choices.byte()
        let wire = choices.remainder()
        let whole = try read(wire, bits, seed: 0)
        let split = try read(wire, bits, seed: seed)
        try hold(whole == split, "in pieces of seed \(seed) the responses are \(split), in one they are \(whole)")
    }

    private func read(_ wire: [UInt8], _ bits: UInt8, seed: UInt8) throws(Violation) -> Reading {
        let parser = HTTP1ResponseParser(limits: limits)
        var reading = Reading()
        parser.begin(isHEAD: bits & 1 != 0)
        pieces: for piece in pieces(wire, seed: seed) {
            var rest = piece
            while !rest.isEmpty {
                let taken = withExactBytes(rest) { parser.consume($0) }
                rest = rest.dropFirst(taken)
                reading.taken += taken
                try hold(parser.body.count <= limits.maxBodyBytes, "the body is larger than its limit")
                if try !note(parser, &reading, &rest) { break pieces }
                if case .complete = parser.progress { parser.begin(isHEAD: bits & 2 != 0) }
            }
        }
        if reading.end.isEmpty, bits & 4 != 0 {
            parser.endOfInput()
            var rest: ArraySlice<UInt8> = []
            _ = try note(parser, &reading, &rest)
        }
        if !reading.end.isEmpty { reading.taken = 0 }
        return reading
    }

    /// False: nothing more is read on this connection.
    private func note(
        _ parser: HTTP1ResponseParser, _ reading: inout Reading, _ rest: inout ArraySlice<UInt8>
    ) throws(Violation) -> Bool {
        switch parser.progress {
        case .needsMore: try hold(rest.isEmpty, "bytes are left, and the parser wants more")
        case .failed(let status, _):
            try hold(status == 502, "a response fails with \(status)")
            reading.end = "failed"
            return false
        case .complete:
            try hold(200...599 ~= parser.status, "a response of status \(parser.status)")
            reading.note(parser.head, parser.body, "\(parser.status) \(parser.keepAlive)")
        }
        return true
    }
}
