// What happens on a virtual phone that an app tells its relay about. The mock's phones make these; sessions of the load
// generator react to them. Neither knows the other: the events cross by whatever road the harness lays.

package import Basics

/// One thing that happened on a virtual phone.
package struct PhoneEvent: Hashable, Sendable {
    package enum Kind: UInt8, PushWord {
        /// A start push became an activity. The app need not be awake to learn of it.
        case started = 1
        /// The app has the update token of an activity, and would register it now.
        case token = 2
        /// An update token was replaced by another one.
        case rotated = 3
        /// An activity ended, by a push, by the app or by its age.
        case ended = 4
        /// The user removed the card.
        case dismissed = 5

        package var word: StaticString {
            switch self {
            case .started: "started"
            case .token: "token"
            case .rotated: "rotated"
            case .ended: "ended"
            case .dismissed: "dismissed"
            }
        }
    }

    /// Its number among the events of one mock: 1, 2, 3 and so on, without gaps.
    package var number: UInt64
    package var kind: Kind
    package var at: WallTime
    /// The phone's name.
    package var phone: String
    /// The app's bundle ID.
    package var app: String
    /// Which activity of that app on that phone, from 1.
    package var activity: UInt32
    /// With `token` and `rotated`, the update token the app has from now on: lower-case hex digits.
    package var token: String?
    /// The marker of the start push that made the activity, if it bore one.
    package var marker: Marker?

    package init(
        number: UInt64, kind: Kind, at: WallTime, phone: String, app: String, activity: UInt32, token: String? = nil,
        marker: Marker? = nil
    ) {
        self.number = number
        self.kind = kind
        self.at = at
        self.phone = phone
        self.app = app
        self.activity = activity
        self.token = token
        self.marker = marker
    }
}
