// What Sendora's relay sends to FCM, and what it makes of each answer (docs/fcm.md §3, §7).

import Basics
import Glibc
import Net
import Pushes
import Synchronization
import TLS
import Testing

@testable import ReferenceRelay

/// A relay whose FCM and token endpoint are the same small server as its APNs.
struct MessagesRig {
    private static let key = RSAPrivateKey()

    let sendora: SendoraRig

    static func with(_ defects: Set<Defect> = [], _ body: (MessagesRig) throws -> Void) throws {
        try SendoraRig.with(
            defects,
            { options in
                let url = "https://127.0.0.1:\(options.production.port)"
                let account: JSONValue = [
                    "project_id": "demo", "client_email": "relay@demo.example", "private_key_id": "k1",
                    "private_key": .string(key.pem), "token_uri": .string(url + "/token"),
                ]
                options.fcm = try? FCMTarget(url: url, account: account.text, file: "account.json", allowHosts: [])
                options.retryDelay = .milliseconds(10)
            }
        ) { sendora in
            #expect(sendora.rig.options.fcm != nil)
            let rig = MessagesRig(sendora: sendora)
            rig.answer { _, _ in (200, "{}") }
            try body(rig)
        }
    }

    /// Says what a message gets; the token endpoint gives out `t1`, `t2` and so on.
    func answer(_ answer: @escaping @Sendable (_ number: Int, _ token: String) -> (Int, String)) {
        let given = Counter()
        sendora.rig.apns.answer { _, push in
            guard push.path != "/token" else {
                return .respond(200, #"{"access_token":"t\#(given.next())","expires_in":3600,"token_type":"Bearer"}"#)
            }
            let (status, body) = answer(given.message(), push.authorization)
            return .respond(status, body)
        }
    }

    private final class Counter: Sendable {
        private let counts = Mutex((grants: 0, messages: 0))
        func next() -> Int { counts.withLock { $0.grants += 1; return $0.grants } }
        func message() -> Int { counts.withLock { $0.messages += 1; return $0.messages } }
    }

    func row(_ token: String = "r1:APA91b", order: String = "o1") throws -> String {
        try sendora.row(token, order: order, more: #","platform":"android""#)
    }

    var messages: [SeenPush] { sendora.rig.apns.pushes.filter { $0.path == "/v1/projects/demo/messages:send" } }
    var grants: Int { sendora.rig.apns.pushes.count { $0.path == "/token" } }

    /// Waits until so many have come, and as long again for one more.
    func settles(at count: Int) -> Bool {
        for _ in 0..<500 where messages.count < count { usleep(10_000) }
        usleep(150_000)
        return messages.count == count
    }
}

private func details(_ status: Int, _ word: String, _ details: String = "") -> (Int, String) {
    (status, #"{"error":{"code":\#(status),"message":"-","status":"\#(word)","details":[\#(details)]}}"#)
}

private func fcmError(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
}

private func apnsError(_ status: Int, _ reason: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
}

private let expired = #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCESS_TOKEN_EXPIRED"}"#

@Suite(.serialized) struct SendoraMessagesTests {
    private typealias Rig = MessagesRig

    @Test func aLiveUpdateIsThreeTextsAtHighAndAllShareOneAccessToken() throws {
        try Rig.with { rig in
            let row = try rig.row()
            for minutes in 1...3 { #expect(rig.sendora.update(row, minutes).status == 200) }
            #expect(rig.sendora.end(row).status == 200)
            #expect(rig.settles(at: 4) && rig.grants == 1)
            #expect(Set(rig.messages.map(\.authorization)) == ["Bearer t1"])
            let bodies = try rig.messages.map { try #require(try JSONValue(parsing: $0.body)["message"]) }
            #expect(bodies.allSatisfy { $0["token"] == "r1:APA91b" && $0["notification"] == nil })
            #expect(bodies.allSatisfy { $0["android"]?["priority"] == "HIGH" && $0["android"]?["ttl"] == "3600s" })
            #expect(bodies.map { $0.at(pointer: "/data/sendoraLiveActivityEvent") } == ["update", "update", "update", "end"])
            #expect(bodies.map { $0.at(pointer: "/data/sendoraLiveActivityId")?.string } == Array(repeating: row, count: 4))
            let states = bodies.compactMap { $0.at(pointer: "/data/sendoraContentState")?.string }
            #expect(states == [1, 2, 3, 3].map { #"{"minutesAway":\#($0)}"# })
        }
    }

    @Test(arguments: [[], [.addsDataKey]] as [Set<Defect>])
    func dataHasThreeKeys(defects: Set<Defect>) throws {
        try Rig.with(defects) { rig in
            _ = rig.sendora.update(try rig.row(), 1)
            #expect(rig.settles(at: 1))
            let data = try JSONValue(parsing: try #require(rig.messages.first).body).at(pointer: "/message/data")
            let keys = try #require(data?.object).map(\.key).sorted()
            let three = ["sendoraContentState", "sendoraLiveActivityEvent", "sendoraLiveActivityId"]
            #expect(keys == (defects.isEmpty ? three : ["sentBy"] + three).sorted())
        }
    }

    @Test(arguments: [[], [.leavesOutCollapseKeys], [.sharesCollapseKey]] as [Set<Defect>])
    func theStatesOfAnActivityHaveOneCollapseKey(defects: Set<Defect>) throws {
        let other = defects == [.sharesCollapseKey] ? "order" : nil
        try Rig.with(defects) { rig in
            let row = try rig.row()
            for minutes in 1...2 { _ = rig.sendora.update(row, minutes) }
            #expect(rig.settles(at: 2))
            let keys = try rig.messages.map { try JSONValue(parsing: $0.body).at(pointer: "/message/android/collapse_key")?.string }
            #expect(keys == Array(repeating: defects.isEmpty ? row : other, count: 2))
        }
    }

    @Test func anIPhoneByWayOfFCMIsToldByBothTokens() throws {
        for defects in [[], [.leavesOutActivityTokens]] as [Set<Defect>] {
            try Rig.with(defects) { rig in
                let row = try rig.sendora.row("a1", more: #","fcmToken":"r1:APA91b""#)
                _ = rig.sendora.update(row, 4)
                #expect(rig.settles(at: 1))
                let message = try #require(try JSONValue(parsing: rig.messages[0].body)["message"])
                #expect(message["token"] == "r1:APA91b")
                #expect(message.at(pointer: "/apns/live_activity_token")?.string == (defects.isEmpty ? "a1" : nil))
                #expect(message.at(pointer: "/apns/payload/aps/event") == "update" && message["data"] == nil)
                #expect(message.at(pointer: "/apns/payload/aps/content-state/minutesAway") == 4)
                let stamp = try #require(message.at(pointer: "/apns/payload/aps/timestamp")?.int)
                #expect(stamp > 1_700_000_000)
            }
        }
    }

    @Test(arguments: [
        (details(404, "NOT_FOUND", fcmError("UNREGISTERED")), true),
        (details(400, "INVALID_ARGUMENT", fcmError("INVALID_ARGUMENT") + "," + apnsError(410, "Unregistered")), true),
        (details(404, "NOT_FOUND", fcmError("UNREGISTERED") + "," + apnsError(410, "Unregistered")), true),
        (details(404, "NOT_FOUND"), false), ((404, "<html>"), false), (details(400, "INVALID_ARGUMENT"), false),
        (details(400, "INVALID_ARGUMENT", fcmError("INVALID_ARGUMENT")), false),
        (details(401, "UNAUTHENTICATED", fcmError("THIRD_PARTY_AUTH_ERROR") + "," + apnsError(403, "Forbidden")), false),
        (details(403, "PERMISSION_DENIED", fcmError("SENDER_ID_MISMATCH")), false), (details(403, "PERMISSION_DENIED"), false),
    ] as [((Int, String), Bool)])
    func whatSpeaksOfTheRegistrationEndsItsRowsAndNothingElseDoes(answer: (Int, String), isDead: Bool) throws {
        try Rig.with { rig in
            rig.answer { number, _ in number == 1 ? answer : (200, "{}") }
            let row = try rig.row()
            let other = try rig.row(order: "o2")
            _ = rig.sendora.update(row, 1)
            #expect(rig.settles(at: 1), "nothing of it is tried again")
            let states = try rig.sendora.states()
            #expect(states == Array(repeating: isDead ? "invalidated" : "active", count: 2))
            _ = rig.sendora.update(row, 2)
            _ = rig.sendora.update(other, 2)
            #expect(rig.settles(at: isDead ? 1 : 3))
            #expect(rig.grants == 1)
        }
    }

    @Test func anAccessTokenThatHasEndedIsReplacedOnceAndTheMessageComesAgain() throws {
        try Rig.with { rig in
            rig.answer { _, access in access == "Bearer t1" ? details(401, "UNAUTHENTICATED", expired) : (200, "{}") }
            let row = try rig.row()
            _ = rig.sendora.update(row)
            #expect(rig.settles(at: 2))
            #expect(rig.messages.map(\.authorization) == ["Bearer t1", "Bearer t2"] && rig.grants == 2)
            _ = rig.sendora.update(row, 3)
            #expect(rig.settles(at: 3) && rig.grants == 2)
        }
    }

    @Test func whoeverRefusesEachAccessTokenIsAskedTwiceAndNoMore() throws {
        try Rig.with { rig in
            rig.answer { _, _ in details(401, "UNAUTHENTICATED", expired) }
            _ = rig.sendora.update(try rig.row())
            #expect(rig.settles(at: 2) && rig.grants == 2)
        }
    }

    @Test(arguments: [
        (Defect.keepsExpiredAccess, details(401, "UNAUTHENTICATED", expired), 1, 1),
        (.renewsForAny401, details(401, "UNAUTHENTICATED", fcmError("THIRD_PARTY_AUTH_ERROR")), 2, 2),
    ] as [(Defect, (Int, String), Int, Int)])
    func eachDefectOfAccessTokensDoesWhatItSays(defect: Defect, answer: (Int, String), messages: Int, grants: Int) throws {
        try Rig.with([defect]) { rig in
            rig.answer { number, _ in number == 1 ? answer : (200, "{}") }
            _ = rig.sendora.update(try rig.row())
            #expect(rig.settles(at: messages) && rig.grants == grants)
        }
    }
}

/// The core by itself, with a clock turned by hand: when a message comes again.
@Suite struct SendoraPauseTests {
    private func told(_ outcome: PushOutcome, _ defects: Set<Defect> = []) -> Rig {
        let rig = Rig(hosts: 1) {
            $0.dialect = .sendora
            $0.defects = defects
        }
        rig.activity("r1:APA91b")
        rig.answer = { _ in rig.attempts.count == 1 ? outcome : Rig.accepted }
        let content = SendoraState(state: ["minutesAway": 3])
        let event = RelayEvent(secret: Rig.secret, type: .message, sessionID: "s1", content: content)
        rig.core.handle(event, ticket: EventTicket(), now: rig.now)
        rig.settle()
        return rig
    }

    @Test(arguments: [
        (429, "QUOTA_EXCEEDED", 60.0), (429, "RATE_LIMIT_EXCEEDED", 60), (500, "INTERNAL", 10), (502, nil, 10),
        (503, "UNAVAILABLE", 10), (503, nil, 10),
    ] as [(Int, String?, Double)])
    func whatPassesIsWaitedFor(status: Int, reason: String?, pause: Double) {
        let rig = told(.answered(status: status, reason: reason, timestamp: nil))
        #expect(rig.attempts.count == 1 && rig.attempts[0].provider == .fcm)
        rig.pass(.seconds(pause - 0.1))
        #expect(rig.attempts.count == 1)
        rig.pass(.seconds(2))
        #expect(rig.attempts.count == 2)
    }

    @Test func silenceIsAFailureAndARefusedStreamComesAgainAtOnce() {
        let silent = told(.failed(isSafeToResend: false, words: "time-out"))
        silent.pass(.seconds(9.9))
        #expect(silent.attempts.count == 1)
        silent.pass(.seconds(2))
        #expect(silent.attempts.count == 2)
        let refused = told(.failed(isSafeToResend: true, words: "REFUSED_STREAM"))
        refused.pass(.seconds(1))
        #expect(refused.attempts.count == 2)
    }

    @Test(arguments: [(Defect.ignoresQuota, 429), (.hurriesAfterFailure, 503)])
    func eachDefectOfPausesComesTooSoon(defect: Defect, status: Int) {
        let rig = told(.answered(status: status, reason: nil, timestamp: nil), [defect])
        rig.pass(.seconds(5))
        #expect(rig.attempts.count == 2)
    }

    @Test(arguments: [(404, "NOT_FOUND", true), (403, "SENDER_ID_MISMATCH", false)])
    func theDefectForgetsForAny404(status: Int, reason: String, forgets: Bool) {
        let refusal = PushOutcome.answered(status: status, reason: reason, timestamp: nil)
        #expect(told(refusal).rows.activities.count == 1)
        #expect(told(refusal, [.forgetsForAny404]).rows.activities.isEmpty == forgets)
    }

    @Test func theDefectMakesARefusedMessageAnewWithTheTimeThatItIs() throws {
        let refusal = PushOutcome.answered(status: 403, reason: "SENDER_ID_MISMATCH", timestamp: nil)
        let honest = told(refusal)
        honest.pass(.seconds(5))
        #expect(honest.attempts.count == 1)
        let broken = told(refusal, [.rebuildsRefusedMessages])
        let refusedAt = broken.time.wall().milliseconds
        broken.pass(.seconds(5))
        #expect(broken.attempts.count == 2)
        func madeAt(_ rig: Rig) -> String? { Rig.payload(rig.attempts.last!).at(pointer: "/message/data/madeAt")?.string }
        #expect(madeAt(broken) == "\(refusedAt + 20)", "when it leaves again")
        #expect(madeAt(told(Rig.accepted, [.rebuildsRefusedMessages])) == "\(refusedAt)" && madeAt(honest) == nil)
    }

    @Test(arguments: [
        (200, nil, .accepted), (404, "UNREGISTERED", .dead(since: nil)), (404, "NOT_FOUND", .refused), (404, nil, .refused),
        (410, "UNREGISTERED", .dead(since: nil)), (400, "INVALID_ARGUMENT", .refused),
        (401, "THIRD_PARTY_AUTH_ERROR", .refused), (403, "SENDER_ID_MISMATCH", .refused), (429, nil, .busy(isToken: true)),
        (500, "INTERNAL", .busy(isToken: false)), (502, nil, .busy(isToken: false)), (503, nil, .busy(isToken: false)),
    ] as [(Int, String?, PushVerdict)])
    func eachAnswerHasItsMeaning(status: Int, reason: String?, verdict: PushVerdict) {
        #expect(PushVerdict(message: .answered(status: status, reason: reason, timestamp: nil)) == verdict)
    }
}
