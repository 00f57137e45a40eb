// Every reason of the table (spec §6), each over a real connection: status, body to the byte, and no further field.

import APNs
import Basics
import EventLoop
import MockServer
import Net
import Pushes
import TLS
import Testing

/// One request that APNs refuses, made from a valid one by turning one knob.
struct Refusal: Sendable, CustomTestStringConvertible {
    var reason: Reason
    var method = "POST"
    var path = "/3/device/" + TestMock.device
    var body = alert
    /// Replaces a field of the valid request; nil takes it out.
    var changes: [(name: String, value: String?)] = []
    var adds: [(String, String)] = []
    /// Done before, on the same connection, with valid fields.
    var before: @Sendable (TestMock, TestClient) throws -> Void = { _, _ in }
    var adjust: @Sendable (inout MockOptions) -> Void = { _ in }
    /// Takes the place of `authorization`.
    var authorization: (@Sendable (TestMock) -> String)?

    var testDescription: String { "\(reason)" }
}

private func token(_ mock: TestMock, age: Interval = .zero, tampered: Bool = false) -> String {
    let issuedAt = SystemTime().wall() - age
    var token = ProviderToken.sign(
        keyID: mock.service.coordinates.keyID, teamID: mock.service.coordinates.teamID, issuedAt: issuedAt,
        signer: mock.key.sign)
    if tampered {
        let last = token.removeLast()
        let before = token.removeLast()
        token += before == "A" ? "B" : "A"
        token.append(last)
    }
    return "bearer " + token
}

private func setToken(_ state: String, _ mock: TestMock) throws {
    let body = #"{"kind":"device","topic":"com.example.app","state":"\#(state)","since":"2026-11-20T10:00:00Z"}"#
    let reply = try mock.admin.ask(
        "PUT", "/v1/tokens/" + TestMock.device, [("content-type", "application/json")], body: body)
    guard reply.status < 300 else { throw Failure(.run, reply.text) }
}

/// A push that must be accepted.
private func push(_ client: TestClient, _ fields: [(String, String)]) throws {
    let status = try client.ask("POST", "/3/device/" + TestMock.device, fields, body: alert).status
    #expect(status == 200)
}

private let refusals: [Refusal] = [
    Refusal(reason: .badCollapseId, adds: [("apns-collapse-id", String(repeating: "x", count: 65))]),
    Refusal(reason: .badDeviceToken, path: "/3/device/zz"),
    Refusal(reason: .badExpirationDate, adds: [("apns-expiration", "1.5")]),
    Refusal(reason: .badMessageId, adds: [("apns-id", "not-a-uuid")]),
    Refusal(reason: .badPriority, changes: [("apns-priority", "7")]),
    Refusal(reason: .badTopic, changes: [("apns-topic", "com example")]),
    Refusal(
        reason: .deviceTokenNotForTopic, changes: [("apns-topic", "com.example.other")],
        before: { mock, client in
            try push(client, mock.fields())
        }),
    Refusal(reason: .duplicateHeaders, adds: [("apns-topic", "com.example.app")]),
    Refusal(reason: .invalidPushType, changes: [("apns-push-type", "shout")]),
    Refusal(reason: .missingDeviceToken, path: "/3/device/"),
    Refusal(reason: .missingTopic, changes: [("apns-topic", nil)]),
    Refusal(reason: .payloadEmpty, body: ""),
    Refusal(
        reason: .topicDisallowed, changes: [("apns-topic", "com.example.other")],
        adjust: { $0.topics = ["com.example.app"] }),
    Refusal(reason: .expiredProviderToken, authorization: { token($0, age: .seconds(7_200)) }),
    Refusal(reason: .invalidProviderToken, authorization: { token($0, tampered: true) }),
    Refusal(reason: .missingProviderToken, changes: [("authorization", nil)]),
    Refusal(reason: .badPath, path: "/3/devices/" + TestMock.device),
    Refusal(reason: .methodNotAllowed, method: "GET", body: ""),
    Refusal(reason: .expiredToken, before: { mock, _ in try setToken("expired", mock) }),
    Refusal(reason: .unregistered, before: { mock, _ in try setToken("unregistered", mock) }),
    Refusal(
        reason: .tooManyRequests,
        before: { mock, client in
            for _ in 0..<3 { try push(client, mock.fields()) }
        },
        // The documented example: a burst to one token. The clock stands, so that the second does not end.
        adjust: {
            try! $0.set(["pushesPerSecondAndToken": "3"])
            $0.clock = ManualTime(wall: SystemTime().wall())
        }),
    Refusal(reason: .payloadTooLarge, body: #"{"aps":{"alert":""# + String(repeating: "x", count: 4_096) + #""}}"#),
    Refusal(
        reason: .tooManyProviderTokenUpdates,
        before: { mock, client in
            for age in [600.0, 300.0] {
                var fields = mock.fields()
                fields[0].1 = token(mock, age: .seconds(age))
                try push(client, fields)
            }
        }),
    Refusal(
        reason: .badEnvironmentKeyInToken,
        authorization: { mock in (try? mock.bearer(mock.key(.environment(.sandbox)))) ?? "" }),
    Refusal(
        reason: .unrelatedKeyIdInToken,
        before: { mock, client in
            try push(client, mock.fields())
        },
        authorization: { mock in
            (try? mock.bearer(mock.key(.topics(["com.example.app"], .production, related: nil)))) ?? ""
        }),
    Refusal(reason: .internalServerError, adjust: { $0.rules.internalErrorAfter = 0 }),
]

@Suite struct ReasonTests {
    /// 2026-11-20T10:00:00Z.
    private static let since = 1_795_168_800_000

    private func expect(_ reply: Reply, _ reason: Reason, timestamp: Int?) {
        #expect(reply.status == Int(reason.status))
        #expect(reply.fields.map(\.name) == ["apns-id"])
        let tail = timestamp.map { #","timestamp":\#($0)"# } ?? ""
        #expect(reply.text == #"{"reason":"\#(reason.word)"\#(tail)}"#)
    }

    @Test(arguments: refusals) func `a request causes its refusal`(refusal: Refusal) throws {
        try withMock(refusal.adjust) { mock in
            let client = try mock.provider()
            try refusal.before(mock, client)
            var fields = mock.fields()
            if let authorization = refusal.authorization { fields[0].1 = authorization(mock) }
            for (name, value) in refusal.changes {
                let place = try #require(fields.firstIndex { $0.0 == name })
                if let value { fields[place].1 = value } else { fields.remove(at: place) }
            }
            let reply = try client.ask(refusal.method, refusal.path, fields + refusal.adds, body: refusal.body)
            expect(reply, refusal.reason, timestamp: refusal.reason.status == 410 ? Self.since : nil)
        }
    }

    /// Reasons that no request causes by itself: the provider's own troubles, and bad certificates, which are
    /// told by GOAWAY (see `CertificateConnectionTests`).
    @Test(arguments: Reason.allCases.filter { reason in !refusals.contains { $0.reason == reason } })
    func `a fault causes the others`(reason: Reason) throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"respond":{"reason":"\#(reason.word)"}}}"#)
            let reply = try mock.provider().ask(
                "POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
            expect(reply, reason, timestamp: nil)
        }
    }
}
