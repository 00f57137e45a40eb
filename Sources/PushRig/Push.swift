// A push as a test sees it.

import APNs
import Basics
import Faults
import Journal
import MockServer
import Pushes

/// A push: one request that reached the mock, and what became of it.
public struct Push: Hashable, Sendable, Identifiable {
    /// A request header.
    public struct Field: Hashable, Sendable {
        /// The name in lower case.
        public var name: String
        /// The value as it came.
        public var value: String
    }

    /// The number of the push in the mock's journal.
    public var id: UInt64
    /// The environment where the push arrived.
    public var environment: MockServer.Environment
    /// The device token, hex digits in lower case.
    public var token: String
    /// The topic, as in `apns-topic`; nil: not given.
    public var topic: String?
    /// The push type, as in `apns-push-type`; nil: not given.
    public var pushType: String?
    /// The priority, as in `apns-priority`; nil: not given, or no number.
    public var priority: Int?
    /// The `apns-id` that the relay gave, or the one that the mock made.
    public var apnsID: String
    /// The status of the answer, such as 200 or 410; nil: the mock never answered.
    public var status: Int?
    /// The reason of a refusal, such as `BadDeviceToken`; nil: not refused.
    public var reason: String?
    /// The cause why a provider token was refused, in plain words, such as `kid "ABC" is unknown: no key has that ID`. APNs
    /// itself says no more than the reason.
    public var cause: String?
    /// The outcome: what the device did with the push, such as `shown`, `updated` or `ignored-older`; nil: it was refused.
    public var outcome: String?
    /// The outcome in the end of a push that was `stored` because the device was away, such as `shown`, `superseded` or
    /// `expired`; nil while it waits.
    public var lateOutcome: String?
    /// The warnings: what APNs takes without a word although it is wrong, such as `background-with-alert`.
    public var warnings: [String]
    /// The id of the fault that met the push; nil: none did.
    public var fault: String?
    /// The action of that fault, such as `respond` or `goaway`.
    public var faultAction: String?
    /// The request headers in order of arrival, `:method` and `:path` among them.
    public var headers: [Field]
    /// The body as it came, in bytes.
    public var payload: [UInt8]
    /// The time when the request had arrived, in milliseconds since 1970.
    public var arrivedAtMilliseconds: Int

    /// The value of the first header of that name, given in lower case; nil: there is none.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The payload as text; bytes that are no UTF-8 become U+FFFD.
    public var payloadText: String { String(decoding: payload, as: UTF8.self) }

    /// The string at that JSON pointer (RFC 6901) of the payload, such as `/aps/alert/title`; nil: none is there.
    public func string(at pointer: String) -> String? { json?.at(pointer: pointer)?.string }

    /// The number at that JSON pointer of the payload, such as `/aps/timestamp`; nil: none is there.
    public func number(at pointer: String) -> Double? { json?.at(pointer: pointer)?.double }

    private var json: JSONValue? { try? JSONValue(parsing: payload.span) }
}

extension Push {
    init(_ entry: PushEntry, _ service: MockService) {
        id = entry.id
        environment = entry.environment == .sandbox ? .sandbox : .production
        token = entry.token.lowercased()
        topic = entry.topic
        pushType = entry.pushType
        priority = entry.priority.flatMap { Int($0) }
        apnsID = entry.header("apns-id") ?? entry.apnsID.text(uppercase: true)
        status = entry.status == 0 ? nil : Int(entry.status)
        reason = entry.reason
        cause = entry.credentialWords
        outcome = entry.outcome?.word.description
        lateOutcome = entry.outcome == .stored ? service.lateOutcome(ofPush: entry.id) : nil
        warnings = PushWarning.all(in: entry.warnings).map { $0.word.description }
        fault = entry.faultRule == 0 ? nil : service.faults.id(of: entry.faultRule) ?? "f\(entry.faultRule)"
        faultAction = FaultAction.word(of: entry.faultAction)
        headers = entry.headers.map { Field(name: $0.name, value: $0.value) }
        payload = entry.payload
        arrivedAtMilliseconds = Int(entry.arrivedWall.milliseconds)
    }
}
