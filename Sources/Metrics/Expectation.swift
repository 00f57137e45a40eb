// What the plan says should happen, and the words for what did.

package import Basics
package import Pushes

/// What became of an expectation (`delivered, superseded, late, lost`), or what else a push was
/// (`duplicated, reordered, unexpected`).
package enum DeliveryClass: String, CaseIterable, Hashable, Sendable {
    /// Accepted in time.
    case delivered
    /// Never seen, but a newer state of the same activity was delivered and the profile allows that.
    case superseded
    /// Accepted after its deadline.
    case late
    case lost
    /// A further 200 for something that had its 200.
    case duplicated
    /// A live activity push with an older step than one already delivered.
    case reordered
    /// A 200 push that carries our marker where the plan expects none, or no marker at all.
    case unexpected
}

/// One push the plan expects.
package struct Expectation: Hashable, Sendable {
    package var session: UInt32
    package var step: UInt32
    /// The name of the profile's call.
    package var kind: String
    package var channel: PushType
    /// Of a live activity.
    package var event: ActivityEvent?
    package var plannedAt: Instant
    /// May be superseded by a later state of the same activity.
    package var coalesceKey: Bool
    /// From `plannedAt`; a later arrival is late.
    package var deadline: Interval
    /// The last state of the session.
    package var isFinal: Bool
    package var token: String

    package init(
        session: UInt32, step: UInt32, kind: String, channel: PushType, event: ActivityEvent? = nil, plannedAt: Instant,
        coalesceKey: Bool = false, deadline: Interval, isFinal: Bool = false, token: String
    ) {
        self.session = session
        self.step = step
        self.kind = kind
        self.channel = channel
        self.event = event
        self.plannedAt = plannedAt
        self.coalesceKey = coalesceKey
        self.deadline = deadline
        self.isFinal = isFinal
        self.token = token
    }
}
