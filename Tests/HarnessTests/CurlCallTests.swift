// Lines of curl, read as curl reads them.

import Basics
import Foundation
import Pushes
import Scenarios
import Testing

@testable import Harness

@Suite("A line of curl")
struct CurlCallTests {
    private static func read(_ line: String) throws -> [String] {
        let call = try CurlCall(line)
        return [call.method, call.origin, call.path] + call.headers.map { "\($0.name): \($0.value)" } + (call.body.map { [$0] } ?? [])
    }

    @Test("says method, address, headers and body", arguments: [
        ("curl http://127.0.0.1:8787/up", ["GET", "http://127.0.0.1:8787", "/up"]),
        ("http://h", ["GET", "http://h", "/"]),
        ("curl -sS -X PUT 'https://h:1/a b?c=d'", ["PUT", "https://h:1", "/a b?c=d"]),
        ("curl -sXDELETE http://h/x", ["DELETE", "http://h", "/x"]),
        ("curl -d a=1 -d b=2 http://h/x", ["POST", "http://h", "/x", "content-type: application/x-www-form-urlencoded", "a=1&b=2"]),
        ("curl -G -d a=1 http://h/x?y=2", ["GET", "http://h", "/x?y=2&a=1"]),
        ("curl --json '{\"a\": \"it'\\''s\"}' http://h/x", ["POST", "http://h", "/x", "content-type: application/json", "accept: application/json", "{\"a\": \"it's\"}"]),
        ("curl -H 'Content-Type: text/plain' --data-raw @x http://h", ["POST", "http://h", "/", "Content-Type: text/plain", "@x"]),
        ("curl -u me:secret -o /dev/null --max-time 3 http://h", ["GET", "http://h", "/", "authorization: Basic bWU6c2VjcmV0"]),
        ("curl --header=X-A:b \\\n  --url http://h/{{token}}", ["GET", "http://h", "/{{token}}", "X-A: b"]),
        ("curl h:80/x", ["GET", "http://h:80", "/x"]),
        ("curl http://me:secret@h/x", ["GET", "http://h", "/x", "authorization: Basic bWU6c2VjcmV0"]),
        ("curl --data-urlencode 'a=é|&' http://h/x#y", ["POST", "http://h", "/x", "content-type: application/x-www-form-urlencoded", "a=%C3%A9%7C%26"]),
        ("curl -d '|' http://h", ["POST", "http://h", "/", "content-type: application/x-www-form-urlencoded", "|"]),
        ("curl -G --data-urlencode 'a=b c&{{text}}' http://h/x", ["GET", "http://h", "/x?a=b%20c%26{{text}}"]),
        ("curl --data-raw $'{\"a\": \"it\\'s\\n\"}' -H 'content-type: x/y' http://h", ["POST", "http://h", "/", "content-type: x/y", "{\"a\": \"it's\n\"}"]),
        ("curl -d \"a \\\"b\\\" \\n\" http://h", ["POST", "http://h", "/", "content-type: application/x-www-form-urlencoded", "a \"b\" \\n"]),
    ] as [(String, [String])])
    func reads(line: String, expected: [String]) throws { #expect(try Self.read(line) == expected) }

    @Test("is refused by the word that cannot be read", arguments: [
        ("curl -F a=b http://h", "`-F`"), ("curl -d @file http://h", "@file"), ("wget http://h", "`wget` is not read"), ("curl http://h | jq .", "`|` is the shell's"),
        ("curl -s", "there is no address"), ("curl 'http://h", "is not closed"), ("curl -H", "`-H` has no value"),
        ("curl -H novalue http://h", "`novalue` is no header"), ("curl http://a http://b", "two addresses"),
    ])
    func refuses(line: String, words: String) {
        #expect { try CurlCall(line) } throws: { ("\($0)").contains(words) && ($0 as? Failure)?.kind == .usage }
    }
}

@Suite("The profile that a tour writes")
struct TourDraftTests {
    private static func draft(_ lines: [String], _ seen: [TourDraft.Seen]) throws -> TourDraft {
        var draft = try TourDraft(lines.map { try CurlCall($0) }, topic: "com.example.app")
        draft.seen = seen
        return draft
    }

    private static let alert = TourDraft.Seen(
        statuses: [202], pushes: [.init(type: .alert, token: "deviceToken", passes: ["/aps/alert/body"])])

    @Test("says that the callers keep the tokens where each push goes to the one that its call names")
    func callers() throws {
        let draft = try Self.draft(["curl --json '{\"to\": \"{{token}}\", \"a\": {\"b/c\": \"{{text}}\"}}' http://h/send"], [Self.alert])
        #expect(draft.callersKeepTokens)
        for line in [
            "tokens: caller\n", "  send:\n    method: \"POST\"\n    path: \"/send\"\n", "expect: [202]\n",
            "json: {\"to\":\"{{deviceToken}}\",\"a\":{\"b/c\":\"{{marker}} {{text}}\"}}\n",
            "- { channel: alert, token: deviceToken }\n",
            "- { channel: alert, at: \"/aps/alert/body\", from: \"/a/b~1c\" }\n",
        ] { #expect(draft.profile.contains(line), "\(line)\n\(draft.profile)") }
        #expect(!draft.profile.contains("registers:"))
    }

    @Test("has the call that names a token register it, where another one brings the push")
    func registers() throws {
        let lines = ["curl -d 'token={{token}}&u={{user}}' http://h/subscribe", "curl -d 'text=a%20{{text}}&u={{user}}' 'http://h/notify'"]
        let draft = try Self.draft(lines, [TourDraft.Seen(statuses: [200]), Self.alert])
        #expect(!draft.callersKeepTokens && draft.names == ["subscribe", "notify"])
        for line in [
            "form: { \"token\": \"{{deviceToken}}\", \"u\": \"{{secret}}\" }\n", "registers: [deviceToken]\n",
            "form: { \"text\": \"a {{marker}} {{text}}\", \"u\": \"{{secret}}\" }\n",
        ] { #expect(draft.profile.contains(line), "\(line)\n\(draft.profile)") }
        #expect(!draft.profile.contains("tokens: caller") && !draft.profile.contains("passes:"), "a form is said in part only")
    }

    @Test("reads back as a profile, with names of their own for calls of one path")
    func lawful() throws {
        let lines = ["curl -d '{{text}}' http://h/x/{{token}}?t={{text}}", "curl -XPUT -H 'X-A: {{ user }}' -d '[\"{{text}}\", \"{{token|base64}}\"]' http://h/x/"]
        let draft = try Self.draft(lines, [Self.alert, Self.alert])
        #expect(draft.names == ["x", "x-2"])
        #expect(try Self.draft(["curl -d '{{text}}' http://h/events", "curl http://h/events"], []).names == ["events-2", "events-3"])
        let folder = NSTemporaryDirectory() + "tour-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try draft.profile.write(toFile: folder + "/profile.yaml", atomically: true, encoding: .utf8)
        let text = "name: t\nrelay: { profile: profile.yaml, url: \"http://127.0.0.1:1\" }\n"
        let scenario = try #require(try ScenarioBase.parse(text: text, path: folder + "/t.yaml"))
        #expect(scenario.relay.profile.calls.map(\.name) == ["x", "x-2"])
    }

    @Test("is not begun without a call, nor for two relays")
    func refused() {
        #expect(throws: Failure.self) { try Self.draft([], []) }
        #expect(throws: Failure.self) { try Self.draft(["curl http://a/", "curl http://b/"], []) }
    }
}
