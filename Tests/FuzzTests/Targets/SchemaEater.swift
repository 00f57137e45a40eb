// Schema files, and what is held against them: content-states that a relay pushed, and what it was given.

import Basics
@testable import Schemas

/// Lines: a schema, a value, another value. Without a schema that compiles one that takes everything is used.
final class SchemaEater: FuzzEater {
    private let scanner = JSONScanner(maxDepth: 64, maxNodes: 1 << 16)

    func eat(_ input: Span<UInt8>) throws(Violation) {
        let lines = input.array.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        let (value, other) = (lines.count > 1 ? lines[1] : [], lines.count > 2 ? lines[2] : [])
        try check(value, against: try schema(lines[0]))
        try compare(value, with: other)
    }

    private func schema(_ text: ArraySlice<UInt8>) throws(Violation) -> Schema {
        let anything: JSONValue = .object(JSONObject())
        let tree = (try? JSONValue(parsing: Array(text).span, maxDepth: 64)) ?? anything
        do throws(Failure) { return try Schema(tree, name: "input.json") } catch {
            try hold(error.kind == .usage, "a mistake in a schema is ours: \(error)")
            try hold(!error.message.isEmpty, "a mistake in a schema has no words")
            guard let schema = try? Schema(anything, name: "any.json") else {
                throw Violation(description: "the schema that takes everything does not compile")
            }
            return schema
        }
    }

    private func check(_ value: ArraySlice<UInt8>, against schema: Schema) throws(Violation) {
        let checker = SchemaChecker(schema)
        let verdict = withExactBytes(value) { checker.check($0) }
        for findings in [verdict.doesNotDecode, verdict.breaksContract] {
            try hold(findings.count <= SchemaChecker.findingsMax, "\(findings.count) findings")
            for finding in findings { try hold(!finding.reason.isEmpty, "a finding has no reason") }
        }
        try hold(withExactBytes(value) { checker.check($0) } == verdict, "the second look differs from the first")
        // In a larger document it is judged the same.
        let isJSON = withExactBytes(value) { scanner.scan($0) } == nil
        try hold(isJSON || !verdict.decodes, "what is no JSON decodes")
        let whole = Array(#"{"v":"#.utf8) + value + Array("}".utf8)
        try withExactBytes(whole) { (text) throws(Violation) in
            guard isJSON, scanner.scan(text) == nil else { return }
            let inner = checker.check(Int(scanner.node(0).firstChild), of: scanner, at: "/v")
            try hold(inner.decodes == verdict.decodes, "in a document it decodes: \(inner.decodes), alone: \(verdict.decodes)")
            try hold(inner.isKept == verdict.isKept, "in a document the contract is kept otherwise than alone")
        }
    }

    private func compare(_ value: ArraySlice<UInt8>, with other: ArraySlice<UInt8>) throws(Violation) {
        guard let all = JSONPointerPath("") else { throw Violation(description: "the empty pointer is refused") }
        let comparison = JSONComparison(truncations: [Truncation(at: all, length: 3)])
        let isJSON = withExactBytes(value) { text in comparison.begin(sent: text, pushed: text) }
        if isJSON {
            comparison.compare(all, with: all)
            try hold(comparison.end().isEmpty, "a document differs from itself: \(comparison.end())")
        }
        let areJSON = withExactBytes(value) { sent in withExactBytes(other) { comparison.begin(sent: sent, pushed: $0) } }
        if areJSON { comparison.compare(all, with: all) }
        for finding in comparison.end() { try hold(!finding.reason.isEmpty, "a difference has no words") }
    }
}
