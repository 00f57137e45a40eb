// What devices do with a push that APNs has accepted, wherever it came from: to the port of APNs, or by way of FCM.

import APNs
import Basics
import Devices
import HTTP
import Journal
import Pushes

/// Confined to its loop.
struct AppleDelivery {
    let shared: MockShared
    let environment: PushEnvironment
    /// What the apps on phones decode.
    let decoder: SchemaDecoder

    /// `head` is the request that `facts` were read of.
    func deliver(_ facts: PushFacts, _ head: HeaderBlock, _ body: ByteBuffer, now: WallTime) -> (Outcome?, PhoneReason?) {
        guard let pathField = head.index(of: ":path"), let topicField = facts.topicField else { return (nil, nil) }
        let path = head.value(at: pathField)
        let token = path.extracting(facts.token)
        guard facts.isOnPhone else {
            let topic = head.value(at: topicField)
            return (shared.devices.deliver(facts, token: token, topic: topic, environment: environment, now: now), nil)
        }
        let verdict = shared.devices.phones.deliver(facts, token: token, payload: body.bytes, now: now, decoder: decoder)
        return (verdict.outcome, verdict.reason)
    }

    /// A device that is away: APNs keeps the push, which may put an end to older ones, each of which is told.
    func store(
        _ facts: PushFacts, _ head: HeaderBlock, _ body: ByteBuffer, _ id: UInt64, now: WallTime, tell: (LateOutcome) -> Void
    ) {
        guard let topicField = facts.topicField else { return }
        let devices = shared.devices
        if facts.isOnPhone, let pathField = head.index(of: ":path") {
            let path = head.value(at: pathField)
            devices.phones.store(
                facts, token: path.extracting(facts.token), payload: body.bytes, push: id, now: now, decoder: decoder)
            for late in devices.phones.takeLate() { tell(late) }
            return
        }
        let topic = head.value(at: topicField)
        if let late = devices.store(facts, topic: topic, push: id, now: now) { tell(late) }
    }
}
