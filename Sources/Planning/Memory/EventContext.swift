// What the templates of an event may use beyond the plan: values of earlier answers, and the phone's event that it reacts
// to. Both the load generator, which learns them, and the judge, which reads them in the journal, hand them over in this.

package import Basics
package import Scenarios

/// Empty for an event of a session that remembers nothing.
package struct EventContext {
    /// By number, as `Profile.captures` has them; nil: not there.
    package var captured: [CapturedValue?] = []
    /// The phone whose event is reacted to, from 0; nil: none.
    package var phone: Int?
    /// The update token of that activity, hex digits; empty where none is known.
    package var token: [UInt8] = []

    /// In a reaction the activity's token is the one that the phone has.
    package func replaces(_ variable: SessionVariable) -> Bool {
        phone != nil && !token.isEmpty && variable.role == .activityToken
    }

    /// Why a call cannot be made with it, in words; nil when it can.
    package func missing(for call: OwingCall, _ names: [String]) -> String? {
        if !call.needs.isEmpty {
            for number in names.indices where call.needs.contains(CapturedNames(number)) {
                if number >= captured.count || captured[number] == nil { return "no value of `\(names[number])` was captured" }
            }
        }
        if call.needsPhoneToken || phone != nil && call.usesActivityToken, token.isEmpty {
            return "the phone has no token of that activity"
        }
        return nil
    }
}

/// One call that was made because of a phone's event, as it stands in the journal.
package struct MadeReaction: Hashable, Sendable {
    package var session: UInt32
    /// See `EventNumber`.
    package var step: UInt32
    /// Index into the script's reactions.
    package var reaction: Int
    /// The instant from which it was due.
    package var plannedAt: Instant
    /// From 0.
    package var phone: Int
    /// Hex digits; empty where none was known.
    package var token: String
    /// It is no call: what was waited for never came, and nothing was sent.
    package var isInVain: Bool

    package init(
        session: UInt32, step: UInt32, reaction: Int, plannedAt: Instant, phone: Int, token: String, isInVain: Bool = false
    ) {
        self.session = session
        self.step = step
        self.reaction = reaction
        self.plannedAt = plannedAt
        self.phone = phone
        self.token = token
        self.isInVain = isInVain
    }
}
