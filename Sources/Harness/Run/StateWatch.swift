// Asks a relay which tokens it holds, now and then and at the end: on a thread of its own, and reading only.

import Basics
import EventLoop
import Journal
import Scenarios
import Synchronization

final class StateWatch: Sendable {
    private let thread: LoopThread<StateLooker>
    private let isStopped = Mutex(false)

    /// `source` makes the one that is asked, on its loop. Nobody is asked yet.
    init(
        _ spec: StateSpec, journalDirectory: String, clock: RunClock?,
        source: @escaping @Sendable (EventLoop) throws -> any StateSource
    ) throws(Failure) {
        do {
            thread = try LoopThread(name: "state", clock: clock, rank: nil) { loop in
                try StateLooker(spec, try source(loop), loop: loop, journalDirectory: journalDirectory)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot start who asks the relay for its tokens: \(error)")
        }
    }

    func start() { thread.post { $0.lookAgain() } }

    /// The longest that any look takes: that of an endpoint, or of a server that falls silent, and a moment.
    private static let patience = Interval.seconds(12)

    /// The last look, while the relay is still up, unless the one before it was given up; waits for it, bounded. Idempotent.
    func lookAndStop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        let looked = Handover<Bool>()
        thread.post { $0.end { looked.give(true) } }
        guard looked.take(atMost: Self.patience) != nil else {
            // Who does not come back from a question is left behind, and ends with the process.
            _ = Unmanaged.passRetained(thread)
            return
        }
        thread.stop()
    }
}

/// Confined to its loop.
private final class StateLooker {
    private let spec: StateSpec
    private let source: any StateSource
    private let loop: EventLoop
    private let journal: JournalWriter
    private var known: [String: Set<String>] = [:]
    private var timer: LoopTimer?
    private var hasTold = false
    private var wasGivenUp = false
    private var isLooking = false
    /// What is to be done behind the look that is under way.
    private var next: (() -> Void)?

    init(_ spec: StateSpec, _ source: any StateSource, loop: EventLoop, journalDirectory: String) throws {
        self.spec = spec
        self.source = source
        self.loop = loop
        journal = try JournalWriter(directory: journalDirectory, name: "state", time: loop.recordTime)
    }

    func lookAgain() {
        look { [weak self] in
            guard let self else { return }
            timer = loop.after(spec.every) { [weak self] in self?.lookAgain() }
        }
    }

    func end(_ then: @escaping () -> Void) {
        timer?.cancel()
        if isLooking { next = { [weak self] in self?.lookLast(then) } } else { lookLast(then) }
    }

    private func lookLast(_ then: @escaping () -> Void) { if wasGivenUp { then() } else { look(then) } }

    private func look(_ then: @escaping () -> Void) {
        isLooking = true
        let began = loop.stamp()
        source.ask(spec.tables) { [weak self] result in
            guard let self else { return }
            isLooking = false
            switch result {
            case .success(let tokens):
                wasGivenUp = false
                note(tokens, began)
            // Busy, not there yet, or asked in vain: the next look may have it.
            case .failure(let failure): tell(failure)
            }
            let next = next ?? then
            self.next = nil
            next()
        }
    }

    private func note(_ tokens: [SessionVariable: Set<String>], _ began: Instant) {
        var note = StateNote(began: began, tables: spec.tables.map { Self.name($0.role) })
        for table in spec.tables {
            let (name, now) = (Self.name(table.role), tokens[table.role] ?? [])
            let before = known[name] ?? []
            let (added, removed) = (now.subtracting(before), before.subtracting(now))
            if !added.isEmpty { note.added[name] = added.sorted() }
            if !removed.isEmpty { note.removed[name] = removed.sorted() }
            known[name] = now
        }
        journal.append(note, at: loop.stamp())
        _ = journal.commit()
    }

    /// Each look that was given up, and of others the first: where no look has an answer, the run is not sound.
    private func tell(_ failure: LookFailure) {
        wasGivenUp = failure.wasGivenUp
        guard !hasTold || wasGivenUp else { return }
        hasTold = true
        journal.append(stateFailure: failure.words, wasGivenUp: wasGivenUp, at: loop.stamp())
        _ = journal.commit()
    }

    static func name(_ role: SessionVariable) -> String {
        switch role {
        case .activityToken: "activity"
        case .startToken: "start"
        case .registrationToken: "registration"
        case .widgetToken: "widget"
        case .controlToken: "control"
        default: "device"
        }
    }
}
