// How faults are carried out: on a push in place of its plain answer, and on a connection at its beginning.

import APNs
import Basics
import Devices
import EventLoop
import Faults
import HTTP
import Journal
import Net

extension FaultAction {
    /// The push goes on to its device and is answered, however oddly. `stream` is its own.
    fileprivate func letsPass(stream: Int32) -> Bool {
        switch self {
        case .respond, .refuse, .answer, .silence, .refuseTLS: false
        case .delay, .maxStreams, .window: true
        case .resetStream(_, let afterHeaders): afterHeaders
        case .goAway(let fault): stream <= fault.lastStream(of: stream)
        case .close(let fault): fault.moment != .beforeAnswer
        case .raw(let fault): fault.place != .instead
        }
    }

    /// The push gets an answer with a status.
    fileprivate func answers(stream: Int32) -> Bool {
        switch self {
        case .respond, .answer: true
        case .close(let fault) where fault.moment == .halfAnswer: false
        default: letsPass(stream: stream)
        }
    }
}

extension PushPipeline {
    // MARK: Pushes

    /// The first rule that meets this push, if any.
    func firing(_ facts: borrowing PushFacts, topic: Span<UInt8>, _ exchange: ServerExchange) -> Firing? {
        let connection = exchange.connection!
        let head = exchange.head
        var credential: UInt64 = 0
        if let field = head.index(of: "authorization") {
            let value = head.value(at: field)
            credential = TokenHash(hex: value).low
        }
        let subject = FaultSubject(
            facts: facts, topic: topic, nthOfToken: shared.devices.pushCount(of: facts.tokenHash),
            nthOfConnection: UInt32(clamping: peer(of: connection).provider.requestCount),
            caller: caller(connection.number, acceptedAt: connection.acceptedAt), credential: credential)
        guard let firing = shared.faults.firing(for: subject, now: exchange.arrivedAt) else { return nil }
        count(firing)
        return firing
    }

    private func count(_ firing: Firing) {
        totals.faultsFired += 1
        switch firing.action {
        case .goAway, .close, .raw: totals.connectionsEndedByFaults += 1
        default: break
        }
    }

    /// What the fault makes of an accepted push. True: it goes on to its device.
    func apply(_ firing: Firing, to decision: inout Decision, stream: Int32, now: WallTime) -> Bool {
        decision.fault = firing
        decision.isUnanswered = !firing.action.answers(stream: stream)
        switch firing.action {
        case .respond(let reason, let timestamp):
            decision.rejection = reason
            if reason.hasTimestamp {
                decision.timestampMilliseconds = timestamp?.milliseconds(now: now) ?? now.milliseconds
            }
        case .delay: decision.delay = firing.delay
        default: break
        }
        return firing.action.letsPass(stream: stream)
    }

    /// Answers a push that met a fault, or does not. It is in the journal already.
    func carryOut(_ action: FaultAction, on exchange: ServerExchange, _ facts: PushFacts, _ decision: Decision) {
        let connection = exchange.connection!
        switch action {
        case .respond: answer(exchange, facts, decision)
        case .answer(let lawless): answer(exchange, facts, lawless)
        case .refuse, .silence, .refuseTLS: break
        case .delay:
            _ = loop.after(decision.delay) { [self] in
                if exchange.isOpen { answer(exchange, facts, decision) }
            }
        case .resetStream(let code, let afterHeaders):
            if afterHeaders {
                identify(exchange, facts)
                exchange.startStreaming(status: 200)
                connection.settle()
            }
            finish(exchange) { exchange.reset(code: code) }
        case .goAway(let fault):
            goAway(fault, connection, last: fault.lastStream(of: exchange.streamID))
            if !decision.isUnanswered { answer(exchange, facts, decision) }
        case .maxStreams(let count):
            connection.setMaxConcurrentStreams(count)
            answer(exchange, facts, decision)
        case .window(let fault):
            window(fault, connection)
            answer(exchange, facts, decision)
        case .close(let fault):
            switch fault.moment {
            case .beforeAnswer: break
            case .halfAnswer: connection.sendHalf { answer(exchange, facts, decision) }
            case .afterAnswer: answer(exchange, facts, decision)
            }
            connection.close(fault.manner.ending)
        case .raw(let fault):
            let id = facts.apnsID.text(uppercase: !facts.apnsIDGiven)
            let bytes = fault.bytes.bytes(stream: exchange.streamID, apnsID: id)
            switch fault.place {
            case .before:
                connection.sendRaw(bytes)
                answer(exchange, facts, decision)
            case .after:
                answer(exchange, facts, decision)
                connection.sendRaw(bytes)
            case .instead:
                connection.sendRaw(bytes)
                finish(exchange) { exchange.forget() }
            }
        }
    }

    private func answer(_ exchange: ServerExchange, _ facts: PushFacts, _ lawless: LawlessAnswer) {
        finish(exchange) {
            identify(exchange, facts, isSuccess: false)
            let fields = exchange.responseHead
            for field in lawless.headers {
                withBytes(of: field.name) { name in
                    withBytes(of: field.value) { fields.append(name: name, value: $0, neverIndexed: false) }
                }
            }
            exchange.respond(status: Int(lawless.status), body: Array(lawless.body.utf8))
        }
    }

    /// The exchange is over with `act`: nobody waits for it any more.
    private func finish(_ exchange: ServerExchange, _ act: () -> Void) {
        totals.openStreams -= 1
        markDirty()
        act()
    }

    private func goAway(_ fault: GoAwayFault, _ connection: ServerConnection, last: Int32) {
        connection.goAway(code: fault.code, lastStreamID: last, debug: Array(fault.debug.utf8))
        if fault.isTwice { connection.goAway(code: fault.code, lastStreamID: last) }
        if fault.staysOpen { connection.outliveSession() }
    }

    private func window(_ fault: WindowFault, _ connection: ServerConnection) {
        if let bytes = fault.initial { connection.setInitialWindow(bytes) }
        guard let withholding = fault.withholding else { return }
        connection.withholdWindowUpdates()
        if case .lasting(let wait) = withholding {
            peer(of: connection).plannedFault = loop.after(wait) { connection.releaseWindowUpdates() }
        }
    }

    // MARK: Connections

    /// Before TLS.
    func admit(number: UInt64, peer: String) -> Admission {
        guard shared.faults.hasConnectionRules else { return .serve }
        let caller = caller(number, acceptedAt: loop.now)
        guard let firing = shared.faults.firing(for: caller, beforeTLS: true, now: loop.now),
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
        let caller = caller(connection.number, acceptedAt: connection.acceptedAt)
        guard let firing = shared.faults.firing(for: caller, beforeTLS: false, now: loop.now) else { return }
        note(firing, connection: connection.id, number: connection.number, peer: connection.peer)
        switch firing.action {
        case .goAway(let fault):
            wait(fault.wait, connection) { [self] in goAway(fault, connection, last: fault.lastStream(of: 0)) }
        case .maxStreams(let count):
            peer(of: connection).hasWideLimit = true
            connection.setMaxConcurrentStreams(count)
        case .window(let fault): window(fault, connection)
        case .close(let fault): wait(fault.wait, connection) { connection.close(fault.manner.ending) }
        case .raw(let fault): connection.sendRaw(fault.bytes.bytes(stream: 0, apnsID: ""))
        case .respond, .refuse, .answer, .delay, .silence, .resetStream, .refuseTLS: break
        }
    }

    private func wait(_ interval: Interval?, _ connection: ServerConnection, _ act: @escaping () -> Void) {
        guard let interval else { return act() }
        peer(of: connection).plannedFault = loop.after(interval, act)
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

extension CloseFault.Manner {
    fileprivate var ending: ConnectionEnding {
        switch self {
        case .clean: .clean
        case .fin: .cutOff
        case .reset: .reset
        }
    }
}
