// The key `webhooks` of a profile: what the relay calls back.

import Basics
import YAML

struct WebhookDecoder {
    let auths: AuthDecoder
    /// The profile's, in order.
    let calls: [ProfileCall]
    /// Names of what they capture.
    let captures: [String]
    let mistakes: Mistakes

    func webhooks(_ fields: Fields) -> WebhookSpec? {
        guard let node = fields.value("webhooks"), let inner = Fields(node, .webhooks, mistakes),
            let event = self.place(inner, "event")
        else { return nil }
        let path = inner.text("path") ?? "/webhooks"
        if !path.hasPrefix("/") { inner.wrong("path", inner.value("path")!, "a path that begins with /") }
        let form: WebhookSpec.Form? = inner.choice("form")
        var spec = WebhookSpec(
            path: path, event: event, id: self.place(inner, "id"), token: self.place(inner, "token"),
            signature: signature(inner),
            overlap: inner.duration("overlap", .zero...Fields.longest) ?? .zero, form: form ?? .plain,
            tolerance: inner.duration("tolerance", .seconds(1)...Fields.longest) ?? .seconds(300),
            answers: inner.items("answers").compactMap(answer),
            retries: inner.duration("retries", .milliseconds(1)...WebhookSpec.longest),
            owes: inner.items("owes").compactMap(owed))
        spec.label = label(inner, form ?? .plain) ?? spec.label
        spec.method = inner.choice("method") ?? .post
        return spec
    }

    private func label(_ fields: Fields, _ form: WebhookSpec.Form) -> String? {
        guard let text = fields.text("label") else { return nil }
        let isWord = (1...16).contains(text.utf8.count)
            && text.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 95 }
        if !isWord || form == .plain {
            fields.wrong(
                "label", fields.value("label")!, "a word of at most 16 letters and digits, beside `form: dated` or `listed`")
        }
        return text
    }

    private func place(_ fields: Fields, _ key: String) -> WebhookSpec.Place? {
        guard let node = fields.value(key) else { return nil }
        guard case .mapping = node.content else { return pointer(fields, key).map { .body($0) } }
        guard let inner = Fields(node, .webhookPlace, mistakes) else { return nil }
        let given = WebhookPlaceKey.allCases.filter { inner.value($0.rawValue) != nil }
        guard given.count == 1, let text = inner.text(given[0].rawValue) else {
            mistakes.add(
                "`\(key)` of a webhook stands in one place", hint: "write one of header, parameter and word, or a JSON pointer",
                at: node.place)
            return nil
        }
        switch given[0] {
        case .header: return .header(text.lowercased())
        case .parameter: return .parameter(text)
        case .word where key == "event": return .word(text)
        case .word:
            mistakes.add(
                "`\(key)` differs from webhook to webhook, so that no word can be it",
                hint: "say in which header or field it is",
                at: node.place)
            return nil
        }
    }

    private enum WebhookPlaceKey: String, CaseIterable { case header, parameter, word }

    private func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let text = fields.text(key) else { return nil }
        guard let pointer = JSONPointerPath(text) else {
            mistakes.add(
                "`\(text)` is no JSON pointer into the webhook's body", hint: "such as /\(key), or `{ header: X-Event }`",
                at: fields.value(key)!.place)
            return nil
        }
        return pointer
    }

    /// As `auth` of a call, but it is theirs, and belongs to none.
    private func signature(_ fields: Fields) -> AuthSpec? {
        guard let node = fields.value("signature") else { return nil }
        var compiler = TemplateCompiler(ownNames: [], capturedNames: captures, mistakes: mistakes)
        guard let auth = auths.auth(node, &compiler) else { return nil }
        let isOfAnswer = compiler.used.allSatisfy { if case .captured = $0 { true } else { false } }
        if !isOfAnswer || compiler.used.count > 1 || compiler.used.count != secret(of: auth)?.used ?? compiler.used.count {
            mistakes.add(
                "a webhook belongs to no call, so that its secret alone may have a variable: one that an answer gave",
                hint: "take `{ env: NAME }`, `{ file: PATH }`, or the name of a capture such as \"{{hookSecret}}\"",
                at: node.place)
            return nil
        }
        switch auth.kind {
        case .plain(_, _, let secret) where secret.isOfTime: return auth
        case .hmac(let hmac) where hmac.isOfHeaders && hmac.key.isOfTime: return auth
        case .plain, .hmac:
            mistakes.add(
                "a webhook's secret is right for a time, stands in headers, and is over body, timestamp, method, path and text",
                hint: "leave out `parameter` and `digest`, and say `every` where secrets take turns", at: node.place)
            return nil
        case .basic, .jwt, .sigv4, .oauth2:
            mistakes.add("a webhook is signed by `hmac`, `header` or `bearer`", hint: "take one of these", at: node.place)
            return nil
        }
    }

    private func secret(of auth: AuthSpec) -> SecretValue? {
        switch auth.kind {
        case .plain(_, _, let secret): secret
        case .hmac(let hmac): hmac.key
        case .basic, .jwt, .sigv4, .oauth2: nil
        }
    }

    private func answer(_ node: YAMLNode) -> WebhookSpec.Answer? {
        guard let fields = Fields(node, .webhookAnswer, mistakes) else { return nil }
        let isNever = fields.flag("never") ?? false
        return WebhookSpec.Answer(
            status: isNever ? 0 : fields.count("status") ?? 200, times: fields.count("times") ?? 1,
            delay: fields.duration("delay", .zero...WebhookSpec.longest) ?? .zero)
    }

    private func owed(_ node: YAMLNode) -> WebhookSpec.Owed? {
        guard let fields = Fields(node, .hook, mistakes), let event = fields.text("event"), let cause = cause(fields) else {
            return nil
        }
        return WebhookSpec.Owed(
            cause, event: event,
            within: fields.duration("within", .milliseconds(1)...WebhookSpec.longest) ?? .seconds(5),
            isOnce: fields.flag("once") ?? false, endsActivity: endsActivity(fields))
    }

    private func endsActivity(_ fields: Fields) -> Bool {
        guard let ends = fields.flag("ends"), let call = fields.value("call") else { return fields.flag("ends") ?? false }
        if ends {
            mistakes.add(
                "`ends` says that an activity ends with its dead token", hint: "write it beside `reasons`", at: call.place)
        }
        return false
    }

    private func cause(_ fields: Fields) -> WebhookSpec.Cause? {
        let reasons = fields.texts("reasons")
        guard (fields.value("call") == nil) == (fields.value("reasons") != nil) else {
            mistakes.add(
                "a webhook is owed for a `call`, or for refusals by `reasons`", hint: "write one of them",
                at: fields.node.place)
            return nil
        }
        guard let name = fields.text("call") else { return .refusal(Set(reasons)) }
        guard let call = calls.firstIndex(where: { $0.name == name }) else {
            mistakes.add(
                "the profile has no call `\(name)`", hint: suggestion(for: name, in: calls.map(\.name)),
                at: fields.value("call")!.place)
            return nil
        }
        return .call(call)
    }
}

extension SecretValue {
    /// Captured values that it is made of.
    fileprivate var used: Int { templates.reduce(into: CapturedNames()) { $0.formUnion($1.captured) }.rawValue.nonzeroBitCount }

    /// Who verifies knows by the time which one is meant.
    fileprivate var isOfTime: Bool { if case .turns(_, nil) = self { false } else { true } }
}
