// What the apps on virtual phones decode: schemas by number, and the decoder that each loop has of them. Devices know no
// schema, so they are given the decoder.

import Basics
import Devices
import Pushes
package import Schemas
import Synchronization

/// What one version of an app decodes.
package struct AppSchema: Sendable {
    /// The `attributes-type` that a start names, spelled as the Swift type; nil: any.
    var attributesType: String?
    var attributes: Schema?
    var contentState: Schema?
    /// As it was given.
    var json: JSONValue

    init(json: JSONValue) { self.json = json }

    /// Shown by the names of its schemas.
    package init(attributesType: String?, attributes: Schema?, contentState: Schema?) {
        func reference(_ schema: Schema?) -> JSONValue { schema.map { ["$ref": .string($0.name)] } ?? .null }
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        json = [
            "attributesType": attributesType.map { .string($0) } ?? .null, "attributes": reference(attributes),
            "contentState": reference(contentState),
        ]
    }
}

/// The schemas that apps have been set up with, numbers from 1. Safe to use from any thread.
final class PhoneSchemas: Sendable {
    static let limit = 1024

    private let state = Mutex<[AppSchema]>([])

    subscript(number: UInt16) -> AppSchema? {
        state.withLock { number > 0 && Int(number) <= $0.count ? $0[Int(number) - 1] : nil }
    }

    /// The number of a schema, which it keeps; the same text has the same one. Nil: there are too many.
    func number(of schema: AppSchema) -> UInt16? {
        state.withLock { known in
            if let place = known.firstIndex(where: { $0.json == schema.json }) { return UInt16(place + 1) }
            guard known.count < Self.limit else { return nil }
            known.append(schema)
            return UInt16(known.count)
        }
    }
}

/// One loop's decoder, which other threads ask too about pushes that were stored. Safe to use from any thread.
final class SchemaDecoder: PhoneDecoder {
    private let checkers: Mutex<SchemaCheckers>

    init(_ schemas: PhoneSchemas) { checkers = Mutex(SchemaCheckers(schemas)) }

    func mistake(schema: UInt16, event: ActivityEvent, payload: Span<UInt8>) -> String? {
        checkers.withLock { $0.mistake(schema: schema, event: event, payload: payload) }
    }
}

/// Checkers of the schemas by number, made when first asked for.
private struct SchemaCheckers: ~Copyable {
    private struct App {
        var attributesType: String?
        var attributes: SchemaChecker?
        var contentState: SchemaChecker?
    }

    private let schemas: PhoneSchemas
    private var apps: [UInt16: App] = [:]
    private let scanner = JSONScanner(maxDepth: 128, maxNodes: 16_384)

    init(_ schemas: PhoneSchemas) { self.schemas = schemas }

    mutating func mistake(schema: UInt16, event: ActivityEvent, payload: Span<UInt8>) -> String? {
        guard let app = app(schema) else { return nil }
        guard scanner.scan(payload) == nil, let aps = scanner.member("aps", of: 0) else { return "not JSON" }
        if event == .start {
            let type = scanner.member("attributes-type", of: aps).flatMap { scanner.string($0) } ?? ""
            if let known = app.attributesType, type != known {
                return "attributes-type is \"\(type)\", and the app has \"\(known)\""
            }
            if let mistake = mistake("attributes", of: aps, app.attributes) { return mistake }
        }
        return mistake("content-state", of: aps, app.contentState)
    }

    private func mistake(_ member: StaticString, of aps: Int, _ checker: SchemaChecker?) -> String? {
        guard let checker, let node = scanner.member(member, of: aps) else { return nil }
        guard let finding = checker.check(node, of: scanner, at: "").doesNotDecode.first else { return nil }
        let place = finding.pointer.isEmpty ? "" : "\(member)\(finding.pointer) "
        let missing = "lacks the key "
        if finding.reason.hasPrefix(missing) {
            let key = "missing key " + finding.reason.dropFirst(missing.count)
            return finding.pointer.isEmpty ? key : "\(key) in \(member)\(finding.pointer)"
        }
        return (place.isEmpty ? "\(member) " : place) + finding.reason
    }

    private mutating func app(_ number: UInt16) -> App? {
        if let made = apps[number] { return made }
        guard let schema = schemas[number] else { return nil }
        let made = App(
            attributesType: schema.attributesType, attributes: schema.attributes.map { SchemaChecker($0) },
            contentState: schema.contentState.map { SchemaChecker($0) })
        apps[number] = made
        return made
    }
}
