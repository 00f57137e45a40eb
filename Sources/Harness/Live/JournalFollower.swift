// Reads the journal of a run behind its writers, on a thread of its own. Nobody on the data path does anything for it: what
// happens is in the journal before it is answered, and is read from there.

import Basics
import EventLoop
import Journal
import Synchronization

/// Follows one run. It never takes more than a quarter of a processor: behind each look it rests three times as long as that
/// took. It may fall behind, and says how far.
final class JournalFollower: Sendable {
    private let thread: LoopThread<Follower>
    private let isStopped = Mutex(false)

    private final class Board: Sendable {
        let figures = Mutex(LiveFigures())
    }
    private let shared: Board

    /// `look`, where somebody has to decide something: what is known by now, behind each look, on the follower's thread.
    init(
        directory: String, terms: @escaping @Sendable () -> LiveJoin.Terms?,
        look: @escaping @Sendable (LiveFigures) -> Void = { _ in }
    ) throws(Failure) {
        let shared = Board()
        do {
            thread = try LoopThread(name: "follow", rank: nil) { loop in
                Follower(directory: directory, loop: loop, terms: terms) { figures in
                    shared.figures.withLock { $0 = figures }
                    look(figures)
                }
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot follow the journal: \(error)")
        }
        self.shared = shared
        thread.post { $0.look() }
    }

    /// As of the last look.
    var figures: LiveFigures { shared.figures.withLock { $0 } }

    /// Idempotent.
    func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        if isFirst { thread.stop() }
    }
}

/// Confined to its loop.
private final class Follower {
    /// How often the journal is looked at, at most.
    private static let pace = Interval.milliseconds(200)
    /// Records in one look: some tens of milliseconds.
    private static let mostInOneLook = 20_000

    private let directory: String
    private let loop: EventLoop
    private let terms: () -> LiveJoin.Terms?
    private let tell: (LiveFigures) -> Void
    private let time = SystemTime()
    private var reader: JournalReader?
    private var join: LiveJoin?
    private var cursor: JournalCursor?

    init(
        directory: String, loop: EventLoop, terms: @escaping () -> LiveJoin.Terms?, tell: @escaping (LiveFigures) -> Void
    ) {
        self.directory = directory
        self.loop = loop
        self.terms = terms
        self.tell = tell
    }

    func look() {
        let began = time.now()
        let isAtEnd = read()
        let took = time.now() - began
        let rest = isAtEnd ? max(Self.pace, took * 3) : took * 3
        _ = loop.after(rest) { [weak self] in self?.look() }
    }

    /// Whether nothing more stands there. What cannot be read is no fault of the run's: the next look may have it.
    private func read() -> Bool {
        let known = terms()
        if join == nil { join = known.map { LiveJoin($0) } }
        if let known { join?.measure(from: known.measuredFrom) }
        if reader == nil { reader = try? JournalReader(directory: directory) }
        guard var join, let reader else { return true }
        self.join = nil
        var left = Self.mostInOneLook
        do throws(Failure) {
            cursor = try reader.forEach(since: cursor, reading: { _ in .outline }) { entry in
                join.see(entry)
                left -= 1
                return left > 0
            }
        } catch {
            self.join = join
            return true
        }
        tell(join.settled())
        self.join = join
        return left > 0
    }
}
