// The discipline of every journal of a mock, once for all: what a turn of the loop has to say is committed before an answer
// of that turn leaves. So what was answered is on record whatever happens next, and what cannot be put on record is not
// answered (docs/architecture.md).

import Basics
import EventLoop
import Journal
import Synchronization

/// The journal of those who answer on one loop. Confined to it.
final class TurnJournal {
    let writer: JournalWriter
    private let loop: EventLoop
    private let shared: MockShared
    /// This turn has something to commit.
    private(set) var isDirty = false
    private var commitsSoon = false
    /// It cannot be written any more, so nothing is answered any more.
    private(set) var hasFailed = false

    /// Why it cannot be written any more.
    var failure: Failure? {
        writer.failure ?? (hasFailed ? Failure(.run, "the journal cannot be written") : nil)
    }

    /// `name` says who writes; see `JournalWriter`.
    init(loop: EventLoop, shared: MockShared, name: String) throws(Failure) {
        self.loop = loop
        self.shared = shared
        writer = try JournalWriter(directory: shared.journalDirectory, name: name, time: loop.recordTime)
    }

    /// Something of this turn is to be committed at its end.
    func markDirty() { isDirty = true }

    /// No answer of this turn waits for what was written: `commit`, which leads to `commitTurn`, comes at the turn's end.
    func commitSoon(_ commit: @escaping () -> Void) {
        markDirty()
        guard !commitsSoon else { return }
        commitsSoon = true
        loop.atEndOfTurn { [self] in
            commitsSoon = false
            commit()
        }
    }

    /// The end of a turn, before its bytes leave. False: what is not on record must not be answered. `told` runs between
    /// the commit and the moment at which those who wait for commits may see it.
    func commitTurn(_ told: () -> Void = {}) -> Bool {
        guard isDirty else { return !hasFailed }
        isDirty = false
        if !hasFailed, !writer.commit() {
            hasFailed = true
            if let failure { shared.report(failure) }
        }
        told()
        shared.commits.add(1, ordering: .releasing)
        return !hasFailed
    }

    /// In the middle of a turn, for what no answer waits for. A failure is the end of the turn's to tell.
    func commitNow(_ told: () -> Void) {
        _ = writer.commit()
        told()
        shared.commits.add(1, ordering: .releasing)
    }
}
