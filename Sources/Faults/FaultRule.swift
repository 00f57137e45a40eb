// One scripted misbehaviour of the provider: what it meets, what it does, how often and when.

package import Basics

/// What `times` and `after` are counted by.
package enum FaultScope: String, Sendable, CaseIterable {
    case all, token, connection
}

/// The right thing that a peer may do so that a rule leaves it alone.
package enum FaultCure: Sendable, Equatable {
    /// Opens another connection: from the first firing on only connections accepted before it are met.
    case newConnection
    /// Signs another provider token: from the first firing on only pushes with the provider token of that one are met.
    case newProviderToken
    /// Leaves the token (a rule for connections: the mock) alone for so long after it was met; then for good.
    case quiet(Interval)

    /// How long a relay needs for what heals, but for the network's time. One whose pauses double has rested enough by then.
    package var takes: Interval {
        switch self {
        case .newConnection, .newProviderToken: .zero
        case .quiet(let rest): rest * 4
        }
    }
}

/// When a rule is in force, counted from the moment it takes effect.
package enum FaultWindows: Sendable, Equatable {
    /// For the first `duration` of each `every`.
    case periodic(every: Interval, duration: Interval)
    /// From each first to its second.
    case listed([Range<Interval>])

    package func contains(_ elapsed: Interval) -> Bool {
        switch self {
        case .periodic(let every, let duration): elapsed.nanoseconds % every.nanoseconds < duration.nanoseconds
        case .listed(let windows): windows.contains { $0.contains(elapsed) }
        }
    }

    /// Those that begin before `total`, cut off there, in order; nil: more than `most`.
    package func times(within total: Interval, most: Int) -> [Range<Interval>]? {
        let all: [Range<Interval>]
        switch self {
        case .periodic(let every, let duration):
            let count = max(0, total.nanoseconds.saturating(plus: every.nanoseconds - 1) / every.nanoseconds)
            guard count <= most else { return nil }
            all = (0..<count).map { number in
                let begin = Interval.nanoseconds(number.saturating(times: every.nanoseconds))
                return begin..<begin + duration
            }
        case .listed(let windows): all = windows.sorted { $0.lowerBound < $1.lowerBound }
        }
        let begun = all.filter { $0.lowerBound < total }
        return begun.count > most ? nil : begun.map { $0.lowerBound..<min($0.upperBound, total) }
    }
}

/// A rule. Of several that match, the first one added fires.
package struct FaultRule: Sendable, Equatable {
    /// Empty: the script gives it one when it is added. Chance depends on it: the same id, the same pushes.
    package var id: String
    package var target: FaultTarget
    package var match: FaultMatch
    package var action: FaultAction
    /// Fires at most that often; at least 1.
    package var times: Int?
    /// `for`: how long it is in force, from the moment it takes effect.
    package var duration: Interval?
    /// Lets that many matching pushes pass first.
    package var after: Int?
    /// Takes effect that long after it was added.
    package var at: Interval?
    /// `times` and `after` count for each of these by itself.
    package var per: FaultScope
    /// `times` and `after` begin anew so often: a quota.
    package var renew: Interval?
    package var windows: FaultWindows?
    /// `until-heals`.
    package var cure: FaultCure?
    /// `ttl`: removed that long after it was added.
    package var timeToLive: Interval?

    package init(
        id: String = "", target: FaultTarget = .push, match: FaultMatch = FaultMatch(), action: FaultAction,
        times: Int? = nil, duration: Interval? = nil, after: Int? = nil, at: Interval? = nil,
        per: FaultScope = .all, renew: Interval? = nil, windows: FaultWindows? = nil, cure: FaultCure? = nil,
        timeToLive: Interval? = nil
    ) {
        self.id = id
        self.target = target
        self.match = match
        self.action = action
        self.times = times
        self.duration = duration
        self.after = after
        self.at = at
        self.per = per
        self.renew = renew
        self.windows = windows
        self.cure = cure
        self.timeToLive = timeToLive
    }
}

/// What is wrong with a rule's JSON, and where.
package struct FaultRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// RFC 6901, from the rule's root; empty for the root itself.
    package var pointer: String
    package var message: String
    package var hint: String?

    package var description: String {
        (pointer.isEmpty ? "" : pointer + ": ") + message + (hint.map { " (\($0))" } ?? "")
    }
}
