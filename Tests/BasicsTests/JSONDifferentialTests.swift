// Three parsers on the same documents: the scanner, the tree's parser, and Foundation's, an oracle that knows neither.

import Basics
import Foundation
import Testing

struct JSONDifferentialTests {
    static let good = [
        "{}", "[]", "\"\"", "0", "-0", "null", "true", "false", " [ ] ", "\t{\r\n}\n", "[[[[[]]]]]", "1.5", "-1.5e-3",
        "1E5", "1e+5", "0.0", "123456789012345678", "[1,2,3]", "[\"a\",null,true,false,{}]", "{\"\":\"\"}",
        "{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":[{\"b\":[{\"c\":[]}]}]}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u00e9\\u20ac\"",
        "\"\\ud83d\\ude00\"", "\"Grüße, 世界 😀\"", "\"\u{7F}\u{80}\u{2028}\"", "{\"Größe\":1,\"\\u00e4\":2}",
        "[0.1,0.2,1e-7,5e-324,1.7976931348623157e308]", JSONScannerTests.push,
        #"{"type":"push","token":"0123456789abcdef","n":17,"ok":true,"ratio":0.25,"tags":["a","b"],"none":null}"#,
    ]

    static let bad = [
        "", " ", "{", "}", "[", "]", "\"", "'a'", "tru", "True", "nul", "nan", "-", "+1", "01", "-01", "1.", ".1", "1e",
        "1e+",
        "0x10", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}", "{a:1}", "{1:1}",
        "{\"a\":1 \"b\":2}",
        "[1]]", "{}{}", "1 1", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\uD800\"",
        "\"\n\"",
        "\"\t\"", "[\"a\"", "{\"a\":[}", "[{]}", "\u{FEFF}[]x", "//", "[1]//", "/**/1", "\"\u{1F}\"", "--1", "1e5.5",
        "[1}", "{]",
    ]

    /// What the three think of a document.
    private struct Opinions {
        var scanned: JSONScanError?
        var parsed: JSONValue?
        var oracle: Any?

        init(_ bytes: [UInt8], _ scanner: JSONScanner, asksOracle: Bool = true) {
            scanned = scanner.scan(bytes.span)
            parsed = try? JSONValue(parsing: bytes.span, maxDepth: 32)
            if asksOracle { oracle = JSONDifferentialTests.oracle(bytes) }
        }
    }

    private static func oracle(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    @Test(arguments: good)
    func aGoodDocumentMeansTheSameToAllThree(text: String) throws {
        let scanner = JSONScanner()
        let opinions = Opinions(Array(text.utf8), scanner)
        #expect(opinions.scanned == nil)
        let parsed = try #require(opinions.parsed)
        #expect(tree(scanner, 0) == parsed)
        let rewritten = try #require(Self.oracle(parsed.encoded(pretty: true)))
        #expect(isSame(try #require(opinions.oracle), rewritten))
    }

    @Test(arguments: bad)
    func aBadDocumentIsRefusedByAllThree(text: String) {
        let opinions = Opinions(Array(text.utf8), JSONScanner())
        #expect(opinions.scanned != nil)
        #expect(opinions.parsed == nil)
        #expect(opinions.oracle == nil || isStricter(opinions.scanned, Array(text.utf8)))
    }

    @Test func thirtyThousandMutatedDocumentsAreJudgedAlike() {
        let seed = Seed(0x5EED)
        let scanner = JSONScanner()
        var counts = (good: 0, bad: 0)
        for number in 0..<30_000 {
            var generator = seed.child(UInt64(number)).generator()
            let bytes = mutated(&generator)
            let opinions = Opinions(bytes, scanner, asksOracle: number % 4 == 0 && !bytes.contains(0))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect((opinions.scanned == nil) == (opinions.parsed != nil), "seed \(seed), case \(number): \(text)")
            if opinions.scanned == nil {
                counts.good += 1
                #expect(tree(scanner, 0) == opinions.parsed, "seed \(seed), case \(number): \(text)")
            } else {
                counts.bad += 1
            }
            guard number % 4 == 0, !bytes.contains(0), !isStricter(opinions.scanned, bytes) else { continue }
            #expect((opinions.scanned == nil) == (opinions.oracle != nil), "seed \(seed), case \(number): \(text)")
        }
        #expect(counts.good > 3_000 && counts.bad > 3_000, "the mutations are too mild or too wild: \(counts)")
    }

    /// What we refuse and Foundation lets pass: repeated keys, depth, huge numbers, and a comma before a bracket.
    private func isStricter(_ error: JSONScanError?, _ bytes: [UInt8]) -> Bool {
        switch error?.code {
        case .duplicateKey, .tooDeep, .numberOutOfRange: return true
        case .unexpectedByte:
            let offset = error?.offset ?? 0
            let before = bytes[..<offset].last { !Array(" \t\r\n".utf8).contains($0) }
            return before == UInt8(ascii: ",") && Array("]}".utf8).contains(bytes[offset])
        default: return false
        }
    }

    private func mutated(_ generator: inout Generator) -> [UInt8] {
        let alphabet =
            Array("{}[]\",:\\/ \n\tu0123456789abdefnrtEe+-.".utf8) + [
                0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xA9, 0xED, 0xF0, 0xFF,
            ]
        var bytes = Array(Self.good.randomElement(using: &generator)!.utf8)
        for _ in 0...Int(generator.next() % 2) {
            let place = Int(generator.next() % UInt64(bytes.count + 1))
            let letter = alphabet.randomElement(using: &generator)!
            switch generator.next() % 6 {
            case 0: bytes.insert(letter, at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count: bytes[place] = letter
            case 3: bytes.insert(contentsOf: Array(Self.good.randomElement(using: &generator)!.utf8), at: place)
            case 4:
                bytes =
                    Array("[".utf8) + bytes + Array(",".utf8) + Array(Self.good.randomElement(using: &generator)!.utf8)
                    + Array("]".utf8)
            default: bytes.removeLast(min(bytes.count, Int(generator.next() % 3)))
            }
        }
        return bytes
    }

    /// Whether Foundation read the same twice.
    private func isSame(_ a: Any, _ b: Any) -> Bool {
        switch (a, b) {
        case (let a as [Any], let b as [Any]):
            return a.count == b.count && zip(a, b).allSatisfy { isSame($0, $1) }
        case (let a as [String: Any], let b as [String: Any]):
            return a.count == b.count && a.allSatisfy { key, value in b[key].map { isSame(value, $0) } ?? false }
        default:
            return type(of: a) == type(of: b) && String(describing: a) == String(describing: b)
        }
    }

    /// The tree that a scanner's nodes describe.
    private func tree(_ scanner: JSONScanner, _ index: Int) -> JSONValue {
        let node = scanner.node(index)
        var children: [(String?, JSONValue)] = []
        var child = Int(node.firstChild)
        while child >= 0 {
            children.append((scanner.key(child), tree(scanner, child)))
            child = Int(scanner.node(child).next)
        }
        #expect(children.count == Int(node.childCount))
        switch node.kind {
        case .null: return .null
        case .true: return true
        case .false: return false
        case .number: return scanner.integer(index).map { .integer($0) } ?? .number(scanner.double(index)!)
        case .string: return .string(scanner.string(index)!)
        case .array: return .array(children.map(\.1))
        case .object:
            var object = JSONObject()
            for (key, value) in children { object[key!] = value }
            return .object(object)
        }
    }
}
