// What a session does when something happens on one of its user's phones.

package import Basics
package import Pushes

/// A call that a phone's event brings about. It is no part of the plan: whether and when it is made depends on the relay
/// and on the phone.
package struct Reaction: Sendable {
    package var event: PhoneEvent.Kind
    /// From 0; nil: whichever phone of the user it is.
    package var phone: Int?
    /// Name of the call in the profile.
    package var kind: String
    /// Index into `Profile.calls`.
    package var call: Int
    /// Seconds after the phone's event, before `pace`.
    package var delay: Distribution
    /// Drawn for each event; 0…1.
    package var probability: Double
    /// So often in a session, at most; 1...`mostTimes`.
    package var times: Int
    /// Seconds since the session began in which the first such event must come, before `pace`; then the reaction is over,
    /// and what hangs on it is undecided. Nil: it need not come.
    package var within: Double?
    /// One entry for each of the call's own variables, in their order.
    package var values: [StepValue]

    package init(
        on event: PhoneEvent.Kind, phone: Int? = nil, kind: String, call: Int, delay: Distribution = .constant(0),
        probability: Double = 1, times: Int = usualTimes, within: Double? = nil, values: [StepValue] = []
    ) {
        self.event = event
        self.phone = phone
        self.kind = kind
        self.call = call
        self.delay = delay
        self.probability = probability
        self.times = times
        self.within = within
        self.values = values
    }

    package static let usualTimes = 10
}

extension ProfileCall {
    /// What may happen on a phone because of it, at once or later: a start makes an activity, which has a whole life; an
    /// end ends one.
    package var phoneEvents: Set<PhoneEvent.Kind> {
        var kinds: Set<PhoneEvent.Kind> = []
        for push in pushes {
            switch push.event {
            case .start: kinds.formUnion([.started, .token, .rotated, .ended, .dismissed])
            case .end: kinds.insert(.ended)
            case .update, nil: break
            }
        }
        return kinds
    }
}
