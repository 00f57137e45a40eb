// The way of a push through the mock, on the data path of one loop: no string, no dictionary, no heap growth once
// warm, no waiting.
//
//     request ─▶ rules ─▶ fault script ─▶ device ─▶ journal ─▶ answer
//                  │ refused    │ respond                ▲        ▲
//                  └────────────┴────────────────────────┘        └ held by a timer when the script says delay
//
// The journal is committed at the end of the turn, before any answer of that turn leaves: after kill -9 no answered
// push is missing from it.

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes
import Synchronization

/// Answers APNs requests on one loop. Confined to it.
final class PushPipeline: ServerHandler {
    /// Streams at once after the first valid provider token (spec/apns.md §2.1).
    static let wideStreamLimit: UInt32 = 1_000

    let loop: EventLoop
    let shared: MockShared
    let settings: APNsSettings
    private let validator: APNsValidator
    private let broadcasts: BroadcastPipeline
    private let journal: JournalWriter
    private let published: PublishedTotals
    /// What the apps on phones decode.
    private let decoder: SchemaDecoder
    var totals = LoopTotals()
    private var generator: Generator
    private let scratch = ByteBuffer(capacity: 36)
    private var isDirty = false
    private var commitsSoon = false
    private var hasFailed = false

    /// What is decided about a push before it is answered.
    struct Decision {
        var rejection: Reason?
        var timestampMilliseconds: Int64?
        var outcome: Outcome?
        /// Why, where a phone has the token.
        var reason: PhoneReason?
        var fault: Firing?
        /// No answer with a status goes out, not even later.
        var isUnanswered = false
        var delay = Interval.zero
    }

    /// `index` is the loop's. Each environment has a pipeline of its own on each loop, with its own journal.
    init(loop: EventLoop, shared: MockShared, environment: PushEnvironment, index: Int) throws(Failure) {
        self.loop = loop
        self.shared = shared
        settings = shared.settings(for: environment)
        let isFirst = environment == shared.environments[0]
        let name = isFirst ? "apns-\(index)" : "\(environment.word)-\(index)"
        let seed = shared.seed.child(name)
        decoder = SchemaDecoder(shared.schemas)
        validator = APNsValidator(
            settings: settings, keys: shared.keys, directory: shared.devices,
            ledger: shared.ledger(for: environment), seed: seed.child("apns-id"))
        generator = seed.child("apns-unique-id").generator()
        journal = try JournalWriter(directory: shared.journalDirectory, name: name, time: loop.recordTime)
        broadcasts = BroadcastPipeline(
            loop: loop, shared: shared, settings: settings, endpoint: .sending, journal: journal,
            seed: seed.child("broadcasts"))
        published = shared.totals[isFirst ? index : shared.loops + index]
        totals.journalBytes = journal.byteCount
        published.name(journal: journal.path)
        published.publish(totals)
    }

    /// Whoever shows a client certificate may use all streams at once (spec/apns.md §2.1).
    func firstStreamLimit(for connection: ServerConnection) -> UInt32? {
        ProviderPeer.greet(connection, settings, shared.credentials)
    }

    func connected(_ connection: ServerConnection) {
        totals.connectionsOpened += 1
        totals.connectionsOpen += 1
        let peer = peer(of: connection)
        let refusal = peer.refusal(in: settings.environment, now: shared.clock.wall())
        var facts: JSONObject = ["environment": .string(settings.environment.word.description)]
        if let certificate = peer.shown?.certificate {
            facts["certificate"] = .array(certificate.topics.map { .string($0.name) })
        }
        if let refusal { facts["refused"] = .string(refusal.word.description) }
        note(.connectionOpened, connection, facts)
        if let refusal {
            peer.refuse(connection, refusal)
        } else if shared.faults.hasConnectionRules {
            meet(connection)
        }
    }

    func disconnected(_ connection: ServerConnection) {
        totals.connectionsOpen -= 1
        let peer = peer(of: connection)
        peer.plannedFault?.cancel()
        peer.plannedFault = nil
        note(.connectionClosed, connection)
    }

    func handle(_ exchange: ServerExchange) {
        totals.openStreams += 1
        if loop.isStepped { shared.time.pushes.begin() }
        markDirty()
        let peer = peer(of: exchange.connection)
        if peer.shown != nil, !peer.serves(exchange) { return }
        guard !hasFailed else { return exchange.connection.close() }
        let now = shared.clock.wall()
        let verdict = validator.validate(exchange.head, body: exchange.body, connection: peer.provider, now: now)
        if verdict.rejection == .badPath || verdict.rejection == .methodNotAllowed, isBroadcast(exchange) {
            return handleBroadcast(exchange, peer, now: now)
        }
        peer.widen(exchange.connection)
        let decision = decide(verdict, exchange, now: now)
        record(decision, verdict.facts, exchange, now: now)
        if let fault = decision.fault {
            FaultedPush(pipeline: self, exchange: exchange, facts: verdict.facts, decision: decision, fault: fault)
                .carryOutFault()
        } else {
            answer(exchange, verdict.facts, decision)
        }
    }

    /// Asked only of what is no push, so that pushes do not pay for it.
    private func isBroadcast(_ exchange: ServerExchange) -> Bool {
        let head = exchange.head
        guard let path = head.index(of: ":path") else { return false }
        return BroadcastValidator.isSending(head.value(at: path))
    }

    private func handleBroadcast(_ exchange: ServerExchange, _ peer: ProviderPeer, now: WallTime) {
        let reply = broadcasts.handle(exchange, peer, now: now)
        peer.widen(exchange.connection)
        if let fault = reply.fault { count(fault) }
        reply.carryOut(on: exchange, peer, loop) { [self] in finish() }
    }

    /// An exchange is over: nobody waits for it any more.
    func finish() {
        totals.openStreams -= 1
        if loop.isStepped { shared.time.pushes.end() }
        markDirty()
    }

    func abandoned(_ exchange: ServerExchange) { finish() }

    /// The provider cannot know what became of that push.
    func undelivered(_ push: UInt64) {
        guard !hasFailed else { return }
        totals.undelivered += 1
        journal.append(undelivered: push, at: loop.noted)
        commitSoon()
    }

    func overran(_ connection: ServerConnection, streams: Int) {
        let peer = peer(of: connection)
        guard !hasFailed, !peer.hasOverrun else { return }
        peer.hasOverrun = true
        journal.append(overrunOn: connection.id, streams: streams, at: loop.noted)
        commitSoon()
    }

    func refused(_ refusal: Refusal, times: Int) { shared.refusedByAPNs.add(refusal, times: times) }

    /// False once the journal cannot be written: what is not on record must not be answered.
    func willSend() -> Bool {
        guard isDirty else { return !hasFailed }
        isDirty = false
        if !hasFailed, !journal.commit() {
            hasFailed = true
            shared.report(journal.failure ?? Failure(.run, "the journal cannot be written"))
        }
        totals.journalBytes = journal.byteCount
        published.publish(totals)
        shared.commits.add(1, ordering: .releasing)
        return !hasFailed
    }

    // MARK: The steps

    /// Script and device. The script is asked about pushes that the rules accept: a request that the real APNs would
    /// refuse is refused for its own reason.
    private func decide(_ verdict: borrowing APNsVerdict, _ exchange: ServerExchange, now: WallTime) -> Decision {
        var decision = Decision(
            rejection: verdict.rejection, timestampMilliseconds: verdict.timestampMilliseconds)
        guard verdict.rejection == nil, let pathField = exchange.head.index(of: ":path"),
            let topicField = verdict.facts.topicField
        else { return decision }
        let head = exchange.head
        let path = head.value(at: pathField)
        let token = path.extracting(verdict.facts.token)
        let topic = head.value(at: topicField)
        if shared.faults.hasPushRules, let firing = firing(verdict.facts, topic: topic, exchange),
            !apply(firing, to: &decision, stream: exchange.streamID, now: now)
        {
            return decision
        }
        if verdict.facts.isOnPhone {
            let body = exchange.body
            let verdict = shared.devices.phones.deliver(
                verdict.facts, token: token, payload: body.bytes, now: now, decoder: decoder)
            (decision.outcome, decision.reason) = (verdict.outcome, verdict.reason)
            return decision
        }
        decision.outcome = shared.devices.deliver(
            verdict.facts, token: token, topic: topic, environment: settings.environment, now: now)
        return decision
    }

    private func record(
        _ decision: borrowing Decision, _ facts: borrowing PushFacts, _ exchange: ServerExchange, now: WallTime
    ) {
        totals.pushes += 1
        var status: UInt16 = decision.rejection?.status ?? 200
        if let fault = decision.fault, case .answer(let lawless) = fault.action { status = lawless.status }
        if decision.isUnanswered {
            status = 0
            totals.silenced += 1
        } else if let reason = decision.rejection {
            totals.count(reason)
        } else if let outcome = decision.outcome {
            totals.count(outcome)
        }
        var draft = PushDraft(
            arrivedAt: exchange.arrivedAt, connection: exchange.connection.id, stream: exchange.streamID,
            environment: settings.environment, status: status, reason: decision.rejection?.word,
            timestampMilliseconds: decision.timestampMilliseconds ?? 0, outcome: decision.outcome,
            faultRule: decision.fault?.ruleID ?? 0, faultAction: decision.fault?.action.code ?? 0,
            apnsID: facts.apnsID, delay: decision.delay)
        draft.warnings = facts.warnings
        if let activity = facts.activity { draft.note(activity) }
        let body = exchange.body
        draft.marker = Marker.find(in: body.bytes)
        if let activity = facts.activity, activity.event != .end, let staleAt = activity.staleDate, staleAt <= now.seconds {
            draft.warnings |= PushWarning.staleAtOnce.bit
        }
        let start = facts.activity?.inputChannel != nil ? ChannelStart(copy facts) : nil
        if let start, decision.rejection == nil, !isKnown(start, facts, exchange) {
            draft.warnings |= PushWarning.unknownChannel.bit
        }
        let id = journal.append(push: draft, head: exchange.head, body: body.bytes)
        if !decision.isUnanswered { exchange.mark = id }
        if let reason = decision.reason {
            shared.reasons.set(reason, of: id)
            journal.append(reason: reason, of: id, at: loop.noted)
        }
        if decision.outcome == .stored { store(facts, exchange, id, now: now) }
        // A phone's activity has a token of its own, and listens to no channel.
        if let start, decision.outcome == .started, !facts.isOnPhone { shared.listen(start, push: id, journal, at: loop.noted) }
    }

    /// Whether the app has the channel that a start names.
    private func isKnown(_ start: ChannelStart, _ facts: borrowing PushFacts, _ exchange: ServerExchange) -> Bool {
        guard let channel = start.channel, let topicField = facts.topicField else { return false }
        let head = exchange.head
        let topic = head.value(at: topicField)
        let bundle = topic.extracting(0..<TopicParts(topic).bundleCount)
        return shared.channels.policy(of: channel, bundle: bundle, in: settings.environment) != nil
    }

    /// A device that is away: APNs keeps the push, which may put an end to an older one.
    private func store(_ facts: borrowing PushFacts, _ exchange: ServerExchange, _ id: UInt64, now: WallTime) {
        guard let topicField = facts.topicField else { return }
        let head = exchange.head
        if facts.isOnPhone, let pathField = head.index(of: ":path") {
            let body = exchange.body
            let path = head.value(at: pathField)
            shared.devices.phones.store(
                copy facts, token: path.extracting(facts.token), payload: body.bytes, push: id, now: now, decoder: decoder)
            for late in shared.devices.phones.takeLate() { tell(late) }
            return
        }
        let topic = head.value(at: topicField)
        let late = shared.devices.store(copy facts, topic: topic, push: id, now: now)
        if let late { tell(late) }
    }

    private func tell(_ late: LateOutcome) {
        shared.tell(late, to: journal, at: loop.noted)
        markDirty()
    }

    /// Puts on record what has become of stored pushes, outside a turn that handles requests.
    func tellLate() {
        let now = shared.clock.wall()
        let outcomes = shared.devices.lateOutcomes(now: now)
        let broadcasts = shared.channels.catchUp(
            BroadcastPipeline.activitiesPerTurn, devices: shared.devices, now: now)
        let hasEvents = shared.phoneNotes.tell(shared.devices.phones.feed, to: journal, at: loop.stamp())
        guard !outcomes.isEmpty || !broadcasts.isEmpty || hasEvents else { return }
        for late in outcomes { tell(late) }
        journal.append(late: broadcasts, at: loop.noted)
        markDirty()
        _ = willSend()
    }

    /// Puts a rule's definition on record, outside a turn that handles requests.
    func note(rule status: FaultRuleStatus) {
        journal.append(rule: status)
        markDirty()
        _ = willSend()
    }

    /// 200 is one HEADERS frame with `:status` and `apns-id`; a refusal adds one DATA frame (spec/apns.md §0).
    func answer(_ exchange: ServerExchange, _ facts: PushFacts, _ decision: Decision) {
        finish()
        identify(exchange, facts, isSuccess: decision.rejection == nil)
        guard let reason = decision.rejection else { return exchange.respond(status: 200) }
        exchange.respond(
            status: Int(reason.status),
            body: rejectionBody(reason, timestampMilliseconds: decision.timestampMilliseconds))
    }

    /// The fields of an answer: `apns-id`, and with a success of the sandbox `apns-unique-id`.
    func identify(_ exchange: ServerExchange, _ facts: PushFacts, isSuccess: Bool = true) {
        let peer = peer(of: exchange.connection)
        if settings.rejectionDropsStreamLimit { adjustStreamLimit(of: peer, exchange.connection, isRejected: !isSuccess) }
        let fields = exchange.responseHead
        if let field = facts.apnsIDField, settings.echoesMessageIDVerbatim {
            let head = exchange.head
            fields.append("apns-id", head.value(at: field), neverIndexed: peer.hasAnswered)
        } else {
            append("apns-id", facts.apnsID, uppercase: !facts.apnsIDGiven, to: fields, neverIndexed: peer.hasAnswered)
        }
        if isSuccess, settings.environment == .sandbox {
            let unique = UUIDBytes(using: &generator)
            append("apns-unique-id", unique, uppercase: false, to: fields, neverIndexed: peer.hasAnswered)
        }
        peer.hasAnswered = true
    }

    /// Down to one stream with a rejection, and back with the next accepted push (spec/apns.md §2.1).
    private func adjustStreamLimit(of peer: ProviderPeer, _ connection: ServerConnection, isRejected: Bool) {
        guard peer.hasWideLimit, peer.isDropped != isRejected else { return }
        peer.isDropped = isRejected
        connection.setMaxConcurrentStreams(isRejected ? 1 : Self.wideStreamLimit)
    }

    private func append(
        _ name: StaticString, _ id: UUIDBytes, uppercase: Bool, to fields: HeaderBlock, neverIndexed: Bool
    ) {
        let scratch = scratch
        scratch.clear()
        scratch.append(upTo: 36) { id.write(uppercase: uppercase, to: &$0) }
        fields.append(name, scratch.bytes, neverIndexed: neverIndexed)
    }

    func peer(of connection: ServerConnection) -> ProviderPeer {
        guard let context = connection.context else { preconditionFailure("every connection has its peer") }
        return unsafeDowncast(context, to: ProviderPeer.self)
    }

    private func note(_ kind: NoteKind, _ connection: ServerConnection, _ facts: JSONObject = JSONObject()) {
        var object: JSONObject = ["connection": .integer(Int64(connection.id)), "peer": .string(connection.peer)]
        for (key, value) in facts { object[key] = value }
        note(kind, object)
    }

    func note(_ kind: NoteKind, _ facts: JSONObject) {
        journal.append(note: kind, text: JSONValue.object(facts).text, at: loop.noted)
        commitSoon()
    }

    /// No answer of this turn waits for what was written, so it is committed by itself.
    private func commitSoon() {
        markDirty()
        guard !commitsSoon else { return }
        commitsSoon = true
        loop.atEndOfTurn { [self] in
            commitsSoon = false
            _ = willSend()
        }
    }

    func markDirty() { isDirty = true }
}
