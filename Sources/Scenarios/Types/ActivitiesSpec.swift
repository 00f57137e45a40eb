// What a relay does with activities by itself, with no call that asks for it, as its profile says.

package import Basics
package import Pushes

package struct ActivitiesSpec: Sendable {
    /// When it replaces an activity that grows old; nil: it does not.
    package var restart: RestartTerms?
    /// When it ends one that grows old; nil: it does not.
    package var end: AgeSpec?
    /// It may tell a card's state again so often; nil: it does not.
    package var refresh: Interval?
    /// How long behind its end the card of a session stays, up to four hours; nil: not judged.
    package var dismissal: Interval?

    package init() {}
}

/// When it ends one that grows old, and what that end shows.
package struct AgeSpec: Sendable {
    /// What the end shows at a place of its payload: one of these values.
    package struct Showing: Sendable {
        package var at: JSONPointerPath
        package var values: [JSONValue]
    }

    package var terms: AgeTerms
    package var shows: [Showing]
}
