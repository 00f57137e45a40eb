// Connections on which more streams were opened than the client had acknowledged as the limit (RFC 9113 §5.1.2). The
// streams are refused, so no push tells of them.

package import Basics

extension JournalWriter {
    /// Puts on record that `connection` opened so many streams too many. Once a connection is enough.
    package func append(overrunOn connection: UInt64, streams: Int, at instant: Instant) {
        append(.overrun, ["connection": .integer(Int64(connection)), "streams": .integer(Int64(streams))], at: instant)
    }
}

extension NoteEntry {
    /// The connection, by its id in pushes, and how many streams it opened beyond its limit; nil for every other note.
    package var overrun: (connection: UInt64, streams: Int)? {
        guard let value = json(of: .overrun), let connection = value["connection"]?.int,
            let streams = value["streams"]?.int, let id = UInt64(exactly: connection)
        else { return nil }
        return (id, Int(streams))
    }
}
