// What we did to the relay that may have kept it from pushing, as far as anybody can know: stretches of time in which no
// debt's clock runs.

package import Basics
package import Pushes

/// A stretch in which the relay may have been unable to push, by our doing.
package struct Stop: Hashable, Sendable {
    package var from: Instant
    package var until: Instant
    /// The fault's label, or that we held the relay down.
    package var cause: String
    /// Its process ended, so that what it had in hand begins anew.
    package var beginsAnew = false

    package func holds(_ instant: Instant) -> Bool { from <= instant && instant <= until }
}

/// Whether a provider could be reached: from when a fault of ours met a connection or a push there until something of
/// anybody's got through, or until the relay must have tried again; and whether answers of ours held every stream to it that
/// the relay is known to use.
package struct HostAbility: Sendable {
    private struct Trouble {
        var rule: UInt32
        var from: Instant
        var last: Instant
        /// Something got through.
        var over: Instant?

        /// Whoever tries again waits as long as it has lasted, and the least that anybody is given.
        func bound(_ least: Interval) -> Instant { last + (last - from) + least }
    }

    private static let most = 1 << 20
    private var troubles: [[Trouble]] = Provider.allCases.map { _ in [] }
    private var streams = Provider.allCases.map { _ in Streams() }

    package init() {}

    package var isEmpty: Bool { troubles.allSatisfy(\.isEmpty) && streams.allSatisfy(\.full.isEmpty) }

    private static func index(_ provider: Provider) -> Int { provider == .apns ? 0 : 1 }

    /// A fault met something there from `first` to `last`, of a process that has run since `began`. `least`: see
    /// `Circumstances.leastPatience`.
    package mutating func meet(
        _ rule: UInt32, at provider: Provider, from first: Instant, to last: Instant, since began: Instant, least: Interval
    ) {
        let host = Self.index(provider)
        if let newest = troubles[host].indices.last, troubles[host][newest].over == nil, began <= troubles[host][newest].from,
            first <= troubles[host][newest].bound(least)
        {
            troubles[host][newest].last = max(troubles[host][newest].last, last)
            troubles[host][newest].rule = rule
        } else if troubles[host].count < Self.most {
            troubles[host].append(Trouble(rule: rule, from: first, last: last))
        }
    }

    /// A push came there, and is under way until its answer, or until nobody waits for that any more.
    package mutating func arrive(
        _ id: UInt64, at provider: Provider, by connection: UInt64, from first: Instant, until: Instant, rule: UInt32?,
        isSilent: Bool
    ) {
        streams[Self.index(provider)].arrive(
            id, by: connection, from: first, until: until, rule: rule, isSilent: isSilent)
    }

    /// The relay gave up one of those.
    package mutating func giveUp(_ id: UInt64, at instant: Instant) {
        for host in streams.indices { streams[host].giveUp(id, at: instant) }
    }

    /// A push that no fault met was answered there.
    package mutating func pass(at provider: Provider, _ instant: Instant) {
        let host = Self.index(provider)
        guard let newest = troubles[host].indices.last, troubles[host][newest].over == nil,
            troubles[host][newest].last < instant
        else { return }
        // What is over so soon was none; and so few are kept where many pushes go.
        if instant - troubles[host][newest].from < Tolerances.wire {
            troubles[host].removeLast()
        } else {
            troubles[host][newest].over = instant
        }
    }

    /// In order of time.
    func stops(at provider: Provider, from first: Instant, to last: Instant, _ circumstances: Circumstances) -> [Stop] {
        let troubles = troubles[Self.index(provider)]
        let least = circumstances.leastPatience
        func end(_ index: Int) -> Instant {
            let bound = troubles[index].bound(least)
            return troubles[index].over.map { min($0, bound) } ?? bound
        }
        func stop(_ rule: UInt32, _ from: Instant, _ until: Instant) -> Stop {
            Stop(from: from, until: until, cause: circumstances.fault(rule)?.label ?? "")
        }
        let start = Account.firstIndex(in: troubles.count) { end($0) > first }
        let unreached = troubles[start...].indices.prefix { troubles[$0].from <= last }.map { index in
            stop(troubles[index].rule, troubles[index].from, end(index))
        }
        let full = streams[Self.index(provider)].full
        func free(_ index: Int) -> Instant { full[index].wasGivenUp ? full[index].until + least : full[index].until }
        let busy = Account.firstIndex(in: full.count) { full[$0].until + least > first }
        return unreached
            + full[busy...].indices.prefix { full[$0].from <= last }.map { stop(full[$0].rule, full[$0].from, free($0)) }
    }
}
