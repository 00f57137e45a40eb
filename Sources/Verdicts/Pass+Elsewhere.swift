// What a relay says elsewhere than to Apple and to its callers, on its way into the accounts.

import Conformance
import Journal
import LoadGenerator
import Metrics
import Pushes

extension Pass {
    func hearElsewhere(_ note: NoteEntry, _ plan: Plan) {
        if let heard = note.heard { hear(heard, of: note, plan) }
    }

    /// It belongs to the user for whom somebody listens, whatever it speaks of.
    private func hear(_ heard: HeardNote, of note: NoteEntry, _ plan: Plan) {
        guard let number = context.observers.firstIndex(of: heard.observer), let account = open[heard.user] else { return }
        let what: Telling.What? =
            switch heard.what {
            case .opened: .opened
            case .told: .told
            case .closed: .closed
            case .refused: nil
            }
        guard let what, account.account.tellings.count < Self.mostReactions else { return }
        let marker = heard.marker.flatMap { $0.run == plan.run ? $0 : nil }
        account.account.tellings.append(
            Telling(
                id: note.id, at: note.at, what: what, observer: UInt8(clamping: number), listener: heard.listener,
                session: heard.session, place: marker.map { EventNumber.place(session: $0.session, step: $0.step) }))
    }
}
