// `answers` of a profile and of a call, and `retries`.

import Basics
import YAML

struct AnswerDecoder {
    let mistakes: Mistakes

    func answers(_ fields: Fields) -> [AnswerRule] {
        fields.items("answers").compactMap { rule($0) }
    }

    func retries(_ fields: Fields) -> RetrySpec {
        var spec = RetrySpec()
        guard let node = fields.value("retries"), let inner = Fields(node, .retries, mistakes) else { return spec }
        spec.most = inner.count("most") ?? spec.most
        spec.longest = inner.duration("longest", .milliseconds(1)...Interval.seconds(3_600)) ?? spec.longest
        spec.wait = inner.duration("wait", .milliseconds(1)...spec.longest) ?? min(spec.wait, spec.longest)
        return spec
    }

    private func rule(_ node: YAMLNode) -> AnswerRule? {
        guard let fields = Fields(node, .answer, mistakes), let meaning: AnswerRule.Meaning = fields.choice("means"),
            let status = fields.value("status")
        else { return nil }
        var nodes = [status]
        if case .sequence(let items) = status.content { nodes = items }
        let statuses = nodes.compactMap { $0.plainValue?.int }.filter { 200...599 ~= $0 }.map { Int($0) }
        if statuses.count != nodes.count || nodes.isEmpty {
            fields.wrong("status", status, "a status from 200 to 599 or a list of them")
        }
        let at = pointer(fields, "at")
        var values: Set<String> = []
        if let node = fields.value("equals") {
            if at == nil {
                mistakes.add("`equals` needs the place of the value", hint: "add `at: /status`", at: node.place)
            }
            if case .scalar(let text, _) = node.content {
                values = [text]
            } else {
                values = Set(fields.texts("equals"))
            }
            if values.contains(where: { $0.contains("{{") }) {
                mistakes.add(
                    "`equals` is a text as it stands, and has no variables", hint: "name the place by `at` alone",
                    at: node.place)
            }
        }
        let wait = pointer(fields, "wait")
        if let node = fields.value("wait"), !meaning.isTriedAgain {
            mistakes.add(
                "nobody waits after an answer that is `\(meaning.rawValue)`", hint: "strike `wait`, or say `means: throttled`",
                at: node.place)
        }
        return AnswerRule(statuses: Set(statuses), pointer: at, values: values, meaning: meaning, wait: wait)
    }

    private func pointer(_ fields: Fields, _ key: String) -> JSONPointerPath? {
        guard let text = fields.text(key) else { return nil }
        guard let pointer = JSONPointerPath(text) else {
            fields.wrong(key, fields.value(key)!, "a JSON pointer")
            return nil
        }
        return pointer
    }
}
