// What a message is, in fixed size and without heap: numbers and places in the request's own path and body.

package import Basics
package import Pushes

/// Whom a message goes to.
package enum MessageTarget: UInt8, Sendable { case none, token, fid, topic, condition }

/// What the rules read from a send. Filled as far as the checks came.
package struct MessageFacts: Sendable {
    /// The project's place within the value of `:path`; empty when the path has none.
    package var project: Range<Int> = 0..<0
    package var target = MessageTarget.none
    /// The target's place within the body, between its quotes.
    package var targetText: Range<Int> = 0..<0
    package var tokenHash = Hash128(high: 0, low: 0)
    /// `validate_only`: nothing is delivered.
    package var isDryRun = false
    package var hasNotification = false
    package var hasData = false
    /// Nil: not said.
    package var isHighPriority: Bool?
    /// Whole seconds; nil: not said, which is four weeks.
    package var timeToLive: Int64?
    /// Thirty-one bits of its hash, and never 0, where one is given.
    package var collapseMark: UInt32 = 0
    /// `apns.live_activity_token`, between its quotes; empty: none.
    package var liveActivityToken: Range<Int> = 0..<0
    /// `apns.payload`, brackets included; empty: none.
    package var apnsPayload: Range<Int> = 0..<0
    /// Of `apns.headers`, between their quotes; empty: not given.
    package var apnsTopic: Range<Int> = 0..<0
    package var apnsPriority: Range<Int> = 0..<0
    package var apnsExpiration: Range<Int> = 0..<0
    package var apnsCollapseID: Range<Int> = 0..<0
    /// `aps.event` in there.
    package var event: ActivityEvent?
    package var hasUnknownEvent = false
    /// `aps.timestamp` in there.
    package var stamp: Int64?

    package init() {}

    package var isLiveActivity: Bool { !liveActivityToken.isEmpty }
}

/// The rules' answer to one send.
package struct FCMVerdict: Sendable {
    package var facts: MessageFacts
    /// Nil: accepted.
    package var rejection: FCMReason? = nil
    /// Which row of the table of checks refused it; nil when accepted.
    package var check: StaticString? = nil
}

/// What the mock holds of a registration.
package enum RegistrationStanding: Sendable {
    case active
    /// Well-formed and gone, or never heard of where only known ones are taken.
    case unregistered
    case ofOtherProject
}

/// Who knows registrations.
package protocol RegistrationDirectory: Sendable {
    func standing(
        of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>, now: WallTime
    ) -> RegistrationStanding

    /// Whether the registration is of the app of that name; true where nobody knows.
    func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool

    /// Whether the registration is of an Android app; true where nobody knows.
    func isAndroid(_ hash: Hash128) -> Bool
}

extension RegistrationDirectory {
    package func isAndroid(_ hash: Hash128) -> Bool { true }
}

/// What an access token allows.
package struct AccessGrant: Hashable, Sendable {
    /// The project of the account; UTF-8.
    package var project: [UInt8]
    /// Of the run's wall time.
    package var expiresAt: WallTime
    /// It was asked for with a scope that allows sending.
    package var maySend: Bool

    package init(project: [UInt8], expiresAt: WallTime, maySend: Bool) {
        self.project = project
        self.expiresAt = expiresAt
        self.maySend = maySend
    }
}

/// Who knows access tokens.
package protocol AccessDirectory: Sendable {
    /// Nil: it is none of ours.
    func grant(of accessToken: Span<UInt8>) -> AccessGrant?
}

/// A key of data and the text under it.
package struct DataEntry: Hashable, Sendable {
    package var key, text: String

    /// As `KEY=TEXT`, each of 1 to 64 bytes.
    package init?(_ words: String) {
        let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ 1...64 ~= $0.utf8.count }) else { return nil }
        (key, text) = (parts[0], parts[1])
    }
}

/// How the names of messages to registrations end (docs/fcm.md §3).
package enum MessageIDForm: String, CaseIterable, Sendable {
    /// As in the sample of Google's documentation: `0:`, microseconds, `%`, and eight hex digits twice.
    case sample
    case uuid
    case number
}

/// What a subscription that is not there is told of as (§9.8), beside 404 NOT_FOUND.
package enum MissingSubscriptionForm: String, CaseIterable, Sendable {
    /// Without details.
    case bare
    /// With the code that a registration has that is gone, which this one is not.
    case unregistered = "UNREGISTERED"
}

/// What is open in the facts (docs/fcm.md, Settings).
package struct FCMSettings: Sendable {
    /// Most bytes of keys and values together (§2.4); nil: only the bound of a body, 64 KiB.
    package var sizeLimit: Int? = 4_096
    /// Most bytes of a message to a topic or condition; nil: as `sizeLimit`, for the published 2048 are not enforced (§2.4).
    package var topicSizeLimit: Int?
    /// Whether a send without a good access token is refused. A mock that asks for none serves clients that have none.
    package var demandsAccessToken = true
    /// Whether answers are packed for whoever offers gzip (§1.2).
    package var compressesAnswers = true

    /// Messages of a project in a minute, 4xx included (§4); nil: no limit.
    package var messagesPerMinuteAndProject: Int? = 600_000
    /// Messages to one Android registration (§4); nil: no limit.
    package var messagesPerMinuteAndDevice: Int? = 240
    package var messagesPerHourAndDevice: Int? = 5_000
    /// Subscriptions to topics of a project in a second (§4); nil: no limit.
    package var topicSubscriptionsPerSecond: Int? = 3_000
    /// Seconds of `retry-after` with QUOTA_EXCEEDED, RATE_LIMIT_EXCEEDED and too many subscriptions; nil: without (§9.1). A
    /// minute is what Google has senders wait where it says nothing.
    package var quotaRetryAfter: Int? = 60
    /// Seconds of `retry-after` with UNAVAILABLE and SERVICE_UNAVAILABLE; nil: without (§4). Ten at least, for nobody is to
    /// come again sooner.
    package var unavailableRetryAfter: Int?
    package var messageIDs = MessageIDForm.sample
    package var missingSubscription = MissingSubscriptionForm.bare
    /// An Android registration without a sign of life is gone after that long (§5); nil: never.
    package var registrationLife: Interval? = .seconds(270 * 86_400)
    /// The key of data that names the activity of a live update; nil: messages are not told apart. No key is Google's.
    package var liveUpdateKey: String?
    /// The key of data whose whole number an app tells by which state of an activity is newer; nil: it knows, by the order in
    /// which FCM took them.
    package var liveUpdateStamp: String?
    /// What stands in the data of an activity's end; nil: nothing tells an end.
    package var liveUpdateEnd: DataEntry?

    package init() {}
}
