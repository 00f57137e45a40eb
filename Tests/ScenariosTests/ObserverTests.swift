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

    private static let socket = """
        observers:
              app:
                path: /socket
                websocket:
                  protocol: phoenix
                  send: [{ json: { topic: "room:{{secret}}" } }, { text: hello }]
                  joined: { at: /status, is: ok }
                  beat: { every: 25s, text: here }
                  event: /payload/event
            calls:
        """

    @Test("may listen over a WebSocket")
    func socket() throws {
        let app = try #require(try Sample.load(Self.text(observers: Self.socket)).relay.profile.observers.first)
        let socket = try #require(app.webSocket)
        #expect(socket.subprotocol == "phoenix" && socket.says.count == 2 && socket.event.text == "/payload/event")
        #expect(socket.joined?.at.text == "/status" && socket.joined?.text == "ok" && socket.beat?.every == .seconds(25))
        #expect(app.request.fields.isEmpty)
        let least = try Sample.load(Self.text(observers: Self.socket.replacing("protocol: phoenix", with: "event: /kind")
            .replacing("event: /payload/event", with: "protocol: x"))).relay.profile.observers[0].webSocket
        #expect(least?.event.text == "/kind" && least?.subprotocol == "x")
    }

    @Test("a mistake in a WebSocket is told", arguments: [
        ("protocol: phoenix", "protocol: a b", "`protocol` must be the name of one subprotocol"),
        ("{ text: hello }", "{ text: hello, json: {} }", "a message is `json` or `text`"),
        ("{{secret}}", "{{marker}}", "`marker` is of a call"),
        ("at: /status", "at: status", "`at` must be a JSON pointer into a message"),
        ("event: /payload/event", "event: payload", "`event` must be a JSON pointer into a message"),
        ("every: 25s", "every: 10ms", "`every` must be a duration from"),
        (", text: here", "", "a message is `json` or `text`"),
        ("path: /socket", "path: /socket\n        headers: { sec-websocket-protocol: x }", "is written by `websocket`"),
    ])
    func socketMistakes(old: String, new: String, words: String) {
        let complaint = Sample.complaint(Self.text(observers: Self.socket.replacing(old, with: new)))
        #expect(complaint.contains(words) && complaint.contains("tiny.yaml:"), "\(complaint)")
    }
}
