// The key `broadcast` of a push that a call owes.

import Basics
import Scenarios
import Testing

@Suite("An owed broadcast")
struct BroadcastTests {
    private let usual = "- { channel: liveactivity, event: update, coalesce: true }"

    @Test("goes to a channel and to no token, and says whose that is")
    func channels() throws {
        for (word, isOwn) in [("session", true), ("shared", false)] {
            let text = Sample.with(usual, "- { channel: liveactivity, event: update, broadcast: \(word) }")
            let push = try Sample.load(text).relay.profile.calls[1].pushes[0]
            #expect(push.isBroadcast && push.hasOwnChannel == isOwn && push.isMarked)
        }
        #expect(try !Sample.load().relay.profile.calls[1].pushes[0].isBroadcast)
    }

    @Test("has a channel that no call can say")
    func variable() {
        let complaint = Sample.complaint(Sample.with("{{marker}} ", "{{marker}} {{broadcastChannel}} "))
        #expect(complaint.contains("broadcastChannel"), "\(complaint)")
    }

    @Test("is an update or end, and names no token", arguments: [
        ("event: start, broadcast: session", "only an activity's update or end is broadcast"),
        ("event: update, broadcast: shared, token: activityToken", "it has no `token`"),
        ("event: update, broadcast: shared, held: true", "it has no `held`"), ("event: update, broadcast: yours", "broadcast"),
    ])
    func mistakes(push: String, words: String) {
        let complaint = Sample.complaint(Sample.with(usual, "- { channel: liveactivity, \(push) }"))
        #expect(complaint.contains(words), "\(complaint)")
    }
}
