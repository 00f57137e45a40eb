// How a profile says which tokens a relay holds, and by which secrets it signs what it calls back.

import Basics
import Scenarios
import Testing

@Suite("What a relay says elsewhere")
struct ElsewhereTests {
    private static func text(_ keys: String) -> String { Sample.with("calls:\n", keys + "\n    calls:\n") }

    private static let http = """
        state:
              every: 2s
              http: { path: /tokens, query: { limit: "9" }, auth: none, rows: /data/tokens, token: /value, kind: /kind }
              activity: liveactivity
              device: alert
        """
    private static let hooks = """
        webhooks:
              event: /type
              overlap: 24h
              signature: { hmac: { key: "{{hookSecret}}", over: [body], header: X-Signature } }
        """

    @Test("its tokens, by an endpoint")
    func endpoint() throws {
        let state = try #require(try Sample.load(Self.text(Self.http)).relay.profile.state)
        guard case .http(let endpoint) = state.source else {
            Issue.record("\(state.source)")
            return
        }
        #expect(endpoint.request.method == "GET" && endpoint.request.auth == nil && state.every == .seconds(2))
        #expect(endpoint.rows.text == "/data/tokens" && endpoint.token.text == "/value" && endpoint.kind?.text == "/kind")
        #expect(state.tables == [.init(role: .activityToken, query: "liveactivity"), .init(role: .deviceToken, query: "alert")])
        let one = Self.http.replacing(", kind: /kind", with: "").replacing("liveactivity", with: "\"*\"")
            .replacing("device: alert", with: "")
        #expect(try Sample.load(Self.text(one)).relay.profile.state?.tables.count == 1)
    }

    @Test("a mistake in that is told", arguments: [
        ("http:", "sqlite: x\n      http:", "asks `sqlite` or `http`, not both"), ("rows: /data/tokens", "rows: data", "`rows` must be a JSON pointer"),
        ("auth: none", "auth: { bearer: \"{{secret}}\" }", "has no session"), (", kind: /kind", "", "all rows are of one kind"),
        ("path: /tokens", "path: tokens", "`path` must begin with /"), ("token: /value, ", "", "lacks `token`"),
        ("http: {", "postgres: { url: \"postgresql://me:hidden@x\" }\n        #", "has no place in a file that the journal keeps"),
    ])
    func mistakes(old: String, new: String, words: String) {
        let complaint = Sample.complaint(Self.text(Self.http.replacing(old, with: new)))
        #expect(complaint.contains(words) && complaint.contains("tiny.yaml:") && !complaint.contains("hidden"), "\(complaint)")
    }

    private static func hooked(_ hooks: String = hooks) -> String {
        text(hooks).replacing(
            "    calls:\n", with: "    calls:\n      hook: { path: /hooks, json: { url: \"{{webhook}}\" }, captures: { hookSecret: /secret } }\n")
    }

    @Test("webhooks, by a secret that an answer gives, which no record holds")
    func captured() throws {
        let profile = try Sample.load(Self.hooked()).relay.profile
        let hooks = try #require(profile.webhooks)
        #expect(hooks.overlap == .seconds(86_400) && hooks.captured == CapturedNames(0))
        #expect(profile.captures == ["hookSecret"] && profile.secretCaptures == CapturedNames(0))
    }

    @Test("a mistake in those is told", arguments: [
        ("{{hookSecret}}", "{{secret}}", "its secret alone may have a variable"),
        ("over: [body]", "over: [body, { text: \"{{serverID}}\" }]", "its secret alone may have a variable"),
        ("{{hookSecret}}", "{{nothing}}", "unknown variable `nothing`"),
        ("overlap: 24h", "owes: [{ call: hook, event: a, ends: true }]", "`ends` says that an activity ends with its dead token"),
    ])
    func hookMistakes(old: String, new: String, words: String) {
        let complaint = Sample.complaint(Self.hooked(Self.hooks.replacing(old, with: new)))
        #expect(complaint.contains(words) && complaint.contains("tiny.yaml:"), "\(complaint)")
    }

    @Test("webhooks, of which one tells that an activity ended with its token")
    func ends() throws {
        let owes = "owes: [{ reasons: [Unregistered], event: a, ends: true }, { call: hook, event: b, ends: false }]"
        let text = Self.hooked(Self.hooks.replacing("overlap: 24h", with: owes))
        #expect(try Sample.load(text).relay.profile.webhooks?.owes.map(\.endsActivity) == [true, false])
    }

    @Test("a call that says where to call back needs somebody there")
    func nobody() {
        let complaint = Sample.complaint(Self.hooked("deadlines: { default: 5s }"))
        #expect(complaint.contains("says {{webhook}}, and nobody listens there"), "\(complaint)")
    }
}
