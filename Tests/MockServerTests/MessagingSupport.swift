// A mock FCM for one test, and a sender with its service account.

import Basics
import EventLoop
import MockServer
import Net
import TLS

/// A mock that plays FCM as well, and what a sender has of it.
struct MessagingMock {
    static let token = "dGVzdC1pbnN0YW5jZQ:APA91bOne"
    static let project = "pushrig-mock"
    static let sends = "/v1/projects/\(project)/messages:send"

    let mock: TestMock
    let account: JSONValue
    let key: RSAPrivateKey

    init(_ mock: TestMock) throws {
        self.mock = mock
        account = try JSONValue(parsing: readText(mock.service.coordinates.serviceAccount ?? "") ?? "null")
        key = try RSAPrivateKey(pem: account["private_key"]?.string ?? "")
    }

    func client(_ version: ClientConfiguration.Version = .http2) throws -> TestClient {
        guard let address = mock.service.coordinates.fcm else { throw Failure(.run, "there is no FCM") }
        let tls = TLSClientSettings(caFile: mock.service.coordinates.ca, serverName: "fcm.googleapis.com")
        return try TestClient(
            Origin(isTLS: true, host: address.host, port: address.port), ClientConfiguration(version: version, tls: tls))
    }

    /// A signed assertion; `claims` and `head` stand in the place of what is right.
    func assertion(_ claims: JSONObject = [:], head: JSONObject = [:], signedBy other: RSAPrivateKey? = nil) -> String {
        let now = SystemTime().wall().seconds
        var all: JSONObject = [
            "iss": account["client_email"] ?? .null, "scope": "https://www.googleapis.com/auth/firebase.messaging",
            "aud": "https://oauth2.googleapis.com/token", "iat": .integer(now), "exp": .integer(now + 3_600),
        ]
        for (name, value) in claims { all[name] = value.isNull ? nil : value }
        var top: JSONObject = ["alg": "RS256", "typ": "JWT", "kid": account["private_key_id"] ?? .null]
        for (name, value) in head { top[name] = value.isNull ? nil : value }
        let parts = [top, all].map { Base64URL.encode(JSONValue.object($0).encoded().span) }.joined(separator: ".")
        let signature = (other ?? key).sign(Array(parts.utf8).span, .sha256)
        return "\(parts).\(Base64URL.encode(signature.span))"
    }

    static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    func ask(_ client: TestClient, assertion: String, grant: String = Self.grant) throws -> Reply {
        try client.ask(
            "POST", "/token", [("content-type", "application/x-www-form-urlencoded")],
            body: "grant_type=\(grant)&assertion=\(assertion)")
    }

    /// The fields of a send, with an access token of its own.
    func fields(_ client: TestClient) throws -> [(String, String)] {
        let token = try ask(client, assertion: assertion()).json["access_token"]?.string ?? ""
        return [("authorization", "Bearer \(token)"), ("content-type", "application/json")]
    }

    static func body(_ members: String = "", to target: String = #""token":"\#(token)""#) -> String {
        #"{"message":{\#(target),"data":{"k":"v"}\#(members)}}"#
    }
}

func withMessaging(
    _ adjust: (inout MockOptions) -> Void = { _ in }, _ body: (MessagingMock) throws -> Void
) throws {
    try withMock({ options in
        options.fcm = SocketAddress(host: "127.0.0.1", port: 0)
        adjust(&options)
    }) { try body(MessagingMock($0)) }
}
