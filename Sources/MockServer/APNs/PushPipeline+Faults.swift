// Which faults meet pushes and connections, and what happens to a connection at its beginning. What happens to a push
// is `FaultedRequest`'s.

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes

extension PushPipeline {
    // MARK: Pushes

    /// The first rule that meets this push, if any.
    func firing(_ facts: borrowing PushFacts, topic: Span<UInt8>, _ exchange: ServerExchange) -> Firing? {
        let connection = exchange.connection!
        let head = exchange.head
        var credential: UInt64 = 0
        if let field = head.index(of: "authorization") {
            let value = head.value(at: field)
            credential = Hash128(hex: value).low
        }
        let subject = FaultSubject(
            push: facts, topic: topic, nthOfToken: pushCount(of: facts, head),
            nthOfConnection: UInt32(clamping: peer(of: connection).provider.requestCount),
            caller: caller(connection.number, acceptedAt: connection.metAt), credential: credential)
        guard let firing = shared.faults.firing(for: subject, now: exchange.arrivedAt) else { return nil }
        count(firing)
        return firing
    }

    private func pushCount(of facts: borrowing PushFacts, _ head: HeaderBlock) -> UInt32 {
        guard facts.isOnPhone, let path = head.index(of: ":path") else {
            return shared.devices.pushCount(of: facts.tokenHash)
        }
        let token = head.value(at: path).extracting(facts.token)
        return shared.devices.phones.pushCount(of: token, hash: facts.tokenHash) ?? 0
    }

    func count(_ firing: Firing) {
        totals.faultsFired += 1
        if firing.action.endsConnection { totals.connectionsEndedByFaults += 1 }
    }

    /// What the fault makes of an accepted push. True: it goes on to its device.
    func apply(_ firing: Firing, to decision: inout Decision, stream: Int32, now: WallTime) -> Bool {
        let fate = firing.action.fate(ofStream: stream)
        decision.fault = firing
        decision.isUnanswered = !fate.isAnswered
        switch firing.action {
        case .respond(let reason, let timestamp):
            decision.rejection = Reason(reason)
            if reason.hasTimestamp {
                decision.timestampMilliseconds = timestamp?.milliseconds(now: now) ?? now.milliseconds
            }
        case .delay: decision.delay = firing.delay
        default: break
        }
        return fate.isProcessed
    }

    /// A push that met a fault, decided and in the journal.
    struct FaultedPush: FaultedRequest {
        let pipeline: PushPipeline
        let exchange: ServerExchange
        let facts: PushFacts
        let decision: Decision
        let fault: Firing

        var peer: ProviderPeer { pipeline.peer(of: exchange.connection) }
        var loop: EventLoop { pipeline.loop }
        var isUnanswered: Bool { decision.isUnanswered }
        var successStatus: Int { 200 }
        var id: String { facts.apnsID.text(uppercase: !facts.apnsIDGiven) }

        func answer() { pipeline.answer(exchange, facts, decision) }
        func identify(isSuccess: Bool) { pipeline.identify(exchange, facts, isSuccess: isSuccess) }
        func finish() { pipeline.finish() }
    }

    // MARK: Connections

    /// Before TLS.
    func admit(number: UInt64, peer: String) -> Admission {
        guard shared.faults.hasConnectionRules else { return .serve }
        let caller = caller(number, acceptedAt: loop.moment)
        guard let firing = shared.faults.firing(for: caller, beforeTLS: true, now: loop.moment),
            case .refuseTLS(let refusal) = firing.action
        else { return .serve }
        note(firing, connection: 0, number: number, peer: peer)
        switch refusal {
        case .alert(let code): return .alert(code)
        case .close: return .close
        case .reset: return .reset
        case .certificate: return .impostor
        }
    }

    /// After our first SETTINGS were queued.
    func meet(_ connection: ServerConnection) {
        let caller = caller(connection.number, acceptedAt: connection.metAt)
        guard let firing = shared.faults.firing(for: caller, beforeTLS: false, now: loop.moment) else { return }
        note(firing, connection: connection.id, number: connection.number, peer: connection.peer)
        switch firing.action {
        case .goAway(let fault):
            wait(fault.wait, connection) { connection.carryOut(fault, last: fault.lastStream(of: 0)) }
        case .maxStreams(let fault):
            peer(of: connection).hasWideLimit = true
            connection.carryOut(fault)
        case .window(let fault): connection.carryOut(fault, peer(of: connection), loop)
        case .close(let fault): wait(fault.wait, connection) { connection.close(fault.manner.ending) }
        case .raw(let fault): connection.sendRaw(fault.bytes.bytes(stream: 0, apnsID: ""))
        case .respond, .refuse, .answer, .delay, .silence, .resetStream, .refuseTLS: break
        }
    }

    private func wait(_ interval: Interval?, _ connection: ServerConnection, _ act: @escaping () -> Void) {
        guard let interval else { return act() }
        peer(of: connection).plannedFault = loop.onClock(after: interval, act)
    }

    private func caller(_ number: UInt64, acceptedAt: Instant) -> FaultCaller {
        FaultCaller(number: number, acceptedAt: acceptedAt, environment: settings.environment)
    }

    private func note(_ firing: Firing, connection: UInt64, number: UInt64, peer: String) {
        count(firing)
        let facts: JSONObject = [
            "rule": .integer(Int64(firing.ruleID)), "fault": .string(shared.faults.id(of: firing.ruleID) ?? ""),
            "action": .string(firing.action.word), "connection": .integer(Int64(connection)),
            "number": .integer(Int64(number)), "peer": .string(peer),
        ]
        note(.fault, facts)
    }
}

extension JournalWriter {
    /// A rule's definition, by the number that pushes which met it carry.
    func append(rule status: FaultRuleStatus) {
        let facts: JSONObject = [
            "number": .integer(Int64(status.number)), "id": .string(status.rule.id), "rule": status.rule.json,
        ]
        append(note: .rule, text: JSONValue.object(facts).text, at: status.addedAt)
    }
}
