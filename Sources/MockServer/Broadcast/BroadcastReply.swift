// The answer to a broadcast or to an operation on channels, before it is bytes.

import APNs
import Basics
import EventLoop
import Faults
import HTTP
import Net

/// What is to be sent. Success is a HEADERS frame; a read, a list and a refusal add a DATA frame (spec/apns.md §11).
struct BroadcastReply {
    var status: UInt16
    var facts: BroadcastFacts
    /// Of a channel just made.
    var created: ChannelID?
    var body: [UInt8] = []
    /// Fields that a fault adds.
    var extra: [LawlessAnswer.Field] = []
    /// The rule that met it.
    var fault: Firing?
    /// A fault leaves it without answer.
    var isSilent = false

    /// Carries out what was decided: at once, later, or never. `answered` comes with the answer.
    func carryOut(on exchange: ServerExchange, _ peer: ProviderPeer, _ loop: EventLoop, _ answered: @escaping () -> Void) {
        if isSilent { return }
        guard let fault, fault.delay > .zero else {
            answered()
            return send(on: exchange, peer)
        }
        _ = loop.after(fault.delay) {
            guard exchange.isOpen else { return }
            answered()
            send(on: exchange, peer)
        }
    }

    /// `apns-request-id` goes with every answer: the client's own spelling, or upper case.
    func send(on exchange: ServerExchange, _ peer: ProviderPeer) {
        let fields = exchange.responseHead
        let neverIndexed = peer.hasAnsweredBroadcast
        peer.hasAnsweredBroadcast = true
        if let field = facts.requestIDField {
            let head = exchange.head
            fields.append("apns-request-id", head.value(at: field), neverIndexed: neverIndexed)
        } else {
            fields.append("apns-request-id", facts.requestID.text(uppercase: true), neverIndexed: neverIndexed)
        }
        for field in extra { fields.append(name: field.name, value: field.value) }
        if let created { fields.append("apns-channel-id", created.text, neverIndexed: true) }
        exchange.respond(status: Int(status), body: body)
    }
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
