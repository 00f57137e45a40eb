// Which numbers decode as which type of Swift: by the width, against Foundation.

import Basics
import Foundation
import Testing

@testable import Schemas

@Suite("Numbers, as Swift's types take them")
struct NumberTests {
    private static func decodes<T: Decodable>(_ type: T.Type, _ text: String) -> Bool {
        (try? JSONDecoder().decode([T].self, from: Data("[\(text)]".utf8))) != nil
    }

    private static func decodes(_ width: NumberWidth, _ text: String) -> Bool {
        switch width {
        case .int: decodes(Int.self, text)
        case .int8: decodes(Int8.self, text)
        case .int16: decodes(Int16.self, text)
        case .int32: decodes(Int32.self, text)
        case .int64: decodes(Int64.self, text)
        case .uint: decodes(UInt.self, text)
        case .uint8: decodes(UInt8.self, text)
        case .uint16: decodes(UInt16.self, text)
        case .uint32: decodes(UInt32.self, text)
        case .uint64: decodes(UInt64.self, text)
        case .double: decodes(Double.self, text)
        case .float: decodes(Float.self, text)
        case .date: decodes(Date.self, text)
        }
    }

    private static func checker(_ width: NumberWidth) throws -> SchemaChecker {
        let type: JSONValue = width.isInteger ? "integer" : "number"
        let schema: JSONValue = [
            "type": "array", "items": ["type": type, "format": .string(width.rawValue)],
        ]
        return SchemaChecker(try Schema(schema, name: "number"))
    }

    private static func agree(_ width: NumberWidth, _ text: String, _ checker: SchemaChecker) -> Bool {
        withBytes(of: "[\(text)]") { checker.check($0) }.decodes == decodes(width, text)
    }

    @Test("Known borders", arguments: NumberWidth.allCases)
    func borders(width: NumberWidth) throws {
        let checker = try Self.checker(width)
        for text in Written.values {
            #expect(Self.agree(width, text, checker), "\(text)")
        }
    }

    @Test("Three thousand numbers at the borders of a type, in whatever spelling", arguments: NumberWidth.allCases)
    func spellings(width: NumberWidth) throws {
        let checker = try Self.checker(width)
        let seed = Seed(0x17)
        var taken = 0
        for number in 0..<3_000 {
            var generator = seed.child(width.rawValue).child(UInt64(number)).generator()
            let text = Self.number(&generator)
            // Foundation refuses a 0 with an exponent or takes it, by the length of the text.
            if Double(text) == 0, text.contains("e"), !width.isInteger { continue }
            let agrees = Self.agree(width, text, checker)
            #expect(agrees, "seed \(seed), case \(number): \(text) as \(width.words)")
            if !agrees { break }
            if Self.decodes(width, text) { taken += 1 }
        }
        #expect(taken > 150)
    }

    /// Near a power of two, spelled with a fraction or exponent that may or may not leave it whole.
    private static func number(_ generator: inout Generator) -> String {
        let power = [0, 3, 7, 8, 15, 16, 31, 32, 53, 54, 63, 64, 70].randomElement(using: &generator)!
        let value = (Int128(1) << power) + Int128(generator.next() % 5) - 2
        var digits = String(value.magnitude)
        let sign = generator.next() % 3 == 0 ? "-" : ""
        switch generator.next() % 8 {
        case 0: return sign + digits
        case 1: return sign + digits + "." + String(repeating: "0", count: Int(generator.next() % 30) + 1)
        case 2:
            return sign + digits + ["e0", "E+0", "e1", "e2", "e-1", "e+18", "e-300"].randomElement(using: &generator)!
        case 3:
            let zeros = Int(generator.next() % 12)
            return sign + digits + String(repeating: "0", count: zeros) + "e-\(zeros)"
        case 4:
            let place = Int(generator.next() % UInt64(digits.count))
            let exponent = digits.count - 1 - place
            digits.insert(".", at: digits.index(digits.startIndex, offsetBy: place + 1))
            if digits.hasSuffix(".") { digits += "0" }
            return sign + digits + "e\(exponent)"
        case 5: return sign + digits + "." + String(generator.next() % 1_000)
        case 6:
            return sign + "0." + String(repeating: "0", count: Int(generator.next() % 5)) + digits
                + "e\(generator.next() % 25)"
        default: return sign + digits + ".5"
        }
    }
}
