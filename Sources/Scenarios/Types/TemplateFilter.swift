// What a template makes of a value before it is written: `{{deviceToken|base64}}`, `{{state|map:working=WORK}}`. Compiled once;
// a request only runs over bytes.

package import Basics

/// One step of `{{name|step|step}}`. Text in, text out.
package enum TemplateFilter: Hashable, Sendable {
    /// ASCII letters only, as tokens and words of protocols have them.
    case upper, lower
    /// RFC 4648 §4, padded: of the text, or of the bytes that a token's hex digits name.
    case base64(ofToken: Bool)
    /// Lower-case digits of the text's bytes; a token has them already.
    case hex
    /// A UUID that follows from the text: the same text has the same one.
    case uuid
    /// The first so many Unicode scalars, so that no character's bytes are torn apart.
    case truncate(Int)
    /// One word for another; what is not listed stays.
    case map([Pair])
    /// What stands there when the value is null or empty.
    case fallback([UInt8])

    package struct Pair: Hashable, Sendable {
        package var from: [UInt8]
        package var to: [UInt8]
    }

    func apply(_ text: [UInt8]) -> [UInt8] {
        switch self {
        case .upper: return text.map { 97...122 ~= $0 ? $0 - 32 : $0 }
        case .lower: return text.map { 65...90 ~= $0 ? $0 + 32 : $0 }
        case .base64(let ofToken):
            let bytes = ofToken ? Hex.decode(text.span) ?? text : text
            return Array(Base64.encode(bytes.span).utf8)
        case .uuid:
            var chance = Seed(Hash128(hashing: text.span).low).generator()
            return Array(UUIDBytes(version4: &chance).text().utf8)
        case .hex: return Array(Hex.encode(text.span).utf8)
        case .truncate(let count):
            var left = count
            for (index, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
                if left == 0 { return Array(text[..<index]) }
                left -= 1
            }
            return text
        case .map(let pairs): return pairs.first { $0.from == text }?.to ?? text
        case .fallback(let other): return text.isEmpty ? other : text
        }
    }
}

/// Steps, and how what comes of them stands in JSON.
package struct TemplateFilters: Hashable, Sendable {
    package var steps: [TemplateFilter]
    /// As a JSON value it is a number where it looks like one, and a string else.
    package var isNumber: Bool

    package init(_ steps: [TemplateFilter], isNumber: Bool = false) {
        self.steps = steps
        self.isNumber = isNumber
    }

    /// Whether a null becomes something.
    var hasFallback: Bool {
        steps.contains { step in
            if case .fallback = step { true } else { false }
        }
    }

    func append(
        _ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer, _ values: some TemplateValues
    ) {
        let isValue = encoding == .jsonValue || encoding == .urlJSONValue
        if isValue, !hasFallback, values.isNull(variable) { return buffer.append("null" as StaticString) }
        let raw = ByteBuffer(capacity: 128)
        if !values.isNull(variable) { values.append(variable, .raw, into: raw) }
        let text = steps.reduce(raw.array()) { $1.apply($0) }
        if isValue, isNumber, Self.isNumber(text) {
            return (encoding == .urlJSONValue ? TemplateEncoding.url : .raw).append(text.span, into: buffer)
        }
        encoding.append(text.span, into: buffer)
    }

    /// Whether it is a number of JSON (RFC 8259 §6).
    private static func isNumber(_ text: [UInt8]) -> Bool {
        guard let first = text.first, first == 45 || 48...57 ~= first, let value = try? JSONValue(parsing: text.span)
        else { return false }
        return value.double != nil
    }
}

/// The instant at which a request is made, by the run's clock.
package struct TemplateTime: Hashable, Sendable {
    package enum Unit: String, CaseIterable, Hashable, Sendable {
        /// Whole seconds and milliseconds since 1970; whole seconds since 2001, as Swift's `Date` is coded; RFC 3339 text.
        case unix, ms
        case since2001 = "2001"
        case iso
    }

    /// Added to it.
    package var offset: Interval
    package var unit: Unit

    package init(offset: Interval = .zero, unit: Unit = .unix) {
        self.offset = offset
        self.unit = unit
    }

    package func append(_ now: WallTime, into buffer: ByteBuffer) {
        let time = now + offset
        switch unit {
        case .unix: buffer.append(String(time.seconds))
        case .ms: buffer.append(String(time.milliseconds))
        case .since2001: buffer.append(String(time.seconds - 978_307_200))
        case .iso: buffer.append(time.iso8601)
        }
    }
}
