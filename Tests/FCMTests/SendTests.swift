// The rules of messages:send, one valid send with one knob turned (docs/fcm.md §2, §3).

import Basics
import FCM
import Pushes
import Testing

@Suite("A send")
struct SendTests {
    let judge = Judge()

    @Test("a body of more than 64 KiB is refused for its length, one of just that for what it says")
    func long() throws {
        let judge = Judge()
        var send = Send()
        send.body += String(repeating: " ", count: 65_536 - send.body.utf8.count)
        #expect(judge.reason(send) == nil)
        send.body += " "
        #expect(judge.reason(send) == .payloadTooLarge)
        #expect(try judge.message(send) == "Request payload size exceeds the limit: 65536 bytes.")
    }

    @Test("only JSON is answered, whatever else the query says", arguments: [
        ("?alt=json", nil), ("?key=k&$.xgafv=1&fields=name", nil), ("?alt=proto", .invalidJSON), ("?alt=xml&alt=json", nil),
    ] as [(String, FCMReason?)])
    func alt(_ query: String, _ reason: FCMReason?) throws {
        var send = Send()
        send.path += query
        #expect(Judge().reason(send) == reason)
    }

    @Test("that is right is accepted, and read")
    func right() {
        let verdict = judge.judge(
            .with(#""android":{"priority":"high","ttl":"3.5s","collapseKey":"k"},"notification":{"title":"T"}"#))
        #expect(verdict.rejection == nil)
        #expect(verdict.check == nil)
        #expect(verdict.facts.target == .token)
        #expect(verdict.facts.isHighPriority == true)
        #expect(verdict.facts.timeToLive == 3, "the fraction is dropped")
        #expect(verdict.facts.collapseMark != 0)
        #expect(verdict.facts.hasNotification && !verdict.facts.hasData)
        #expect(!verdict.facts.isDryRun)
        #expect(judge.judge(Send()).facts.hasData)
    }

    @Test("of a Live Activity shows its event and timestamp")
    func liveActivity() {
        let verdict = judge.judge(
            .with(#""apns":{"liveActivityToken":"ab01","payload":{"aps":{"event":"update","timestamp":17,"content-state":{}}}}"#))
        #expect(verdict.rejection == nil)
        #expect(verdict.facts.isLiveActivity)
        #expect(verdict.facts.event == .update)
        #expect(verdict.facts.stamp == 17)
    }

    @Test("of a Live Activity is refused without its token, wherever else that lies (§6.1)", arguments: [
        #""apns":{"payload":{"live_activity_token":"ab01","aps":{"event":"update","timestamp":17,"content-state":{}}}}"#,
        #""apns":{"live_activity_token":"","payload":{"aps":{"event":"update","timestamp":17,"content-state":{}}}}"#,
        #""apns":{"live_activity_token":"","payload":{"aps":{"alert":"hi"}}}"#,
        #""apns":{"payload":{"aps":{"event":"update","timestamp":17,"content-state":{}}}}"#,
        #""apns":{"payload":{"aps":{"event":"end","timestamp":17}}}"#,
        #""apns":{"headers":{"apns-push-type":"liveactivity"},"payload":{"aps":{"timestamp":17}}}"#,
    ])
    func activityWithoutToken(members: String) {
        #expect(judge.reason(.with(members)) == .invalidArgument)
        #expect(judge.validator.violations.isEmpty, "the registration is right")
        #expect(
            MessageReview.objection(to: Array(Send.with(members).body.utf8))
                == "Request contains an invalid argument. (a Live Activity's message needs apns.live_activity_token)")
    }

    @Test("for an iPhone that is none of an activity needs no such token", arguments: [
        #""apns":{"payload":{"aps":{"alert":"hi"}}}"#, #""apns":{"headers":{"apns-push-type":"alert"},"payload":{"event":"end"}}"#,
        #""apns":{"payload":{"aps":{"alert":"hi","event":"other"}}}"#, #""data":{"event":"update"}"#,
    ])
    func others(members: String) { #expect(judge.reason(.with(members)) == nil) }

    @Test("elsewhere is not found", arguments: [
        "/v1/projects/demo/messages:sen", "/v1/projects//messages:send", "/v2/projects/demo/messages:send", "/fcm/send", "/batch",
        "/v1/projects/demo/extra/messages:send",
    ])
    func elsewhere(_ path: String) {
        var send = Send()
        send.path = path
        #expect(judge.reason(send) == .notFound)
    }

    @Test("may have a query and an encoded colon", arguments: [
        "/v1/projects/demo/messages:send?prettyPrint=false", "/v1/projects/demo/messages%3Asend",
    ])
    func spelling(_ path: String) {
        var send = Send()
        send.path = path
        #expect(judge.reason(send) == nil)
    }

    @Test("needs a good access token of its project")
    func credentials() {
        var send = Send()
        for (value, reason) in [
            (nil, FCMReason.credentialsMissing), ("Basic abc", .credentialsMissing), ("Bearer ", .credentialsMissing),
            ("Bearer other", .invalidCredentials), ("Bearer old", .accessTokenExpired), ("Bearer narrow", .scopeInsufficient),
        ] as [(String?, FCMReason)] {
            send.authorization = value
            #expect(judge.reason(send) == reason)
        }
        send.authorization = "bearer good"
        #expect(judge.reason(send) == nil)
        send.path = "/v1/projects/other/messages:send"
        #expect(judge.reason(send) == .iamPermissionDenied)
        var open = FCMSettings()
        open.demandsAccessToken = false
        send.authorization = nil
        #expect(Judge(open).reason(send) == nil)
    }

    @Test("has exactly one target")
    func targets() throws {
        #expect(judge.reason(Send("{}")) == .recipientNotSet)
        var empty = Send()
        empty.body = "{}"
        #expect(judge.reason(empty) == .recipientNotSet)
        let two = Send(#"{"token":"a:b","topic":"news"}"#)
        #expect(
            try judge.message(two)
                == "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'")
        #expect(judge.reason(Send(#"{"token":"a:b","topic":null}"#)) == nil)
        #expect(judge.reason(.with(#""android":{},"androidV2":{}"#)) == .invalidArgument)
    }

    @Test("to what is no token, topic or condition is refused", arguments: [
        (#"{"token":"not-a-token"}"#, FCMReason.invalidRegistrationToken), (#"{"token":"a:"}"#, .invalidRegistrationToken),
        (#"{"token":"a:b c"}"#, .invalidRegistrationToken), (#"{"token":"a:b:c"}"#, .invalidRegistrationToken),
        (#"{"fid":"not-a-fid"}"#, .unregistered), (#"{"topic":"/topics/a"}"#, .invalidTopic), (#"{"topic":"a b"}"#, .invalidTopic),
        (#"{"topic":""}"#, .invalidTopic), (#"{"condition":"'a' in topics &&"}"#, .invalidCondition),
        (#"{"condition":"a in topics"}"#, .invalidCondition),
    ])
    func form(_ message: String, _ reason: FCMReason) { #expect(judge.reason(Send(message)) == reason) }

    @Test("to a FID, a topic or a condition is accepted", arguments: [
        #"{"fid":"cAbcdefghijklmnopqrstu"}"#, #"{"token":"cAbcdefghijklmnopqrstu"}"#, #"{"topic":"a-b_c.d~e%"}"#,
        #"{"condition":"'a' in topics && ('b' in topics || !('c' in topics))"}"#,
    ])
    func others(_ message: String) { #expect(judge.reason(Send(message)) == nil) }

    @Test("with reserved keys of data is refused", arguments: ["from", "message_type", "google.x", "gcm.notification.y"])
    func reserved(_ key: String) throws {
        for place in ["", "android"] {
            let data = #""data":{"a":"b","\#(key)":"v"}"#
            let send = Send.with(place.isEmpty ? data : #""android":{\#(data)}"#)
            #expect(judge.reason(send) == .invalidDataKey)
            #expect(try judge.message(send) == "Invalid data payload key: \(key)")
        }
        #expect(judge.reason(.with(#""data":{"collapse_key":"x","notification":"y","fromage":"z"}"#)) == nil)
    }

    @Test("of data that is no text names the place in the map")
    func data() throws {
        let number = Send.with(#""data":{"a":"b","c":12}"#)
        #expect(try judge.message(number) == "Invalid value at 'message.data[1].value' (TYPE_STRING), 12")
        #expect(try judge.field(number) == "message.data[1].value")
        let object = Send.with(#""android":{"data":{"a":"","b":"","c":"","metadata":{"x":1}}}"#)
        #expect(
            try judge.message(object)
                == "Invalid JSON payload received. Unknown name \"metadata\" at 'message.android.data[3].value': Cannot find field.")
    }

    @Test("with several faults tells them all, a line each")
    func several() throws {
        var send = Send()
        send.body = #"{"nobody":1,"message":{"token":5,"tokens":[]}}"#
        let message = try #require(try judge.message(send))
        #expect(message.split(separator: "\n").count == 3)
        #expect(message.hasPrefix("Invalid JSON payload received. Unknown name \"nobody\": Cannot find field.\n"))
    }

    @Test("with faults without end tells a hundred of them")
    func hundred() throws {
        for (count, told) in [(99, 99), (100, 100), (5_500, 100)] {
            var send = Send()
            send.body = "{" + (0..<count).map { #""x\#($0)":1"# }.joined(separator: ",") + "}"
            #expect(try judge.message(send)?.split(separator: "\n").count == told)
            send.body = #"{"message":{"topic":"a","data":{"# + (0..<count).map { #""x\#($0)":1"# }.joined(separator: ",") + "}}}"
            #expect(try judge.message(send)?.split(separator: "\n").count == told)
        }
    }

    @Test("lives from 0 to 2419200 seconds", arguments: [
        ("0s", nil), ("2419200s", nil), ("2419200.9s", nil), ("2419201s", FCMReason.invalidTTL), ("-1s", .invalidTTL),
        ("3600", .invalidJSON), ("1.s", .invalidJSON), ("1.0000000001s", .invalidJSON), ("s", .invalidJSON), ("1 s", .invalidJSON),
    ])
    func timeToLive(_ text: String, _ reason: FCMReason?) {
        #expect(judge.reason(.with(#""android":{"ttl":"\#(text)"}"#)) == reason)
    }

    @Test("of a bad duration names field and value")
    func badDuration() throws {
        #expect(
            try judge.message(.with(#""android":{"ttl":"3600"}"#))
                == "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), Field 'ttl', Illegal duration format: 3600")
    }

    @Test("with a webpush TTL that is no number is refused", arguments: ["-1", "", "1s", "x"])
    func webpushTTL(_ text: String) throws {
        let send = Send.with(#""webpush":{"headers":{"TTL":"\#(text)"}}"#)
        #expect(judge.reason(send) == .invalidWebpushTTL)
        #expect(try judge.field(send) == "message.webpush.headers.TTL")
        #expect(judge.reason(.with(#""webpush":{"headers":{"TTL":"60"}}"#)) == nil)
    }

    @Test("may be 4096 bytes of keys and values", arguments: [(4_095, nil), (4_096, FCMReason.androidMessageTooBig)])
    func size(_ count: Int, _ reason: FCMReason?) {
        let value = String(repeating: "x", count: count)
        #expect(judge.reason(.with(#""data":{"k":"\#(value)"}"#)) == reason)
        // An escape counts as what it says.
        #expect(judge.reason(.with(#""data":{"k":"\u0078\#(value.dropFirst())"}"#)) == reason)
        // What `android.data` replaces does not count.
        #expect(judge.reason(.with(#""data":{"k":"\#(value)\#(value)"},"android":{"data":{"k":"\#(value)"}}"#)) == reason)
        #expect(judge.reason(Send(#"{"topic":"t","data":{"k":"\#(value)"}}"#)) == reason.map { _ in .messageTooBig })
    }

    @Test("that is too long is told so in the words of its target")
    func sizeWords() throws {
        let data = #""data":{"k":"\#(String(repeating: "x", count: 5_000))"}"#
        let payload = #""apns":{"payload":{"aps":{"x":"\#(String(repeating: "x", count: 5_000))"}}}"#
        let activity = #""apns":{"live_activity_token":"ab"}"#
        for (message, text) in [
            (#""token":"\#(Send.token)",\#(data)"#, "Android message is too big"),
            (#""topic":"t",\#(data)"#, "Message is too large. The maximum is 4K (4096 bytes)."),
            (#""topic":"t",\#(payload)"#, "Message is too large. The maximum is 4K (4096 bytes)."),
            (#""token":"\#(Send.phone)",\#(data)"#, "Request contains an invalid argument."),
            (#""token":"\#(Send.phone)",\#(payload)"#, "Request contains an invalid argument."),
            (#""token":"\#(Send.token)",\#(data),\#(activity)"#, "Request contains an invalid argument."),
        ] {
            #expect(try judge.message(Send("{\(message)}")) == text)
        }
    }

    @Test("to a token that is gone, or another project's, is refused")
    func registrations() {
        #expect(judge.reason(Send(#"{"token":"\#(Send.gone)"}"#)) == .unregistered)
        #expect(judge.reason(Send(#"{"token":"\#(Send.foreign)"}"#)) == .senderIDMismatch)
        #expect(judge.reason(Send(#"{"validate_only":true,"token":"\#(Send.gone)"}"#)) == .invalidJSON)
        var dry = Send()
        dry.body = #"{"validateOnly":true,"message":{"token":"\#(Send.gone)"}}"#
        #expect(judge.reason(dry) == .unregistered, "errors are the same")
        dry.body = #"{"validateOnly":true,"message":{"token":"\#(Send.token)"}}"#
        #expect(judge.judge(dry).facts.isDryRun)
    }

    @Test("that is no JSON is told so", arguments: ["{", "", "[]", "nope", #"{"message":{"token":"a:b"}"#])
    func noJSON(_ body: String) throws {
        var send = Send()
        send.body = body
        #expect(judge.reason(send) == .invalidJSON)
        let details = try judge.answer(send)["error"]?["details"]?.array
        #expect(details?.count == 1)
        #expect(details?[0]["fieldViolations"]?.array?[0]["field"] == nil)
    }

    @Test("for another app than the registration's is refused; to a topic everybody else's app may be")
    func restrictedPackage() {
        let reason = { (name: String, target: String) in
            judge.reason(Send(#"{\#(target),"android":{"restricted_package_name":"\#(name)"}}"#))
        }
        let token = #""token":"\#(Send.token)""#
        #expect(reason("com.example.app", token) == nil)
        #expect(reason("com.example.other", token) == .invalidArgument)
        #expect(reason("com.example.other", #""topic":"news""#) == nil)
    }

    @Test("of android_v2 is high where it is for the user")
    func remoteNotification() {
        let isHigh = { (form: String) in judge.judge(.with(#""android_v2":{\#(form)}"#)).facts.isHighPriority }
        #expect(isHigh(#""remote_notification":{}"#) == true)
        #expect(isHigh(#""background_sync":{}"#) == nil)
    }

    @Test("has texts of its data found by their keys, those of android in place of the others")
    func dataPlace() {
        let text = { (send: Send, key: String) in
            #expect(judge.reason(send) == nil)
            return String(decoding: Array(send.body.utf8)[judge.validator.place(ofData: key)], as: UTF8.self)
        }
        #expect(text(.with(#""data":{"a":"1","b":"22"}"#), "b") == "22")
        #expect(text(.with(#""data":{"a":"1"},"android":{"data":{"b":"3"}}"#), "b") == "3")
        #expect(text(.with(#""data":{"a":"1"},"android":{"data":{"b":"3"}}"#), "a").isEmpty)
        #expect(text(.with(#""notification":{}"#), "a").isEmpty)
    }
}

@Suite("Answers of FCM")
struct ErrorBodyTests {
    @Test("each reason has the status of its list, and says its code", arguments: FCMReason.allCases)
    func statuses(_ reason: FCMReason) throws {
        let text = ErrorBody.text(of: reason, project: "demo")
        guard reason != .notFound, reason != .badGateway else {
            #expect(text.contains("<title>Error \(reason.status) "))
            #expect(reason.errorCode == nil)
            return
        }
        #expect(text.hasPrefix("{\n  \"error\": {\n"))
        #expect(text.hasSuffix("}\n"))
        let error = try #require(try JSONValue(parsing: text)["error"])
        #expect(error["code"]?.int == Int64(reason.status))
        #expect(!text.contains("{project}"))
        let codes = (error["details"]?.array ?? []).compactMap { $0["errorCode"]?.string }
        #expect(codes == (reason.errorCode.map { [$0.description] } ?? []))
    }

    @Test("details stand in the order that was seen")
    func order() throws {
        func types(_ reason: FCMReason) throws -> [String] {
            let details = try JSONValue(parsing: ErrorBody.text(of: reason))["error"]?["details"]?.array ?? []
            return details.compactMap { $0["@type"]?.string?.split(separator: ".").last.map(String.init) }
        }
        #expect(try types(.recipientNotSet) == ["BadRequest", "FcmError"])
        #expect(try types(.invalidRegistrationToken) == ["FcmError", "BadRequest"])
        #expect(try types(.invalidCondition) == [])
        #expect(try types(.apnsTokenDisabled) == ["FcmError", "ApnsError"])
        #expect(try types(.unregistered) == ["FcmError"])
        #expect(try types(.serviceUnavailable) == [])
    }

    @Test("what APNs said stands in the place of a reason's own word, and last")
    func apple() throws {
        var circumstances = RefusalCircumstances()
        circumstances.apple = AppleRefusal(status: 410, reason: "ExpiredToken")
        for reason in [FCMReason.apnsTokenDisabled, .invalidArgument, .quotaExceeded] {
            let error = try JSONValue(parsing: ErrorBody.text(of: reason, circumstances))["error"]
            let told = error?["details"]?.array?.filter { $0["statusCode"] != nil } ?? []
            #expect(told.count == 1 && told[0]["reason"]?.string == "ExpiredToken" && told[0] == error?["details"]?.array?.last)
        }
    }

    @Test("that the API is off points to where it is switched on")
    func help() throws {
        let details = try JSONValue(parsing: ErrorBody.text(of: .serviceDisabled, project: "demo"))["error"]?["details"]?.array
        #expect(details?.count == 2 && details?[0]["reason"]?.string == "SERVICE_DISABLED")
        let link = details?[1]["links"]?.array?.first?["url"]?.string
        #expect(link == "https://console.developers.google.com/apis/api/fcm.googleapis.com/overview?project=demo")
    }

    @Test("the list of reasons has a row for each")
    func rows() {
        #expect(ReasonList.fcm.rows.count == FCMReason.allCases.count)
        #expect(FCMReason(word: "UNREGISTERED") == .unregistered)
        #expect(FCMReason(word: "SERVICE_UNAVAILABLE") == .serviceUnavailable)
        #expect(Set(ReasonList.fcm.words).count == FCMReason.allCases.count)
    }
}

@Suite("Conditions")
struct TopicConditionTests {
    @Test("hold as they read", arguments: [
        ("'a' in topics", ["a"], true), ("'a' in topics", ["b"], false), ("!('a' in topics)", ["b"], true),
        ("'a' in topics && 'b' in topics", ["a"], false), ("'a' in topics && 'b' in topics", ["a", "b"], true),
        ("'a' in topics || 'b' in topics && 'c' in topics", ["a"], true),
        ("('a' in topics || 'b' in topics) && 'c' in topics", ["a"], false),
    ])
    func hold(_ text: String, _ topics: [String], _ holds: Bool) throws {
        let condition = try #require(TopicCondition(text))
        #expect(condition.holds { topics.contains($0) } == holds)
    }

    @Test("that cannot be read are none", arguments: [
        "", "a", "'a'", "'a' in topic", "'a' in topicsx", "'a in topics", "('a' in topics", "'a' in topics)", "!", "&& 'a' in topics",
        "'a' in topics 'b' in topics", "'' in topics", "'a b' in topics",
        (1...6).map { "'t\($0)' in topics" }.joined(separator: " || "),
        String(repeating: "(", count: 5_000), String(repeating: "!", count: 5_000),
    ])
    func none(_ text: String) { #expect(TopicCondition(text) == nil) }

    @Test("name five topics at most")
    func five() { #expect(TopicCondition((1...5).map { "'t\($0)' in topics" }.joined(separator: " || "))?.topics.count == 5) }
}
