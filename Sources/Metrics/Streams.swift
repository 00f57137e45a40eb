// How many pushes the relay has had under way at once, and when all of these were held by answers of ours that took long or
// never came: then it may have had no stream left for anything else.

package import Basics

/// The streams to one provider, as far as pushes show them.
package struct Streams: Sendable {
    private struct Held {
        var id: UInt64
        var until: Instant
        /// Nil: no fault holds it, only the provider's usual time.
        var rule: UInt32?
        /// It has no answer: who gives it up may need a new connection.
        var isSilent: Bool
    }

    /// A stretch in which as many were under way as there ever were.
    package struct Full: Sendable {
        package var from: Instant
        package var until: Instant
        package var rule: UInt32
        /// The first of them that ended was given up.
        package var wasGivenUp: Bool
    }

    private static let mostHeld = 1 << 16
    private static let mostStretches = 1 << 20
    /// The first to end first.
    private var held: [Held] = []
    private var most = 1
    package private(set) var full: [Full] = []

    package init() {}

    /// A push came, and is under way until then. `rule`: of the fault that holds its answer.
    package mutating func arrive(_ id: UInt64, from first: Instant, until: Instant, rule: UInt32?, isSilent: Bool) {
        let over = held.firstIndex { $0.until > first } ?? held.count
        held.removeSubrange(..<over)
        if held.count + 1 > most {
            most = held.count + 1
            full.removeAll()
        }
        guard until > first, held.count < Self.mostHeld else { return }
        let place = Account.firstIndex(in: held.count) { held[$0].until > until }
        held.insert(Held(id: id, until: until, rule: rule, isSilent: isSilent), at: place)
        guard held.count == most, let rule = held.lazy.compactMap(\.rule).first, full.count < Self.mostStretches else { return }
        full.append(Full(from: first, until: held[0].until, rule: rule, wasGivenUp: held[0].isSilent))
    }

    /// The relay gave up one that was held.
    package mutating func giveUp(_ id: UInt64, at instant: Instant) {
        guard let place = held.firstIndex(where: { $0.id == id }) else { return }
        held.remove(at: place)
        guard let newest = full.indices.last, full[newest].until > instant else { return }
        full[newest].until = max(instant, full[newest].from)
        full[newest].wasGivenUp = true
    }
}
