// What a profile declares of a push beside its state, and pushes held against it.

import Basics
import Pushes
import Scenarios
import Schemas
import Testing

private let usual = "- { channel: liveactivity, event: update, coalesce: true }"

private func profile(_ keys: String, event: String = "update") throws -> Profile {
    try Sample.load(Sample.with(usual, "- { channel: liveactivity, event: \(event), \(keys) }")).relay.profile
}

private func complaint(_ keys: String, event: String = "update") -> String {
    Sample.complaint(Sample.with(usual, "- { channel: liveactivity, event: \(event), \(keys) }"))
}

@Suite("What a push is declared to look like")
struct DeclaredPushTests {
    private func declared(_ keys: String, event: String = "update") throws -> DeclaredPush? {
        try profile(keys, event: event).calls[1].declared.first?.value
    }

    @Test("is nothing where nothing is said")
    func nothing() throws {
        #expect(try Sample.load().relay.profile.calls[1].declared.isEmpty)
        #expect(try DeclaredChecker(Sample.load().relay.profile) == nil)
    }

    @Test("is read from each key")
    func read() throws {
        let headers = try declared("headers: { priority: [5, 10], topic: a, collapseID: none, expiration: { within: 4h } }")
        #expect(headers?.priorities == [5, 10] && headers?.expiration == .within(.seconds(14_400)))
        #expect(headers?.collapseID == DeclaredPush.Text.none)
        #expect(headers?.topic == .template(Template(segments: [.literal([97])])))
        #expect(try declared("headers: { expiration: 0 }")?.expiration == .atOnce)
        #expect(try declared("headers: { expiration: none }")?.expiration == DeclaredPush.Expiration.none)
        #expect(try declared("alert: silent, sound: absent")?.alert == .silent)
        #expect(try declared("relevanceScore: 75")?.relevanceScore == .exactly(75))
        #expect(try declared("staleDate: 60s")?.staleDate == .between(.seconds(50), .seconds(70), of: .timestamp))
        let dismissal = try declared("dismissalDate: { after: 5s, of: call, tolerance: 2s }", event: "end")?.dismissalDate
        #expect(dismissal == .between(.seconds(3), .seconds(7), of: .call))
        let within = try declared("dismissalDate: { within: 1h }", event: "end")?.dismissalDate
        #expect(within == .between(.seconds(-10), .seconds(3_600), of: .timestamp))
    }

    @Test("is the profile's where a call does not say otherwise, key by key")
    func inherited() throws {
        let declares = """
            declares:
                  - { channel: liveactivity, alert: absent, sound: absent }
                  - { channel: liveactivity, event: [start, end], staleDate: absent }
                  - { channel: alert, headers: { priority: 10 } }
            """
        let text = Sample.with(usual, "- { channel: liveactivity, event: update, alert: present }")
            .replacing("coalescing: { window: 10s }", with: "coalescing: { window: 10s }\n    " + declares)
        let declared = try #require(Sample.load(text).relay.profile.calls[1].declared.first).value
        #expect(declared.alert == .present && declared.sound == DeclaredPush.Text.none)
        #expect(declared.staleDate == nil && declared.priorities.isEmpty)
        let end = text.replacing("event: update, alert", with: "event: end, alert")
        #expect(try Sample.load(end).relay.profile.calls[1].declared.first?.value.staleDate == DeclaredPush.Date.none)
        #expect(
            Sample.complaint(text.replacing("channel: alert,", with: "channel: fcm,"))
                .contains("a message to FCM has no `headers` of APNs"))
        let message = Sample.complaint(text.replacing("alert: absent,", with: "message: {},"))
        #expect(message.contains("only a push to FCM has a `message`"), "\(message)")
        #expect(
            Sample.complaint(text.replacing("channel: alert,", with: "channel: alert, event: end,"))
                .contains("only a liveactivity push has an `event`"))
    }

    @Test(
        "is refused where it cannot be, with the fix",
        arguments: [
            ("headers: { priority: 7 }", "`priority` must be 1, 5 or 10"),
            ("headers: { expiration: soon }", "`expiration` must be 0, none or `{ within: 4h }`"),
            ("headers: { colour: red }", "unknown key `colour`"),
            ("headers: { topic: \"{{nobody}}\" }", "unknown variable `nobody`"),
            ("headers: { collapseID: \"{{now}}\" }", "cannot be compared with `{{now}}`"),
            ("alert: loud", "`alert` must be present, absent, silent"),
            ("alert: { title: [1] }", "`title` must be text"),
            ("alert: silent, sound: a.wav", "a silent alert has no sound"),
            ("staleDate: soon", "`staleDate` must be a duration"),
            ("staleDate: { of: call }", "a date lies `after` so long"),
            ("staleDate: { within: 4h, tolerance: 2s }", "a date lies `after` so long"),
            ("dismissalDate: 5s", "only the end of an activity dismisses its card"),
            ("relevanceScore: high", "`relevanceScore` must be a number"),
        ])
    func refused(keys: String, words: String) {
        let said = complaint(keys)
        #expect(said.contains(words), "\(said)")
    }

    @Test("is the same of pushes that cannot be told apart, and no other kind's")
    func kinds() {
        let two = usual + "\n          - { channel: liveactivity, event: update, token: activityToken2, alert: absent }"
        #expect(Sample.complaint(Sample.with(usual, two)).contains("of one kind, and cannot be told apart"))
        let alert = Sample.complaint(Sample.with(usual, "- { channel: alert, staleDate: 5s }"))
        #expect(alert.contains("only a liveactivity push has a `staleDate`"), "\(alert)")
    }

    @Test("may tell of which call it is, by a collapse ID that differs from call to call, and then needs no marker")
    func told() throws {
        let keys = "marked: collapseID, headers: { collapseID: \"{{text}}\" }"
        let text = Sample.with(usual, "- { channel: alert, \(keys) }").replacing("{{marker}} ", with: "")
        let push = try Sample.load(text).relay.profile.calls[1].pushes[0]
        #expect(push.told == .collapseID && !push.isMarked)
        for id in ["\"{{sessionID}}\"", "fixed", "none"] {
            let said = Sample.complaint(text.replacing("collapseID: \"{{text}}\"", with: "collapseID: \(id)"))
            #expect(said.contains("needs one that differs from call to call"), "\(id): \(said)")
        }
        #expect(Sample.complaint(text.replacing("marked: collapseID", with: "marked: topic")).contains("`marked` must be"))
    }

    @Test("is first where it is an alert, and the call owes a liveactivity push besides")
    func first() throws {
        let two = "- { channel: alert, first: true }\n          " + usual
        #expect(try Sample.load(Sample.with(usual, two)).relay.profile.calls[1].pushes.map(\.isFirst) == [true, false])
        #expect(complaint("first: true").contains("only an alert goes first"))
        let alone = Sample.complaint(Sample.with(usual, "- { channel: alert, first: true }"))
        #expect(alone.contains("nothing that could come behind its alert"), "\(alone)")
    }

    @Test("uses no variable up: the request must say it, and its marker too")
    func unused() {
        let text = Sample.with(usual, "- { channel: liveactivity, event: update, headers: { collapseID: \"{{extra}}{{marker}}\" } }")
        let request = "json: { body: \"{{marker}} {{text}}\", extra: \"{{extra|json}}\" }"
        let without = text.replacing(request, with: "json: { body: \"{{text}}\" }")
        let said = Sample.complaint(without)
        #expect(said.contains("the variable `extra` is never used") && said.contains("carries no {{marker}}"), "\(said)")
    }
}

@Suite("What a message to FCM is declared to look like")
struct DeclaredMessageTests {
    private static let keys = "message: { priority: high, notification: absent, data: [id, state] }"

    private func text(_ keys: String, usual declares: String = "") -> String {
        Sample.with(usual, "- { channel: fcm, event: update\(keys.isEmpty ? "" : ", " + keys) }")
            .replacing("coalescing: { window: 10s }", with: "coalescing: { window: 10s }\n    messageEvent: /message/data/event\n    " + declares)
    }

    private func profile(_ keys: String, usual declares: String = "") throws -> Profile {
        try Sample.load(text(keys, usual: declares)).relay.profile
    }

    private static let form = PushForm(.fcm, .liveactivity, .update)

    private func found(
        _ keys: String = keys, isHigh: Bool = true, hasNotification: Bool = false, data: String = #"{"id":"1","state":"{}"}"#
    ) throws -> [PushDeviation] {
        let checker = try #require(DeclaredChecker(profile(keys)))
        let wall = WallTime(seconds: 1_760_000_000)
        var push = DeclarablePush(form: Self.form, arrivals: [wall], told: wall...wall)
        (push.isHigh, push.hasNotification) = (isHigh, hasNotification)
        let request = Array(#"{"message":{"token":"t","data":\#(data)}}"#.utf8)
        return checker.deviations(push, request.span, call: 1) { _ in nil }
    }

    @Test("is read, and the profile's where a call does not say otherwise, key by key")
    func read() throws {
        let own = try #require(profile(Self.keys).calls[1].declared[Self.form]?.message)
        #expect(own == DeclaredPush.Message(isHigh: true, hasNotification: false, data: ["id", "state"]))
        let usual = "declares: [{ channel: fcm, \(Self.keys) }, { channel: liveactivity, alert: absent }]"
        #expect(try profile("", usual: usual).calls[1].declared[Self.form]?.message == own)
        let normal = try profile("message: { priority: normal }", usual: usual).calls[1].declared[Self.form]
        #expect(normal?.message == DeclaredPush.Message(isHigh: false, hasNotification: false, data: ["id", "state"]))
        #expect(normal?.alert == nil)
        let others = usual.replacing("channel: fcm,", with: "channel: fcm, event: end,")
        #expect(try profile("", usual: others).calls[1].declared.isEmpty)
    }

    @Test("is refused where it cannot be", arguments: [
        ("message: { priority: loud }", "`loud` is no value of `priority`"), ("message: { data: id }", "`data` must be a list"),
        ("message: { notification: silent }", "`silent` is no value of `notification`"),
        ("message: { ttl: 5s }", "unknown key `ttl`"),
        ("sound: a.wav", "a message to FCM has no `sound` of APNs"),
    ])
    func refused(keys: String, words: String) {
        let said = Sample.complaint(text(keys))
        #expect(said.contains(words), "\(said)")
    }

    @Test("is so, or is told of in each field that is otherwise")
    func held() throws {
        #expect(try found() == [])
        #expect(try found(isHigh: false) == [PushDeviation("message.priority", expected: "high", seen: "normal")])
        #expect(
            try found(hasNotification: true)
                == [PushDeviation("message.notification", expected: "none", seen: "a notification block")])
        let wrong = [
            (#"{"id":"1"}"#, "id"), (#"{"id":"1","a":"","state":""}"#, "a, id, state"), ("{}", "none"), ("null", "none"),
        ]
        for (data, seen) in wrong {
            #expect(try found(data: data) == [PushDeviation("message.data", expected: "id, state", seen: seen)])
        }
        #expect(try found("message: { notification: present }").map(\.seen) == ["none"])
        #expect(try found("message: { priority: normal, data: [] }", data: "{}").map(\.field) == ["message.priority"])
    }
}

@Suite("A push held against what is declared")
struct DeclaredCheckerTests {
    private static let now: Int64 = 1_760_000_000
    private static let stamp: Int64 = 1_760_000_100

    /// Of an end, or of what `event` says; `headers` are priority, topic, collapse ID and expiration.
    private func found(
        _ keys: String, event: String = "end", headers: [String?] = [], aps: String = "", truncates: Int? = nil
    ) throws -> [PushDeviation] {
        var profile = try profile(keys, event: event)
        if let truncates { profile.content.truncations = [.init(at: .init("/aps/alert/body")!, length: truncates)] }
        let checker = try #require(DeclaredChecker(profile))
        func wall(_ seconds: Int64) -> WallTime { WallTime(seconds: Self.now + seconds) }
        let form = PushForm(.apns, .liveactivity, ActivityEvent(word: event))
        var push = DeclarablePush(form: form, arrivals: [wall(0)], told: wall(-30)...wall(-20))
        let headers = headers + Array(repeating: nil, count: 4 - headers.count)
        (push.priority, push.topic, push.collapseID, push.expiration) = (headers[0], headers[1], headers[2], headers[3])
        push.stamp = Self.stamp
        let payload = Array("{\"aps\":{\"timestamp\":\(Self.stamp)\(aps)}}".utf8)
        #expect(checker.judges(call: 1, form) && !checker.judges(call: 0, form))
        return checker.deviations(push, payload.span, call: 1) { template in
            let buffer = ByteBuffer(capacity: 64)
            template.render(into: buffer, Words())
            return buffer.array()
        }
    }

    private struct Words: TemplateValues {
        func isNull(_ variable: TemplateVariable) -> Bool { false }
        func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
            encoding.append(Array("hello".utf8).span, into: buffer)
        }
    }

    private static let topic = "headers: { topic: \"{{text}}.x\" }"
    private static let collapse = "headers: { collapseID: \"{{text}}\" }"
    private static let within = "headers: { expiration: { within: 4h } }"

    @Test(
        "has its headers",
        arguments: [
            ("headers: { priority: 10 }", ["10"]), ("headers: { priority: 10 }", []), ("headers: { priority: [1, 5] }", ["5"]),
            (topic, [nil, "hello.x"]), (collapse, [nil, nil, "hello"]), ("headers: { collapseID: none }", []),
            ("headers: { expiration: none }", []), ("headers: { expiration: 0 }", [nil, nil, nil, "0"]),
            (within, [nil, nil, nil, "\(now + 14_459)"]), (within, [nil, nil, nil, "\(now - 59)"]),
        ] as [(String, [String?])])
    func headers(keys: String, headers: [String?]) throws {
        #expect(try found(keys, headers: headers) == [])
    }

    @Test(
        "lacks them",
        arguments: [
            ("headers: { priority: 10 }", ["5"], "headers.priority", "10", "5"),
            ("headers: { priority: [1, 5] }", [], "headers.priority", "1 or 5", "none, which is 10"),
            (topic, [nil, "hello"], "headers.topic", "hello.x", "hello"),
            (collapse, [], "headers.collapseID", "hello", "none"),
            ("headers: { collapseID: none }", [nil, nil, "x"], "headers.collapseID", "none", "x"),
            ("headers: { expiration: none }", [nil, nil, nil, "0"], "headers.expiration", "none", "0"),
            ("headers: { expiration: 0 }", [], "headers.expiration", "0", "none"),
            (within, [], "headers.expiration", "a time within 4h of the push", "none"),
            (within, [nil, nil, nil, "0"], "headers.expiration", "a time within 4h of the push", "0"),
            (
                within, [nil, nil, nil, "\(now + 14_461)"], "headers.expiration", "a time within 4h of the push",
                "\(now + 14_461), which is 14461 s later"
            ),
            (
                within, [nil, nil, nil, "\(now - 61)"], "headers.expiration", "a time within 4h of the push",
                "\(now - 61), which is 61 s earlier"
            ),
        ] as [(String, [String?], String, String, String)])
    func headersWrong(keys: String, headers: [String?], field: String, expected: String, seen: String) throws {
        #expect(try found(keys, headers: headers) == [PushDeviation(field, expected: expected, seen: seen)])
    }

    @Test("may have any collapse ID in place of one that is longer than 64 bytes, but has to have one")
    func longIDs() throws {
        func collapsing(_ count: Int) -> String { "headers: { collapseID: \"{{text}}\(String(repeating: "x", count: count - 5))\" }" }
        #expect(try found(collapsing(65), headers: [nil, nil, "short"]) == [])
        #expect(try found(collapsing(64), headers: [nil, nil, "short"]).map(\.field) == ["headers.collapseID"])
        #expect(try found(collapsing(65)).map(\.seen) == ["none"])
    }

    private static let says = "alert: { title: \"{{text}}\", body: \"{{text}} there\" }"

    @Test(
        "has its alert, its sound, its dates and its score",
        arguments: [
            ("alert: present", #","alert":{"body":"b"}"#), ("alert: present", #","alert":"b""#),
            ("alert: present", #","alert":{"loc-key":"k"}"#),
            ("alert: absent", ""), ("alert: absent", #","alert":null"#),
            ("alert: silent", #","alert":{"title":"","body":""}"#),
            (says, #","alert":{"title":"hello","body":"hello there"}"#),
            ("alert: { body: \"{{text}}\" }", #","alert":"hello""#),
            ("sound: a.wav", #","sound":"a.wav""#), ("sound: a.wav", #","alert":{"sound":"a.wav"}"#),
            ("sound: a.wav", #","sound":{"name":"a.wav","critical":1}"#), ("sound: absent", ""),
            ("staleDate: absent", ""), ("staleDate: 60s", #","stale-date":\#(stamp + 70)"#),
            ("staleDate: { within: 1h }", #","stale-date":\#(stamp + 3_600)"#),
            ("staleDate: { within: 1h }", #","stale-date":\#(stamp - 10)"#),
            ("staleDate: { after: 60s, of: call }", #","stale-date":\#(now + 20)"#),
            ("staleDate: { after: 60s, of: call }", #","stale-date":\#(now + 50)"#),
            ("dismissalDate: 5s", #","dismissal-date":\#(stamp)"#), ("dismissalDate: 5s", #","dismissal-date":1"#),
            // Any number, as a phone reads it.
            ("dismissalDate: 5s", #","dismissal-date":\#(stamp + 5).0"#),
            ("dismissalDate: 5s", #","dismissal-date":1.7600001055E9"#),
            ("relevanceScore: 75", #","relevance-score":75.0"#), ("relevanceScore: absent", ""),
        ])
    func payload(keys: String, aps: String) throws {
        #expect(try found(keys, aps: aps) == [])
    }

    @Test(
        "lacks them",
        arguments: [
            ("alert: present", "", "alert", "one with a title or a body", "none"),
            ("alert: present", #","alert":{"title":""}"#, "alert", "one with a title or a body", "an alert without text"),
            ("alert: absent", #","alert":{}"#, "alert", "none", "an alert without text"),
            ("alert: absent", #","alert":{"body":"b"}"#, "alert", "none", "an alert with text"),
            ("alert: silent", "", "alert", "one without text", "none"),
            ("alert: silent", #","alert":"b""#, "alert", "one without text", "an alert with text"),
            ("alert: silent", #","alert":{},"sound":"s""#, "alert", "a silent one", "one with the sound s"),
            (says, #","alert":{"title":"hello","body":"no"}"#, "alert.body", "hello there", "no"),
            (says, #","alert":{"body":"hello there"}"#, "alert.title", "hello", "none"),
            ("alert: { body: \"{{text}}\" }", #","alert":"no""#, "alert.body", "hello", "no"),
            ("sound: a.wav", #","sound":"b.wav""#, "sound", "a.wav", "b.wav"), ("sound: a.wav", "", "sound", "a.wav", "none"),
            ("sound: absent", #","sound":{}"#, "sound", "none", "one without a name"),
            ("staleDate: absent", #","stale-date":5"#, "staleDate", "none", "5"),
            ("staleDate: 60s", "", "staleDate", "50 to 70 s after the timestamp", "none"),
            ("staleDate: 60s", #","stale-date":"x""#, "staleDate", "50 to 70 s after the timestamp", #""x""#),
            (
                "staleDate: 60s", #","stale-date":\#(stamp + 71)"#, "staleDate", "50 to 70 s after the timestamp",
                "\(stamp + 71), 71 s later"
            ),
            (
                "staleDate: 60s", #","stale-date":\#(stamp + 49)"#, "staleDate", "50 to 70 s after the timestamp",
                "\(stamp + 49), 49 s later"
            ),
            (
                "staleDate: 5s", #","stale-date":\#(stamp - 6)"#, "staleDate", "-5 to 15 s after the timestamp",
                "\(stamp - 6), 6 s earlier"
            ),
            (
                "staleDate: { after: 60s, of: call }", #","stale-date":\#(now + 51)"#, "staleDate", "50 to 70 s after the call",
                "\(now + 51), 81 s later"
            ),
            (
                "dismissalDate: 60s", #","dismissal-date":1"#, "dismissalDate", "50 to 70 s after the timestamp",
                "1, \(stamp - 1) s earlier"
            ),
            ("relevanceScore: 75", #","relevance-score":74"#, "relevanceScore", "75", "74"),
            ("relevanceScore: 75", "", "relevanceScore", "75", "none"),
            ("relevanceScore: absent", #","relevance-score":1"#, "relevanceScore", "none", "1"),
        ])
    func payloadWrong(keys: String, aps: String, field: String, expected: String, seen: String) throws {
        #expect(try found(keys, aps: aps) == [PushDeviation(field, expected: expected, seen: seen)])
    }

    @Test("may cut the text that the profile lets it cut, and tells a long one by its beginning")
    func cut() throws {
        let long = String(repeating: "a", count: 100)
        let keys = "alert: { body: \"\(long)\" }"
        let shown = #","alert":{"body":"\#(long.prefix(40))…"}"#
        #expect(try found(keys, aps: shown, truncates: 40) == [])
        let found = try found(keys, aps: shown)
        #expect(found.first?.expected == long.prefix(80) + "…")
    }

    @Test("is not asked what nobody knows any more")
    func unknown() throws {
        let checker = try #require(DeclaredChecker(profile(Self.collapse + ", sound: \"{{text}}\"")))
        let wall = WallTime(seconds: Self.now)
        let push = DeclarablePush(form: PushForm(.apns, .liveactivity, .update), arrivals: [wall], told: wall...wall)
        let payload = Array("{\"aps\":{}}".utf8)
        #expect(checker.deviations(push, payload.span, call: 1) { _ in nil } == [])
    }
}
