// Reads typed values out of a JSON tree and names the place where one is missing or of the wrong kind.

/// One value of the tree and where it stands, as a JSON pointer.
package struct JSONReading {
    package let value: JSONValue
    package let pointer: String

    /// What the tree should be, for mistakes: `run record`.
    private let document: String

    package init(_ value: JSONValue, of document: String, pointer: String = "") {
        self.value = value
        self.document = document
        self.pointer = pointer
    }

    package subscript(key: String) -> JSONReading {
        get throws(Failure) {
            guard let member = value[key] else { throw wrong("has no \(key)") }
            return JSONReading(member, of: document, pointer: "\(pointer)/\(key)")
        }
    }

    package func text() throws(Failure) -> String {
        guard let text = value.string else { throw wrong("is not a string") }
        return text
    }

    package func integer<I: FixedWidthInteger>() throws(Failure) -> I {
        guard let wide = value.int, let narrow = I(exactly: wide) else { throw wrong("is not a fitting integer") }
        return narrow
    }

    package func number() throws(Failure) -> Double {
        guard let number = value.double else { throw wrong("is not a number") }
        return number
    }

    package func flag() throws(Failure) -> Bool {
        guard let flag = value.bool else { throw wrong("is neither true nor false") }
        return flag
    }

    package func interval() throws(Failure) -> Interval { Interval(nanoseconds: try integer()) }

    package func word<W: RawRepresentable<String>>() throws(Failure) -> W {
        guard let word = W(rawValue: try text()) else { throw wrong("is not a known word") }
        return word
    }

    /// Nil for null.
    package func optional() -> JSONReading? { value.isNull ? nil : self }

    package func list() throws(Failure) -> [JSONReading] {
        guard let array = value.array else { throw wrong("is not an array") }
        return array.enumerated().map { JSONReading($1, of: document, pointer: "\(pointer)/\($0)") }
    }

    package func members() throws(Failure) -> [(key: String, reading: JSONReading)] {
        guard let object = value.object else { throw wrong("is not an object") }
        return object.map { ($0.key, JSONReading($0.value, of: document, pointer: "\(pointer)/\($0.key)")) }
    }

    package func texts() throws(Failure) -> [String] {
        var texts: [String] = []
        for item in try list() { texts.append(try item.text()) }
        return texts
    }

    package func integers<I: FixedWidthInteger>() throws(Failure) -> [I] {
        var numbers: [I] = []
        for item in try list() { numbers.append(try item.integer()) }
        return numbers
    }

    package func counts() throws(Failure) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (key, reading) in try members() { counts[key] = try reading.integer() }
        return counts
    }

    package func wrong(_ what: String) -> Failure {
        Failure(
            .usage, "not a \(document): \(pointer.isEmpty ? "the document" : pointer) \(what)")
    }
}
