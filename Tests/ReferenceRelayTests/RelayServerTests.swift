import Basics
import Glibc
import HTTP
import Net
import TLS
import Testing

@testable import ReferenceRelay

@Suite(.serialized) struct RelayServerTests {
    private let device = #"{"secret":"x","deviceToken":"d1","pushToStartToken":"p1"}"#
    private let activity = #"{"secret":"x","sessionID":"s1","activityToken":"a1"}"#
    private let done = CallAnswer(status: 200, body: #"{"ok":true}"#)

    private func event(_ type: String, _ body: String = "Working") -> String {
        #"{"secret":"x","serverID":"ab","eventType":"\#(type)","sessionID":"s1","title":"T","body":"\#(body)"}"#
    }

    private func replied(_ sent: Int, _ failed: Int) -> CallAnswer {
        CallAnswer(status: 200, body: #"{"ok":true,"sent":\#(sent),"failed":\#(failed)}"#)
    }

    @Test func aSessionRunsFromRegistrationToEnd() throws {
        try LoopbackRig.with { rig in
            #expect(rig.client.post("/v1/device/register", device) == done)
            #expect(rig.client.post("/v1/event", event("start")) == replied(1, 0))
            #expect(rig.client.post("/v1/activity/register", activity) == done)
            #expect(rig.client.post("/v1/event", event("progress")) == replied(1, 0))
            #expect(rig.client.post("/v1/event", event("progress")) == replied(0, 0))
            #expect(rig.client.post("/v1/event", event("complete", "Done")) == replied(1, 0))
            #expect(rig.client.post("/v1/activity/unregister", #"{"secret":"x","sessionID":"s1"}"#) == done)
            let pushes = rig.apns.await(4)
            #expect(pushes.map(\.path) == ["p1", "a1", "d1", "a1"].map { "/3/device/" + $0 })
            #expect(pushes.map(\.pushType) == ["liveactivity", "liveactivity", "alert", "liveactivity"])
            #expect(pushes[1].topic == "com.example.app.push-type.liveactivity")
            #expect(pushes.map(\.priority) == ["10", "5", "10", "10"])
            #expect(Set(pushes.map(\.apnsID)).count == 4)
            #expect(pushes.allSatisfy { $0.apnsID.utf8.count == 36 })
            #expect(Set(pushes.map(\.authorization)).count == 1)
            #expect(Set(pushes.map(\.connection)).count == 1)
            #expect(pushes[3].body.contains(#""event":"end""#))
            let health = rig.client.call("GET", "/health")
            #expect(health == CallAnswer(status: 200, body: #"{"ok":true,"devices":1,"deliveries":4}"#))
            let page = rig.client.call("GET", "/")
            #expect(page.status == 200 && page.body.contains("activity:start"))
        }
    }

    @Test func theProviderTokenVerifiesWithTheKey() throws {
        try LoopbackRig.with { rig in
            _ = rig.client.post("/v1/device/register", device)
            _ = rig.client.post("/v1/event", event("error"))
            let parts = rig.apns.await(1)[0].authorization.dropFirst(7).split(separator: ".")
            let message = Array((parts[0] + "." + parts[1]).utf8)
            let signature = try #require(Base64URL.decode(String(parts[2])))
            let isValid = rig.key.publicKey.verify(message.span, signature: signature.span)
            #expect(isValid)
        }
    }

    @Test func whatIsNotAskedForIsRefusedInFixedWords() throws {
        try LoopbackRig.with { rig in
            let invalid = CallAnswer(status: 400, body: #"{"ok":false,"error":"Invalid request body"}"#)
            let missing = CallAnswer(status: 404, body: #"{"ok":false,"error":"Not found"}"#)
            #expect(rig.client.post("/v1/event", event("update")) == invalid)
            #expect(rig.client.post("/v1/event", "") == invalid)
            let long = String(repeating: " ", count: 70_000) + event("error")
            #expect(rig.client.post("/v1/event", long).status == 413)
            #expect(rig.client.post("/v1/device/register", #"{"secret":"x"}"#) == invalid)
            #expect(rig.client.post("/v1/nothing", "{}") == missing)
            #expect(rig.client.call("GET", "/v1/event") == missing)
            #expect(rig.client.post("/v1/device/unregister", #"{"secret":"x","deviceToken":"zz"}"#) == done)
            #expect(rig.client.post("/v1/event", event("error")) == replied(0, 0))
            #expect(rig.apns.pushes.isEmpty)
        }
    }

    @Test func aRegistrationThatWasAnsweredSurvivesAKill() throws {
        try LoopbackRig.with { rig in
            _ = rig.client.post("/v1/device/register", device)
            _ = rig.client.post("/v1/activity/register", activity)
            // No drain, no close: the files as they are after the answers.
            var options = rig.options
            options.storage = try rig.copyStorage()
            let again = try RelayServer(options: options)
            let client = try RelayClient(again.boundAddress)
            #expect(client.call("GET", "/health").body.contains(#""devices":1"#))
            #expect(client.post("/v1/event", event("permission")) == replied(1, 0))
            #expect(rig.apns.await(2).map(\.path) == ["/3/device/d1", "/3/device/a1"])
            client.stop()
            again.drainAndStop()
        }
    }

    @Test func anExpiredProviderTokenIsReplacedOnANewConnection() throws {
        try LoopbackRig.with { rig in
            _ = rig.client.post("/v1/device/register", device)
            rig.apns.answer { number, _ in
                number == 0 ? .respond(403, #"{"reason":"ExpiredProviderToken"}"#) : .respond(200, "")
            }
            #expect(rig.client.post("/v1/event", event("permission")) == replied(1, 0))
            _ = rig.client.post("/v1/event", event("permission"))
            let pushes = rig.apns.await(4).filter { $0.pushType == "alert" }
            #expect(pushes.count == 3)
            #expect(pushes[0].apnsID == pushes[1].apnsID)
            #expect(pushes[0].connection != pushes[1].connection)
            #expect(pushes[1].connection == pushes[2].connection)
            #expect(pushes[0].authorization != pushes[1].authorization)
            #expect(pushes[1].authorization == pushes[2].authorization)
        }
    }

    @Test func aSilentAPNsDoesNotHangAnEvent() throws {
        try LoopbackRig.with {
            $0.pushTimeout = .milliseconds(300)
            $0.attempts = 2
            $0.retryDelay = .milliseconds(50)
        } _: { rig in
            _ = rig.client.post("/v1/device/register", #"{"secret":"x","deviceToken":"d1"}"#)
            rig.apns.answer { number, _ in number == 0 ? .silence : .respond(200, "") }
            #expect(rig.client.post("/v1/event", event("permission")) == replied(0, 1))
            let pushes = rig.apns.await(2)
            #expect(pushes[0].apnsID == pushes[1].apnsID)
        }
    }

    @Test func aDeadTokenIsGoneAtTheNextEvent() throws {
        try LoopbackRig.with { rig in
            _ = rig.client.post("/v1/device/register", #"{"secret":"x","deviceToken":"d1"}"#)
            rig.apns.answer { _, _ in .respond(410, #"{"reason":"Unregistered","timestamp":9999999999999}"#) }
            #expect(rig.client.post("/v1/event", event("permission")) == replied(0, 1))
            #expect(rig.client.post("/v1/event", event("permission")) == replied(0, 0))
            #expect(rig.client.call("GET", "/health").body == #"{"ok":true,"devices":0,"deliveries":1}"#)
        }
    }

    @Test func theDefectOpensAConnectionForEachPush() throws {
        try LoopbackRig.with {
            $0.defects = [.connectionPerPush]
        } _: { rig in
            _ = rig.client.post("/v1/device/register", #"{"secret":"x","deviceToken":"d1"}"#)
            for _ in 0..<5 { #expect(rig.client.post("/v1/event", event("permission")) == replied(1, 0)) }
            #expect(Set(rig.apns.await(5).map(\.connection)).count == 5)
        }
    }

    @Test func theDefectLeavesTheTypeOfAnAlertOut() throws {
        try LoopbackRig.with {
            $0.defects = [.leavesOutPushType]
        } _: { rig in
            _ = rig.client.post("/v1/device/register", device)
            _ = rig.client.post("/v1/activity/register", activity)
            _ = rig.client.post("/v1/event", event("permission"))
            #expect(rig.apns.await(2).map(\.pushType) == ["none", "liveactivity"])
        }
    }

    @Test(arguments: [(Set<Defect>(), 200), ([.refusesLateGoodbyes], 404)] as [(Set<Defect>, Int)])
    func theDefectRefusesTheGoodbyeOfWhatIsOverAndNoOther(defects: Set<Defect>, status: Int) throws {
        try LoopbackRig.with {
            $0.defects = defects
        } _: { rig in
            let goodbye = #"{"secret":"x","sessionID":"s1"}"#
            _ = rig.client.post("/v1/device/register", device)
            _ = rig.client.post("/v1/activity/register", activity)
            #expect(rig.client.post("/v1/activity/unregister", goodbye) == done)
            _ = rig.client.post("/v1/activity/register", activity)
            _ = rig.client.post("/v1/event", event("complete"))
            #expect(rig.client.post("/v1/activity/unregister", goodbye).status == status)
        }
    }

    @Test func whatCannotBeUsedIsToldInOneLine() throws {
        try LoopbackRig.with { rig in
            var options = rig.options
            options.keyFile = "/nonexistent/key.p8"
            #expect { try RelayServer(options: options) } throws: { "\($0)".contains("key.p8") }
            options = rig.options
            options.listen = rig.relay.boundAddress
            #expect(throws: Failure.self) { try RelayServer(options: options) }
            options = rig.options
            options.storage = rig.directory + "/key.p8"
            #expect { try RelayServer(options: options) } throws: { ($0 as? Failure)?.kind == .usage }
        }
    }
}
