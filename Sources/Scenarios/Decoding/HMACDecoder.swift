// `hmac` of an `auth`: what is signed, with what, and where the signature goes.

import Basics
import TLS
import YAML

struct HMACDecoder {
    let auths: AuthDecoder
    let secrets: SecretDecoder
    let mistakes: Mistakes

    /// Parts of what is signed, at most.
    private static let mostParts = 16

    func hmac(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .hmac, mistakes) else { return nil }
        let over = fields.items("over", atLeast: 1, atMost: Self.mostParts)
        let parts = over.compactMap { part($0, fields, &compiler) }
        let timestamp = fields.value("timestamp").flatMap { self.timestamp($0) }
        let isDated = parts.contains { if case .timestamp = $0 { true } else { false } }
        if let place = fields.value("timestamp")?.place, !isDated {
            mistakes.add(
                "the timestamp is sent, but not signed: `over` does not name it", hint: "add `timestamp` to `over`", at: place)
        } else if isDated, fields.value("timestamp") == nil {
            mistakes.add(
                "the timestamp is signed, but not sent", hint: "add `timestamp: { header: X-Timestamp, unit: s }`",
                at: fields.value("over")!.place)
        }
        let algorithm: HMACAlgorithm? = fields.choice("algorithm")
        let encoding: HMACSpec.Encoding? = fields.choice("encoding")
        let prefix = auths.prefix(fields)
        let header = auths.headerName(fields, "header")
        guard let node = fields.value("key"), let key = secrets.secret(node, named: "key", &compiler), let header
        else { return nil }
        return AuthSpec(
            kind: .hmac(
                HMACSpec(
                    key: key, algorithm: algorithm ?? .sha256, over: parts, encoding: encoding ?? .hex, header: header,
                    prefix: prefix, timestamp: timestamp)))
    }

    private enum Word: String, CaseIterable { case body, timestamp, method, path }

    /// A word, or text: as `{ text: … }`, or as it stands where it has no letter and so cannot be a word.
    private func part(_ node: YAMLNode, _ fields: Fields, _ compiler: inout TemplateCompiler) -> HMACSpec.Part? {
        guard case .scalar(let text, _) = node.content else {
            guard let inner = Fields(node, .signedText, mistakes), let text = inner.text("text") else { return nil }
            return .text(compiler.compile(text: text, encoding: .raw, at: inner.value("text")!.place))
        }
        switch Word(rawValue: text) {
        case .body: return .body
        case .timestamp: return .timestamp
        case .method: return .method
        case .path: return .path
        case nil: break
        }
        guard !text.isEmpty, !text.contains(where: { $0.isLetter || $0 == "{" }) else {
            mistakes.add(
                "`\(text)` is nothing that `over` knows",
                hint: "\(Word.allCases.map(\.rawValue).joined(separator: ", ")), or `{ text: \"…\" }`", at: node.place)
            return nil
        }
        return .text(Template(segments: [.literal(Array(text.utf8))]))
    }

    private func timestamp(_ node: YAMLNode) -> HMACSpec.Timestamp? {
        guard let fields = Fields(node, .signedTime, mistakes), let header = auths.headerName(fields, "header")
        else { return nil }
        let unit: HMACSpec.Timestamp.Unit? = fields.choice("unit")
        return HMACSpec.Timestamp(header: header, unit: unit ?? .seconds)
    }
}
