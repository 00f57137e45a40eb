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
        case .scalar(let text, _):
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
            return .template(template)
        case .mapping(let entries) where entries.contains(where: { $0.key == "turns" }): return turns(node)
        default: return kept(node).map { .kept($0) }
        }
    }

    /// Secrets, at most, that take turns.
    private static let mostTurns = 16

    private func turns(_ node: YAMLNode) -> SecretValue? {
        guard let fields = Fields(node, .secrets, mistakes) else { return nil }
        let items = fields.items("turns", atLeast: 2, atMost: Self.mostTurns)
        let secrets = items.compactMap { kept($0) }
        let every = fields.duration("every", .milliseconds(1)...Fields.longest)
        guard !items.isEmpty, secrets.count == items.count else { return nil }
        return .turns(secrets, every: every)
    }

    /// One from the environment or a file, without the line's end behind it.
    func kept(_ node: YAMLNode) -> KeptSecret? {
        guard let fields = Fields(node, .secret, mistakes) else { return nil }
        let (variable, file) = (fields.text("env"), fields.text("file"))
        let form: Form = fields.choice("as") ?? .text
        guard (variable == nil) != (file == nil) else {
            mistakes.add(
                "a secret comes from one place", hint: "write `{ env: NAME }` or `{ file: PATH }`", at: node.place)
            return nil
        }
        guard files.readsSecrets else { return KeptSecret([]) }
        let place = fields.value(variable == nil ? "file" : "env")!.place
        let bytes = variable.map { environment($0, at: place) } ?? read(file!, at: place)
        guard let bytes else { return nil }
        guard let plain = form.plain(bytes), !plain.isEmpty else {
            mistakes.add(
                "the secret is \(bytes.isEmpty ? "empty" : "not in \(form.rawValue)")", hint: "give it as `as` says",
                at: place)
            return nil
        }
        return KeptSecret(plain)
    }

    private enum Form: String, CaseIterable {
        case text, hex, base64

        func plain(_ bytes: [UInt8]) -> [UInt8]? {
            switch self {
            case .text: bytes
            case .hex: Hex.decode(bytes.span)
            case .base64: Base64.decode(bytes.span)
            }
        }
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
