// What a folder that `pushrig merge` is given says of itself: a shard's run folder, or the state directory of a mock.

import Basics
import Journal
import Verdicts

struct ShardFolder {
    /// As it was given, without slashes at its end.
    let path: String
    let reader: JournalReader
    /// Nil: no run wrote here, so it is a mock's.
    private(set) var plan: PlanNote?
    /// When the plan was noted, on both clocks.
    private(set) var begun: (at: Instant, wall: WallTime)?
    private(set) var phases: [(name: String, wall: WallTime)] = []
    private(set) var totals: TotalsNote?
    private(set) var finish: FinishNote?
    private(set) var voids: [String] = []
    private(set) var offsets: [ClockOffsetNote] = []

    /// Throws a usage failure when there is no journal.
    init(_ folder: String) throws(Failure) {
        path = JournalPlace.home(of: folder)
        reader = try JournalReader(directory: try JournalPlace.journal(of: folder))
        guard let found = try Verdicts.planNote(reader) else { return }
        plan = found.note
        begun = (found.entry.at, found.entry.wall)
        _ = try reader.skim(since: JournalCursor(), limit: .max) { entry in
            switch entry.run {
            case .phase(let name): phases.append((name, entry.wall))
            case .totals(let noted): totals = noted
            case .finished(let noted): finish = noted
            case .void(let reason): voids.append(reason)
            case .clockOffset(let offset): offsets.append(offset)
            default: break
            }
        }
    }

    /// When the plan began; nil: it never did.
    var origin: WallTime? { phases.first?.wall }

    /// The phase that it came to.
    var lastPhase: String { phases.last?.name ?? "start" }

    /// How far the clock of the mock at `url` is ahead of the shard's: between the measurements before and after, by half of
    /// their difference at most. Nil: it was never measured.
    func offset(to url: String) -> (offset: Interval, bar: Interval)? {
        let measured = offsets.filter { $0.mock == url }
        guard let least = measured.map(\.offset).min(), let most = measured.map(\.offset).max() else { return nil }
        let bar = measured.map(\.bar).max() ?? .zero
        return (least + (most - least) * 0.5, bar + (most - least) * 0.5)
    }
}
