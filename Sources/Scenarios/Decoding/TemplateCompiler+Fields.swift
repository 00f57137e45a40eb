// Bodies and queries made of named fields: a form, a query, the parts of a multipart body. A list is a field for each of
// its items, a mapping is written as JSON, and what is `{{name|optional}}` and null is left out with its name.

import Basics
import YAML

extension TemplateCompiler {
    /// Fields in one body or query, items of lists counted one by one.
    static let mostFields = 100
    static let longestFieldName = 256

    /// `name=value` with `separator` between (application/x-www-form-urlencoded, and queries). A blank is `%20`.
    mutating func compile(form entries: [YAMLEntry], opening: String = "", of key: String) -> Template {
        let items = fields(entries, of: key).map { field in
            var output = Segments()
            output.append(Self.percentEncoded(field.name) + "=")
            for segment in field.segments { output.append(Self.percentEncoded(segment)) }
            return TemplateItem(condition: field.condition, segments: output.finished())
        }
        guard !items.isEmpty else { return Template(segments: []) }
        return Template(
            segments: [.list(opening: Array(opening.utf8), separator: Array("&".utf8), items)])
    }

    /// multipart/form-data (RFC 7578), each part without a type of its own.
    mutating func compile(multipart entries: [YAMLEntry], boundary: [UInt8]) -> (Template, MultipartSpec) {
        let fields = fields(entries, of: "multipart", boundary: boundary)
        let dashes = "--" + String(decoding: boundary, as: UTF8.self)
        let items = fields.map { field in
            var output = Segments()
            let name = field.name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "%22")
            output.append("\(dashes)\r\ncontent-disposition: form-data; name=\"\(name)\"\r\n\r\n")
            for segment in field.segments { output.append(segment) }
            output.append("\r\n")
            return TemplateItem(condition: field.condition, segments: output.finished())
        }
        let template = Template(segments: [
            .list(opening: [], separator: [], items), .literal(Array("\(dashes)--\r\n".utf8)),
        ])
        return (template, MultipartSpec(boundary: boundary, conditions: fields.map(\.condition)))
    }

    private struct Field {
        var name: String
        var condition: TemplateVariable?
        var segments: [TemplateSegment]
    }

    private mutating func fields(_ entries: [YAMLEntry], of key: String, boundary: [UInt8]? = nil) -> [Field] {
        var output: [Field] = []
        for entry in entries {
            let isLawful = entry.key.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
            if entry.key.isEmpty || !isLawful || entry.key.utf8.count > Self.longestFieldName {
                mistakes.add(
                    "a field of `\(key)` cannot be named so",
                    hint: "1 to \(Self.longestFieldName) bytes without control characters", at: entry.keyPlace)
            }
            var nodes = [entry.value]
            if case .sequence(let items) = entry.value.content { nodes = items }
            for node in nodes {
                guard output.count < Self.mostFields else {
                    mistakes.add(
                        "`\(key)` has more than \(Self.mostFields) fields", hint: "strike some", at: entry.keyPlace)
                    return output
                }
                output.append(field(entry.key, node, of: key, boundary))
            }
        }
        return output
    }

    private mutating func field(_ name: String, _ node: YAMLNode, of key: String, _ boundary: [UInt8]?) -> Field {
        if let (variable, filters) = optionalVariable(node) {
            used.insert(variable)
            return Field(name: name, condition: variable, segments: [Self.segment(variable, filters, .raw)])
        }
        var segments: [TemplateSegment] = []
        switch node.content {
        case .mapping: segments = compile(json: node).segments
        case .scalar(let text, _):
            if node.plainValue != .null { segments = compile(text: text, encoding: .raw, at: node.place).segments }
        case .sequence:
            mistakes.add(
                "a field of `\(key)` must be text, a mapping or a list of these, not a list in a list",
                hint: "a list is one field `\(name)` for each item", at: node.place)
        }
        if let boundary, segments.contains(where: { $0.holds(boundary) }) {
            mistakes.add(
                "the field `\(name)` holds what parts the fields of a multipart body",
                hint: "write another text, or give the profile another `name`", at: node.place)
        }
        return Field(name: name, segments: segments)
    }

    private static func percentEncoded(_ text: String) -> String {
        let buffer = ByteBuffer()
        TemplateEncoding.url.append(Array(text.utf8).span, into: buffer)
        return buffer.text
    }

    /// Percent-encoding is byte by byte, so that pieces can be encoded one by one.
    private static func percentEncoded(_ segment: TemplateSegment) -> TemplateSegment {
        switch segment {
        case .literal(let bytes): .literal(Array(percentEncoded(String(decoding: bytes, as: UTF8.self)).utf8))
        case .variable(let variable, let encoding): .variable(variable, encoding.percentEncoded)
        case .filtered(let variable, let filters, let encoding): .filtered(variable, filters, encoding.percentEncoded)
        case .quoted(let segments, let encoding): .quoted(segments, encoding.percentEncoded)
        case .optional(let variable, let segments): .optional(variable, segments.map(percentEncoded))
        case .list(let opening, let separator, let items):
            .list(
                opening: opening, separator: separator,
                items.map { TemplateItem(condition: $0.condition, segments: $0.segments.map(percentEncoded)) })
        }
    }
}

extension TemplateSegment {
    fileprivate func holds(_ text: [UInt8]) -> Bool {
        if case .literal(let bytes) = self { return bytes.span.count(of: text) > 0 }
        return false
    }
}
