// How the virtual devices behave where Apple says nothing, or where a test wants it otherwise.

package import Basics

package struct DeviceSettings: Sendable {
    package enum Registration: Sendable { case any, registered }
    package enum EqualTimestamps: Sendable { case apply, ignore }

    /// `.any`: every well-formed token is accepted and remembered; `.registered`: unknown tokens are BadDeviceToken.
    package var registration: Registration
    /// Tokens remembered; beyond it `.any` accepts without remembering. Rounded up to a multiple of 64.
    package var tokenLimit = 1 << 24

    /// From `since` of a token's death to the first 410. An uninstall does not show at once (spec/apns.md §13, §15.12);
    /// the delay is unknown, so the default is none, which is what a test that sets a token dead expects.
    package var unregisteredDelay = Interval.zero

    /// Pushes to one token within one second, beyond which it is TooManyRequests; nil: no limit. No rate is published
    /// (§6, §15.4).
    package var pushesPerSecondAndToken: Int?

    /// Two updates with one second in their timestamps: `aps.timestamp` has whole seconds, and Apple says that an
    /// update *older* than the last is ignored (§10), so an equal one is applied and the last to arrive is shown. A
    /// relay that sends two states in one second gets the right one shown if it keeps their order; `.ignore` is the stricter
    /// device for which stamps must grow strictly.
    package var equalTimestamps = EqualTimestamps.apply
    /// A timestamp further ahead than this is dropped (§10, an engineer's word about updates; taken for all events).
    package var futureLimit = Interval.seconds(8 * 3600)
    /// False: a timestamp from the future is applied, and makes every later correct push look old.
    package var ignoresFuture = true

    /// An activity is active that long, then the system ends it (§10).
    package var activeLife = Interval.seconds(8 * 3600)
    /// After that long nothing of it is left on the Lock Screen (§10).
    package var wholeLife = Interval.seconds(12 * 3600)
    /// An ended activity stays on the Lock Screen that long unless told otherwise, and no longer when told (§10).
    package var longestDismissal = Interval.seconds(4 * 3600)
    /// Whether an activity's token answers 410 ExpiredToken once the whole life is over. Seen, but not when (§10, §13).
    package var activityTokensExpire = true

    package init(registration: Registration = .any) { self.registration = registration }
}
