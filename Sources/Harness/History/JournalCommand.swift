// `pushrig journal`: the history of a run or of a mock, all of it or around one thing. Reads what was written so far, also
// of a run that was killed or is still going on, and changes nothing.

package import Basics
import Journal
import Pushes
import Reports
import Verdicts

package struct JournalCommand: Sendable {
    /// What entries are looked at around.
    package enum Center: Hashable, Sendable {
        case entry(UInt64)
        case time(WallTime)
        /// Since the plan's origin; without a plan since the first entry.
        case offset(Interval)

        /// `1099511627776`, `12.5s` or `2026-11-22T10:00:00Z`.
        package init(parsing text: String) throws(Failure) {
            if let entry = UInt64(text), entry > 0 {
                self = .entry(entry)
            } else if let offset = Interval(parsing: text.hasPrefix("+") ? String(text.dropFirst()) : text) {
                self = .offset(offset)
            } else if let time = WallTime(iso8601: text) {
                self = .time(time)
            } else {
                throw Failure(
                    .usage, "--around \(text) is neither an entry nor a time",
                    hint: "for example --around 1099511628000, --around 12.5s or --around 2026-11-22T10:00:00Z")
            }
        }
    }

    package static let usualLimit = 200
    package static let usualSurroundings = 40

    package var directory: String
    package var session: UInt32?
    /// The beginning of a token, or of its hash.
    package var token: String?
    package var entry: UInt64?
    /// It is a push, and what was owed where it belongs is told with it.
    package var isOfPush = false
    package var around: Center?
    /// At most so many entries; nil: all as JSON, `usualLimit` as text, `usualSurroundings` around something.
    package var limit: Int?
    package var printsJSON = false
    package var showsFullTokens = false

    package init(directory: String) { self.directory = directory }

    /// Throws a usage `Failure` when there is no journal, or nothing in it of what was asked for.
    package func run() throws(Failure) -> ExitCode {
        var output = LineOutput(showsFullTokens: showsFullTokens)
        try write(to: &output)
        output.flush()
        return .passed
    }

    /// The lines, for whoever takes them.
    func write(to output: inout LineOutput) throws(Failure) {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        var frame = try HistoryFrame(reader)
        if let entry {
            try writeEntry(entry, reader, frame, &output)
            return
        }
        if let session, token == nil, around == nil {
            try writeTimeline(session, reader, frame, &output)
            return
        }
        if printsJSON { try frame.findReasons(reader) }
        var selection = HistorySelection(session: session, token: token)
        try selection.findTokens(reader)
        if let around {
            try writeSurroundings(around, selection, reader, frame, &output)
        } else {
            try writeBeginning(selection, reader, frame, &output)
        }
    }

    // MARK: One entry

    /// With what is told of it later: that its answer never left, or what a phone made of it hours after.
    private func writeEntry(
        _ id: UInt64, _ reader: JournalReader, _ frame: HistoryFrame, _ output: inout LineOutput
    ) throws(Failure) {
        var frame = frame
        var found: JournalEntry?
        var later: [JournalEntry] = []
        _ = try reader.forEach(since: nil) { entry in
            frame.see(entry)
            if entry.id == id { found = entry }
            if entry.subject == id { later.append(entry) }
            return true
        }
        guard let found else { throw nothing("entry \(id)") }
        if printsJSON {
            output.add(frame.json(found))
        } else {
            output.add(frame.line(found))
            for line in frame.details(found) { output.add("  " + line) }
        }
        for entry in later { output.add(printsJSON ? frame.json(entry) : frame.line(entry)) }
        guard isOfPush else { return }
        guard case .push(let push) = found else { throw nothing("push \(id)") }
        guard let marker = push.marker, frame.plan != nil else { return }
        let debts = debts(of: marker.session).filter { $0.step == marker.step }
        if !printsJSON {
            let deciding = debts.flatMap { $0.push == id ? $0.deciding : [] }
            let history = (try? Verdicts.history(around: push, deciding, in: directory)) ?? []
            for line in TerminalSummary.history(history) { output.add(line) }
        }
        write(debts, of: marker.session, &output)
    }

    /// None where the plan cannot be made any more: the history is shown all the same.
    private func debts(of session: UInt32) -> [DebtSeen] {
        (try? Verdicts.debts(ofSession: session, in: directory)) ?? []
    }

    /// What was owed, and what became of it.
    private func write(_ debts: [DebtSeen], of session: UInt32, _ output: inout LineOutput) {
        if printsJSON {
            for debt in debts { output.add(debt.json(ofSession: session)) }
        } else if !debts.isEmpty {
            output.add("owed")
            for debt in debts { output.add("  " + debt.line) }
        }
    }

    // MARK: Around something

    private func writeSurroundings(
        _ center: Center, _ selection: HistorySelection, _ reader: JournalReader, _ frame: HistoryFrame,
        _ output: inout LineOutput
    ) throws(Failure) {
        let half = max(1, (limit ?? Self.usualSurroundings) / 2)
        var (frame, selection) = (frame, selection)
        var before: [JournalEntry] = []
        var after: [JournalEntry] = []
        var isReached = false
        _ = try reader.forEach(since: nil) { entry in
            frame.see(entry)
            isReached = isReached || frame.reaches(center, entry)
            let isCenter = center == .entry(entry.id)
            guard selection.takes(entry) || isCenter else { return true }
            if isReached {
                after.append(entry)
            } else {
                // The oldest go in one piece, not one by one.
                if before.count >= 2 * half { before.removeFirst(half) }
                before.append(entry)
            }
            return after.count < half + (isCenter ? 1 : 0)
        }
        if case .entry(let id) = center, !isReached { throw nothing("entry \(id)") }
        let shown = before.suffix(half) + after
        guard !shown.isEmpty else { throw nothing(selection.words) }
        for entry in shown {
            let isCenter = center == .entry(entry.id)
            output.add(printsJSON ? frame.json(entry) : (isCenter ? "> " : "  ") + frame.line(entry))
        }
    }

    // MARK: One session

    private func writeTimeline(
        _ session: UInt32, _ reader: JournalReader, _ frame: HistoryFrame, _ output: inout LineOutput
    ) throws(Failure) {
        var frame = frame
        let timeline = try SessionTimeline(session, reader, &frame)
        guard !timeline.rows.isEmpty else { throw nothing("session \(session)") }
        if printsJSON {
            let lines = timeline.rows.lazy.compactMap { timeline.json($0, frame) }
            for line in lines.prefix(limit ?? Int.max) { output.add(line) }
            return write(debts(of: session), of: session, &output)
        }
        let lines = timeline.rows.compactMap { timeline.line($0, frame) }
        for line in lines.prefix(limit ?? Self.usualLimit) { output.add(line) }
        let more = lines.count + timeline.left - (limit ?? Self.usualLimit)
        if more > 0 { output.add("\(Numbers.count(more)) more: --limit N shows more of them") }
        guard limit == nil else { return }
        write(debts(of: session), of: session, &output)
    }

    // MARK: From the beginning

    private func writeBeginning(
        _ selection: HistorySelection, _ reader: JournalReader, _ frame: HistoryFrame, _ output: inout LineOutput
    ) throws(Failure) {
        let most = limit ?? (printsJSON ? Int.max : Self.usualLimit)
        var (frame, selection) = (frame, selection)
        var counts = HistoryCounts()
        var lines: [String] = []
        var matches = 0
        _ = try reader.forEach(since: nil) { entry in
            frame.see(entry)
            counts.see(entry)
            guard selection.takes(entry) else { return true }
            matches += 1
            if printsJSON, matches <= most {
                output.add(frame.json(entry))
            } else if matches <= most {
                lines.append(frame.line(entry))
            }
            return !printsJSON || matches < most
        }
        guard matches > 0 else { throw nothing(selection.words) }
        guard !printsJSON else { return }
        if selection.isAll {
            for line in counts.lines(frame, reader) { output.add(line) }
            output.add("")
        }
        for line in lines { output.add(line) }
        if matches > most {
            output.add(
                "\(Numbers.count(matches - most)) more: --limit N shows more of them, "
                    + "--session, --token and --around what you look for")
        }
    }

    private func nothing(_ what: String) -> Failure {
        Failure(
            .usage, "there is \(what.isEmpty ? "nothing" : "no " + what) in the journal of \(directory)",
            hint: "`pushrig journal \(directory)` shows what there is")
    }
}

/// Lines on their way out, tokens cut unless asked otherwise.
struct LineOutput {
    private static let room = 1 << 16
    let showsFullTokens: Bool
    /// Nil: standard output.
    var take: ((String) -> Void)?
    private var text = ""

    init(showsFullTokens: Bool, take: ((String) -> Void)? = nil) {
        self.showsFullTokens = showsFullTokens
        self.take = take
    }

    mutating func add(_ line: String) {
        text += showsFullTokens ? line : ShortTokens.cut(line)
        text += "\n"
        if text.utf8.count > Self.room { flush() }
    }

    mutating func flush() {
        (take ?? Console.out)(text)
        text = ""
    }
}
