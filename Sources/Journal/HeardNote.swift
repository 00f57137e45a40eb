// What those heard who listen to a relay's broadcasts: that they listen, each event, and that they do no more.

package import Basics
package import Pushes

package struct HeardNote: Hashable, Sendable {
    package enum What: String, Hashable, Sendable {
        /// The relay has taken the subscription.
        case opened
        /// By an answer, or by the relay's word in it.
        case refused
        /// It could not be asked for, or nothing was answered.
        case unreached
        /// What the relay said is none of its protocol's; the subscription is over.
        case broken
        case told
        /// By the relay, or by what lies between.
        case closed
    }

    /// Of the text of an event no more is kept.
    package static let mostBytes = 512

    package var what: What
    /// Its name in the profile.
    package var observer: String
    /// Of this run, from 1: one subscription, also after it was made anew.
    package var listener: UInt32
    package var user: UInt32
    /// Whose session it listens for; nil: for all of its user's.
    package var session: UInt32?
    /// The event's name.
    package var name: String
    /// The first that its text holds, of whatever run.
    package var marker: Marker?
    /// The beginning of the event's text; or why it is over or never began.
    package var text: String

    package init(
        _ what: What, observer: String, listener: UInt32, user: UInt32, session: UInt32? = nil, name: String = "",
        marker: Marker? = nil, text: String = ""
    ) {
        self.what = what
        self.observer = observer
        self.listener = listener
        self.user = user
        self.session = session
        self.name = name
        self.marker = marker
        self.text = text
    }
}

extension JournalWriter {
    package func append(_ note: HeardNote, at instant: Instant) {
        append(
            .heard,
            [
                "what": .string(note.what.rawValue), "observer": .string(note.observer),
                "listener": .integer(Int64(note.listener)), "user": .integer(Int64(note.user)),
                "session": note.session.map { .integer(Int64($0)) } ?? .null, "name": .string(note.name),
                "marker": note.marker.map { .string($0.text) } ?? .null, "text": .string(note.text),
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note, and for one that is not whole.
    package var heard: HeardNote? {
        guard let json = json(of: .heard),
            let what = json["what"]?.string.flatMap({ HeardNote.What(rawValue: $0) }),
            let observer = json["observer"]?.string, let listener = json["listener"]?.int.flatMap({ UInt32(exactly: $0) }),
            let user = json["user"]?.int.flatMap({ UInt32(exactly: $0) })
        else { return nil }
        return HeardNote(
            what, observer: observer, listener: listener, user: user,
            session: json["session"]?.int.flatMap { UInt32(exactly: $0) }, name: json["name"]?.string ?? "",
            marker: json["marker"]?.string.flatMap { text in withBytes(of: text) { Marker.find(in: $0) } },
            text: json["text"]?.string ?? "")
    }
}
