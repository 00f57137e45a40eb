// Every reason of the channel and broadcast API (docs/apns.md §11), each over a real connection: status, body to the
// byte, and one field besides.

import APNs
import Basics
import Devices
import EventLoop
import MockServer
import Net
import Pushes
import TLS
import Testing

/// One request that is refused, made from a valid one by turning one knob.
struct BroadcastRefusal: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable { case create, read, delete, list, send }

    var reason: BroadcastReason
    var kind = Kind.send
    var method: String?
    var path: String?
    var body: String?
    /// Replaces a field of the valid request; nil takes it out.
    var changes: [(name: String, value: String?)] = []
    var adds: [(String, String)] = []
    /// Storage policy of the channel it is about.
    var policy = 1
    var adjust: @Sendable (inout MockOptions) -> Void = { _ in }
    /// Done before, on the same connection, with valid fields.
    var before: @Sendable (TestMock, TestClient, String) throws -> Void = { _, _, _ in }
    /// Takes the place of `authorization`.
    var authorization: (@Sendable (TestMock) -> String)?

    var testDescription: String {
        let knobs = [path, body.map { String($0.prefix(40)) }] + (changes.map { "\($0.name)=\($0.value ?? "absent")" })
        return "\(reason) \(method ?? "\(kind)") " + knobs.compactMap { $0 }.joined(separator: " ")
    }
}

private func token(_ mock: TestMock, age: Interval = .zero, tampered: Bool = false) -> String {
    var token = ProviderToken.sign(
        keyID: mock.service.coordinates.keyID, teamID: mock.service.coordinates.teamID,
        issuedAt: SystemTime().wall() - age, signer: mock.key.sign)
    if tampered { token = String(token.dropLast(2)) + (token.hasSuffix("AA") ? "BB" : "AA") }
    return "bearer " + token
}

private let stranger = "AAAAAAAAAAAAAAAAAAAAAA=="

private let refusals: [BroadcastRefusal] = [
    // What the path and the method say.
    BroadcastRefusal(reason: .badPath, path: "/4/broadcasts/\(bundle)"),
    BroadcastRefusal(reason: .badPath, path: "/4/broadcasts/apps/\(bundle)/more"),
    BroadcastRefusal(reason: .badPath, kind: .list, path: "/1/apps"),
    BroadcastRefusal(reason: .badPath, kind: .list, path: "/1/apps//all-channels"),
    BroadcastRefusal(reason: .badPath, kind: .list, path: "/3/device/" + TestMock.device),
    BroadcastRefusal(reason: .badPath, kind: .list, method: "POST"),
    BroadcastRefusal(reason: .methodNotAllowed, method: "GET"),
    BroadcastRefusal(reason: .methodNotAllowed, kind: .create, method: "PUT"),
    // Credentials.
    BroadcastRefusal(reason: .missingProviderToken, changes: [("authorization", nil)]),
    BroadcastRefusal(reason: .missingProviderToken, kind: .list, changes: [("authorization", nil)]),
    BroadcastRefusal(reason: .expiredProviderToken, authorization: { token($0, age: .seconds(7_200)) }),
    BroadcastRefusal(reason: .invalidProviderToken, kind: .read, authorization: { token($0, tampered: true) }),
    BroadcastRefusal(
        reason: .tooManyProviderTokenUpdates,
        before: { mock, client, channel in
            for age in [600.0, 300.0] {
                var valid = Broadcast(mock, "update")
                valid.fields[0].1 = token(mock, age: .seconds(age))
                let status = try mock.broadcast(channel, valid, by: client).status
                #expect(status == 200)
            }
        }),
    BroadcastRefusal(reason: .topicMismatch, path: "/4/broadcasts/apps/com.example.other", adjust: onlyOurs),
    BroadcastRefusal(reason: .topicMismatch, kind: .list, path: "/1/apps/com.example.other/all-channels", adjust: onlyOurs),
    // The app.
    BroadcastRefusal(reason: .topicDisallowed, path: "/4/broadcasts/apps/\(bundle).push-type.liveactivity"),
    BroadcastRefusal(reason: .featureNotEnabled, before: { mock, _, _ in try disable(mock) }),
    BroadcastRefusal(reason: .featureNotEnabled, kind: .create, before: { mock, _, _ in try disable(mock) }),
    // The header fields.
    BroadcastRefusal(reason: .badMessageId, adds: [("apns-request-id", "7")]),
    BroadcastRefusal(reason: .badMessageId, kind: .list, adds: [("apns-id", "not-a-uuid")]),
    BroadcastRefusal(reason: .missingChannelId, changes: [("apns-channel-id", nil)]),
    BroadcastRefusal(reason: .missingChannelId, kind: .delete, changes: [("apns-channel-id", nil)]),
    BroadcastRefusal(reason: .badChannelId, changes: [("apns-channel-id", "not base64")]),
    BroadcastRefusal(reason: .badChannelId, kind: .read, changes: [("apns-channel-id", String(repeating: "AAAA", count: 17))]),
    BroadcastRefusal(reason: .channelNotRegistered, changes: [("apns-channel-id", stranger)]),
    BroadcastRefusal(reason: .channelNotRegistered, kind: .read, changes: [("apns-channel-id", "AAAA")]),
    BroadcastRefusal(reason: .channelNotRegistered, path: "/4/broadcasts/apps/com.example.other"),
    BroadcastRefusal(reason: .missingPushType, changes: [("apns-push-type", nil)]),
    BroadcastRefusal(reason: .invalidPushType, changes: [("apns-push-type", "alert")]),
    BroadcastRefusal(reason: .badExpirationDate, changes: [("apns-expiration", nil)]),
    BroadcastRefusal(reason: .badExpirationDate, changes: [("apns-expiration", "1.5")]),
    BroadcastRefusal(reason: .badExpirationDate, changes: [("apns-expiration", "1999999999")], policy: 0),
    BroadcastRefusal(reason: .badPriority, changes: [("apns-priority", nil)]),
    BroadcastRefusal(reason: .badPriority, changes: [("apns-priority", "7")]),
    // The bodies.
    BroadcastRefusal(reason: .payloadEmpty, body: ""),
    BroadcastRefusal(reason: .payloadEmpty, kind: .create, body: ""),
    BroadcastRefusal(reason: .payloadTooLarge, body: #"{"aps":{"alert":""# + String(repeating: "x", count: 5_120) + #""}}"#),
    BroadcastRefusal(reason: .badRequestPayload, body: "no {json"),
    BroadcastRefusal(reason: .badRequestPayload, kind: .create, body: "[1]"),
    BroadcastRefusal(
        reason: .badRequestParams, kind: .create,
        body: #"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#),
    BroadcastRefusal(reason: .missingChannelQueueSize, kind: .create, body: #"{"push-type":"LiveActivity"}"#),
    BroadcastRefusal(
        reason: .missingChannelQueueSize, kind: .create, body: #"{"message-storage-policy":2,"push-type":"LiveActivity"}"#),
    BroadcastRefusal(
        reason: .missingChannelQueueSize, kind: .create,
        body: #"{"message-storage-policy":"1","push-type":"LiveActivity"}"#),
    BroadcastRefusal(reason: .missingPushType, kind: .create, body: #"{"message-storage-policy":1}"#),
    BroadcastRefusal(
        reason: .invalidPushType, kind: .create, body: #"{"message-storage-policy":1,"push-type":"alert"}"#),
    // Limits.
    BroadcastRefusal(
        reason: .cannotCreateChannelConfig, kind: .create, adjust: { $0.channelRules.channelsPerApp = 1 }),
    BroadcastRefusal(
        reason: .tooManyRequests, adjust: { $0.channelRules.broadcastsPerSecondAndChannel = 1 },
        before: { mock, client, channel in
            let status = try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status
            #expect(status == 200)
        }),
]

@Sendable private func onlyOurs(_ options: inout MockOptions) { options.topics = [bundle] }

private func disable(_ mock: TestMock) throws {
    let reply = try mock.admin.ask(
        "PUT", "/v1/apps/" + bundle, [("content-type", "application/json")], body: #"{"broadcasts":false}"#)
    guard reply.status == 200 else { throw Failure(.run, reply.text) }
}

@Suite struct BroadcastReasonTests {
    private static let id = "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"

    @Test(arguments: refusals) func `a request causes its refusal`(refusal: BroadcastRefusal) throws {
        try withChannelMock({ options in
            // A test must not fall between two seconds.
            options.clock = ManualTime(wall: SystemTime().wall())
            refusal.adjust(&options)
        }) { mock in
            let channel = try mock.createChannel(policy: refusal.policy)
            let client = refusal.kind == .send ? try mock.provider() : try mock.manager()
            try refusal.before(mock, client, channel)
            var (method, path, fields, body) = valid(refusal.kind, mock, channel)
            if let authorization = refusal.authorization { fields[0].1 = authorization(mock) }
            for (name, value) in refusal.changes {
                let place = try #require(fields.firstIndex { $0.0 == name })
                if let value { fields[place].1 = value } else { fields.remove(at: place) }
            }
            fields += refusal.adds
            if refusal.reason != .badMessageId { fields.append(("apns-request-id", Self.id)) }
            if let other = refusal.body { body = other }
            method = refusal.method ?? method
            path = refusal.path ?? path
            let reply = try client.ask(method, path, fields, body: body)
            #expect(reply.status == Int(refusal.reason.status))
            #expect(reply.fields.map(\.name) == ["apns-request-id"])
            #expect(reply.text == #"{"reason":"\#(refusal.reason.word)"}"#)
            let echo = reply.field("apns-request-id") ?? ""
            #expect(refusal.reason == .badMessageId ? isMade(echo) : echo == Self.id)
        }
    }

    /// What no request causes by itself: the service's own troubles. Certificates are met before any request.
    @Test(arguments: BroadcastReason.allCases.filter { reason in !refusals.contains { $0.reason == reason } })
    func `a fault causes the others`(reason: BroadcastReason) throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 1)
            let id = try mock.fault(
                #"{"meets":"broadcast","action":{"respond":{"reason":"\#(reason.word)"}},"match":{"topic":"\#(bundle)"}}"#)
            for (client, kind) in [(try mock.provider(), BroadcastRefusal.Kind.send), (try mock.manager(), .read)] {
                let (method, path, fields, body) = valid(kind, mock, channel)
                let reply = try client.ask(method, path, fields, body: body)
                #expect(reply.status == Int(reason.status) && reply.text == #"{"reason":"\#(reason.word)"}"#)
                #expect(reply.fields.map(\.name) == ["apns-request-id"])
            }
            // No push is met, and what was refused has not happened.
            let path = "/3/device/" + TestMock.device
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)
            #expect(try mock.channel(channel)?["broadcasts"] == 0)
            let entries = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(entries.filter { $0["fault"]?.string == id }.count == 2)
        }
    }

    private func valid(
        _ kind: BroadcastRefusal.Kind, _ mock: TestMock, _ channel: String
    ) -> (method: String, path: String, fields: [(String, String)], body: String) {
        let named = mock.credential + [("apns-channel-id", channel)]
        switch kind {
        case .create:
            let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
            return ("POST", "/1/apps/\(bundle)/channels", mock.credential, body)
        case .read: return ("GET", "/1/apps/\(bundle)/channels", named, "")
        case .delete: return ("DELETE", "/1/apps/\(bundle)/channels", named, "")
        case .list: return ("GET", "/1/apps/\(bundle)/all-channels", mock.credential, "")
        case .send:
            let broadcast = Broadcast(mock, "update")
            return (
                "POST", "/4/broadcasts/apps/\(bundle)", broadcast.fields + [("apns-channel-id", channel)], broadcast.body
            )
        }
    }

    private func isMade(_ id: String) -> Bool {
        id.count == 36 && id.uppercased() == id && withBytes(of: id) { UUIDBytes($0) } != nil
    }

    @Test func `the lists of pushes and of broadcasts stay apart`() {
        for word in ["FeatureNotEnabled", "MissingPushType", "MissingChannelId", "TopicMismatch"] {
            #expect(Reason(word: word) == nil && BroadcastReason(word: word) != nil)
        }
        for word in ["BadDeviceToken", "Unregistered", "MissingTopic", "DuplicateHeaders"] {
            #expect(Reason(word: word) != nil && BroadcastReason(word: word) == nil)
        }
        #expect(BroadcastReason.allCases.map { "\($0)".lowercased() } == BroadcastReason.rows.map { "\($0.word)".lowercased() })
        #expect(BroadcastReason(word: "Service Unavailable") == .serviceUnavailable)
    }

    @Test func `the order of checks is the table's`() throws {
        let names = BroadcastCheck.order.map(\.name.description)
        #expect(Set(names).count == names.count)
        // Documented: authentication, then channel, then publish. The rest as one library reads the answers.
        let order = [
            "credential", "channel-presence", "push-type", "expiration", "priority", "channel-known", "body-presence",
            "body-size",
        ]
        #expect(names.filter(order.contains) == order)
    }
}
