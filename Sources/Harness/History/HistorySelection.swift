// Which entries of a history are asked for.

import Basics
import Journal
import Pushes

struct HistorySelection {
    private let session: UInt32?
    /// In small letters.
    private let token: String?
    /// Where a session's own pushes went: pushes there without a marker are shown with it.
    private var tokens: Set<TokenHash> = []
    /// Pushes that were taken, so that what is told of them later is taken as well.
    private var taken: Set<UInt64> = []
    /// A mark that may still be asked after; beyond it the oldest are forgotten, all at once.
    private static let mostTaken = 1 << 20

    init(session: UInt32?, token: String?) {
        self.session = session
        self.token = token.map { $0.lowercased().filter { $0 != "…" } }
    }

    var isAll: Bool { session == nil && token == nil }

    /// What was asked for, for a message that there is none.
    var words: String {
        [session.map { "session \($0)" }, token.map { "token that begins with \($0)" }].compactMap { $0 }
            .joined(separator: " with a ")
    }

    /// Goes through the history for the tokens of the session, where one is asked for.
    mutating func findTokens(_ reader: JournalReader) throws(Failure) {
        guard let session else { return }
        var tokens: Set<TokenHash> = []
        _ = try reader.forEach(since: nil) { entry in
            if case .push(let push) = entry, push.marker?.session == session {
                tokens.insert(TokenHash(push.token))
            }
            return true
        }
        self.tokens = tokens
    }

    mutating func takes(_ entry: JournalEntry) -> Bool {
        guard !isAll else { return true }
        if let subject = entry.subject { return taken.contains(subject) }
        let isWanted = isOfSession(entry) && isOfToken(entry)
        if isWanted, entry.request != nil {
            if taken.count == Self.mostTaken { taken = [] }
            taken.insert(entry.id)
        }
        return isWanted
    }

    private func isOfSession(_ entry: JournalEntry) -> Bool {
        guard let session else { return true }
        return switch entry {
        case .event(let event): event.session == session
        case .push(let push): push.marker.map { $0.session == session } ?? tokens.contains(TokenHash(push.token))
        case .note(let note):
            note.capture?.session == session || note.reaction?.session == session || note.actedIn == session
        case .broadcast: false
        }
    }

    private func isOfToken(_ entry: JournalEntry) -> Bool {
        guard let token else { return true }
        guard case .push(let push) = entry else { return false }
        return push.token.lowercased().hasPrefix(token) || TokenHash(push.token).text.hasPrefix(token)
    }
}

extension TokenHash {
    /// Sixteen hex digits.
    var text: String { Hex.word(bits) }
}

extension JournalEntry {
    var id: UInt64 {
        switch self {
        case .push(let push), .broadcast(let push): push.id
        case .event(let event): event.id
        case .note(let note): note.id
        }
    }

    /// By the host's clock: a push's arrival, the latest instant of an event.
    var wall: WallTime {
        switch self {
        case .push(let push), .broadcast(let push): push.arrivedWall
        case .event(let event): event.plannedWall + (max(event.plannedAt, event.sentAt, event.answeredAt) - event.plannedAt)
        case .note(let note): note.wall
        }
    }

    /// The push that a note speaks of.
    var subject: UInt64? {
        guard case .note(let note) = self else { return nil }
        return note.undelivered ?? note.lateOutcome?.push ?? note.reach?.message
    }
}

extension NoteEntry {
    /// The session whose user did something on a phone; nil for every other note.
    var actedIn: UInt32? {
        guard let value = json(of: .admin) else { return nil }
        return value["session"]?.int.flatMap { UInt32(exactly: $0) }
    }

    /// What that was, such as `on phone-0-1: dismiss, activity 1`.
    var actWords: String? {
        guard actedIn != nil, let value = try? JSONValue(parsing: text), let phone = value["phone"]?.string,
            let change = value["change"], let what = (change["action"] ?? change["connection"])?.string
        else { return nil }
        let activity = change["activity"]?.int.map { ", activity \($0)" } ?? ""
        return "on \(phone): \(what)\(activity)" + (value["refused"]?.string.map { " (not possible: \($0))" } ?? "")
    }
}
