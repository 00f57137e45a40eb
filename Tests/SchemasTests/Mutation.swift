// JSON text with something changed in it: what relays get wrong, and what only a fuzzer writes.

import Basics

/// JSON as it is written, so that keys may stand twice and numbers may be spelled in any way.
indirect enum Written: Sendable {
    case object([(key: String, value: Written)])
    case array([Written])
    /// Any text at all.
    case raw(String)
    /// JSON text within a string.
    case embedded(Written)

    init(_ value: JSONValue) {
        switch value {
        case .object(let object): self = .object(object.map { (Self.quoted($0.key), Written($0.value)) })
        case .array(let items): self = .array(items.map(Written.init))
        default: self = .raw(value.text)
        }
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).text }

    var text: String {
        switch self {
        case .object(let members): "{" + members.map { $0.key + ":" + $0.value.text }.joined(separator: ",") + "}"
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .raw(let text): text
        case .embedded(let value): Self.quoted(value.text)
        }
    }

    private var childCount: Int {
        switch self {
        case .object(let members): members.count
        case .array(let items): items.count
        case .raw: 0
        case .embedded: 1
        }
    }

    /// Changes one place, by chance.
    func mutated(_ generator: inout Generator) -> Written {
        let goesDown = childCount > 0 && generator.next() % 8 != 0
        guard goesDown else { return replaced(&generator) }
        let place = Int(generator.next() % UInt64(childCount))
        switch self {
        case .raw: return self
        case .embedded(let value): return .embedded(value.mutated(&generator))
        case .array(var items):
            items[place] = items[place].mutated(&generator)
            return .array(items)
        case .object(var members):
            let (key, value) = members[place]
            switch generator.next() % 12 {
            case 0: members.remove(at: place)
            case 1: members[place].key = Self.recased(key)
            case 2: members.insert((key, value.replaced(&generator)), at: Int(generator.next() % 2) * members.count)
            case 3: members[place].key = Self.escaped(key)
            case 4: members.append((Self.keys.randomElement(using: &generator)!, .raw(Self.value(&generator))))
            case 5: members[place].value = .raw("null")
            case 6: members.swapAt(place, 0)
            default: members[place].value = value.mutated(&generator)
            }
            return .object(members)
        }
    }

    private func replaced(_ generator: inout Generator) -> Written {
        guard case .raw(let text) = self, generator.next() % 2 == 0 else { return .raw(Self.value(&generator)) }
        if text.hasPrefix("\"") {
            let endings = [" and more\"", "\\u00e9\"", "\\ud83d\\ude00\"", "\u{301}\"", "\\u0000\"", "\\n\""]
            return .raw(text.dropLast() + endings.randomElement(using: &generator)!)
        }
        let numbers = [".0", "e0", "e1", "E+1", "e-1", ".5", "0", "00000000000000000000", ".000", "0e-1"]
        let changed = text + numbers.randomElement(using: &generator)!
        // A 0 with an exponent is refused by Foundation or not, by the length of its text.
        return .raw(Double(changed) == 0 && changed.contains { "eE".contains($0) } ? text : changed)
    }

    /// The other case of its first letter.
    private static func recased(_ key: String) -> String {
        let letter = key.dropFirst().prefix(1)
        let other = letter.uppercased() == letter ? letter.lowercased() : letter.uppercased()
        return "\"" + other + key.dropFirst(2)
    }

    /// The first letter as an escape, which is the same key.
    private static func escaped(_ key: String) -> String {
        guard let unit = key.dropFirst().utf16.first, unit != 92, unit != 34 else { return key }
        let hex = String(unit, radix: 16)
        return "\"\\u" + String(repeating: "0", count: 4 - hex.count) + hex + key.dropFirst(2)
    }

    private static func value(_ generator: inout Generator) -> String { values.randomElement(using: &generator)! }

    private static let keys = [
        #""extra""#, #""Status""#, #""""#, #""\ud83d\ude00""#, "\"cafe\u{301}\"", "\"\u{212a}\"", #""a\/b""#,
    ]

    static let values = [
        "0", "1", "2", "3", "-0", "-1", "1.0", "2.0", "1.5", "1e0", "1e2", "10e-1", "15e-1", "0.1e1", "-0.0", "0.0",
        "127", "128",
        "-128", "-129", "255", "256", "2147483647", "2147483648", "-2147483649", "9007199254740991.0",
        "9007199254740993.0", "1e15", "1e18", "1e19", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "9223372036854775807.0", "18446744073709551615",
        "18446744073709551616", "1.0000000000000001", "0.99999999999999999999", "123456789012345678901234567890",
        "1e39", "3.5e38", "1e308", "1e-400", "4.9e-324", "2.4e-324", "0e0", "1e00000000000000000001", "true", "false",
        "null",
        "{}", "[]", #""""#, #""1""#, #""NaN""#, #""true""#, #""null""#, #""working""#, #""Working""#, #""retry""#,
        #""vpn""#,
        #""retry\u0000""#, #""w\u006frking""#, #""plain""#, "\"cafe\u{301}\"", #""caf\u00e9""#, #""cafe""#,
        #""\ud83d\ude00""#,
        #"{"x":1}"#, #"{"x":"1"}"#, #"[{"x":1},{"x":2}]"#, "[1,2,null]", "[1,2,3.5]", #"{"a":null}"#,
        #"{"a":1,"a":"b"}"#,
        #"{"a":"b","a":1}"#, #"{"a":1,"\u0061":"b"}"#, "\"cafe\"", "[[]]", #"[{}]"#,
        // Not JSON.
        "NaN", "Infinity", "-Infinity", "1e400", "01", "1.", ".5", "+1", "-", "0x10", "1e", #""\ud800""#, #""\x""#,
        "'a'",
        "nul", "", "[1,]", "\"\t\"",
    ]
}
