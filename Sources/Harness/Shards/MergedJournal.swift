// The journals of shards, and of the mocks they share, as the journal of one run: a file for each, on one clock, and one with
// what is said of the run as a whole.

import Basics
import Journal
import OperatingSystem
import Planning
import Pushes
import Scenarios

struct MergedJournal {
    private let shardSet: ShardSet
    private let first: ShardSet.Part
    private let directory: String
    private let time: FixedTime
    private let note: PlanNote
    private let plan: Plan
    private var pushes = 0
    private var connections = 0
    private var bytes = 0

    /// Connections of one journal have numbers below this; rules likewise.
    private static let connections: UInt64 = 1 << 40
    private static let rules: UInt32 = 1 << 16

    /// `shardSet` has at least one part. Throws what is wrong with the scenario.
    init(_ shardSet: ShardSet, in directory: String, command: String) throws(Failure) {
        guard let first = shardSet.parts.first, var note = first.folder.plan, let begun = first.folder.begun else {
            preconditionFailure("a merged run has at least one part")
        }
        self.shardSet = shardSet
        self.first = first
        self.directory = directory
        time = FixedTime(instant: begun.at, moment: begun.wall + first.ahead)
        note.merged = MergedNote(
            runID: note.part?.runID ?? "", count: shardSet.count,
            parts: shardSet.parts.map { .init(index: $0.index, folder: $0.folder.path, offset: $0.ahead, bar: $0.bar) },
            missing: shardSet.missing, voids: shardSet.voids,
            relays: note.part?.mocks.isEmpty == false ? 1 : shardSet.parts.count)
        let whole = note.part?.whole ?? ""
        (note.part, note.shardIndex, note.shardCount, note.command) = (nil, 0, 1, command)
        plan = note.plan(of: try note.scenario())
        note.digest = shardSet.missing.isEmpty ? whole : plan.digest()
        self.note = note
    }

    /// Throws when a journal cannot be read or written.
    mutating func write() throws(Failure) {
        for (number, part) in shardSet.parts.enumerated() {
            var terms = CopyTerms()
            terms.ahead = part.ahead
            terms.connections = UInt64(number) * Self.connections
            terms.rules = UInt32(number) * Self.rules
            terms.keeps = { Self.keeps($0, ofFirst: number == 0) }
            try copy(part.folder, "shard-\(part.index)", terms)
        }
        for (number, mock) in shardSet.mocks.enumerated() {
            var terms = CopyTerms()
            terms.ahead = mock.ahead
            terms.window = window
            terms.connections = UInt64(shardSet.parts.count + number) * Self.connections
            terms.rules = UInt32(shardSet.parts.count + number) * Self.rules
            let (plan, count, missing) = (plan, shardSet.count, Set(shardSet.missing))
            // Whose calls nobody knows, of those it cannot be said what was owed.
            terms.keepsMarked = { $0.run != plan.run || !missing.contains(Int(plan.account(ofSession: $0.session)) % count) }
            try copy(mock.folder, "mock-\(number)", terms)
        }
        try writeRun()
    }

    private mutating func copy(_ folder: ShardFolder, _ name: String, _ terms: CopyTerms) throws(Failure) {
        let writer = try JournalWriter(directory: directory, name: name, time: time)
        var opened = 0
        var terms = terms
        let keeps = terms.keeps
        terms.keeps = { note in
            if note.kind == .connectionOpened { opened += 1 }
            return keeps(note)
        }
        let tally = try folder.reader.copy(into: writer, terms)
        guard writer.commit() else { throw writer.failure ?? Failure(.run, "cannot write \(writer.path)") }
        pushes += tally.pushes
        connections += opened
        bytes += writer.byteCount
    }

    /// What is said of a run once is said anew. Shards with relays of their own start, restart and watch them alike: the first
    /// speaks for all, but of a relay that died.
    private static func keeps(_ note: NoteEntry, ofFirst isFirst: Bool) -> Bool {
        switch note.kind {
        case .plan, .phase, .totals, .finished, .clockOffset, .void: return false
        case .relayStarted, .relayReady, .relayStopping, .relaySample: return isFirst
        case .relayExited:
            guard !isFirst, case .relayExited(let exit) = note.run else { return isFirst }
            return !exit.wasAsked
        default: return true
        }
    }

    // MARK: - The run as a whole

    private var window: ClosedRange<WallTime> {
        let starts = shardSet.parts.compactMap { part in part.folder.origin.map { $0 + part.ahead } }
        let bar = shardSet.parts.map(\.bar).max() ?? .zero
        let from = (starts.min() ?? time.moment) - bar - .seconds(1)
        return from...max(from, last(PhaseTimeline.stop) ?? WallTime(nanoseconds: .max))
    }

    /// The wall time at which the last part, or the first one, came to a phase; nil: none did.
    private func last(_ name: String) -> WallTime? { times(name).max() }
    private func times(_ name: String) -> [WallTime] {
        shardSet.parts.compactMap { part in part.folder.phases.first { $0.name == name }.map { $0.wall + part.ahead } }
    }

    private func writeRun() throws(Failure) {
        let journal = try JournalWriter(directory: directory, name: RunJournal.name, time: time)
        func at(_ wall: WallTime) -> Instant { time.instant + (wall - time.moment) }
        let begun = shardSet.parts.compactMap { part in part.folder.begun.map { $0.wall + part.ahead } }.min() ?? time.moment
        journal.append(.plan(note), at: at(begun))
        var latest = begun
        for name in [PhaseTimeline.warmUp, PhaseTimeline.measure] {
            guard let wall = times(name).min() else { continue }
            journal.append(.phase(name), at: at(wall))
            latest = max(latest, wall)
        }
        for name in [PhaseTimeline.drain, PhaseTimeline.stop] {
            guard let wall = last(name) else { continue }
            latest = max(latest, wall)
            journal.append(.phase(name), at: at(latest))
        }
        if let totals { journal.append(.totals(totals), at: at(latest)) }
        if shardSet.parts.allSatisfy({ $0.folder.finish != nil }) {
            let isInterrupted = shardSet.parts.contains { $0.folder.finish?.isInterrupted == true }
            journal.append(.finished(FinishNote(isInterrupted: isInterrupted)), at: at(latest))
        }
        guard journal.commit() else { throw journal.failure ?? Failure(.run, "cannot write \(journal.path)") }
    }

    /// Nil where a shard did not come to count.
    private var totals: TotalsNote? {
        var sum = TotalsNote()
        for part in shardSet.parts {
            guard let totals = part.folder.totals else { return nil }
            sum.add(totals)
        }
        // Where the shards have mocks of their own each has counted what its own saw.
        guard !shardSet.mocks.isEmpty else { return sum }
        sum.pushes = pushes
        sum.mockConnections = connections
        sum.journalBytes = bytes
        return sum
    }
}

/// A clock that shows one moment, for what is put on record of another time.
struct FixedTime: TimeSource {
    let instant: Instant
    let moment: WallTime

    func now() -> Instant { instant }
    func wall() -> WallTime { moment }
}
