// What the run itself puts on record, in the journal beside the mock's and the load's: each note reaches the kernel before
// the next thing happens, so a run that was killed can be read up to there.

import Basics
import EventLoop
import Journal

/// Confined to the thread that runs the harness.
final class RunJournal {
    /// The writer's name in the journal.
    static let name = "run"
    private let writer: JournalWriter
    private let clock: RunClock

    init(directory: String, clock: RunClock) throws(Failure) {
        writer = try JournalWriter(directory: directory, name: Self.name, time: clock)
        self.clock = clock
    }

    /// Why nothing can be noted any more; nil while all is well.
    var failure: Failure? { writer.failure }

    /// What happens now, or began at an instant that has passed.
    func note(_ note: RunNote, at instant: Instant? = nil) {
        writer.append(note, at: instant ?? clock.stamp())
        _ = writer.commit()
    }
}
