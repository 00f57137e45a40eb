// Requests that broke a rule of HTTP or a limit of the server, so that nobody could read them: no push tells of them.

package import Basics
package import Pushes

package struct UnreadNote: Hashable, Sendable {
    package var provider: Provider
    /// By its id in pushes.
    package var connection: UInt64
    /// At least 1.
    package var requests: Int
    /// In words.
    package var why: String

    package init(provider: Provider, connection: UInt64, requests: Int, why: String) {
        self.provider = provider
        self.connection = connection
        self.requests = requests
        self.why = why
    }
}

extension JournalWriter {
    package func append(_ note: UnreadNote, at instant: Instant) {
        append(
            .unread,
            [
                "provider": .string(note.provider.word.description), "connection": .integer(Int64(note.connection)),
                "requests": .integer(Int64(note.requests)), "why": .string(note.why),
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note.
    package var unread: UnreadNote? {
        guard let value = json(of: .unread), let provider = value["provider"]?.string.flatMap(Provider.init(word:)),
            let connection = value["connection"]?.int, let connection = UInt64(exactly: connection),
            let requests = value["requests"]?.int, let why = value["why"]?.string
        else { return nil }
        return UnreadNote(provider: provider, connection: connection, requests: Int(requests), why: why)
    }
}
