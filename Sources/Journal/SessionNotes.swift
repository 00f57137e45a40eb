// What a session with a memory learnt and did beyond its plan, as notes, so that a judge can make its calls again. Few
// sessions have one; nothing is written for any other.

package import Basics
package import Pushes

/// What was looked for in an answer, and found or not.
package struct CaptureNote: Hashable, Sendable {
    package var session: UInt32
    /// Whose answer it was.
    package var step: UInt32
    /// The profile's name for it.
    package var name: String
    /// The value as text, at most 256 bytes; nil: not found.
    package var value: String?
    /// False for a number, true or false.
    package var isText: Bool
    /// Why nothing was found, in words.
    package var failure: String?

    package init(
        session: UInt32, step: UInt32, name: String, value: String? = nil, isText: Bool = true, failure: String? = nil
    ) {
        self.session = session
        self.step = step
        self.name = name
        self.value = value
        self.isText = isText
        self.failure = failure
    }
}

/// A call that a phone's event brought about has its turn; or what was waited for never came.
package struct ReactionNote: Hashable, Sendable {
    package var session: UInt32
    /// The number that its event has: see `EventNumber`. No event has it where nothing came.
    package var step: UInt32
    /// Index into the script's reactions.
    package var reaction: Int
    package var event: PhoneEvent.Kind
    /// The phone's event, by its number; 0: it never came.
    package var cause: UInt64
    package var plannedAt: Instant
    /// Of its user, from 0.
    package var phone: Int
    /// Hex digits of the activity's update token; empty where none was known.
    package var token: String

    package init(
        session: UInt32, step: UInt32, reaction: Int, event: PhoneEvent.Kind, cause: UInt64, plannedAt: Instant,
        phone: Int, token: String
    ) {
        self.session = session
        self.step = step
        self.reaction = reaction
        self.event = event
        self.cause = cause
        self.plannedAt = plannedAt
        self.phone = phone
        self.token = token
    }

    /// It never came, within the time that the script gives it.
    package var isInVain: Bool { cause == 0 }
}

/// A session of a closed load begins, which no plan can tell.
package struct SessionBegunNote: Hashable, Sendable {
    /// They are numbered as they begin.
    package var session: UInt32
    /// Since the load's start.
    package var at: Interval

    package init(session: UInt32, at: Interval) {
        self.session = session
        self.at = at
    }
}

extension JournalWriter {
    package func append(_ note: SessionBegunNote, at instant: Instant) {
        append(
            .sessionBegun, ["session": .integer(Int64(note.session)), "atNanoseconds": .integer(note.at.nanoseconds)],
            at: instant)
    }

    package func append(_ note: CaptureNote, at instant: Instant) {
        append(
            .captured,
            [
                "session": .integer(Int64(note.session)), "step": .integer(Int64(note.step)), "name": .string(note.name),
                "value": note.value.map { .string($0) } ?? .null, "isText": .bool(note.isText),
                "failure": note.failure.map { .string($0) } ?? .null,
            ], at: instant)
    }

    package func append(_ note: ReactionNote, at instant: Instant) {
        append(
            .reaction,
            [
                "session": .integer(Int64(note.session)), "step": .integer(Int64(note.step)),
                "reaction": .integer(Int64(note.reaction)), "on": .string("\(note.event.word)"),
                "cause": .integer(Int64(clamping: note.cause)), "plannedNanoseconds": .integer(note.plannedAt.nanoseconds),
                "phone": .integer(Int64(note.phone)), "token": .string(note.token),
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note, and for one that is not whole.
    package var sessionBegun: SessionBegunNote? {
        guard let value = json(of: .sessionBegun), let session = value.number("session"),
            let at = value["atNanoseconds"]?.int
        else { return nil }
        return SessionBegunNote(session: session, at: Interval(nanoseconds: at))
    }

    /// Nil for every other note, and for one that is not whole.
    package var capture: CaptureNote? {
        guard let value = json(of: .captured), let session = value.number("session"),
            let step = value.number("step"), let name = value["name"]?.string
        else { return nil }
        return CaptureNote(
            session: session, step: step, name: name, value: value["value"]?.string, isText: value["isText"]?.bool ?? true,
            failure: value["failure"]?.string)
    }

    package var reaction: ReactionNote? {
        guard let value = json(of: .reaction), let session = value.number("session"),
            let step = value.number("step"), let reaction = value["reaction"]?.int, 0..<Int64(UInt16.max) ~= reaction,
            let event = value["on"]?.string.flatMap({ PhoneEvent.Kind(word: $0) }), let cause = value["cause"]?.int,
            let planned = value["plannedNanoseconds"]?.int, let phone = value["phone"]?.int, 0...1 ~= phone,
            let token = value["token"]?.string
        else { return nil }
        return ReactionNote(
            session: session, step: step, reaction: Int(reaction), event: event, cause: UInt64(clamping: cause),
            plannedAt: Instant(nanoseconds: planned), phone: Int(phone), token: token)
    }
}

extension JSONValue {
    fileprivate func number(_ key: String) -> UInt32? { self[key]?.int.flatMap { UInt32(exactly: $0) } }
}
