// Provider keys of every kind over real connections (docs/apns.md §8), and how the mock learns of them.

import APNs
import Basics
import EventLoop
import MockServer
import Net
import Pushes
import TLS
import Testing

extension TestMock {
    /// `authorization` with a token signed by that key now.
    func bearer(_ key: CredentialList.Key, age: Interval = .zero) throws -> String {
        let pem = try P256PrivateKey(pem: readText(service.credentials.store.path(of: key.file)) ?? "")
        return "bearer "
            + ProviderToken.sign(
                keyID: key.record.keyID, teamID: key.record.teamID, issuedAt: SystemTime().wall() - age,
                signer: pem.sign)
    }

    func push(_ client: TestClient, _ authorization: String, topic: String = "com.example.app") throws -> String {
        let reply = try client.ask(
            "POST", "/3/device/" + TestMock.device, [("authorization", authorization), ("apns-topic", topic)], body: alert)
        return reply.status == 200 ? "200" : reply.json["reason"]?.string ?? reply.text
    }

    func key(_ scope: KeyScope, team: String? = nil) throws -> CredentialList.Key {
        try service.credentials.makeKey(scope, teamID: team)
    }
}

@Suite struct ProviderKeyConnectionTests {
    private func withBoth(_ body: (TestMock) throws -> Void) throws {
        try withMock({ $0.sandbox = SocketAddress(host: "127.0.0.1", port: 0) }, body)
    }

    @Test func `a classic key is good in both environments, one bound to sandbox only there`() throws {
        try withBoth { mock in
            let sandbox = try mock.provider(at: mock.service.coordinates.sandbox)
            let team = try mock.bearer(try mock.key(.team))
            let bound = try mock.bearer(try mock.key(.environment(.sandbox)))
            #expect(try mock.push(mock.provider(), bound) == "BadEnvironmentKeyInToken")
            #expect(try mock.push(sandbox, bound) == "200")
            #expect(try mock.push(sandbox, team) == "200")
            _ = try mock.admin.ask("DELETE", "/v1/tokens/" + TestMock.device)
            #expect(try mock.push(mock.provider(), team) == "200")
        }
    }

    @Test func `only a topic-specific key's relative shares its connection`() throws {
        try withBoth { mock in
            let app = "com.example.app"
            let first = try mock.key(.topics([app], .production, related: nil))
            let relative = try mock.key(.topics([app], .production, related: first.record.keyID))
            let stranger = try mock.key(.topics([app], .production, related: nil))
            let client = try mock.provider()
            let token = try mock.bearer(first)
            #expect(try mock.push(client, token) == "200")
            #expect(try mock.push(client, token, topic: "com.example.other") == "TopicDisallowed")
            #expect(try mock.push(client, try mock.bearer(relative)) == "200")
            let other = try mock.provider()
            #expect(try mock.push(other, token) == "200")
            #expect(try mock.push(other, try mock.bearer(stranger)) == "UnrelatedKeyIdInToken")
            let third = try mock.provider()
            #expect(try mock.push(third, token) == "200")
            #expect(try mock.push(third, mock.authorization) == "UnrelatedKeyIdInToken")
            let fourth = try mock.provider()
            #expect(try mock.push(fourth, mock.authorization) == "200")
            #expect(try mock.push(fourth, token) == "UnrelatedKeyIdInToken")
        }
    }

    @Test func `a second team on a connection is InvalidProviderToken`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let other = try mock.bearer(try mock.key(.team, team: "OTHERTEAM1"))
            #expect(try mock.push(client, mock.authorization) == "200")
            #expect(try mock.push(client, other) == "InvalidProviderToken")
            #expect(try mock.push(client, mock.authorization) == "200")
            #expect(try mock.push(mock.provider(), other) == "200")
        }
    }

    @Test func `a revoked key is InvalidProviderToken at once, also on a connection that used it`() throws {
        try withMock { mock in
            let key = try mock.key(.team)
            let token = try mock.bearer(key)
            let client = try mock.provider()
            #expect(try mock.push(client, token) == "200")
            #expect(try mock.admin.ask("DELETE", "/v1/keys/" + key.record.keyID).status == 204)
            #expect(try mock.push(client, token) == "InvalidProviderToken")
            #expect(try mock.admin.ask("DELETE", "/v1/keys/" + key.record.keyID).status == 404)
            #expect(try mock.service.credentials.revoke(mock.service.coordinates.keyID))
            #expect(try mock.push(mock.provider(), mock.authorization) == "InvalidProviderToken")
        }
    }

    @Test func `a topic added to a key later needs a new connection`() throws {
        try withMock { mock in
            let key = try mock.key(.topics(["com.example.app"], .production, related: nil))
            let client = try mock.provider()
            let token = try mock.bearer(key)
            #expect(try mock.push(client, token) == "200")
            try mock.service.credentials.changeKey(
                key.record.keyID, to: .topics(["com.example.app", "com.example.new"], .production, related: nil))
            #expect(try mock.push(client, token, topic: "com.example.new") == "TopicDisallowed")
            #expect(try mock.push(mock.provider(), token, topic: "com.example.new") == "DeviceTokenNotForTopic")
        }
    }

    @Test func `the update rule may count all connections of a peer and team`() throws {
        try withMock({ $0.rules.tokenUpdateScope = .peerAndTeam }) { mock in
            let key = try mock.key(.team)
            let reasons = try (0..<3).map { try mock.push(mock.provider(), mock.bearer(key, age: .seconds(Double($0)))) }
            #expect(reasons == ["200", "200", "TooManyProviderTokenUpdates"])
            let stranger = try mock.bearer(try mock.key(.team, team: "OTHERTEAM1"))
            #expect(try mock.push(mock.provider(), stranger) == "200")
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            #expect(try mock.push(mock.provider(), mock.bearer(key, age: .seconds(3))) == "200")
        }
    }

    @Test func `a mock whose clock is ahead finds a good token too old`() throws {
        for (skew, expected) in [(3_700.0, "ExpiredProviderToken"), (3_500, "200"), (-3_700, "ExpiredProviderToken")] {
            try withMock({ $0.clockSkew = .seconds(skew) }) { mock in
                let answer = try mock.push(mock.provider(), mock.authorization)
                #expect(answer == expected)
            }
        }
    }

    // MARK: How they are made

    @Test func `the admin API makes a key and gives it out`() throws {
        try withMock { mock in
            let body = #"{"kind":"topic","environment":"production","topics":["com.example.app"]}"#
            let reply = try mock.admin.ask("POST", "/v1/keys", [("content-type", "application/json")], body: body)
            #expect(reply.status == 201)
            let keyID = try #require(reply.json["keyId"]?.string)
            let pem = try P256PrivateKey(pem: try #require(reply.json["privateKey"]?.string))
            let token = ProviderToken.sign(
                keyID: keyID, teamID: mock.service.coordinates.teamID, issuedAt: SystemTime().wall(), signer: pem.sign)
            #expect(try mock.push(mock.provider(), "bearer " + token) == "200")
            let listed = try mock.admin.ask("GET", "/v1/keys").json
            #expect(listed["keys"]?.array?.map { $0["keyId"]?.string } == [mock.service.coordinates.keyID, keyID])
            for (bad, hint) in [
                (#"{"kind":"environment"}"#, "with production or sandbox"), (#"{"kind":"tea"}"#, "kinds are team"),
                (#"{"kind":"topic","environment":"sandbox","topics":[]}"#, "1 to 400"),
                (#"{"kind":"topic","environment":"sandbox","topics":["a"],"relatedKeyId":"X"}"#, "make it first"),
                (#"{"kind":"topic","environment":"sandbox","topics":["a.b.voip"]}"#, "without suffix"),
            ] {
                let refused = try mock.admin.ask("POST", "/v1/keys", [("content-type", "application/json")], body: bad)
                #expect(refused.status == 400 && refused.json["error"]?["hint"]?.string?.contains(hint) == true, "\(bad)")
            }
        }
    }

    @Test func `a running mock takes what another process puts into its directory, a later one finds it`() throws {
        try withDirectory { directory in
            let mock = try TestMock(directory + "/state", { _ in })
            // As `pushrig keys` does it: without the mock.
            let store = try CredentialStore(directory: directory + "/state")
            let key = try store.makeKey(.team)
            let certificate = try store.makeCertificate(CertificateRequest(topics: ["com.example.app"]))
            for name in [key.file, certificate.file, certificate.keyFile, certificate.pkcs12File, "credentials.json"] {
                #expect(mode(of: directory + "/state/" + name) == 0o600, "\(name)")
            }
            let deadline = now() + .seconds(5)
            var answer = ""
            while now() < deadline, answer != "200" { answer = try mock.push(mock.provider(), mock.bearer(key)) }
            #expect(answer == "200")
            #expect(mock.service.credentials.list == (try store.list()))
            mock.stop()
            let later = try TestMock(directory + "/state", { _ in })
            defer { later.stop() }
            #expect(try later.push(later.provider(), later.bearer(key)) == "200")
        }
    }

    @Test func `credentials can be made before the first start`() throws {
        try withDirectory { directory in
            let key = try CredentialStore(directory: directory + "/state", seed: Seed(5)).makeKey(.environment(.production))
            let mock = try TestMock(directory + "/state") { $0.seed = Seed(5) }
            defer { mock.stop() }
            #expect(key.record.teamID == mock.service.coordinates.teamID)
            #expect(try mock.push(mock.provider(), mock.bearer(key)) == "200")
        }
    }

    @Test func `a team with many keys of 400 topics fits into the file`() throws {
        try withDirectory { directory in
            let store = try CredentialStore(directory: directory + "/state")
            let first = try store.identity()
            let topics = (0..<400).map { JSONValue.string("com.example.a-rather-long-name-of-an-app.number\($0)") }
            let keys = (0..<80).map { number -> JSONValue in
                [
                    "keyId": .string("TOPICKEY\(10 + number)"), "teamId": .string(first.teamID), "kind": "topic",
                    "environment": "production", "topics": .array(topics), "relatedKeyId": .null,
                    "file": .string("AuthKey_\(first.keyID).p8"),
                ]
            }
            let text = JSONValue.object(["keys": .array(keys)]).text
            #expect(text.utf8.count > 1 << 20)
            try write(text, to: directory + "/state/credentials.json")
            let mock = try TestMock(directory + "/state", { _ in })
            defer { mock.stop() }
            #expect(mock.service.credentials.list.keys.count == 80)
        }
    }

    @Test func `a broken file stops a start, and not a running mock`() throws {
        try withDirectory { directory in
            let mock = try TestMock(directory + "/state", { _ in })
            let key = try mock.key(.team)
            try write("{\"keys\":[{}]}", to: directory + "/state/credentials.json")
            mock.service.credentials.refresh()
            #expect(mock.service.credentials.trouble?.message.contains("/keys/0") == true)
            let listed = try mock.admin.ask("GET", "/v1/keys").json
            #expect(listed["trouble"]?.string?.contains("credentials.json") == true)
            #expect(try mock.push(mock.provider(), mock.bearer(key)) == "200")
            mock.stop()
            let failure = #expect(throws: Failure.self) { try TestMock(directory + "/state", { _ in }) }
            #expect(failure?.place == directory + "/state/credentials.json")
        }
    }
}
