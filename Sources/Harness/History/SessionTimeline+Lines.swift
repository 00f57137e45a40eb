// A session's timeline as lines: for people, or an object of JSON each.

import Basics
import Journal
import Pushes
import Reports
import Schemas
import Sessions
import Verdicts

extension SessionTimeline {
    /// Fit for a terminal, whatever stands in the entry. Tokens are in full. Nil for what another line tells as well.
    func line(_ row: Row, _ frame: HistoryFrame) -> String? {
        let (kind, entry, words): (String, UInt64?, String)
        switch row.what {
        case .offered(let event): (kind, entry, words) = ("offered", event.id, name(event, frame) + cause(event))
        case .answered(let event):
            (kind, entry, words) = ("answered", event.id, "\(name(event, frame)) → \(event.answerText)")
        case .unsent(let event):
            (kind, entry, words) = ("unsent", event.id, "\(name(event, frame))\(cause(event)): \(event.unsentWords)")
        case .push(let push): (kind, entry, words) = ("push", push.id, frame.line(push) + reason(push, frame))
        case .phone(let event, let note): (kind, entry, words) = ("phone", note.id, Self.words(event))
        case .note(let note):
            if let reaction = note.reaction, !reaction.isInVain { return nil }
            (kind, entry, words) = ("note", note.id, frame.line(note))
        case .card(let look, let push): (kind, entry, words) = ("card", push, Self.words(look))
        }
        let padding = String(repeating: " ", count: max(0, 9 - kind.count))
        return "\(frame.time(row.at))  \(kind)\(padding)  \(entry.map { "\($0)" } ?? "–")  \(Escaping.terminal(words))"
    }

    private func name(_ event: EventEntry, _ frame: HistoryFrame) -> String { "\(frame.kind(event)), step \(event.step)" }

    private func cause(_ event: EventEntry) -> String {
        causes[event.step].map { ", for `\($0.event.word)` of phone \($0.phone + 1)" } ?? ""
    }

    private func reason(_ push: PushEntry, _ frame: HistoryFrame) -> String { frame.reason(push).map { " (\($0))" } ?? "" }

    private static func words(_ event: PhoneEvent) -> String {
        let token = event.token.map { ", token \($0)" } ?? ""
        return "\(event.phone), activity \(event.activity): \(event.kind.word)\(token)"
    }

    private static func words(_ look: CardLook) -> String {
        let parts = [look.text.title, look.text.status, look.text.body, look.text.progress, look.text.since].compactMap { $0 }
        let age = look.age.map { ", told \(Numbers.duration($0)) ago" } ?? ""
        return "phone \(look.phone + 1)\(look.activity == 0 ? "" : ", activity \(look.activity)") shows "
            + parts.joined(separator: " · ") + age + (look.hasNewer ? "; a newer state waits to be drawn" : "")
    }

    // MARK: JSON

    /// Entries as `HistoryFrame.json` has them, a call once, where it was offered; a card's look beside them.
    func json(_ row: Row, _ frame: HistoryFrame) -> String? {
        switch row.what {
        case .offered(let event), .unsent(let event): return frame.json(.event(event))
        case .answered: return nil
        case .push(let push): return frame.json(.push(push))
        case .phone(_, let note), .note(let note): return frame.json(.note(note))
        case .card(let look, let entry):
            func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
            let object: JSONValue = [
                "kind": "card", "time": .string(row.at.iso8601),
                "offsetNanoseconds": frame.origin.map { .integer((row.at - $0).nanoseconds) } ?? .null,
                "push": entry.map { .integer(Int64($0)) } ?? .null, "phone": .integer(Int64(look.phone + 1)),
                "activity": look.activity == 0 ? .null : .integer(Int64(look.activity)), "title": text(look.text.title),
                "status": text(look.text.status), "body": text(look.text.body), "progress": text(look.text.progress),
                "since": text(look.text.since), "ageNanoseconds": look.age.map { .integer($0.nanoseconds) } ?? .null,
                "newerWaits": .bool(look.hasNewer),
            ]
            return object.text
        }
    }
}
