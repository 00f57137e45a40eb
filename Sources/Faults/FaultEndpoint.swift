// Which of a provider's endpoints a rule is about, and which reasons can be said there.

import Pushes

/// Where a request goes that a rule may meet.
package enum FaultEndpoint: String, Sendable, CaseIterable {
    /// Pushes; what a rule is about that names no endpoint.
    case send
    /// FCM's token endpoint, where access tokens are asked for.
    case token
    /// Subscriptions to topics, by FCM v1 and by Instance ID.
    case topic

    /// Whose endpoint it is; nil: every provider has it.
    var provider: Provider? { self == .send ? nil : .fcm }

    /// A request there, with its article.
    var call: String {
        switch self {
        case .send: "a push"
        case .token: "a request for an access token"
        case .topic: "a request about topics"
        }
    }
}

extension FaultAction {
    /// What cannot be said at that endpoint; nil: all can.
    func objection(at endpoint: FaultEndpoint) -> FaultObjection? {
        guard case .respond(let reason, _, _) = self else { return nil }
        let word = reason.word
        switch endpoint {
        case .send where reason.list == .oauth:
            return FaultObjection(
                "respond/reason", "\(word) is an error of the token endpoint", hint: #"add "endpoint": "token" to `match`"#)
        case .token where reason.list != .oauth:
            return FaultObjection(
                "respond/reason", "the token endpoint never answers \(word)",
                hint: "`pushrig list oauth-reasons` tells what it answers; any other answer has `status` and `body`")
        case .topic where reason.row.instanceIDWord == nil:
            return FaultObjection(
                "respond/reason", "the topics' endpoints never answer \(word)",
                hint: "they answer " + ReasonList.topicWords.joined(separator: ", "))
        default: return nil
        }
    }
}

extension FaultRule {
    /// It is about pushes one by one, and not about what else is asked of a provider.
    package var meetsSends: Bool { target == .push && (match.endpoint ?? .send) == .send }
}
