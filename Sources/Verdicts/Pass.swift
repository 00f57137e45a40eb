// The one pass over a history: entries in order of time go to the correlator and to all rules; accounts open when their
// first session begins, and close when nothing of them can come any more.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

struct Pass {
    private static let mostDistantNotes = 1_000_000
    /// Of one account.
    static let mostReactions = 100_000

    let context: RunContext
    var story = Story()
    let plan: Plan?
    let scenario: Scenario?
    /// What the profile expects of each call.
    private let expectedStatuses: [Set<Int>]
    let observer: Observer
    var correlator: Correlator
    var course = RuleCourse()
    var open: [UInt32: OpenAccount] = [:]
    var owners: [TokenHash: UInt32] = [:]
    /// By the instant at which they close, the last one first.
    private var closing = ClosingQueue()
    private var nextAccount = 0
    /// No account opens before this.
    private var nextOpening = Instant(nanoseconds: .min)
    /// What became of pushes that were stored, and pushes whose answer never left us.
    private var lateOutcomes: [UInt64: Outcome] = [:]
    /// By account: what its sessions did beyond the plan, in the order of the journal.
    private var reactions: [UInt32: [MadeReaction]] = [:]
    let content: ContentCheck
    private var undelivered: [UInt64: Instant] = [:]
    /// Connections to FCM that are open.
    private var toFCM: Set<Int64> = []
    private var aftermath = Aftermath()
    /// Sees each account when it is over; nil: nobody does.
    var onClose: ((JoinedAccount, RunContext) -> Void)?
    /// Those whose accounts rules see; nil: all.
    var users: Set<UInt32>?
    private var malformed = MalformedUsers()
    private(set) var pushesRead = 0
    private(set) var eventsRead = 0

    /// Without a plan (a mock's own journal) each token is an account.
    init(plan: Plan?, scenario: Scenario?, context: RunContext, correlator: Correlator) {
        self.plan = plan
        self.scenario = scenario
        expectedStatuses = scenario?.relay.profile.calls.map(\.expectedStatus) ?? []
        self.context = context
        self.correlator = correlator
        let content = ContentCheck(plan: plan)
        self.content = content
        context.hasSchemas = content.judgesSchemas
        context.carriesValues = content.judgesCarried
        observer = Observer(run: plan?.run, content: content, context: context)
    }

    mutating func visit(_ entry: JournalEntry) {
        switch entry {
        case .push(let push):
            advance(to: push.arrivedAt, wall: push.arrivedWall)
            see(push)
        case .event(let event):
            // Its instant is the latest of its three; what it caused may have been seen already.
            advance(to: max(event.plannedAt, event.sentAt, event.answeredAt), wall: event.plannedWall)
            see(event)
        case .broadcast(let push):
            advance(to: push.arrivedAt, wall: push.arrivedWall)
            see(broadcast: push)
        case .note(let note):
            advance(to: note.at, wall: note.wall)
            see(note)
        }
    }

    /// Sessions, by their broadcast channels.
    var channels: [String: UInt32] = [:]

    // MARK: Entries

    private mutating func see(_ note: NoteEntry) {
        if let late = note.lateOutcome, lateOutcomes.count < Self.mostDistantNotes {
            lateOutcomes[late.push] = late.outcome
            correlator.observe(late: "\(late.outcome.word)")
        }
        switch note.kind {
        case .connectionOpened, .connectionClosed: if context.malformedKinds.isEmpty { seeConnection(note) }
        default: break
        }
        if let retry = note.retry {
            correlator.observe(throttled: retry.isThrottled, isTriedAgain: true)
            context.learn(retry)
        }
        // What a malformed request makes of a connection is nobody's.
        let isOfCalls = context.malformedKinds.isEmpty
        if isOfCalls, let overrun = note.overrun, context.overruns.count < Self.mostDistantNotes {
            context.overruns.append(overrun)
        }
        if let unread = note.unread {
            if isOfCalls, context.unread.count < Self.mostDistantNotes { context.unread.append(unread) }
            if !isOfCalls { context.noteTrouble(from: note.at, to: note.at) }
        }
        if let push = note.undelivered {
            if undelivered.count < Self.mostDistantNotes { undelivered[push] = note.at }
            context.circumstances.ability.giveUp(push, at: note.at)
        }
        if let plan {
            if let capture = note.capture { see(capture) }
            if let reaction = note.reaction { see(reaction, plan) }
            // Which tokens are one activity's, and when its user removed it.
            if let event = note.phoneEvent { see(event, of: note) }
            hearElsewhere(note, plan)
        }
        if let scenario {
            story.pass(note, scenario, context)
        } else {
            story.passFault(note, context)
            if let act = note.tokenAct { beginAnew(act) }
        }
    }

    private mutating func seeConnection(_ note: NoteEntry) {
        let facts = note.json(of: note.kind)
        let id = facts?["connection"]?.int ?? -1
        if note.kind == .connectionOpened {
            guard facts?["provider"]?.string == Provider.fcm.word.description else {
                return context.connections.open(at: note.at)
            }
            context.messageConnections.open(at: note.at)
            if toFCM.count < Self.mostDistantNotes { toFCM.insert(id) }
        } else if toFCM.remove(id) != nil {
            context.messageConnections.close()
        } else {
            context.connections.close()
        }
    }

    private func see(_ capture: CaptureNote) {
        content.learn(capture)
        let place = EventNumber.place(session: capture.session, step: capture.step)
        let account = plan.flatMap { open[$0.account(ofSession: capture.session)]?.account }
        context.learn(capture, of: account?.call(at: place)?.kind)
    }

    /// A call that no plan has is the account's from here on, with the token that it speaks of.
    private mutating func see(_ note: ReactionNote, _ plan: Plan) {
        let made = MadeReaction(note)
        story.see(note, plan)
        let number = plan.account(ofSession: made.session)
        if open[number] == nil, !made.token.isEmpty { aftermath.learn(TokenHash(made.token), of: made.session) }
        guard open[number] != nil, let call = plan.call(made), reactions[number]?.count ?? 0 < Self.mostReactions else {
            return
        }
        guard !open[number]!.account.isMalformed else { return malformed.learn(made.token) }
        content.learn(made)
        reactions[number, default: []].append(made)
        guard !made.isInVain else { return }
        open[number]!.account.insert(call)
        open[number]!.account.endsAt = max(open[number]!.account.endsAt, made.plannedAt + plan.longestDeadline)
        if !made.token.isEmpty { owners[TokenHash(made.token)] = number }
    }

    /// A plan's phones are called by the number of their user, which is the account's.
    private mutating func see(_ event: PhoneEvent, of note: NoteEntry) {
        guard let name = PhoneName(event.phone) else { return }
        open[name.user]?.account.note(event, phone: UInt8(clamping: name.phone), at: note.at)
    }

    /// Where a mock ran alone, whoever drives it says by its admin API when a token's history begins anew.
    private mutating func beginAnew(_ act: TokenAct) {
        switch act {
        case .reset:
            for number in open.keys.sorted() { close(number) }
            owners.removeAll()
        case .token(let token):
            guard let number = owners.removeValue(forKey: token) else { return }
            close(number)
        }
    }

    private mutating func see(_ entry: PushEntry) {
        pushesRead += 1
        context.pushCount += 1
        let event = observer.event(of: entry)
        let own =
            observer.marker(of: entry) ?? toldMarker(of: entry, event) ?? stampedMarker(of: entry) ?? reloadMarker(of: entry)
        // An end may repeat what was said last, with the marker of that.
        let isRepeated = event == .end && own.map { !isEndOfItsOwn($0) } ?? true
        let unmarked = own == nil || isRepeated ? unmarkedMarker(of: entry, event, own) : nil
        let marker = isRepeated ? unmarked ?? own ?? restartMarker(of: entry) : own ?? restartMarker(of: entry) ?? unmarked
        var push = observer.observe(entry, marker, calls(of: marker))
        if push.metFault, push.isRefusedForNow || push.status == 0 || push.answeredAt > push.arrivedAt {
            context.noteTrouble(from: push.arrivedAt, to: push.answeredAt)
        }
        if push.metFault, let scenario {
            story.meet(push.faultRule, at: push.answeredAt, scenario, context)
        }
        push.owner = owner(of: push).map { $0 &+ 1 } ?? 0
        correlator.observe(push, reason: context.texts[push.reason])
        if let plan, malformed.takes(push, plan, context) { return context.noteAbility(push) }
        course.see(push, context)
        context.noteAbility(push)
        guard let number = account(of: push) else {
            if aftermath.explains(push) { return }
            let isOurs = correlator.observe(stray: push, isRelayOurs: context.circumstances.isRelayOurs)
            // While we held the relay down what was owed may have come later than anybody waits.
            if isOurs, plan != nil, context.circumstances.outages.isEmpty { context.note(stray: push) }
            // Nobody else pushes to the mock of a relay that we launched.
            if context.circumstances.isRelayOurs, push.status >= 400, !push.metFault { context.note(refusedStray: push) }
            return
        }
        open[number]?.account.pushes.append(push)
        open[number]?.note(push, context.circumstances, deadline: plan?.longestDeadline ?? .zero)
    }

    /// The call that a marker speaks of; where the profile carries values from call to call, those of its session
    /// before it as well. Empty where the account is not open or has no such call.
    mutating func calls(of marker: Marker?) -> ArraySlice<SeenCall> {
        guard let marker, let plan else { return [] }
        let number = plan.account(ofSession: marker.session)
        let place = EventNumber.place(session: marker.session, step: marker.step)
        guard let held = open[number], let index = held.account.index(ofCall: place) else { return [] }
        guard context.carriesValues else { return held.account.calls[index...index] }
        return held.account.calls(of: marker.session, through: marker.step)
    }

    /// The account whose token it is. A message for a Live Activity names two: where one is not its own account's, that counts.
    private func owner(of push: SeenPush) -> UInt32? {
        let owner = owners[push.token]
        guard let plan, let other = push.activityToken.flatMap({ owners[$0] }), push.isMarked else { return owner }
        return owner == plan.account(ofSession: push.session) ? other : owner ?? other
    }

    /// The account that a push belongs to: that of its marker, else that of its token.
    private mutating func account(of push: SeenPush) -> UInt32? {
        if let plan {
            let marked = push.isMarked ? plan.account(ofSession: push.session) : nil
            if let marked, open[marked] != nil { return marked }
            return owners[push.token]
        }
        if let known = owners[push.token] { return known }
        let number = UInt32(truncatingIfNeeded: nextAccount)
        nextAccount += 1
        owners[push.token] = number
        open[number] = OpenAccount(Account(number: number))
        return number
    }

    private mutating func see(_ event: EventEntry) {
        eventsRead += 1
        var call = SeenCall(session: event.session, step: event.step, kind: event.kind, plannedAt: event.plannedAt)
        call.state =
            switch EventFailure(rawValue: event.failure) {
            case .dropped: .dropped
            case .withheld: .withheld
            case .retired: .retired
            default: .sent
            }
        // A relay that takes no connection was sent nothing; that it was not is its own doing.
        call.sentAt = event.sentAt.nanoseconds == 0 ? event.plannedAt + event.lateness : event.sentAt
        call.answeredAt = event.answeredAt
        call.lateness = event.lateness
        call.status = event.status
        call.failure = event.failure
        call.attempts = event.attempts
        let isExpected = expectedStatuses[safe: Int(event.kind)]?.contains(Int(event.status))
        call.wasTaken = call.wasAnswered && event.failure == 0 && isExpected ?? (200..<300).contains(event.status)
        if let failure = EventFailure(rawValue: event.failure) {
            call.wasToldDead = failure == .pruned && context.circumstances.callersKeepTokens
            call.wasToldNo = failure == .answeredNo || failure == .throttled
        }
        let answer =
            call.wasAnswered || [.withheld, .retired].contains(call.state)
            ? String(decoding: event.answer, as: UTF8.self) : EventFailure(rawValue: event.failure).map { "\($0)" } ?? ""
        correlator.observe(call, answer: answer)
        let isTimeout = event.failure == EventFailure.timeout.rawValue
        if event.sentAt.nanoseconds > 0, !call.wasAnswered, !isTimeout { context.learn(cutOff: call) }
        // The last of its answers has no note of its own.
        if event.failure == EventFailure.throttled.rawValue { correlator.observe(throttled: true, isTriedAgain: false) }
        guard let plan else { return }
        let number = plan.account(ofSession: event.session)
        guard let held = open[number], let index = held.account.index(ofCall: call.place) else { return }
        call.scriptStep = held.account.calls[index].scriptStep
        held.account.calls[index] = call
        held.note(call, deadline: plan.longestDeadline)
    }

    // MARK: Accounts

    private mutating func advance(to instant: Instant, wall: WallTime) {
        story.see(instant, wall: wall)
        if nextOpening <= instant, let plan, let origin = story.origin {
            nextOpening = .distantFuture
            while nextAccount < plan.accountCount {
                let start = origin + plan.start(ofAccount: nextAccount)
                guard start <= instant else {
                    nextOpening = start
                    break
                }
                openAccount(plan, origin)
            }
        }
        while let number = closing.next(before: instant) {
            // It did more than its plan says, or had to wait.
            if let later = open[number].flatMap({ stays($0, at: instant, reacts: reactions[number] != nil) }) {
                closing.add(number, at: later)
            } else {
                // What would have been due later is owed nothing: nobody looks there any more.
                context.circumstances.end = instant
                close(number)
                context.circumstances.end = .distantFuture
            }
        }
    }

    /// So long something may come behind what was the last.
    private var linger: Interval { context.circumstances.patience + context.circumstances.allowance }

    /// Until when it is looked at further; nil: it is over.
    private func stays(_ held: OpenAccount, at instant: Instant, reacts: Bool) -> Instant? {
        // A call that has not been told of is still under way.
        if held.isWaiting(at: instant) { return instant + linger }
        let until = [
            reacts ? held.account.endsAt : nil, held.restsUntil, held.answeredUntil,
            held.reconnectsUntil(context.circumstances, linger, deadline: plan?.longestDeadline ?? .zero),
        ].compactMap(\.self).max()
        return until.flatMap { instant < $0 + linger ? $0 + linger : nil }
    }

    private mutating func openAccount(_ plan: Plan, _ origin: Instant) {
        var account = plan.account(nextAccount, origin: origin)
        nextAccount += 1
        malformed.settle(&account, context)
        for call in account.tokenCalls { owners[call.token] = account.number }
        for row in account.rows { owners[row.token] = account.number }
        open[account.number] = OpenAccount(account)
        // An activity that nobody takes back is watched until it has grown old.
        let old = context.circumstances.ageing.flatMap { account.agesUntil($0) } ?? account.endsAt
        closing.add(account.number, at: max(account.endsAt, old) + linger)
    }

    private mutating func close(_ number: UInt32) {
        guard let held = open.removeValue(forKey: number) else { return }
        var account = held.account
        if let plan, let origin = story.origin, let made = reactions.removeValue(forKey: number) {
            account.replan(as: plan.account(number: number, origin: origin, reactions: made))
        }
        content.say(of: &account)
        held.stamped.settle(&account)
        account.settle(late: lateOutcomes, undelivered: undelivered)
        if !lateOutcomes.isEmpty || !undelivered.isEmpty {
            for push in account.pushes {
                lateOutcomes[push.id] = nil
                undelivered[push.id] = nil
            }
        }
        let joined = JoinedAccount(account, context.circumstances, isDeath: context.tellsOfDeath)
        onClose?(joined, context)
        correlator.close(joined, context.circumstances)
        if plan != nil { aftermath.remember(joined, context.circumstances) }
        if users?.contains(number) ?? true { course.close(joined, context) }
        for call in account.tokenCalls { owners[call.token] = nil }
        for row in account.rows { owners[row.token] = nil }
        content.forget(account)
    }

    /// Closes all that is open, as of `end`. What was planned for later is owed nothing.
    mutating func finish(
        end: Instant, knownFailing: [String], isStrict: Bool
    ) -> (correlation: Correlation, results: [RuleResult]) {
        context.circumstances.end = end
        for number in open.keys.sorted() { close(number) }
        let correlation = correlator.finish(at: end, outages: context.circumstances.outages)
        return (correlation, course.results(context, knownFailing: knownFailing, isStrict: isStrict))
    }
}

extension Array {
    package subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// What was done to tokens by the admin API.
enum TokenAct {
    case reset
    case token(TokenHash)
}
