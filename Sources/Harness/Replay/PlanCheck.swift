// Whether the calls in a journal are those of a plan: same sessions, same calls, same instants.

import Basics
import Journal
import Planning
import Pushes
import Verdicts

struct PlanCheck {
    private let plan: Plan
    private var origin: Instant?
    private var kinds: [String] = []
    private var known: [UInt32: [PlannedEvent]] = [:]
    /// More sessions at once than these are computed again when they are asked for.
    private static let mostKnown = 1_000
    /// Of the same instant, computed twice: rounding.
    private static let tolerance = Interval.microseconds(1)
    /// The first, in words.
    private(set) var difference: String?

    init(_ plan: Plan) { self.plan = plan }

    mutating func see(_ entry: JournalEntry) {
        switch entry {
        case .note(let note):
            if note.kind == .phase, origin == nil { origin = note.at }
            if note.kind == .kinds, let names = try? JSONValue(parsing: note.text).array {
                kinds = names.map { $0.string ?? "" }
            }
        case .event(let event) where !EventNumber.isReaction(event.step): difference = difference ?? difference(event)
        case .event, .push, .broadcast: break
        }
    }

    private mutating func difference(_ event: EventEntry) -> String? {
        guard let origin else { return nil }
        let call = kinds.indices.contains(Int(event.kind)) ? kinds[Int(event.kind)] : "call \(event.kind)"
        let name = "session \(event.session) step \(event.step), `\(call)` at \(Numbers.offset(event.plannedAt - origin))"
        guard let planned = planned(event.session).first(where: { $0.step == event.step }) else { return "it has no \(name)" }
        let kind = plan.kinds[planned.call]
        guard kind == call else { return "\(name), is `\(kind)` now" }
        let apart = planned.at - (event.plannedAt - origin)
        guard apart > Self.tolerance || apart < -Self.tolerance else { return nil }
        return "\(name), is due at \(Numbers.offset(planned.at)) now"
    }

    private mutating func planned(_ session: UInt32) -> [PlannedEvent] {
        if let events = known[session] { return events }
        let events = plan.events(ofSession: session)
        if known.count >= Self.mostKnown { known = [:] }
        known[session] = events
        return events
    }
}
