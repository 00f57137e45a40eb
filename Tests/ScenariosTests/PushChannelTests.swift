// Pushes by FCM in a profile: the channel, its tokens, and where the mock FCM is said.

import Basics
import Foundation
import Pushes
import Scenarios
import Testing

@Suite("Pushes by FCM")
struct PushChannelTests {
    private func profile(_ push: String, _ more: String = "") throws -> Profile {
        let text = """
            name: tiny
            topic: com.example.app
            \(more)
            calls:
              say:
                path: /say
                registers: [registrationToken]
                json: { token: "{{registrationToken}}", text: "{{marker}}" }
                pushes: [\(push)]
            """
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Profile.load(path: path)
    }

    @Test func `go to the registration, and are a Live Update's where they have an event`() throws {
        let plain = try #require(try profile("{ channel: fcm }").calls[0].pushes.first)
        #expect(plain.provider == .fcm && plain.channel == .alert && plain.token == .registrationToken && plain.event == nil)
        let update = try profile("{ channel: fcm, event: update }", "messageEvent: /message/data/event")
        let push = try #require(update.calls[0].pushes.first)
        #expect(push.provider == .fcm && push.channel == .liveactivity && push.event == .update)
        #expect(update.content.messageEvent?.text == "/message/data/event")
        let apns = try profile("{ channel: alert, token: deviceToken }")
        #expect(apns.calls[0].pushes[0].provider == .apns)
    }

    @Test func `an event needs the place where messages say it`() {
        #expect(throws: (any Error).self) { try profile("{ channel: fcm, event: update }") }
        #expect(throws: (any Error).self) { try profile("{ channel: fmc }") }
    }

    @Test func `a passage is of APNs unless it says fcm`() throws {
        let rules = try profile(
            "{ channel: fcm }", "passes: [{ at: /aps, is: 1 }, { channel: fcm, at: /message/data/a, is: 1 }]").content.passes
        #expect(rules.map(\.provider) == [.apns, .fcm] && rules.map(\.channel) == [nil, nil])
    }
}
