// The members of a JSON object in the order in which they were written.

/// An object that keeps its order. Two objects are equal when they hold the same members, in whatever order
/// (RFC 8259 §4: an object is an unordered collection). Keys are the same when their UTF-8 is.
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    /// Up to this many members a look-up compares keys one by one; beyond it an index is kept.
    private static let indexThreshold = 12

    package private(set) var keys: [String] = []
    private var values: [JSONValue] = []
    private var places: [ExactKey: Int] = [:]

    package init() {}

    /// Of equal keys the last value stays, at the place of the first.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }

    package var count: Int { keys.count }
    package var isEmpty: Bool { keys.isEmpty }

    /// Setting a new key appends it, setting nil removes it; the order of the others stays.
    package subscript(key: String) -> JSONValue? {
        get { place(of: key).map { values[$0] } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): values[place] = value
            case (nil, let value?): append(key, value)
            case (let place?, nil): remove(at: place)
            case (nil, nil): break
            }
        }
    }

    package func makeIterator() -> some IteratorProtocol<(key: String, value: JSONValue)> {
        zip(keys, values).lazy.map { (key: $0, value: $1) }.makeIterator()
    }

    private func place(of key: String) -> Int? {
        if keys.count > Self.indexThreshold { return places[ExactKey(text: key)] }
        return keys.firstIndex { ExactKey(text: $0) == ExactKey(text: key) }
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        keys.append(key)
        values.append(value)
        if keys.count == Self.indexThreshold + 1 {
            rebuildIndex()
        } else if keys.count > Self.indexThreshold {
            places[ExactKey(text: key)] = keys.count - 1
        }
    }

    private mutating func remove(at place: Int) {
        keys.remove(at: place)
        values.remove(at: place)
        rebuildIndex()
    }

    private mutating func rebuildIndex() {
        places.removeAll()
        guard keys.count > Self.indexThreshold else { return }
        for (place, key) in keys.enumerated() { places[ExactKey(text: key)] = place }
    }
}

extension JSONObject: Hashable {
    package static func == (a: JSONObject, b: JSONObject) -> Bool {
        guard a.count == b.count else { return false }
        return a.allSatisfy { b[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(ExactKey(text: key))
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}

/// A key compared byte for byte; strings alone would take two spellings of one letter for the same.
private struct ExactKey: Hashable {
    let text: String

    static func == (a: ExactKey, b: ExactKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
