// What is told of sessions beside the judge's record: how old cards were over the run, and the worst sessions as lanes of
// what happened, with what their cards showed.
//
// A card is behind from the offer of the first state that is newer than the shown one until that or a newer one is shown
// (docs/judging.md, Staleness); how old it is counts from that offer.

package import Basics
package import Metrics
import Pushes
package import Schemas
import Verdicts

package struct SessionsSeen: Hashable, Sendable {
    /// Sessions of which a phone showed a card, and how many of these were ever behind.
    package var shown: Int
    package var behind: Int
    /// For how long cards lived as far as their age was looked at, all together, and for how long of it they were behind.
    package var lived: Interval
    package var behindFor: Interval
    /// Ages over time, from the plan's origin on without gaps, each so long; at most 200.
    package var placeLength: Interval
    package var places: [StalenessPlace]
    /// The worst first: by the greatest age that a card of theirs had.
    package var worst: [SessionSeen]
    /// Why no card can be drawn, in words; nil: they can.
    package var cardsLack: String?

    package init(
        shown: Int = 0, behind: Int = 0, lived: Interval = .zero, behindFor: Interval = .zero,
        placeLength: Interval = .second, places: [StalenessPlace] = [], worst: [SessionSeen] = [], cardsLack: String? = nil
    ) {
        self.shown = shown
        self.behind = behind
        self.lived = lived
        self.behindFor = behindFor
        self.placeLength = placeLength
        self.places = places
        self.worst = worst
        self.cardsLack = cardsLack
    }
}

/// A session with the card of it that was oldest. Times are since the plan's origin.
package struct SessionSeen: Hashable, Sendable {
    package var session: UInt32
    /// Of its user, from 0.
    package var phone: Int
    /// The greatest age, when it was reached, and when the state was offered that was then missing.
    package var age: Interval
    package var at: Interval
    package var offeredAt: Interval
    /// For how long the card was behind, all together.
    package var behind: Interval
    /// Steps: the state that was shown then, and the first newer one.
    package var shownStep: UInt32
    package var newerStep: UInt32
    /// In order of time; at most `LaneMarks.most`, those around the worst moment.
    package var marks: [LaneMark] = []
    /// Marks that found no room.
    package var left = 0
    /// When the card was behind, the last of them at most `LaneMarks.mostStretches`.
    package var stale: [Range<Interval>] = []
    /// What the card showed at its oldest, and what it showed next; nil: not known, or nothing.
    package var card: CardSeen?
    package var next: CardSeen?

    package init(
        session: UInt32, phone: Int = 0, age: Interval, at: Interval, offeredAt: Interval, behind: Interval,
        shownStep: UInt32, newerStep: UInt32
    ) {
        self.session = session
        self.phone = phone
        self.age = age
        self.at = at
        self.offeredAt = offeredAt
        self.behind = behind
        self.shownStep = shownStep
        self.newerStep = newerStep
    }
}

extension SessionSeen {
    package static func words(_ step: UInt32) -> String { EventNumber.isReaction(step) ? "a reaction" : "step \(step)" }
}

/// What a card showed from an instant on. Texts come from a relay: anything may stand in them, but no more than
/// `LaneMarks.mostText`.
package struct CardSeen: Hashable, Sendable {
    package var since: Interval
    package var text: CardText

    package init(since: Interval, text: CardText) {
        self.since = since
        self.text = text
    }
}

/// Something that happened in one lane of a session.
package struct LaneMark: Hashable, Sendable {
    package enum Lane: Int, CaseIterable, Sendable { case app, relay, card }

    package enum Kind: String, CaseIterable, Sendable {
        /// A call left us; the relay answered as the profile expects; it answered otherwise, or not at all.
        case offered, answered, failed
        /// A push arrived and was taken; was taken and changed nothing on the card; was refused.
        case taken, passed, refused
        /// Something happened on the phone; the card showed something from then on.
        case phone, shown

        package var lane: Lane {
            switch self {
            case .offered, .answered, .failed: .app
            case .taken, .passed, .refused: .relay
            case .phone, .shown: .card
            }
        }
    }

    package var kind: Kind
    package var at: Interval
    /// The number of the event it belongs to, where it is known.
    package var step: UInt32?
    /// The same in words: `step 4`, or `a reaction` to what a phone did.
    package var stepWords: String? { step.map(SessionSeen.words) }
    package var words: String

    package init(_ kind: Kind, at: Interval, step: UInt32? = nil, _ words: String) {
        self.kind = kind
        self.at = at
        self.step = step
        self.words = words
    }
}

extension SessionsSeen {
    /// The same with every token in its texts cut short, as reports show them unless asked otherwise.
    package var withShortTokens: SessionsSeen {
        var copy = self
        for index in copy.worst.indices {
            for mark in copy.worst[index].marks.indices {
                copy.worst[index].marks[mark].words = ShortTokens.cut(copy.worst[index].marks[mark].words)
            }
            copy.worst[index].card?.text.map(ShortTokens.cut)
            copy.worst[index].next?.text.map(ShortTokens.cut)
        }
        return copy
    }
}

extension CardText {
    /// Each of its texts made into another.
    mutating func map(_ change: (String) -> String) {
        for slot in [\CardText.title, \.status, \.body, \.progress, \.since] {
            self[keyPath: slot] = self[keyPath: slot].map(change)
        }
    }
}
