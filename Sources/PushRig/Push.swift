// A push as a test sees it.

import APNs
import Basics
import Faults
import Journal
import MockServer
import Pushes

/// One request that reached the mock, and what became of it.
public struct Push: Hashable, Sendable, Identifiable {
    /// A request header.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String
    }

    public var id: UInt64
    /// Where it arrived.
    public var environment: MockServer.Environment
    /// Hex digits in lower case.
    public var token: String
    /// As in `apns-topic`.
    public var topic: String?
    /// As in `apns-push-type`.
    public var pushType: String?
    /// As in `apns-priority`; nil when it is not given or no number.
    public var priority: Int?
    /// As the relay gave it, or as the mock made it.
    public var apnsID: String
    /// Nil: the mock never answered.
    public var status: Int?
    /// Why it was refused, such as `BadDeviceToken`.
    public var reason: String?
    /// Why the provider token was refused, in plain words, such as `kid "ABC" is unknown: no key has that ID`; APNs itself
    /// says no more than the reason.
    public var cause: String?
    /// What the device did with it, such as `shown`, `updated` or `ignored-older`; nil when it was refused.
    public var outcome: String?
    /// Of a push whose outcome is `stored`, because the device was away: what became of it in the end, such as `shown`,
    /// `superseded` or `expired`; nil while it waits.
    public var lateOutcome: String?
    /// What APNs takes without a word although it is wrong, such as `background-with-alert`.
    public var warnings: [String]
    /// The id of the fault that met it.
    public var fault: String?
    /// What that fault did, such as `respond` or `goaway`.
    public var faultAction: String?
    /// In order of arrival, names in lower case, `:method` and `:path` among them.
    public var headers: [Field]
    /// The body as it came.
    public var payload: [UInt8]
    /// Milliseconds since 1970 when the request had arrived.
    public var arrivedAtMilliseconds: Int

    /// The value of the first header of that name, which is in lower case.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The payload as text; bytes that are no UTF-8 are replaced.
    public var payloadText: String { String(decoding: payload, as: UTF8.self) }

    /// The string at that JSON pointer (RFC 6901) of the payload, such as `/aps/alert/title`.
    public func string(at pointer: String) -> String? { json?.at(pointer: pointer)?.string }

    /// The number at that JSON pointer of the payload, such as `/aps/timestamp`.
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
