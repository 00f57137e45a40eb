// `jwt` of an `auth`: a token that is minted for each call.

import Basics
import TLS
import YAML

struct JWTDecoder {
    let auths: AuthDecoder
    let secrets: SecretDecoder
    let mistakes: Mistakes

    func jwt(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .jwt, mistakes) else { return nil }
        let algorithm = fields.choice("algorithm") ?? JWTSpec.Algorithm.hs256
        let claims = claims(fields, &compiler)
        let lifetime = fields.duration("lifetime", .seconds(1)...Interval.seconds(86_400)) ?? .seconds(60)
        let header = fields.value("header") == nil ? AuthDecoder.authorization : auths.headerName(fields, "header")
        let prefix = fields.value("prefix") == nil ? Array("Bearer ".utf8) : auths.prefix(fields)
        var head: JSONObject = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
        if let kid = fields.text("kid") { head["kid"] = .string(kid) }
        guard let key = fields.value("key"), let signing = signing(key, algorithm, &compiler), let header else { return nil }
        return AuthSpec(
            kind: .jwt(
                JWTSpec(
                    signing: signing, head: Array((Base64URL.encode(JSONValue.object(head).encoded().span) + ".").utf8),
                    claims: claims, seconds: max(1, lifetime.nanoseconds / 1_000_000_000), header: header, prefix: prefix)))
    }

    private func claims(_ fields: Fields, _ compiler: inout TemplateCompiler) -> Template? {
        let entries = fields.entries("claims")
        for entry in entries where ["iat", "exp"].contains(entry.key) {
            mistakes.add(
                "`\(entry.key)` is written for each token", hint: "strike it; `lifetime` says how long one is valid",
                at: entry.keyPlace)
        }
        guard let node = fields.value("claims"), !entries.isEmpty else { return nil }
        return compiler.compile(json: node)
    }

    private func signing(
        _ node: YAMLNode, _ algorithm: JWTSpec.Algorithm, _ compiler: inout TemplateCompiler
    ) -> JWTSpec.Signing? {
        switch algorithm {
        case .hs256: return secrets.secret(node, named: "key", &compiler).map { .hs256($0) }
        case .es256:
            return privateKey(node, "ES256 signs with a private key on P-256, as PEM") { (pem) throws(Failure) in
                .es256(try pem.map { (text) throws(Failure) in try P256PrivateKey(pem: text) })
            }
        case .rs256, .rs384, .rs512:
            let hash: RSAHash = algorithm == .rs256 ? .sha256 : algorithm == .rs384 ? .sha384 : .sha512
            return privateKey(node, "\(algorithm.rawValue) signs with a private RSA key, as PEM") { (pem) throws(Failure) in
                .rsa(try pem.map { (text) throws(Failure) in try RSAPrivateKey(pem: text) }, hash)
            }
        }
    }

    /// `read` gets nil where a saved run is read again, which signs nothing.
    private func privateKey(
        _ node: YAMLNode, _ wanted: String, _ read: (String?) throws(Failure) -> JWTSpec.Signing
    ) -> JWTSpec.Signing? {
        guard case .mapping = node.content else {
            mistakes.add(wanted, hint: "write `key: { file: PATH }`", at: node.place)
            return nil
        }
        guard let pem = secrets.kept(node) else { return nil }
        do throws(Failure) {
            return try read(pem.bytes.isEmpty ? nil : String(decoding: pem.bytes, as: UTF8.self))
        } catch {
            mistakes.add(error.message, hint: error.hint, at: node.place)
            return nil
        }
    }
}
