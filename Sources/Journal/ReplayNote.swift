// How a run plays the plan of an earlier one again: which part of it, how fast, and what of its faults is left.

package import Basics

/// Beside a `PlanNote`, whose plan it narrows: from both the plan that was played follows.
package struct ReplayNote: Hashable, Sendable {
    /// Numbers of the users whose sessions are played, rising; nil: all, and nothing but `speed` counts.
    package var users: [Int]?
    /// How many times as fast the plan is played; greater than 0.
    package var speed: Double
    /// What is left out of the beginning of the plan, in its own time.
    package var skipped: Interval
    /// Beside the scenario's faults. May be shorter: then the rest is as the scenario says.
    package var faults: [ReplayedFault]
    /// Rules that must be put to the test, in the place of the scenario's, and those that are known to break.
    package var exercises: [String]
    package var knownFailing: [String]

    package init(
        users: [Int]? = nil, speed: Double = 1, skipped: Interval = .zero, faults: [ReplayedFault] = [],
        exercises: [String] = [], knownFailing: [String] = []
    ) {
        self.users = users
        self.speed = speed
        self.skipped = skipped
        self.faults = faults
        self.exercises = exercises
        self.knownFailing = knownFailing
    }
}

/// What a part of a plan sees of one of the scenario's faults, whose counts all sessions shared.
package struct ReplayedFault: Hashable, Sendable {
    /// It met only others.
    package var isLeftOut: Bool
    /// It need not meet anything.
    package var mayRest: Bool
    /// What it meets now, and how often: as it met these sessions. Nil: as the scenario says.
    package var tokens: [String]?
    package var after: Int?
    package var times: Int?

    package init(
        isLeftOut: Bool = false, mayRest: Bool = false, tokens: [String]? = nil, after: Int? = nil, times: Int? = nil
    ) {
        self.isLeftOut = isLeftOut
        self.mayRest = mayRest
        self.tokens = tokens
        self.after = after
        self.times = times
    }
}

extension ReplayNote {
    package var json: JSONValue {
        [
            "users": users.map { .array($0.map { .integer(Int64($0)) }) } ?? .null, "speed": .number(speed),
            "skippedNanoseconds": .integer(skipped.nanoseconds), "faults": .array(faults.map(\.json)),
            "exercises": .strings(exercises), "knownFailing": .strings(knownFailing),
        ]
    }

    /// Throws when it is not whole, or when its numbers cannot be.
    package init(_ note: JSONReading) throws(Failure) {
        let users: [Int]? = try note["users"].optional()?.integers()
        if let users {
            let isRising = zip(users, users.dropFirst()).allSatisfy { $0 < $1 }
            guard isRising, users.allSatisfy((0...Int(Int32.max)).contains) else {
                throw try note["users"].wrong("does not rise")
            }
        }
        let speed = try note["speed"].number()
        guard ReplayNote.admits(speed: speed) else { throw try note["speed"].wrong("is no speed") }
        var faults: [ReplayedFault] = []
        for fault in try note["faults"].list() { faults.append(try ReplayedFault(fault)) }
        self.init(
            users: users, speed: speed, skipped: max(.zero, try note["skippedNanoseconds"].interval()), faults: faults,
            exercises: try note["exercises"].texts(), knownFailing: try note["knownFailing"].texts())
    }

    /// From a thousandth to a thousand times as fast.
    package static func admits(speed: Double) -> Bool { (0.001...1_000).contains(speed) }
}

extension ReplayedFault {
    fileprivate var json: JSONValue {
        [
            "isLeftOut": .bool(isLeftOut), "mayRest": .bool(mayRest), "tokens": tokens.map { .strings($0) } ?? .null,
            "after": after.map { .integer(Int64($0)) } ?? .null, "times": times.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    fileprivate init(_ note: JSONReading) throws(Failure) {
        self.init(
            isLeftOut: try note["isLeftOut"].flag(), mayRest: try note["mayRest"].flag(),
            tokens: try note["tokens"].optional()?.texts(), after: try note["after"].optional()?.integer(),
            times: try note["times"].optional()?.integer())
    }
}
