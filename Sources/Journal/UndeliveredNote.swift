// Answers that never reached whoever asked: the stream was reset or the connection went before they left us. The client
// cannot know what became of its push, and a judge must not act as if it did.

package import Basics

extension JournalWriter {
    /// Puts on record that the answer to this push was not handed to the network. `push` is its id.
    package func append(undelivered push: UInt64, at instant: Instant) {
        append(.undelivered, ["push": .integer(Int64(push))], at: instant)
    }
}

extension NoteEntry {
    /// The id of the push whose answer was not delivered; nil for every other note.
    package var undelivered: UInt64? {
        guard let value = json(of: .undelivered), let push = value["push"]?.int else {
            return nil
        }
        return UInt64(exactly: push)
    }
}
