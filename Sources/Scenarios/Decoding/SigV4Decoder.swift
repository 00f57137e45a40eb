// `sigv4` of an `auth`: AWS Signature Version 4.

import Basics
import YAML

struct SigV4Decoder {
    let secrets: SecretDecoder
    let mistakes: Mistakes

    func sigv4(_ node: YAMLNode, _ compiler: inout TemplateCompiler) -> AuthSpec? {
        guard let fields = Fields(node, .sigv4, mistakes) else { return nil }
        let (region, service) = (scope(fields, "region"), scope(fields, "service"))
        let session = fields.value("sessionToken").flatMap { secrets.secret($0, named: "sessionToken", &compiler) }
        guard let name = fields.text("accessKeyID"), let key = fields.value("secretAccessKey"),
            let secret = secrets.secret(key, named: "secretAccessKey", &compiler), let region, let service
        else { return nil }
        let id = compiler.compile(text: name, encoding: .raw, at: fields.value("accessKeyID")!.place)
        return AuthSpec(
            kind: .sigv4(
                SigV4Spec(
                    accessKeyID: id, secretAccessKey: secret, sessionToken: session, region: region, service: service)))
    }

    /// A part of the credential's scope, whose parts are separated by slashes.
    private func scope(_ fields: Fields, _ key: String) -> String? {
        guard let text = fields.text(key) else { return nil }
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ 48...57 ~= $0 || 97...122 ~= $0 || $0 == 45 }) else {
            fields.wrong(key, fields.value(key)!, "at most 64 lower-case letters, digits and -")
            return nil
        }
        return text
    }
}
