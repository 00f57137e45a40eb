// The order of checks. It is observed in parts and unsure in others (docs/apns.md §7, §15.1), so it is one table of
// rows: another order is another array.

import Basics
import HTTP
package import Pushes

/// One row of the table of `/3/device`.
package typealias Check = CheckRow<DeviceStep, Never>

extension CheckRow where Step == DeviceStep, Scope == Never {
    /// From the first to the last. A row may use what earlier rows found (the token's place in the path, the JWT's
    /// place in `authorization`); each says so, and lets pass what was not found. One departure from the order proposed
    /// in §7: the update rate stands before the signature, because bogus tokens were seen to count.
    package static var order: [Check] { deviceChecks }
}

private let deviceChecks: [Check] = [
    Check(.method, "method", "§2.4, §7 (observed)"),
    Check(.path, "path", "§2.4"),
    Check(.credential, "credential", "§2.4, §7 (observed)"),
    Check(.tokenUpdateRate, "token-update-rate", "§7 (observed before InvalidProviderToken), §8"),
    Check(.connectionWedge, "connection-wedge", "§8 (observed)"),
    Check(.tokenSignature, "token-signature", "§8"),
    Check(.tokenAge, "token-age", "§8"),
    Check(.keyTeam, "key-team", "§8 (observed)"),
    Check(.keyEnvironment, "key-environment", "§6, §8, §13 (observed before BadDeviceToken)"),
    Check(.keyRelation, "key-relation", "§6, §8"),
    Check(.binding, "binding", "§2.1, §8"),
    Check(.duplicateHeaders, "duplicate-headers", "§2.4, order unsure"),
    Check(.messageID, "apns-id", "§3, order unsure"),
    Check(.pushType, "push-type", "§3, §4, order unsure"),
    Check(.topicPresence, "topic-presence", "§3, §7 (observed before the token)"),
    Check(.topicSyntax, "topic-syntax", "§3, §6"),
    Check(.topicSuffix, "topic-suffix", "§4 (observed)"),
    Check(.topicPermission, "topic-permission", "§6, §8"),
    Check(.expiration, "expiration", "§3, order unsure"),
    Check(.priority, "priority", "§3, order unsure"),
    Check(.backgroundPriority, "background-priority", "§4, §15.2, unsure"),
    Check(.collapseID, "collapse-id", "§3, order unsure"),
    Check(.bodyPresence, "body-presence", "§5, order unsure"),
    Check(.bodySize, "body-size", "§5, order unsure"),
    Check(.bodyForm, "body-form", "§5, §15.3, unsure"),
    Check(.tokenFormat, "token-format", "§2.4, §3"),
    Check(.tokenKnown, "token-known", "§6, §7 (observed)"),
    Check(.tokenTopic, "token-topic", "§4, §6, §7 (observed)"),
    Check(.tokenActive, "token-active", "§6, §13"),
    Check(.tokenRate, "token-rate", "§6, unsure"),
]

/// The rows' functions by number.
package enum DeviceStep: UInt8, Sendable {
    case method, path, credential, tokenUpdateRate, connectionWedge, tokenSignature, tokenAge, keyTeam
    case keyEnvironment, keyRelation, binding, duplicateHeaders, messageID, pushType, topicPresence, topicSyntax
    case topicSuffix, topicPermission, expiration, priority, backgroundPriority, collapseID, bodyPresence, bodySize
    case bodyForm, tokenFormat, tokenKnown, tokenTopic, tokenActive, tokenRate
}

extension CheckContext {
    /// As `Array.firstObjection`, written out: through a closure the thirty rows cost a tenth more.
    func firstObjection(
        in steps: [DeviceStep], _ it: inout Inspection, _ head: HeaderBlock, _ body: ByteBuffer,
        _ connection: ProviderConnection
    ) -> (index: Int, reason: Reason)? {
        for index in steps.indices {
            let objection: Reason? =
                switch steps[index] {
                case .method: RequestChecks.method(&it, head)
                case .path: RequestChecks.path(&it, head)
                case .credential: CredentialChecks.presence(&it, head, connection, self)
                case .tokenUpdateRate: CredentialChecks.updateRate(&it, head, connection, self)
                case .connectionWedge: CredentialChecks.wedge(&it, connection, self)
                case .tokenSignature: CredentialChecks.signature(&it, head, self)
                case .tokenAge: CredentialChecks.age(&it, connection, self)
                case .keyTeam: CredentialChecks.team(&it, connection)
                case .keyEnvironment: CredentialChecks.environment(&it, self)
                case .keyRelation: CredentialChecks.relation(&it, connection)
                case .binding: CredentialChecks.bind(&it, head, connection, self)
                case .duplicateHeaders: RequestChecks.duplicates(&it)
                case .messageID: RequestChecks.messageID(&it)
                case .pushType: RequestChecks.pushType(&it, head)
                case .topicPresence: TopicChecks.presence(&it, head, connection)
                case .topicSyntax: TopicChecks.syntax(&it, head)
                case .topicSuffix: TopicChecks.suffix(&it)
                case .topicPermission: TopicChecks.permission(&it, head, connection, self)
                case .expiration: RequestChecks.expiration(&it, head)
                case .priority: RequestChecks.priority(&it, head)
                case .backgroundPriority: RequestChecks.backgroundPriority(&it, self)
                case .collapseID: RequestChecks.collapseID(&it, head, self)
                case .bodyPresence: BodyChecks.presence(body)
                case .bodySize: BodyChecks.size(&it, body)
                case .bodyForm: BodyChecks.form(&it, body, self)
                case .tokenFormat: TokenChecks.format(&it, head, self)
                case .tokenKnown: TokenChecks.known(&it, head, self)
                case .tokenTopic: TokenChecks.topic(&it, head, self)
                case .tokenActive: TokenChecks.active(&it, head, self)
                case .tokenRate: TokenChecks.rate(&it, head, self)
                }
            if let objection { return (index, objection) }
        }
        return nil
    }
}
