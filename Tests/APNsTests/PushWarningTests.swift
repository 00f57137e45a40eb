// What APNs takes without a word and that is wrong all the same (docs/apns.md §3, §4, §5, §10): one good push, one
// knob.

import APNs
import Basics
import Pushes
import Testing

@Suite struct PushWarningTests {
    let rig = ValidatorRig()

    private func warnings(
        _ type: PushType?, priority: String? = nil, expiration: String? = nil, _ body: String
    ) -> [PushWarning] {
        var push = rig.push()
        push["apns-push-type"] = type?.word.description
        push["apns-topic"] = "com.example.app" + (type?.topicSuffix.description ?? "")
        push["apns-priority"] = priority
        push["apns-expiration"] = expiration
        push.body = body
        let verdict = rig.judge(push)
        #expect(verdict.rejection == nil)
        return PushWarning.all(in: verdict.facts.warnings)
    }

    private func activity(_ more: String) -> [PushWarning] {
        warnings(
            .liveactivity, priority: "5",
            #"{"aps":{"timestamp":1760000000,"event":"update","content-state":{"text":"hi"}\#(more)}}"#)
    }

    @Test("a good push of each kind has none")
    func none() {
        #expect(warnings(.alert, #"{"aps":{"alert":"hi","interruption-level":"time-sensitive","relevance-score":0.5}}"#) == [])
        #expect(warnings(.background, priority: "5", #"{"aps":{"content-available":1}}"#) == [])
        #expect(warnings(.widgets, #"{"aps":{"content-changed":true}}"#) == [])
        #expect(warnings(.pushtotalk, expiration: "0", #"{"aps":{}}"#) == [])
        #expect(activity("") == [])
    }

    @Test("a background push has content-available 1, nothing to show, and priority 5 (§4, §5)")
    func background() {
        #expect(
            warnings(.background, priority: "5", #"{"aps":{"content-available":1,"badge":2}}"#) == [.backgroundWithAlert])
        #expect(warnings(.background, priority: "5", #"{"aps":{}}"#) == [.backgroundWithoutContent])
        #expect(warnings(.background, priority: "1", #"{"aps":{"content-available":1}}"#) == [.backgroundPriority])
    }

    @Test("a widgets push says content-changed (§4)", arguments: ["{}", #"{"content-changed":false}"#])
    func widgets(aps: String) {
        for type in [PushType.widgets, .controls] { #expect(warnings(type, #"{"aps":\#(aps)}"#) == [.widgetsWithoutChange]) }
    }

    @Test("Push to Talk is for now or never (§4)")
    func pushToTalk() {
        #expect(warnings(.pushtotalk, #"{"aps":{}}"#) == [.pushToTalkKept])
        #expect(warnings(.pushtotalk, priority: "5", expiration: "0", #"{"aps":{}}"#) == [.pushToTalkKept])
    }

    @Test("priority 1 is none of a Live Activity's (§4)")
    func activityPriority() {
        let body = #"{"aps":{"timestamp":1760000000,"event":"update","content-state":{}}}"#
        #expect(warnings(.liveactivity, priority: "1", body) == [.activityPriority])
        #expect(warnings(.liveactivity, priority: "10", body) == [])
    }

    @Test("levels and scores have their ranges; a Live Activity's score has none (§5)")
    func ranges() {
        #expect(warnings(.alert, #"{"aps":{"alert":"x","interruption-level":"loud"}}"#) == [.unknownInterruptionLevel])
        #expect(warnings(.alert, #"{"aps":{"alert":"x","relevance-score":1.5}}"#) == [.relevanceOutOfRange])
        #expect(warnings(.alert, #"{"aps":{"alert":"x","relevance-score":"high"}}"#) == [.relevanceOutOfRange])
        #expect(activity(#","relevance-score":75"#) == [])
    }

    @Test("without apns-push-type a watch gets nothing; without aps nothing is shown (§3, §5)")
    func absent() {
        #expect(warnings(nil, #"{"aps":{"alert":"x"}}"#) == [.noPushType])
        #expect(warnings(.alert, #"{"aircraft":1}"#) == [.noAPS])
        #expect(warnings(.alert, "no json") == [.malformedJSON])
    }

    @Test(
        "a push that is refused before its body is read has none",
        arguments: [("apns-topic", "not the app", "TopicDisallowed"), ("apns-priority", "7", "BadPriority"),
            ("apns-push-type", "nonsense", "InvalidPushType"), ("apns-expiration", "1.5", "BadExpirationDate"),
            ("apns-topic", nil, "MissingTopic")] as [(String, String?, String)])
    func refused(field: String, value: String?, reason: String) {
        var push = rig.push()
        push[field] = value
        let verdict = rig.judge(push)
        #expect(verdict.rejection != nil && PushWarning.all(in: verdict.facts.warnings) == [], "\(reason)")
        // One that is refused for its token's sake has been read.
        var other = rig.push()
        (other.path, other.body) = ("/3/device/abc", "no json")
        let read = rig.judge(other)
        #expect(read.rejection == .badDeviceToken && PushWarning.all(in: read.facts.warnings) == [.malformedJSON])
    }

    @Test("Unix seconds in a content state are read as a date 31 years ahead (§10)")
    func dates() {
        #expect(activity(#","attributes":{"started":1795168800}"#) == [.unixDateInState])
        #expect(activity(#","attributes":{"started":816861600}"#) == [])
        #expect(activity(#","attributes":{"at":"1795168800","n":17951688001}"#) == [])
        #expect(activity(#","alert":"text""#) == [.alertNotAnObject])
    }

    @Test(
        "also below other members, whatever they are", arguments: [#"{"run":{"started":1795168800}}"#,
            #"{"runs":[{"name":"a"},{"at":{"ended":1795168800}}]}"#, #"{"times":[1,1795168800]}"#])
    func nestedDates(attributes: String) {
        #expect(activity(#","attributes":\#(attributes)"#) == [.unixDateInState])
        #expect(activity(#","attributes":\#(attributes.replacingDate)"#) == [])
    }

    @Test("a dismissal-date belongs to an end (§10)")
    func dismissal() {
        #expect(activity(#","dismissal-date":1760000900"#) == [.dismissalWithoutEnd])
        #expect(PushWarning.dismissalWithoutEnd.word.description == "dismissal-date-without-end")
        let end = #"{"aps":{"timestamp":1760000000,"event":"end","dismissal-date":1760000900}}"#
        #expect(warnings(.liveactivity, priority: "5", end) == [])
    }

    @Test("the app's attributes types are spelled to the letter, where a setting names them (§10)")
    func attributesTypes() {
        let rig = ValidatorRig { $0.attributesTypes = ["RunAttributes"] }
        func defect(_ type: String) -> ActivityDefect? {
            rig.facts {
                $0["apns-push-type"] = "liveactivity"
                $0["apns-topic"] = "com.example.app.push-type.liveactivity"
                $0.body =
                    #"{"aps":{"timestamp":1760000000,"event":"start","content-state":{},"attributes":{},"#
                    + #""attributes-type":\#(type),"alert":{"title":"t"}}}"#
            }.activity?.defect
        }
        #expect(defect(#""RunAttributes""#) == nil)
        #expect(defect(#""runAttributes""#) == .unknownAttributesType)
        #expect(defect("7") == .attributesTypeNotAString)
    }

    @Test("the mark of a collapse id is never 0, the same for the same id and another for another (§12)")
    func collapseMarks() {
        func mark(_ id: String?) -> UInt32 { rig.facts { $0["apns-collapse-id"] = id }.collapseMark }
        #expect(mark(nil) == 0)
        #expect(mark("build") == mark("build") && mark("build") != 0)
        #expect(mark("build") != mark("Build"))
    }

    /// What the clock tells besides; `rig` stands at its own time.
    private func dated(_ type: PushType, expiration: String? = nil, _ body: String) -> [PushWarning] {
        var push = rig.push()
        push["apns-push-type"] = type.word.description
        push["apns-topic"] = "com.example.app" + type.topicSuffix.description
        push["apns-priority"] = "5"
        push["apns-expiration"] = expiration
        push.body = body
        let verdict = rig.judge(push)
        #expect(verdict.rejection == nil)
        return PushWarning.all(in: verdict.facts.warnings | verdict.facts.warnings(at: rig.time.wall()))
    }

    @Test("an expiration that is neither 0 nor ahead is told for what it looks like (§3)", arguments: [
        (nil, nil), ("0", nil), ("+1", nil), ("+86400", nil), ("+40000000", nil),
        ("86400", .expirationRelative), ("1", .expirationRelative), ("2592000", .expirationRelative),
        ("+0", .expirationPassed), ("+-1", .expirationPassed), ("+-86400", .expirationPassed), ("-1", .expirationPassed),
        ("-9223372036854775807", .expirationPassed), ("minutes", .expirationInMinutes),
        ("milliseconds", .expirationInMilliseconds), ("9223372036854775807", .expirationInMilliseconds),
    ] as [(String?, PushWarning?)])
    func expiration(given: String?, warning: PushWarning?) {
        let now = rig.time.wall().seconds
        let text: String? =
            switch given {
            case "minutes": "\(now / 60 + 1_440)"
            case "milliseconds": "\((now + 3_600) * 1_000)"
            case let given? where given.hasPrefix("+"): "\(now + Int64(given.dropFirst())!)"
            default: given
            }
        #expect(dated(.alert, expiration: text, #"{"aps":{"alert":"hi"}}"#) == [warning].compactMap { $0 }, "\(text ?? "none")")
    }

    @Test("dates of a card are told for what they look like (§10)", arguments: [
        ("stale-date", "+600", nil), ("stale-date", "+600.5", nil), ("stale-date", "+30000", nil),
        ("stale-date", "+-10", .staleAtOnce), ("stale-date", "600", .cardDateRelative),
        ("stale-date", "ms+600", .cardDateInMilliseconds), ("stale-date", "min+600", .cardDateInMinutes),
        ("stale-date", "\"text\"", .cardDateNotANumber), ("stale-date", "true", .cardDateNotANumber),
        ("stale-date", "+1500000000", .cardDateFarAhead), ("stale-date", "null", nil),
        ("dismissal-date", "+600", nil), ("dismissal-date", "+14400", nil), ("dismissal-date", "0", nil),
        ("dismissal-date", "1", nil), ("dismissal-date", "+-10", nil), ("dismissal-date", "300", .cardDateRelative),
        ("dismissal-date", "+28800", .dismissalTooLate), ("dismissal-date", "+1500000000", .dismissalTooLate),
        ("dismissal-date", "ms+60", .cardDateInMilliseconds), ("dismissal-date", "\"+600\"", .cardDateNotANumber),
    ] as [(String, String, PushWarning?)])
    func cardDates(name: String, given: String, warning: PushWarning?) {
        let now = rig.time.wall().seconds
        let text: String =
            if given.hasPrefix("ms+") {
                "\((now + Int64(given.dropFirst(3))!) * 1_000)"
            } else if given.hasPrefix("min+") {
                "\((now + Int64(given.dropFirst(4))!) / 60)"
            } else if given.hasPrefix("+") {
                "\(now + Int64(given.dropFirst().prefix { $0 != "." })!)" + given.drop { $0 != "." }
            } else {
                given
            }
        let event = name == "dismissal-date" ? "end" : "update"
        let body = #"{"aps":{"timestamp":\#(now),"event":"\#(event)","content-state":{},"\#(name)":\#(text)}}"#
        #expect(dated(.liveactivity, body) == [warning].compactMap { $0 }, "\(text)")
    }

    @Test("milliseconds in a content state would be a date 50,000 years ahead (§10)")
    func millisecondsInState() {
        #expect(activity(#","attributes":{"started":1795168800000}"#) == [.millisecondsInState])
        #expect(activity(#","attributes":{"a":[1795168800,{"b":1795168800000}]}"#) == [.unixDateInState, .millisecondsInState])
    }

    @Test("where the system shows nothing anyway, a payload without aps is right (§5)", arguments: [
        (PushType.mdm, #"{"mdm":"magic"}"#), (.voip, #"{"caller":"Ada"}"#), (.fileprovider, "{}"), (.location, "{}"),
    ])
    func withoutAPS(type: PushType, body: String) {
        #expect(warnings(type, body) == [])
        #expect(warnings(.alert, body) == [.noAPS])
        var push = rig.push()
        push["apns-topic"] = "pass.com.example.card"
        push.body = "{}"
        #expect(PushWarning.all(in: rig.judge(push).facts.warnings) == [], "a Wallet pass")
    }

    @Test("each warning has a word, a sentence and a bit of its own")
    func rows() {
        #expect(Set(PushWarning.allCases.map(\.word.description)).count == PushWarning.allCases.count)
        #expect(PushWarning.allCases.allSatisfy { $0.explanation.hasSuffix(".") })
        #expect(PushWarning.all(in: .max).count == PushWarning.allCases.count)
    }
}

extension String {
    /// The same with seconds since 2001.
    fileprivate var replacingDate: String { split(separator: "1795168800", omittingEmptySubsequences: false).joined(separator: "816861600") }
}
