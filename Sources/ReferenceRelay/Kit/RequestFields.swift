// The members of a body that comes in. Anything that does not fit its schema is refused as a whole (R0.31); members that
// nobody asks for are ignored.

import Basics
import Pushes
import TLS

/// Where Apple's time begins.
enum ReferenceDate {
    /// From 1970 to 2001.
    static let seconds: Int64 = 978_307_200
}

/// The members of one body.
struct RequestFields {
    let object: JSONObject

    init(_ body: Span<UInt8>) throws(InvalidBody) {
        guard case .object(let object)? = try? JSONValue(parsing: body, maxDepth: 16) else { throw InvalidBody() }
        self.object = object
    }

    /// Those of an object within a body.
    init(_ object: JSONObject) { self.object = object }

    /// A string of at least one character.
    func text(_ key: String) throws(InvalidBody) -> String {
        guard let text = try optionalText(key) else { throw InvalidBody() }
        return text
    }

    func optionalText(_ key: String) throws(InvalidBody) -> String? {
        guard let value = object[key] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else { throw InvalidBody() }
        return text
    }

    /// Any string, the empty one as well; of so many bytes.
    func string(_ key: String, _ bytes: ClosedRange<Int> = 0...RelayService.bodyBytesMax) throws(InvalidBody) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string, bytes.contains(text.utf8.count) else { throw InvalidBody() }
        return text
    }

    /// A string, or null, which takes the text away: nil within.
    func clearable(_ key: String) throws(InvalidBody) -> String?? {
        guard let value = object[key] else { return nil }
        guard value.isNull || value.string != nil else { throw InvalidBody() }
        return .some(value.string)
    }

    func flag(_ key: String) throws(InvalidBody) -> Bool? {
        guard let value = object[key] else { return nil }
        guard let flag = value.bool else { throw InvalidBody() }
        return flag
    }

    /// A whole number, not below 0.
    func count(_ key: String) throws(InvalidBody) -> Int64? {
        guard let value = object[key] else { return nil }
        guard let count = value.int, count >= 0 else { throw InvalidBody() }
        return count
    }

    func number(_ key: String, _ range: ClosedRange<Double>) throws(InvalidBody) -> Double? {
        guard let value = object[key] else { return nil }
        guard let number = value.double, range.contains(number) else { throw InvalidBody() }
        return number
    }

    /// Seconds since 2001, not before, and before 2318.
    func referenceTime(_ key: String) throws(InvalidBody) -> Double? { try number(key, 0...1e10) }

    func secret() throws(InvalidBody) -> SecretHash {
        SecretHash(digest: withBytes(of: try text("secret")) { sha256($0) })
    }

    /// What has to fit a column of 255 characters (R0.41).
    func id(_ key: String) throws(InvalidBody) -> String {
        guard let id = try optionalID(key) else { throw InvalidBody() }
        return id
    }

    func optionalID(_ key: String) throws(InvalidBody) -> String? {
        guard let id = try optionalText(key) else { return nil }
        guard id.utf8.count <= RelayLimits.idCharacters || id.unicodeScalars.count <= RelayLimits.idCharacters else {
            throw InvalidBody()
        }
        return id
    }

    func token(_ key: String) throws(InvalidBody) -> String {
        guard let token = try optionalToken(key) else { throw InvalidBody() }
        return token
    }

    /// A token becomes a path segment and a bundle id a header field: nothing in them may end the one or the other.
    /// An optional token that is null is absent: a phone that has none yet says so (R0.44).
    func optionalToken(_ key: String) throws(InvalidBody) -> String? {
        if object[key] == .null { return nil }
        guard let token = try optionalID(key) else { return nil }
        let isPlain = token.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard isPlain else { throw InvalidBody() }
        return token
    }

    func bundleID() throws(InvalidBody) -> String? {
        if object["bundleId"] == .null { throw InvalidBody() }
        return try optionalToken("bundleId")
    }

    func environment() throws(InvalidBody) -> PushEnvironment? {
        guard let word = try optionalText("apnsEnv") else { return nil }
        guard let environment = PushEnvironment(word: word) else { throw InvalidBody() }
        return environment
    }
}
