// From text with {{variables}} to segments. Inside a JSON tree the shape stays the file's own and only strings are
// filled; `{{name|json}}` alone in a string becomes the value itself, `{{name|optional}}` too, but leaves its member
// out when the value is null.

import Basics
import YAML

/// Compiles the templates of one call and remembers which variables they used.
struct TemplateCompiler {
    /// The call's own variables; `.own(i)` is the i-th.
    let ownNames: [String]
    /// What the profile's calls capture; `.captured(i)` is the i-th.
    let capturedNames: [String]
    /// Columns of feeders; `.fed(i)` is the i-th, written `{{feed.NAME}}`.
    let feeds: [String]
    let mistakes: Mistakes
    var used: Set<TemplateVariable> = []

    init(ownNames: [String], capturedNames: [String] = [], feeds: [String] = [], mistakes: Mistakes) {
        self.ownNames = ownNames
        self.capturedNames = capturedNames
        self.feeds = feeds
        self.mistakes = mistakes
    }

    static let builtIn =
        SessionVariable.ofCalls.map(\.rawValue) + EventVariable.allCases.map(\.rawValue) + ["now"]

    enum Piece {
        case text(Substring)
        /// How it stands there, and what is made of it first.
        case variable(TemplateVariable, Filter?, TemplateFilters?)
    }

    /// Plain text: a path (`encoding: .url`), a header or a body (`.raw`).
    mutating func compile(text: String, encoding: TemplateEncoding, at place: YAMLPlace) -> Template {
        var output = Segments()
        for piece in pieces(of: text, at: place) {
            switch piece {
            case .text(let text): output.append(String(text))
            case .variable(let variable, let filter, let filters):
                if filter == .optional { misplaced(filter!, at: place) }
                output.append(Self.segment(variable, filters, Self.encoding(of: filter) ?? encoding))
            }
        }
        return Template(segments: output.finished())
    }

    /// A tree that renders as compact JSON.
    mutating func compile(json node: YAMLNode) -> Template {
        var output = Segments()
        append(node, to: &output)
        return Template(segments: output.finished())
    }

    private mutating func append(_ node: YAMLNode, to output: inout Segments) {
        switch node.content {
        case .scalar(let text, _):
            guard case .string = node.plainValue else { return output.append(node.json.text) }
            append(string: text, at: node.place, to: &output)
        case .sequence(let items):
            output.append("[")
            for (index, item) in items.enumerated() {
                if index > 0 { output.append(",") }
                append(item, to: &output)
            }
            output.append("]")
        case .mapping(let entries):
            guard let inner = Self.jsonText(entries) else { return append(entries, at: node.place, to: &output) }
            output.append(.quoted(compile(json: inner).segments, .jsonValue))
        }
    }

    /// What is written as text: the tree of `{ jsonText: … }`, a mapping with this one key.
    static func jsonText(_ entries: [YAMLEntry]) -> YAMLNode? {
        entries.count == 1 && entries[0].key == "jsonText" ? entries[0].value : nil
    }

    /// An optional member brings the comma that parts it from the members that are always there: in front when one of
    /// those has come already, behind when not.
    private mutating func append(_ entries: [YAMLEntry], at place: YAMLPlace, to output: inout Segments) {
        let optionals = entries.map { optionalVariable($0.value) }
        if !entries.isEmpty, optionals.allSatisfy({ $0 != nil }) {
            mistakes.add(
                "an object needs a member that is always there", hint: "use `|json` for one of them", at: place)
        }
        output.append("{")
        var hasFixedMember = false
        for (entry, optional) in zip(entries, optionals) {
            let key = JSONValue.string(entry.key).text + ":"
            if let optional {
                used.insert(optional.variable)
                let value = Self.segment(optional.variable, optional.filters, .jsonValue)
                output.append(
                    .optional(
                        optional.variable,
                        hasFixedMember
                            ? [.literal(Array(("," + key).utf8)), value] : [.literal(Array(key.utf8)), value, .literal([44])]))
            } else {
                if hasFixedMember { output.append(",") }
                output.append(key)
                append(entry.value, to: &output)
                hasFixedMember = true
            }
        }
        output.append("}")
    }

    private mutating func append(string text: String, at place: YAMLPlace, to output: inout Segments) {
        let pieces = pieces(of: text, at: place)
        if pieces.count == 1, case .variable(let variable, let filter, let filters) = pieces[0],
            filter == .json || filter == nil && filters?.isNumber == true
        {
            return output.append(Self.segment(variable, filters, .jsonValue))
        }
        output.append("\"")
        for piece in pieces {
            switch piece {
            case .text(let text): output.append(String(JSONValue.string(String(text)).text.dropFirst().dropLast()))
            case .variable(let variable, let filter, let filters):
                if let filter { misplaced(filter, at: place) }
                output.append(Self.segment(variable, filters, .jsonString))
            }
        }
        output.append("\"")
    }

    static func segment(
        _ variable: TemplateVariable, _ filters: TemplateFilters?, _ encoding: TemplateEncoding
    ) -> TemplateSegment {
        filters.map { .filtered(variable, $0, encoding) } ?? .variable(variable, encoding)
    }

    func misplaced(_ filter: Filter, at place: YAMLPlace) {
        let hint =
            switch filter {
            case .json: "inside a longer string leave `|json` out"
            case .optional: "`|optional` is for the whole value of a member of a JSON object"
            case .raw, .url: "in JSON a variable needs no such filter"
            }
        mistakes.add("`|\(filter.rawValue)` does not fit here", hint: hint, at: place)
    }

    /// The variable of a value that is `{{name|optional}}` and nothing else, with what is made of it first.
    func optionalVariable(_ node: YAMLNode) -> (variable: TemplateVariable, filters: TemplateFilters?)? {
        guard case .scalar(let text, _) = node.content, text.hasPrefix("{{"), text.hasSuffix("|optional}}") else { return nil }
        let inside = text.dropFirst(2).dropLast(2)
        guard !inside.contains("{"), let name = inside.split(separator: "|").first?.trimmed,
            variable(named: String(name)) != nil
        else { return nil }
        var own = self
        guard case .variable(let variable, .optional, let filters)? = own.variablePiece(inside, at: node.place)
        else { return nil }
        return (variable, filters)
    }

    static func encoding(of filter: Filter?) -> TemplateEncoding? {
        switch filter {
        case .json, .optional: .jsonValue
        case .raw: .raw
        case .url: .url
        case nil: nil
        }
    }

    mutating func pieces(of text: String, at place: YAMLPlace) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { pieces.append(.text(rest[..<open.lowerBound])) }
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                mistakes.add("`{{` is never closed", hint: "write `{{name}}`", at: place)
                return pieces
            }
            if let piece = variablePiece(rest[..<close.lowerBound], at: place) { pieces.append(piece) }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.text(rest)) }
        return pieces
    }

    func variable(named name: String) -> TemplateVariable? {
        if let index = ownNames.firstIndex(of: name) { return .own(index) }
        if let index = capturedNames.firstIndex(of: name) { return .captured(index) }
        if name.hasPrefix(FeedNames.prefix) {
            return feeds.firstIndex(of: String(name.dropFirst(FeedNames.prefix.count))).map { .fed($0) }
        }
        if let variable = SessionVariable(rawValue: name), SessionVariable.ofCalls.contains(variable) {
            return .session(variable)
        }
        return EventVariable(rawValue: name).map { .event($0) }
    }
}

/// Segments being put together; neighbouring literals grow into one.
struct Segments {
    private var segments: [TemplateSegment] = []

    mutating func append(_ text: String) {
        if case .literal(let bytes) = segments.last {
            segments[segments.count - 1] = .literal(bytes + Array(text.utf8))
        } else if !text.isEmpty {
            segments.append(.literal(Array(text.utf8)))
        }
    }

    mutating func append(_ segment: TemplateSegment) {
        if case .literal(let bytes) = segment { return append(String(decoding: bytes, as: UTF8.self)) }
        segments.append(segment)
    }

    func finished() -> [TemplateSegment] { segments }
}

extension Substring {
    /// Without blanks at either end.
    var trimmed: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text = text.dropLast() }
        return text
    }
}
