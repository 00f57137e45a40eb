// A path or a body with holes. Each request fills them anew: no two are the same, as with real pushes.

import Basics
import Planning

/// What a hole becomes. Written `{token}`, `{uuid}`, `{number}` and `{text:N}`; all other braces stay as they are.
enum BenchHole: Hashable, Sendable {
    /// A device token, 64 hex digits: the same in all places of one request.
    case token
    /// 128 random bits.
    case uuid
    /// Counts the requests from 0.
    case number
    /// So many random lower-case letters, at most 1 MiB.
    case text(Int)

    static let longestText = 1 << 20

    /// The hole that `bytes` begin with, and its length.
    fileprivate static func first(of bytes: ArraySlice<UInt8>) -> (hole: BenchHole, length: Int)? {
        for (name, hole) in [("{token}", BenchHole.token), ("{uuid}", .uuid), ("{number}", .number)]
        where bytes.starts(with: name.utf8) { return (hole, name.utf8.count) }
        guard bytes.starts(with: "{text:".utf8), let end = bytes.prefix(16).firstIndex(of: UInt8(ascii: "}")),
            let count = Int(String(decoding: bytes[(bytes.startIndex + 6)..<end], as: UTF8.self)), 0...longestText ~= count
        else { return nil }
        return (.text(count), end + 1 - bytes.startIndex)
    }
}

/// What one request fills its holes with.
struct BenchFill {
    let number: Int
    /// Draws the same token for the same request.
    let token: Seed
    var generator: Generator
}

struct BenchText: Sendable {
    private enum Part: Sendable {
        case bytes([UInt8])
        case hole(BenchHole)
    }

    private var parts: [Part] = []
    /// Whether no two requests have the same.
    var hasHoles: Bool { parts.count > 1 }

    init(_ bytes: [UInt8]) {
        var plain: [UInt8] = []
        var rest = bytes[...]
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
            plain += rest[..<brace]
            rest = rest[brace...]
            if let (hole, length) = BenchHole.first(of: rest) {
                parts += [.bytes(plain), .hole(hole)]
                plain = []
                rest = rest.dropFirst(length)
            } else {
                plain.append(rest.removeFirst())
            }
        }
        parts.append(.bytes(plain + rest))
    }

    /// Without holes, as `fill` fills them.
    func filled(_ fill: BenchFill) -> BenchText {
        let buffer = ByteBuffer()
        var fill = fill
        write(into: buffer, &fill)
        var text = BenchText([])
        text.parts = [.bytes(buffer.array())]
        return text
    }

    func write(into buffer: ByteBuffer, _ fill: inout BenchFill) {
        for part in parts {
            switch part {
            case .bytes(let bytes): buffer.append(bytes.span)
            case .hole(.token):
                var generator = fill.token.generator()
                for _ in 0..<4 { Text.append(hex: generator.next(), digits: 16, into: buffer) }
            case .hole(.uuid):
                let id = UUIDBytes(using: &fill.generator)
                buffer.append(upTo: 36) { id.write(uppercase: false, to: &$0) }
            case .hole(.number): buffer.append(decimal: Int64(fill.number))
            case .hole(.text(let count)): Self.letters(count, into: buffer, &fill.generator)
            }
        }
    }

    /// Twelve letters of each draw: 26¹² is less than 2⁶⁴.
    private static func letters(_ count: Int, into buffer: ByteBuffer, _ generator: inout Generator) {
        var draw: UInt64 = 0
        for index in 0..<count {
            if index % 12 == 0 { draw = generator.next() }
            buffer.append(UInt8(ascii: "a") + UInt8(draw % 26))
            draw /= 26
        }
    }
}
