// What a push is, in fixed size and without heap: numbers and places in the request's own header block.

package import Basics
package import Pushes

/// What the rules read from a request. Filled as far as the checks came.
package struct PushFacts: Sendable {
    /// The token's place within the value of `:path`; empty when the path has none.
    package var token: Range<Int> = 0..<0
    /// Meaningful when the token's format was found good (see `hasTokenHash`).
    package var tokenHash = Hash128(high: 0, low: 0)
    package var hasTokenHash = false
    /// The token is a virtual phone's, as the directory said.
    package var isOnPhone = false
    /// The field of `apns-topic`.
    package var topicField: Int?
    /// As declared; if the header is absent, as the topic's suffix tells; nil when neither says.
    package var pushType: PushType?
    /// The topic is a Wallet pass's type: its push is `{}` (§5).
    package var isForPass = false
    /// Whether the header `apns-push-type` is given.
    package var hasPushType = false
    /// 1, 5 or 10.
    package var priority: UInt8 = 10
    package var hasPriority = false
    /// Unix seconds; nil when the header is absent.
    package var expiration: Int64?
    package var collapseField: Int?
    /// Thirty-one bits of the collapse id's hash, and never 0, where the header is given: what a device knows a
    /// visible notification by.
    package var collapseMark: UInt32 = 0
    /// The client's, or one made here.
    package var apnsID: UUIDBytes
    package var apnsIDGiven = false
    /// The field of the client's `apns-id`, for an echo in the client's own spelling; nil when one was made here.
    package var apnsIDField: Int?
    package var payload = PayloadFacts()
    /// Why the credential was refused; nil where it was not.
    package var credentialCause: CredentialCause?
    /// Given when the push type is `liveactivity`.
    package var activity: ActivityFacts?

    package init(apnsID: UUIDBytes) { self.apnsID = apnsID }
}

/// What a device would do with a payload that is no Live Activity's.
package struct PayloadFacts: Sendable, Equatable {
    /// The checks came as far as the body.
    package var isRead = false
    /// Well-formed JSON whose root is an object.
    package var isObject = false
    package var hasAlert = false
    package var hasBadge = false
    package var hasSound = false
    /// `content-available` is 1.
    package var isContentAvailable = false
    /// `content-changed` is true.
    package var isContentChanged = false
    /// What is wrong with single members: bits of `PushWarning`.
    package var warnings: UInt32 = 0

    package init() {}
}

/// The rules' answer to one request.
package struct APNsVerdict: Sendable {
    package var facts: PushFacts
    /// Nil: accepted.
    package var rejection: Reason? = nil
    /// With 410: milliseconds since 1970.
    package var timestampMilliseconds: Int64? = nil
    /// Which row of the table of checks refused it; nil when accepted.
    package var check: StaticString? = nil
}
