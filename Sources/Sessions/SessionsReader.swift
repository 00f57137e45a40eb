// Reads the journal of a judged run once more, for what happened in the sessions whose cards were oldest.

package import Basics
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
package import Verdicts

package enum SessionsReader {
    /// Of the run whose record this is; its journal stands in `record.directory`. Nil where no plan was played, as in a
    /// mock's own journal.
    package static func read(_ record: RunRecord) throws(Failure) -> SessionsSeen? {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: record.directory))
        guard let found = try beginning(reader) else { return nil }
        let note = found.plan
        let plan = note.plan(of: try note.scenario())
        let origin = found.origin
        let end = origin.instant + (record.phases.last?.end ?? record.duration)
        let cards = record.correlation.cards
        let lanes = cards.worst.map { SessionLane($0, plan, origin: origin, end: end) }
        if !lanes.isEmpty {
            // What bears no marker may be for any of them.
            let sessions = Set(lanes.map(\.session))
            let isTheirs = { (marker: Marker?) in marker.map { $0.run != plan.run || sessions.contains($0.session) } ?? true }
            _ = try reader.forEach(since: nil, reading: { isTheirs($0) ? .whole : .none }) { entry in
                for lane in lanes { lane.visit(entry) }
                return true
            }
        }
        return SessionsSeen(
            shown: cards.shown, behind: cards.behind, lived: cards.lived, behindFor: cards.behindFor,
            placeLength: cards.placeLength, places: cards.places, worst: lanes.map { $0.finish() },
            cardsLack: cardsLack(plan))
    }

    static func cardsLack(_ plan: Plan) -> String? {
        let profile = plan.scenario.relay.profile
        guard profile.content.contentState != nil else {
            return "the profile \(profile.name) names no schema of the content state (schemas.contentState)"
        }
        guard CardHistory(plan, session: 0) != nil else {
            return "the schema of the content state says nothing of what a card shows (x-card)"
        }
        return nil
    }

    private struct Beginning {
        var plan: PlanNote
        var origin: (instant: Instant, wall: WallTime)
    }

    /// The plan, and the instant of its start.
    private static func beginning(_ reader: JournalReader) throws(Failure) -> Beginning? {
        var plan: PlanNote?
        var origin: (instant: Instant, wall: WallTime)?
        _ = try reader.forEach(since: nil) { entry in
            if case .event = entry { return false }
            guard case .note(let note) = entry else { return true }
            if note.kind == .plan, case .plan(let found) = note.run { plan = plan ?? found }
            if note.kind == .phase { origin = origin ?? (note.at, note.wall) }
            return plan == nil || origin == nil
        }
        guard let plan, let origin else { return nil }
        return Beginning(plan: try plan.asPlayed(reader), origin: origin)
    }
}
