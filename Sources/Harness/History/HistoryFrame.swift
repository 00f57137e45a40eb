// What an entry has to be read against: the plan's origin, the names of calls, the labels of faults. And the lines in which
// it is told.

import APNs
import Basics
import Journal
import Pushes
import Reports
import Verdicts

struct HistoryFrame {
    /// The start of the plan, or nil without one: then times are those of the clock.
    private(set) var origin: WallTime?
    private(set) var first: WallTime?
    private(set) var plan: PlanNote?
    /// Names of calls, by their numbers.
    private(set) var kinds: [String] = []
    private var faults: [UInt32: String] = [:]
    /// Why phones did with pushes what they did, by the pushes' ids: what was read so far, or all once it was looked for.
    private var reasons: [UInt64: String] = [:]
    /// Each reason once: many pushes have the same.
    private var reasonWords: Set<String> = []

    /// Reads as far as the first event, or 10,000 entries.
    init(_ reader: JournalReader) throws(Failure) {
        var frame = HistoryFrame()
        var looked = 0
        _ = try reader.forEach(since: nil) { entry in
            frame.first = frame.first ?? entry.wall
            frame.see(entry)
            looked += 1
            if case .event = entry { return false }
            return looked < 10_000
        }
        self = frame
    }

    private init() {}

    /// Learns from an entry what later ones are read against.
    mutating func see(_ entry: JournalEntry) {
        guard case .note(let note) = entry else { return }
        if let reason = note.phoneReason { reasons[reason.push] = reasonWords.insert(reason.words).memberAfterInsert }
        if note.kind == .phase, origin == nil { origin = note.wall }
        if note.kind == .kinds, let names = try? JSONValue(parsing: note.text).array {
            kinds = names.map { $0.string ?? "" }
        }
        switch note.run {
        case .plan(let plan): self.plan = plan
        case .faultGiven(let fault): faults[fault.rule] = fault.label
        default: break
        }
    }

    /// Reads the whole history for the reasons, which may stand long before or behind their pushes.
    mutating func findReasons(_ reader: JournalReader) throws(Failure) {
        var frame = self
        _ = try reader.forEach(since: nil) { entry in
            frame.see(entry)
            return true
        }
        (reasons, reasonWords) = (frame.reasons, frame.reasonWords)
    }

    /// Nil where there is nothing to explain.
    func reason(_ push: PushEntry) -> String? { reasons[push.id] }

    func reaches(_ center: JournalCommand.Center, _ entry: JournalEntry) -> Bool {
        switch center {
        case .entry(let id): entry.id == id
        case .time(let time): entry.wall >= time
        case .offset(let offset): (origin ?? first).map { entry.wall - $0 >= offset } ?? false
        }
    }

    /// `+1.234 s` since the plan's origin, or the time of day where there is no plan.
    func time(_ wall: WallTime) -> String {
        origin.map { Numbers.offset(wall - $0) } ?? String(wall.iso8601.dropFirst(11))
    }

    func kind(_ event: EventEntry) -> String {
        let number = Int(event.kind)
        return kinds.indices.contains(number) ? kinds[number] : "call \(number)"
    }

    func fault(_ rule: UInt32) -> String? { rule == 0 ? nil : faults[rule] ?? "rule \(rule)" }

    // MARK: In one line

    /// Fit for a terminal, whatever stands in the entry. Tokens are in full.
    func line(_ entry: JournalEntry) -> String {
        let words: (String, String) =
            switch entry {
            case .push(let push): ("push", line(push))
            case .broadcast(let push): ("\(push.kind.word)", line(push))
            case .event(let event): ("event", line(event))
            case .note(let note): ("note", line(note))
            }
        return "\(time(entry.wall))  \(words.0)\(String(repeating: " ", count: max(0, 9 - words.0.count)))  \(entry.id)  "
            + Escaping.terminal(words.1)
    }

    func line(_ push: PushEntry) -> String {
        let kind = push.kind != .push ? push.header(":path") ?? "" : push.provider == .fcm ? "message" : "no push type"
        var parts = [push.pushType ?? kind]
        if let event = push.event { parts[0] += " \(event.word)" }
        if push.kind == .push { parts.append("token \(push.token)") }
        if let marker = push.marker { parts.append("session \(marker.session) step \(marker.step)") }
        var answer = push.answerText
        if let cause = push.credentialWords { answer += ": \(cause)" }
        if let outcome = push.outcome { answer += ", \(outcome.word)" }
        if let fault = fault(push.faultRule) { answer += ", by fault \(fault)" }
        return parts.joined(separator: ", ") + " → " + answer
    }

    private func line(_ event: EventEntry) -> String {
        let late = event.attempts > 1 ? ", sent \(event.attempts) times" : ""
        let step = EventNumber.isReaction(event.step) ? "step \(event.step), a reaction" : "step \(event.step)"
        let end = event.wasSent ? event.answerText : event.unsentWords
        return "\(kind(event)), session \(event.session) \(step)\(late) → \(end)"
    }

    private static let mostNote = 160

    func line(_ note: NoteEntry) -> String {
        if case .plan(let plan) = note.run {
            return "plan: \(plan.files.first?.path ?? "no scenario"), seed \(plan.seed), command \(clipped(plan.command))"
        }
        if case .phase(let name) = note.run { return "phase: \(name)" }
        if let capture = note.capture { return line(capture) }
        if let reaction = note.reaction { return line(reaction) }
        if let act = note.actWords { return "user: session \(note.actedIn ?? 0), \(act)" }
        return "\(note.kind): \(clipped(note.text))"
    }

    private func line(_ note: CaptureNote) -> String {
        let value = note.value.map { "`\($0)`" } ?? "not found: \(note.failure ?? "")"
        return "captured: session \(note.session) step \(note.step), \(note.name) is \(value)"
    }

    private func line(_ note: ReactionNote) -> String {
        let cause =
            note.isInVain
            ? "waited in vain for `\(note.event.word)`"
            : "`\(note.event.word)` of phone \(note.phone + 1), its event \(note.cause)"
        return "reaction: session \(note.session) step \(note.step), \(cause)"
            + (note.token.isEmpty ? "" : ", token \(note.token)")
    }

    private func clipped(_ text: String) -> String {
        text.count > Self.mostNote ? text.prefix(Self.mostNote) + "…" : text
    }

    // MARK: In full

    /// What the line leaves out.
    func details(_ entry: JournalEntry) -> [String] {
        switch entry {
        case .push(let push), .broadcast(let push): details(push)
        case .event(let event): details(event)
        case .note(let note):
            ["time       \(note.wall.iso8601)"] + note.text.split(separator: "\n").map { Escaping.terminal(String($0)) }
        }
    }

    private func details(_ push: PushEntry) -> [String] {
        var lines = [
            "arrived    \(push.arrivedWall.iso8601) on connection \(push.connection), stream \(push.stream), "
                + "\(push.environment.word)"
        ]
        if push.kind == .push { lines.append("token      \(push.token) (hash \(TokenHash(push.token).text))") }
        lines.append("answer     \(push.answerText)" + (push.delay > .zero ? " after \(push.delay)" : ""))
        if let cause = push.credentialWords { lines.append("because    \(cause)") }
        if push.timestampMilliseconds != 0 {
            lines.append("           timestamp \(WallTime(milliseconds: push.timestampMilliseconds).iso8601)")
        }
        if let outcome = push.outcome {
            lines.append("device     \(outcome.word)" + (reason(push).map { ": \($0)" } ?? ""))
        }
        if let fault = fault(push.faultRule) { lines.append("fault      \(fault)") }
        let warnings = PushWarning.all(in: push.warnings).map { "\($0.word)" }
        if !warnings.isEmpty { lines.append("warnings   " + warnings.joined(separator: ", ")) }
        if push.isCut { lines.append("           it was larger than the journal keeps: the rest is left out") }
        lines.append("")
        lines += push.headers.map { "\($0.name): \($0.value)" }
        lines.append("")
        lines += String(decoding: push.payload, as: UTF8.self).split(separator: "\n").map(String.init)
        return lines.map(Escaping.terminal)
    }

    private func details(_ event: EventEntry) -> [String] {
        func instant(_ instant: Instant) -> String {
            instant.nanoseconds == 0 ? "never" : time(event.plannedWall + (instant - event.plannedAt))
        }
        return [
            "planned    \(instant(event.plannedAt)) (\(event.plannedWall.iso8601))", "sent       \(instant(event.sentAt))",
            "answered   \(instant(event.answeredAt))", "answer     \(event.answerText)",
            "failure    \(event.failureWord)", "lateness   \(event.lateness), ours",
        ].map(Escaping.terminal)
    }
}
