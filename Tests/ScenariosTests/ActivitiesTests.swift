// The key `activities` of a profile: when a relay replaces an activity that grows old.

import Basics
import Pushes
import Scenarios
import Testing

@Suite("What a profile says of activities that grow old")
struct ActivitiesTests {
    private static let line = "coalescing: { window: 10s }"

    private static func text(_ restart: String) -> String { Sample.with(line, line + "\n    activities: { restart: { \(restart) } }") }
    private static func ending(_ end: String) -> String { Sample.with(line, line + "\n    activities: { end: { \(end) } }") }

    @Test("is nothing where it is left out")
    func none() throws {
        #expect(try Sample.load().relay.profile.activities.restart == nil)
        #expect(try Sample.load(Sample.with(Self.line, Self.line + "\n    activities: {}")).relay.profile.activities.restart == nil)
    }

    @Test("is an age, its window, and what follows a start that nobody adopts")
    func read() throws {
        let text = Self.text("after: 6h50m, within: 30s, before: 7h, adoptWithin: 90s, pause: 2m, longestPause: 8m")
        let spec = try #require(try Sample.load(text).relay.profile.activities.restart)
        #expect(spec.after == .seconds(24_600) && spec.within == .seconds(30) && spec.before == .seconds(25_200))
        #expect(spec.adoptWithin == .seconds(90) && spec.pause == .seconds(120) && spec.longestPause == .seconds(480))
    }

    @Test("has a usual window and usual pauses")
    func usual() throws {
        let spec = try #require(try Sample.load(Self.text("after: 1h")).relay.profile.activities.restart)
        #expect(spec.within == .seconds(60) && spec.before == .seconds(3_660) && spec.adoptWithin == .seconds(60))
        #expect(spec.pause == .seconds(300) && spec.longestPause == .seconds(3_600))
    }

    @Test(
        "is told with its place where it cannot be",
        arguments: [
            ("within: 5s", "tiny.yaml:8:28: `activityRestart` lacks `after` (add `after: 6h50m`)"),
            (
                "after: 1m, within: 1m",
                "tiny.yaml:8:28: `within` is as long as `after` or longer (such as `after: 6h50m, within: 60s`)"
            ),
            (
                "after: 1h, before: 1h",
                "tiny.yaml:8:28: `before` lies before the end of the window, `after` and `within` together"
                    + " (such as `after: 6h50m, within: 60s, before: 7h`)"
            ),
            (
                "after: 1h, pause: 5m, longestPause: 1m",
                "tiny.yaml:8:28: `longestPause` is shorter than `pause` (such as `pause: 5m, longestPause: 60m`)"
            ),
            ("after: 0", "tiny.yaml:8:37: `after` must be a duration from 1ms to 10000h, not the number `0` (such as `after: 6h50m`)"),
        ])
    func mistakes(restart: String, words: String) { #expect(Sample.complaint(Self.text(restart)) == words) }

    @Test("is an age at which they are ended, and what the end shows")
    func end() throws {
        let text = Self.ending("after: 7h59m, within: 30s, shows: { /aps/content-state/status: [error, complete], /note: bye }")
        let spec = try #require(try Sample.load(text).relay.profile.activities.end)
        #expect(spec.terms.after == .seconds(28_740) && spec.terms.within == .seconds(30))
        #expect(spec.shows.map(\.at.text) == ["/aps/content-state/status", "/note"])
        #expect(spec.shows.map(\.values) == [["error", "complete"], ["bye"]])
        let usual = try #require(try Sample.load(Self.ending("after: 1h")).relay.profile.activities.end)
        #expect(usual.terms.within == .seconds(60) && usual.shows.isEmpty)
        #expect(try Sample.load(Self.text("after: 1h")).relay.profile.activities.end == nil)
    }

    @Test(
        "is told with its place where an end cannot be",
        arguments: [
            ("within: 5s", "tiny.yaml:8:24: `activityEnd` lacks `after` (add `after: 7h59m`)"),
            (
                "after: 1m, within: 1m",
                "tiny.yaml:8:24: `within` is as long as `after` or longer (such as `after: 7h59m, within: 60s`)"
            ),
            (
                "after: 1h, shows: { status: error }",
                "tiny.yaml:8:46: `status` is no JSON pointer into the end's payload (such as /aps/content-state/status)"
            ),
        ])
    func endMistakes(end: String, words: String) { #expect(Sample.complaint(Self.ending(end)) == words) }
}
