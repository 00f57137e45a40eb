// Short texts that people and peers write: gates, durations, times, addresses, cursors, encodings, templates.

import Basics
@testable import Faults
import Journal
import Net
@testable import Scenarios
import YAML

/// First byte: which kind of text the rest is.
final class TextEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let kind = choices.byte() % 10
        let bytes = choices.remainder()
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case 0: if let gate = try? Gate(parsing: text) { try hold(gate.threshold.isFinite, "a threshold without end") }
        case 1: try interval(text)
        case 2: try time(text)
        case 3: try cursor(text)
        case 4: try encodings(bytes)
        case 5: _ = try? SocketAddress(parsing: text)
        case 6: try templates(text)
        case 7: try override(text)
        case 8: try identifier(bytes)
        default:
            let halves = text.split(separator: "\n", maxSplits: 1)
            guard halves.count == 2, let value = try? JSONValue(parsing: String(halves[1])) else { return }
            _ = value.at(pointer: String(halves[0]))
        }
    }

    private func interval(_ text: String) throws(Violation) {
        guard let interval = Interval(parsing: text) else { return }
        try hold(Interval(parsing: interval.exactText) == interval, "\(interval.nanoseconds) ns are not read again")
        _ = interval.description
    }

    private func time(_ text: String) throws(Violation) {
        guard let time = WallTime(iso8601: text) else { return }
        let again = WallTime(iso8601: time.iso8601)
        try hold(again?.milliseconds == time.milliseconds, "\(time.iso8601) is not read again")
    }

    private func cursor(_ text: String) throws(Violation) {
        guard let cursor = JournalCursor(parsing: text) else { return }
        try hold(JournalCursor(parsing: cursor.text) == cursor, "the cursor \(cursor.text) is not read again")
    }

    private func encodings(_ bytes: [UInt8]) throws(Violation) {
        if let decoded = withExactBytes(bytes, { Base64.decode($0) }) {
            try hold(Base64.decode(Base64.encode(decoded.span)) == decoded, "Base64 is not read again")
        }
        if let decoded = withExactBytes(bytes, { Base64URL.decode($0) }) {
            try hold(Base64URL.decode(Base64URL.encode(decoded.span)) == decoded, "Base64URL is not read again")
        }
        if let decoded = withExactBytes(bytes, { Hex.decode($0) }) {
            try hold(Hex.decode(Hex.encode(decoded.span)) == decoded, "hex is not read again")
        }
        try hold(Base64.decode(Base64.encode(bytes.span)) == bytes, "bytes do not survive Base64")
        try hold(Base64URL.decode(Base64URL.encode(bytes.span)) == bytes, "bytes do not survive Base64URL")
        try hold(Hex.decode(Hex.encode(bytes.span)) == bytes, "bytes do not survive hex")
    }

    private func identifier(_ bytes: [UInt8]) throws(Violation) {
        guard let id = withExactBytes(bytes, { UUIDBytes($0) }) else { return }
        for isUppercase in [false, true] {
            try hold(UUIDBytes(Array(id.text(uppercase: isUppercase).utf8).span) == id, "a UUID is not read again")
        }
    }

    private func templates(_ text: String) throws(Violation) {
        let filled = LaunchTemplate.fill(text) { _ in nil }
        try hold(filled == text, "a template without values is not left as it is")
        let mistakes = Mistakes()
        var compiler = TemplateCompiler(ownNames: ["state", "progress"], mistakes: mistakes)
        let place = YAMLPlace(file: "input", line: 1, column: 1)
        _ = compiler.compile(text: text, encoding: .url, at: place)
        _ = compiler.compile(json: YAMLNode(.scalar(text, quoted: true), at: place))
    }

    private func override(_ text: String) throws(Violation) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let override = try? Override(path: String(sides[0]), value: String(sides[1])),
            let root = try? YAMLNode.parse(text: "a: { b: [1, { c: d }] }\ne: f", file: "input")
        else { return }
        _ = try? override.applied(to: root).json.encoded()
    }
}
