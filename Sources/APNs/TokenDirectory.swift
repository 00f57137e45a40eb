// What the rules ask the world of devices about a token.

package import Basics
package import Pushes

/// What is known about a token for a topic.
package enum TokenStanding: Sendable, Equatable {
    case active
    /// Likewise, and a virtual phone has it.
    case activeOnPhone
    /// Never issued, or of the other environment: BadDeviceToken.
    case unknown
    /// Belongs to another topic: DeviceTokenNotForTopic.
    case otherTopic
    /// 410 Unregistered; the milliseconds since 1970 at which that was established.
    case unregistered(sinceMilliseconds: Int64)
    /// 410 ExpiredToken; as above.
    case expired(sinceMilliseconds: Int64)
    /// TooManyRequests.
    case tooMany
}

/// Knows tokens. Asked from every loop's thread, once per push that passed all checks before the token's own.
package protocol TokenDirectory: AnyObject, Sendable {
    /// `token` as sent (checked hex digits), `topic` with its suffix.
    func standing(
        of token: Span<UInt8>, hash: Hash128, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding
}
