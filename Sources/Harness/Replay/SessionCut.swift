// One session out of a run, with the others of its user, whose tokens it shares: which of the scenario's faults it met, what of
// the verdict was its own, and how much of the plan goes by before it begins.

import Basics
import Conformance
import Faults
import Journal
import Planning
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

    struct Result {
        /// What is to be played.
        var cut: ReplayNote
        /// What of the run's verdict was about it, with the rules that found something.
        var verdict: RecordedVerdict
        var found: [(rule: RuleResult, findings: [Finding])]
        /// With their numbers over all shards.
        var sessions: [UInt32]
    }

    /// `path` names the run, whose plan `note` is. Throws a usage `Failure` when it has no such session.
    static func make(of session: UInt32, _ note: PlanNote, path: String) throws(Failure) -> Result {
        let played = note.plan(of: try note.scenario())
        let user = played.account(ofSession: session)
        var cut = SessionCut(sessions: Set(try sessions(of: session, played, path: path)), run: note.run)
        try cut.read(path)
        var options = JudgeOptions()
        options.users = [user]
        options.saysInterrupted = true
        let record = try Verdicts.judge(path, options)
        return try cut.result(note, user: Int(user), record)
    }

    /// The session and the others of its user. Throws a usage `Failure` when the plan has no such session.
    static func sessions(of session: UInt32, _ plan: Plan, path: String) throws(Failure) -> [UInt32] {
        guard plan.plays(session) else {
            throw Failure(
                .usage, "the run in \(path) has no session \(session)",
                hint: "it has \(Numbers.count(plan.sessionCount, "session")); `pushrig journal \(path)` shows them")
        }
        return plan.sessions(ofUser: plan.account(ofSession: session))
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
            cut.learn(entry)
            return true
        }
        _ = try reader.forEach(since: nil) { entry in
            if case .push(let push) = entry { cut.see(push) }
            return cut.pushes.count < Self.mostPushes
        }
        self = cut
    }

    private mutating func learn(_ entry: JournalEntry) {
        switch entry {
        case .push(let push): if isMarked(push) { tokens.insert(TokenHash(push.token)) }
        case .note(let note):
            if let made = note.reaction, sessions.contains(made.session), !made.token.isEmpty {
                tokens.insert(TokenHash(made.token))
            }
            if case .faultGiven(let fault) = note.run { ruleNumbers[fault.rule] = fault.number }
        case .event, .broadcast: break
        }
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

    private func result(_ note: PlanNote, user: Int, _ record: RunRecord) throws(Failure) -> Result {
        var base = note
        base.replay = nil
        let scenario = try base.scenario()
        var cut = ReplayNote(users: [user], speed: note.replay?.speed ?? 1)
        cut.faults = scenario.faults.enumerated().map { number, fault in
            let before = note.replay?.faults ?? []
            return narrowed(number, fault.rule, before.indices.contains(number) ? before[number] : nil)
        }
        let found = record.verdicts.map { rule in (rule: rule, findings: rule.verdict.findings.filter(isOwn)) }
            .filter { !$0.findings.isEmpty }
        let broken = found.filter(\.rule.standing.failsTheRun).map(\.rule.id)
        cut.exercises = broken
        cut.knownFailing = found.filter { $0.rule.standing == .knownBroken }.map(\.rule.id)
        base.replay = ReplayNote(users: [user])
        cut.skipped = skipped(scenario, base.plan(of: scenario), cut.faults)
        let (exit, word) =
            record.exit.code == 1
            ? (1, record.exit.word) : broken.isEmpty ? (0, "nothing of it broken") : (4, "conformance broken")
        return Result(
            cut: cut, verdict: RecordedVerdict(exitCode: exit, word: word, broken: broken, isOfPart: true), found: found,
            sessions: sessions.sorted())
    }

    private func isOwn(_ finding: Finding) -> Bool {
        finding.session.map(sessions.contains) ?? finding.entries.contains(where: ownPushes.contains)
    }

    /// A rule whose counts all sessions shared is given as it met these. None has to meet anything: perhaps it met what only
    /// the relay's mistake had sent. That the mistake is put to the test again is what `exercises` asks.
    private func narrowed(_ number: Int, _ rule: FaultRule, _ before: ReplayedFault?) -> ReplayedFault {
        if let before, before.isLeftOut { return before }
        let firings = met[number] ?? []
        guard rule.meetsSends, rule.per == .all, rule.renew == nil, rule.times != nil || rule.after != nil else {
            var fault = before ?? ReplayedFault()
            fault.mayRest = true
            return fault
        }
        guard let first = firings.first else { return ReplayedFault(isLeftOut: true) }
        let tokens = firings.map { $0.token.lowercased() }
        let passed = pushes.prefix { $0.id != first.id }.count { push in
            tokens.contains(push.token.lowercased()) && push.fits(rule.match)
        }
        var seen: Set<String> = []
        return ReplayedFault(
            mayRest: true, tokens: tokens.filter { seen.insert($0).inserted },
            after: rule.after == nil ? nil : passed, times: firings.count)
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
