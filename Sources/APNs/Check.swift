// The order of checks. It is observed in parts and unsure in others (spec/apns.md §7, §15.1), so it is one table of
// rows: another order is another array.

/// One row: what is checked, where that stands in spec/apns.md, and how.
package struct Check: Sendable {
    /// Kebab-case, for journals and tests.
    package let name: StaticString
    /// The section that says so.
    package let source: StaticString
    let judge: @Sendable (inout Inspection) -> Reason?

    init(_ name: StaticString, _ source: StaticString, _ judge: @escaping @Sendable (inout Inspection) -> Reason?) {
        self.name = name
        self.source = source
        self.judge = judge
    }

    /// From the first to the last. A row may use what earlier rows found (the token's place in the path, the JWT's
    /// place in `authorization`); each says so, and lets pass what was not found. One departure from the order proposed in §7: the update rate stands
    /// before the signature, because bogus tokens were seen to count.
    package static let order: [Check] = [
        Check("method", "§2.4, §7 (observed)", RequestChecks.method),
        Check("path", "§2.4", RequestChecks.path),
        Check("credential", "§2.4, §7 (observed)", CredentialChecks.presence),
        Check("token-update-rate", "§7 (observed before InvalidProviderToken), §8", CredentialChecks.updateRate),
        Check("connection-wedge", "§8 (observed)", CredentialChecks.wedge),
        Check("token-signature", "§8", CredentialChecks.signature),
        Check("token-age", "§8", CredentialChecks.age),
        Check("key-team", "§8 (observed)", CredentialChecks.team),
        Check("key-environment", "§6, §8, §13 (observed before BadDeviceToken)", CredentialChecks.environment),
        Check("key-relation", "§6, §8", CredentialChecks.relation),
        Check("binding", "§2.1, §8", CredentialChecks.bind),
        Check("duplicate-headers", "§2.4, order unsure", RequestChecks.duplicates),
        Check("apns-id", "§3, order unsure", RequestChecks.messageID),
        Check("push-type", "§3, §4, order unsure", RequestChecks.pushType),
        Check("topic-presence", "§3, §7 (observed before the token)", TopicChecks.presence),
        Check("topic-syntax", "§3, §6", TopicChecks.syntax),
        Check("topic-suffix", "§4 (observed)", TopicChecks.suffix),
        Check("topic-permission", "§6, §8", TopicChecks.permission),
        Check("expiration", "§3, order unsure", RequestChecks.expiration),
        Check("priority", "§3, order unsure", RequestChecks.priority),
        Check("background-priority", "§4, §15.2, unsure", RequestChecks.backgroundPriority),
        Check("collapse-id", "§3, order unsure", RequestChecks.collapseID),
        Check("body-presence", "§5, order unsure", BodyChecks.presence),
        Check("body-size", "§5, order unsure", BodyChecks.size),
        Check("body-form", "§5, §15.3, unsure", BodyChecks.form),
        Check("token-format", "§2.4, §3", TokenChecks.format),
        Check("token-known", "§6, §7 (observed)", TokenChecks.known),
        Check("token-topic", "§4, §6, §7 (observed)", TokenChecks.topic),
        Check("token-active", "§6, §13", TokenChecks.active),
        Check("token-rate", "§6, unsure", TokenChecks.rate),
    ]
}
