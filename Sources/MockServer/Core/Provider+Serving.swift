// The way of a push through the mock, on the data path of one loop and the same for every provider: no string, no
// dictionary, no heap growth once warm, no waiting.
//
// The journal is committed at the end of the turn, before any answer of that turn leaves (`TurnJournal`): after kill -9 no
// answered push is missing from it.

import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes

extension Provider {
    func peer(of connection: ServerConnection) -> Peer {
        guard let context = connection.context else { preconditionFailure("every connection has its peer") }
        return unsafeDowncast(context, to: Peer.self)
    }

    func connected(_ connection: ServerConnection) {
        core.totals.connectionsOpened += 1
        core.totals.connectionsOpen += 1
        prepare(connection)
        var facts: JSONObject = ["environment": .string(core.environment.word.description)]
        let isWelcome = greet(connection, peer(of: connection), &facts)
        core.note(.connectionOpened, connection, facts)
        if isWelcome, core.shared.faults.hasConnectionRules { meet(connection) }
    }

    func disconnected(_ connection: ServerConnection) {
        core.totals.connectionsOpen -= 1
        let peer = peer(of: connection)
        peer.plannedFault?.cancel()
        peer.plannedFault = nil
        core.note(.connectionClosed, connection)
    }

    func handle(_ exchange: ServerExchange) {
        core.begin()
        let peer = peer(of: exchange.connection)
        guard peer.serves(exchange) else { return }
        guard !core.journal.hasFailed else { return exchange.connection.close() }
        let now = core.shared.clock.wall()
        let verdict = judge(exchange, peer, now: now)
        if verdict.refusal != nil, servesOtherwise(exchange, verdict, peer, now: now) { return }
        peer.judged(on: exchange.connection)
        let decision = decide(verdict, exchange, peer, now: now)
        record(decision, verdict.read, exchange, now: now)
        if let fault = decision.fault {
            FaultedPush(provider: self, exchange: exchange, facts: verdict.read, decision: decision, fault: fault)
                .carryOutFault()
        } else {
            answer(exchange, verdict.read, decision)
        }
    }

    func prepare(_ connection: ServerConnection) {}

    func servesOtherwise(
        _ exchange: ServerExchange, _ verdict: Verdict, _ peer: Peer, now: WallTime
    ) -> Bool { false }

    func spoiled(_ facts: Facts, _ exchange: ServerExchange, now: WallTime) {}

    func abandoned(_ exchange: ServerExchange) { core.finish() }

    func undelivered(_ push: UInt64) { core.undelivered(push) }

    func overran(_ connection: ServerConnection, streams: Int) {
        let peer = peer(of: connection)
        guard !peer.hasOverrun else { return }
        peer.hasOverrun = true
        core.overran(connection, streams: streams)
    }

    func unread(_ connection: ServerConnection, requests: Int, why: String) {
        core.unread(UnreadNote(provider: core.provider, connection: connection.id, requests: requests, why: why))
    }

    func willSend() -> Bool { core.commitTurn() }

    // MARK: The steps

    /// Script and device. The script is asked about pushes that the rules accept: a request that the real service would
    /// refuse is refused for its own reason.
    private func decide(
        _ verdict: Verdict, _ exchange: ServerExchange, _ peer: Peer, now: WallTime
    ) -> Decision<Verdict.Reason> {
        var decision = Decision(rejection: verdict.refusal, timestampMilliseconds: verdict.timeOfDeath)
        guard verdict.refusal == nil else { return decision }
        if core.shared.faults.hasPushRules, let firing = firing(verdict.read, exchange, peer) {
            core.count(firing)
            guard apply(firing, to: &decision, stream: exchange.streamID, now: now) else {
                spoiled(verdict.read, exchange, now: now)
                return decision
            }
        }
        (decision.outcome, decision.reason) = deliver(verdict.read, exchange, now: now)
        return decision
    }

    private func record(
        _ decision: Decision<Verdict.Reason>, _ facts: Facts, _ exchange: ServerExchange, now: WallTime
    ) {
        core.totals.pushes += 1
        var status: UInt16 = decision.rejection?.status ?? 200
        if let fault = decision.fault, case .answer(let lawless) = fault.action { status = lawless.status }
        if decision.isUnanswered {
            status = 0
            core.totals.silenced += 1
        } else if let reason = decision.rejection {
            core.totals.count(reason.named)
        } else {
            core.totals.accepted += 1
            if let outcome = decision.outcome { core.totals.count(outcome) }
        }
        var draft = PushDraft(
            arrivedAt: exchange.arrivedAt, connection: exchange.connection.id, stream: exchange.streamID,
            provider: core.provider, environment: core.environment, status: status, reason: decision.rejection?.word,
            timestampMilliseconds: decision.timestampMilliseconds ?? 0, outcome: decision.outcome,
            faultRule: decision.fault?.ruleID ?? 0, faultAction: decision.fault?.action.code ?? 0, delay: decision.delay)
        let body = exchange.body
        draft.marker = Marker.find(in: body.bytes)
        describe(&draft, facts, exchange, isAccepted: decision.rejection == nil, now: now)
        let journal = core.journal.writer
        let id = journal.append(push: draft, head: exchange.head, body: body.bytes)
        // Of a push that is never answered it tells when its relay ceases to wait.
        if !decision.isUnanswered || decision.fault?.action.hearing == .nothing { exchange.mark = id }
        if let reason = decision.reason {
            core.shared.reasons.set(reason, of: id)
            journal.append(reason: reason, of: id, at: core.loop.noted)
        }
        recorded(id, decision.outcome, facts, exchange, now: now)
    }

    func answer(_ exchange: ServerExchange, _ facts: Facts, _ decision: Decision<Verdict.Reason>) {
        core.finish()
        identify(exchange, facts, isSuccess: decision.rejection == nil)
        respond(exchange, facts, decision.rejection, timestampMilliseconds: decision.timestampMilliseconds)
    }
}
