// From a journal's entry to what correlator and rules see.

import Basics
import Conformance
import Journal
import Metrics
import Pushes

struct Observer {
    private let run: UInt32?
    private let content: ContentCheck
    private let context: RunContext

    /// `run` is the number in the run's markers; nil: whatever marker there is counts.
    init(run: UInt32?, content: ContentCheck, context: RunContext) {
        self.run = run
        self.content = content
        self.context = context
    }

    func observe(_ entry: PushEntry) -> SeenPush {
        let marker = entry.marker.flatMap { run == nil || $0.run == run ? $0 : nil }
        let type = entry.pushType.flatMap { PushType(word: $0) } ?? .alert
        let wall = context.circumstances.mockWall(at: entry.arrivedAt, host: entry.arrivedWall)
        var push = SeenPush(
            id: entry.id, arrivedAt: entry.arrivedAt, answeredAt: entry.arrivedAt + entry.delay, arrivedWall: wall,
            token: TokenHash(entry.token), status: entry.status, type: type)
        push.diedMilliseconds = entry.timestampMilliseconds
        push.stamp = entry.stamp
        push.connection = entry.connection
        push.apnsID = entry.apnsID
        push.payloadHash = entry.payload.hashValue
        push.payloadCount = Int32(clamping: entry.payload.count)
        push.authorization = authorization(of: entry)
        push.topic = entry.topic.map { context.texts.intern($0) } ?? -1
        push.reason = entry.reason.map { context.texts.intern($0) } ?? -1
        push.faultRule = entry.faultRule
        push.faultAction = entry.faultAction
        push.event = entry.event
        push.outcome = entry.outcome
        push.environment = entry.environment
        if let marker {
            push.flags.insert(.isMarked)
            push.session = marker.session
            push.step = marker.step
        }
        if entry.hasUnknownEvent { push.flags.insert(.hasUnknownEvent) }
        if let priority = entry.priority {
            push.flags.insert(.gavePriority)
            push.priority = UInt8(priority) ?? 10
        }
        if entry.header("apns-id") != nil { push.flags.insert(.gaveAPNsID) }
        content.look(at: entry, marker, &push, context)
        return push
    }

    private func authorization(of entry: PushEntry) -> Int32 {
        guard let text = entry.header("authorization") else { return -1 }
        if let known = context.texts.number(of: text) { return known }
        let number = context.texts.intern(text)
        context.signers[number] = ProviderTokenClaims(authorization: text)
        return number
    }
}
