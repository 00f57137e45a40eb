// How the virtual devices behave where Apple says nothing, or where a test wants it otherwise.

package import Basics

package struct DeviceSettings: Sendable {
    package enum Registration: Sendable { case any, registered }
    package enum EqualTimestamps: String, Sendable, CaseIterable { case apply, ignore }
    package enum ActivityTokenExpiry: Sendable, Equatable { case never, afterWholeLife, afterEnd(Interval) }
    package enum StoredWhenRestricted: String, Sendable, CaseIterable {
        case all
        case belowTen = "below-ten"
    }
    package enum ActivitySlots: String, Sendable, CaseIterable { case shared, own }

    /// `.any`: every well-formed token is accepted and remembered; `.registered`: unknown tokens are BadDeviceToken.
    package var registration: Registration
    /// Tokens remembered; beyond it `.any` accepts without remembering. Rounded up to a multiple of 64.
    package var tokenLimit = 1 << 24

    /// From `since` of a token's death to the first 410. An uninstall does not show at once (docs/apns.md §13, §15.12);
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
    /// When an activity's token begins to answer 410 ExpiredToken. Seen, but not when (§10, §13): "200 with silent drop
    /// at first, later 410". The default is the latest time at which anything of the activity can be left.
    package var activityTokenExpiry = ActivityTokenExpiry.afterWholeLife
    /// An update whose timestamp lies further back than this is dropped; an end is not. An engineer says so of "the
    /// past" (§10) without a measure; every push is a little in the past when it arrives, so the default is no limit
    /// beside that of the last update.
    package var pastLimit: Interval?

    /// The longest that APNs keeps a push for a device that is away, whatever its expiration (§12).
    package var storageLimit = Interval.seconds(30 * 86_400)
    /// §12 stores for a "power-restricted" device; §3 says that 10 is at once and that 5 and 1 heed the device's power.
    /// Default: below ten.
    package var storedWhenRestricted = StoredWhenRestricted.belowTen
    /// §12: one stored push per app and device. Whether Live Activities count is unsure; the rule names no exception.
    /// `.own`: each activity has a slot of its own, and each start.
    package var activitySlots = ActivitySlots.shared
    /// Priorities 5 and 1 may be batched (§12). How long a device that is online waits for the next batch; zero: not
    /// at all, so that an outcome does not wait for a clock.
    package var lowPriorityBatch = Interval.zero
    /// Devices kept that are away or share tokens.
    package var deviceLimit = 1 << 20

    /// What a device takes before it throttles; off unless set.
    package var budgets = DeviceBudgets()
    /// How phones behave.
    package var phones = PhoneSettings()
    /// How Android devices behave.
    package var android = AndroidSettings()

    package init(registration: Registration = .any) { self.registration = registration }
}
