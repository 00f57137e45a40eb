// `auth` in a file: what is read, and what is told of a mistake.

import Basics
import Foundation
import Scenarios
import Testing

@Suite("auth")
struct AuthTests {
    private static let place = "topic: com.example.app"

    private static func with(_ auth: String) -> String {
        Sample.with(place, place + "\n    auth: " + auth)
    }

    @Test("is every call's, unless a call has its own or none")
    func inheritance() throws {
        let text = Sample.with(Self.place, Self.place + "\n    auth: { bearer: \"{{secret}}\" }")
        let own = text.split(separator: "path: /register").joined(separator: "auth: none\n        path: /register")
        let calls = try Sample.load(own).relay.profile.calls
        #expect(calls.map { $0.auth == nil } == [true, false])
        #expect(calls[1].auth?.headers == ["authorization"] && calls[1].auth?.isSpoilt == false)
        let spoilt = text.split(separator: "path: /register").joined(separator: "auth: { spoil: true }\n        path: /register")
        #expect(try Sample.load(spoilt).relay.profile.calls.map { $0.auth?.isSpoilt } == [true, false])
    }

    @Test("may be of an earlier time, which is wrong on purpose too, where it has a time")
    func age() throws {
        func text(_ auth: String, _ spoil: String) -> String {
            Self.with(auth).split(separator: "path: /register")
                .joined(separator: "auth: { spoil: \(spoil) }\n        path: /register")
        }
        let jwt = #"{ jwt: { key: "{{secret}}" } }"#
        #expect(try Sample.load(text(jwt, "10m")).relay.profile.calls.map { $0.auth?.isSpoilt } == [true, false])
        #expect(
            Sample.complaint(text(#"{ bearer: "{{secret}}" }"#, "10m")) == "tiny.yaml:11:24: a `bearer` has no time, so it is of none"
                + " long ago (write `spoil: true`, or sign with a time: `hmac` with `timestamp`, `jwt`, `sigv4`)")
        let timeless = text(#"{ hmac: { key: "{{secret}}", over: [body], header: s } }"#, "10m")
        #expect(Sample.complaint(timeless).hasPrefix("tiny.yaml:11:24: a `hmac` without `timestamp` has no time"))
        #expect(Sample.complaint(text(jwt, "soon")).hasPrefix("tiny.yaml:11:24: `spoil` must be true, false or a duration"))
        #expect(Sample.complaint(text(jwt, "0s")).hasPrefix("tiny.yaml:11:24: `spoil` must be a duration from 1s"))
    }

    @Test("takes a captured value out of the record where it is in no body")
    func secretCaptures() throws {
        func names(_ body: String) throws -> CapturedNames {
            let text = Sample.with(
                "registers: [deviceToken, activityToken]",
                "captures: { token: /token, id: /id }\n        auth: none\n        registers: [deviceToken, activityToken]")
            let auth = text.split(separator: Self.place).joined(separator: Self.place + "\n    auth: { bearer: \"{{token}}\" }")
            let whole = auth.split(separator: #"extra: "{{extra|json}}""#).joined(separator: #"extra: "{{extra|json}}", "# + body)
            return try Sample.load(whole).relay.profile.secretCaptures
        }
        #expect(try names(#"id: "{{id}}""#) == [CapturedNames(0)])
        let text = Sample.with(
            "registers: [deviceToken, activityToken]",
            "captures: { token: /token }\n        registers: [deviceToken, activityToken]")
        let inHeader = text.split(separator: "path: /update/").joined(separator: "headers: { x: \"{{token}}\" }\n        path: /update/")
        #expect(try Sample.load(inHeader).relay.profile.secretCaptures == [CapturedNames(0)])
        let inPath = text.split(separator: "path: /update/").joined(separator: "path: /update/{{token}}/")
        #expect(try Sample.load(inPath).relay.profile.secretCaptures == [])
        #expect(try names(#"id: "{{id}} {{token}}""#) == [])
        #expect(try names(#"id: "{{id}}", t: "{{token|optional}}""#) == [])
    }

    @Test(
        "is told what is wrong with it",
        arguments: [
            ("{}", "7:11: `auth` does not say how (write one of bearer, basic, header, hmac, jwt, sigv4, oauth2)"),
            (
                "{ bearer: abc }",
                "7:21: `bearer` holds a secret, which has no place in a file that the journal keeps"
                    + " (write `{ env: NAME }`, `{ file: PATH }` or a variable such as `{{secret}}`)"
            ),
            (
                #"{ bearer: "{{secret}}", header: { name: a, value: "{{secret}}" } }"#,
                "7:43: `auth` has `bearer` or `header`, not both (strike one)"
            ),
            (
                #"{ bearer: { join: ["a", ":"] } }"#,
                "7:21: `bearer` holds a secret, which has no place in a file that the journal keeps"
                    + " (one part at least is `{ env: NAME }`, `{ file: PATH }` or a variable such as `{{secret}}`)"
            ),
            (
                #"{ hmac: { key: "{{secret}}", over: [{ header: X-Id }], header: s } }"#,
                "11:9: the header `x-id` is signed, but not sent, here and in 1 more place (add it to `headers`, such as `x-id: \"{{uuid}}\"`)"
            ),
            (
                #"{ hmac: { key: "{{secret}}", over: [{ header: a, text: b }], header: s } }"#,
                "7:47: a part of `over` is `text` or a `header` (write one of them, such as `{ header: webhook-id }`)"
            ),
            (#"{ bearer: "{{secre}}" }"#, "7:21: unknown variable `secre` (did you mean `secret`?)"),
            (
                "{ bearer: { env: PUSHRIG_NO_SUCH_VARIABLE } }",
                "7:28: the environment variable `PUSHRIG_NO_SUCH_VARIABLE` is not set (export it before pushrig starts)"
            ),
            (
                "{ bearer: { file: no-such.key } }",
                "7:29: cannot read the secret's file `no-such.key`: No such file or directory"
                    + " (it is looked for beside the file that names it)"
            ),
            (
                "{ bearer: { env: A, file: b } }",
                "7:21: a secret comes from one place (write `{ env: NAME }` or `{ file: PATH }`)"
            ),
            ("{ basic: { user: me } }", "7:20: `authBasic` lacks `password` (add `password: { env: RELAY_PASSWORD }`)"),
            (
                #"{ basic: { user: "a:b", password: "{{secret}}" } }"#,
                "7:28: a `user` holds no colon, which ends it (RFC 7617) (strike it)"
            ),
            (
                #"{ header: { name: "X Key", value: "{{secret}}" } }"#,
                "7:29: a call cannot set the header `X Key` (letters, digits, - and _)"
            ),
            (
                #"{ header: { name: Host, value: "{{secret}}" } }"#,
                "7:29: a call cannot set the header `Host` (it is written by the rig)"
            ),
            (#"{ hmac: { over: [body], header: s } }"#, "7:19: `hmac` lacks `key` (add `key: { env: RELAY_KEY }`)"),
            (
                #"{ hmac: { key: "{{secret}}", over: [body], header: s, algorithm: sha3 } }"#,
                "7:76: `sha3` is no value of `algorithm` ("
            ),
            (
                #"{ hmac: { key: "{{secret}}", over: [bdoy], header: s } }"#,
                "7:47: `bdoy` is nothing that `over` knows (body, timestamp, method, path, resource, parameters, digest, `{ header: NAME }`, or `{ text: \"…\" }`)"
            ),
            (
                #"{ hmac: { key: "{{secret}}", over: [timestamp], header: s } }"#,
                "7:46: the timestamp is signed, but not sent (add `timestamp: { header: X-Timestamp, unit: s }`)"
            ),
            (
                #"{ hmac: { key: "{{secret}}", over: [body], header: s, timestamp: { header: t } } }"#,
                "7:76: the timestamp is sent, but not signed: `over` does not name it (add `timestamp` to `over`)"
            ),
            (
                #"{ jwt: { key: "{{secret}}", claims: { iat: 1 } } }"#,
                "7:49: `iat` is written for each token (strike it; `lifetime` says how long one is valid)"
            ),
            (
                #"{ jwt: { key: "{{secret}}", algorithm: ES256 } }"#,
                "7:25: ES256 signs with a private key on P-256, as PEM (write `key: { file: PATH }`)"
            ),
            (
                "{ oauth2: { tokenURL: token, clientID: a, clientSecret: { env: PATH } } }",
                "7:33: `tokenURL` must be a path of the relay, or http://host:port/path, not `token`"
                    + " (such as `tokenURL: /oauth/token`)"
            ),
            (
                #"{ oauth2: { tokenURL: "https://me:pw@host/t", clientID: a, clientSecret: { env: PATH } } }"#,
                "7:33: `tokenURL` must be a path of the relay"
            ),
            (
                #"{ oauth2: { tokenURL: /t, clientID: a, clientSecret: "{{secret}}" } }"#,
                "7:64: `secret` must be a mapping, not the text `{{secret}}` (such as `{ env: RELAY_KEY }`)"
            ),
            (
                #"{ oauth2: { tokenURL: /t, clientID: "{{serverID}}", clientSecret: { env: PATH } } }"#,
                "7:47: `clientID` must be one line of text without variables, not the text `{{serverID}}` (such as `clientID: me`)"
            ),
            (
                "{ oauth2: { tokenURL: /t, clientID: a, clientSecret: { env: PATH }, style: body } }",
                "7:86: `body` is no value of `style` ("
            ),
            (
                #"{ jwt: { key: "{{secret}}", algorithm: XS256 } }"#,
                "7:50: `XS256` is no value of `algorithm` ("
            ),
        ])
    func mistakes(auth: String, says: String) {
        let complaint = Sample.complaint(Self.with(auth))
        #expect(complaint.hasPrefix("tiny.yaml:" + says), "\(complaint)")
        #expect(complaint.split(separator: "\n").count == 1, "\(complaint)")
    }

    @Test("of a call is no second one beside its headers, and none to spoil where there is none")
    func ofCalls() {
        let both = Sample.with("path: /register", "path: /register\n        auth: { bearer: \"{{secret}}\" }\n        headers: { Authorization: x }")
        #expect(
            Sample.complaint(both) == "tiny.yaml:12:20: the header `authorization` is written by `auth`"
                + " (strike it from `headers`, or add `auth: none`)")
        let own = Sample.with("path: /register", "path: /register\n        auth: { bearer: \"{{k}}\" }\n        variables: { k: abc }")
        #expect(Sample.complaint(own).hasPrefix("tiny.yaml:11:25: `bearer` holds a secret, which has no place in a file"))
        let none = Sample.with("path: /register", "path: /register\n        auth: { spoil: true }")
        #expect(
            Sample.complaint(none) == "tiny.yaml:11:15: there is no `auth` of the profile that could be spoilt"
                + " (say here how the call is authenticated)")
    }

    @Test("says nothing of a secret that it refuses")
    func silent() throws {
        let path = NSTemporaryDirectory() + "/pushrig-secret-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path) }
        for (secret, auth, says) in [
            ("hush\u{1}hush", "{ bearer: { file: \(path) } }", "the secret holds a control character"),
            ("hush", "{ bearer: { file: \(path), as: hex } }", "the secret is not in hex"),
            ("", "{ bearer: { file: \(path) } }", "the secret is empty"),
            (String(repeating: "hush", count: 1_025), "{ bearer: { file: \(path) } }", "the secret is longer than 4096 bytes"),
            ("hush", "{ jwt: { algorithm: ES256, key: { file: \(path) } } }", "not a PEM private key"),
        ] {
            try secret.write(toFile: path, atomically: true, encoding: .utf8)
            let complaint = Sample.complaint(Self.with(auth))
            #expect(complaint.contains(says) && !complaint.contains("hush"), "\(complaint)")
        }
    }

    @Test("needs no secret where a saved run is read again")
    func again() throws {
        let text = Self.with("{ hmac: { key: { env: PUSHRIG_NO_SUCH_VARIABLE }, over: [body], header: s } }")
        let scenario = try Scenario.load([SourceText(path: "tiny.yaml", text: text)])
        #expect(scenario.relay.profile.calls.allSatisfy { $0.auth != nil })
    }
}
