// What a relay leaves out by its own rules, and pushes that are told by their timestamps, as profiles say them.

import Basics
import Pushes
import Scenarios
import Testing

private let usual = "- { channel: liveactivity, event: update, coalesce: true }"
private let coalescing = "coalescing: { window: 10s }"
private let body = #"json: { body: "{{marker}} {{text}}", extra: "{{extra|json}}" }"#

/// The sample with these keys of the profile, and of the update's push.
private func text(_ profile: String, push: String = "", body own: String = body) -> String {
    Sample.with(usual, "- { channel: liveactivity, event: update\(push) }")
        .replacing(coalescing, with: "\(coalescing)\n    \(profile)").replacing(body, with: own)
}

@Suite("What a relay leaves out")
struct LimitTests {
    @Test("is told by pointers and a window")
    func dedupe() throws {
        let profile = try Sample.load(text("dedupe: { by: [/extra, /body], window: 30s }")).relay.profile
        #expect(profile.dedupe?.by.map(\.text) == ["/extra", "/body"] && profile.dedupe?.window == .seconds(30))
        #expect(try Sample.load(text("dedupe: { by: [/extra] }")).relay.profile.dedupe?.window == nil)
        let push = try Sample.load(text("dedupe: { by: [/extra] }", push: ", dedupe: true")).relay.profile.calls[1].pushes[0]
        #expect(push.dedupes)
        #expect(try Sample.load().relay.profile.dedupe == nil && !Sample.load().relay.profile.calls[1].pushes[0].dedupes)
    }

    @Test(
        "is refused where nothing could be told twice, with place and fix",
        arguments: [
            ("settle: 2s", ", dedupe: true", "`dedupe` needs what the relay compares", "dedupe: { by: [/contentState/status] }"),
            ("dedupe: { by: [/body] }", ", dedupe: true", "what stands at `/body` is new in each call", "beside its {{marker}}"),
            ("dedupe: { by: [/token] }", ", dedupe: true", "has nothing of what `dedupe` of the profile compares", "name in `by`"),
            ("dedupe: { by: [/nowhere] }", "", "no call's `json` has anything at `/nowhere`", "a pointer into the call's body"),
            ("dedupe: { by: [body] }", "", "`body` is no JSON pointer", "such as"),
            ("dedupe: { by: [/extra], window: 0 }", "", "`window` must be", ""),
            ("dedupe: { window: 3s }", "", "`dedupe` lacks `by`", "add `by:"),
        ])
    func refusedDedupe(profile: String, push: String, complaint: String, fix: String) {
        let said = Sample.complaint(text(profile, push: push))
        #expect(said.contains(complaint) && said.contains(fix) && said.contains("tiny.yaml:"), "\(said)")
    }

    @Test("is no more than a number of pushes")
    func cap() throws {
        let activity = try Sample.load(text("cap: { pushes: 50, per: activity }")).relay.profile.cap
        #expect(activity?.most == 50 && activity?.span == nil)
        #expect(try Sample.load(text("cap: { pushes: 1, per: hour }")).relay.profile.cap?.span == .seconds(3_600))
        for (keys, complaint) in [
            ("pushes: 0, per: hour", "`pushes` must be a whole number from 1"), ("pushes: 5", "`cap` lacks `per`"),
            ("pushes: 5, per: day", "`day` is no value of `per` (known: activity, hour)"),
        ] {
            #expect(Sample.complaint(text("cap: { \(keys) }")).contains(complaint), "\(keys)")
        }
    }
}

@Suite("Pushes that are told by their timestamps")
struct TimestampTellingTests {
    private let timed = #"json: { body: "{{text}}", at: "{{now|ms}}", extra: "{{extra|json}}" }"#

    @Test("need no marker, but a call that says the time")
    func decoded() throws {
        let push = try Sample.load(text("settle: 2s", push: ", marked: timestamp", body: timed)).relay.profile.calls[1].pushes[0]
        #expect(push.told == .timestamp && !push.isMarked)
        let without = Sample.complaint(text("settle: 2s", push: ", marked: timestamp"))
        #expect(without.contains("`update` does not say the time by which its pushes are told"), "\(without)")
        #expect(without.contains("put {{now}} where") && without.contains("tiny.yaml:"))
        let shifted = timed.replacing("now|ms", with: "now+60s|ms")
        let later = Sample.complaint(text("settle: 2s", push: ", marked: timestamp", body: shifted))
        #expect(later.contains("does not say the time"), "\(later)")
    }

    @Test("are updates and ends of APNs")
    func refused() {
        let start = text("settle: 2s", push: ", marked: timestamp", body: timed).replacing("event: update", with: "event: start")
        #expect(Sample.complaint(start).contains("only an activity's update or end can do without a marker"))
        let message = text("messageEvent: /message/data/event", push: ", marked: timestamp", body: timed)
            .replacing("channel: liveactivity", with: "channel: fcm")
        #expect(Sample.complaint(message).contains("a message to FCM has no `aps.timestamp`"))
    }
}
