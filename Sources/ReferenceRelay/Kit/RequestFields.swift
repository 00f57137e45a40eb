// The members of a body that comes in. Anything that does not fit its schema is refused as a whole (R0.31); members that
// nobody asks for are ignored.

import Basics
import Pushes
import TLS

/// The members of one body.
struct RequestFields {
    let object: JSONObject

    init(_ body: Span<UInt8>) throws(InvalidBody) {
        guard case .object(let object)? = try? JSONValue(parsing: body, maxDepth: 16) else { throw InvalidBody() }
        self.object = object
    }

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
