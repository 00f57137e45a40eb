// Where what a pointer leads to stands in a text.

import Basics
import Testing

@Suite("The place of a pointer")
struct JSONPlaceTests {
    private static let text = "{\n  \"é\": {\"a/b\": [1, {\"c\": 2}]},\n  \"d\": null }"

    @Test(
        "is that of a key or of an element, or of the nearest thing on the way",
        arguments: [
            ("", 1, 1), ("/é", 2, 3), ("/é/a~1b", 2, 9), ("/é/a~1b/0", 2, 17), ("/é/a~1b/1", 2, 20), ("/é/a~1b/1/c", 2, 21),
            ("/d", 3, 3), ("/d/x", 3, 3), ("/é/x/y", 2, 3), ("/é/a~1b/2", 2, 9), ("/é/a~1b/-1", 2, 9), ("x", 1, 1),
        ])
    func place(pointer: String, line: Int, column: Int) {
        let place = JSONValue.place(of: pointer, in: Self.text)
        #expect([place.line, place.column] == [line, column])
    }

    @Test("of what is no JSON is its beginning")
    func malformed() {
        let place = JSONValue.place(of: "/a", in: "{\"a\":")
        #expect([place.line, place.column] == [1, 1])
    }
}
