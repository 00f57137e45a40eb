// Swift source as words, for reading declarations: comments and spaces are gone, a text is one word, and each word knows
// where it stands. Knows no grammar beyond that of single words (The Swift Programming Language, Lexical Structure).

import Basics

struct SwiftToken: Sendable {
    enum Kind: Sendable { case word, number, text, mark, end }

    var kind: Kind
    /// As it is written; of a text what it says, of a word in backticks the word.
    var text: String
    /// Of its first byte.
    var offset: Int
    var beginsLine: Bool
    /// Of an opening bracket: the index of the one that closes it; of others 0.
    var partner = 0
    /// False of a text with escapes, with values put into it, or of several lines.
    var isConstant = true

    func isMark(_ mark: Character) -> Bool { kind == .mark && text.first == mark }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
}

/// A file's words; the last is its end.
struct SwiftSource: Sendable {
    private static let closing = ["(": ")", "[": "]", "{": "}"]

    let name: String
    private let bytes: [UInt8]
    private(set) var tokens: [SwiftToken] = []
    private var place = 0

    init(_ text: String, name: String) throws(Failure) {
        self.name = name
        let isMarked = text.utf8.starts(with: [0xEF, 0xBB, 0xBF])  // a byte order mark is none of its words
        bytes = Array(text.utf8.dropFirst(isMarked ? 3 : 0)) + [0]
        var open: [Int] = []
        var line = -1
        while skipBlank(&line) {
            var token = SwiftToken(kind: .mark, text: "", offset: place, beginsLine: line != 0)
            line = 0
            try read(&token)
            if token.kind == .mark, Self.closing[token.text] != nil { open.append(tokens.count) }
            if token.kind == .mark, Self.closing.values.contains(token.text) {
                guard let opening = open.popLast(), Self.closing[tokens[opening].text] == token.text else {
                    throw wrong("`\(token.text)` closes nothing", "check the brackets before it", token)
                }
                tokens[opening].partner = tokens.count
            }
            tokens.append(token)
        }
        if let opening = open.last {
            throw wrong("`\(tokens[opening].text)` is never closed", "check the brackets after it", tokens[opening])
        }
        tokens.append(SwiftToken(kind: .end, text: "the end of the file", offset: place, beginsLine: true))
    }

    /// `at` a word, by line and column from 1, columns in characters.
    func wrong(_ message: String, _ hint: String?, _ token: SwiftToken) -> Failure {
        let before = bytes[..<token.offset]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        return Failure(.usage, message, hint: hint, place: "\(name):\(line):\(column)")
    }

    private func byte(_ ahead: Int = 0) -> UInt8 { place + ahead < bytes.count ? bytes[place + ahead] : 0 }

    private func starts(_ text: StaticString) -> Bool {
        (0..<text.utf8CodeUnitCount).allSatisfy { byte($0) == text.utf8Start[$0] }
    }

    /// Spaces and comments; `line` becomes other than 0 where a line ended. False at the end.
    private mutating func skipBlank(_ line: inout Int) -> Bool {
        while place < bytes.count - 1 {
            if byte() <= 0x20 {
                if byte() == 0x0A || byte() == 0x0D { line = 1 }
                place += 1
            } else if starts("//") {
                while place < bytes.count - 1, byte() != 0x0A, byte() != 0x0D { place += 1 }
            } else if starts("/*") {
                var depth = 0
                repeat {
                    let change = starts("/*") ? 1 : starts("*/") ? -1 : 0
                    depth += change
                    place += change == 0 ? 1 : 2
                } while depth > 0 && place < bytes.count - 1
            } else {
                return true
            }
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == 0x5F || byte == 0x24 || 0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte
    }

    private mutating func read(_ token: inout SwiftToken) throws(Failure) {
        var hashes = 0
        while hashes < 16, byte(hashes) == 0x23 { hashes += 1 }
        if byte(hashes) == 0x22 { return try readText(&token, hashes: hashes, nesting: 0) }
        let start = place
        if byte(hashes) == 0x2F, let end = Self.endOfRegex(in: bytes, at: start, hashes: hashes) {
            (token.text, place) = ("/", end)
        } else if byte(hashes) == 0x2F, hashes > 0 {
            throw wrong("a regular expression is never closed", "add its closing slash and hashes", token)
        } else if byte() == 0x60 {
            while place < bytes.count - 2, byte(1) != 0x60 { place += 1 }
            place += 2
            (token.kind, token.text) = (.word, String(decoding: bytes[(start + 1)..<max(start + 1, place - 1)], as: UTF8.self))
        } else if Self.isLetter(byte()) {
            let isNumber = 0x30...0x39 ~= byte()
            token.kind = isNumber ? .number : .word
            while Self.isLetter(byte()) || isNumber && byte() == 0x2E && 0x30...0x39 ~= byte(1) {
                place += isNumber && byte() | 0x20 == 0x65 && (byte(1) == 0x2D || byte(1) == 0x2B) ? 2 : 1
            }
            token.text = String(decoding: bytes[start..<place], as: UTF8.self)
        } else {
            place += 1
            token.text = String(UnicodeScalar(bytes[start]))
        }
    }

    /// A text with its quotes, hashes and the values put into it; `place` stands at its first hash or quote.
    private mutating func readText(_ token: inout SwiftToken, hashes: Int, nesting: Int) throws(Failure) {
        token.kind = .text
        let isLong = byte(hashes) == 0x22 && byte(hashes + 1) == 0x22 && byte(hashes + 2) == 0x22
        let quotes = isLong ? 3 : 1
        place += hashes + quotes
        let start = place
        token.isConstant = !isLong
        while true {
            guard place < bytes.count - 1, isLong || byte() != 0x0A, nesting < 16 else {
                throw wrong("a text is never closed", "add its closing quote", token)
            }
            if byte() == 0x5C, (0..<hashes).allSatisfy({ byte(1 + $0) == 0x23 }) {
                token.isConstant = false
                place += 1 + hashes
                if byte() == 0x28 { try skipValue(token, nesting) } else { place += 1 }
            } else if (0..<quotes).allSatisfy({ byte($0) == 0x22 }), (0..<hashes).allSatisfy({ byte(quotes + $0) == 0x23 }) {
                token.text = String(decoding: bytes[start..<place], as: UTF8.self)
                place += quotes + hashes
                return
            } else {
                place += 1
            }
        }
    }

    /// The brackets of a value within a text, with the texts in them.
    private mutating func skipValue(_ text: SwiftToken, _ nesting: Int) throws(Failure) {
        var depth = 0
        repeat {
            if byte() == 0x22 {
                var inner = text
                try readText(&inner, hashes: 0, nesting: nesting + 1)
                continue
            }
            if byte() == 0x28 { depth += 1 } else if byte() == 0x29 { depth -= 1 }
            place += 1
        } while depth > 0 && place < bytes.count - 1
    }
}
