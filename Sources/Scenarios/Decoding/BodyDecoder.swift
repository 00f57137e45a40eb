// What a call's request carries behind its head: one of four encodings, or nothing.

import Basics
import YAML

/// A body as its call has it.
struct CallBody {
    var template: Template
    var contentType: String
    /// What it says as JSON, where it is none itself.
    var saying: Template?
    var multipart: MultipartSpec?
}

struct BodyDecoder {
    /// The profile's, for multipart bodies.
    let boundary: [UInt8]
    let mistakes: Mistakes

    /// The keys of a call that each are an encoding.
    static let encodings = ["json", "form", "text", "multipart"]

    /// Nil where the call has no body.
    func body(_ fields: Fields, _ compiler: inout TemplateCompiler) -> CallBody? {
        let given = Self.encodings.filter { fields.value($0) != nil }
        if given.count > 1 {
            mistakes.add(
                "a call has `\(given[0])` or `\(given[1])`, not both", hint: "strike one",
                at: fields.value(given[1])!.place)
        }
        switch given.first {
        case "json":
            return CallBody(template: compiler.compile(json: fields.value("json")!), contentType: "application/json")
        case "form":
            return CallBody(
                template: compiler.compile(form: entries(fields, "form"), of: "form"),
                contentType: "application/x-www-form-urlencoded", saying: saying(fields.value("form")!, compiler))
        case "multipart":
            let (template, multipart) = compiler.compile(multipart: entries(fields, "multipart"), boundary: boundary)
            return CallBody(
                template: template,
                contentType: "multipart/form-data; boundary=" + String(decoding: boundary, as: UTF8.self),
                saying: saying(fields.value("multipart")!, compiler), multipart: multipart)
        case "text":
            guard let text = fields.text("text") else { return nil }
            return CallBody(
                template: compiler.compile(text: text, encoding: .raw, at: fields.value("text")!.place),
                contentType: "text/plain; charset=utf-8")
        default: return nil
        }
    }

    private func entries(_ fields: Fields, _ key: String) -> [YAMLEntry] {
        let entries = fields.entries(key)
        if entries.isEmpty, case .mapping = fields.value(key)!.content {
            mistakes.add("`\(key)` has no field", hint: "add one, or strike it", at: fields.value(key)!.place)
        }
        return entries
    }

    /// The fields as a JSON object. What is wrong with them was told already.
    private func saying(_ node: YAMLNode, _ compiler: TemplateCompiler) -> Template? {
        let unheard = Mistakes()
        var own = TemplateCompiler(
            ownNames: compiler.ownNames, capturedNames: compiler.capturedNames, feeds: compiler.feeds, mistakes: unheard)
        let template = own.compile(json: node)
        return unheard.found.isEmpty ? template : nil
    }

    /// What calls say as JSON, of those that say anything so.
    static func sayings(_ call: YAMLNode) -> JSONValue? {
        for key in ["json", "form", "multipart"] {
            if let node = call[key] { return JSONTextNode.said(node.json) }
        }
        return nil
    }
}

/// `{ jsonText: … }` in a body, as what goes out.
enum JSONTextNode {
    static func said(_ value: JSONValue) -> JSONValue {
        if let object = value.object {
            if object.count == 1, let inner = object["jsonText"] { return .string(said(inner).text) }
            var output = JSONObject()
            for (key, member) in object { output[key] = said(member) }
            return .object(output)
        }
        return value.array.map { .array($0.map(said)) } ?? value
    }
}
