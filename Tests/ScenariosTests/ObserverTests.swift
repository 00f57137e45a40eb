// Observers of a profile, and what calls owe them.

import Basics
import Scenarios
import Testing

@Suite("Observers")
struct ObserverTests {
    private static let observers = """
        observers:
              dashboard: { path: /events, query: { user: "{{secret}}" }, copies: 2, per: session, users: 7, event: changed }
              app: { path: /events }
            calls:
        """
    private static let usual = "- { channel: liveactivity, event: update, coalesce: true }"
    private static let tells = usual + "\n        tells: [{ observer: app, within: 500ms }]"

    private static func text(tells: String = tells, observers: String = observers) -> String {
        Sample.with("calls:\n", observers + "\n").replacing(usual, with: tells)
    }

    @Test("are who listens, how often, and for whom")
    func decoded() throws {
        let profile = try Sample.load(Self.text()).relay.profile
        let dashboard = try #require(profile.observers.first)
        #expect(profile.observers.map(\.name) == ["dashboard", "app"])
        #expect(dashboard.copies == 2 && dashboard.per == .session && dashboard.users == 7 && dashboard.event == "changed")
        #expect(dashboard.request.method == "GET" && dashboard.request.fields.map(\.name) == ["accept"])
        #expect(profile.observers[1].copies == 1 && profile.observers[1].per == .user && profile.observers[1].users == 100)
        #expect(profile.calls[1].tells == [ExpectedTelling(observer: 1, within: .milliseconds(500))])
        #expect(try Sample.load().relay.profile.observers.isEmpty)
    }

    @Test("a mistake in them is told", arguments: [
        ("app, within: 500ms", "nobody", "`nobody` is none of the profile's `observers`"),
        ("within: 500ms", "within: 21s", "`within` must be a duration from"),
        ("path: /events }", "path: events }", "`path` must begin with /"),
        ("path: /events }", "path: \"/{{marker}}\" }", "`marker` is of a call"),
        ("copies: 2", "copies: 9", "`copies` must be a whole number from 1 to 8"),
        ("per: session", "per: call", "`call` is no value of `per`"),
        ("users: 7", "users: 1001", "`users` must be a whole number from 1 to 1000"),
    ])
    func refused(old: String, new: String, words: String) {
        let complaint = Sample.complaint(Self.text().replacing(old, with: new))
        #expect(complaint.contains(words) && complaint.contains("tiny.yaml:"), "\(complaint)")
    }

    @Test("what tells them bears a marker, or says that it has no room for one")
    func marker() throws {
        let text = Self.text(tells: "[]").replacing("pushes:\n          []", with: "tells: [{ observer: app }]")
            .replacing("{{marker}} ", with: "")
        #expect(Sample.complaint(text).contains("tells an observer but carries no {{marker}}"), "\(Sample.complaint(text))")
        #expect(try !Sample.load(text.replacing("observer: app", with: "observer: app, marked: false")).relay.profile.calls[1].tells[0].isMarked)
    }
}
