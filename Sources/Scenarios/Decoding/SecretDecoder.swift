// Secrets of a profile: a variable, or a name of where the secret is. Never the secret itself, for the journal keeps the
// files of a run.

import Basics
import Glibc
import OperatingSystem
import YAML

struct SecretDecoder {
    let files: FileFinder
    let mistakes: Mistakes

    /// `key`: what it is called in the file. Nil after a mistake was noted. Where a saved run is read again, a secret that
    /// is kept elsewhere is empty.
    func secret(_ node: YAMLNode, named key: String, _ compiler: inout TemplateCompiler) -> SecretValue? {
        switch node.content {
        case .scalar(let text, _): return varying(text, node, named: key, &compiler).map { .template($0) }
        case .mapping(let entries) where entries.contains(where: { $0.key == "turns" }): return turns(node)
        case .mapping(let entries) where entries.contains(where: { $0.key == "join" }):
            return joined(node, named: key, &compiler)
        default: return part(node, named: key, &compiler)
        }
    }

    /// A template that says more than a file may.
    private func varying(_ text: String, _ node: YAMLNode, named key: String, _ compiler: inout TemplateCompiler) -> Template? {
        let template = compiler.compile(text: text, encoding: .raw, at: node.place)
        // A variable of the call stands in the files, too.
        let varies = template.segments.contains { segment in
            switch segment {
            case .variable(.own, _), .filtered(.own, _, _), .literal: false
            default: true
            }
        }
        if !varies, !mistakes.found.contains(where: { $0.place == node.place.description }) {
            mistakes.add(
                "`\(key)` holds a secret, which has no place in a file that the journal keeps",
                hint: "write `{ env: NAME }`, `{ file: PATH }` or a variable such as `{{secret}}`", at: node.place)
            return nil
        }
        return template
    }

    /// One that is kept, or a variable's value, both written as `prefix` and `as` say.
    private func part(_ node: YAMLNode, named key: String, _ compiler: inout TemplateCompiler) -> SecretValue? {
        guard case .mapping(let entries) = node.content, let value = entries.first(where: { $0.key == "value" })?.value else {
            return kept(node).map { .kept($0) }
        }
        guard let fields = Fields(node, .secret, mistakes) else { return nil }
        if let other = fields.value("env") ?? fields.value("file") {
            mistakes.add("a secret comes from one place", hint: "strike this, or `value`", at: other.place)
        }
        guard let text = fields.text("value") else { return nil }
        return varying(text, value, named: key, &compiler).map { .template($0, form(fields)) }
    }

    private func joined(_ node: YAMLNode, named key: String, _ compiler: inout TemplateCompiler) -> SecretValue? {
        guard let fields = Fields(node, .joinedSecret, mistakes) else { return nil }
        let items = fields.items("join")
        let parts = items.compactMap { item -> SecretValue? in
            guard case .scalar(let text, _) = item.content else { return part(item, named: key, &compiler) }
            return .template(compiler.compile(text: text, encoding: .raw, at: item.place))
        }
        guard !items.isEmpty, parts.count == items.count else { return nil }
        let whole = SecretValue.joined(parts, fields.choice("encode") ?? .text)
        guard !whole.kept.isEmpty || whole.varies else {
            mistakes.add(
                "`\(key)` holds a secret, which has no place in a file that the journal keeps",
                hint: "one part at least is `{ env: NAME }`, `{ file: PATH }` or a variable such as `{{secret}}`",
                at: node.place)
            return nil
        }
        return whole
    }

    private func form(_ fields: Fields) -> SecretForm {
        SecretForm(prefix: prefix(fields), encoding: fields.choice("as") ?? .text)
    }

    private func prefix(_ fields: Fields) -> [UInt8] {
        guard let text = fields.text("prefix") else { return [] }
        if text.utf8.count > 64 { fields.wrong("prefix", fields.value("prefix")!, "text of at most 64 bytes") }
        return Array(text.utf8)
    }

    private func turns(_ node: YAMLNode) -> SecretValue? {
        guard let fields = Fields(node, .secrets, mistakes) else { return nil }
        let items = fields.items("turns")
        let secrets = items.compactMap { kept($0) }
        let every = fields.duration("every", .milliseconds(1)...Fields.longest)
        guard !items.isEmpty, secrets.count == items.count else { return nil }
        return .turns(secrets, every: every)
    }

    /// One from the environment or a file, without the line's end behind it.
    func kept(_ node: YAMLNode) -> KeptSecret? {
        guard let fields = Fields(node, .secret, mistakes) else { return nil }
        let (variable, file) = (fields.text("env"), fields.text("file"))
        let form = form(fields)
        guard (variable == nil) != (file == nil) else {
            mistakes.add(
                "a secret comes from one place", hint: "write `{ env: NAME }` or `{ file: PATH }`", at: node.place)
            return nil
        }
        guard files.readsSecrets else { return KeptSecret([]) }
        let place = fields.value(variable == nil ? "file" : "env")!.place
        let bytes = variable.map { environment($0, at: place) } ?? read(file!, at: place)
        guard let bytes else { return nil }
        guard let plain = form.plain(bytes) else {
            mistakes.add(
                "the secret is \(bytes.isEmpty ? "empty" : "not in \(form.encoding.rawValue)")", hint: "give it as `as` says",
                at: place)
            return nil
        }
        return KeptSecret(plain)
    }

    private func environment(_ name: String, at place: YAMLPlace) -> [UInt8]? {
        guard let value = getenv(name) else {
            mistakes.add(
                "the environment variable `\(name)` is not set", hint: "export it before pushrig starts", at: place)
            return nil
        }
        return checked(Array(String(cString: value).utf8), at: place)
    }

    private func read(_ path: String, at place: YAMLPlace) -> [UInt8]? {
        let beside = files.beside(path, namedIn: place.file)
        var bytes: [UInt8]
        do {
            bytes = try FileSystem.start(of: beside, count: KeptSecret.longest + 2)
        } catch {
            mistakes.add(
                "cannot read the secret's file `\(path)`: \(error.words)",
                hint: "it is looked for beside the file that names it", at: place)
            return nil
        }
        if bytes.last == 10 { bytes.removeLast() }
        if bytes.last == 13 { bytes.removeLast() }
        return checked(bytes, at: place)
    }

    private func checked(_ bytes: [UInt8], at place: YAMLPlace) -> [UInt8]? {
        guard bytes.count <= KeptSecret.longest else {
            mistakes.add("the secret is longer than \(KeptSecret.longest) bytes", hint: "is it the right one?", at: place)
            return nil
        }
        return bytes
    }
}
