// One request of the admin API, taken apart: path segments and parameters decoded, the body read as JSON on demand.

import Basics
import HTTP
import Net

/// Something the caller of the admin API did wrong, or that the mock could not do.
struct AdminError: Error, Hashable, Sendable {
    var status: Int
    /// Kebab-case, for programs.
    var code: String
    /// One clear line, for people.
    var message: String
    var hint: String?
    /// For 405: the methods there are.
    var allow: String?

    init(_ status: Int, _ code: String, _ message: String, hint: String? = nil, allow: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.allow = allow
    }

    var json: JSONValue {
        [
            "error": [
                "code": .string(code), "message": .string(message), "hint": hint.map(JSONValue.string) ?? .null,
            ]
        ]
    }
}

struct AdminRequest {
    let method: String
    /// `/v1/tokens/ab` is `["v1", "tokens", "ab"]`.
    let segments: [String]
    private let query: [(name: String, value: String)]
    private let body: [UInt8]
    private let contentType: String?
    private let isCut: Bool

    init(_ exchange: ServerExchange, maxBodyBytes: Int) throws(AdminError) {
        let head = exchange.head
        method = head.text(":method") ?? ""
        let target = head.text(":path") ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for part in parts[0].split(separator: "/") { segments.append(try Self.decode(part)) }
        self.segments = segments
        var query: [(name: String, value: String)] = []
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? try Self.decode(sides[1], plusIsSpace: true) : ""
            query.append((try Self.decode(sides[0], plusIsSpace: true), value))
        }
        self.query = query
        let body = exchange.body
        isCut = body.count > maxBodyBytes
        self.body = isCut ? [] : body.array()
        contentType = head.text("content-type")
    }

    /// The parameters that a route knows; any other, or one given twice, is an error that names those there are.
    func parameters(_ known: [String]) throws(AdminError) -> [String: String] {
        var found: [String: String] = [:]
        for (name, value) in query {
            guard known.contains(name) else {
                let hint =
                    known.isEmpty ? "this path takes no parameters" : "there are: " + known.joined(separator: ", ")
                throw AdminError(400, "unknown-parameter", "unknown parameter '\(name)'", hint: hint)
            }
            guard found.updateValue(value, forKey: name) == nil else {
                throw AdminError(400, "repeated-parameter", "parameter '\(name)' is given twice", hint: "give it once")
            }
        }
        return found
    }

    /// The body as JSON. A form content type is let pass, because `curl -d` says so of everything.
    func json() throws(AdminError) -> JSONValue {
        if isCut { throw AdminError(413, "too-large", "the body is too large", hint: "at most 1 MiB is read") }
        if let contentType, !body.isEmpty {
            let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
            guard type == "application/json" || type == "application/x-www-form-urlencoded" else {
                throw AdminError(
                    415, "unsupported-media-type", "the body is '\(type)', not JSON",
                    hint: "send content-type: application/json")
            }
        }
        do { return try JSONValue(parsing: body.span) } catch {
            let place = body.isEmpty ? "the body is empty" : "the body is not JSON: \(error.message)"
            throw AdminError(
                400, "bad-json", place,
                hint: body.isEmpty ? "send a JSON object" : "line \(error.line), column \(error.column)")
        }
    }

    /// The body as a JSON object with no other members than these.
    func object(_ known: [String]) throws(AdminError) -> JSONObject {
        guard let object = try json().object else {
            throw AdminError(
                400, "bad-json", "the body is not a JSON object", hint: "members: " + known.joined(separator: ", "))
        }
        if let stranger = object.keys.first(where: { !known.contains($0) }) {
            throw AdminError(
                400, "unknown-member", "unknown member '\(stranger)'",
                hint: "there are: " + known.joined(separator: ", "))
        }
        return object
    }

    private static func decode(_ text: Substring, plusIsSpace: Bool = false) throws(AdminError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 0x25 {
                guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
                    throw AdminError(
                        400, "bad-path", "a % in the path is not followed by two hex digits", hint: "write %25 for %")
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
