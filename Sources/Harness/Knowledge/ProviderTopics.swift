// What APNs answers, takes in silence and demands, and what a device does with a push, in words.

import APNs
import FCM
import Pushes

extension KnowledgeTopic {
    static let reasons = KnowledgeTopic(
        "reasons",
        rows: { Reason.allCases.map { ("\($0.status) \($0.word)", $0.explanation) } },
        names: { Reason.allCases.map { "\($0.word)" } },
        explain: { name in
            Reason(word: name).map { "\(name): APNs answers \($0.status).\n\($0.explanation)\n" }
        })

    /// A word may stand in the list of pushes, in that of broadcasts, or in both with its own explanation.
    static let broadcastReasons = KnowledgeTopic(
        "broadcast-reasons",
        rows: { BroadcastReason.allCases.map { ("\($0.status) \($0.word)", $0.explanation) } },
        names: { BroadcastReason.allCases.map { "\($0.word)" } },
        explain: { name in
            BroadcastReason(word: name).map {
                "\(name), on broadcasts and channels: APNs answers \($0.status).\n\($0.explanation)\n"
            }
        })

    /// FCM's own code, where several reasons share it, is told beside.
    static let fcmReasons = KnowledgeTopic(
        "fcm-reasons",
        rows: { FCMReason.allCases.map { ("\($0.status) \($0.word)", $0.explanation) } },
        names: { FCMReason.allCases.map { "\($0.word)" } },
        explain: { name in
            FCMReason(word: name).map { reason in
                let code = reason.errorCode.map { ", errorCode \($0)" } ?? ", without an errorCode"
                return "\(name): FCM answers \(reason.status)\(code).\n\(reason.explanation)\nWhat to do: \(reason.advice)\n"
            }
        })

    /// Of the token endpoint, for the most part in lower case: OAuth's own words.
    static let oauthReasons = KnowledgeTopic(
        "oauth-reasons",
        rows: { ReasonList.oauth.rows.map { ("\($0.status) \($0.word)", $0.explanation) } },
        names: { ReasonList.oauth.words },
        explain: { name in
            NamedReason(word: name, in: .oauth).map {
                "\(name): FCM's token endpoint answers \($0.status).\n\($0.row.explanation)\n"
            }
        })

    static let pushTypes = KnowledgeTopic(
        "push-types",
        rows: { PushType.allCases.map { ("\($0.word)", demands(of: $0)) } },
        explain: { name in
            PushType.allCases.first { "\($0.word)" == name }.map { "\(name): a push type, \(demands(of: $0)).\n" }
        })

    static let outcomes = KnowledgeTopic(
        "outcomes",
        rows: { Outcome.allCases.map { ("\($0.word)", $0.explanation) } },
        explain: { name in
            guard let outcome = Outcome.allCases.first(where: { "\($0.word)" == name }) else { return nil }
            let screen = outcome.changedScreen ? "The screen changes." : "The screen stays as it is."
            return "\(name): what a device did with a push.\n\(outcome.explanation)\n\(screen)\n"
        })

    static let causes = KnowledgeTopic(
        "causes",
        rows: { CredentialCause.allCases.map { ("\($0.word)", $0.explanation) } },
        explain: { name in
            CredentialCause.allCases.first { "\($0.word)" == name }.map {
                "\(name): why a provider token is refused.\n\($0.explanation)\n"
            }
        })

    static let warnings = KnowledgeTopic(
        "warnings",
        rows: { PushWarning.allCases.map { ("\($0.word)", $0.explanation) } },
        explain: { name in
            PushWarning.allCases.first { "\($0.word)" == name }.map {
                "\(name): APNs takes such a push without a word.\n\($0.explanation)\n"
            }
        })

    private static func demands(of type: PushType) -> String {
        let suffix = "\(type.topicSuffix)"
        return (suffix.isEmpty ? "the topic is the bundle ID" : "the topic ends with \(suffix)")
            + ", at most \(type.maxPayloadBytes) bytes"
    }
}
