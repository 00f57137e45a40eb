// Values of variables: text, number, true, false, null or an object; a list is a choice, drawn anew for each event. In a
// step's text `{{feed.NAME}}` is what the session's row holds.

import Basics
import YAML

struct StepValueDecoder {
    let mistakes: Mistakes
    /// Of the workload's feeders; nil: what it reads is no step's.
    var columns: FeedColumns?

    func value(_ node: YAMLNode) -> StepValue {
        guard case .sequence(let items) = node.content else { return StepValue(choices: [single(node)]) }
        guard 1...1_000 ~= items.count else {
            mistakes.add(
                "a choice has 1 to 1000 values, not \(items.count)", hint: "such as `[one, two]`", at: node.place)
            return StepValue(choices: [.null])
        }
        return StepValue(choices: items.map { single($0) })
    }

    private func single(_ node: YAMLNode) -> VariableValue {
        if case .scalar(let text, _) = node.content, text.contains("{{") {
            if let columns, !FeedNames.named(in: node).isEmpty {
                return FeedNames(columns: columns, mistakes: mistakes).value(text, at: node.place)
            }
            mistakes.add(
                "a value is taken as it stands; `{{…}}` has no meaning here", hint: "put the variable into the call",
                at: node.place)
        }
        return VariableValue(json: node.json)
    }
}
