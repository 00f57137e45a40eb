// How the events of a session are numbered: those of the plan 0, 1, 2 and so on; those that a phone's doing brought about
// in between, so that the plan's own numbers depend on nothing but the seed.

/// The number that an event carries in its marker (`Marker.step`) and in the journal.
///
/// A planned event has its place in the plan, below 2^20. A reaction has in its low 20 bits the number of the planned event
/// that it follows, and above them which reaction of its session it is, from 1.
package enum EventNumber {
    private static let planBits: UInt32 = 20
    /// Planned events of one session, at most.
    package static let maxPlanned: UInt32 = 1 << planBits
    /// Reactions of one session, at most.
    package static let maxReactions: UInt32 = 1 << (32 - planBits) - 1

    /// The `ordinal`-th reaction of a session, 1...4,095, of whose plan `planned` events had their turn before it.
    package static func reaction(_ ordinal: UInt32, after planned: UInt32) -> UInt32 {
        min(max(ordinal, 1), maxReactions) << planBits | min(planned == 0 ? 0 : planned - 1, maxPlanned - 1)
    }

    /// Whether the event is no part of the plan, but was brought about by what a phone did.
    package static func isReaction(_ number: UInt32) -> Bool { number >> planBits != 0 }

    /// Rises in the order in which the events of a session have their turn.
    package static func order(_ number: UInt32) -> UInt32 { number << (32 - planBits) | number >> planBits }

    /// One number for session and event, rising with both.
    package static func place(session: UInt32, step: UInt32) -> UInt64 { UInt64(session) << 32 | UInt64(order(step)) }

    /// The event's number, from what `place(session:step:)` made of it.
    package static func step(atPlace place: UInt64) -> UInt32 {
        let order = UInt32(truncatingIfNeeded: place)
        return order >> (32 - planBits) | order << planBits
    }
}
