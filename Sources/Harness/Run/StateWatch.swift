// Asks a relay's tables which tokens it holds, now and then and at the end: on a thread of its own, and reading only.

import Basics
import EventLoop
import Journal
import SQLite
import Scenarios
import Synchronization

final class StateWatch: Sendable {
    private let thread: LoopThread<StateLooker>
    private let isStopped = Mutex(false)

    /// `file`: the path, filled in. Nobody is asked yet.
    init(_ spec: StateSpec, file: String, journalDirectory: String, clock: RunClock?) throws(Failure) {
        do {
            thread = try LoopThread(name: "state", clock: clock, rank: nil) { loop in
                try StateLooker(spec, file: file, loop: loop, journalDirectory: journalDirectory)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot start who asks the relay's tables: \(error)")
        }
    }

    func start() { thread.post { $0.lookAgain() } }

    /// The last look, while the relay is still up; waits for it. Idempotent.
    func lookAndStop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        thread.ask { $0.end() }
        thread.stop()
    }
}

/// Confined to its loop.
private final class StateLooker {
    private let spec: StateSpec
    private let file: String
    private let loop: EventLoop
    private let journal: JournalWriter
    private var database: Database?
    private var known: [String: Set<String>] = [:]
    private var timer: LoopTimer?
    private var hasTold = false

    init(_ spec: StateSpec, file: String, loop: EventLoop, journalDirectory: String) throws {
        self.spec = spec
        self.file = file
        self.loop = loop
        journal = try JournalWriter(directory: journalDirectory, name: "state", time: loop.recordTime)
    }

    func lookAgain() {
        look()
        timer = loop.after(spec.every) { [weak self] in self?.lookAgain() }
    }

    func end() {
        timer?.cancel()
        look()
    }

    private func look() {
        let began = loop.stamp()
        var note = StateNote(began: began, tables: spec.tables.map { Self.name($0.role) })
        do throws(Failure) {
            let database: Database
            if let open = self.database { database = open } else { database = try Database(reading: file) }
            self.database = database
            for table in spec.tables {
                let (name, tokens) = (Self.name(table.role), try tokens(table.query, database))
                let before = known[name] ?? []
                let (added, removed) = (tokens.subtracting(before), before.subtracting(tokens))
                if !added.isEmpty { note.added[name] = added.sorted() }
                if !removed.isEmpty { note.removed[name] = removed.sorted() }
                known[name] = tokens
            }
        } catch {
            // Busy, not there yet, or asked in vain: the next look may have it.
            return tell(error)
        }
        journal.append(note, at: loop.stamp())
        _ = journal.commit()
    }

    private func tokens(_ query: String, _ database: Database) throws(Failure) -> Set<String> {
        let statement = try database.prepare(query)
        var tokens: Set<String> = []
        var rows = 0
        while try statement.step() {
            rows += 1
            guard rows <= StateSpec.mostRows else {
                statement.reset()
                throw Failure(.run, "a query of `state` gives more than \(StateSpec.mostRows) rows")
            }
            if let token = statement.text(0), !token.isEmpty { tokens.insert(token) }
        }
        return tokens
    }

    /// Once: what is asked in vain makes the rules `not exercised`.
    private func tell(_ failure: Failure) {
        guard !hasTold else { return }
        hasTold = true
        let json: JSONValue = ["state": .string(failure.message)]
        journal.append(note: .other, text: json.text, at: loop.stamp())
        _ = journal.commit()
    }

    static func name(_ role: SessionVariable) -> String {
        switch role {
        case .activityToken: "activity"
        case .startToken: "start"
        case .registrationToken: "registration"
        default: "device"
        }
    }
}
