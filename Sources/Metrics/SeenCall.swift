// One planned call to the relay, and what became of it.

package import Basics
package import Pushes

package struct SeenCall: Hashable, Sendable {
    package enum State: UInt8, Hashable, Sendable {
        /// Nothing is known of it (yet): not sent by the end of the journal.
        case planned
        /// Never sent, because a queue of ours was full.
        case dropped
        /// Never sent, because what it has to say was not there: an answer of the relay or a phone did not tell it.
        case withheld
        /// Never sent, because the relay had told its caller that a token which it names is dead.
        case retired
        /// Sent; `status` is 0 where no answer came.
        case sent
    }

    package var session: UInt32
    package var step: UInt32
    /// Index into the profile's calls.
    package var kind: UInt16
    /// Which step of the session's script it is.
    package var scriptStep: UInt16
    package var plannedAt: Instant
    package var state = State.planned
    package var sentAt = Instant(nanoseconds: 0)
    package var answeredAt = Instant(nanoseconds: 0)
    /// Ours alone.
    package var lateness = Interval.zero
    package var status: UInt16 = 0
    package var failure: UInt8 = 0
    package var attempts: UInt8 = 1
    /// Answered with a status that the profile expects.
    package var wasTaken = false
    /// The answer told its caller, who keeps the tokens, that one which the call names is dead.
    package var wasToldDead = false
    /// The answer told its caller, in the profile's words, that it did not work: the event is the caller's again.
    package var wasToldNo = false

    package init(session: UInt32, step: UInt32, kind: UInt16, plannedAt: Instant, scriptStep: UInt16 = 0) {
        self.session = session
        self.step = step
        self.kind = kind
        self.plannedAt = plannedAt
        self.scriptStep = scriptStep
    }

    /// Answered with a 4xx that the profile names beside others: what it says has come to nothing.
    package var wasRefusedAsItMay: Bool { wasTaken && 400..<500 ~= status }

    package var place: UInt64 { EventNumber.place(session: session, step: step) }
    package var wasAnswered: Bool { state == .sent && status != 0 }
}

/// A token that a call makes known to the relay, or takes back.
package struct TokenCall: Hashable, Sendable {
    package var place: UInt64
    package var token: TokenHash
    package var lane: Lane
    package var isRegistration: Bool

    package init(place: UInt64, token: TokenHash, lane: Lane, isRegistration: Bool) {
        self.place = place
        self.token = token
        self.lane = lane
        self.isRegistration = isRegistration
    }
}

/// Where a session's pushes of one type go: the role of the token and the phone that holds it. A rotated token is of the
/// same lane as the one before.
package struct Lane: Hashable, Sendable {
    package enum Role: UInt8, Hashable, Sendable {
        case device, start, activity, registration, widget, control, otherControl, channel, other

        package var words: String {
            switch self {
            case .device: "device token"
            case .start: "push-to-start token"
            case .activity: "activity token"
            case .registration: "registration token"
            case .widget: "widgets' token"
            case .control: "control's token"
            case .otherControl: "other control's token"
            case .channel: "broadcast channel"
            case .other: "token"
            }
        }

        /// A relay may keep it in the row of its app's device token, with which it goes (R0.44).
        package var isOfDevicesRow: Bool { [.start, .widget, .control, .otherControl].contains(self) }
    }

    package var role: Role
    /// From 0.
    package var phone: UInt8

    package init(role: Role, phone: UInt8 = 0) {
        self.role = role
        self.phone = phone
    }
}

/// All that one card is told, or one device, by whichever of its tokens. A card is its session's own; of whose card a push
/// without a marker is nobody knows.
package struct Way: Hashable, Sendable {
    var lane: Lane
    var session: UInt32?

    init(_ lane: Lane, session: UInt32?) {
        self.lane = lane
        self.session = session
    }

    init(_ lane: Lane, of push: SeenPush) {
        self.init(lane, session: lane.role == .activity && push.isMarked ? push.session : nil)
    }
}
