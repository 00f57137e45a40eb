// Rules as JSON: both ways, and what is said when one is wrong.

import APNs
import Basics
import Pushes
import Testing

@testable import Faults

@Suite struct FaultRuleJSONTests {
    private func rule(_ text: String) throws -> FaultRule { try FaultRule(json: JSONValue(parsing: text)) }

    private func error(_ text: String) -> FaultRuleError? {
        do {
            _ = try rule(text)
            return nil
        } catch {
            return error as? FaultRuleError
        }
    }

    @Test("a whole rule is read")
    func whole() throws {
        let rule = try rule(
            """
            {"id": "mine", "match": {"provider": "apns", "token": "ABcd", "topic": "com.example.app",
             "pushType": "liveactivity", "event": "end", "nth": 2, "fraction": 0.1, "tokenFraction": 1, "priority": 5},
             "action": {"respond": {"reason": "Unregistered", "timestamp": "before-registration"}},
             "times": 3, "for": "10s", "after": 2, "at": "1m30s"}
            """)
        #expect(
            rule
                == FaultRule(
                    id: "mine",
                    match: FaultMatch(
                        provider: .apns, token: "ABcd", topic: "com.example.app", pushType: .liveactivity,
                        event: .end, nth: 2, fraction: 0.1, tokenFraction: 1, priority: 5),
                    action: .respond(Reason.unregistered.named, timestamp: .beforeRegistration), times: 3,
                    duration: .seconds(10), after: 2, at: .seconds(90)))
    }

    @Test(
        "every action is read",
        arguments: [
            (#"{"silence":true}"#, .silence), (#"{"delay":"200ms"}"#, .delay(.constant(0.2))),
            (#"{"delay":{"uniform":["10ms","50ms"]}}"#, .delay(.uniform(0.01, 0.05))),
            (#"{"delay":{"exponential":"50ms"}}"#, .delay(.exponential(mean: 0.05))),
            (#"{"delay":{"logNormal":{"median":"100ms","p95":"500ms"}}}"#, .delay(.logNormal(median: 0.1, p95: 0.5))),
            (
                #"{"delay":{"normal":{"mean":"100ms","deviation":"20ms"}}}"#,
                .delay(.normal(mean: 0.1, deviation: 0.02))
            ),
            (#"{"reset-stream":true}"#, .resetStream(code: 7, afterHeaders: false)),
            (#"{"reset-stream":{"code":2,"after":"headers"}}"#, .resetStream(code: 2, afterHeaders: true)),
            (#"{"max-streams":1}"#, .maxStreams(StreamsFault(count: 1))),
            (
                #"{"max-streams":{"count":0,"enforced":false}}"#,
                .maxStreams(StreamsFault(count: 0, isEnforced: false))
            ),
            (#"{"close":"reset"}"#, .close(CloseFault(manner: .reset, moment: .beforeAnswer, wait: nil))),
            (
                #"{"close":{"how":"fin","when":"half-answer"}}"#,
                .close(CloseFault(manner: .fin, moment: .halfAnswer, wait: nil))
            ),
            (#"{"window":{"initial":16}}"#, .window(WindowFault(initial: 16, withholding: nil))),
            (
                #"{"window":{"withhold":"5s"}}"#,
                .window(WindowFault(initial: nil, withholding: .lasting(.seconds(5))))
            ),
            (#"{"window":{"withhold":true}}"#, .window(WindowFault(initial: nil, withholding: .always))),
            (#"{"respond":{"reason":"BadDeviceToken"}}"#, .respond(Reason.badDeviceToken.named, timestamp: nil)),
            (#"{"respond":"BadTopic"}"#, .respond(Reason.badTopic.named, timestamp: nil)),
            (
                #"{"respond":{"status":502,"body":"<html>","headers":{"content-type":"text/html"}}}"#,
                .answer(
                    LawlessAnswer(
                        status: 502, body: "<html>",
                        headers: [LawlessAnswer.Field(name: "content-type", value: "text/html")]))
            ),
            (
                #"{"respond":{"status":499,"reason":"Novel"}}"#,
                .answer(LawlessAnswer(status: 499, body: #"{"reason":"Novel"}"#, headers: []))
            ),
            (
                #"{"respond":{"reason":"Shutdown","body":"no"}}"#,
                .answer(LawlessAnswer(status: 503, body: "no", headers: []))
            ),
            (
                #"{"respond":{"reason":"ExpiredToken","timestamp":"after-registration"}}"#,
                .respond(Reason.expiredToken.named, timestamp: .afterRegistration)
            ),
            (
                #"{"respond":{"reason":"Unregistered","delay":"1500ms"}}"#,
                .respond(Reason.unregistered.named, timestamp: nil, delay: .milliseconds(1_500))
            ),
            (
                #"{"respond":{"reason":"Unregistered","timestamp":"2026-11-20T10:00:00Z"}}"#,
                .respond(Reason.unregistered.named, timestamp: .absolute(WallTime(seconds: 1_795_168_800)))
            ),
            (
                #"{"respond":{"reason":"Unregistered","timestamp":1795168800123}}"#,
                .respond(Reason.unregistered.named, timestamp: .absolute(WallTime(milliseconds: 1_795_168_800_123)))
            ),
        ] as [(String, FaultAction)])
    func actions(text: String, action: FaultAction) throws {
        let rule = try rule(#"{"action":\#(text)}"#)
        #expect(rule == FaultRule(action: action))
        #expect(try FaultRule(json: rule.json) == rule)
    }

    @Test("what is written is read back the same, and an id given beside the text wins")
    func roundTrip() throws {
        let rule = FaultRule(
            id: "f1",
            match: FaultMatch(
                provider: .apns, token: "ab", topic: "t", pushType: .alert, event: .start, nth: 1, fraction: 0.25,
                tokenFraction: 0.5, priority: 1),
            action: .respond(Reason.unregistered.named, timestamp: .afterRegistration), times: 1,
            duration: .nanoseconds(1_234_567), after: 0, at: .milliseconds(1500))
        #expect(try FaultRule(json: rule.json) == rule)
        #expect(try FaultRule(json: rule.json, id: "other").id == "other")
        #expect(rule.json.at(pointer: "/at")?.string == "1500ms")
    }

    @Test(
        "the whole grammar is written back as it was read",
        arguments: [
            #"{"action":{"goaway":true}}"#, #"{"action":{"goaway":"Shutdown"}}"#,
            #"{"action":{"goaway":{"debug":"some text","code":"REFUSED_STREAM","last":"none","twice":true}}}"#,
            #"{"action":{"goaway":{"reason":"Shutdown","last":7,"then":"open"}}}"#,
            #"{"meets":"connection","action":{"goaway":{"wait":"2s"}}}"#,
            #"{"action":{"refuse-tls":"alert"}}"#, #"{"action":{"refuse-tls":{"alert":42}}}"#,
            #"{"action":{"refuse-tls":"close"}}"#, #"{"action":{"refuse-tls":"reset"}}"#,
            #"{"action":{"refuse-tls":"certificate"}}"#, #"{"meets":"connection","action":{"close":{"wait":"1s"}}}"#,
            #"{"meets":"connection","action":{"raw":"bad-setting"}}"#,
            #"{"action":{"raw":{"frames":"unknown-frame","place":"after"}}}"#,
            #"{"action":{"raw":{"hex":"00 0004 0800 {stream}{apnsId} 0a","place":"before"}}}"#,
            #"{"action":{"silence":true},"match":{"tokens":["ab","cd"],"environment":"sandbox"}}"#,
            #"{"match":{"endpoint":"token","nth":2},"action":{"respond":{"reason":"invalid_grant","delay":"2s"}}}"#,
            #"{"match":{"provider":"fcm","endpoint":"topic","topic":"news"},"action":{"respond":{"reason":"UNREGISTERED"}}}"#,
            #"{"match":{"endpoint":"send"},"action":{"silence":true}}"#,
            #"{"action":{"silence":true},"match":{"nth":{"from":2,"to":5},"nthOfConnection":{"every":3}}}"#,
            #"{"action":{"silence":true},"match":{"connection":{"from":2,"every":2},"connectionFraction":0.5}}"#,
            #"{"action":{"silence":true},"times":1,"after":2,"per":"token","renew":"1s","ttl":"1m"}"#,
            #"{"action":{"silence":true},"windows":{"every":"1m","for":"5s"},"until-heals":"new-provider-token"}"#,
            #"{"action":{"silence":true},"windows":[["0s","5s"],["10s","20s"]],"until-heals":{"quiet":"3s"}}"#,
        ])
    func grammar(text: String) throws {
        let rule = try rule(text)
        #expect(try FaultRule(json: rule.json) == rule)
        #expect(try FaultRule(json: JSONValue(parsing: rule.json.text)) == rule)
    }

    @Test(
        "a refusal's delay is a duration, of a reason of APNs, and of no broadcast",
        arguments: [
            #"{"action":{"respond":{"reason":"Unregistered","delay":"25h"}}}"#,
            #"{"action":{"respond":{"reason":"Unregistered","delay":2}}}"#,
            #"{"action":{"respond":{"status":502,"delay":"2s"}}}"#,
            #"{"action":{"respond":{"reason":"ChannelNotRegistered","delay":"2s"}},"meets":"broadcast"}"#,
            #"{"action":{"respond":{"reason":"BadPriority","delay":"2s"}},"meets":"broadcast"}"#,
        ])
    func delayedRefusals(text: String) throws {
        let error = #expect(throws: FaultRuleError.self) { try rule(text) }
        #expect(error?.pointer == "/action/respond/delay")
        #expect(error?.hint != nil)
    }

    @Test("every named sequence of frames can be scripted", arguments: LawlessFrames.all.map(\.name))
    func frames(name: String) throws {
        let read = try rule(#"{"action":{"raw":"\#(name)"}}"#)
        #expect(try FaultRule(json: read.json) == read)
    }

    @Test("every reason can be scripted", arguments: Reason.allCases)
    func reasons(reason: Reason) throws {
        let read = try rule(#"{"action":{"respond":{"reason":"\#(reason.word)"}}}"#)
        #expect(read.action == .respond(reason.named, timestamp: nil))
    }

    @Test(
        "a mistake is told with its place and a way out",
        arguments: [
            ("[]", "", "an object"), ("{}", "", "needs an action"),
            (#"{"action":{"silence":true},"tims":3}"#, "/tims", "did you mean `times`?"),
            (#"{"action":{"silence":true},"x/y":3}"#, "/x~1y", "known: id, match"),
            (#"{"action":{"silense":true}}"#, "/action/silense", "did you mean `silence`?"),
            (#"{"action":{}}"#, "/action", "respond"), (#"{"action":"silence"}"#, "/action", "respond"),
            (#"{"action":{"silence":true,"delay":"1s"}}"#, "/action", "one action"),
            (#"{"action":{"silence":1}}"#, "/action/silence", "true"),
            (#"{"action":{"respond":{}}}"#, "/action/respond", "reason is missing"),
            (
                #"{"action":{"respond":{"reason":"BadDevceToken"}}}"#, "/action/respond/reason",
                "did you mean `BadDeviceToken`?"
            ),
            (
                #"{"action":{"respond":{"reason":"BadTopic","timestamp":1}}}"#, "/action/respond/timestamp",
                "no timestamp"
            ),
            (
                #"{"action":{"respond":{"reason":"Unregistered","timestamp":"soon"}}}"#, "/action/respond/timestamp",
                "before-registration"
            ),
            (#"{"action":{"respond":{"reason":"invalid_grant"}}}"#, "/action/respond/reason", #""endpoint": "token""#),
            (
                #"{"match":{"endpoint":"token"},"action":{"respond":{"reason":"UNREGISTERED"}}}"#, "/action/respond/reason",
                "oauth-reasons"
            ),
            (
                #"{"match":{"endpoint":"topic"},"action":{"respond":{"reason":"MESSAGE_TOO_BIG"}}}"#, "/action/respond/reason",
                "never answer MESSAGE_TOO_BIG"
            ),
            (
                #"{"match":{"endpoint":"topic"},"action":{"respond":{"reason":"BadDeviceToken"}}}"#, "/action/respond/reason",
                "TOPIC_QUOTA_EXCEEDED"
            ),
            (#"{"match":{"endpoint":"tokn"},"action":{"silence":true}}"#, "/match/endpoint", "token"),
            (
                #"{"match":{"endpoint":"token","provider":"apns"},"action":{"silence":true}}"#, "/match/endpoint",
                "apns has no endpoint token"
            ),
            (
                #"{"match":{"endpoint":"token","token":"a:b"},"action":{"silence":true}}"#, "/match/token",
                "a request for an access token"
            ),
            (
                #"{"match":{"endpoint":"topic","pushType":"alert"},"action":{"silence":true}}"#, "/match/pushType",
                "a request about topics"
            ),
            (
                #"{"meets":"connection","match":{"endpoint":"token"},"action":{"close":"fin"}}"#, "/match/endpoint",
                "meets connections"
            ),
            (#"{"match":{"endpoint":"token"},"action":{"silence":true},"times":1,"per":"token"}"#, "/per", "no registration"),
            (
                #"{"match":{"endpoint":"token"},"action":{"silence":true},"until-heals":"new-provider-token"}"#,
                "/until-heals", "quiet"
            ),
            (#"{"action":{"delay":5}}"#, "/action/delay", #""200ms""#),
            (#"{"action":{"delay":"25h"}}"#, "/action/delay", "24 hours"),
            (#"{"action":{"delay":{"uniform":["2s","1s"]}}}"#, "/action/delay/uniform", "lower"),
            (#"{"action":{"delay":{"uniform":["2s"]}}}"#, "/action/delay/uniform", "two bounds"),
            (#"{"action":{"delay":{"uniform":["2s","x"]}}}"#, "/action/delay/uniform/1", "duration"),
            (#"{"action":{"delay":{"exponential":"0s"}}}"#, "/action/delay/exponential", "greater than 0"),
            (#"{"action":{"delay":{"logNormal":{"median":"1s"}}}}"#, "/action/delay/logNormal", "p95"),
            (#"{"action":{"delay":{}}}"#, "/action/delay", "one distribution"),
            (#"{"action":{"delay":{"normal":{"mean":"1s"}}}}"#, "/action/delay/normal", "deviation"),
            (#"{"action":{"respond":{"status":42}}}"#, "/action/respond/status", "200 to 999"),
            (#"{"action":{"respond":{"body":"x"}}}"#, "/action/respond/status", "status is missing"),
            (
                #"{"action":{"respond":{"status":410,"timestamp":1}}}"#, "/action/respond/timestamp", "into the body"
            ),
            (
                #"{"action":{"respond":{"status":200,"headers":{"Server":"x"}}}}"#, "/action/respond/headers/Server",
                "lower-case"
            ),
            (#"{"action":{"reset-stream":{"code":"REFUSED"}}}"#, "/action/reset-stream/code", "REFUSED_STREAM"),
            (#"{"action":{"reset-stream":{"after":"body"}}}"#, "/action/reset-stream/after", "headers"),
            (#"{"action":{"goaway":"Shutdwn"}}"#, "/action/goaway", "did you mean `Shutdown`?"),
            (#"{"action":{"goaway":"Maximum active streams"}}"#, "/action/goaway", #"{"debug": "…"}"#),
            (#"{"action":{"goaway":{"reason":"Shutdown","debug":"x"}}}"#, "/action/goaway/debug", "not both"),
            (#"{"action":{"goaway":{"last":2}}}"#, "/action/goaway/last", "odd number"),
            (#"{"action":{"goaway":{"wait":"1s"}}}"#, "/action/goaway/wait", #""meets": "connection""#),
            (
                #"{"meets":"connection","action":{"goaway":{"last":"this"}}}"#, "/action/goaway/last",
                "no push yet"
            ),
            (#"{"action":{"max-streams":-1}}"#, "/action/max-streams", "number of streams"),
            (#"{"action":{"max-streams":{"count":"1"}}}"#, "/action/max-streams/count", "number of streams"),
            (#"{"action":{"max-streams":{"enforced":true}}}"#, "/action/max-streams/count", "missing"),
            (#"{"action":{"max-streams":{"count":1,"enforced":1}}}"#, "/action/max-streams/enforced", "true or false"),
            (#"{"action":{"window":{}}}"#, "/action/window", "initial"),
            (#"{"action":{"window":{"initial":2147483648}}}"#, "/action/window/initial", "2147483647"),
            (#"{"action":{"close":"rst"}}"#, "/action/close/how", "known: clean, fin, reset"),
            (
                #"{"meets":"connection","action":{"close":{"when":"half-answer"}}}"#, "/action/close/when",
                "no answer yet"
            ),
            (#"{"action":{"refuse-tls":"shout"}}"#, "/action/refuse-tls", "alert, close, reset, certificate"),
            (#"{"meets":"push","action":{"refuse-tls":"alert"}}"#, "/meets", "done to a connection, and a push comes after TLS"),
            (
                #"{"meets":"broadcast","action":{"refuse-tls":"alert"}}"#, "/meets",
                "done to a connection, and a broadcast comes after TLS"
            ),
            (
                #"{"meets":"connection","action":{"silence":true}}"#, "/meets",
                "done to a push or a broadcast, and a connection has no request yet"
            ),
            (#"{"meets":"broadcast","action":{"close":{"wait":"1s"}}}"#, "/action/close/wait", #""meets": "connection""#),
            (#"{"action":{"raw":"bad-hpak"}}"#, "/action/raw/frames", "did you mean `bad-hpack`?"),
            (#"{"action":{"raw":{"hex":"0"}}}"#, "/action/raw/hex", "pairs of hex digits"),
            (#"{"action":{"raw":{"hex":"00","frames":"bad-hpack"}}}"#, "/action/raw/hex", "not both"),
            (#"{"meets":"connection","action":{"raw":"bad-hpack"}}"#, "/action/raw", "bad-setting"),
            (#"{"meets":"connection","action":{"raw":{"hex":"{apnsId}"}}}"#, "/action/raw", "about a push"),
            (
                #"{"meets":"connection","action":{"close":"fin"},"match":{"token":"ab"}}"#, "/match/token",
                "connectionFraction"
            ),
            (#"{"action":{"silence":true},"per":"token"}"#, "/per", "times"),
            (#"{"action":{"silence":true},"renew":"1s"}"#, "/renew", "times"),
            (#"{"meets":"connection","action":{"close":"fin"},"times":1,"per":"token"}"#, "/per", "alike"),
            (
                #"{"action":{"refuse-tls":"alert"},"until-heals":"new-connection"}"#, "/until-heals", "quiet only"
            ),
            (#"{"action":{"silence":true},"until-heals":"rest"}"#, "/until-heals", "new-connection"),
            (#"{"action":{"silence":true},"windows":{"every":"1s","for":"2s"}}"#, "/windows", "no longer"),
            (#"{"action":{"silence":true},"windows":[["1s","2s"],["2s","1s"]]}"#, "/windows/1", "earlier one first"),
            (#"{"action":{"silence":true},"match":{"tokens":["ab","x"]}}"#, "/match/tokens/1", "hex"),
            (#"{"action":{"silence":true},"match":{"nth":{"from":5,"to":2}}}"#, "/match/nth/to", "before it begins"),
            (#"{"action":{"silence":true},"match":{"environment":"test"}}"#, "/match/environment", "sandbox"),
            (#"{"action":{"silence":true},"times":0}"#, "/times", "from 1 to"),
            (#"{"action":{"silence":true},"after":-1}"#, "/after", "from 0 to"),
            (#"{"action":{"silence":true},"for":10}"#, "/for", "duration"),
            (#"{"action":{"silence":true},"for":"0s"}"#, "/for", "duration"),
            (#"{"action":{"silence":true},"match":[]}"#, "/match", "object"),
            (#"{"action":{"silence":true},"match":{"pushtype":"alert"}}"#, "/match/pushtype", "did you mean `pushType`?"),
            (
                #"{"action":{"silence":true},"match":{"pushType":"liveActivity"}}"#, "/match/pushType",
                "did you mean `liveactivity`?"
            ),
            (#"{"action":{"silence":true},"match":{"event":"stop"}}"#, "/match/event", "start, update, end"),
            (#"{"action":{"silence":true},"match":{"provider":"gcm"}}"#, "/match/provider", "fcm"),
            (
                #"{"action":{"respond":{"reason":"UNREGISTERED"}},"match":{"provider":"apns"}}"#, "/action/respond/reason",
                "a reason of fcm"
            ),
            (#"{"action":{"silence":true},"match":{"token":"abc"}}"#, "/match/token", "hex"),
            (#"{"action":{"silence":true},"match":{"fraction":1.5}}"#, "/match/fraction", "share"),
            (#"{"action":{"silence":true},"match":{"fraction":0}}"#, "/match/fraction", "share"),
            (#"{"action":{"silence":true},"match":{"nth":0}}"#, "/match/nth", "from 1 to"),
            (#"{"action":{"silence":true},"match":{"priority":7}}"#, "/match/priority", "1, 5 or 10"),
            (#"{"action":{"silence":true},"match":{"topic":5}}"#, "/match/topic", "string"),
            ("{\"action\":{\"silence\":true},\"~\u{301}\":1}", "/~0\u{301}", "unknown member"),
        ])
    func mistakes(text: String, pointer: String, words: String) {
        let error = error(text)
        #expect(error?.pointer == pointer)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "no error")")
    }

    @Test("a 410's time stands before or after any registration of this run (docs/apns.md §13)")
    func timestamps() {
        let now = WallTime(seconds: 1_760_000_000)
        #expect(RelativeTimestamp.beforeRegistration.milliseconds(now: now) == 1_759_913_600_000)
        #expect(RelativeTimestamp.afterRegistration.milliseconds(now: now) == 1_760_000_000_000)
        #expect(RelativeTimestamp.absolute(WallTime(milliseconds: 5)).milliseconds(now: now) == 5)
    }

    @Test("a rule for broadcasts takes their reasons and nothing that is about tokens")
    func broadcasts() throws {
        let text = #"{"meets":"broadcast","action":{"respond":{"reason":"BadPriority"}},"match":{"event":"end"}}"#
        let rule = try rule(text)
        #expect(rule.target == .broadcast && rule.action == .refuse(BroadcastReason.badPriority.named))
        #expect(try FaultRule(json: rule.json) == rule)
        let off = try self.rule(text.replacing("BadPriority", with: "FeatureNotEnabled"))
        #expect(off.action == .refuse(BroadcastReason.featureNotEnabled.named))
        let wrong = [
            (text.replacing("BadPriority", with: "Unregistered"), "/action/respond/reason"),
            (#"{"action":{"respond":{"reason":"FeatureNotEnabled"}}}"#, "/action/respond/reason"),
            (text.replacing(#""event":"end""#, with: #""token":"abcd""#), "/match/token"),
            (#"{"meets":"broadcast","action":{"goaway":{"wait":"1s"}}}"#, "/action/goaway/wait"),
            (#"{"meets":"broadcast","action":{"silence":true},"times":1,"per":"token"}"#, "/per"),
        ]
        for (text, pointer) in wrong { #expect(error(text)?.pointer == pointer, "\(text)") }
    }

    @Test(
        "all that can be done to a push can be done to a broadcast, and nothing else",
        arguments: FaultVocabulary.words.filter { $0.kind == .action })
    func actionsOfBroadcasts(word: FaultWord) throws {
        let action = try JSONValue(parsing: word.example)["action"] ?? .null
        let isOfRequests = word.name != "refuse-tls"
        for target in ["push", "broadcast"] {
            var rule: JSONObject = ["meets": .string(target), "action": action]
            if word.name == "respond" { rule["action"] = ["respond": ["reason": "Shutdown"]] }
            #expect(((try? FaultRule(json: .object(rule))) != nil) == isOfRequests)
        }
    }

    @Test("lawless frames of a broadcast name its id and a reason of its own")
    func framesOfBroadcasts() throws {
        func bytes(_ meets: String) throws -> String {
            let rule = try rule(#"{"meets":"\#(meets)","action":{"raw":"spaced-body"}}"#)
            #expect(try FaultRule(json: rule.json) == rule)
            guard case .raw(let fault) = rule.action else { return "" }
            return String(decoding: fault.bytes.bytes(stream: 1, apnsID: "ID"), as: UTF8.self)
        }
        #expect(try bytes("push").contains("apns-id") && bytes("push").contains("BadDeviceToken"))
        #expect(try bytes("broadcast").contains("apns-request-id") && bytes("broadcast").contains("BadChannelId"))
    }
}
