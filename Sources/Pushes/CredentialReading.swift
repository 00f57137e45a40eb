// A provider token as a reader of the journal finds it: what of it can be named, though it was refused.

import Basics

/// The members of a refused token, in words.
struct CredentialReading {
    static let names = ["scheme", "parts", "part", "length", "kid", "alg", "iss", "iat"]

    private let scheme: String
    private let parts: [Substring]
    private let header: JSONValue?
    private let claims: JSONValue?

    init(_ authorization: String) {
        let words = authorization.split(separator: " ", maxSplits: 1)
        scheme = words.count == 2 ? String(words[0]) : ""
        parts = (words.last ?? "").split(separator: ".", omittingEmptySubsequences: false)
        header = Self.json(parts.first)
        claims = parts.count > 1 ? Self.json(parts[1]) : nil
    }

    private static func json(_ part: Substring?) -> JSONValue? {
        part.flatMap { Base64URL.decode(String($0)) }.flatMap { try? JSONValue(parsing: $0.span) }
    }

    /// What stands for that name: with a value where there is one.
    subscript(name: String) -> String {
        switch name {
        case "scheme": scheme.isEmpty ? "what authorization begins with" : Self.quoted(.string(scheme))
        case "parts": parts.count < 2 ? "one part" : "\(parts.count) parts"
        case "part": wrongPart.map { "the token's \($0)" } ?? "a part of the token"
        case "length": signatureLength.map { "\($0) bytes" } ?? "another length"
        case "kid", "alg": Self.named(name, header?[name])
        default: Self.named(name, claims?[name]) + (name == "iat" ? date : "")
        }
    }

    private static func named(_ name: String, _ value: JSONValue?) -> String { value.map { "\(name) \(quoted($0))" } ?? name }

    private static let mostQuoted = 80

    /// As JSON, so that a line's end shows; so do signs that would steer a terminal. A key in the place of its ID is nobody's
    /// to read.
    private static func quoted(_ value: JSONValue) -> String {
        var text = String(value.text.prefix(mostQuoted + 1))
        if let key = text.firstRange(of: "-----BEGIN") { text.replaceSubrange(key.upperBound..., with: "…") }
        let shown = text.count > mostQuoted ? text.prefix(mostQuoted) + "…" : text
        return shown.unicodeScalars.reduce(into: "") { shown, scalar in
            let isSeen = ![.control, .format].contains(scalar.properties.generalCategory)
            shown += isSeen ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private var date: String {
        guard let seconds = claims?["iat"]?.int, 0..<Self.lastSecond ~= Int64(seconds) else { return "" }
        return " (\(WallTime(milliseconds: Int64(seconds) * 1_000).iso8601))"
    }

    /// The year 2262, where nanoseconds of 64 bits end.
    private static let lastSecond: Int64 = 9_223_372_036

    private var wrongPart: String? {
        zip(["header", "claims part", "signature"], parts).first { Base64URL.decode(String($0.1)) == nil }?.0
    }

    private var signatureLength: Int? { parts.count == 3 ? Base64URL.decode(String(parts[2]))?.count : nil }
}
