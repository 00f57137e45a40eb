// `hmac` of an `auth`: what is signed, with what, and where the signature goes.

import Basics
import TLS
import YAML

struct HMACDecoder {
    let auths: AuthDecoder
    let secrets: SecretDecoder
    let mistakes: Mistakes

    func hmac(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .hmac, mistakes) else { return nil }
        let over = fields.items("over")
        let parts = over.compactMap { part($0, fields, &compiler) }
        let timestamp = fields.value("timestamp").flatMap { self.timestamp($0) }
        let digest = fields.value("digest").flatMap { self.digest($0) }
        let signsQuery = parts.contains { if case .path = $0 { true } else if case .parameters = $0 { true } else { false } }
        check(
            "timestamp", of: fields, isSigned: parts.contains { if case .timestamp = $0 { true } else { false } },
            isInSignedQuery: signsQuery && timestamp?.place.parameter != nil, missing: "{ header: X-Timestamp, unit: s }")
        check(
            "digest", of: fields, isSigned: parts.contains { if case .digest = $0 { true } else { false } },
            isInSignedQuery: signsQuery && digest?.place.parameter != nil, missing: "{ of: sha256, header: X-Digest }")
        let algorithm: HMACAlgorithm? = fields.choice("algorithm")
        let encoding: HMACSpec.Encoding? = fields.choice("encoding")
        let prefix = auths.prefix(fields)
        let place = auths.place(fields)
        let added = fields.entries("parameters")
        let parameters = added.isEmpty ? nil : compiler.compile(form: added, of: "parameters")
        guard let node = fields.value("key"), let key = secrets.secret(node, named: "key", &compiler), let place
        else { return nil }
        return AuthSpec(
            kind: .hmac(
                HMACSpec(
                    key: key, algorithm: algorithm ?? .sha256, over: parts, encoding: encoding ?? .hex, place: place,
                    prefix: prefix, timestamp: timestamp, digest: digest, parameters: parameters)))
    }

    /// What is sent is signed, and the reverse.
    private func check(_ key: String, of fields: Fields, isSigned: Bool, isInSignedQuery: Bool, missing: String) {
        if let place = fields.value(key)?.place, !isSigned, !isInSignedQuery {
            mistakes.add(
                "the \(key) is sent, but not signed: `over` does not name it", hint: "add `\(key)` to `over`", at: place)
        } else if isSigned, fields.value(key) == nil {
            mistakes.add(
                "the \(key) is signed, but not sent", hint: "add `\(key): \(missing)`", at: fields.value("over")!.place)
        }
    }

    private enum Word: String, CaseIterable { case body, timestamp, method, path, resource, parameters, digest }

    /// A word, a header, or text: as `{ text: … }`, or as it stands where it has no letter and so cannot be a word.
    private func part(_ node: YAMLNode, _ fields: Fields, _ compiler: inout TemplateCompiler) -> HMACSpec.Part? {
        guard case .scalar(let text, _) = node.content else {
            guard let inner = Fields(node, .signedText, mistakes) else { return nil }
            guard (inner.value("text") == nil) != (inner.value("header") == nil) else {
                mistakes.add(
                    "a part of `over` is `text` or a `header`", hint: "write one of them, such as `{ header: webhook-id }`",
                    at: node.place)
                return nil
            }
            guard let text = inner.text("text") else {
                return auths.headerName(inner, "header").map { .header(String(decoding: $0, as: UTF8.self)) }
            }
            return .text(compiler.compile(text: text, encoding: .raw, at: inner.value("text")!.place))
        }
        switch Word(rawValue: text) {
        case .body: return .body
        case .timestamp: return .timestamp
        case .method: return .method
        case .path: return .path
        case .resource: return .resource
        case .parameters: return .parameters
        case .digest: return .digest
        case nil: break
        }
        guard !text.isEmpty, !text.contains(where: { $0.isLetter || $0 == "{" }) else {
            mistakes.add(
                "`\(text)` is nothing that `over` knows",
                hint: "\(Word.allCases.map(\.rawValue).joined(separator: ", ")), `{ header: NAME }`, or `{ text: \"…\" }`",
                at: node.place)
            return nil
        }
        return .text(Template(segments: [.literal(Array(text.utf8))]))
    }

    private func timestamp(_ node: YAMLNode) -> HMACSpec.Timestamp? {
        guard let fields = Fields(node, .signedTime, mistakes), let place = auths.place(fields) else { return nil }
        let unit: HMACSpec.Timestamp.Unit? = fields.choice("unit")
        return HMACSpec.Timestamp(place: place, unit: unit ?? .seconds)
    }

    private func digest(_ node: YAMLNode) -> HMACSpec.Digest? {
        guard let fields = Fields(node, .signedDigest, mistakes), let place = auths.place(fields),
            let algorithm: HMACSpec.Digest.Algorithm = fields.choice("of")
        else { return nil }
        return HMACSpec.Digest(algorithm: algorithm, place: place, encoding: fields.choice("encoding") ?? .hex)
    }
}
