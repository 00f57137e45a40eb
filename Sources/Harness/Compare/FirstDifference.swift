// Of two histories by a stepped clock with one seed: the first push that is not the same.

import Basics
import Comparison
import Journal
import Pushes
import Verdicts

enum FirstDifference {
    /// What of a push is the relay's doing, and not of the instant a run was started at.
    private struct Push: Hashable {
        var at: Interval
        var place: String
        var type: String
        var event: String
        var priority: String
        var status: UInt16

        var words: String {
            "at +\(at), \(place.isEmpty ? "without our marker" : place), \(type.isEmpty ? "no push type" : type)"
                + (event.isEmpty ? "" : " \(event)") + (priority.isEmpty ? "" : ", priority \(priority)")
                + ", answered \(status)"
        }
    }

    /// Looks at the first runs of both sides that have one seed. Nil: none is by a stepped clock, or all pushes are the same.
    static func find(_ base: [RunFigures], _ new: [RunFigures]) throws(Failure) -> String? {
        for one in base where one.isStepped {
            guard let other = new.first(where: { $0.isStepped && $0.record.seed == one.record.seed }) else { continue }
            let (before, after) = (try pushes(one.record.directory), try pushes(other.record.directory))
            guard let place = (0..<max(before.count, after.count)).first(where: { before[safe: $0] != after[safe: $0] }) else {
                return nil
            }
            let was = before[safe: place]?.words ?? "none"
            let now = after[safe: place]?.words ?? "none"
            return "number \(place + 1) of seed \(one.record.seed): \(was) before; \(now) now"
        }
        return nil
    }

    private static func pushes(_ directory: String) throws(Failure) -> [Push] {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        var origin: Instant?
        var found: [(at: Instant, push: PushEntry)] = []
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .note(let note) where note.kind == .phase && origin == nil: origin = note.at
            case .push(let push): found.append((push.arrivedAt, push))
            default: break
            }
            return true
        }
        let start = origin ?? found.first?.at ?? Instant(nanoseconds: 0)
        let pushes = found.map { at, push in
            Push(
                // Below a millisecond it is the machine that tells, not the stepped clock.
                at: .milliseconds(((at - start).nanoseconds + 500_000) / 1_000_000),
                place: push.marker.map { "session \($0.session) step \($0.step)" } ?? "",
                type: push.pushType ?? "", event: push.event.map { "\($0)" } ?? "", priority: push.priority ?? "",
                status: push.status)
        }
        // What arrives at one instant has no order of its own.
        return pushes.sorted { ($0.at, $0.place, $0.type, $0.event) < ($1.at, $1.place, $1.type, $1.event) }
    }
}
