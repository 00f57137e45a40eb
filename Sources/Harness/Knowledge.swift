// What there is, in words: for `pushrig list` and `pushrig explain`.

import APNs
package import Basics
import Conformance
import Devices
import Faults
import MockServer
import Pushes
import ReferenceRelay

package enum Knowledge {
    package static let kinds = [
        "reasons", "broadcast-reasons", "push-types", "outcomes", "warnings", "rules", "settings", "credentials", "faults",
        "defects",
        "dialects",
    ]

    private static let credentials: KeyValuePairs<String, String> = [
        "team": "a provider key for all topics of a team in both environments: pushrig keys team",
        "environment": "a team's key for one environment: pushrig keys environment --environment sandbox",
        "topic": "a key for some bundle IDs in one environment: pushrig keys topic --environment sandbox --topic …",
        "certificate": "a client certificate with Apple's extensions: pushrig keys certificate --topic com.example.app",
        "expired": "a certificate past its last day: pushrig keys certificate --topic com.example.app --defect expired",
        "unknown-issuer": "a certificate of an authority that nobody knows (--defect unknown-issuer)",
        "not-a-provider": "a certificate without Apple's extensions and UID (--defect not-a-provider)",
        "malformed-topics": "a certificate whose list of topics is broken (--defect malformed-topics)",
    ]

    package static func list(_ kind: String) throws(Failure) -> String {
        let rows: [(String, String)]
        switch kind {
        case "reasons": rows = Reason.allCases.map { ("\($0.status) \($0.word)", $0.explanation) }
        case "broadcast-reasons":
            rows = BroadcastReason.allCases.map { ("\($0.status) \($0.word)", $0.explanation) }
        case "push-types":
            rows = PushType.allCases.map { ("\($0.word)", demands(of: $0)) }
        case "outcomes":
            rows = Outcome.allCases.map { ("\($0.word)", $0.explanation) }
        case "warnings": rows = PushWarning.allCases.map { ("\($0.word)", $0.explanation) }
        case "rules": rows = RuleBook.all.map { ("\($0.id)", "\($0.level.rawValue), \($0.claim): \($0.requirement)") }
        case "settings":
            rows = MockOptions.settings.map { ($0.name, "\($0.explanation): \($0.values) (default \($0.standard))") }
        case "credentials": rows = credentials.map { ($0.key, $0.value) }
        case "faults": rows = FaultVocabulary.words.map { ($0.name, "\($0.kind.title): \($0.summary)") }
        case "defects": rows = Defect.allCases.map { ($0.rawValue, "breaks \($0.claim)") }
        case "dialects": rows = RelayDialect.allCases.map { ($0.rawValue, "pushrig relay --dialect \($0.rawValue)") }
        default:
            throw Failure(.usage, "there is no list of '\(kind)'", hint: Suggestion.hint(for: kind, among: kinds))
        }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }.joined(separator: "\n")
            + "\n"
    }

    package static func explain(_ name: String) throws(Failure) -> String {
        if let text = explainReason(name) { return text }
        if let rule = RuleBook.rule(named: name) {
            return "\(rule.id) (\(rule.claim), \(rule.level.rawValue))\n\(rule.requirement)\nNorm: \(rule.norm)\n"
        }
        if let setting = MockOptions.settings.first(where: { $0.name == name }) {
            return "\(name): \(setting.explanation).\nGive \(setting.values); the default is "
                + "\(setting.standard). `pushrig mock --setting \(name)=…`, or mock.settings in a "
                + "scenario.\n"
        }
        // Some words name a kind of key and a criterion of faults.
        let credential = credentials.first { $0.key == name }.map { "\(name): \($0.value).\n" }
        let fault = FaultVocabulary.word(named: name).map(explain)
        if credential != nil || fault != nil { return (credential ?? "") + (fault ?? "") }
        if let outcome = Outcome.allCases.first(where: { "\($0.word)" == name }) {
            let screen = outcome.changedScreen ? "The screen changes." : "The screen stays as it is."
            return "\(name): what a device did with a push.\n\(outcome.explanation)\n\(screen)\n"
        }
        if let warning = PushWarning.allCases.first(where: { "\($0.word)" == name }) {
            return "\(name): APNs takes such a push without a word.\n\(warning.explanation)\n"
        }
        if let type = PushType.allCases.first(where: { "\($0.word)" == name }) {
            return "\(name): a push type, \(demands(of: type)).\n"
        }
        if let defect = Defect(rawValue: name) {
            return "\(name): a defect of the reference relay; it breaks claim \(defect.claim).\n"
        }
        let known =
            Reason.allCases.map { "\($0.word)" } + BroadcastReason.allCases.map { "\($0.word)" }
            + PushType.allCases.map { "\($0.word)" } + Outcome.allCases.map { "\($0.word)" }
            + PushWarning.allCases.map { "\($0.word)" }
            + RuleBook.all.map(\.id) + FaultVocabulary.words.map(\.name) + Defect.allCases.map(\.rawValue)
            + MockOptions.settings.map(\.name) + credentials.map(\.key)
        throw Failure(
            .usage, "nothing is known of '\(name)'",
            hint: Suggestion.nearest(to: name, among: known).map { "did you mean `\($0)`?" }
                ?? "`pushrig list KIND` tells what there is: \(kinds.joined(separator: ", "))")
    }

    private static func demands(of type: PushType) -> String {
        let suffix = "\(type.topicSuffix)"
        return (suffix.isEmpty ? "the topic is the bundle ID" : "the topic ends with \(suffix)")
            + ", at most \(type.maxPayloadBytes) bytes"
    }

    /// A word may stand in the list of pushes, in that of broadcasts, or in both with its own explanation.
    private static func explainReason(_ name: String) -> String? {
        var text = ""
        if let reason = Reason(word: name) {
            text += "\(name): APNs answers \(reason.status).\n\(reason.explanation)\n"
        }
        if let reason = BroadcastReason(word: name) {
            text += "\(name), on broadcasts and channels: APNs answers \(reason.status).\n\(reason.explanation)\n"
        }
        return text.isEmpty ? nil : text
    }

    /// A word of fault rules, with a rule that shows it in both languages.
    private static func explain(_ word: FaultWord) -> String {
        var text = "\(word.name): \(word.kind.title) of a fault rule. \(word.summary)\n"
        if !word.details.isEmpty { text += word.details + "\n" }
        return text + """
            Example, for the admin API, and in a scenario as an item of `faults`:
              \(word.example)

            """
    }
}

extension FaultWord.Kind {
    fileprivate var title: String {
        switch self {
        case .action: "action"
        case .criterion: "match"
        case .life: "life"
        }
    }
}
