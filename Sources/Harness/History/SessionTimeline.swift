// `pushrig journal RUN --session N`: what happened to one session, in order of time: a call offered, its answer, the pushes
// that it caused, what happened on the phones, and what their cards showed.

import Basics
import Journal
import Planning
import Pushes
import Scenarios
import Sessions

struct SessionTimeline {
    /// One thing that happened.
    enum Happening {
        case offered(EventEntry)
        case answered(EventEntry)
        /// A call that was never made, and why.
        case unsent(EventEntry)
        case push(PushEntry)
        case phone(PhoneEvent, NoteEntry)
        case note(NoteEntry)
        /// With the push that brought it; nil: the card was drawn later.
        case card(CardLook, push: UInt64?)
    }

    struct Row {
        var at: WallTime
        var what: Happening
    }

    /// Entries beyond this are counted and not shown.
    private static let mostEntries = 100_000

    private(set) var rows: [Row] = []
    /// What is known of the session's steps: when they were planned, and to which phone's event a reaction replies.
    private(set) var planned: [UInt32: WallTime] = [:]
    private(set) var causes: [UInt32: ReactionNote] = [:]
    /// Entries that found no room.
    private(set) var left = 0
    private var last: WallTime?

    /// Goes through the history once for the tokens of the session, and once for the rest.
    init(_ session: UInt32, _ reader: JournalReader, _ frame: inout HistoryFrame) throws(Failure) {
        var selection = HistorySelection(session: session, token: nil)
        try selection.findTokens(reader)
        var (timeline, known) = (SessionTimeline(), frame)
        _ = try reader.forEach(since: nil) { entry in
            known.see(entry)
            timeline.last = max(timeline.last ?? entry.wall, entry.wall)
            timeline.see(entry, session, &selection, known)
            return true
        }
        timeline.sort()
        timeline.addCards(session, known, try known.plan?.asPlayed(reader))
        (self, frame) = (timeline, known)
    }

    private init() {}

    private mutating func see(
        _ entry: JournalEntry, _ session: UInt32, _ selection: inout HistorySelection, _ frame: HistoryFrame
    ) {
        let isTaken = selection.takes(entry)
        if case .note(let note) = entry {
            if let event = note.phoneEvent {
                let isOwn = event.marker?.session == session && event.marker?.run == frame.plan?.run
                if isOwn { add(note.wall, .phone(event, note)) }
                return
            }
            if isTaken, let reaction = note.reaction, !reaction.isInVain { causes[reaction.step] = reaction }
        }
        guard isTaken else { return }
        switch entry {
        case .event(let event):
            planned[event.step] = event.plannedWall
            guard event.wasSent else { return add(entry.wall, .unsent(event)) }
            add(event.plannedWall + (event.sentAt - event.plannedAt), .offered(event))
            add(entry.wall, .answered(event))
        case .push(let push), .broadcast(let push): add(push.arrivedWall, .push(push))
        case .note(let note): add(note.wall, .note(note))
        }
    }

    private mutating func add(_ wall: WallTime, _ what: Happening) {
        guard rows.count < Self.mostEntries else {
            left += 1
            return
        }
        rows.append(Row(at: wall, what: what))
    }

    /// In order of time; what happened at one instant stays in the order of the journal.
    private mutating func sort() {
        rows = rows.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    // MARK: Cards

    private mutating func addCards(_ session: UInt32, _ frame: HistoryFrame, _ note: PlanNote?) {
        guard let note, let scenario = try? note.scenario(),
            let cards = CardHistory(note.plan(of: scenario), session: session, planned: planned)
        else { return }
        var shown: [Row] = []
        func draw(until now: WallTime) {
            for (at, look) in cards.drawings(until: now) { shown.append(Row(at: at, what: .card(look, push: nil))) }
        }
        for row in rows {
            draw(until: row.at)
            shown.append(row)
            switch row.what {
            case .push(let push):
                if let look = cards.see(push) { shown.append(Row(at: row.at, what: .card(look, push: push.id))) }
            case .phone(let event, _): cards.see(event)
            default: break
            }
        }
        if let last { draw(until: last) }
        rows = shown
    }
}
