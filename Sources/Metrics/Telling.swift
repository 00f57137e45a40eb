// What those heard who listen to a relay's broadcasts, as an account holds it.

package import Basics

package struct Telling: Hashable, Sendable {
    package enum What: UInt8, Hashable, Sendable { case opened, told, closed, refused, broken }

    /// Of its note in the journal.
    package var id: UInt64
    package var at: Instant
    package var what: What
    /// Index into the profile's observers.
    package var observer: UInt8
    /// One subscription, also after it was made anew.
    package var listener: UInt32
    /// Whose session alone it listens for.
    package var session: UInt32?
    /// Of this run; nil where the event's text holds none.
    package var place: UInt64?
    /// Why it was refused, or what is broken about it.
    package var words: String?

    package init(
        id: UInt64, at: Instant, what: What, observer: UInt8, listener: UInt32, session: UInt32? = nil, place: UInt64? = nil,
        words: String? = nil
    ) {
        self.id = id
        self.at = at
        self.what = what
        self.observer = observer
        self.listener = listener
        self.session = session
        self.place = place
        self.words = words
    }
}
