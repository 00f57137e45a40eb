// A request that somebody made to a relay while PushRig stood between them, and its answer.

import Basics

struct ObservedCall {
    /// Where a value stands in a request.
    enum Place: Hashable {
        /// The nth segment of the path, from 0.
        case path(Int)
        case query(String)
        case header(String)
        /// An RFC 6901 pointer into a body of JSON.
        case json(String)
        case form(String)
        /// The whole body.
        case text

        /// A header that says who calls.
        var isCredential: Bool {
            guard case .header(let name) = self else { return false }
            return ["authorization", "cookie", "key", "token", "secret", "signature"].contains { name.hasSuffix($0) }
        }

        /// The last key that leads there, in lower case; empty where there is none.
        var key: String {
            switch self {
            case .path, .text: ""
            case .query(let name), .header(let name), .form(let name): name.lowercased()
            case .json(let pointer):
                (pointer.split(separator: "/").last { !$0.allSatisfy(\.isNumber) } ?? "").lowercased()
            }
        }
    }

    /// How long a body and an answer are noted, in bytes.
    static let mostBytes = 65_536

    var method: String
    /// With its query.
    var path: String
    /// In the order of the request, names in lower case.
    var headers: [(name: String, value: String)]
    var body: String
    /// 0: none.
    var status: Int
    var answer: String
    var sentAt: Instant
    var answeredAt: Instant
    var sentWall: WallTime

    /// Fields that a client's library writes by itself.
    private static let usual: Set<String> = [
        "host", "connection", "content-length", "accept", "accept-encoding", "accept-language", "user-agent",
        "transfer-encoding", "expect", "te", "keep-alive", "sec-fetch-mode", "origin", "referer", "upgrade-insecure-requests",
    ]

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    var ownHeaders: [(name: String, value: String)] {
        headers.filter { !Self.usual.contains($0.name) && !$0.name.hasPrefix(":") && !$0.name.hasPrefix("sec-") }
    }

    var json: JSONValue? {
        guard let value = try? JSONValue(parsing: body), value.object != nil || value.array != nil else { return nil }
        return value
    }
    var isForm: Bool { header("content-type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false }
    var pathParts: [String] {
        path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { FormText.decoded($0.replacing("+", with: "%2B")[...]) }
    }
    var queryText: String? { path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } }

    /// It cannot stand in a profile: something in it looks like a variable of ours, or is no text.
    var isUnreadable: Bool {
        let lines = "\t\r\n".unicodeScalars
        let isBinary = body.unicodeScalars.contains { $0 == "\u{FFFD}" || $0.value < 32 && !lines.contains($0) }
        return isBinary || path.contains("{{") || body.contains("{{") || ownHeaders.contains { $0.value.contains("{{") }
    }

    /// All texts of the request.
    var values: [(place: Place, text: String)] {
        var values: [(place: Place, text: String)] = pathParts.enumerated().map { (.path($0), $1) }
        values += (queryText.flatMap(FormText.fields) ?? []).map { (.query($0), $1) }
        values += ownHeaders.filter { $0.name != "content-type" }.map { (.header($0.name), $0.value) }
        if let json {
            values += json.texts.map { (.json($0.pointer), $0.text) }
        } else if isForm, let fields = FormText.fields(body) {
            values += fields.map { (.form($0), $1) }
        } else if !body.isEmpty {
            values.append((.text, body))
        }
        return values
    }

    /// Its texts, and what stands at the end of each.
    var parts: [(place: Place, text: String)] {
        values.flatMap { place, text in [(place, text)] + Self.inner(text).map { (place, $0.text) } }
    }

    /// What stands behind a blank, a dot, a colon or a slash in a text, the longest first.
    static func inner(_ text: String) -> [(start: String.Index, text: String)] {
        guard text.utf8.count <= 1_024 else { return [] }
        return text.indices.filter { " .:/".contains(text[$0]) }.map { text.index(after: $0) }
            .map { ($0, String(text[$0...])) }.filter { $0.text.utf8.count >= 6 }
    }
}
