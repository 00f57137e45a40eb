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
        #expect(try storage.owner(of: secret(1)) == nil)
        #expect(try storage.enlist("127.0.0.1:3") > second)
    }

    /// Runs `body` with a second relay on the first one's port; `clients` ask the first, the second, the first, …
    private func withTwo(_ body: (LoopbackRig, (String, String) -> CallAnswer, RelayServer) throws -> Void) throws {
        try LoopbackRig.with { $0.isShared = true } _: { rig in
            var options = rig.options
            options.listen = rig.relay.boundAddress
            let second = try RelayServer(options: options)
            defer { second.drainAndStop() }
            // The kernel deals connections by their ports: one each time, until both have had one.
            try body(rig, { path, body in
                guard let client = try? RelayClient(rig.relay.boundAddress) else { return CallAnswer(status: -1, body: "") }
                defer { client.stop() }
                return client.post(path, body)
            }, second)
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
            let health = rig.client.call("GET", "/health")
            #expect(health.body.hasPrefix(#"{"ok":true,"devices":12,"#))
            #expect(post("/v1/event", body(99, #""eventType":"error","sessionID":"s""#)).body.contains(#""sent":0"#))
        }
    }

    @Test func aProcessThatLeavesIsReplaced() throws {
        try withTwo { rig, post, second in
            for number in 0..<12 {
                _ = post("/v1/device/register", body(number, #""deviceToken":"d\#(number)""#))
            }
            second.drainAndStop()
            for number in 0..<12 {
                let event = #""eventType":"error","sessionID":"s","title":"T","body":"B""#
                #expect(post("/v1/event", body(number, event)).body == #"{"ok":true,"sent":1,"failed":0}"#)
            }
            #expect(rig.apns.await(12).count == 12)
        }
    }
}
