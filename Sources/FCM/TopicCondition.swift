// Conditions on topics: `'a' in topics && ('b' in topics || !('c' in topics))` (docs/fcm.md §2). Read in one pass, without
// going back.

import Basics

package struct TopicCondition: Hashable, Sendable {
    package static let mostTopics = 5
    private static let longest = 8_192
    private static let deepest = 64

    private indirect enum Term: Hashable, Sendable {
        case topic(String)
        case not(Term)
        case and(Term, Term)
        case or(Term, Term)
    }

    private let root: Term
    /// As they stand there, each once.
    package let topics: [String]

    /// Nil: it cannot be read, or names more than five topics.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var parser = Parser(bytes: Array(text.utf8))
        guard let root = parser.either(0), parser.isAtEnd, parser.count <= Self.mostTopics else { return nil }
        self.root = root
        topics = parser.topics
    }

    /// Whether a device with those topics is meant.
    package func holds(_ subscribed: (String) -> Bool) -> Bool { Self.holds(root, subscribed) }

    private static func holds(_ term: Term, _ subscribed: (String) -> Bool) -> Bool {
        switch term {
        case .topic(let name): subscribed(name)
        case .not(let term): !holds(term, subscribed)
        case .and(let left, let right): holds(left, subscribed) && holds(right, subscribed)
        case .or(let left, let right): holds(left, subscribed) || holds(right, subscribed)
        }
    }

    private struct Parser {
        let bytes: [UInt8]
        var index = 0
        var topics: [String] = []
        var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return index == bytes.count
            }
        }

        mutating func either(_ depth: Int) -> Term? {
            guard var term = both(depth) else { return nil }
            while take("||") {
                guard let next = both(depth) else { return nil }
                term = .or(term, next)
            }
            return term
        }

        mutating func both(_ depth: Int) -> Term? {
            guard var term = single(depth) else { return nil }
            while take("&&") {
                guard let next = single(depth) else { return nil }
                term = .and(term, next)
            }
            return term
        }

        mutating func single(_ depth: Int) -> Term? {
            guard depth < TopicCondition.deepest else { return nil }
            if take("!") { return single(depth + 1).map(Term.not) }
            if take("(") {
                guard let term = either(depth + 1), take(")") else { return nil }
                return term
            }
            return topic()
        }

        private mutating func topic() -> Term? {
            guard take("'") else { return nil }
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "'") { index += 1 }
            guard index < bytes.count, TopicForm.isName(bytes[start..<index].span) else { return nil }
            let name = String(decoding: bytes[start..<index], as: UTF8.self)
            index += 1
            guard word("in"), word("topics") else { return nil }
            count += 1
            if !topics.contains(name) { topics.append(name) }
            return .topic(name)
        }

        private mutating func word(_ text: StaticString) -> Bool {
            guard take(text) else { return false }
            guard index < bytes.count else { return true }
            let next = bytes[index] | 0x20
            return !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= next)
        }

        private mutating func take(_ text: StaticString) -> Bool {
            skipSpace()
            let count = text.utf8CodeUnitCount
            guard bytes.count - index >= count else { return false }
            for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
            index += count
            return true
        }

        private mutating func skipSpace() {
            while index < bytes.count, bytes[index] == 32 || bytes[index] == 9 { index += 1 }
        }
    }
}
