// Values of answers that stand in a header.

import Basics
import Planning
import Scenarios
import Testing

@testable import LoadGenerator

@Suite("A captured header")
struct HeaderCaptureTests {
    @Test func `a header's value is what stands behind its text`() throws {
        func value(_ text: String?, _ behind: String) -> String? {
            try? String(decoding: CaptureReader.value(inHeader: "location", text, behind: behind).get().bytes, as: UTF8.self)
        }
        #expect(value("/v1/sessions/abc", "/sessions/") == "abc" && value("/v1/x", "") == "/v1/x")
        #expect(value("/v1/x", "/sessions/") == nil && value(nil, "") == nil)
        #expect(value(String(repeating: "a", count: 257), "") == nil && value("a\u{1}", "") == nil)
    }

    @Test func `what a header told is said by the next call`() throws {
        let relay = try ScriptedRelay { _, count in
            .init(headers: [("location", "https://relay.test/v1/sessions/s-\(count)")])
        }
        defer { relay.stop() }
        let captures = "captures: { made: { header: Location, behind: /sessions/ } }"
        let call = "json: { n: 1, session: \"{{made|optional}}\" }\n        " + captures
        let drive = try Drive(try ScriptedRelay.plan(call: call, sessions: 1, steps: 2, every: "50ms"), at: relay.origin)
        #expect(drive.snapshot.missedCaptures == 0 && relay.requests(to: "/one").map { $0.json["session"]?.string } == [nil, "s-1"])
    }
}
