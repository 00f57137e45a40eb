// What is asked of FCM besides sends: access tokens and topics. One way for all of it:
//
//     call ─▶ rules ─▶ fault script ─▶ act ─▶ journal ─▶ answer

import Basics
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Pushes

/// One request to an endpoint that takes no pushes, read.
protocol EndpointCall {
    var endpoint: FaultEndpoint { get }
    /// As what it stands in the journal, and with what.
    var kind: NoteKind { get }
    var record: JSONObject { get }
    /// The registration it is about; empty where there is none, or there are several.
    var registration: String { get }
    /// The topic's name, or empty.
    var topic: String { get }
    /// The answer of the rules to what they do not take; nil: they take it.
    var refusal: GoogleAnswer? { get }

    /// Does what is asked.
    func act() -> GoogleAnswer
    /// How the endpoint tells that reason of a fault.
    func refuse(_ reason: NamedReason) -> GoogleAnswer
}

/// Confined to its loop.
final class EndpointDesk {
    private let core: PipelineCore
    private let front: FrontEnd
    /// Calls that the rules took, by endpoint.
    private var taken: [FaultEndpoint: UInt32] = [:]

    init(core: PipelineCore, front: FrontEnd) {
        self.core = core
        self.front = front
    }

    func serve(_ call: some EndpointCall, _ exchange: ServerExchange, _ peer: FCMPeer) {
        guard call.refusal == nil, let firing = firing(call, exchange, peer) else {
            let answer = call.refusal ?? call.act()
            note(call, answer, exchange, status: answer.status)
            front.identify(exchange)
            front.send(answer, on: exchange)
            return core.finish()
        }
        let fate = firing.action.fate(ofStream: exchange.streamID)
        let answer: GoogleAnswer? =
            switch firing.action {
            case .respond(let reason, _, _): call.refuse(reason)
            case .answer(let lawless): GoogleAnswer(Int(lawless.status), body: lawless.body)
            default: fate.isProcessed ? call.act() : nil
            }
        let connection = exchange.connection!
        core.note(firing, connection: connection.id, number: connection.number, peer: connection.peer, at: call.endpoint)
        note(call, answer, exchange, status: fate.isAnswered ? answer?.status ?? 0 : 0)
        FaultedCall(answered: answer, core: core, front: front, exchange: exchange, peer: peer, fault: firing).carryOutFault()
    }

    /// The first rule that meets it, if any.
    private func firing(_ call: some EndpointCall, _ exchange: ServerExchange, _ peer: FCMPeer) -> Firing? {
        taken[call.endpoint, default: 0] &+= 1
        guard core.shared.faults.hasEndpointRules else { return nil }
        let connection = exchange.connection!
        let registration = call.registration
        return withBytes(of: call.topic) { topic in
            let subject = FaultSubject(
                at: call.endpoint,
                tokenHash: registration.isEmpty
                    ? Hash128(high: 0, low: 0) : withBytes(of: registration) { Hash128(hashing: $0) },
                topic: topic, pushType: nil, event: nil, priority: 0, id: nil, nthOfToken: taken[call.endpoint] ?? 1,
                nthOfConnection: peer.requests, caller: core.caller(connection.number, acceptedAt: connection.metAt),
                credential: exchange.credential)
            return core.shared.faults.firing(for: subject, now: exchange.arrivedAt)
        }
    }

    private func note(_ call: some EndpointCall, _ answer: GoogleAnswer?, _ exchange: ServerExchange, status: Int) {
        var facts = call.record
        for (name, value) in answer?.record ?? [:] { facts[name] = value }
        facts["status"] = .integer(Int64(status))
        core.note(call.kind, exchange.connection, facts)
    }
}

/// A call that met a fault, decided and in the journal.
private struct FaultedCall: FaultedRequest {
    /// Nil: the fault leaves it without one.
    let answered: GoogleAnswer?
    let core: PipelineCore
    let front: FrontEnd
    let exchange: ServerExchange
    let peer: any ProviderPeer
    let fault: Firing

    var loop: EventLoop { core.loop }
    var isUnanswered: Bool { !fault.action.fate(ofStream: exchange.streamID).isAnswered }
    var successStatus: Int { 200 }
    var id: String { "" }

    func answer() {
        finish()
        identify(isSuccess: false)
        if let answered { front.send(answered, on: exchange) }
    }

    func identify(isSuccess: Bool) { front.identify(exchange) }
    func finish() { core.finish() }
}

extension ServerExchange {
    /// Stands for the access token of the request; 0: it has none.
    var credential: UInt64 {
        let head = head
        return head.index(of: "authorization").map { Hash128(hashing: head.value(at: $0)).low } ?? 0
    }
}
