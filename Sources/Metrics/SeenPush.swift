// A push as correlator and rules see it: flat and without text, so that what is open of a run fits in memory.

package import Basics
package import Pushes

/// Texts are numbers into the run's `Texts`; -1 is none.
package struct SeenPush: Hashable, Sendable {
    package struct Flags: OptionSet, Hashable, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Carries a marker of this run: `session` and `step` are meant.
        package static let isMarked = Flags(rawValue: 1)
        /// The relay chose `apnsID` itself.
        package static let gaveAPNsID = Flags(rawValue: 2)
        /// The field apns-priority was there.
        package static let gavePriority = Flags(rawValue: 4)
        /// The answer never left us, so the relay cannot know it.
        package static let isAnswerUndelivered = Flags(rawValue: 8)
        /// `aps.event` was there, and is none of the three words.
        package static let hasUnknownEvent = Flags(rawValue: 16)
        /// A start asks for an update token.
        package static let asksForToken = Flags(rawValue: 32)
        /// `apns-expiration` counts otherwise than in seconds since 1970: see `otherUnit`.
        package static let expiresInMilliseconds = Flags(rawValue: 64)
        package static let expiresRelative = Flags(rawValue: 1 << 20)
        package static let expiresInMinutes = Flags(rawValue: 1 << 21)
        /// An update has an `alert` in its `aps`: the phone makes itself heard.
        package static let alerts = Flags(rawValue: 128)
        /// A start's `alert` has neither title nor body: the phone shows a card and stays quiet.
        package static let isQuietStart = Flags(rawValue: 256)
        /// A message to FCM has a `notification`, for all or for Android.
        package static let hasNotification = Flags(rawValue: 512)
        /// A message to FCM is of a Live Activity on an iPhone: it bears such a token, or what only an activity is told.
        package static let isForApple = Flags(rawValue: 16_384)
        /// Its call declares what such a push looks like.
        package static let isDeclared = Flags(rawValue: 1024)
        /// The fields apns-expiration, apns-collapse-id were there.
        package static let gaveExpiration = Flags(rawValue: 2048)
        package static let gaveCollapseID = Flags(rawValue: 4096)
        /// The field apns-push-type was not there: APNs takes it for an alert.
        package static let lacksType = Flags(rawValue: 8192)
        /// The notification of a message to FCM has a tag: it takes the place of the one before.
        package static let hasTag = Flags(rawValue: 32_768)
        /// What it says was held against what its call said.
        package static let isCompared = Flags(rawValue: 65_536)
        /// FCM passes on what APNs said of a message (docs/fcm.md §3).
        package static let isWordOfAPNs = Flags(rawValue: 131_072)
        /// Somebody looked whether a server is there: no push at all, by its method and its path.
        package static let isProbe = Flags(rawValue: 1 << 22)
    }

    /// The flags of an expiration that is not in seconds since 1970, and the unit as which it is known.
    package static let expirations: [(flag: Flags, form: DateForm)] = [
        (.expiresInMilliseconds, .milliseconds), (.expiresRelative, .relative), (.expiresInMinutes, .minutes),
    ]

    /// What `apns-expiration` counts where that is not seconds since 1970, in words.
    package var otherUnit: String? {
        Self.expirations.first { flags.contains($0.flag) }.flatMap(\.form.otherUnit)
    }

    /// A long ID and what was made of it: a number for each.
    package struct Shortened: Hashable, Sendable {
        package var meant: UInt64
        package var given: UInt64

        package init(meant: UInt64, given: UInt64) {
            self.meant = meant
            self.given = given
        }
    }

    /// The journal's entry id.
    package var id: UInt64
    package var arrivedAt: Instant
    /// When the answer left: arrival plus the delay a fault asked for.
    package var answeredAt: Instant
    package var arrivedWall: WallTime
    /// The `timestamp` in the answer's body (410) in Unix milliseconds, or 0.
    package var diedMilliseconds: Int64 = 0
    /// `aps.timestamp`, when it is an integer.
    package var stamp: Int64?
    /// `aps.dismissal-date`, when it is an integer.
    package var dismissal: Int64?
    package var token: TokenHash
    /// What a message for a Live Activity has beside its registration.
    package var activityToken: TokenHash?
    /// The `collapse_key` of a message to an Android app that may wait for its device, as a number; 0: none.
    package var waitsUnder: UInt64 = 0
    package var connection: UInt64 = 0
    package var apnsID = UUIDBytes(high: 0, low: 0)
    /// Of the payload as it is held: half of its `Hash128`.
    package var payloadHash = 0
    package var payloadCount: Int32 = 0
    /// Of what the payload says, in whatever order and but for when (`timestamp`, `stale-date`, `dismissal-date`, times in a
    /// message's data); 0: not looked at, which it is for pushes that were refused for good, and those to their tokens from
    /// then on.
    package var saying = 0
    /// The `authorization` field.
    package var authorization: Int32 = -1
    package var topic: Int32 = -1
    /// The provider's word for its refusal.
    package var reason: Int32 = -1
    /// Why the app's types cannot decode what it carries, by the profile's schemas.
    package var undecodable: Int32 = -1
    /// What the profile's schemas say against it although it decodes.
    package var contractBreak: Int32 = -1
    /// What was passed on otherwise than it was given to the relay.
    package var alteration: Int32 = -1
    /// A value that its call says nothing of, shown otherwise than it was.
    package var lapse: Int32 = -1
    /// A number that has fallen since the card's push before, where it must not.
    package var fall: Int32 = -1
    /// A number of seconds that is not that since the session began, or has not run on with the clock since its push before.
    package var drift: Int32 = -1
    /// What a start lacks, what the end of an activity that grew too old does not show, and what a message to FCM for a Live
    /// Activity has not.
    package var startLack: Int32 = -1
    /// Where it is not as its call declares: a number of the run's `Deviations`.
    package var deviation: Int32 = -1
    package var faultRule: UInt32 = 0
    /// One more than the number of the account whose token this is; 0: of none that is open.
    package var owner: UInt32 = 0
    package var session: UInt32 = 0
    package var step: UInt32 = 0
    /// 0: never answered.
    package var status: UInt16
    package var provider = Provider.apns
    /// Of FCM `liveactivity` where the message is a Live Update's, else `alert`.
    package var type: PushType
    package var event: ActivityEvent?
    package var outcome: Outcome?
    package var environment = PushEnvironment.production
    /// 10 where the field is absent, as Apple reads it; of FCM 10 for high and 5 for normal, and for none.
    package var priority: UInt8 = 10
    /// Where its call declares a collapse ID that is longer than APNs takes.
    package var shortened: Shortened?
    package var flags: Flags = []

    package init(
        id: UInt64, arrivedAt: Instant, answeredAt: Instant, arrivedWall: WallTime, token: TokenHash, status: UInt16,
        type: PushType
    ) {
        self.id = id
        self.arrivedAt = arrivedAt
        self.answeredAt = answeredAt
        self.arrivedWall = arrivedWall
        self.token = token
        self.status = status
        self.type = type
    }

    /// Session and step of the marker; of no meaning without one.
    package var place: UInt64 { EventNumber.place(session: session, step: step) }
    package var isMarked: Bool { flags.contains(.isMarked) }
    package var isAccepted: Bool { status == 200 }
    package var metFault: Bool { faultRule != 0 }
    package var isLiveActivity: Bool { type == .liveactivity }
    /// Which token a refusal that speaks of one means: what APNs says of a message for a Live Activity is said of the
    /// activity's (docs/fcm.md §6). 404 is FCM's word for a registration, whatever stands beside it.
    package var refusedToken: TokenHash {
        flags.contains(.isWordOfAPNs) && status == 400 ? activityToken ?? token : token
    }
    /// Refused in a way that may pass: too many requests, or a failure of the provider's.
    package var isRefusedForNow: Bool { status == 429 || status >= 500 }
    /// Refused in a way after which the same push is not to be sent again, or not before something is mended.
    package var isRefusedForGood: Bool { status >= 400 && !isRefusedForNow }

    /// What makes two requests the same push: provider, token, type and marker; or without a marker the payload, and the
    /// apns-id where the relay chose one.
    package var identity: PushIdentity {
        var identity = PushIdentity(provider: provider, token: token, type: type)
        if let name { (identity.place, identity.id) = name }
        if !isMarked { identity.payload = payloadHash }
        return identity
    }

    /// The same, whatever the payload is: by marker or the relay's own apns-id. Nil without either, for the same words may be
    /// another push.
    package var namedIdentity: PushIdentity? {
        name.map { PushIdentity(provider: provider, token: token, type: type, place: $0.place, id: $0.id) }
    }

    private var name: (place: UInt64, id: UUIDBytes)? {
        if isMarked { return (place, UUIDBytes(high: 0, low: 0)) }
        return flags.contains(.gaveAPNsID) ? (.max, apnsID) : nil
    }
}

package struct PushIdentity: Hashable, Sendable {
    var provider: Provider
    var token: TokenHash
    var type: PushType
    var place = UInt64.max
    var payload = 0
    var id = UUIDBytes(high: 0, low: 0)
}

/// Texts that many pushes share, each once, known by its number.
package struct Texts: Sendable {
    private var numbers: [String: Int32] = [:]
    private var list: [String] = []
    /// Texts beyond these are all one, so that a hostile relay does not fill memory.
    private static let most = 100_000

    package init() {}

    package subscript(number: Int32) -> String { number < 0 ? "" : list[Int(number)] }

    package func number(of text: String) -> Int32? { numbers[text] }

    package mutating func intern(_ text: String) -> Int32 {
        if let known = numbers[text] { return known }
        guard list.count < Self.most else { return intern(overflow: "…") }
        let number = Int32(list.count)
        list.append(text)
        numbers[text] = number
        return number
    }

    private mutating func intern(overflow text: String) -> Int32 {
        if let known = numbers[text] { return known }
        list.append(text)
        numbers[text] = Int32(list.count - 1)
        return Int32(list.count - 1)
    }
}
