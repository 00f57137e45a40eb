// An entry as one line of JSON. Times of the clock are RFC 3339, offsets are nanoseconds since the plan's origin.

import APNs
import Basics
import Faults
import Journal
import Pushes
import Verdicts

extension HistoryFrame {
    /// Tokens are in full. Why the phone did with a push what it did is there as far as it was looked for.
    func json(_ entry: JournalEntry) -> String { JSONValue.object(object(entry)).text }

    func object(_ entry: JournalEntry) -> JSONObject {
        var object: JSONObject = [
            "entry": .integer(Int64(entry.id)), "time": .string(entry.wall.iso8601),
            "offsetNanoseconds": origin.map { .integer((entry.wall - $0).nanoseconds) } ?? .null,
        ]
        switch entry {
        case .push(let push), .broadcast(let push): add(push, to: &object)
        case .event(let event): add(event, to: &object)
        case .note(let note):
            object["kind"] = "note"
            object["note"] = .string("\(note.kind)")
            object["text"] = (try? JSONValue(parsing: note.text)).map { told($0, note) } ?? .string(note.text)
        }
        return object
    }

    /// The note's JSON, with the instants in it counted as those of an event are.
    private func told(_ value: JSONValue, _ note: NoteEntry) -> JSONValue {
        guard let reaction = note.reaction, var object = value.object else { return value }
        object["plannedNanoseconds"] = offset(reaction.plannedAt, note.wall, note.at)
        return .object(object)
    }

    /// Since the plan's start; `wall` and `at` are one instant on both clocks. Null for an instant that never was.
    private func offset(_ instant: Instant, _ wall: WallTime, _ at: Instant) -> JSONValue {
        guard instant.nanoseconds != 0 else { return .null }
        return (origin ?? first).map { .integer((wall + (instant - at) - $0).nanoseconds) } ?? .null
    }

    private func add(_ push: PushEntry, to object: inout JSONObject) {
        object["kind"] = .string("\(push.kind.word)")
        object["session"] = push.marker.map { .integer(Int64($0.session)) } ?? .null
        object["step"] = push.marker.map { .integer(Int64($0.step)) } ?? .null
        object["provider"] = .string("\(push.provider.word)")
        object["environment"] = .string("\(push.environment.word)")
        object["connection"] = .integer(Int64(push.connection))
        object["stream"] = .integer(Int64(push.stream))
        object["token"] = push.kind == .push ? .string(push.token) : .null
        object["tokenHash"] = push.kind == .push ? .string(TokenHash(push.token).text) : .null
        object["topic"] = text(push.topic)
        object["pushType"] = text(push.pushType)
        object["priority"] = text(push.priority)
        object["event"] = text(push.event.map { "\($0.word)" })
        object["status"] = push.status == 0 ? .null : .integer(Int64(push.status))
        object["reason"] = text(push.reason)
        object["cause"] = text(push.credentialCause.map { "\($0.word)" })
        object["causeText"] = text(push.credentialWords)
        object["timestamp"] = push.timestampMilliseconds == 0 ? .null : .integer(push.timestampMilliseconds)
        object["outcome"] = text(push.outcome.map { "\($0.word)" })
        object["outcomeReason"] = text(reason(push))
        object["fault"] = text(fault(push.faultRule))
        object["faultAction"] = text(FaultAction.word(of: push.faultAction))
        object["delayNanoseconds"] = .integer(push.delay.nanoseconds)
        object["warnings"] = .array(PushWarning.all(in: push.warnings).map { .string("\($0.word)") })
        object["isCut"] = .bool(push.isCut)
        object["headers"] = .array(push.headers.map { .array([.string($0.name), .string($0.value)]) })
        let body = String(decoding: push.payload, as: UTF8.self)
        object["payload"] = (try? JSONValue(parsing: push.payload.span)) ?? .string(body)
    }

    private func add(_ event: EventEntry, to object: inout JSONObject) {
        func offset(_ instant: Instant) -> JSONValue { self.offset(instant, event.plannedWall, event.plannedAt) }
        object["kind"] = "event"
        object["session"] = .integer(Int64(event.session))
        object["step"] = .integer(Int64(event.step))
        object["isReaction"] = .bool(EventNumber.isReaction(event.step))
        object["call"] = .string(kind(event))
        object["plannedNanoseconds"] = offset(event.plannedAt)
        object["sentNanoseconds"] = offset(event.sentAt)
        object["answeredNanoseconds"] = offset(event.answeredAt)
        object["latenessNanoseconds"] = .integer(event.lateness.nanoseconds)
        object["attempts"] = .integer(Int64(event.attempts))
        object["status"] = event.status == 0 ? .null : .integer(Int64(event.status))
        object["failure"] = event.failure == 0 ? .null : .string(event.failureWord)
        object["answer"] = event.answer.isEmpty ? .null : .string(String(decoding: event.answer, as: UTF8.self))
    }

    private func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension EventEntry {
    /// False for a call that was never made: it lacked something, or too many were unanswered.
    var wasSent: Bool { sentAt.nanoseconds != 0 }

    /// Why it was never made, such as `not sent (withheld): no value of …`.
    var unsentWords: String {
        let lack = answer.isEmpty ? "" : ": " + String(decoding: answer, as: UTF8.self)
        return "not sent (\(failureWord))\(lack)"
    }
}
