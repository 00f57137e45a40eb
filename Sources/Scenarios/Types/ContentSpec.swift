// What a profile says about the content of pushes: the types that have to decode from it, and which values come through
// unchanged.

package import Basics
package import Pushes
package import Schemas

package struct ContentSpec: Sendable {
    /// What the app's types decode from; nil: not judged.
    package var contentState: Schema?
    package var attributes: Schema?
    /// The type's name, which a start carries as `attributes-type`.
    package var attributesType: String?
    /// For every call that has none of its own.
    package var passes: [PassRule] = []
    /// Texts that the relay may cut.
    package var truncations: [Truncation] = []
    /// Where in a message to FCM the event of a Live Update stands; nil: no message is one.
    package var messageEvent: JSONPointerPath?
    /// Values of the card that last until a call says otherwise.
    package var carried: [CarriedValue] = []

    package init() {}
}

/// A value that arrives in the pushes for a call as it was given, with all that is below it.
package struct PassRule: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// In the call's JSON body. What a body does not have need not arrive.
        case body(JSONPointerPath)
        /// The same for every call; null: nothing, or nothing at all.
        case fixed(JSONValue)
        /// A number of seconds since `epoch`, which is in those since 1970: no further from when the push came than `within`.
        case clock(epoch: Int64, within: Interval)
    }

    package var provider = Provider.apns
    /// Nil: in pushes of every type.
    package var channel: PushType?
    /// Empty: of every event.
    package var events: Set<ActivityEvent>
    /// In the payload of the push.
    package var at: JSONPointerPath
    package var source: Source

    package init(
        channel: PushType? = nil, events: Set<ActivityEvent> = [], at: JSONPointerPath, _ source: Source
    ) {
        self.channel = channel
        self.events = events
        self.at = at
        self.source = source
    }
}

/// A value of the card. A call that does not speak of it leaves it as it was, and each push shows it.
package struct CarriedValue: Sendable {
    /// A value that another one settles.
    package struct Following: Sendable {
        /// Place of the other one among the profile's carried values, before this one.
        package var other: Int
        package var words: [String: JSONValue]
        /// For what `words` does not have; nil: not judged then.
        package var otherwise: JSONValue?
    }

    package var name: String
    /// In the payload of the push.
    package var at: JSONPointerPath
    /// In the call's body; nil: no body has it.
    package var from: JSONPointerPath?
    package var following: Following?
    /// A number that never falls within a session, whatever is said.
    package var rises = false
    /// It counts the seconds of the session.
    package var countsSeconds = false

    package init(name: String, at: JSONPointerPath, from: JSONPointerPath? = nil) {
        self.name = name
        self.at = at
        self.from = from
    }
}
