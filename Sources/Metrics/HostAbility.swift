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
/// anybody's got through, or until the relay must have tried again.
package struct HostAbility: Sendable {
    private struct Trouble {
        var rule: UInt32
        var from: Instant
        var last: Instant
        /// Something got through.
        var over: Instant?
        /// Pushes that had no answer and are not given up, and until when the last of them may be waited for: they may hold
        /// all streams that the relay has.
        var silent: (count: Int, until: Instant)?

        /// Whoever tries again waits as long as it has lasted, and the least that anybody is given.
        func bound(_ least: Interval) -> Instant {
            max(last + (last - from) + least, silent.map { $0.until + least } ?? Instant(nanoseconds: .min))
        }
    }

    private static let most = 1 << 20
    private var troubles: [[Trouble]] = Provider.allCases.map { _ in [] }

    package init() {}

    package var isEmpty: Bool { troubles.allSatisfy(\.isEmpty) }

    private static func index(_ provider: Provider) -> Int { provider == .apns ? 0 : 1 }

    /// A fault met something there from `first` to `last`. `least`: see `Circumstances.leastPatience`.
    package mutating func meet(_ rule: UInt32, at provider: Provider, from first: Instant, to last: Instant, least: Interval) {
        let host = Self.index(provider)
        if let newest = troubles[host].indices.last, troubles[host][newest].over == nil,
            first <= troubles[host][newest].bound(least)
        {
            troubles[host][newest].last = max(troubles[host][newest].last, last)
            troubles[host][newest].rule = rule
        } else if troubles[host].count < Self.most {
            troubles[host].append(Trouble(rule: rule, from: first, last: last))
        }
    }

    /// A push there got no answer by a fault, and is not given up before `until`.
    package mutating func keepSilent(
        _ rule: UInt32, at provider: Provider, from first: Instant, until: Instant, least: Interval
    ) {
        meet(rule, at: provider, from: first, to: first, least: least)
        let host = Self.index(provider)
        guard let newest = troubles[host].indices.last, troubles[host][newest].over == nil else { return }
        let known = troubles[host][newest].silent
        troubles[host][newest].silent = ((known?.count ?? 0) + 1, max(until, known?.until ?? until))
    }

    /// The relay gave one of those up.
    package mutating func giveUp(at provider: Provider, from first: Instant, _ instant: Instant) {
        let host = Self.index(provider)
        guard let newest = troubles[host].indices.last, troubles[host][newest].from <= first,
            let silent = troubles[host][newest].silent
        else { return }
        troubles[host][newest].silent = silent.count > 1 ? (silent.count - 1, silent.until) : nil
        if troubles[host][newest].over == nil { troubles[host][newest].last = max(troubles[host][newest].last, instant) }
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
        let start = Account.firstIndex(in: troubles.count) { end($0) > first }
        return troubles[start...].indices.prefix { troubles[$0].from <= last }.map { index in
            let label = circumstances.fault(troubles[index].rule)?.label ?? ""
            return Stop(from: troubles[index].from, until: end(index), cause: label)
        }
    }
}
