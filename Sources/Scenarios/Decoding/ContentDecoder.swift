// The keys of a profile that speak of content: `schemas`, `passes` and `truncates`.

import Basics
import Pushes
import Schemas
import YAML

struct ContentDecoder {
    let files: FileFinder
    let mistakes: Mistakes

    /// `bodies`: the JSON trees of the calls, for pointers that lead into them.
    func content(_ fields: Fields, bodies: [JSONValue]) throws(Failure) -> ContentSpec {
        var content = ContentSpec()
        if let node = fields.value("schemas"), let inner = Fields(node, .schemas, mistakes) {
            if let node = inner.value("contentState") { content.contentState = try schema(node, "contentState") }
            if let node = inner.value("attributes") { content.attributes = try schema(node, "attributes") }
            content.attributesType = inner.text("attributesType")
            checkApps(content, inner)
        }
        content.passes = passes(fields, bodies: bodies)
        if fields.value("messageEvent") != nil { content.messageEvent = pointer(fields, "messageEvent") }
        for entry in fields.entries("truncates") {
            guard let at = pointer(entry.key, at: entry.keyPlace) else { continue }
            guard let length = entry.value.plainValue?.int, 1...1_000_000 ~= length else {
                mistakes.add(
                    "`truncates` gives a number of characters for each text, not \(entry.value.kindInWords)",
                    hint: "such as `\(entry.key): 120`", at: entry.value.place)
                continue
            }
            content.truncations.append(Truncation(at: at, length: Int(length)))
        }
        return content
    }

    /// The list `passes` of a profile or a call.
    func passes(_ fields: Fields, bodies: [JSONValue]) -> [PassRule] {
        fields.items("passes").compactMap { node in
            guard let inner = Fields(node, .pass, mistakes), let at = pointer(inner, "at"),
                let source = source(inner, at: node.place, bodies: bodies)
            else { return nil }
            let told: PushChannel? = inner.choice("channel")
            let events: Set<ActivityEvent> = inner.words("event")
            let channel: PushType? = if case .apns(let type) = told { type } else { nil }
            if !events.isEmpty, let channel, channel != .liveactivity {
                mistakes.add(
                    "only a liveactivity push has an `event`", hint: "strike it", at: inner.value("event")!.place)
            }
            var rule = PassRule(channel: channel, events: events, at: at, source)
            rule.provider = told?.provider ?? .apns
            return rule
        }
    }

    /// 1970 and 2001 in seconds since 1970, as programs count times.
    private static let epochs: [Int64: Int64] = [1970: 0, 2001: 978_307_200]

    /// A number of seconds since a year, which is the time.
    private func clock(_ fields: Fields, _ node: YAMLNode) -> PassRule.Source? {
        let within = fields.duration("within", .milliseconds(1)...Fields.longest) ?? .seconds(60)
        if let year = node.plainValue?.int, let epoch = Self.epochs[year] { return .clock(epoch: epoch, within: within) }
        mistakes.add(
            "`now` is the year from which the seconds count, not \(node.kindInWords)", hint: "1970 or 2001", at: node.place)
        return nil
    }

    /// `from`, `is` or `now`, one of the three.
    private func source(_ fields: Fields, at place: YAMLPlace, bodies: [JSONValue]) -> PassRule.Source? {
        if let node = fields.value("now"), fields.value("from") == nil, fields.value("is") == nil { return clock(fields, node) }
        if let within = fields.value("within") {
            mistakes.add("`within` goes with `now` only", hint: "strike it", at: within.place)
        }
        switch (fields.value("from"), fields.value("is")) {
        case _ where fields.value("now") != nil: break
        case (let node?, nil):
            guard let from = pointer(fields, "from") else { return nil }
            check(from, leadsInto: bodies, at: node.place)
            return .body(from)
        case (nil, let node?): return .fixed(node.json)
        default: break
        }
        mistakes.add(
            "a passage has either `from` or `is`, or `now`",
            hint: "`from: /contentState` for a value of the call's body, `is: working` for one that is always the same, "
                + "`now: 2001` for the time", at: place)
        return nil
    }

    func check(_ from: JSONPointerPath, leadsInto bodies: [JSONValue], at place: YAMLPlace) {
        let said = bodies.compactMap { $0.at(pointer: from.text) }
        if said.contains(where: Self.saysTime) {
            mistakes.add(
                "what stands at `\(from.text)` says `{{now}}`, which the judge does not know",
                hint: "name the members beside it one by one, and `now: 1970` for the time", at: place)
        }
        guard said.isEmpty else { return }
        mistakes.add(
            "no call's `json` has anything at `\(from.text)`",
            hint: "a pointer into the call's body, such as `/contentState`", at: place)
    }

    private static func saysTime(_ value: JSONValue) -> Bool {
        let text = value.text.split(separator: " ").joined()
        return ["{{now}", "{{now|", "{{now+", "{{now-"].contains { text.contains($0) }
    }

    func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let node = fields.value(key) else { return nil }
        guard let text = fields.text(key) else { return nil }
        return pointer(text, at: node.place)
    }

    func pointer(_ text: String, at place: YAMLPlace) -> JSONPointerPath? {
        if let path = JSONPointerPath(text), !text.isEmpty { return path }
        mistakes.add(
            "`\(text)` is no JSON pointer", hint: "such as `/aps/content-state/status`; ~1 is a slash in a key",
            at: place)
        return nil
    }

    /// A schema in place, or the name of its file.
    private func schema(_ node: YAMLNode, _ key: String) throws(Failure) -> Schema? {
        do throws(Failure) {
            switch node.content {
            case .mapping:
                var file = Self.file(node)
                file.name = node.place.description
                return try Schema(file, resolve: resolver(of: node.place.file))
            case .scalar(let name, _) where !name.isEmpty:
                let file = try file(name, namedIn: node.place.file)
                return try Schema(file, resolve: resolver(of: file.name))
            default:
                mistakes.add(
                    "`\(key)` must be the name of a schema file, not \(node.kindInWords)",
                    hint: "such as `\(key): ../schemas/opencode-a.content-state.json`", at: node.place)
            }
        } catch {
            var mistake = error
            if mistake.place == nil { mistake.place = node.place.description }
            mistakes.add(mistake)
        }
        return nil
    }

    /// The two schemas are of one type of one app, and the card of one shows what the other has.
    private func checkApps(_ content: ContentSpec, _ fields: Fields) {
        if let mistake = content.contentState?.cardMistake(attributes: content.attributes) { mistakes.add(mistake) }
        let (state, attributes) = (content.contentState?.app, content.attributes?.app)
        if let state, let attributes, !state.isSame(as: attributes) {
            mistakes.add(
                Failure(
                    .usage, "the content-state is of \(state.words), the attributes are of \(attributes.words)",
                    hint: "name two files of one type and version", place: fields.value("attributes")?.place.description))
        }
        if let app = state ?? attributes, let wanted = content.attributesType, wanted != app.attributesType {
            mistakes.add(
                Failure(
                    .usage, "`attributesType` is \(wanted), and the schemas are of \(app.words)",
                    hint: "write `attributesType: \(app.attributesType)`, or name other schemas",
                    place: fields.value("attributesType")?.place.description))
        }
    }

    private func resolver(of path: String) -> Schema.Resolver {
        { (name) throws(Failure) in try file(name, namedIn: path) }
    }

    private static func file(_ node: YAMLNode) -> SchemaFile {
        SchemaFile(name: node.place.file, tree: node.json) { pointer in
            let (nearest, entry) = node.nearest(toPointer: pointer)
            return (entry?.keyPlace ?? nearest.place).description
        }
    }

    /// JSON, or YAML by its ending.
    private func file(_ name: String, namedIn path: String) throws(Failure) -> SchemaFile {
        let source = try files.read(name, namedIn: path)
        if source.path.hasSuffix(".yaml") || source.path.hasSuffix(".yml") {
            return Self.file(try YAMLNode.parse(text: source.text, file: source.path))
        }
        do {
            return try SchemaFile(name: source.path, parsing: source.text)
        } catch {
            throw Failure(
                .usage, error.message, hint: "the schema file must be JSON, or YAML with the ending .yaml",
                place: "\(source.path):\(error.line):\(error.column)")
        }
    }
}
