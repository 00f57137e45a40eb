// A schema, compiled: a tree of nodes in one array that name each other by number, so that a check allocates nothing
// while all is well. It is immutable and shared by all threads; a `SchemaChecker` is not.

/// What an app's type decodes from, and what was agreed beyond that. See docs/schemas.md.
package struct Schema: Sendable {
    /// The file it was read from.
    package let name: String
    /// The root is the first.
    let parts: [SchemaPart]
    /// What a card shows of such a state (`x-card`).
    package internal(set) var card: CardLayout?
    /// Which app's type it is (`x-app`).
    package internal(set) var app: AppVersion?

    init(name: String, nodes: [SchemaNode]) {
        self.name = name
        parts = nodes.map(SchemaPart.init)
    }
}

/// A node in a place of its own: one that is copied is counted in each of its lists.
final class SchemaPart: Sendable {
    let node: SchemaNode

    init(_ node: SchemaNode) { self.node = node }
}

struct SchemaNode: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case any, object, array, string, integer, number, boolean, null
    }

    /// Keys beyond `properties`.
    enum Additional: Sendable {
        /// Nobody minds: the phone does not look at them.
        case ignored
        /// They break the contract.
        case forbidden
        /// The object is a dictionary; each value is held against this node.
        case values(Int)
    }

    var kind = Kind.any
    /// Of numbers: the Swift type that decodes them.
    var width = NumberWidth.int
    /// Of text: the Swift type that decodes it; nil: String.
    var form: TextForm?
    /// `null` is one of its types.
    var isNullable = false
    /// The phone never reads it (`let` with a value of its own).
    var isIgnored = false
    /// The Swift type is no enum: values beyond `choices` decode.
    var isOpen = false
    /// `enum` or `const`; empty: any value.
    var choices: [SchemaScalar] = []
    var minimum: Double?
    var maximum: Double?
    var text = TextLimits()
    /// Sorted by `SchemaProperty.isOrdered`.
    var properties: [SchemaProperty] = []
    var additional = Additional.ignored
    var items: Int?
    /// The string holds JSON text, which is held against this node.
    var embedded: Int?
    /// `allOf`: each is part of the contract.
    var agreements: [Int] = []
    var conditions: [SchemaCondition] = []

    /// Whether a property of this type may be absent as far as the phone is concerned: its Swift type is optional.
    var toleratesAbsence: Bool { isNullable || isIgnored || kind == .null }
}

/// Bounds of a string, nil for none.
struct TextLimits: Sendable {
    /// Unicode scalars, as JSON Schema counts.
    var minLength: Int?
    var maxLength: Int?
    /// What a reader sees as one: of all ways to count the one that counts least.
    var maxCharacters: Int?
    /// Of UTF-8.
    var maxBytes: Int?

    var isEmpty: Bool { minLength == nil && maxLength == nil && maxCharacters == nil && maxBytes == nil }
}

struct SchemaCondition: Sendable {
    var condition: Int
    var then: Int?
    var otherwise: Int?
}

final class SchemaProperty: Sendable {
    let key: [UInt8]
    /// Swift compares keys by what they mean, so two spellings of one accented letter are the same key.
    let text: String
    let node: Int
    let isRequired: Bool

    init(key: [UInt8], text: String, node: Int, isRequired: Bool) {
        self.key = key
        self.text = text
        self.node = node
        self.isRequired = isRequired
    }

    /// Shorter keys first: most keys that differ do so in their length.
    static func isOrdered(_ a: SchemaProperty, _ b: SchemaProperty) -> Bool {
        a.key.count != b.key.count ? a.key.count < b.key.count : a.key.lexicographicallyPrecedes(b.key)
    }
}

/// A value of `enum` or `const`.
enum SchemaScalar: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)

    /// As it stands in a sentence.
    var words: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let value): "\"\(value)\""
        }
    }
}
