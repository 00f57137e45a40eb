// What the tree's parser says about bad text: what, and where.

import Basics
import Testing

struct JSONParserTests {
    @Test(arguments: [
        ("", 1, 1, "expected a value, found the end"),
        ("{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7, "expected ':' after the key \"b\", found '2'"),
        ("{\"a\": 1,}", 1, 9, "expected a key in quotes, found '}'"),
        ("[1, 2", 1, 6, "expected ',' or ']', found the end"),
        ("{\"a\": 1 \"b\": 2}", 1, 9, "expected ',' or '}', found '\"'"),
        ("{\"a\": 1,\n\"a\": 2}", 2, 1, "the key \"a\" stands twice in one object"),
        ("[tru]", 1, 2, "expected a value, found 't'"),
        ("[1] x", 1, 5, "expected the end of the text, found 'x'"),
        ("\"a\u{1}\"", 1, 3, "a control character in a string must be escaped: found byte 0x1"),
        ("\"abc", 1, 1, "the string is not closed"),
        ("\"\\x\"", 1, 2, "an unknown escape; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"),
        ("\"\\ud800\"", 1, 2, "half of a surrogate pair"),
        ("\"\\u12\"", 1, 4, "expected four hex digits after \\u"),
        ("-", 1, 2, "expected a digit, found the end"),
        ("1.", 1, 3, "expected a digit, found the end"),
        ("[1e999]", 1, 2, "the number is too large for a double"),
        ("\u{FEFF}{}", 1, 1, "a byte order mark is not JSON: remove it"),
    ])
    func anErrorSaysWhatIsWrongAndWhere(text: String, line: Int, column: Int, message: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.message == message)
    }

    @Test func numbersKeepTheirKind() throws {
        #expect(
            try JSONValue(parsing: "[1,-0,1.0,1e2,9223372036854775807,9223372036854775808]") == [
                1, 0, 1.0, 100.0, .integer(.max), .number(9.223372036854775808e18),
            ])
    }

    @Test func nestingIsLimitedWhereItIsToldToBe() throws {
        let nested = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try JSONValue(parsing: nested) }
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "[" + nested + "]") }
        #expect(error?.message == "more than 64 objects and arrays within each other")
        #expect(throws: JSONError.self) { try withBytes(of: "[[1]]") { try JSONValue(parsing: $0, maxDepth: 1) } }
    }
}
