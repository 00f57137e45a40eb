// Goes through a journal once more for the few worst sessions: what the app and its server called, what the relay pushed to
// the card, what happened on the phone and what the card showed.

import Basics
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
import Schemas
import Verdicts

/// One session and the card of it that was oldest.
final class SessionLane {
    /// Pushes that are stored for a phone, and reasons that phones gave, beyond which nothing more is remembered.
    private static let mostStored = 200

    private let plan: Plan
    private let origin: (instant: Instant, wall: WallTime)
    private let end: Instant
    let session: UInt32
    private let phone: Int
    private let tokens: Set<TokenHash>
    private var seen: SessionSeen
    private var marks: LaneMarks
    private let cards: CardHistory?
    private var stored: [UInt64: PushEntry] = [:]
    /// The look of the card so far, as it was told last.
    private var look: CardSeen?

    init(_ card: CardAges, _ plan: Plan, origin: (instant: Instant, wall: WallTime), end: Instant) {
        self.plan = plan
        self.origin = origin
        self.end = end
        (session, phone, tokens) = (card.session, Int(card.phone), card.tokens)
        let worst = card.worst ?? CardStretch(start: origin.instant, end: origin.instant)
        seen = SessionSeen(
            session: session, phone: phone, age: worst.end - (worst.offeredAt ?? worst.end), at: worst.end - origin.instant,
            offeredAt: (worst.offeredAt ?? worst.end) - origin.instant, behind: card.behind, shownStep: worst.shown,
            newerStep: worst.newer)
        seen.stale = card.stretches.filter { $0.offeredAt != nil }.suffix(LaneMarks.mostStretches).map {
            $0.start - origin.instant..<$0.end - origin.instant
        }
        marks = LaneMarks(offeredAt: seen.offeredAt, worstAt: seen.at)
        cards = CardHistory(plan, session: session)
    }

    // MARK: Entries

    func visit(_ entry: JournalEntry) {
        switch entry {
        case .event(let event) where event.session == session: see(event)
        case .push(let push): see(push)
        case .note(let note): see(note)
        case .event, .broadcast: break
        }
    }

    func finish() -> SessionSeen {
        draw(until: end)
        (seen.marks, seen.left) = marks.result
        return seen
    }

    private func see(_ event: EventEntry) {
        let number = Int(event.kind)
        let name = plan.kinds.indices.contains(number) ? plan.kinds[number] : "call \(number)"
        let sentAt = (event.sentAt.nanoseconds == 0 ? event.plannedAt + event.lateness : event.sentAt) - origin.instant
        let calls = plan.scenario.relay.profile.calls
        let isExpected = calls.indices.contains(number) && calls[number].expectedStatus.contains(Int(event.status))
        let words = "\(name): \(event.answerText)"
        switch EventFailure(rawValue: event.failure) {
        case .dropped?, .withheld?, .retired?:
            marks.add(LaneMark(.failed, at: sentAt, step: event.step, words + "; it was never sent"))
        default:
            marks.add(LaneMark(.offered, at: sentAt, step: event.step, name))
            let answeredAt = event.answeredAt.nanoseconds == 0 ? sentAt : event.answeredAt - origin.instant
            let isGood = event.status != 0 && event.failure == 0 && isExpected
            marks.add(LaneMark(isGood ? .answered : .failed, at: answeredAt, step: event.step, words))
        }
    }

    private func see(_ push: PushEntry) {
        let marker = push.marker.flatMap { $0.run == plan.run ? $0 : nil }
        if let marker, marker.session != session { return }
        guard push.pushType == PushType.liveactivity.word.description,
            tokens.contains(TokenHash(push.token))
        else { return }
        draw(until: push.arrivedAt)
        let event = push.event.map { "\($0.word)" } ?? "push"
        let what = push.status == 200 ? push.outcome.map { "\($0.word)" } ?? "accepted" : push.answerText
        let isTaken = push.outcome?.changedScreen ?? false
        let beside = (push.faultRule == 0 ? "" : ", by a fault of ours") + (marker == nil ? ", without a marker" : "")
        marks.add(
            LaneMark(
                push.status != 200 ? .refused : isTaken ? .taken : .passed, at: push.arrivedAt - origin.instant,
                step: marker?.step, "\(event): \(what)\(beside)"))
        if push.outcome == .stored, stored.count < Self.mostStored { stored[push.id] = push }
        show(cards?.see(push), at: push.arrivedAt)
    }

    private func see(_ note: NoteEntry) {
        switch note.kind {
        case .phone:
            guard let event = note.phoneEvent, event.marker?.run == plan.run, event.marker?.session == session,
                PhoneName(event.phone)?.phone == phone
            else { return }
            draw(until: note.at)
            cards?.see(event)
            marks.add(LaneMark(.phone, at: note.at - origin.instant, "activity \(event.activity): \(event.kind.word)"))
        case .outcome:
            guard let late = note.lateOutcome, var push = stored.removeValue(forKey: late.push) else { return }
            draw(until: note.at)
            (push.outcome, push.arrivedAt) = (late.outcome, note.at)
            push.arrivedWall = origin.wall + (note.at - origin.instant)
            marks.add(
                LaneMark(
                    .phone, at: note.at - origin.instant, step: push.marker?.step,
                    "what was stored for the phone: \(late.outcome.word)"))
            show(cards?.see(push), at: note.at)
        default: break
        }
    }

    // MARK: Cards

    private func draw(until instant: Instant) {
        let now = origin.wall + (instant - origin.instant)
        for (at, look) in cards?.drawings(until: now) ?? [] {
            show(look, at: origin.instant + (at - origin.wall))
        }
    }

    private func show(_ look: CardLook?, at instant: Instant) {
        guard let look, look.phone == phone else { return }
        let at = instant - origin.instant
        // What the card shows stays while a newer state waits to be drawn.
        guard !look.hasNewer else { return }
        var text = look.text
        text.map(withoutMarker)
        let card = CardSeen(since: at, text: LaneMarks.cut(text))
        guard card.text != self.look?.text else { return }
        self.look = card
        if at < seen.at { seen.card = card } else if seen.next == nil { seen.next = card }
        // What changes most comes first: there may be room for little.
        let words = [card.text.body, card.text.status, card.text.progress, card.text.since, card.text.title]
            .compactMap { $0 }.joined(separator: " · ")
        marks.add(LaneMark(.shown, at: at, step: look.step, words))
    }

    /// A card that a user looks at has none: it is the rig's own.
    private func withoutMarker(_ text: String) -> String {
        guard let marker = withBytes(of: text, { Marker.find(in: $0, run: plan.run) })?.text else { return text }
        return text.replacing(marker + " ", with: "").replacing(marker, with: "")
    }
}
