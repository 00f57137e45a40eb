// What the plan says should happen, and the words for what did.

package import Basics
package import Pushes

/// What became of an expectation (the first seven: each is in exactly one), or what a push was beyond an expectation.
package enum DeliveryClass: String, CaseIterable, Hashable, Sendable {
    /// Accepted in time: right token, type, event and content.
    case delivered
    /// Not accepted, but a newer state of the same activity was by the time it was due, and the profile allows that; or its
    /// card had been told the same before.
    case superseded
    /// Accepted after its deadline.
    case late
    case lost
    /// Not accepted, and a named fault or outage of ours explains it.
    case excused
    /// We never sent its event: what it has to say was not there, a queue of ours was full, or we held the relay down.
    case unsent
    /// Not accepted, but it is due after the end of the run, or what it waited for never came.
    case undecided

    /// Sent again, whatever came of it, though it had its 200 at that token, and the relay knew.
    case duplicated
    /// A live activity push with an older step than one already accepted for that activity.
    case reordered
    /// Accepted where the plan expects none.
    case unexpected
    /// Accepted with the marker of an expectation, at a token that this was not for.
    case misdirected
    /// Accepted at the right token with the wrong event, or with content that is not what the relay was given.
    case altered

    package static let ofExpectations: [DeliveryClass] = [
        .delivered, .superseded, .late, .lost, .excused, .unsent, .undecided,
    ]
    package static let ofPushes: [DeliveryClass] = [.duplicated, .reordered, .unexpected, .misdirected, .altered]
}

/// One push the plan expects.
package struct Expectation: Hashable, Sendable {
    package struct Flags: OptionSet, Hashable, Sendable {
        package var rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A later state of the same activity may arrive instead.
        package static let mayBeSuperseded = Flags(rawValue: 1)
        /// The last state of the session on this lane.
        package static let isFinal = Flags(rawValue: 2)
        /// Counts against the relay's throttle.
        package static let isThrottled = Flags(rawValue: 4)
        /// Waited for its token to be registered; `owedSince` is then later than the event.
        package static let wasHeld = Flags(rawValue: 8)
        /// Its token was to come from a phone, which never told it in the time that the script gives it.
        package static let waitsInVain = Flags(rawValue: 16)
        /// Without a registered token the relay keeps it and sends it when one registers, if it is the newest then.
        package static let mayWait = Flags(rawValue: 32)
        /// A further start before the activity has a token: owed where none before it was accepted.
        package static let isAgain = Flags(rawValue: 64)
        /// What such a start says, as a state that is held: owed where one before it was accepted.
        package static let insteadOfStart = Flags(rawValue: 128)
        /// Need not come where it says what the card was told last.
        package static let mayRepeat = Flags(rawValue: 256)
    }

    package var session: UInt32
    package var step: UInt32
    /// Index into the profile's calls.
    package var kind: UInt16
    package var provider = Provider.apns
    package var type: PushType
    package var event: ActivityEvent?
    package var lane: Lane
    package var flags: Flags
    package var plannedAt: Instant
    /// From `plannedAt`; a later arrival is late.
    package var deadline: Interval
    package var token: TokenHash
    /// A token that was registered: it is owed only where the relay knew by then that this is dead.
    package var unless: TokenHash?
    /// What of its call the relay compares, where it may leave out what was told before: a hash; 0: nobody knows.
    package var saying: UInt64 = 0

    package init(
        session: UInt32, step: UInt32, kind: UInt16, type: PushType, event: ActivityEvent? = nil, lane: Lane,
        flags: Flags = [], plannedAt: Instant, deadline: Interval, token: TokenHash
    ) {
        self.session = session
        self.step = step
        self.kind = kind
        self.type = type
        self.event = event
        self.lane = lane
        self.flags = flags
        self.plannedAt = plannedAt
        self.deadline = deadline
        self.token = token
    }

    package var place: UInt64 { EventNumber.place(session: session, step: step) }
    package var mayBeSuperseded: Bool { flags.contains(.mayBeSuperseded) }
    package var isFinal: Bool { flags.contains(.isFinal) }
}
