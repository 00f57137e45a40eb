// What the judge reads of a message to FCM that is for a Live Activity on an iPhone (docs/fcm.md §6).

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("A message for a Live Activity")
struct ActivityMessageTests {
    private static let whole = #""payload":{"aps":{"timestamp":1760000000,"event":"end","content-state":{"n":1}}}"#

    /// What is seen of a message with these members, and the run's texts.
    private func look(
        _ members: String, _ status: UInt16 = 200, _ reason: String? = nil
    ) -> (push: SeenPush, lack: String?) {
        let entry = PushEntry(
            id: 1, arrivedAt: Instant(nanoseconds: 1), provider: .fcm, status: status, reason: reason, headers: [],
            token: "r1:APA91b",
            payload: Array(#"{"message":{\#(members)}}"#.utf8))
        let context = RunContext()
        let observer = Observer(run: nil, content: ContentCheck(plan: nil), context: context)
        let push = observer.observe(entry, nil, [])
        return (push, push.startLack < 0 ? nil : context.texts[push.startLack])
    }

    @Test("is known by its token, or by the state that it bears", arguments: [
        (#""token":"r","apns":{"live_activity_token":"ab",\#(whole)}"#, true),
        (#""token":"r","apns":{"liveActivityToken":"ab",\#(whole)}"#, true),
        (#""token":"r","apns":{\#(whole)}"#, true),
        (#""token":"r","apns":{"payload":{"aps":{"alert":"x"}}}"#, false),
        (#""token":"r","data":{"content-state":"{}"},"android":{"priority":"HIGH"}"#, false),
    ])
    func known(members: String, isKnown: Bool) {
        #expect(look(members).push.flags.contains(.isForApple) == isKnown)
        if !isKnown { #expect(look(members).lack == nil) }
    }

    @Test("is to the token that stands beside its registration")
    func beside() {
        let named = look(#""token":"r","apns":{"live_activity_token":"AB12",\#(Self.whole)}"#).push
        #expect(named.activityToken == TokenHash("ab12") && named.token == TokenHash("r1:APA91b"))
        #expect(look(#""token":"r","apns":{\#(Self.whole)}"#).push.activityToken == nil)
        #expect(look(#""token":"r","data":{}"#).push.activityToken == nil)
    }

    @Test("what APNs says of it is said of the activity's token", arguments: [
        ("APNS_TOKEN_DISABLED", 400, true), ("APNS_BAD_DEVICE_TOKEN", 400, true), ("APNS_UNREGISTERED", 404, false),
        ("INVALID_REGISTRATION_TOKEN", 400, false), ("UNREGISTERED", 404, false),
    ] as [(String, UInt16, Bool)])
    func refused(reason: String, status: UInt16, isOfActivity: Bool) {
        let push = look(#""token":"r","apns":{"live_activity_token":"ab",\#(Self.whole)}"#, status, reason).push
        #expect(push.refusedToken == (isOfActivity ? TokenHash("ab") : TokenHash("r1:APA91b")))
        let alert = look(#""token":"r","apns":{"payload":{"aps":{"alert":"x"}}}"#, status, reason).push
        #expect(alert.refusedToken == alert.token)
    }

    @Test("lacks what it has not", arguments: [
        (#""token":"r","apns":{"live_activity_token":"ab",\#(whole)}"#, nil),
        (#""fid":"f","apns":{"live_activity_token":"ab",\#(whole)}"#, nil),
        // A Struct holds doubles.
        (#""token":"r","apns":{"live_activity_token":"ab",\#(whole.replacing("1760000000", with: "1.76E9"))}"#, nil),
        (
            #""token":"r","apns":{"live_activity_token":"ab",\#(whole.replacing("1760000000", with: "1760000000.5"))}"#,
            "no timestamp in whole seconds"
        ),
        (#""token":"r","apns":{\#(whole)}"#, "no live_activity_token"),
        (#""topic":"t","apns":{"live_activity_token":"ab",\#(whole)}"#, "no token or fid beside it"),
        (
            #""token":"r","apns":{"live_activity_token":"ab","payload":{"aps":{"event":"end","content-state":{}}}}"#,
            "no timestamp in whole seconds"
        ),
        (
            #""token":"r","apns":{"live_activity_token":"ab","payload":{"aps":{"timestamp":1,"event":"ends"}}}"#,
            "no event that Apple knows, no content-state"
        ),
    ] as [(String, String?)])
    func lacks(members: String, lack: String?) { #expect(look(members).lack == lack) }

    @Test("is urgent in whatever form it says so", arguments: [
        ("\"HIGH\"", 10), ("\"high\"", 10), ("1", 10), ("0", 5), ("\"normal\"", 5),
    ] as [(String, UInt8)])
    func priority(word: String, priority: UInt8) {
        let push = look(#""token":"r","data":{},"android":{"priority":\#(word)}"#).push
        #expect(push.priority == priority && push.flags.contains(.gavePriority))
    }
}
