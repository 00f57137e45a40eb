// The answer to a broadcast or to an operation on channels, before it is bytes.

import APNs
import Basics
import EventLoop
import Faults
import HTTP
import Net
import Pushes

/// What is to be sent. Success is a HEADERS frame; a read, a list and a refusal add a DATA frame (docs/apns.md §11).
struct BroadcastReply {
    var status: UInt16
    var facts: BroadcastFacts
    /// Of a channel just made.
    var created: ChannelID?
    var body: [UInt8] = []
    /// The rule that met it.
    var fault: Firing?
    /// A fault leaves it without an answer.
    var isUnanswered = false

    /// Carries out what was decided. `finished` comes once, when nobody waits for an answer any more.
    func carryOut(on exchange: ServerExchange, _ peer: APNsPeer, _ loop: EventLoop, _ finished: @escaping () -> Void) {
        guard let fault else {
            finished()
            return send(on: exchange, peer)
        }
        FaultedBroadcast(reply: self, exchange: exchange, apnsPeer: peer, loop: loop, fault: fault, finished: finished)
            .carryOutFault()
    }

    /// An empty body on HTTP/2 is no DATA frame.
    func send(on exchange: ServerExchange, _ peer: APNsPeer) {
        identify(exchange, peer)
        exchange.respond(status: Int(status), body: body)
    }

    /// `apns-request-id` goes with every answer: the client's own spelling, or upper case.
    func identify(_ exchange: ServerExchange, _ peer: APNsPeer) {
        let fields = exchange.responseHead
        let neverIndexed = peer.hasAnsweredBroadcast
        peer.hasAnsweredBroadcast = true
        if let field = facts.requestIDField {
            let head = exchange.head
            fields.append("apns-request-id", head.value(at: field), neverIndexed: neverIndexed)
        } else {
            fields.append("apns-request-id", facts.requestID.text(uppercase: true), neverIndexed: neverIndexed)
        }
        if let created { fields.append("apns-channel-id", created.text, neverIndexed: true) }
    }

    /// As `identify` writes it.
    func id(in exchange: ServerExchange) -> String {
        guard let field = facts.requestIDField else { return facts.requestID.text(uppercase: true) }
        let head = exchange.head
        return head.value(at: field).text
    }
}

/// A broadcast or an operation on channels that met a fault, decided and in the journal.
private struct FaultedBroadcast: FaultedRequest {
    let reply: BroadcastReply
    let exchange: ServerExchange
    let apnsPeer: APNsPeer
    let loop: EventLoop
    let fault: Firing
    let finished: () -> Void

    var peer: any ProviderPeer { apnsPeer }
    var isUnanswered: Bool { reply.isUnanswered }
    var successStatus: Int { Int(reply.status) }
    var id: String { reply.id(in: exchange) }

    func answer() {
        finish()
        reply.send(on: exchange, apnsPeer)
    }

    func identify(isSuccess: Bool) { reply.identify(exchange, apnsPeer) }
    func finish() { finished() }
}

extension BroadcastReply {
    init(_ reason: BroadcastReason, _ facts: BroadcastFacts) {
        self.init(status: reason.status, facts: facts, body: reason.body)
    }
}

extension ChannelID {
    /// `{"channels":["…","…"]}`, compact like every body of APNs.
    static func listBody(_ ids: [ChannelID]) -> [UInt8] {
        Array("{\"channels\":[\(ids.map { "\"\($0.text)\"" }.joined(separator: ","))]}".utf8)
    }
}

extension StoragePolicy {
    /// The two fields a channel was made of.
    var body: [UInt8] { Array("{\"message-storage-policy\":\(rawValue),\"push-type\":\"LiveActivity\"}".utf8) }
}
