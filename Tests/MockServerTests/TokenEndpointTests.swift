// The token endpoint of the mock FCM (docs/fcm.md §1.3).

import Basics
import EventLoop
import Journal
import MockServer
import Net
import OperatingSystem
import TLS
import Testing

@Suite("The token endpoint")
struct TokenEndpointTests {
    @Test("gives an access token for a signed assertion, and has that on record")
    func grant() throws {
        try withMessaging { fcm in
            let client = try fcm.client(.http1)
            let reply = try fcm.ask(client, assertion: fcm.assertion())
            #expect(reply.status == 200)
            #expect(reply.json["access_token"]?.string?.hasPrefix("ya29.") == true)
            #expect(reply.json["expires_in"]?.int == 3_599)
            #expect(reply.json["token_type"]?.string == "Bearer")
            let own = try #require(fcm.mock.service.coordinates.tokenURL)
            #expect(try fcm.ask(client, assertion: fcm.assertion(["aud": .string(own)])).status == 200)
            #expect(try fcm.ask(client, assertion: fcm.assertion(head: ["kid": .null])).status == 200, "some send no kid")
            #expect(try fcm.notes(.accessToken).map { $0["status"]?.int } == [200, 200, 200])
        }
    }

    @Test("says why it gives none")
    func refusals() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let now = SystemTime().wall().seconds
            func said(_ assertion: String, grant: String = MessagingMock.grant) throws -> (Int, String?, String?) {
                let reply = try fcm.ask(client, assertion: assertion, grant: grant)
                return (reply.status, reply.json["error"]?.string, reply.json["error_description"]?.string)
            }
            let times =
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                + "Check your iat and exp values in the JWT claim."
            #expect(
                try said(fcm.assertion(signedBy: RSAPrivateKey())) == (400, "invalid_grant", "Invalid JWT Signature."))
            #expect(try said(fcm.assertion(head: ["alg": "none"])) == (400, "invalid_grant", "Invalid JWT Signature."))
            #expect(try said(fcm.assertion(head: ["alg": "HS256"])) == (400, "invalid_grant", "Invalid JWT Signature."))
            #expect(try said(fcm.assertion(head: ["kid": "other"])) == (400, "invalid_grant", "Invalid JWT Signature."))
            #expect(try said(fcm.assertion(head: ["crit": ["x"], "x": 1])) == (400, "invalid_grant", "Invalid JWT Signature."))
            #expect(
                try said(fcm.assertion(["iss": "nobody@example.com"]))
                    == (400, "invalid_grant", "Invalid grant: account not found"))
            #expect(
                try said(fcm.assertion(["aud": "https://example.com"]))
                    == (400, "invalid_grant", "Invalid JWT: Failed audience check."))
            for claims: JSONObject in [
                ["iat": .integer(now - 4_000), "exp": .integer(now - 400)], ["iat": .integer(now + 400)],
                ["exp": .integer(now + 4_000)], ["exp": .null], ["iat": "now"], ["exp": .integer(now - 1)],
                ["iat": .number(1e300), "exp": .number(1e301)],
            ] {
                #expect(try said(fcm.assertion(claims)) == (400, "invalid_grant", times), "\(claims)")
            }
            #expect(try said(fcm.assertion(["scope": "everything"])).1 == "invalid_scope")
            #expect(try said(fcm.assertion(), grant: "password").1 == "unsupported_grant_type")
            for text in ["", "a.b", "a.b.c", "....", String(repeating: "x", count: 20_000)] {
                #expect(try said(text).0 == 400)
            }
            let nothing = try client.ask("POST", "/token", [], body: "")
            #expect(nothing.status == 400 && nothing.json["error"]?.string == "invalid_request")
        }
    }

    @Test("takes a form by POST, and nothing else")
    func form() throws {
        try withMessaging { fcm in
            let client = try fcm.client(.http1)
            let body = "grant_type=\(MessagingMock.grant)&assertion=\(fcm.assertion())"
            for type in ["application/x-www-form-urlencoded; charset=UTF-8", "Application/X-WWW-Form-Urlencoded"] {
                #expect(try client.ask("POST", "/token", [("content-type", type)], body: body).status == 200, "\(type)")
            }
            for type in ["application/json", "text/plain", ""] {
                let reply = try client.ask("POST", "/token", [("content-type", type)], body: body)
                #expect(reply.status == 400 && reply.json["error"]?.string == "invalid_request", "\(type)")
            }
            for method in ["GET", "PUT", "DELETE"] {
                let fields = [("content-type", "application/x-www-form-urlencoded")]
                let reply = try client.ask(method, "/token", fields, body: method == "PUT" ? body : "")
                #expect(reply.status == 404 && reply.text.contains("<code>/token</code>"), "\(method)")
            }
            let told = try fcm.notes(.accessToken).map { $0["status"]?.int }
            #expect(told == [200, 200, 400, 400, 400, 404, 404, 404])
        }
    }

    @Test("a token without the scope of messaging, or of another project, sends nothing")
    func scopes() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let scope: JSONObject = ["scope": "https://www.googleapis.com/auth/devstorage.read_only"]
            let narrow = try fcm.ask(client, assertion: fcm.assertion(scope)).json["access_token"]?.string ?? ""
            let refused = try client.ask(
                "POST", MessagingMock.sends, [("authorization", "Bearer \(narrow)")], body: MessagingMock.body())
            #expect(refused.status == 403)
            #expect(
                refused.json["error"]?["details"]?.array?[0]["reason"]?.string == "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
            let fields = try fcm.fields(client)
            let other = try client.ask(
                "POST", "/v1/projects/other/messages:send", fields, body: MessagingMock.body())
            #expect(other.status == 403)
            #expect(
                other.json["error"]?["message"]?.string
                    == "Permission 'cloudmessaging.messages.create' denied on resource "
                    + "'//cloudresourcemanager.googleapis.com/projects/other' (or it may not exist).")
            let made = try client.ask(
                "POST", MessagingMock.sends, [("authorization", "Bearer ya29.made-up")], body: MessagingMock.body())
            #expect(made.status == 401)
        }
    }

    @Test("an account that was made beside the mock's own sends to its project, until it is revoked")
    func accounts() throws {
        try withMessaging { fcm in
            let store = try ServiceAccountStore(state: fcm.mock.directory)
            let made = try store.make(project: "shop-two", name: "sender", tokenURL: nil)
            #expect(mode(of: made.file) == 0o600)
            let file = try JSONValue(parsing: readText(made.file) ?? "")
            #expect(file["type"]?.string == "service_account" && file["project_id"]?.string == "shop-two")
            let key = try RSAPrivateKey(pem: file["private_key"]?.string ?? "")
            let (head, claims): (JSONObject, JSONObject) = (["kid": .string(made.keyID)], ["iss": .string(made.email)])
            let client = try fcm.client()
            let token = try fcm.ask(client, assertion: fcm.assertion(claims, head: head, signedBy: key)).json["access_token"]
            let fields = [("authorization", "Bearer \(token?.string ?? "")"), ("content-type", "application/json")]
            let own = try client.ask("POST", "/v1/projects/shop-two/messages:send", fields, body: MessagingMock.body())
            #expect(own.status == 200)
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 403)
            #expect(try store.revoke(made.email) && !store.revoke(made.email))
            let revoked = try fcm.ask(client, assertion: fcm.assertion(claims, head: head, signedBy: key))
            #expect(revoked.status == 400 && revoked.json["error_description"]?.string == "Invalid grant: account not found")
            #expect(try fcm.ask(client, assertion: fcm.assertion()).status == 200, "the mock's own is good")
        }
    }

    @Test("what is no account in its folder keeps the mock from starting, and says which file")
    func noAccount() throws {
        try withDirectory { directory in
            let state = directory + "/state"
            _ = try ServiceAccountStore(state: state).make(project: "shop", name: "a", tokenURL: nil)
            try FileSystem.replace(state + "/service-accounts/broken.json", with: Array("{}".utf8).span, mode: 0o600)
            let failure = #expect(throws: Failure.self) {
                _ = try TestMock(state) { $0.fcm = SocketAddress(host: "127.0.0.1", port: 0) }
            }
            #expect(failure?.place?.hasSuffix("broken.json") == true)
        }
    }

    @Test("a name of an account is a part of its address", arguments: ["", "A", "../x", "-a", "a b"])
    func names(_ name: String) throws {
        try withDirectory { directory in
            #expect(throws: Failure.self) {
                try ServiceAccountStore(state: directory).make(project: "shop", name: name, tokenURL: nil)
            }
        }
    }

    @Test("what google-auth asks beside its work does no harm")
    func backgroundCall() throws {
        try withMessaging { fcm in
            let path = "/v1/projects/-/serviceAccounts/relay@x/allowedLocations"
            let client = try fcm.client()
            #expect(try client.ask("GET", path).status == 404)
            let sends = try fcm.mock.journal()
            #expect(sends.isEmpty, "it is no send")
        }
    }
}

extension MessagingMock {
    func notes(_ kind: NoteKind) throws -> [JSONValue] {
        var notes: [JSONValue] = []
        _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
            if case .note(let note) = entry, note.kind == kind { notes.append((try? JSONValue(parsing: note.text)) ?? .null) }
            return true
        }
        return notes
    }
}
