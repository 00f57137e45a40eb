// Webhooks over real connections: what is put on record of them, and what they are answered.

import Basics
import EventLoop
import Glibc
import HTTP
import Journal
import Net
import OperatingSystem
@testable import Planning
import Pushes
import Scenarios
import TLS
import Testing

@testable import LoadGenerator

/// Posts one request after the other.
private final class Poster {
    let pool: ClientPool

    init(_ pool: ClientPool) { self.pool = pool }
}

@Suite("A webhook")
struct WebhookTests {
    private static let scenario = """
        name: hooked
        relay:
          url: "http://127.0.0.1:1"
          profile:
            topic: com.example.app
            calls:
              end: { path: /end, json: { text: "{{marker}}" } }
              register: { path: /hooks, json: { url: "{{webhook}}" }, captures: { hookSecret: /secret } }
            webhooks:
              PLACES
              MORE
        workload:
          arrivals: [{ rate: 4, for: 1s }]
          scripts: [{ script: { steps: [{ call: end }] } }]
        """
    private static let key = "a key of this test"
    private static let hmacOver = """
        signature: { hmac: { key: { file: FOLDER/key }, over: [timestamp, ".", body], header: X-Signature,
                timestamp: { header: X-Time, unit: s } } }
        """

    /// The statuses of the answers (0: none within half a second), and what was put on record.
    private func post(
        _ requests: [(body: String, fields: [(String, String)])], _ more: String = "answers: []", path: String = "/webhooks",
        method: String = "POST", places: String = "{ event: /type, id: /id, token: /token }", secret: String = key,
        before: ((Int, WatchService) -> Void)? = nil
    ) throws -> (statuses: [Int], notes: [WebhookNote]) {
        try withFolder { folder in
            try FileSystem.replace(folder + "/key", with: secret, mode: 0o600)
            let lines = places.dropFirst(2).dropLast(2).split(separator: ", ").joined(separator: "\n" + String(repeating: " ", count: 6))
            let text = Self.scenario.replacing("PLACES", with: lines).replacing("MORE", with: more.replacing("FOLDER", with: folder))
            let plan = Plan(scenario: try Scenario.parse(text: text, path: "hooked.yaml"), seed: Seed(1), run: 7)
            let watch = try WatchService(plan: plan, journalDirectory: folder)
            let url = try #require(watch.webhook)
            #expect(url.hasPrefix("http://127.0.0.1:") && url.hasSuffix("/webhooks"))
            let origin = try Origin(parsing: String(url.dropLast("/webhooks".count)))
            let thread = try LoopThread(name: "poster") { loop in
                var configuration = ClientConfiguration(version: .http1)
                configuration.requestTimeout = .milliseconds(500)
                return Poster(try ClientPool(loop: loop, origin: origin, configuration: configuration))
            }
            var statuses: [Int] = []
            for (number, request) in requests.enumerated() {
                before?(number, watch)
                let answer = Handover<Int>()
                let (body, fields) = (Array(request.body.utf8), request.fields)
                thread.post { poster in
                    poster.pool.send(OutgoingRequest(method: method, path: path, fields: fields, body: body)) { outcome in
                        if case .response(let response) = outcome { answer.give(response.status) } else { answer.give(0) }
                    }
                }
                statuses.append(answer.take())
            }
            // What was answered is on record already.
            var notes: [WebhookNote] = []
            _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                if case .note(let note) = entry, let webhook = note.webhook { notes.append(webhook) }
                return true
            }
            thread.post { $0.pool.close() }
            thread.stop()
            watch.stop()
            #expect(watch.failure == nil)
            return (statuses, notes)
        }
    }

    private func signature(_ body: String, time: Int64, key: String = key) -> String {
        let (key, message) = (Array(key.utf8), Array("\(time).\(body)".utf8))
        return Hex.encode(hmac(.sha256, key: key.span, message.span).span)
    }

    private var now: Int64 { SystemTime().wall().seconds }

    @Test("is on record with what it says, before it is answered")
    func recorded() throws {
        let marker = Marker(run: 7, session: 0, step: 0)
        let (statuses, notes) = try post([
            (#"{"type":"ended","id":"w1","text":"\#(marker.text)","token":"a1"}"#, []), (#"{"type":"ended","id":5}"#, []), ("no JSON", []),
        ])
        #expect(statuses == [200, 200, 200])
        #expect(notes.map(\.event) == ["ended", "ended", ""] && notes.map(\.id) == ["w1", "5", nil])
        #expect(notes.first?.marker == marker && notes.first?.token == "a1" && notes.allSatisfy { $0.signature == .unasked })
    }

    @Test("is signed over its time and its body")
    func signed() throws {
        let body = #"{"type":"ended","id":"w1"}"#
        let right = signature(body, time: now)
        let old = now - 301
        let (_, notes) = try post(
            [
                (body, [("x-signature", right), ("x-time", String(now))]),
                (body + " ", [("x-signature", right), ("x-time", String(now))]),
                (body, [("x-time", String(now))]),
                (body, [("x-signature", signature(body, time: now, key: "another")), ("x-time", String(now))]),
                (body, [("x-signature", signature(body, time: old)), ("x-time", String(old))]),
                (body, [("x-signature", right)]),
            ], Self.hmacOver)
        // A second may pass between making it and checking it, which the tolerance allows; the body may not change.
        #expect(notes.map(\.signature) == [.right, .wrong, .missing, .wrong, .old, .wrong])
    }

    @Test("may have time and code in one header, and several codes")
    func dated() throws {
        let body = #"{"type":"ended"}"#
        let time = now
        let dated = "t=\(time),v1=\(signature(body, time: time))"
        let (_, notes) = try post(
            [
                (body, [("x-signature", dated)]), (body, [("x-signature", "t=\(time), v1=00, v1=\(signature(body, time: time))")]),
                (body, [("x-signature", "t=\(time - 1),v1=\(signature(body, time: time))")]), (body, [("x-signature", "what")]),
            ], "form: dated\n      " + Self.hmacOver)
        #expect(notes.map(\.signature) == [.right, .right, .wrong, .wrong])
    }

    @Test("may count milliseconds, encode its code as base 64, and call it by another name")
    func labelled() throws {
        let (body, time) = (#"{"type":"ended"}"#, SystemTime().wall().milliseconds)
        let (key, message) = (Array(Self.key.utf8), Array("\(time).\(body)".utf8))
        let code = Base64.encode(hmac(.sha256, key: key.span, message.span).span)
        let form = "form: dated\n      label: s\n      " + Self.hmacOver.replacing("unit: s", with: "unit: ms")
            .replacing("over:", with: "encoding: base64, over:")
        let (_, notes) = try post(
            [(body, [("x-signature", "t=\(time),s=\(code)")]), (body, [("x-signature", "t=\(time),v1=\(code)")])], form)
        #expect(notes.map(\.signature) == [.right, .wrong])
    }

    @Test("may be signed as Standard Webhooks has it: over its id as well, with codes in a list and a key in base 64")
    func standard() throws {
        let (body, time) = (#"{"type":"ended"}"#, now)
        let (key, message) = (Array("some bytes of a key".utf8), Array("msg_1.\(time).\(body)".utf8))
        let code = Base64.encode(hmac(.sha256, key: key.span, message.span).span)
        let fields = [("webhook-id", "msg_1"), ("webhook-timestamp", String(time))]
        func signed(_ value: String, id: String = "msg_1") -> (body: String, fields: [(String, String)]) {
            (body, [("webhook-id", id), ("webhook-timestamp", String(time)), ("webhook-signature", value)])
        }
        let requests = [
            signed("v1,\(code)"), signed("v1a,AAAA v1,BBBB v1,\(code)"), signed(code), signed("v1,\(code)", id: "msg_2"),
            (body, fields),
        ]
        let secret = "whsec_" + Base64.encode(key.span)
        let asStandard = """
            form: listed
                  signature: { hmac: { key: { KEY, prefix: whsec_, as: base64 }, encoding: base64, header: webhook-signature,
                    over: [{ header: webhook-id }, ".", timestamp, ".", body], timestamp: { header: webhook-timestamp } } }
            """
        func post(_ kept: String, before: ((Int, WatchService) -> Void)? = nil) throws -> [WebhookNote] {
            try self.post(
                requests, asStandard.replacing("KEY", with: kept), places: "{ event: /type, id: { header: Webhook-Id } }", secret: secret,
                before: before
            ).notes
        }
        let kept = try post("file: FOLDER/key")
        #expect(kept.map(\.signature) == [.right, .right, .wrong, .wrong, .missing] && kept.first?.id == "msg_1")
        let given = try post(#"value: "{{hookSecret}}""#) { number, watch in
            if number == 0 { watch.secrets(0, Array(secret.utf8)) }
            usleep(50_000)
        }
        #expect(given.map(\.signature) == kept.map(\.signature))
        // What is no base 64 is no key.
        let torn = try post(#"value: "{{hookSecret}}""#) { number, watch in
            if number == 0 { watch.secrets(0, Array("whsec_?".utf8)) }
            usleep(50_000)
        }
        #expect(torn.map(\.signature) == [.wrong, .wrong, .wrong, .wrong, .missing])
    }

    @Test("may have no body: then header and query say what it is about")
    func bodiless() throws {
        let marker = Marker(run: 7, session: 0, step: 0)
        let path = "/webhooks?token=a%201&text=\(marker.text.replacing("[", with: "%5B").replacing("]", with: "%5D"))"
        let (statuses, notes) = try post(
            [("", [("x-event", "ended")])], "method: GET", path: path, method: "GET",
            places: "{ event: { header: X-Event }, token: { parameter: token } }")
        #expect(statuses == [200] && notes.map(\.event) == ["ended"] && notes.first?.token == "a 1" && notes.first?.marker == marker)
        let always = try post([("", [])], method: "GET", places: "{ event: { word: token.dead }, method: GET }")
        #expect(always.notes.map(\.event) == ["token.dead"])
    }

    @Test("may bear a credential that is joined and encoded")
    func joined() throws {
        let more = """
            signature: { header: { name: Authorization, prefix: "Basic ", value: { join: ["rig:", { file: FOLDER/key }], encode: base64 } } }
            """
        let right = "Basic " + Base64.encode(Array("rig:\(Self.key)".utf8).span)
        let (_, notes) = try post([("{}", [("authorization", right)]), ("{}", [("authorization", Self.key)])], more)
        #expect(notes.map(\.signature) == [.right, .wrong])
    }

    @Test("may bear a secret in a header")
    func secret() throws {
        let more = "signature: { header: { name: X-Key, value: { file: FOLDER/key }, prefix: \"Key \" } }"
        let (_, notes) = try post(
            [("{}", [("x-key", "Key " + Self.key)]), ("{}", [("x-key", Self.key)]), ("{}", [])], more)
        #expect(notes.map(\.signature) == [.right, .wrong, .missing])
    }

    private static let captured = """
        signature: { hmac: { key: "{{hookSecret}}", over: [timestamp, ".", body], header: X-Signature,
                timestamp: { header: X-Time, unit: s } } }
        """

    @Test("is signed by the secret that an answer gave its user, and by the one before for a while")
    func captured() throws {
        let time = now
        func request(_ session: UInt32?, _ key: String) -> (body: String, fields: [(String, String)]) {
            let text = session.map { Marker(run: 7, session: $0, step: 0).text } ?? "nobody"
            let body = #"{"type":"ended","text":"\#(text)"}"#
            return (body, [("x-signature", signature(body, time: time, key: key)), ("x-time", String(time))])
        }
        let requests = [
            request(0, "first"), request(1, "first"), request(nil, "first"), request(0, "second"), request(0, "first"),
            request(0, "first"), request(nil, "second"),
        ]
        let (_, notes) = try post(requests, Self.captured) { number, watch in
            switch number {
            case 0: watch.secrets(0, Array("first".utf8))
            case 1: watch.secrets(1, Array("other".utf8))
            case 3: watch.secrets(0, Array("second".utf8))
            // What is under way has two seconds.
            case 5: usleep(2_200_000)
            default: break
            }
            // It has heard of the secret before the webhook comes.
            usleep(50_000)
        }
        #expect(notes.map(\.signature) == [.right, .wrong, .right, .right, .right, .wrong, .right])
    }

    @Test("waits for the answer that gives its secret")
    func early() throws {
        let body = #"{"type":"ended"}"#
        let request = (body, [("x-signature", signature(body, time: now)), ("x-time", String(now))])
        let later = try LoopThread(name: "later") { $0 }
        let (statuses, notes) = try post([request], Self.captured) { _, watch in
            later.post { loop in _ = loop.after(.milliseconds(100)) { watch.secrets(0, Array(Self.key.utf8)) } }
        }
        later.stop()
        #expect(statuses == [200] && notes.map(\.signature) == [.right])
    }

    @Test("may be signed by secrets that take turns by the time")
    func turns() throws {
        let more = """
            signature: { header: { name: X-Key, value: { turns: [{ file: FOLDER/key }, { file: FOLDER/key }], every: 1h } } }
            """
        #expect(try post([("{}", [("x-key", Self.key)])], more).notes.map(\.signature) == [.right])
    }

    @Test("is answered as the profile says, each by its own id")
    func answers() throws {
        let (one, two) = (#"{"type":"ended","id":"w1"}"#, #"{"type":"ended","id":"w2"}"#)
        let (statuses, notes) = try post(
            [(one, []), (one, []), (two, []), (one, []), (one, [])], "answers: [{ status: 500, times: 2 }, { never: true }]")
        #expect(statuses == [500, 500, 500, 0, 200])
        #expect(notes.map(\.status) == [500, 500, 500, 0, 200])
    }

    @Test("comes to its own path, as a POST, and is not too long")
    func refused() throws {
        #expect(try post([("{}", [])], path: "/other").statuses == [404])
        #expect(try post([("{}", [])], method: "PUT").statuses == [405])
        let (statuses, notes) = try post([(String(repeating: "x", count: 300_000), [])])
        #expect(statuses == [413] && notes.isEmpty)
    }
}
