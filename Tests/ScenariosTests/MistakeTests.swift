// Every mistake gives one clear line with its place and the fix: one row, one knob turned in the sample.

import Scenarios
import Testing

struct Row: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    var says: String

    init(_ old: String, _ new: String, _ says: String) {
        self.old = old
        self.new = new
        self.says = says
    }

    var testDescription: String { new }
}

@Suite("A mistake in a scenario is told with file, line, column and fix")
struct MistakeTests {
    @Test("The sample has none")
    func sample() { #expect(Sample.complaint(Sample.text) == "") }

    @Test("once, however often it is made")
    func again() {
        let text = Sample.with(#"{ token: "{{deviceToken}}" }"#, #"{ token: "{{tokn}}", a: "{{tokn}}", b: "{{tokn}}" }"#)
        let complaint = Sample.complaint(text)
        #expect(complaint.hasPrefix("tiny.yaml:11:24: unknown variable `tokn`, here and in 2 more places ("))
        #expect(complaint.split(separator: "\n").count == 1, "\(complaint)")
    }

    @Test("with each folder once that was looked in")
    func lookedIn() {
        #expect {
            try Scenario.parse(
                text: "relay: { profile: none }", path: "Scenarios/tiny.yaml", searchPath: ["Scenarios", "other"])
        } throws: { "\($0)".contains("there is no file `none` (looked in: Scenarios, other)") }
    }

    @Test(
        "in the file itself",
        arguments: [
            Row("name: tiny", "nmae: tiny", "tiny.yaml:1:1: unknown key `nmae` in `scenario` (did you mean `name`?)"),
            Row(
                "seed: 7", "seed: -7",
                "tiny.yaml:2:7: `seed` must be a whole number from 0 to 18446744073709551615, not the number `-7`"
                    + " (such as `seed: 42`)"),
            Row(
                "seed: 7", "clockScale: 0",
                "tiny.yaml:2:13: `clockScale` must be a number greater than 0 and at most 3600, not the number `0`"
                    + " (such as `clockScale: 1`)"),
            Row(
                "seed: 7", "latenessBudget: 10",
                "tiny.yaml:2:17: `latenessBudget` must be a duration with its unit, not the number `10`"
                    + " (such as `latenessBudget: 10ms`)"),
            Row(
                "seed: 7", "phases: { drain: -5s }",
                "tiny.yaml:2:18: `drain` must be a duration with its unit, not the text `-5s` (such as `drain: 5s`)"),
            Row(
                "seed: 7", "mock: { settings: { tokenUpdateScop: connection } }",
                "tiny.yaml:2:38: there is no setting 'tokenUpdateScop' (did you mean `tokenUpdateScope`?)"),
            Row(
                "seed: 7", "mock: { settings: { tokenUpdateScope: host } }",
                "tiny.yaml:2:39: tokenUpdateScope cannot be 'host' (give connection|peer-and-team)"),
            Row(
                "gates:", "  - { id: scenario-1, action: { silence: true } }\ngates:",
                "tiny.yaml:34:11: two faults have the id `scenario-1`: the later would take the earlier one's place"
                    + " (give each an id of its own, or none)"),
            Row(
                "seed: 7", "mock: { topics: [com.example.other] }",
                "tiny.yaml:2:17: `topics` leaves out com.example.app, the profile's: every push would be refused with 400 "
                    + "TopicDisallowed (add com.example.app to the list)"),
            Row(
                "seed: 7", "mock: { clockSkew: soon }",
                "tiny.yaml:2:20: `clockSkew` must be a duration of at most 36500d, with a minus when the mock is behind, not the text `soon`"
                    + " (such as `clockSkew: -90m`)"),
            Row(
                "seed: 7", "mock: { apns: 2197 }",
                "tiny.yaml:2:15: `apns` must be address:port, not the number `2197` (such as `apns: 127.0.0.1:2197`)"),
            Row(
                "seed: 7", "mock: { sandbox: '127.0.0.1:2198' }",
                "tiny.yaml:2:18: `sandbox` is an address of nothing: this mock plays one environment, at `apns`"
                    + " (add `environment: both`)"),
            Row(
                "seed: 7", "mock: { loops: 65 }",
                "tiny.yaml:2:16: `loops` must be a whole number from 1 to 64, not the number `65` (such as `loops: 1`)"
            ),
            Row(
                "seed: 7", "mock: { tokens: registred }",
                "tiny.yaml:2:17: `registred` is no value of `tokens` (did you mean `registered`?)"),
            Row(
                "seed: 7", "mock: [any]",
                "tiny.yaml:2:7: `mock` must be a mapping, not a list (such as `{ loops: 1 }`)"),
            Row("gates:", "gate:", "tiny.yaml:34:1: unknown key `gate` in `scenario` (did you mean `gates`?)"),
        ])
    func scenario(row: Row) { check(row) }

    @Test(
        "in the relay",
        arguments: [
            Row(
                "  url: http://127.0.0.1:8787\n", "",
                "tiny.yaml:4:3: `relay` says neither how to launch it nor where it runs"
                    + " (add `launch: […]` or `url: http://…`)"),
            Row(
                "    topic: com.example.app\n", "    topic: com.example.app\n    order: stream\n",
                "tiny.yaml:7:12: `order: stream` needs HTTP/2: a connection of HTTP/1.1 carries one event at a time"
                    + " (add `http: 2`, or take `order: answered`)"),
            Row(
                "    topic: com.example.app\n", "    topic: com.example.app\n    order: answerd\n",
                "tiny.yaml:7:12: `answerd` is no value of `order` (did you mean `answered`?)"),
            Row(
                "http://127.0.0.1:8787", "127.0.0.1:8787",
                "tiny.yaml:4:8: `url` must be http://host:port, https://host:port or unix:/path, not `127.0.0.1:8787`"
                    + " (paths belong into the profile's calls)"),
            Row(
                "http://127.0.0.1:8787", "http://{{relay.listen}}",
                "tiny.yaml:4:8: `url` names {{relay.…}}, which only a launched relay has"
                    + " (write the address, or add `launch`)"),
            Row(
                "http://127.0.0.1:8787", "http://{{relay.lisen}}",
                "tiny.yaml:4:8: unknown variable `relay.lisen` (did you mean `relay.listen`?)"),
            Row(
                "url: http://127.0.0.1:8787", "launch: ./relay --port 1",
                "tiny.yaml:4:11: `launch` must be a list of words, not one text"
                    + " (write `launch: [\"./relay\", \"--port\", \"1\"]`)"),
            Row(
                "url: http://127.0.0.1:8787", "launch: [\"{{mock.keyid}}\"]",
                "tiny.yaml:4:12: unknown variable `mock.keyid` (did you mean `mock.keyId`?)"),
            Row(
                "url: http://127.0.0.1:8787", "launch: []",
                "tiny.yaml:4:11: `launch` must be a list of 1 to 1000 items, not an empty list"
                    + " (such as `launch: [./relay, --port, \"{{relay.port}}\"]`)"),
            Row(
                "url: http://127.0.0.1:8787", "url: http://a:1\n  ready: { path: health }",
                "tiny.yaml:5:18: `path` must be a path that begins with /, not the text `health`"
                    + " (such as `path: /health`)"),
            Row(
                "url: http://127.0.0.1:8787", "url: http://a:1\n  stop: { signal: STOP }",
                "tiny.yaml:5:19: `STOP` is no value of `signal` (known: TERM, KILL, INT, HUP)"),
            Row(
                "url: http://127.0.0.1:8787", "url: http://a:1\n  restarts: [{ at: 5s }]",
                "tiny.yaml:5:14: only a launched relay can be restarted (add `launch`, or strike `restarts`)"),
            Row(
                "url: http://127.0.0.1:8787", "url: http://a:1\n  listen: 127.0.0.1:99999",
                "tiny.yaml:5:11: `listen` must be address:port, not the text `127.0.0.1:99999`"
                    + " (such as `listen: 127.0.0.1:0`)"),
            Row(
                "url: http://127.0.0.1:8787", "url: http://a:1\n  environment: { A: [1] }",
                "tiny.yaml:5:21: the environment variable `A` must have one text as its value (such as `LOG: debug`)"),
        ])
    func relay(row: Row) { check(row) }

    @Test(
        "in the profile",
        arguments: [
            Row(
                "topic: com.example.app", "topic: com.example app",
                "tiny.yaml:6:12: `topic` must be a bundle identifier, not `com.example app`"
                    + " (letters, digits, dots and hyphens)"),
            Row(
                "    topic: com.example.app\n", "",
                "tiny.yaml:6:5: `profile` lacks `topic` (add `topic: com.example.app`)"),
            Row(
                "topic: com.example.app", "topic: a.b\n    http: 3",
                "tiny.yaml:7:11: `http` must be a whole number from 1 to 2, not the number `3` (such as `http: 1`)"),
            Row(
                "coalescing: { window: 10s }", "coalescing: { window: 0s }",
                "tiny.yaml:7:27: `window` must be a duration from 1ms to 10000h, not the text `0s`"
                    + " (such as `window: 10s`)"),
            Row(
                "    coalescing: { window: 10s }\n", "",
                "tiny.yaml:17:63: `coalesce` needs the window that the relay declares"
                    + " (add `coalescing: { window: 10s }` to the profile)"),
            Row(
                "      register:", "      regi ster: { path: / }\n      register:",
                "tiny.yaml:9:7: a call cannot be named `regi ster` (letters, digits, - and _, at most 64)"),
            Row(
                "      register:", "      late: { path: / }\n      register:",
                "tiny.yaml:9:7: a call cannot be named `late`: gates use that word (choose another name)"),
            Row(
                "path: /register", "path: register",
                "tiny.yaml:10:15: `path` must begin with / and hold no blanks, not `register`"
                    + " (percent-encode other characters; the host comes from `relay.url`)"),
            Row("        path: /register\n", "", "tiny.yaml:10:9: `call` lacks `path` (add `path: /v1/event`)"),
            Row(
                "path: /register", "path: /register\n        method: POTS",
                "tiny.yaml:11:17: `POTS` is no value of `method` (did you mean `POST`?)"),
            Row(
                "path: /register", "path: /register\n        expect: ok",
                "tiny.yaml:11:17: `expect` must be a status from 200 to 599 or a list of them, not the text `ok`"
                    + " (such as `expect: 200`)"),
            Row(
                "path: /register", "path: /register\n        text: x",
                "tiny.yaml:11:15: a call has `json` or `text`, not both (strike one)"),
            Row(
                "path: /register", "path: /register\n        headers: { Host: x }",
                "tiny.yaml:11:20: a call cannot set the header `Host` (it is written by the rig)"),
            Row(
                "path: /register", "path: /register\n        headers: { \"a b\": x }",
                "tiny.yaml:11:20: a call cannot set the header `a b` (letters, digits, - and _)"),
            Row(
                "path: /register", "path: /register\n        final: true",
                "tiny.yaml:11:16: a final call expects a liveactivity push (add it to `pushes` or strike `final`)"),
            Row(
                "{{deviceToken}}", "{{deviceTokn}}",
                "tiny.yaml:11:24: unknown variable `deviceTokn` (did you mean `deviceToken`?)"),
            Row("{{deviceToken}}", "{{deviceToken", "tiny.yaml:11:24: `{{` is never closed (write `{{name}}`)"),
            Row(
                "{{deviceToken}}", "{{deviceToken|hexx}}",
                "tiny.yaml:11:24: unknown filter `hexx` (did you mean `hex`?)"),
            Row(
                "{{deviceToken}}", "x {{deviceToken|json}}",
                "tiny.yaml:11:24: `|json` does not fit here (inside a longer string leave `|json` out)"),
            Row(
                "/{{sessionID}}", "/{{sessionID|optional}}",
                "tiny.yaml:14:15: `|optional` does not fit here"
                    + " (`|optional` is for the whole value of a member of a JSON object)"),
            Row(
                "{ token: \"{{deviceToken}}\" }", "{ token: \"{{deviceToken|optional}}\" }",
                "tiny.yaml:11:15: an object needs a member that is always there (use `|json` for one of them)"),
            Row(
                "[deviceToken, activityToken]", "[deviceToken, activtyToken]",
                "tiny.yaml:12:34: `activtyToken` is no value of `registers` (did you mean `activityToken`?)"),
            Row(
                "{ text: hello, extra: null }", "{ text: hello, extra: null, more: 1 }",
                "tiny.yaml:15:48: the variable `more` is never used"
                    + " (write `{{more}}` somewhere in the call or strike it)"),
            Row(
                "{ text: hello, extra: null }", "{ text: hello, extra: null, step: 1 }",
                "tiny.yaml:15:48: `step` is a variable already (choose another name)"),
            Row(
                "{ text: hello, extra: null }", "{ text: \"{{marker}}\", extra: null }",
                "tiny.yaml:15:28: a value is taken as it stands; `{{…}}` has no meaning here"
                    + " (put the variable into the call)"),
            Row(
                "{{marker}} ", "",
                "tiny.yaml:18:11: `update` expects pushes but carries no {{marker}}, so they could not be told apart"
                    + " (put {{marker}} where the relay passes text through)"),
            Row(
                "channel: liveactivity, ", "channel: liveactvity, ",
                "tiny.yaml:18:24: `liveactvity` is no value of `channel` (did you mean `liveactivity`?)"),
            Row(
                "event: update, ", "event: updated, ",
                "tiny.yaml:18:45: `updated` is no value of `event` (did you mean `update`?)"),
            Row("event: update, ", "", "tiny.yaml:18:13: a liveactivity push has an `event` (add `event: update`)"),
            Row(
                "channel: liveactivity, ", "channel: alert, ",
                "tiny.yaml:18:13: only a liveactivity push has an `event` (strike it)"),
            Row(
                "coalesce: true", "deadline: soon",
                "tiny.yaml:18:63: `deadline` must be a duration with its unit, not the text `soon`"
                    + " (such as `deadline: 5s`)"),
        ])
    func profile(row: Row) { check(row) }

    func check(_ row: Row) { #expect(Sample.complaint(Sample.with(row.old, row.new)) == row.says) }
}
