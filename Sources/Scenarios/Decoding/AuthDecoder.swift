// `auth` of a profile and of a call.

import Basics
import TLS
import YAML

struct AuthDecoder {
    /// The profile's, which a call's own replaces.
    let profile: YAMLNode?
    let files: FileFinder
    let mistakes: Mistakes

    private static let kinds = ["bearer", "basic", "header", "hmac", "jwt", "sigv4", "oauth2"]
    private var secrets: SecretDecoder { SecretDecoder(files: files, mistakes: mistakes) }

    /// Of a call: nil where it has none. `auth: none` is without the profile's, `auth: { spoil: true }` has that made wrong.
    func auth(_ own: YAMLNode?, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let own else { return profile.flatMap { spec($0, &compiler) } }
        if case .scalar("none", _) = own.content { return nil }
        guard case .mapping(let entries) = own.content, !entries.isEmpty, entries.allSatisfy({ $0.key == "spoil" }) else {
            return spec(own, &compiler)
        }
        guard let profile else {
            mistakes.add(
                "there is no `auth` of the profile that could be spoilt", hint: "say here how the call is authenticated",
                at: own.place)
            return nil
        }
        var auth = spec(profile, &compiler)
        if let fields = Fields(own, .auth, mistakes), let kind = kind(of: profile) { spoil(&auth, fields, kind) }
        return auth
    }

    private func kind(of node: YAMLNode) -> String? {
        guard case .mapping(let entries) = node.content else { return nil }
        return entries.map(\.key).first { Self.kinds.contains($0) }
    }

    /// `true`, or how long ago a credential was made that is right otherwise.
    private func spoil(_ auth: inout AuthSpec?, _ fields: Fields, _ kind: String) {
        guard let node = fields.value("spoil") else { return }
        if case .bool(let flag) = node.plainValue {
            auth?.isSpoilt = flag
            auth?.age = nil
            return
        }
        guard case .scalar(let text, _) = node.content, Interval(parsing: text) != nil else {
            return fields.wrong("spoil", node, "true, false or a duration")
        }
        guard let age = fields.duration("spoil", .seconds(1)...Fields.longest) else { return }
        if let timeless = auth?.timeless {
            mistakes.add(
                "a `\(kind)` \(timeless), so it is of none long ago",
                hint: "write `spoil: true`, or sign with a time: `hmac` with `timestamp`, `jwt`, `sigv4`", at: node.place)
        }
        auth?.isSpoilt = true
        auth?.age = age
    }

    private func spec(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        if case .scalar("none", _) = node.content { return nil }
        guard let fields = Fields(node, .auth, mistakes) else { return nil }
        let given = Self.kinds.filter { fields.value($0) != nil }
        guard given.count == 1 else {
            mistakes.add(
                given.isEmpty ? "`auth` does not say how" : "`auth` has `\(given[0])` or `\(given[1])`, not both",
                hint: given.isEmpty ? "write one of \(Self.kinds.joined(separator: ", "))" : "strike one",
                at: given.isEmpty ? node.place : fields.value(given[1])!.place)
            return nil
        }
        let inner = fields.value(given[0])!
        var auth: AuthSpec? =
            switch given[0] {
            case "bearer":
                headerSecret(inner, named: "bearer", &compiler)
                    .map { AuthSpec(kind: .plain(header: Self.authorization, prefix: Array("Bearer ".utf8), $0)) }
            case "basic": basic(inner, &compiler)
            case "header": header(inner, &compiler)
            case "hmac": HMACDecoder(auths: self, secrets: secrets, mistakes: mistakes).hmac(inner, &compiler)
            case "sigv4": SigV4Decoder(secrets: secrets, mistakes: mistakes).sigv4(inner, &compiler)
            case "oauth2": OAuth2Decoder(secrets: secrets, mistakes: mistakes).oauth2(inner)
            default: JWTDecoder(auths: self, secrets: secrets, mistakes: mistakes).jwt(inner, &compiler)
            }
        spoil(&auth, fields, given[0])
        return auth
    }

    static let authorization = Array("authorization".utf8)

    /// A secret that stands in a header as it is.
    private func headerSecret(_ node: YAMLNode, named key: String, _ compiler: inout TemplateCompiler) -> SecretValue? {
        let secret = secrets.secret(node, named: key, &compiler)
        if let bare = secret?.bare, !bare.allSatisfy({ $0.bytes.allSatisfy { $0 >= 32 && $0 != 127 } }) {
            mistakes.add(
                "the secret holds a control character, which no header can carry", hint: "is it the right one?",
                at: node.place)
            return nil
        }
        return secret
    }

    private func basic(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .authBasic, mistakes), let user = fields.text("user"),
            let password = fields.value("password")
        else { return nil }
        let place = fields.value("user")!.place
        if user.contains(":") {
            mistakes.add("a `user` holds no colon, which ends it (RFC 7617)", hint: "strike it", at: place)
        }
        let template = compiler.compile(text: user, encoding: .raw, at: place)
        return secrets.secret(password, named: "password", &compiler)
            .map { AuthSpec(kind: .basic(user: template, password: $0)) }
    }

    private func header(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .authHeader, mistakes), let name = headerName(fields, "name"),
            let value = fields.value("value")
        else { return nil }
        let prefix = self.prefix(fields)
        return headerSecret(value, named: "value", &compiler)
            .map { AuthSpec(kind: .plain(header: name, prefix: prefix, $0)) }
    }

    // MARK: What several kinds have

    /// In lower case. Nil where there is none, or after a mistake.
    func headerName(_ fields: Fields, _ key: String) -> [UInt8]? {
        guard let text = fields.text(key) else { return nil }
        let name = text.lowercased()
        if let wrong = HeaderName.objection(name) {
            mistakes.add("a call cannot set the header `\(text)`", hint: wrong, at: fields.value(key)!.place)
            return nil
        }
        return Array(name.utf8)
    }

    /// A `header` or a `parameter` of the query, one of them. Nil after a mistake.
    func place(_ fields: Fields) -> RequestPlace? {
        guard (fields.value("header") == nil) != (fields.value("parameter") == nil) else {
            mistakes.add(
                "`\(fields.shape.name)` says one place where it goes", hint: "write `header: NAME` or `parameter: NAME`",
                at: fields.node.place)
            return nil
        }
        if fields.value("header") != nil { return headerName(fields, "header").map { .header($0) } }
        guard let text = fields.text("parameter") else { return nil }
        let isLawful = text.utf8.allSatisfy {
            48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || [45, 46, 95].contains($0)
        }
        guard isLawful, text.utf8.count <= 64 else {
            fields.wrong("parameter", fields.value("parameter")!, "at most 64 letters, digits, -, . and _")
            return nil
        }
        return .parameter(Array(text.utf8))
    }

    /// Literal text in front of what is secret.
    func prefix(_ fields: Fields) -> [UInt8] {
        guard let node = fields.value("prefix") else { return [] }
        guard case .scalar(let text, _) = node.content else {
            fields.wrong("prefix", node, "text")
            return []
        }
        if !text.utf8.allSatisfy({ 32...126 ~= $0 }) || text.utf8.count > 64 {
            mistakes.add(
                "`prefix` must be at most 64 ASCII characters", hint: "such as `prefix: \"sha256=\"`",
                at: node.place)
        }
        return Array(text.utf8)
    }
}

/// Names of headers that a profile may set.
enum HeaderName {
    /// Why not, in words. `name` is in lower case.
    static func objection(_ name: String) -> String? {
        let isLawful =
            !name.isEmpty && name.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 95 }
        guard isLawful else { return "letters, digits, - and _" }
        let own = ["host", "content-length", "connection", "transfer-encoding"]
        return own.contains(name) ? "it is written by the rig" : nil
    }
}
