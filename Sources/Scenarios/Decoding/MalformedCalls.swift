// Malformed forms of a profile's calls: the same request with one thing wrong in it. They are made of the calls as the profile
// writes them, so that each call of each profile has its own.

import Basics
import YAML

struct MalformedCalls {
    /// Reads a form as it reads the call. What is wrong with a form is not the profile's mistake.
    private let decoder: CallDecoder
    /// Of one call, and of a profile, at most.
    static let (most, mostOfProfile) = (500, 20_000)
    /// Keys and items that lead to a value, at most.
    private static let deepest = 6
    /// Stands where something else will: unreserved letters, so that no encoding changes it.
    private static let filler = "~~malformed~~"
    private static let (empty, absent) = ("empty", "absent")
    /// Forms that say nothing in the place of something.
    private static let omissions: Set<String> = [empty, absent, "null", "[]", "{}"]
    private static let long = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    private static let longInHead = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)

    /// What takes the place of a value of JSON.
    private static let values: [(name: String, bytes: [UInt8])] =
        ["null", "0", "7", "true", "[]", "{}", "{\"$ne\":null}", "\"%\"", "1e999"].map { ($0, Array($0.utf8)) }
        + [
            (empty, Array("\"\"".utf8)), ("NUL", Array(#""\u0000""#.utf8)), ("half-a-surrogate", Array(#""\ud800""#.utf8)),
            ("64KiB", [UInt8(ascii: "\"")] + long + [UInt8(ascii: "\"")]),
        ]
    /// What takes the place of a percent-encoded text, and of one as it is.
    private static let encoded: [(name: String, bytes: [UInt8])] = [
        (empty, []), ("NUL", Array("%00".utf8)), ("no-UTF-8", Array("%FF".utf8)), ("4KiB", longInHead),
    ]
    private static let raw: [(name: String, bytes: [UInt8])] = [
        (empty, []), ("NUL", [0]), ("no-UTF-8", [0xFF, 0xFE]), ("64KiB", long),
    ]
    /// What takes the place of a whole body of JSON.
    private static let bodies: [(name: String, bytes: [UInt8])] =
        ["null", "7", "[]", "{}", "\"text\"", "{", "{\"a\":1,}", "[1"].map { ($0, Array($0.utf8)) }
        + [
            (empty, []),
            ("no-UTF-8", Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8)),
            ("deep", [UInt8](repeating: UInt8(ascii: "["), count: 20_000)),
        ]
    private static let contentTypes = ["", "text/plain", "application/json; charset=utf-16"]
    /// What a form does not promise, whatever its call does.
    private static let struck: Set<String> = [
        "pushes", "tells", "captures", "lacks", "final", "passes", "sets", "answers", "expect", "prepares", "declares",
    ]

    init(_ decoder: CallDecoder) {
        var decoder = decoder
        decoder.mistakes = Mistakes()
        self.decoder = decoder
    }

    /// Forms of the call, in a fixed order.
    func forms(of call: ProfileCall, as entry: YAMLEntry, number: Int) -> [ProfileCall] {
        guard call.hasMalformedForms, case .mapping(let entries) = entry.value.content else { return [] }
        let node = YAMLNode(.mapping(entries.filter { !Self.struck.contains($0.key) }), at: entry.value.place)
        guard let plain = read(node, entry) else { return [] }
        var forms: [ProfileCall] = []
        func add(_ place: String, _ word: String, _ form: ProfileCall?) {
            guard var form, forms.count < Self.most else { return }
            form.name = "\(call.name):\(place)=\(word)"
            form.malformed = ProfileCall.Malformation(of: number, isOmission: Self.omissions.contains(word))
            form.expectedStatus = Set(200..<500)
            form.registers = Set(call.registers + call.pushes.map(\.token)).sorted { $0.place < $1.place }
            form.unregisters = []
            (form.pushes, form.tells, form.answers) = ([], [], [])
            forms.append(form)
        }
        for place in node["json"].map(Self.places) ?? [] {
            let pointer = place.map { "/\($0)" }.joined()
            let filled = read(node.replacing("json", by: node["json"]!.put(Self.filler, at: place[...])), entry)
            let quoted = Array("\"\(Self.filler)\"".utf8)
            let lawful = Self.lawful(node["json"]!, at: place[...])
            for value in Self.values where !lawful.contains(value.name) {
                add(pointer, value.name, filled?.with(value.bytes, for: quoted))
            }
            let without = node["json"]!.without(place[...])
            add(pointer, Self.absent, read(node.replacing("json", by: without), entry))
        }
        for key in ["form", "multipart", "query"] {
            guard case .mapping(let fields)? = node[key]?.content else { continue }
            for field in fields {
                let filled = read(node.replacing(key, by: node[key]!.put(Self.filler, at: [field.key])), entry)
                for value in key == "multipart" ? Self.raw : Self.encoded {
                    add("\(key)/\(field.key)", value.name, filled?.with(value.bytes, for: Array(Self.filler.utf8)))
                }
                guard fields.count > 1 else { continue }
                add("\(key)/\(field.key)", Self.absent, read(node.replacing(key, by: node[key]!.without([field.key])), entry))
            }
        }
        if case .scalar(let path, _)? = node["path"]?.content {
            for (place, text) in Self.paths(path) {
                let form = read(node.replacing("path", by: YAMLNode(.scalar(text, quoted: true), at: node.place)), entry)
                for value in Self.encoded { add(place, value.name, form?.with(value.bytes, for: Array(Self.filler.utf8))) }
            }
        }
        for index in plain.fields.indices {
            let name = plain.fields[index].name
            func put(_ word: String, _ bytes: [UInt8]) {
                var form = plain
                form.fields[index].value = Template(segments: [.literal(bytes)])
                add("header/\(name)", word, form)
            }
            if name == "content-type" {
                for type in Self.contentTypes where plain.multipart == nil {
                    put(type.isEmpty ? Self.empty : type, Array(type.utf8))
                }
            } else {
                put(Self.empty, [])
                put("4KiB", Self.longInHead)
                put("no-UTF-8", [0xE9])
            }
        }
        for body in plain.body == nil ? [] : node["json"] != nil ? Self.bodies : Self.raw {
            var form = plain
            (form.body, form.saying, form.multipart) = (Template(segments: [.literal(body.bytes)]), nil, nil)
            add("body", body.name, form)
        }
        return forms
    }

    private func read(_ node: YAMLNode, _ entry: YAMLEntry) -> ProfileCall? {
        decoder.call(YAMLEntry(key: entry.key, keyPlace: entry.keyPlace, value: node))
    }

    /// The path with the filler in the place of each part that holds a variable, and of each value of its query that does.
    private static func paths(_ path: String) -> [(place: String, text: String)] {
        let end = path.firstIndex(of: "?") ?? path.endIndex
        func filled(_ text: Substring, _ separator: Character, _ change: (Substring) -> String?) -> [(Int, String)] {
            let parts = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
            return parts.indices.compactMap { index in
                guard parts[index].contains("{{"), let changed = change(parts[index][...]) else { return nil }
                var parts = parts
                parts[index] = changed
                return (index, parts.joined(separator: String(separator)))
            }
        }
        let steps = filled(path[..<end], "/") { _ in filler }.map { ("path/\($0)", $1 + path[end...]) }
        let query = path[end...].dropFirst()
        let pairs = filled(query, "&") { pair in pair.firstIndex(of: "=").map { pair[...$0] + filler } }
        return steps + pairs.map { ("query/\($0)", path[..<end] + "?" + $1) }
    }

    /// Values that the call itself may say where it says a number, true or false.
    private static func lawful(_ tree: YAMLNode, at way: ArraySlice<String>) -> [String] {
        var node = tree
        for step in way { node = node.members.first { $0.key == step }?.value ?? node }
        return switch node.plainValue {
        case .bool: ["true"]
        case .integer, .number: ["0", "7"]
        default: []
        }
    }

    /// Ways to all values of a tree but the whole, by keys and places in lists.
    private static func places(in node: YAMLNode) -> [[String]] {
        func inner(_ node: YAMLNode, _ way: [String]) -> [[String]] {
            guard way.count < deepest else { return [] }
            return node.members.flatMap { key, value in [way + [key]] + inner(value, way + [key]) }
        }
        return inner(node, [])
    }
}

extension ProfileCall {
    /// Made in good order, by somebody who is known, and to be taken.
    package var isUsual: Bool {
        isForCases && !isStale && !isUnknown && !isOversized && malformed == nil && expectedStatus.contains { 200..<300 ~= $0 }
    }

    /// There are none of a call that shares its requests with others, that is to be refused, or that says nothing.
    package var hasMalformedForms: Bool {
        let saysSomething = body != nil || !fields.isEmpty || path.segments.count > 1
        return isUsual && batch == nil && saysSomething
    }

    /// With other bytes in the place of `filler`.
    fileprivate func with(_ bytes: [UInt8], for filler: [UInt8]) -> ProfileCall {
        var call = self
        call.path.segments = path.segments.map { $0.replacing(filler, with: bytes) }
        call.body?.segments = (body?.segments ?? []).map { $0.replacing(filler, with: bytes) }
        call.saying = nil
        return call
    }
}

extension TemplateSegment {
    fileprivate func replacing(_ filler: [UInt8], with bytes: [UInt8]) -> TemplateSegment {
        func inside(_ segments: [TemplateSegment]) -> [TemplateSegment] { segments.map { $0.replacing(filler, with: bytes) } }
        switch self {
        case .literal(let text): return .literal(text.replacing(filler, with: bytes))
        case .variable, .filtered: return self
        case .quoted(let segments, let encoding): return .quoted(inside(segments), encoding)
        case .optional(let variable, let segments): return .optional(variable, inside(segments))
        case .list(let opening, let separator, let items):
            return .list(
                opening: opening, separator: separator,
                items.map { TemplateItem(condition: $0.condition, segments: inside($0.segments)) })
        }
    }
}

extension YAMLNode {
    /// Of a mapping or a list, by key or place.
    fileprivate var members: [(key: String, value: YAMLNode)] {
        switch content {
        case .scalar: []
        case .sequence(let items): items.enumerated().map { ("\($0)", $1) }
        case .mapping(let entries): entries.map { ($0.key, $0.value) }
        }
    }

    /// The tree with a text where `way` leads.
    fileprivate func put(_ text: String, at way: ArraySlice<String>) -> YAMLNode {
        changing(way) { YAMLNode(.scalar(text, quoted: true), at: $0.place) }!
    }

    /// The tree without what `way`, which is not empty, leads to.
    fileprivate func without(_ way: ArraySlice<String>) -> YAMLNode { changing(way) { _ in nil }! }

    private func changing(_ way: ArraySlice<String>, _ change: (YAMLNode) -> YAMLNode?) -> YAMLNode? {
        guard let step = way.first else { return change(self) }
        func changed(_ node: YAMLNode) -> YAMLNode? { node.changing(way.dropFirst(), change) }
        switch content {
        case .scalar: return self
        case .sequence(let items):
            return YAMLNode(
                .sequence(items.enumerated().compactMap { "\($0)" == step ? changed($1) : $1 }), at: place)
        case .mapping(let entries):
            let inner = entries.compactMap { entry in
                entry.key != step
                    ? entry : changed(entry.value).map { YAMLEntry(key: entry.key, keyPlace: entry.keyPlace, value: $0) }
            }
            return YAMLNode(.mapping(inner), at: place)
        }
    }

    /// A mapping with another value of that key.
    fileprivate func replacing(_ key: String, by value: YAMLNode) -> YAMLNode { changing([key]) { _ in value }! }
}
