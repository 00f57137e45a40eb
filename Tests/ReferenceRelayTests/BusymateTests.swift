// The dialect busymate over real sockets: what is written, by whom, and what is pushed for it (claims R1).

import Basics
import Glibc
import Testing

@testable import ReferenceRelay

/// Calls with a role's bearer token, and what came of them.
struct BusymateRig {
    static let device = "11111111-2222-4333-8444-555555555555"
    static let messages = "/rest/v1/device_live_activity_message"

    let rig: LoopbackRig

    static func with(
        _ defects: Set<Defect> = [], isWarm: Bool = true, _ body: (BusymateRig) throws -> Void
    ) throws {
        try LoopbackRig.with {
            $0.dialect = .busymate
            $0.defects = defects
        } _: { rig in
            let busymate = BusymateRig(rig: rig)
            if isWarm { #expect(busymate.call("POST", PushQueue.path, "{}", as: "service.x").status == 200) }
            try body(busymate)
        }
    }

    func call(
        _ method: String, _ path: String, _ body: String = "", as role: String? = "human.ann", prefer: String? = nil
    ) -> CallAnswer {
        var headers = [(name: "apikey", value: "public")]
        if let role { headers.append((name: "authorization", value: "Bearer " + role)) }
        if let prefer { headers.append((name: "prefer", value: prefer)) }
        return rig.client.call(method, path, body, headers: headers)
    }

    @discardableResult
    func card(_ token: String, _ environment: String = "production", of device: String = device) -> CallAnswer {
        let row = #"{"device_uuid":"\#(device)","kind":"liveactivity","token":"\#(token)","environment":"\#(environment)"}"#
        return call("POST", "/rest/v1/device_push_token", row, as: "device.\(device)")
    }

    @discardableResult
    func status(_ online: Bool, _ source: String) -> CallAnswer {
        let row = #"{"device_uuid":"\#(Self.device)","name":"Ann's","online":\#(online),"source":"\#(source)"}"#
        return call("POST", "/rest/v1/device_status", row, as: "device.\(Self.device)")
    }

    @discardableResult
    func write(_ message: String, of device: String = device) -> CallAnswer {
        call(
            "POST", Self.messages, #"{"device_uuid":"\#(device)","message":"\#(message)"}"#,
            prefer: "resolution=merge-duplicates")
    }

    /// The content-states of the pushes so far, as JSON text.
    func shown(_ count: Int) -> [String] {
        rig.apns.await(count).map { push in
            let payload = try? JSONValue(parsing: push.body)
            return payload?.at(pointer: "/aps/content-state")?.text ?? push.body
        }
    }

    /// None comes for a while.
    func staysAt(_ count: Int) -> Bool {
        usleep(150_000)
        return rig.apns.pushes.count == count
    }
}

@Suite(.serialized) struct BusymateTests {
    private typealias Rig = BusymateRig
    private let state = #"{"mode":"%","requestsPerSec":0,"note":"#

    private func shown(_ mode: String, _ note: String?) -> String {
        state.replacing("%", with: mode) + (note.map { "\"\($0)\"" } ?? "null") + "}"
    }

    @Test func eachWriteIsPushedToEachCardAndAnsweredAsPostgRESTDoes() throws {
        try Rig.with { rig in
            #expect(rig.card("a1").status == 201 && rig.card("a2").status == 201)
            rig.status(true, "vpn")
            let row = #"{"device_uuid":"\#(Rig.device)","message":"one"}"#
            #expect(rig.call("POST", Rig.messages, row) == CallAnswer(status: 201, body: ""))
            let again = rig.call("POST", Rig.messages, row)
            #expect(again.status == 409 && again.body.contains(#""code":"23505""#))
            #expect(rig.write("two").status == 201)
            let one = Rig.messages + "?device_uuid=eq." + Rig.device
            #expect(rig.call("PATCH", one, #"{"message":"three"}"#) == CallAnswer(status: 204, body: ""))
            let read = rig.call("PATCH", one + "&select=message", #"{"message":"four"}"#, prefer: "return=representation")
            #expect(read == CallAnswer(status: 200, body: #"[{"message":"four"}]"#))
            let nobody = Rig.messages + "?device_uuid=eq.00000000-0000-4000-8000-000000000000"
            #expect(rig.call("PATCH", nobody, #"{"message":"five"}"#).status == 204)
            #expect(rig.shown(8) == ["one", "two", "three", "four"].flatMap { [shown("vpn", $0), shown("vpn", $0)] })
            #expect(rig.staysAt(8))
            let pushes = rig.rig.apns.pushes
            #expect(Set(pushes.map(\.path)) == ["/3/device/a1", "/3/device/a2"])
            #expect(pushes.allSatisfy { $0.topic == "com.example.app.push-type.liveactivity" && $0.priority == "10" })
        }
    }

    @Test func theModeIsThatOfTheWrite() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.write("unknown")
            rig.status(true, "pac")
            rig.write("on")
            rig.status(false, "pac")
            rig.write("off")
            rig.status(true, "wifi")
            rig.write("else")
            #expect(
                rig.shown(4) == [shown("off", "unknown"), shown("pac", "on"), shown("off", "off"), shown("off", "else")])
        }
    }

    @Test(arguments: [[], [.forgetsIdleMessages]] as [Set<Defect>])
    func whatIsWrittenWhileNothingRunsIsThereWhenTheCardIs(defects: Set<Defect>) throws {
        try Rig.with(defects) { rig in
            let read = Rig.messages + "?select=message&device_uuid=eq." + Rig.device
            #expect(rig.write("idle").status == 201)
            rig.card("a1")
            #expect(rig.call("GET", read).body == (defects.isEmpty ? #"[{"message":"idle"}]"# : "[]"))
            // What the first write caused may come late, when there is a card, and be pushed first.
            let last = shown("off", "shown")
            #expect(rig.write("shown").status == 201 && (rig.shown(1).last == last || rig.shown(2).last == last))
            #expect(rig.call("GET", read).body == #"[{"message":"shown"}]"#)
        }
    }

    @Test func anEmptyMessageTakesTheNoteAwayAndLeavesTheRow() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.write("one")
            rig.write("")
            #expect(rig.shown(2) == [shown("off", "one"), shown("off", nil)])
            #expect(rig.rig.apns.pushes.map(\.priority) == ["10", "5"])
            let row = rig.call("GET", Rig.messages + "?select=message", as: "device." + Rig.device)
            #expect(row.body == #"[{"message":""}]"#)
        }
    }

    @Test func theToolDoesWhatRESTDoes() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.status(true, "vpn")
            func tool(_ place: String, _ message: String, name: String = "set_live_activity_message") -> String {
                rig.call(
                    "POST", "/mcp",
                    #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(name)","arguments":{\#(place),"message":"\#(message)"}}}"#
                ).body
            }
            #expect(tool(#""device_uuid":"\#(Rig.device)""#, "one").contains(#""isError":false"#))
            #expect(tool(#""deviceName":"Ann's""#, "two").contains(#""id":7"#))
            #expect(tool(#""deviceName":"Bob's""#, "three").contains(#""isError":true"#))
            #expect(tool(#""deviceName":"Ann's""#, "four", name: "other").contains("-32602"))
            #expect(rig.shown(2) == [shown("vpn", "one"), shown("vpn", "two")])
            #expect(rig.staysAt(2))
        }
    }

    @Test func whatIsWrongIsRefusedAndNothingOfItIsPushed() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.write("one")
            let row = #"{"device_uuid":"\#(Rig.device)","message":"no"}"#
            func post(_ body: String, as role: String? = "human.ann") -> CallAnswer {
                rig.call("POST", Rig.messages, body, as: role, prefer: "resolution=merge-duplicates")
            }
            #expect(post(row, as: nil).status == 401)
            #expect(post(row, as: "nobody.ann").status == 401)
            #expect(post(row, as: "human.ann.expired").body.contains("JWT expired"))
            #expect(rig.rig.client.post(Rig.messages, row).body.contains("No API key"))
            let denied = post(row, as: "device." + Rig.device)
            #expect(denied.status == 403 && denied.body.contains(#""code":"42501""#))
            #expect(post(#"{"device_uuid":"x","message":"no"}"#).body.contains(#""code":"22P02""#))
            #expect(post(#"{"device_uuid":"\#(Rig.device)"}"#).body.contains(#""code":"23502""#))
            #expect(post("nonsense").body.contains("PGRST102"))
            #expect(post(#"[\#(row),{"device_uuid":"x","message":"no"}]"#).status == 400)
            #expect(rig.call("PATCH", Rig.messages + "?device_uuid=like.x", row).body.contains("PGRST100"))
            #expect(rig.call("GET", "/rest/v1/nothing").status == 404)
            #expect(rig.shown(1) == [shown("off", "one")] && rig.staysAt(1))
        }
    }

    @Test func eachRoleReadsItsOwn() throws {
        try Rig.with { rig in
            let other = "99999999-2222-4333-8444-555555555555"
            rig.write("one")
            rig.write("two", of: other)
            let all = Rig.messages + "?select=message"
            #expect(rig.call("GET", all).body == #"[{"message":"one"},{"message":"two"}]"#)
            #expect(rig.call("GET", all, as: "device." + other).body == #"[{"message":"two"}]"#)
            let foreign = all + "&device_uuid=eq." + Rig.device
            #expect(rig.call("GET", foreign, as: "device." + other).body == "[]")
            let config = "/rest/v1/live_activity_push_config?select=service_key"
            #expect(rig.call("GET", config).body == "[]")
            #expect(rig.call("GET", config, as: "service.x").body == #"[{"service_key":"x"}]"#)
            #expect(rig.call("PATCH", config, #"{"url":"x"}"#).status == 403)
        }
    }

    @Test func aRowOfAnotherKindIsNotPushedToAndATokenMovesWithItsRow() throws {
        try Rig.with { rig in
            rig.card("a1")
            let tokens = "/rest/v1/device_push_token"
            let alert = #"{"device_uuid":"\#(Rig.device)","kind":"alert","token":"d1"}"#
            #expect(rig.call("POST", tokens, alert, as: "device." + Rig.device).status == 201)
            #expect(rig.call("POST", tokens, alert, as: "device.99999999222243338444555555555555").status == 403)
            rig.write("one")
            _ = rig.shown(1)
            let row = tokens + "?device_uuid=eq.\(Rig.device)&token=eq."
            #expect(rig.call("PATCH", row + "a1", #"{"token":"a2"}"#, as: "device." + Rig.device).status == 204)
            rig.write("two")
            _ = rig.shown(2)
            #expect(rig.call("DELETE", row + "a2", as: "device." + Rig.device).status == 204)
            rig.write("three")
            #expect(rig.staysAt(2))
            #expect(rig.rig.apns.pushes.map(\.path) == ["/3/device/a1", "/3/device/a2"])
        }
    }

    @Test func aDeadTokenTakesNoOtherWithIt() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.card("a2")
            rig.rig.apns.answer { _, push in
                push.path.hasSuffix("a1") ? .respond(410, #"{"reason":"ExpiredToken","timestamp":9999999999999}"#) : .respond(200, "")
            }
            rig.write("one")
            _ = rig.shown(2)
            rig.write("two")
            _ = rig.shown(3)
            #expect(rig.rig.apns.pushes.map(\.path).count { $0.hasSuffix("a1") } == 1)
            #expect(rig.staysAt(3))
        }
    }

    @Test func aMessageThatNoPayloadHoldsIsCut() throws {
        try Rig.with { rig in
            rig.card("a1")
            rig.write(String(repeating: "長い \u{1F6F0}", count: 600))
            let push = rig.rig.apns.await(1)[0]
            #expect((4_000...4_096).contains(push.body.utf8.count))
            #expect((try? JSONValue(parsing: push.body)) != nil && push.body.contains("…"))
        }
    }
}
