// How many pushes the relay has had under way at once on a connection, and when as many were held by answers of ours that took
// long or never came: then it may have had no stream left for anything else.

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

    /// A stretch in which as many were under way on a connection as there ever were, and nothing came by another.
    package struct Full: Sendable {
        package var from: Instant
        package var until: Instant
        package var rule: UInt32
        /// The first of them that ended was given up.
        package var wasGivenUp: Bool
    }

    private static let mostConnections = 1 << 12
    private static let mostHeld = 1 << 12
    private static let mostStretches = 1 << 20
    /// By connection, the first to end first.
    private var held: [UInt64: [Held]] = [:]
    /// Of one connection.
    private var most = 1
    package private(set) var full: [Full] = []

    package init() {}

    /// A push came by a connection, and is under way until then. `rule`: of the fault that holds its answer.
    package mutating func arrive(
        _ id: UInt64, by connection: UInt64, from first: Instant, until: Instant, rule: UInt32?, isSilent: Bool
    ) {
        // What comes shows that there was a stream.
        if let newest = full.indices.last, full[newest].until > first {
            full[newest].until = max(first, full[newest].from)
            full[newest].wasGivenUp = false
        }
        var own = held[connection] ?? []
        // Its sender may have the answer that is due by now.
        own.removeSubrange(..<(own.firstIndex { $0.until > first + Tolerances.wire } ?? own.count))
        defer { held[connection] = own.isEmpty ? nil : own }
        if own.count + 1 > most {
            most = own.count + 1
            full.removeAll()
        }
        guard until > first, own.count < Self.mostHeld, held.count < Self.mostConnections else { return }
        let place = Account.firstIndex(in: own.count) { own[$0].until > until }
        own.insert(Held(id: id, until: until, rule: rule, isSilent: isSilent), at: place)
        guard own.count == most, let rule = own.lazy.compactMap(\.rule).first, full.count < Self.mostStretches else { return }
        full.append(Full(from: first, until: own[0].until, rule: rule, wasGivenUp: own[0].isSilent))
    }

    /// The relay gave up one that was held.
    package mutating func giveUp(_ id: UInt64, at instant: Instant) {
        for (connection, own) in held {
            guard let place = own.firstIndex(where: { $0.id == id }) else { continue }
            held[connection]?.remove(at: place)
            guard let newest = full.indices.last, full[newest].until > instant else { return }
            full[newest].until = max(instant, full[newest].from)
            full[newest].wasGivenUp = true
            return
        }
    }
}
