// What can be set, given and broken at the mock and the reference relay, in words.

import Conformance
import Devices
import Faults
import MockServer
import ReferenceRelay

extension KnowledgeTopic {
    static let settings = KnowledgeTopic(
        "settings",
        rows: {
            MockOptions.settings.map { ($0.name, "\($0.explanation): \($0.values) (default \($0.standard))") }
        },
        explain: { name in
            MockOptions.settings.first { $0.name == name }.map { setting in
                "\(name): \(setting.explanation).\nGive \(setting.values); the default is \(setting.standard). "
                    + "`pushrig mock --setting \(name)=…`, or mock.settings in a scenario.\n"
            }
        })

    static let credentials = KnowledgeTopic(
        "credentials", rows: { credentialKinds.map { ($0.key, $0.value) } },
        explain: { name in credentialKinds.first { $0.key == name }.map { "\(name): \($0.value).\n" } })

    private static let credentialKinds: KeyValuePairs<String, String> = [
        "team": "a provider key for all topics of a team in both environments: pushrig keys team",
        "environment": "a team's key for one environment: pushrig keys environment --environment sandbox",
        "topic": "a key for some bundle IDs in one environment: pushrig keys topic --environment sandbox --topic …",
        "certificate": "a client certificate with Apple's extensions: pushrig keys certificate --topic com.example.app",
        "expired": "a certificate past its last day: pushrig keys certificate --topic com.example.app --defect expired",
        "unknown-issuer": "a certificate of an authority that nobody knows (--defect unknown-issuer)",
        "not-a-provider": "a certificate without Apple's extensions and UID (--defect not-a-provider)",
        "malformed-topics": "a certificate whose list of topics is broken (--defect malformed-topics)",
    ]

    /// Words of fault rules, each with a rule that shows it in both languages.
    static let faults = KnowledgeTopic(
        "faults",
        rows: { FaultVocabulary.words.map { ($0.name, "\($0.kind.title): \($0.summary)") } },
        explain: { name in
            guard let word = FaultVocabulary.word(named: name) else { return nil }
            var text = "\(word.name): \(word.kind.title) of a fault rule. \(word.summary)\n"
            if !word.details.isEmpty { text += word.details + "\n" }
            return text + """
                Example, for the admin API, and in a scenario as an item of `faults`:
                  \(word.example)

                """
        })

    static let defects = KnowledgeTopic(
        "defects",
        rows: { Defect.allCases.map { ($0.rawValue, "breaks \(claims(brokenBy: $0))") } },
        explain: { name in
            Defect(rawValue: name).map { defect in
                "\(name): a defect of the reference relay (`pushrig relay --defect \(name)`); "
                    + "it breaks \(claims(brokenBy: defect)).\n"
                    + Claim.broken(by: name).map { "\($0.id): \($0.sentence)\n" }.joined()
            }
        })

    static let dialects = KnowledgeTopic(
        "dialects",
        rows: { RelayDialect.allCases.map { ($0.rawValue, "pushrig relay --dialect \($0.rawValue)") } },
        explain: { name in
            RelayDialect(rawValue: name).map {
                "\(name): a dialect of the reference relay, `pushrig relay --dialect \($0.rawValue)`.\n"
            }
        })

    private static func claims(brokenBy defect: Defect) -> String {
        Claim.broken(by: defect.rawValue).map(\.id).joined(separator: ", ")
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
