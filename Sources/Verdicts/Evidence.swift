// What stands behind findings: the call and the pushes that they name, looked up in the journal and cut to what a page can
// hold.

import Basics
import Conformance
import FCM
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

struct Evidence {
    private static let mostPayload = 2_048
    /// Of one rule's findings.
    private static let mostFindings = 5

    let reader: JournalReader
    let origin: Instant
    /// What was played; nil where nobody knows.
    var plan: Plan?
    /// Names of calls, by their numbers.
    let kinds: [String]
    /// What those are, by the same numbers; empty where nobody called.
    var calls: [ProfileCall] = []
    /// What became of the pushes of each call; empty where nothing was owed.
    var classes: [String: [DeliveryClass: Int]] = [:]
    /// How many requests the provider answered so, by status and reason.
    var answers: [String: Int] = [:]

    /// The results with what stands behind their first findings.
    func complete(_ results: [RuleResult]) throws(Failure) -> [RuleResult] {
        var results = kinds.isEmpty ? results : results.map(\.withReplays)
        var proven = try prove(results.flatMap { $0.verdict.findings.prefix(Self.mostFindings) })[...]
        for index in results.indices {
            guard case .broken(var findings, let count) = results[index].verdict else { continue }
            for place in findings.indices.prefix(Self.mostFindings) {
                findings[place] = proven.removeFirst()
                // What a restart asks of a relay hangs on what it had been told by then, and had taken.
                if let call = findings[place].call, results[index].id.hasPrefix("restart") {
                    findings[place].seen += "; the relay's answer to `\(call.kind)` was \(call.answer)"
                }
                if Self.losses.contains(results[index].id), let words = lostOfAll(findings[place].call) {
                    findings[place].seen += "; " + words
                }
            }
            results[index].verdict = .broken(findings, count: count)
        }
        return results
    }

    /// The same with their calls, their pushes and what happened around them.
    func prove(_ findings: [Finding]) throws(Failure) -> [Finding] {
        let wanted = Set(findings.flatMap(\.entries))
        let places = Set(findings.compactMap(\.place))
        guard !wanted.isEmpty || !places.isEmpty else { return findings }
        var pushes: [UInt64: Exchange] = [:]
        var events: [UInt64: CallSeen] = [:]
        var faults: [UInt32: String] = [:]
        let renderer = plan.map { CallRenderer($0) }
        let sessions = Set(findings.compactMap(\.session))
        var history = plan.map { FindingHistory($0, origin: origin, sessions: sessions, wanted: wanted, places: places) }
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .push(let push), .broadcast(let push):
                if wanted.contains(push.id) { pushes[push.id] = exchange(push, answer(to: push, faults)) }
                history?.see(push) { answer(to: push, faults) + (push.outcome.map { ", \($0.word)" } ?? "") }
            case .event(let event):
                let place = EventNumber.place(session: event.session, step: event.step)
                if places.contains(place) { events[place] = call(event, renderer) }
                history?.see(event)
            case .note(let note):
                if case .faultGiven(let fault) = note.run { faults[fault.rule] = fault.label }
                if let rule = note.json(of: .rule), let number = rule["number"]?.int.flatMap({ UInt32(exactly: $0) }) {
                    faults[number] = faults[number] ?? rule["id"]?.string
                }
                if let capture = note.capture, sessions.contains(capture.session) { renderer?.learn(capture) }
                if let reaction = note.reaction, sessions.contains(reaction.session) { renderer?.learn(MadeReaction(reaction)) }
                history?.see(note, fault: note.faultOnConnection.map { faults[$0] ?? "rule \($0)" })
            }
            return history != nil || pushes.count < wanted.count
        }
        return findings.map { finding in
            var finding = finding
            finding.exchanges = finding.entries.compactMap { pushes[$0] }
            finding.call = finding.place.flatMap { events[$0] }
            finding.history = history?.lines(of: finding) ?? []
            return finding
        }
    }

    /// Rules that tell of losses.
    private static let losses: Set<String> = ["states-delivered", "last-state-delivered"]

    /// Whether it is the call that the relay passes over, or single events: each, every tenth, or one.
    private func lostOfAll(_ call: CallSeen?) -> String? {
        guard let call, let classes = classes[call.kind] else { return nil }
        let came = [.delivered, .late, .superseded].reduce(0) { $0 + (classes[$1] ?? 0) }
        guard let lost = classes[.lost], lost > 1 else { return nil }
        let all = "\(Numbers.count(lost + came)) pushes that `\(call.kind)` owed in this run"
        guard came == 0 else { return "\(Numbers.count(lost)) of the \(all) did not come" }
        return "none of the \(all) came" + (refusalOfAll.map { "; \($0)" } ?? "")
    }

    /// Where all that was sent met one refusal, it is that which is to be mended.
    private var refusalOfAll: String? {
        guard answers.count == 1, let (words, count) = answers.first, let status = Int(words.prefix(3)), status >= 400
        else { return nil }
        let isSigner = words.contains("ProviderToken") || status == 401
        return "what came, \(Numbers.count(count)) in all, was answered \(words)"
            + (isSigner ? ": see to what the relay signs with (key, key ID, team ID)" : "")
    }

    /// Status and reason, whose they are, and what they rest on.
    private func answer(to push: PushEntry, _ faults: [UInt32: String]) -> String {
        var words = push.answerText + (push.environment == .sandbox ? " by the sandbox host" : "")
            + (objection(to: push).map { ": \($0)" } ?? "")
        if push.timestampMilliseconds != 0 {
            let now = push.arrivedWall + (plan?.scenario.mock.clockSkew ?? .zero)
            let age = (now - WallTime(milliseconds: push.timestampMilliseconds)).seconds.rounded(.down)
            let away = Interval.seconds(abs(age))
            words += age == 0 ? ", its timestamp now" : ", its timestamp \(away) \(age < 0 ? "ahead" : "back")"
        }
        guard push.faultRule != 0 else { return words }
        return words + ", which PushRig gave on purpose (fault `\(faults[push.faultRule] ?? "rule \(push.faultRule)")`)"
    }

    private func exchange(_ push: PushEntry, _ answer: String) -> Exchange {
        let body = String(decoding: push.payload.prefix(Self.mostPayload), as: UTF8.self)
        return Exchange(
            entry: push.id, at: push.arrivedAt - origin, time: push.arrivedWall,
            request: ["connection \(push.connection), stream \(push.stream)"] + push.headers.map { "\($0.name): \($0.value)" },
            payload: push.payload.count > Self.mostPayload ? body + "…" : body,
            answer: answer,
            device: push.outcome.map { "\($0.word)" } ?? "")
    }

    /// What was wrong where the provider's word for it does not tell: a provider token, or a body (INVALID_ARGUMENT).
    private func objection(to push: PushEntry) -> String? {
        if let words = push.credentialWords { return words }
        guard push.provider == .fcm, push.status == 400, push.faultRule == 0, !push.isCut else { return nil }
        return MessageReview.objection(to: push.payload)
    }

    private func call(_ event: EventEntry, _ renderer: CallRenderer?) -> CallSeen {
        let body = renderer?.call(session: event.session, step: event.step)?.body ?? []
        let kind = Int(event.kind)
        return CallSeen(
            entry: event.id, kind: kinds.indices.contains(kind) ? kinds[kind] : "call \(kind)",
            at: event.plannedAt - origin, time: event.plannedWall,
            answer: event.answerText + (calls[safe: kind].map { ", to \($0.line)" } ?? ""),
            sent: String(decoding: body.prefix(Self.mostPayload), as: UTF8.self) + (body.count > Self.mostPayload ? "…" : ""))
    }
}

extension RuleResult {
    /// Those that speak of no session, or of several users', are found again in the whole run.
    fileprivate var withReplays: RuleResult {
        guard case .broken(var findings, let count) = verdict else { return self }
        for index in findings.indices {
            findings[index].isOfWholeRun = findings[index].session == nil || findings[index].involvesOthers
        }
        var copy = self
        copy.verdict = .broken(findings, count: count)
        return copy
    }
}

extension ProfileCall {
    /// Method and path, with `…` for what differs from call to call, and what the profile expects.
    fileprivate var line: String {
        let parts = path.segments.map { segment in
            if case .literal(let bytes) = segment { String(decoding: bytes, as: UTF8.self) } else { "…" }
        }
        // Neighbours are told as a range.
        let runs = expectedStatus.sorted().reduce(into: [ClosedRange<Int>]()) { runs, status in
            if let last = runs.last, last.upperBound + 1 == status {
                runs[runs.count - 1] = last.lowerBound...status
            } else {
                runs.append(status...status)
            }
        }
        let expected = runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
            .joined(separator: " or ")
        return "\(method) \(parts.joined()) (expected: \(expected))"
    }
}

extension PushEntry {
    /// Status and reason, or that there was no answer.
    package var answerText: String { status == 0 ? "no answer" : "\(status)" + (reason.map { " \($0)" } ?? "") }
}

extension EventEntry {
    /// Status and time of the answer, with the body of one that was not expected, or why there is none.
    package var answerText: String {
        guard status != 0 else { return failure == 0 ? "no answer" : "no answer: \(failureWord)" }
        // No relay answers within a microsecond, but on a clock that stands while it works.
        let took = answeredAt - sentAt
        let time = took.nanoseconds < 1_000 ? "at once" : "in \(Numbers.duration(took))"
        return "\(status) \(time)" + (answer.isEmpty ? "" : ": " + String(decoding: answer, as: UTF8.self))
    }

    /// Why there is no usable answer, such as `timeout` or `dropped`.
    package var failureWord: String { EventFailure(rawValue: failure).map { "\($0)" } ?? "failure \(failure)" }
}

extension Finding {
    fileprivate var place: UInt64? {
        guard let session, let step else { return nil }
        return EventNumber.place(session: session, step: step)
    }
}

extension Correlation {
    /// The same with the instants of its examples counted from `origin`, as a record tells them.
    func since(_ origin: Instant) -> Correlation {
        var copy = self
        copy.examples = examples.mapValues { list in
            list.map { example in
                var example = example
                example.at = Instant(nanoseconds: (example.at - origin).nanoseconds)
                return example
            }
        }
        return copy
    }
}
