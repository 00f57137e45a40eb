// What faults do to pushes and connections, the same for every provider. How a fault is carried out is `FaultedRequest`'s.

import Basics
import EventLoop
import Faults
import Journal
import Net
import Pushes

extension Provider {
    // MARK: Pushes

    /// What the fault makes of an accepted push. True: it goes on to its device.
    func apply(_ firing: Firing, to decision: inout Decision<Verdict.Reason>, stream: Int32, now: WallTime) -> Bool {
        let fate = firing.action.fate(ofStream: stream)
        decision.fault = firing
        decision.isUnanswered = !fate.isAnswered
        switch firing.action {
        case .respond(let reason, let timestamp, _):
            decision.rejection = Verdict.Reason(reason)
            decision.delay = firing.delay
            if reason.hasTimestamp {
                decision.timestampMilliseconds = timestamp?.milliseconds(now: now) ?? now.milliseconds
            }
        case .delay: decision.delay = firing.delay
        default: break
        }
        return fate.isProcessed
    }

    // MARK: Connections

    /// Before TLS.
    func admit(number: UInt64, peer: String) -> Admission {
        let faults = core.shared.faults
        guard faults.hasConnectionRules else { return .serve }
        let moment = core.loop.moment
        let caller = core.caller(number, acceptedAt: moment)
        guard let firing = faults.firing(for: caller, beforeTLS: true, now: moment),
            case .refuseTLS(let refusal) = firing.action
        else { return .serve }
        core.note(firing, connection: 0, number: number, peer: peer)
        switch refusal {
        case .alert(let code): return .alert(code)
        case .close: return .close
        case .reset: return .reset
        case .certificate: return .impostor
        }
    }

    /// After our first SETTINGS were queued.
    func meet(_ connection: ServerConnection) {
        let caller = core.caller(connection.number, acceptedAt: connection.metAt)
        guard let firing = core.shared.faults.firing(for: caller, beforeTLS: false, now: core.loop.moment) else { return }
        core.note(firing, connection: connection.id, number: connection.number, peer: connection.peer)
        switch firing.action {
        case .goAway(let fault):
            wait(fault.wait, connection) { connection.carryOut(fault, last: fault.lastStream(of: 0)) }
        case .maxStreams(let fault):
            peer(of: connection).keepStreamLimit()
            connection.carryOut(fault)
        case .window(let fault): connection.carryOut(fault, peer(of: connection), core.loop)
        case .close(let fault): wait(fault.wait, connection) { connection.close(fault.manner.ending) }
        case .raw(let fault): connection.sendRaw(fault.bytes.bytes(stream: 0, apnsID: ""))
        case .respond, .refuse, .answer, .delay, .silence, .resetStream, .refuseTLS: break
        }
    }

    private func wait(_ interval: Interval?, _ connection: ServerConnection, _ act: @escaping () -> Void) {
        guard let interval else { return act() }
        peer(of: connection).plannedFault = core.loop.onClock(after: interval, act)
    }
}

/// A push that met a fault, decided and in the journal.
struct FaultedPush<P: Provider>: FaultedRequest {
    let provider: P
    let exchange: ServerExchange
    let facts: P.Facts
    let decision: Decision<P.Verdict.Reason>
    let fault: Firing

    var peer: any ProviderPeer { provider.peer(of: exchange.connection) }
    var loop: EventLoop { provider.core.loop }
    var isUnanswered: Bool { decision.isUnanswered }
    var successStatus: Int { 200 }
    var id: String { provider.id(facts) }

    func answer() { provider.answer(exchange, facts, decision) }
    func identify(isSuccess: Bool) { provider.identify(exchange, facts, isSuccess: isSuccess) }
    func finish() { provider.core.finish() }
}
