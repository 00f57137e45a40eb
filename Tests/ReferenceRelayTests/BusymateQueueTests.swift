// What the triggers of the dialect busymate leave is pushed once, in order, and not lost.

import Basics
import Glibc
import Testing

@testable import ReferenceRelay

@Suite(.serialized) struct BusymateQueueTests {
    private typealias Rig = BusymateRig

    private func notes(_ rig: BusymateRig, _ count: Int) -> [String] {
        rig.rig.apns.await(count).map { push in
            (try? JSONValue(parsing: push.body))?.at(pointer: "/aps/content-state/note")?.string ?? ""
        }
    }

    /// One push each, in their order, and no stamp twice.
    @Test func aBurstIsToldInOrder() throws {
        try Rig.with { rig in
            rig.card("a1")
            for number in 1...30 { rig.write("m\(number)") }
            #expect(notes(rig, 30) == (1...30).map { "m\($0)" })
            let stamps = rig.rig.apns.pushes.compactMap {
                (try? JSONValue(parsing: $0.body))?.at(pointer: "/aps/timestamp")?.int
            }
            #expect(stamps.count == 30 && zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// States behind one that APNs is slow to answer leave one by one; behind one that it is not ready for the newest does.
    @Test func whatWaitsIsToldOneByOneUnlessAPNsIsNotReady() throws {
        for (status, expected) in [(200, ["m1", "m2", "m3"]), (503, ["m1", "m3"])] {
            let rig = ReferenceRelayTests.Rig {
                $0.dialect = .busymate
                $0.attempts = 2
            }
            rig.answer = { _ in nil }
            let device = Rig.device
            let secret = PushQueue.secret(of: device)
            let row = ActivityRegistration(secret: secret, sessionID: device, token: "a1")
            #expect(rig.core.addToken(row, now: rig.now) == nil)
            for number in 1...3 {
                let state = BusymateState(mode: .vpn, message: "m\(number)")
                rig.core.handle(PushQueue.event(state, for: device), ticket: EventTicket(), now: rig.now)
                rig.settle()
            }
            #expect(rig.attempts.count == 1)
            rig.answer = { _ in ReferenceRelayTests.Rig.accepted }
            rig.answerOldest(.answered(status: status, reason: nil, timestamp: nil))
            rig.pass(.seconds(5))
            #expect(rig.attempts.indices.map { rig.state($0)["note"]?.string } == expected)
        }
    }

    /// One statement of a thousand rows; and none of them where one is wrong.
    @Test func aFleetIsToldByOneStatement() throws {
        try Rig.with { rig in
            let devices = (0..<1_000).map { number in
                "11111111222243338444" + String(repeating: "0", count: 12 - String(number).count) + String(number)
            }
            for device in devices.prefix(200) { rig.card("t\(device)", of: device) }
            let rows = devices.map { #"{"device_uuid":"\#($0)","message":"all"}"# }
            let bad = #",{"device_uuid":"x","message":"all"}]"#
            #expect(rig.call("POST", Rig.messages, "[" + rows.prefix(300).joined(separator: ",") + bad).status == 400)
            for part in [rows[..<500], rows[500...]] {
                #expect(rig.call("POST", Rig.messages, "[" + part.joined(separator: ",") + "]").status == 201)
            }
            #expect(rig.rig.apns.await(200).count == 200)
            #expect(rig.call("PATCH", Rig.messages, #"{"message":"again"}"#).status == 204)
            #expect(rig.rig.apns.await(400).count == 400)
            #expect(Set(rig.rig.apns.pushes.map(\.path)).count == 200 && rig.staysAt(400))
        }
    }

    @Test func whatIsWrittenBeforeTheFunctionHasRunIsToldWhenItHas() throws {
        try Rig.with(isWarm: false) { rig in
            rig.card("a1")
            #expect(rig.write("one").status == 201 && rig.write("two").status == 201)
            #expect(rig.staysAt(0))
            #expect(rig.call("POST", PushQueue.path, "{}", as: "human.ann").status == 403)
            #expect(rig.call("POST", PushQueue.path, "{}", as: "service.x").status == 200)
            #expect(notes(rig, 2) == ["one", "two"])
        }
    }

    @Test func whatTheFunctionMissedIsToldWhenItIsBack() throws {
        try Rig.with { rig in
            rig.card("a1")
            let config = "/rest/v1/live_activity_push_config"
            #expect(rig.call("PATCH", config, #"{"url":"http://127.0.0.1:9/x"}"#, as: "service.x").status == 204)
            #expect(rig.write("one").status == 201)
            #expect(rig.staysAt(0))
            _ = rig.call("PATCH", config, #"{"url":"\#(PushQueue.path)"}"#, as: "service.x")
            #expect(notes(rig, 1) == ["one"])
        }
    }

    /// Requests are rows: the next process posts what this one has not.
    @Test func aRequestOutlivesItsProcess() throws {
        try Rig.with(isWarm: false) { rig in
            rig.card("a1")
            rig.write("one")
            usleep(50_000)
            var options = rig.rig.options
            options.storage = try rig.rig.copyStorage()
            let next = try RelayServer(options: options)
            let client = try RelayClient(next.boundAddress)
            let headers = [(name: "apikey", value: "public"), (name: "authorization", value: "Bearer service.x")]
            #expect(client.call("POST", PushQueue.path, "{}", headers: headers).status == 200)
            #expect(notes(rig, 1) == ["one"])
            client.stop()
            next.drainAndStop()
        }
    }

    /// The function, called by a service.
    @Test func theFunctionPushesWhatItIsGiven() throws {
        try Rig.with { rig in
            rig.card("a1")
            let body = #"{"push_type":"liveactivity","device_uuid":"\#(Rig.device)","aps":{"content-state":{"mode":"pac","note":"n"}}}"#
            #expect(rig.call("POST", PushQueue.path, body, as: "service.x").body == #"{"ok":true,"sent":1,"failed":0}"#)
            #expect(rig.call("POST", PushQueue.path, body.replacing("pac", with: "x"), as: "service.x").status == 400)
            #expect(notes(rig, 1) == ["n"])
        }
    }

    /// Whoever calls it right behind a write does not overtake that.
    @Test func theFunctionOvertakesNoWrite() throws {
        try Rig.with { rig in
            rig.card("a1")
            let headers = [(name: "apikey", value: "public"), (name: "authorization", value: "Bearer service.x")]
            let body = #"{"push_type":"liveactivity","device_uuid":"\#(Rig.device)","aps":{"content-state":{"mode":"pac","note":"n"}}}"#
            let row = #"{"device_uuid":"\#(Rig.device)","message":"m%"}"#
            for round in 0..<20 {
                let message = row.replacing("%", with: String(round))
                let prefer = headers + [(name: "prefer", value: "resolution=merge-duplicates")]
                let calls: [(path: String, body: String, headers: [(name: String, value: String)])] = [
                    (Rig.messages, message, prefer), (PushQueue.path, body, headers),
                ]
                rig.rig.client.together(calls)
                #expect(notes(rig, 2 * round + 2).suffix(2) == ["m\(round)", "n"])
            }
        }
    }
}
