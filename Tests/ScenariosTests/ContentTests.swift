// The content of pushes, as profiles speak of it: what the shipped ones say, and how a push is held against it.

import Basics
import Pushes
import Scenarios
import Schemas
import Testing

@Suite("What a profile says about content")
struct ContentTests {
    private static let body = #"""
        {"sessionID":"ses_1","eventType":"progress","title":"Refactor","body":"[pr:1:2:3] Reading","contentState":
        {"status":"working","sessionTitle":"Refactor","lastMessage":"[pr:1:2:3] Reading","retryInfo":null}}
        """#
    private static let state =
        #"{"status":"working","sessionTitle":"Refactor","lastMessage":"[pr:1:2:3] Reading","retryInfo":null}"#
    private static let update = #"{"aps":{"timestamp":1,"event":"update","content-state":\#(state)}}"#
    private static let start =
        #"{"aps":{"event":"start","content-state":\#(state),"attributes-type":"SessionActivityAttributes","#
        + #""attributes":{"sessionId":"ses_1"},"alert":{"title":"a","body":"b"}}}"#

    private static func profile(_ name: String) throws -> Profile {
        try Profile.load(path: repository + "/Scenarios/relays/\(name).yaml")
    }

    private static func verdict(_ payload: String, _ event: ActivityEvent, _ name: String = "opencode") throws
        -> [String]
    {
        let checker = ContentChecker(try profile(name))
        let verdict = withBytes(of: payload) { checker.verdict($0, PushForm(.apns, .liveactivity, event)) }
        return verdict.doesNotDecode.map { "phone: \($0)" } + verdict.breaksContract.map { "contract: \($0)" }
    }

    private static func differences(
        _ payload: String, _ event: ActivityEvent?, _ name: String = "opencode", call: String = "progress"
    ) throws -> [String] {
        let profile = try profile(name)
        let checker = ContentChecker(profile)
        let index = try #require(profile.call(named: call))
        #expect(checker.judgesPassing(call: index, PushForm(.apns, event == nil ? .alert : .liveactivity, event)) && checker.judgesSchemas)
        return withBytes(of: body) { body in
            withBytes(of: payload) { payload in
                checker.differences(
                    payload, PushForm(.apns, event == nil ? .alert : .liveactivity, event), call: index, body: body)
            }
        }.map(\.description)
    }

    @Test("An update and a start that are right")
    func right() throws {
        #expect(try Self.verdict(Self.update, .update) == [])
        #expect(try Self.verdict(Self.start, .start) == [])
        #expect(try Self.differences(Self.update, .update) == [])
        #expect(try Self.differences(Self.start, .start) == [])
    }

    @Test(
        "A push that the phone cannot read, or that breaks the contract",
        arguments: [
            ("\"status\"", "\"Status\"", ActivityEvent.update, "phone: /aps/content-state lacks the key \"status\""),
            ("\"Refactor\"", "null", .update, "phone: /aps/content-state/sessionTitle is null, not text"),
            ("content-state", "contentState", .update, "phone: /aps lacks the key \"content-state\""),
            ("\"aps\"", "\"Aps\"", .update, "phone: lacks the key \"aps\""),
            (
                "\"retryInfo\":null", "\"retryInfo\":\"x\"", .end,
                "contract: /aps/content-state/retryInfo is text, not null"
            ),
            (
                "\"SessionActivityAttributes\"", "\"LiveActivityAttributes\"", .start,
                "phone: /aps/attributes-type is \"LiveActivityAttributes\", not \"SessionActivityAttributes\""
            ),
            ("attributes-type", "attributesType", .start, "phone: /aps lacks the key \"attributes-type\""),
            ("\"attributes\"", "\"attribute\"", .start, "phone: /aps lacks the key \"attributes\""),
            ("sessionId", "sessionID", .start, "phone: /aps/attributes lacks the key \"sessionId\""),
        ])
    func wrong(old: String, new: String, event: ActivityEvent, says: String) throws {
        let right = event == .start ? Self.start : Self.update
        #expect(try Self.verdict(right.replacing(old, with: new, maxReplacements: 1), event).first == says)
    }

    @Test("An end may leave the last state on the card, and an alert has no state")
    func without() throws {
        #expect(try Self.verdict(#"{"aps":{"event":"end"}}"#, .end) == [])
        let checker = ContentChecker(try Self.profile("opencode"))
        let alert = #"{"aps":{"alert":{"title":"a"}}}"#
        #expect(withBytes(of: alert) { checker.verdict($0, PushForm(.apns, .alert, nil)) }.isKept)
    }

    @Test("Each variant is nothing to the other's app")
    func variants() throws {
        let widget = Self.update.replacing(
            Self.state, with: #"{"name":"SessionActivity","props":\#(JSONValue.string(Self.state).text)}"#)
        #expect(try Self.verdict(widget, .update, "opencode-b") == [])
        #expect(try Self.differences(widget, .update, "opencode-b") == [])
        #expect(try Self.verdict(widget, .update).first?.hasPrefix("phone: ") == true)
        #expect(try Self.verdict(Self.update, .update, "opencode-b").first?.hasPrefix("phone: ") == true)
        let other = widget.replacing("Reading", with: "Writing")
        #expect(
            try Self.differences(other, .update, "opencode-b") == [
                #"/aps/content-state/props/lastMessage is "[pr:1:2:3] Writing", not "[pr:1:2:3] Reading""#
            ])
    }

    @Test("A push that does not say what the call said")
    func changed() throws {
        let other = Self.update.replacing("\"working\"", with: "\"complete\"")
        #expect(try Self.differences(other, .update) == [#"/aps/content-state/status is "complete", not "working""#])
        #expect(
            try Self.differences(other.replacing("update", with: "start"), .start).contains(
                "/aps/attributes/sessionId is missing"))
        let strange = Self.start.replacing("ses_1", with: "ses_2")
        #expect(try Self.differences(strange, .start) == [#"/aps/attributes/sessionId is "ses_2", not "ses_1""#])
        let alert =
            #"{"aps":{"alert":{"title":"Refactor","body":"[pr:1:2:3] Reading"}},"eventType":"progress","sessionID":"ses_1"}"#
        #expect(try Self.differences(alert, nil) == [])
        // Whatever brought it about, a start shows `working`.
        let asking = Self.start.replacing("\"working\"", with: "\"permission\"")
        #expect(try Self.differences(asking, .start) == [#"/aps/content-state/status is "permission", not "working""#])
        #expect(
            try Self.differences(Self.start.replacing("\"status\":\"working\",", with: ""), .start)
                == ["/aps/content-state/status is missing"])
        #expect(try Self.differences(alert.replacing("ses_1", with: "ses_2"), nil).count == 1)
    }

    @Test("The schema files are among those of the scenario, and a scenario is read again from them")
    func sources() throws {
        let scenario = try Scenario.load(path: "smoke", searchPath: [repository + "/Scenarios"])
        let schemas = scenario.sources.map(\.path).filter { $0.contains("/schemas/") }
        #expect(
            schemas.sorted()
                == ["attributes", "content-state"].map { repository + "/Scenarios/schemas/opencode-a.\($0).json" })
        let again = try Scenario.load(scenario.sources)
        #expect(again.sources == scenario.sources)
        #expect(again.relay.profile.content.contentState != nil)
    }

    @Test("A profile that extends another has its keys where it has none of its own")
    func extending() throws {
        let (plan, widget) = (try Self.profile("opencode"), try Self.profile("opencode-b"))
        #expect(widget.name == "opencode-b" && widget.topic == plan.topic)
        #expect(widget.calls.map(\.name) == plan.calls.map(\.name) && widget.coalescing == plan.coalescing)
        #expect(widget.content.attributesType == "LiveActivityAttributes")
        #expect(plan.content.attributesType == "SessionActivityAttributes")
    }

    @Test(
        "A mistake is told with its place and its fix",
        arguments: [
            (
                "schemas: { contentStates: {} }",
                "unknown key `contentStates` in `schemas` (did you mean `contentState`?)"
            ),
            ("schemas: { contentState: nowhere.json }", "there is no file `nowhere.json`"),
            ("schemas: { contentState: [a] }", "`contentState` must be the name of a schema file, not a list"),
            ("schemas: { contentState: { type: strin } }", "there is no type `strin` (did you mean `string`?)"),
            ("schemas: { contentState: { type: string, pattern: a } }", "tiny.yaml:8:46: the keyword `pattern` is not checked here"),
            (
                "schemas: { contentState: { x-app: { system: a, attributesType: B } }, attributesType: C }",
                "`attributesType` is C, and the schemas are of B of a (write `attributesType: B`"
            ),
            (
                "schemas: { contentState: { x-app: { system: a, attributesType: B } }, attributes: { x-app: { system: a, attributesType: B, version: \"2\" } } }",
                "the content-state is of B of a, the attributes are of B of a 2 (name two files of one type and version)"
            ),
            (
                "schemas: { contentState: { x-card: { title: \"attributes#/a\" } } }",
                "tiny.yaml:8:42: `x-card` shows `/a` of the attributes, and there is no schema of them"
            ),
            (
                "schemas: { contentState: { x-card: { title: \"attributes#/a\" } }, attributes: { properties: { b: { type: string } } } }",
                "`x-card`: in the attributes `/a` leads nowhere: there is no `a` (did you mean `b`?)"
            ),
            ("passes: [{ at: /aps, from: /bdy }]", "no call's `json` has anything at `/bdy`"),
            ("passes: [{ at: aps, from: /body }]", "`aps` is no JSON pointer"),
            ("passes: [{ at: /a~2, from: /body }]", "`/a~2` is no JSON pointer"),
            ("passes: [{ from: /body }]", "`pass` lacks `at`"),
            ("passes: [{ at: /a }]", "a passage has either `from` or `is`"),
            ("passes: [{ at: /a, from: /body, is: 1 }]", "a passage has either `from` or `is`"),
            ("passes: [{ at: /a, from: /body, now: 2001 }]", "a passage has either `from` or `is`"),
            ("passes: [{ at: /a, now: 1999 }]", "`now` is the year from which the seconds count, not the number `1999` (1970 or 2001)"),
            ("passes: [{ at: /a, is: 1, within: 5s }]", "`within` goes with `now` only"),
            ("passes: [{ at: /a, from: /body, channel: alarm }]", "`alarm` is no value of `channel`"),
            ("passes: [{ at: /a, from: /body, event: [begin] }]", "`begin` is no value of `event`"),
            (
                "passes: [{ at: /a, from: /body, channel: alert, event: start }]",
                "only a liveactivity push has an `event`"
            ),
            ("truncates: { /a: 0 }", "`truncates` gives a number of characters for each text, not the number `0`"),
            ("truncates: { a: 1 }", "`a` is no JSON pointer"),
            ("carries: { a: { from: /body } }", "`carried` lacks `at`"),
            ("carries: { a: { at: /aps, from: /bdy } }", "no call's `json` has anything at `/bdy`"),
            ("carries: { a: { at: aps } }", "`aps` is no JSON pointer"),
            (
                "carries: { a: { at: /a }, b: { at: /b, follows: c } }",
                "`follows` names no value above this one: `c` (did you mean `a`?)"
            ),
            ("carries: { b: { at: /b, follows: a }, a: { at: /a } }", "`follows` names no value above this one: `a`"),
            ("carries: { a: { at: /a, else: 1 } }", "`as` and `else` belong to `follows`"),
            ("carries: { a: { at: /a, rises: yes please } }", "`rises` must be true or false"),
            ("extends: nowhere.yaml", "there is no file `nowhere.yaml`"),
            ("extends: [a]", "`extends` must be the name of a profile, not a list"),
        ])
    func mistakes(line: String, says: String) {
        let complaint = Sample.complaint(
            Sample.with("coalescing: { window: 10s }", "coalescing: { window: 10s }\n    " + line))
        #expect(complaint.contains(says), "\(complaint)")
        #expect(complaint.hasPrefix("tiny.yaml:8:"), "\(complaint)")
    }

    @Test(
        "A time is that at which the push came, to within a minute",
        arguments: [
            (#"{"t":781692820}"#, nil), (#"{"t":781692880.0}"#, nil),
            (#"{"t":781692881.5}"#, "/t is 781692881.5, not the time, which is 781692820, to within 60s"),
            (#"{"t":1760000020}"#, "/t is 1760000020, not the time, which is 781692820, to within 60s"),
            (#"{"t":"781692820"}"#, #"/t is "781692820", not the time, which is 781692820, to within 60s"#),
            ("{}", "/t is not there, not the time, which is 781692820, to within 60s"),
        ] as [(String, String?)])
    func time(payload: String, says: String?) throws {
        let scenario = try Sample.load(
            Sample.with("coalescing: { window: 10s }", "coalescing: { window: 10s }\n    passes: [{ at: /t, now: 2001, event: start }]"))
        let checker = ContentChecker(scenario.relay.profile)
        func found(_ event: ActivityEvent) -> [String] {
            withBytes(of: payload) { bytes in
                checker.misdated(
                    bytes, PushForm(.apns, .liveactivity, event), call: 0, arrivedAt: WallTime(seconds: 1_760_000_020)
                ).map(\.description)
            }
        }
        #expect(found(.start).first == says && found(.update) == [])
    }

    /// The push comes at 781692820.
    @Test(
        "A time that may lie a day back lies a minute ahead at most, and no further than it may lie back",
        arguments: [
            ("24h", 781_606_420, nil), ("24h", 781_692_880, nil),
            ("24h", 781_692_881, "/t is 781692881, ahead of the time, which is 781692820"),
            ("24h", 781_700_020, "/t is 781700020, ahead of the time, which is 781692820"),
            ("24h", 781_606_419, "/t is 781606419, not the time, which is 781692820, to within 24h"),
            ("5s", 781_692_825, nil), ("5s", 781_692_826, "/t is 781692826, not the time, which is 781692820, to within 5s"),
        ] as [(String, Int, String?)])
    func ahead(within: String, told: Int, says: String?) throws {
        let scenario = try Sample.load(
            Sample.with(
                "coalescing: { window: 10s }",
                "coalescing: { window: 10s }\n    passes: [{ at: /t, now: 2001, within: \(within) }]"))
        let checker = ContentChecker(scenario.relay.profile)
        let found = withBytes(of: #"{"t":\#(told)}"#) { bytes in
            checker.misdated(
                bytes, PushForm(.apns, .liveactivity, .start), call: 0, arrivedAt: WallTime(seconds: 1_760_000_020)
            ).map(\.description)
        }
        #expect(found == [says].compactMap(\.self))
    }

    @Test("What is null is not there, or null")
    func nothing() throws {
        let scenario = try Sample.load(
            Sample.with("coalescing: { window: 10s }", "coalescing: { window: 10s }\n    passes: [{ at: /t, is: null }]"))
        let checker = ContentChecker(scenario.relay.profile)
        for (payload, count) in [("{}", 0), (#"{"t":null}"#, 0), (#"{"t":1}"#, 1)] {
            let found = withBytes(of: payload) { bytes in
                _ = checker.verdict(bytes, PushForm(.apns, .liveactivity, .end))
                return checker.differences(bytes, PushForm(.apns, .liveactivity, .end), call: 0, body: Array("{}".utf8).span)
            }
            #expect(found.count == count, "\(payload)")
        }
    }

    @Test("A call's own passages replace the profile's, and a schema may stand in place")
    func own() throws {
        let text = Sample.with(
            "coalescing: { window: 10s }",
            "coalescing: { window: 10s }\n    schemas: { contentState: { type: object, required: [a] } }\n"
                + "    passes: [{ at: /a, from: /body }]")
        let scenario = try Sample.load(
            text.replacing("variables: { text: hello", with: "passes: []\n        variables: { text: hello"))
        let profile = scenario.relay.profile
        #expect(profile.content.contentState?.name.hasPrefix("tiny.yaml:8:") == true)
        #expect(profile.calls[0].passes == nil && profile.calls[1].passes == [])
        let checker = ContentChecker(profile)
        #expect(checker.judgesPassing(call: 0, PushForm(.apns, .liveactivity, .update)))
        #expect(!checker.judgesPassing(call: 1, PushForm(.apns, .liveactivity, .update)))
    }

    @Test("FCM takes a word of its own in any case of letters, and as its number", arguments: [
        ("\"HIGH\"", true), ("\"high\"", true), ("1", true), ("\"NORMAL\"", false), ("0", false), ("\"highest\"", false),
        ("null", false),
    ])
    func words(said: String, isRight: Bool) throws {
        let passing = "passes: [{ channel: fcm, at: /message/android/priority, is: HIGH }]"
        let scenario = try Sample.load(
            Sample.with("coalescing: { window: 10s }", "coalescing: { window: 10s }\n    " + passing))
        let checker = ContentChecker(scenario.relay.profile)
        let message = #"{"message":{"android":{"priority":\#(said)}}}"#
        let found = withBytes(of: "{}") { body in
            withBytes(of: message) { message in
                checker.differences(message, PushForm(.fcm, .liveactivity, .update), call: 0, body: body)
            }
        }
        #expect(found.contains { $0.pointer == "/message/android/priority" } != isRight, "\(found.map(\.description))")
    }
}
