// Where a listener begins, and what he wants to hear of.

import Basics
import Journal

extension EventStreams {
    func kinds(_ text: String?) throws(AdminError) -> EventKinds {
        guard let text else { return .all }
        if let kinds = EventKinds(parsing: text) { return kinds }
        throw AdminError(
            400, "bad-parameter", "kinds is '\(text)'",
            hint: "words between commas: " + EventKind.allCases.map { $0.word.description }.joined(separator: ", "))
    }

    /// A client that comes back says where it was; that goes before the address, which it asks again unchanged.
    func beginning(
        _ parameters: [String: String], lastEventID: String?
    ) throws(AdminError) -> (EventListener.Stage, JournalCursor) {
        if let lastEventID, !lastEventID.isEmpty {
            return (.catchingUp, try shared.cursor(lastEventID, named: "last-event-id"))
        }
        switch (parameters["after"], parameters["last"]) {
        case (.some, .some):
            throw AdminError(400, "bad-parameter", "after and last are both given", hint: "give one of them")
        case (let after?, nil):
            return (.catchingUp, try shared.cursor(after, named: "after"))
        case (nil, let last?):
            guard let limit = Int(last), Self.newestLimit.contains(limit) else {
                throw AdminError(
                    400, "bad-parameter", "last is '\(last)'",
                    hint: "give a whole number from \(Self.newestLimit.lowerBound) to \(Self.newestLimit.upperBound)")
            }
            return limit == 0 ? try fromNow() : (.gathering(limit: limit), try shortlyBeforeNow())
        case (nil, nil): return try fromNow()
        }
    }

    private func fromNow() throws(AdminError) -> (EventListener.Stage, JournalCursor) {
        (.live, try shared.cursor("end", named: "after"))
    }
}

extension MockShared {
    /// A cursor as strangers give it: empty for the last reset, `end`, or one that was told.
    func cursor(_ text: String, named name: String) throws(AdminError) -> JournalCursor {
        switch text {
        case "": return pushesBegin ?? JournalCursor()
        case "end":
            do { return try journalEnd() } catch {
                throw AdminError(500, "journal", error.message, hint: error.hint)
            }
        default:
            if let cursor = JournalCursor(parsing: text) { return cursor }
            throw AdminError(
                400, "bad-parameter", "\(name) is no cursor", hint: "give one of an earlier answer, or 'end'")
        }
    }
}
