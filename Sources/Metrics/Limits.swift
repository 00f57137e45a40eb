// What a relay leaves out by its own rules, as its profile says.

package import Basics
package import Pushes

/// It passes over a state that its card was told last.
package struct RepeatTerms: Hashable, Sendable {
    /// From the answer to the push that told it, until it counts as new again; nil: it never does.
    package var window: Interval?

    package init(window: Interval?) { self.window = window }
}

/// States of which it is not known whether they came, and pushes of which it is not known what they are of.
package struct Undecided: Hashable, Sendable {
    package struct State: Hashable, Sendable {
        package var place: UInt64
        package var token: TokenHash

        package init(place: UInt64, token: TokenHash) {
            self.place = place
            self.token = token
        }
    }

    package var states: Set<State> = []
    /// By their entries' ids.
    package var pushes: Set<UInt64> = []

    package init() {}

    func holds(_ row: Expectation) -> Bool { states.contains(State(place: row.place, token: row.token)) }
}
