// One loop's share of channels and broadcasts: judge, act, write to the journal. The caller answers.
//
//     request ─▶ rules ─▶ channel store ─▶ journal ─▶ (answer)
//                               └─▶ listening activities, a slice a turn ─▶ journal

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes

/// Confined to its loop.
final class BroadcastPipeline {
    /// Activities that have a broadcast applied in one turn, some tens of microseconds' work.
    static let activitiesPerTurn = 500
    /// Broadcasts whose walk has not ended; one more is refused as TooManyRequests.
    static let longestBacklog = 1_024

    private let loop: EventLoop
    private let shared: MockShared
    private let settings: APNsSettings
    private let endpoint: BroadcastEndpoint
    private let validator: BroadcastValidator
    private let journal: TurnJournal
    private var backlog: [BroadcastDelivery] = []
    private var isWalking = false

    init(
        loop: EventLoop, shared: MockShared, settings: APNsSettings, endpoint: BroadcastEndpoint, journal: TurnJournal,
        seed: Seed
    ) {
        self.loop = loop
        self.shared = shared
        self.settings = settings
        self.endpoint = endpoint
        self.journal = journal
        validator = BroadcastValidator(
            settings: settings, keys: shared.keys, tokens: shared.devices, channels: shared.channels,
            ledger: shared.ledger(for: settings.environment), seed: seed)
    }

    /// Judges, acts and puts it on record. The journal is committed by whoever ends the turn.
    func handle(_ exchange: ServerExchange, _ peer: APNsPeer, now: WallTime) -> BroadcastReply {
        let verdict = validator.validate(
            exchange.head, body: exchange.body, at: endpoint, connection: peer.provider, now: now)
        let fault = verdict.rejection == nil ? firing(verdict.facts, exchange, peer) : nil
        let (reply, reason) =
            fault.map { meet($0, verdict, exchange, now: now) } ?? act(verdict, exchange, now: now)
        record(reply, reason, verdict.facts, exchange, now: now)
        if reason == nil, let operation = verdict.facts.operation {
            note(operation, reply)
        }
        return reply
    }

    private func act(
        _ verdict: BroadcastVerdict, _ exchange: ServerExchange, now: WallTime
    ) -> (reply: BroadcastReply, reason: BroadcastReason?) {
        let facts = verdict.facts
        guard verdict.rejection == nil, let operation = facts.operation, let path = exchange.head.index(of: ":path")
        else {
            let reason = verdict.rejection ?? .internalServerError
            return (BroadcastReply(reason, facts), reason)
        }
        let head = exchange.head
        let bundle = head.value(at: path).extracting(facts.bundle)
        let environment = settings.environment
        var reply = BroadcastReply(status: 200, facts: facts)
        switch operation {
        case .create:
            // Judged and made are two steps; in between another loop may have taken the last place.
            reply.created = shared.channels.create(
                bundle, in: environment, policy: facts.policy ?? .nothing, now: now)
            guard reply.created != nil else { return refuse(.cannotCreateChannelConfig, facts) }
            reply.status = 201
        case .read: reply.body = (facts.policy ?? .nothing).body
        case .delete:
            if let channel = facts.channel { shared.channels.delete(channel, bundle: bundle, in: environment, now: now) }
            reply.status = 204
        case .list: reply.body = ChannelID.listBody(shared.channels.channels(of: bundle, in: environment))
        case .send:
            guard backlog.count < Self.longestBacklog else { return refuse(.tooManyRequests, facts) }
            if let delivery = shared.channels.publish(facts, now: now), !delivery.isDone { walk(delivery) }
        }
        return (reply, nil)
    }

    private func refuse(
        _ reason: BroadcastReason, _ facts: BroadcastFacts
    ) -> (reply: BroadcastReply, reason: BroadcastReason?) { (BroadcastReply(reason, facts), reason) }

    // MARK: Faults

    /// The first rule that meets it, if any.
    private func firing(_ facts: BroadcastFacts, _ exchange: ServerExchange, _ peer: APNsPeer) -> Firing? {
        guard shared.faults.hasBroadcastRules, let path = exchange.head.index(of: ":path") else { return nil }
        let head = exchange.head
        let connection = exchange.connection!
        let caller = FaultCaller(
            number: connection.number, acceptedAt: connection.metAt, environment: settings.environment)
        let credential = head.index(of: "authorization").map { Hash128(hex: head.value(at: $0)).low } ?? 0
        let subject = FaultSubject(
            broadcast: facts, bundle: head.value(at: path).extracting(facts.bundle),
            nthOfConnection: UInt32(clamping: peer.provider.requestCount), caller: caller, credential: credential)
        return shared.faults.firing(for: subject, now: exchange.arrivedAt)
    }

    /// What is refused or not processed changes nothing; what is late or only badly answered has happened already.
    private func meet(
        _ firing: Firing, _ verdict: BroadcastVerdict, _ exchange: ServerExchange, now: WallTime
    ) -> (reply: BroadcastReply, reason: BroadcastReason?) {
        let (action, fate) = (firing.action, firing.action.fate(ofStream: exchange.streamID))
        var (reply, reason) = (BroadcastReply(status: 0, facts: verdict.facts), BroadcastReason?.none)
        switch action {
        case .refuse(let other), .respond(let other, _, _):
            (reply, reason) = refuse(BroadcastReason(other) ?? .internalServerError, verdict.facts)
        case .answer(let lawless): reply.status = lawless.status
        default:
            if fate.isProcessed { (reply, reason) = act(verdict, exchange, now: now) }
        }
        reply.fault = firing
        reply.isUnanswered = !fate.isAnswered
        return (reply, reason)
    }

    // MARK: To the activities

    private func walk(_ delivery: BroadcastDelivery) {
        backlog.append(delivery)
        if !isWalking { continueWalk() }
    }

    private func continueWalk() {
        isWalking = true
        _ = loop.after(.zero) { [self] in
            backlog[0].advance(by: Self.activitiesPerTurn, devices: shared.devices, now: shared.clock.wall())
            if backlog[0].isDone { finish(backlog.removeFirst()) }
            isWalking = false
            if !backlog.isEmpty { continueWalk() }
        }
    }

    private func finish(_ delivery: BroadcastDelivery) {
        journal.writer.append(
            broadcast: "delivered", delivery.channel, delivery.broadcast.requestID,
            ["outcomes": delivery.outcomes.outcomesJSON], at: loop.noted)
        // No answer waits for it. Only when it is on record may others see that it is over.
        journal.commitNow { shared.channels.finish(delivery) }
    }

    // MARK: The journal

    private func record(
        _ reply: borrowing BroadcastReply, _ reason: BroadcastReason?, _ facts: BroadcastFacts, _ exchange: ServerExchange,
        now: WallTime
    ) {
        var draft = PushDraft(
            arrivedAt: exchange.arrivedAt, connection: exchange.connection.id, stream: exchange.streamID,
            kind: endpoint == .sending ? .broadcast : .channel, environment: settings.environment,
            status: reply.isUnanswered ? 0 : reply.status, reason: reason?.word, faultRule: reply.fault?.ruleID ?? 0,
            faultAction: reply.fault?.action.code ?? 0, apnsID: reply.facts.requestID,
            delay: reply.fault?.delay ?? .zero)
        draft.credentialCause = facts.credentialCause
        draft.warnings = facts.warnings(at: now)
        draft.note(facts.activity)
        let body = exchange.body
        draft.marker = Marker.find(in: body.bytes)
        let id = journal.writer.append(push: draft, head: exchange.head, body: body.bytes)
        if !reply.isUnanswered { exchange.mark = id }
    }

    /// What the request itself does not tell: the name of a new channel.
    private func note(_ operation: BroadcastOperation, _ reply: borrowing BroadcastReply) {
        guard operation == .create, let channel = reply.created else { return }
        journal.writer.append(broadcast: "created", channel, reply.facts.requestID, [:], at: loop.noted)
    }
}

extension JournalWriter {
    /// A note on what became of a channel or a broadcast.
    func append(
        broadcast act: String, _ channel: ChannelID, _ requestID: UUIDBytes, _ facts: JSONObject, at instant: Instant
    ) {
        var object: JSONObject = [
            "act": .string(act), "channel": .string(channel.text),
            "requestId": .string(requestID.text(uppercase: true)),
        ]
        for (key, value) in facts { object[key] = value }
        append(note: .broadcast, text: JSONValue.object(object).text, at: instant)
    }

    /// What activities did with messages that their channels had held for them.
    func append(late broadcasts: [LateBroadcast], at instant: Instant) {
        for late in broadcasts {
            let outcomes: JSONObject = ["outcomes": [late.outcome.word.description: 1]]
            append(broadcast: "delivered late", late.channel, late.requestID, outcomes, at: instant)
        }
    }
}

extension [Int] {
    /// Counts by the raw value of `Outcome` as an object; zeros are left out.
    var outcomesJSON: JSONValue {
        var object = JSONObject()
        for outcome in Outcome.allCases where self[Int(outcome.rawValue)] > 0 {
            object[outcome.word.description] = .integer(Int64(self[Int(outcome.rawValue)]))
        }
        return .object(object)
    }
}
