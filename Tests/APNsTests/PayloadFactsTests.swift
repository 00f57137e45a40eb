// What a device would find in a payload (docs/apns.md §5, §10). APNs accepts all of these.

import APNs
import Basics
import Pushes
import Testing

@Suite struct PayloadFactsTests {
    let rig = ValidatorRig()

    private func payload(_ aps: String) -> PayloadFacts { rig.facts { $0.body = #"{"aps":\#(aps)}"# }.payload }

    /// A good push of that event, with members removed and then set.
    private func activity(
        _ changes: [String: JSONValue] = [:], without removed: String? = nil, event: String = "start"
    ) -> ActivityFacts? {
        var aps: JSONObject = [
            "timestamp": 1_760_000_000, "event": .string(event), "content-state": ["text": "hi"],
        ]
        if event == "start" {
            aps["attributes-type"] = "Attributes"
            aps["attributes"] = ["id": 1]
            aps["alert"] = ["title": "t"]
        }
        if let removed { aps[removed] = nil }
        for (key, value) in changes { aps[key] = value }
        let body: JSONValue = ["aps": .object(aps)]
        return liveActivity(body.text)
    }

    private func liveActivity(_ body: String) -> ActivityFacts? {
        var push = rig.push()
        push["apns-push-type"] = "liveactivity"
        push["apns-topic"] = "com.example.app.push-type.liveactivity"
        push.body = body
        let verdict = rig.judge(push)
        #expect(verdict.rejection == nil)
        return verdict.facts.activity
    }

    @Test("alert, badge, sound and content-available are noted (§5)")
    func plain() {
        #expect(payload(#"{"alert":{"title":"x"}}"#).hasAlert)
        #expect(payload(#"{"badge":1}"#).hasBadge)
        #expect(payload(#"{"sound":"default"}"#).hasSound)
        #expect(payload(#"{"content-available":1}"#).isContentAvailable)
        #expect(!payload(#"{"content-available":0}"#).isContentAvailable)
        #expect(!payload(#"{"alert":null}"#).hasAlert)
        #expect(payload(#"{"\u0061lert":"escaped key"}"#).hasAlert)
        #expect(!payload(#""text""#).hasAlert)
    }

    @Test("only Live Activity pushes have activity facts")
    func noActivity() { #expect(rig.facts { _ in }.activity == nil) }

    @Test("a start says which channel its activity listens to (§10)")
    func inputChannel() {
        let id = ChannelID(high: 0xFBFF_FFFF_FFFF_FFFF, low: 2)
        #expect(id.text.contains("/"))
        func read(_ value: JSONValue, event: String = "start") -> InputChannel? {
            activity(["input-push-channel": value], event: event)?.inputChannel
        }
        #expect(read(.string(id.text)) == .channel(id))
        #expect(read("no base64") == .unreadable && read(1) == .unreadable && read([:]) == .unreadable)
        #expect(read(.null) == nil && activity()?.inputChannel == nil)
        for event in ["update", "end"] { #expect(read(.string(id.text), event: event) == nil) }
        let escaped = id.text.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#)
        let body = #"{"aps":{"timestamp":1760000000,"event":"start","input-push-channel":"\#(escaped)"}}"#
        #expect(liveActivity(body)?.inputChannel == .channel(id))
    }

    @Test("a good start, update and end have no defect (§10)")
    func good() throws {
        let start = try #require(activity())
        #expect(start.defect == nil)
        #expect(start.event == .start)
        #expect(start.timestamp == 1_760_000_000)
        #expect(start.hasContentState && start.hasAttributes && start.hasAttributesType && start.hasAlert)
        #expect(activity(event: "update")?.defect == nil)
        #expect(activity(without: "content-state", event: "end")?.defect == nil)
    }

    @Test("dates are read in Unix seconds (§10)")
    func dates() {
        let end = activity(["dismissal-date": 1_760_000_100, "stale-date": 1_760_000_050.5], event: "end")
        #expect(end?.dismissalDate == 1_760_000_100)
        #expect(end?.staleDate == 1_760_000_050)
    }

    @Test(
        "each thing a device misses is a defect, and the push is accepted all the same (§10)",
        arguments: [
            ("timestamp", nil, "start", .missingTimestamp), ("timestamp", "1760000000", "update", .timestampNotANumber),
            ("timestamp", 1_760_000_000_000, "update", .timestampInMilliseconds),
            ("event", nil, "update", .missingEvent),
            ("event", "Update", "update", .unknownEvent), ("event", 1, "update", .unknownEvent),
            ("content-state", nil, "update", .missingContentState),
            ("content-state", nil, "start", .missingContentState),
            ("content-state", JSONValue.null, "update", .missingContentState),
            ("content-state", "text", "update", .contentStateNotAnObject),
            ("attributes-type", nil, "start", .missingAttributesType), ("attributes", nil, "start", .missingAttributes),
            ("attributes-type", 1, "start", .attributesTypeNotAString),
            ("attributes-type", "", "start", .attributesTypeNotAString),
            ("attributes", "text", "start", .attributesNotAnObject), ("attributes", [1], "start", .attributesNotAnObject),
            ("alert", nil, "start", .missingAlert),
        ] as [(String, JSONValue?, String, ActivityDefect)])
    func defects(key: String, value: JSONValue?, event: String, defect: ActivityDefect) {
        #expect(activity(value.map { [key: $0] } ?? [:], without: key, event: event)?.defect == defect)
    }

    @Test("no JSON, no object and no aps are defects (§10)")
    func shapeless() {
        #expect(liveActivity("{")?.defect == .notJSON)
        #expect(liveActivity("[]")?.defect == .notJSON)
        #expect(liveActivity("{}")?.defect == .missingAPS)
        #expect(liveActivity(#"{"aps":1}"#)?.defect == .missingAPS)
    }

    @Test("events misspelt as a key leave no event (§14, P21)")
    func misspelt() {
        #expect(activity(["events": "update"], without: "event", event: "update")?.defect == .missingEvent)
    }
}
