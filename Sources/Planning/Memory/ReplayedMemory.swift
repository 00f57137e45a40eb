// What sessions remembered and did beyond the plan, learnt again from a journal's notes, so that the calls that they made
// can be rendered again.

package import Journal
import Pushes
import Scenarios

/// Confined to one thread. Its memory goes with the sessions that are not over.
final class ReplayedMemory {
    private struct Kept {
        /// `EventNumber.order` of the event whose answer it was.
        var order: UInt32
        var name: Int
        var value: CapturedValue
    }

    private struct Session {
        var kept: [Kept] = []
        var reactions: [UInt32: MadeReaction] = [:]
    }

    private let names: [String]
    private var sessions: [UInt32: Session] = [:]
    /// Of one session; more tell nothing that a judge would need.
    private static let mostKept = 1_000

    init(names: [String]) { self.names = names }

    func learn(_ note: CaptureNote) {
        guard let value = note.value, let name = names.firstIndex(of: note.name),
            sessions[note.session]?.kept.count ?? 0 < Self.mostKept
        else { return }
        sessions[note.session, default: Session()].kept.append(
            Kept(
                order: EventNumber.order(note.step), name: name,
                value: CapturedValue(bytes: Array(value.utf8), isText: note.isText)))
    }

    func learn(_ made: MadeReaction) { sessions[made.session, default: Session()].reactions[made.step] = made }

    func forget(_ session: UInt32) { sessions[session] = nil }

    func reaction(session: UInt32, step: UInt32) -> MadeReaction? { sessions[session]?.reactions[step] }

    /// What the event of that number could use; nil where its session remembers nothing.
    func context(session: UInt32, step: UInt32) -> EventContext? {
        guard let session = sessions[session] else { return nil }
        var context = EventContext(captured: Array(repeating: nil, count: names.count))
        let order = EventNumber.order(step)
        for kept in session.kept where kept.order < order { context.captured[kept.name] = kept.value }
        if let made = session.reactions[step] {
            context.phone = made.phone
            context.token = Array(made.token.utf8)
        }
        return context
    }
}

extension MadeReaction {
    package init(_ note: ReactionNote) {
        self.init(
            session: note.session, step: note.step, reaction: note.reaction, plannedAt: note.plannedAt, phone: note.phone,
            token: note.token, isInVain: note.isInVain)
    }
}
