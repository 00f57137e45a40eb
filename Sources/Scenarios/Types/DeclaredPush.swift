// What a profile says a push looks like beside its state: headers, alert, sound and dates; of a message to FCM its
// priority and its keys.

package import Basics
import Pushes

/// Nil or empty: not judged.
package struct DeclaredPush: Hashable, Sendable {
    package enum Text: Hashable, Sendable {
        case none
        case template(Template)
    }

    package enum Expiration: Hashable, Sendable {
        case none
        /// 0: tried once, and not stored.
        case atOnce
        /// A time no further ahead of the push than this.
        case within(Interval)
    }

    package enum Alert: Hashable, Sendable {
        /// With a title or a body.
        case present
        case absent
        /// An alert that says nothing, without a sound.
        case silent
        /// A JSON object of what the named members say.
        case says(Template, [String])
    }

    package enum Date: Hashable, Sendable {
        case none
        /// From the first interval to the second behind its origin; the first may be less than nothing.
        case between(Interval, Interval, of: Origin)
    }

    package enum Origin: String, CaseIterable, Hashable, Sendable {
        /// The push's own `timestamp`.
        case timestamp
        /// The instant at which the relay was given the call.
        case call
    }

    package enum Score: Hashable, Sendable {
        case none
        case exactly(Double)
    }

    /// What stands in a message to FCM beside the state.
    package struct Message: Hashable, Sendable {
        package var isHigh: Bool?
        /// For all platforms or for Android.
        package var hasNotification: Bool?
        /// These keys, and no others.
        package var data: Set<String>?

        package init(isHigh: Bool? = nil, hasNotification: Bool? = nil, data: Set<String>? = nil) {
            self.isHigh = isHigh
            self.hasNotification = hasNotification
            self.data = data
        }

        func over(_ other: Message) -> Message {
            Message(
                isHigh: isHigh ?? other.isHigh, hasNotification: hasNotification ?? other.hasNotification,
                data: data ?? other.data)
        }
    }

    package var priorities: Set<Int> = []
    package var topic: Text?
    package var collapseID: Text?
    package var expiration: Expiration?
    package var alert: Alert?
    package var sound: Text?
    package var staleDate: Date?
    package var dismissalDate: Date?
    package var relevanceScore: Score?
    package var message: Message?

    package init() {}

    /// What this one says, and where it says nothing what `other` does.
    func over(_ other: DeclaredPush) -> DeclaredPush {
        var merged = self
        if priorities.isEmpty { merged.priorities = other.priorities }
        merged.topic = topic ?? other.topic
        merged.collapseID = collapseID ?? other.collapseID
        merged.expiration = expiration ?? other.expiration
        merged.alert = alert ?? other.alert
        merged.sound = sound ?? other.sound
        merged.staleDate = staleDate ?? other.staleDate
        merged.dismissalDate = dismissalDate ?? other.dismissalDate
        merged.relevanceScore = relevanceScore ?? other.relevanceScore
        merged.message = message.map { own in other.message.map(own.over) ?? own } ?? other.message
        return merged
    }
}

/// The same for the pushes of every call that does not say otherwise.
struct UsualPush {
    var provider: Provider
    /// Of APNs.
    var channel: PushType
    /// Empty: of every event.
    var events: Set<ActivityEvent>
    var declared: DeclaredPush

    func covers(_ push: ExpectedPush) -> Bool {
        push.provider == provider && (provider == .fcm || push.channel == channel)
            && (events.isEmpty || push.event.map(events.contains) ?? false)
    }
}
