// Who listens to what a relay broadcasts, and what a call owes them.

package import Basics

/// Somebody who listens: a dashboard, or the app in front. Asks once and reads server-sent events, or the messages of a
/// WebSocket, as long as the run lasts.
package struct ObserverSpec: Sendable {
    package enum Per: String, CaseIterable, Hashable, Sendable {
        /// One for all sessions of a user, from the first one's beginning on.
        case user
        case session
    }

    /// What is said over a WebSocket by whoever listens, and how its messages are read.
    package struct WebSocket: Sendable {
        /// The one that is asked for, and has to be answered with; nil: none.
        package var subprotocol: String?
        /// What is sent as soon as it stands, one message each.
        package var says: [Template]
        /// It listens from the message on that holds that text there; another one there is a refusal. Nil: from the beginning.
        package var joined: Joined?
        /// What is sent again and again, so that the relay does not take it for gone.
        package var beat: Beat?
        /// Where a message has the name of its event.
        package var event: JSONPointerPath

        package struct Joined: Hashable, Sendable {
            package var at: JSONPointerPath
            package var text: String
        }

        package struct Beat: Hashable, Sendable {
            package var message: Template
            /// At least 1 s.
            package var every: Interval
        }
    }

    /// Of a message, or of an event of a stream, in bytes: a longer one ends the subscription.
    package static let longestMessage = 1 << 16
    /// Of one run, all observers together.
    package static let mostListeners = 2_000

    package var name: String
    /// How it asks.
    package var request: ProfileCall
    package var per: Per
    /// Who listen side by side, 1 to 8.
    package var copies: Int
    /// For so many users, the first of the run, somebody listens; nobody does for the others. 1 to 1,000.
    package var users: Int
    /// Events of other names are passed over; nil: none is.
    package var event: String?
    /// Nil: it reads server-sent events.
    package var webSocket: WebSocket?

    package init(
        name: String, request: ProfileCall, per: Per = .user, copies: Int = 1, users: Int = 100, event: String? = nil
    ) {
        self.name = name
        self.request = request
        self.per = per
        self.copies = copies
        self.users = users
        self.event = event
    }
}

/// What a call owes to those who listen.
package struct ExpectedTelling: Hashable, Sendable {
    /// Index into `Profile.observers`.
    package var observer: Int
    /// Later than this after the call's answer is late. At most 20 s.
    package var within: Interval
    /// False: its text has no room for the call's marker.
    package var isMarked: Bool

    package static let longest = Interval.seconds(20)

    package init(observer: Int, within: Interval = .seconds(1), isMarked: Bool = true) {
        self.observer = observer
        self.within = within
        self.isMarked = isMarked
    }
}
