// `oauth2` of an `auth`: where access tokens are fetched, and as whom.

import Basics
import YAML

struct OAuth2Decoder {
    let secrets: SecretDecoder
    let mistakes: Mistakes

    func oauth2(_ node: YAMLNode) -> AuthSpec? {
        guard let fields = Fields(node, .oauth2, mistakes) else { return nil }
        let scope = line(fields, "scope"), audience = line(fields, "audience")
        let style: OAuth2Spec.Style? = fields.choice("style")
        guard let url = tokenURL(fields), let id = line(fields, "clientID"),
            let secret = fields.value("clientSecret").flatMap({ secrets.kept($0) })
        else { return nil }
        var spec = OAuth2Spec(tokenURL: url, clientID: id, clientSecret: secret)
        spec.scope = scope
        spec.audience = audience
        spec.style = style ?? .basic
        return AuthSpec(kind: .oauth2(spec))
    }

    private func tokenURL(_ fields: Fields) -> String? {
        guard let text = fields.text("tokenURL") else { return nil }
        let host = text.hasPrefix("http://") ? text.dropFirst(7) : text.hasPrefix("https://") ? text.dropFirst(8) : ""
        let isPlace = text.hasPrefix("/") || !host.isEmpty && !host.hasPrefix("/")
        guard isPlace, text.utf8.count <= 1_024, text.utf8.allSatisfy({ 33...126 ~= $0 && $0 != 35 }), !text.contains("{{"),
            !host.prefix(while: { $0 != "/" }).contains("@")
        else {
            mistakes.add(
                "`tokenURL` must be a path of the relay, or http://host:port/path, not `\(text)`",
                hint: "such as `tokenURL: /oauth/token`", at: fields.value("tokenURL")!.place)
            return nil
        }
        return text
    }

    /// Text that is no template, for all calls have the same token.
    private func line(_ fields: Fields, _ key: String) -> String? {
        guard let text = fields.text(key) else { return nil }
        guard text.utf8.count <= 1_024, text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }), !text.contains("{{") else {
            fields.wrong(key, fields.value(key)!, "one line of text without variables")
            return nil
        }
        return text
    }
}
