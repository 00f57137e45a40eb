// What a virtual phone of the run told of one of its activities: when the card began and ended, and by which tokens it can
// be reached. Tokens alone do not say whether two are of one activity.

package import Basics
package import Pushes

package struct SeenCard: Hashable, Sendable {
    /// Of its user, from 0.
    package var phone: UInt8
    /// Which activity of the app on that phone, from 1.
    package var number: UInt32
    /// When the journal was told, which is not before its start arrived.
    package var startedAt: Instant
    /// When it ended, by a push, its age or the user's hand; nil: not by the end of the journal.
    package var endedAt: Instant?
    /// When its user removed it while it lived, which no relay can see.
    package var dismissedAt: Instant?
    package var tokens: [TokenHash] = []

    package init(phone: UInt8, number: UInt32, startedAt: Instant) {
        self.phone = phone
        self.number = number
        self.startedAt = startedAt
    }
}

extension Account {
    /// In the order in which the journal tells of them.
    package mutating func note(_ event: PhoneEvent, phone: UInt8, at instant: Instant) {
        guard let index = cards.firstIndex(where: { $0.phone == phone && $0.number == event.activity }) else {
            if event.kind == .started { cards.append(SeenCard(phone: phone, number: event.activity, startedAt: instant)) }
            return
        }
        switch event.kind {
        case .started: break
        case .token, .rotated: if let token = event.token { cards[index].tokens.append(TokenHash(token)) }
        case .ended: cards[index].endedAt = cards[index].endedAt ?? instant
        case .dismissed:
            guard cards[index].endedAt == nil else { return }
            cards[index].endedAt = instant
            cards[index].dismissedAt = instant
        }
    }

    /// The card that the token is or was of; nil: no virtual phone has told of it.
    package func card(of token: TokenHash) -> SeenCard? { cards.first { $0.tokens.contains(token) } }
}
