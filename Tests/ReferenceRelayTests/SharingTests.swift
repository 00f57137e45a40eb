import Basics
import Glibc
import Net
import SQLite
import Testing

@testable import ReferenceRelay

/// Two processes, played by two relays in one, on one port and one storage.
@Suite(.serialized) struct SharingTests {
    private func secret(_ byte: UInt8) -> SecretHash { SecretHash(digest: [UInt8](repeating: byte, count: 32)) }

    @Test func aSecretHasOneOwnerUntilItIsTakenOver() throws {
        let storage = try Storage(path: ":memory:", deliveryRowsMax: 10)
        let first = try storage.enlist("127.0.0.1:1")
        let second = try storage.enlist("127.0.0.1:2")
        #expect(first != second)
        #expect(try storage.owner(of: secret(1)) == nil)
        let mine = Storage.Owner(process: first, address: "127.0.0.1:1")
        #expect(try storage.claim(secret(1), for: first, from: nil) == mine)
        #expect(try storage.claim(secret(1), for: second, from: nil) == mine)
        #expect(try storage.claim(secret(1), for: second, from: 99) == mine)
        let others = Storage.Owner(process: second, address: "127.0.0.1:2")
        #expect(try storage.claim(secret(1), for: second, from: first) == others)
        try storage.dismiss(second)
        #expect(try storage.owner(of: secret(1)) == Storage.Owner(process: second, address: ""))
        #expect(try storage.enlist("127.0.0.1:3") > second)
    }

    @Test func aProviderTokenIsSignedOnceForAll() throws {
        let storage = try Storage(path: ":memory:", deliveryRowsMax: 10)
        let start = WallTime(seconds: 1_760_000_000)
        var signed = 0
        func token(rejected: String? = nil, team: String = "TEAMTEAM12", after: Double) throws -> SignedToken {
            let now = start + .seconds(after)
            return try storage.providerToken(
                keyID: "KEYKEYKEY1", teamID: team, rejected: rejected, oldest: now - .seconds(3_000), now: now
            ) {
                signed += 1
                return "bearer \(signed)"
            }
        }
        #expect(try token(after: 0) == SignedToken(authorization: "bearer 1", signedAt: start))
        #expect(try token(after: 2_999) == SignedToken(authorization: "bearer 1", signedAt: start))
        #expect(try token(rejected: "bearer 0", after: 5).authorization == "bearer 1", "another has replaced it already")
        #expect(try token(rejected: "bearer 1", after: 6).authorization == "bearer 2")
        #expect(try token(team: "OTHERTEAM0", after: 6).authorization == "bearer 3")
        #expect(try token(after: 3_006).authorization == "bearer 4", "too old")
        #expect(try token(after: -10).authorization == "bearer 5", "from the future")
    }

    /// Runs `body` with a second relay on the first one's port; each `post` is a connection of its own.
    private func withTwo(
        _ body: (_ rig: LoopbackRig, _ post: (String, String) -> CallAnswer, _ leave: () -> Void) -> Void
    ) throws {
        try LoopbackRig.with { $0.isShared = true } _: { rig in
            var options = rig.options
            options.listen = rig.relay.boundAddress
            var second: RelayServer? = try RelayServer(options: options)
            let leave = {
                second?.drainAndStop()
                second = nil
            }
            defer { leave() }
            // The kernel deals connections out by their ports, so that of many each gets some.
            let post = { (path: String, body: String) in
                guard let client = try? RelayClient(rig.relay.boundAddress) else {
                    return CallAnswer(status: -1, body: "")
                }
                defer { client.stop() }
                return client.post(path, body)
            }
            body(rig, post, leave)
        }
    }

    private func body(_ number: Int, _ rest: String) -> String { #"{"secret":"x\#(number)",\#(rest)}"# }

    @Test func twoProcessesAreOneRelay() throws {
        try withTwo { rig, post, _ in
            let done = CallAnswer(status: 200, body: #"{"ok":true}"#)
            for number in 0..<12 {
                #expect(post("/v1/device/register", body(number, #""deviceToken":"d\#(number)""#)) == done)
                let activity = #""sessionID":"s","activityToken":"a\#(number)""#
                #expect(post("/v1/activity/register", body(number, activity)) == done)
                for step in 0..<4 {
                    let event = #""eventType":"progress","sessionID":"s","title":"T","body":"\#(step)""#
                    let sent = step == 0 ? 1 : 0
                    #expect(post("/v1/event", body(number, event)).body == #"{"ok":true,"sent":\#(sent),"failed":0}"#)
                }
                let event = #""eventType":"complete","sessionID":"s","title":"T","body":"done""#
                #expect(post("/v1/event", body(number, event)).body == #"{"ok":true,"sent":1,"failed":0}"#)
            }
            let pushes = rig.apns.await(36)
            #expect(pushes.count == 36, "one update, one alert, one end of each session: the throttle is shared")
            for number in 0..<12 {
                let mine = pushes.filter { [["d\(number)"], ["a\(number)"]].contains([String($0.path.dropFirst(10))]) }
                #expect(mine.map(\.pushType) == ["liveactivity", "alert", "liveactivity"])
            }
            #expect(Set(pushes.map(\.apnsID)).count == 36)
            #expect(Set(pushes.map(\.authorization)).count == 1)
            let health = rig.client.call("GET", "/health")
            #expect(health.body.hasPrefix(#"{"ok":true,"devices":12,"#))
            #expect(post("/v1/event", body(99, #""eventType":"error","sessionID":"s""#)).body.contains(#""sent":0"#))
        }
    }

    @Test func aProcessThatLeavesIsReplaced() throws {
        try withTwo { rig, post, leave in
            for number in 0..<12 {
                _ = post("/v1/device/register", body(number, #""deviceToken":"d\#(number)""#))
            }
            leave()
            for number in 0..<12 {
                let event = #""eventType":"error","sessionID":"s","title":"T","body":"B""#
                #expect(post("/v1/event", body(number, event)).body == #"{"ok":true,"sent":1,"failed":0}"#)
            }
            #expect(rig.apns.await(12).count == 12)
        }
    }
}
