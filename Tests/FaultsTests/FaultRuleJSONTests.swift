// Rules as JSON: both ways, and what is said when one is wrong.

import APNs
import Basics
import Faults
import Testing

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
                        provider: "apns", token: "ABcd", topic: "com.example.app", pushType: .liveactivity,
                        event: .end, nth: 2, fraction: 0.1, tokenFraction: 1, priority: 5),
                    action: .respond(.unregistered, timestamp: .beforeRegistration), times: 3,
                    duration: .seconds(10), after: 2, at: .seconds(90)))
    }

    @Test(
        "every action is read",
        arguments: [
            (#"{"silence":true}"#, .silence), (#"{"delay":"200ms"}"#, .delay(.constant(0.2))),
            (#"{"delay":{"uniform":["10ms","50ms"]}}"#, .delay(.uniform(0.01, 0.05))),
            (#"{"delay":{"exponential":"50ms"}}"#, .delay(.exponential(mean: 0.05))),
            (#"{"delay":{"logNormal":{"median":"100ms","p95":"500ms"}}}"#, .delay(.logNormal(median: 0.1, p95: 0.5))),
            (#"{"respond":{"reason":"BadDeviceToken"}}"#, .respond(.badDeviceToken, timestamp: nil)),
            (
                #"{"respond":{"reason":"ExpiredToken","timestamp":"after-registration"}}"#,
                .respond(.expiredToken, timestamp: .afterRegistration)
            ),
            (
                #"{"respond":{"reason":"Unregistered","timestamp":"2026-11-20T10:00:00Z"}}"#,
                .respond(.unregistered, timestamp: .absolute(WallTime(seconds: 1_795_168_800)))
            ),
            (
                #"{"respond":{"reason":"Unregistered","timestamp":1795168800123}}"#,
                .respond(.unregistered, timestamp: .absolute(WallTime(milliseconds: 1_795_168_800_123)))
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
                provider: "apns", token: "ab", topic: "t", pushType: .alert, event: .start, nth: 1, fraction: 0.25,
                tokenFraction: 0.5, priority: 1),
            action: .respond(.unregistered, timestamp: .afterRegistration), times: 1,
            duration: .nanoseconds(1_234_567), after: 0, at: .milliseconds(1500))
        #expect(try FaultRule(json: rule.json) == rule)
        #expect(try FaultRule(json: rule.json, id: "other").id == "other")
        #expect(rule.json.at(pointer: "/at")?.string == "1500ms")
    }

    @Test("every reason can be scripted", arguments: Reason.allCases)
    func reasons(reason: Reason) throws {
        let read = try rule(#"{"action":{"respond":{"reason":"\#(reason.word)"}}}"#)
        #expect(read.action == .respond(reason, timestamp: nil))
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
            (#"{"action":{"delay":5}}"#, "/action/delay", #""200ms""#),
            (#"{"action":{"delay":"25h"}}"#, "/action/delay", "24 hours"),
            (#"{"action":{"delay":{"uniform":["2s","1s"]}}}"#, "/action/delay/uniform", "lower"),
            (#"{"action":{"delay":{"uniform":["2s"]}}}"#, "/action/delay/uniform", "two bounds"),
            (#"{"action":{"delay":{"uniform":["2s","x"]}}}"#, "/action/delay/uniform/1", "duration"),
            (#"{"action":{"delay":{"exponential":"0s"}}}"#, "/action/delay/exponential", "greater than 0"),
            (#"{"action":{"delay":{"logNormal":{"median":"1s"}}}}"#, "/action/delay/logNormal", "p95"),
            (#"{"action":{"delay":{}}}"#, "/action/delay", "one distribution"),
            (#"{"action":{"silence":true},"times":0}"#, "/times", "at least 1"),
            (#"{"action":{"silence":true},"after":-1}"#, "/after", "at least 0"),
            (#"{"action":{"silence":true},"for":10}"#, "/for", "duration"),
            (#"{"action":{"silence":true},"for":"0s"}"#, "/for", "duration"),
            (#"{"action":{"silence":true},"match":[]}"#, "/match", "object"),
            (#"{"action":{"silence":true},"match":{"pushtype":"alert"}}"#, "/match/pushtype", "did you mean `pushType`?"),
            (
                #"{"action":{"silence":true},"match":{"pushType":"liveActivity"}}"#, "/match/pushType",
                "did you mean `liveactivity`?"
            ),
            (#"{"action":{"silence":true},"match":{"event":"stop"}}"#, "/match/event", "start, update, end"),
            (#"{"action":{"silence":true},"match":{"provider":"fcm"}}"#, "/match/provider", "apns"),
            (#"{"action":{"silence":true},"match":{"token":"abc"}}"#, "/match/token", "hex"),
            (#"{"action":{"silence":true},"match":{"fraction":1.5}}"#, "/match/fraction", "share"),
            (#"{"action":{"silence":true},"match":{"fraction":0}}"#, "/match/fraction", "share"),
            (#"{"action":{"silence":true},"match":{"nth":0}}"#, "/match/nth", "at least 1"),
            (#"{"action":{"silence":true},"match":{"priority":7}}"#, "/match/priority", "1, 5 or 10"),
            (#"{"action":{"silence":true},"match":{"topic":5}}"#, "/match/topic", "string"),
        ])
    func mistakes(text: String, pointer: String, words: String) {
        let error = error(text)
        #expect(error?.pointer == pointer)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "no error")")
    }

    @Test("a 410's time stands before or after any registration of this run (spec/apns.md §13)")
    func timestamps() {
        let now = WallTime(seconds: 1_760_000_000)
        #expect(RelativeTimestamp.beforeRegistration.milliseconds(now: now) == 1_759_913_600_000)
        #expect(RelativeTimestamp.afterRegistration.milliseconds(now: now) == 1_760_000_000_000)
        #expect(RelativeTimestamp.absolute(WallTime(milliseconds: 5)).milliseconds(now: now) == 5)
    }
}
