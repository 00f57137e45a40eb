// The keys of a profile that say which pushes a relay leaves out: `coalescing`, `dedupe` and `cap`; and `dedupe` of a push.

import Basics
import Pushes
import YAML

struct LimitDecoder {
    let mistakes: Mistakes

    private static let spans = Interval.milliseconds(1)...Fields.longest

    func coalescing(_ fields: Fields) -> CoalescingSpec? {
        guard let node = fields.value("coalescing"), let inner = Fields(node, .coalescing, mistakes) else { return nil }
        return CoalescingSpec(window: inner.duration("window", Self.spans) ?? .seconds(10))
    }

    /// `bodies`: the JSON trees of the calls.
    func dedupe(_ fields: Fields, _ contents: ContentDecoder, bodies: [JSONValue]) -> DedupeSpec? {
        guard let node = fields.value("dedupe"), let inner = Fields(node, .dedupe, mistakes) else { return nil }
        let by = inner.items("by").compactMap { node -> JSONPointerPath? in
            guard case .scalar(let text, _) = node.content, let path = contents.pointer(text, at: node.place) else {
                return nil
            }
            contents.check(path, leadsInto: bodies, at: node.place)
            return path
        }
        return DedupeSpec(by: by, window: inner.duration("window", Self.spans))
    }

    private enum Span: String, CaseIterable {
        case activity, hour
    }

    func cap(_ fields: Fields) -> CapTerms? {
        guard let node = fields.value("cap"), let inner = Fields(node, .cap, mistakes),
            let most = inner.count("pushes")
        else { return nil }
        let span: Span? = inner.choice("per")
        return CapTerms(most: most, span: span == .hour ? .seconds(3_600) : nil)
    }

    /// Whether a push of a call with that body need not come again; its marker would make each state a new one.
    func dedupes(_ push: Fields, _ spec: DedupeSpec?, _ body: JSONValue?) -> Bool {
        guard push.flag("dedupe") == true, let node = push.value("dedupe") else { return false }
        guard let spec else {
            mistakes.add(
                "`dedupe` needs what the relay compares", hint: "add `dedupe: { by: [/contentState/status] }` to the profile",
                at: node.place)
            return false
        }
        let said = spec.by.compactMap { path in body?.at(pointer: path.text).map { (path.text, $0.text) } }
        if said.isEmpty, !spec.by.isEmpty {
            mistakes.add(
                "the call's body has nothing of what `dedupe` of the profile compares",
                hint: "strike it, or name in `by` what stands in this body", at: node.place)
        }
        for (path, text) in said where text.contains("{{marker") || text.contains("{{step") {
            mistakes.add(
                "what stands at `\(path)` is new in each call, so no state of this call is told twice",
                hint: "name in `by` of the profile the members beside its {{marker}} or {{step}} one by one", at: node.place)
        }
        return true
    }
}
