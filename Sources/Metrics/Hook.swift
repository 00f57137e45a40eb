// A webhook of the relay's, as an account holds it.

package import Basics
package import Pushes

package struct Hook: Hashable, Sendable {
    /// Of its note in the journal.
    package var id: UInt64
    package var at: Instant
    package var event: String
    /// Its own id, the same for each delivery.
    package var delivery: String?
    /// Of the call that it speaks of, in this run.
    package var place: UInt64?
    package var token: TokenHash?
    /// Nil: right, or none is asked for. Else what is wrong about it.
    package var flaw: String?
    /// What it was answered; 0: nothing.
    package var status: UInt16

    package init(
        id: UInt64, at: Instant, event: String, delivery: String? = nil, place: UInt64? = nil, token: TokenHash? = nil,
        flaw: String? = nil, status: UInt16 = 200
    ) {
        self.id = id
        self.at = at
        self.event = event
        self.delivery = delivery
        self.place = place
        self.token = token
        self.flaw = flaw
        self.status = status
    }

    package var wasAccepted: Bool { 200..<300 ~= status }
    /// To be sent again: 5xx, 408, 429, or no answer.
    package var isPassing: Bool { status == 0 || status >= 500 || status == 408 || status == 429 }
}
