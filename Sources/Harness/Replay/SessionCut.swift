// One session out of a run, with the others of its user, whose tokens it shares: which of the scenario's faults it met, what of
// the verdict was its own, and how much of the plan goes by before it begins.

import Basics
import Conformance
import Faults
import Journal
import LoadGenerator
import Pushes
import Scenarios
import Verdicts

struct SessionCut {
    /// The sessions, with their numbers over all shards.
    let sessions: Set<UInt32>
    private let run: UInt32
    /// Where their pushes went, whole.
    private var tokens: Set<TokenHash> = []
    private var ownPushes: Set<UInt64> = []
    /// Of each of the scenario's faults: the rule's number in pushes.
    private var ruleNumbers: [UInt32: Int] = [:]
    /// By fault: what it met of them, in order.
    private var met: [Int: [PushEntry]] = [:]
    /// Pushes of theirs, in order of arrival.
    private var pushes: [PushEntry] = []
    /// Of one user's sessions no more than these are looked at.
    private static let mostPushes = 100_000

    /// What of `note` is to be played for the session, and what of the run's verdict was about it. `path` names the run.
    static func make(
        of session: UInt32, _ note: PlanNote, path: String
    ) throws(Failure) -> (cut: ReplayNote, verdict: RecordedVerdict) {
        let played = note.plan(of: try note.scenario())
        guard played.plays(session) else {
            throw Failure(
                .usage, "the run in \(path) has no session \(session)",
                hint: "it has \(Numbers.count(played.sessionCount, "session")); `pushrig journal \(path)` shows them")
        }
        let user = played.account(ofSession: session)
        var cut = SessionCut(sessions: Set(played.sessions(ofUser: user)), run: note.run)
        try cut.read(path)
        var options = JudgeOptions()
        options.users = [user]
        options.saysInterrupted = true
        let record = try Verdicts.judge(path, options)
        return try cut.result(note, user: Int(user), record)
    }

    private init(sessions: Set<UInt32>, run: UInt32) {
        self.sessions = sessions
        self.run = run
    }

    // MARK: The history

    private mutating func read(_ path: String) throws(Failure) {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: path))
        var cut = self
        _ = try reader.forEach(since: nil, reading: { _ in .outline }) { entry in
            if case .push(let push) = entry, cut.isMarked(push) { cut.tokens.insert(TokenHash(push.token)) }
            if case .note(let note) = entry, let made = note.reaction, cut.sessions.contains(made.session), !made.token.isEmpty {
                cut.tokens.insert(TokenHash(made.token))
            }
            if case .note(let note) = entry, case .faultGiven(let fault) = note.run { cut.ruleNumbers[fault.rule] = fault.number }
            return true
        }
        _ = try reader.forEach(since: nil) { entry in
            if case .push(let push) = entry { cut.see(push) }
            return cut.pushes.count < Self.mostPushes
        }
        self = cut
    }

    private func isMarked(_ push: PushEntry) -> Bool {
        push.marker.map { $0.run == run && sessions.contains($0.session) } ?? false
    }

    private mutating func see(_ push: PushEntry) {
        guard isMarked(push) || push.marker == nil && tokens.contains(TokenHash(push.token)) else { return }
        ownPushes.insert(push.id)
        pushes.append(push)
        if let fault = ruleNumbers[push.faultRule] { met[fault, default: []].append(push) }
    }

    // MARK: What comes of it

    private func result(
        _ note: PlanNote, user: Int, _ record: RunRecord
    ) throws(Failure) -> (cut: ReplayNote, verdict: RecordedVerdict) {
        var base = note
        base.replay = nil
        let scenario = try base.scenario()
        var cut = ReplayNote(users: [user], speed: note.replay?.speed ?? 1)
        cut.faults = scenario.faults.enumerated().map { number, fault in
            let before = note.replay?.faults ?? []
            return narrowed(number, fault.rule, before.indices.contains(number) ? before[number] : nil)
        }
        let own = record.verdicts.filter { result in
            result.verdict.findings.contains { finding in
                finding.session.map(sessions.contains) ?? finding.entries.contains(where: ownPushes.contains)
            }
        }
        let broken = own.filter(\.standing.failsTheRun).map(\.id)
        cut.exercises = broken
        cut.knownFailing = own.filter { $0.standing == .knownBroken }.map(\.id)
        base.replay = ReplayNote(users: [user])
        cut.skipped = skipped(scenario, base.plan(of: scenario), cut.faults)
        let exit = broken.isEmpty ? (record.exit.code == 4 ? 0 : Int(record.exit.code)) : 4
        let word = broken.isEmpty && exit == 0 ? "nothing of it broken" : broken.isEmpty ? record.exit.word : "conformance broken"
        return (cut, RecordedVerdict(exitCode: exit, word: word, broken: broken))
    }

    /// A rule whose counts all sessions shared is given as it met these.
    private func narrowed(_ number: Int, _ rule: FaultRule, _ before: ReplayedFault?) -> ReplayedFault {
        if let before, before.isLeftOut { return before }
        let firings = met[number] ?? []
        guard rule.target == .push, rule.per == .all, rule.renew == nil, rule.times != nil || rule.after != nil else {
            var fault = before ?? ReplayedFault()
            fault.mayRest = firings.isEmpty
            return fault
        }
        guard let first = firings.first else { return ReplayedFault(isLeftOut: true) }
        let tokens = firings.map { $0.token.lowercased() }
        let passed = pushes.prefix { $0.id != first.id }.count { push in
            tokens.contains(push.token.lowercased()) && push.fits(rule.match)
        }
        var seen: Set<String> = []
        return ReplayedFault(
            tokens: tokens.filter { seen.insert($0).inserted }, after: rule.after == nil ? nil : passed, times: firings.count)
    }

    /// Whole seconds before anything of it happens; none where the clock is stepped, which takes no time for them.
    private func skipped(_ scenario: Scenario, _ plan: Plan, _ faults: [ReplayedFault]) -> Interval {
        guard !scenario.isStepped, plan.sessionCount > 0 else { return .zero }
        let given = zip(scenario.faults, faults).filter { !$1.isLeftOut }.map(\.0.at)
        let first = (given + scenario.relay.restarts.map(\.at) + [plan.start(ofAccount: 0)]).min() ?? .zero
        return .seconds(Double(max(0, first.wholeSeconds - 1)))
    }
}

extension PushEntry {
    /// As far as an entry tells; what a match asks beyond that is taken to hold.
    fileprivate func fits(_ match: FaultMatch) -> Bool {
        (match.event == nil || match.event == event) && (match.environment == nil || match.environment == environment)
            && (match.pushType.map { $0 == PushType(declared: pushType) } ?? true)
    }
}
