// The broadcast of the dialect busymate: who may join a device's channel, and what is heard there.

import Basics
import Glibc
import HTTP
import Net
import Testing
import WebSocket

@testable import ReferenceRelay

/// A blocking WebSocket.
private final class Listener {
    private let descriptor: Int32
    private let session = WebSocketSession(.client, longest: 10_000)
    private let buffer = ByteBuffer()
    private var waiting: [WebSocketEvent] = []

    init(_ port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let fields = WebSocketHandshake.request(WebSocketHandshake.key(), protocol: nil).map { "\($0.name): \($0.value)" }
        let lines = ["GET /realtime/v1/websocket?apikey=public&vsn=1.0.0 HTTP/1.1", "host: localhost"] + fields + ["", ""]
        buffer.append(lines.joined(separator: "\r\n"))
        write()
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]), let byte = read(1).first { head.append(byte) }
        #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
    }

    deinit { close(descriptor) }

    private func write() {
        let bytes = buffer.array()
        #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count)
        buffer.clear()
    }

    private func read(_ count: Int) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: count)
        let came = recv(descriptor, &room, count, 0)
        return Array(room.prefix(max(0, came)))
    }

    func say(_ text: String) {
        withBytes(of: text) { session.send(text: $0) }
        session.takeOutput(into: buffer)
        write()
    }

    func join(_ topic: String, as token: String) -> String? {
        say(#"{"topic":"\#(topic)","event":"phx_join","payload":{"access_token":"\#(token)"},"ref":"1"}"#)
        return hears()?.at(pointer: "/payload/status")?.string
    }

    /// The next message; nil: none comes within ten seconds.
    func next() -> WebSocketEvent? {
        while waiting.isEmpty {
            let bytes = read(4_096)
            guard !bytes.isEmpty else { return nil }
            waiting = session.receive(bytes.span)
        }
        return waiting.removeFirst()
    }

    func hears() -> JSONValue? {
        guard case .text(let text)? = next() else { return nil }
        return try? JSONValue(parsing: text.span)
    }
}

@Suite(.serialized) struct BusymateChannelTests {
    private typealias Rig = BusymateRig

    private static let topic = "realtime:device:" + BusymateRig.device

    private func told(_ message: String) -> JSONValue {
        [
            "topic": .string(Self.topic), "event": "broadcast",
            "payload": [
                "type": "broadcast", "event": "live-activity-message",
                "payload": ["device_uuid": .string(Rig.device), "message": .string(message)],
            ],
            "ref": .null,
        ]
    }

    /// The device and a dashboard; whatever way the row is written.
    @Test func eachWriteIsBroadcastOnItsDevicesChannel() throws {
        try Rig.with { rig in
            let other = "99999999-2222-4333-8444-555555555555"
            let port = rig.rig.relay.boundAddress.port
            let (device, dashboard) = (Listener(port), Listener(port))
            #expect(device.join(Self.topic, as: "device." + Rig.device) == "ok")
            #expect(dashboard.join(Self.topic, as: "human.ann") == "ok")
            rig.write("elsewhere", of: other)
            rig.write("one")
            rig.write("")
            for listener in [device, dashboard] {
                for message in ["one", ""] { #expect(listener.hears() == told(message)) }
            }
        }
    }

    @Test func aChannelIsItsDevicesAndPeoples() throws {
        try Rig.with { rig in
            let listener = Listener(rig.rig.relay.boundAddress.port)
            #expect(listener.join(Self.topic, as: "device.99999999222243338444555555555555") == "error")
            #expect(listener.join(Self.topic, as: "human.ann.expired") == "error")
            #expect(listener.join("realtime:device:x", as: "human.ann") == "error")
            #expect(listener.join("realtime:room", as: "human.ann") == "error")
            #expect(listener.join(Self.topic, as: "human.ann") == "ok")
        }
    }

    @Test func onlyAWebSocketWithAKeyIsOpened() throws {
        try Rig.with { rig in
            #expect(rig.call("GET", "/realtime/v1/websocket").status == 400)
            #expect(rig.rig.client.call("GET", "/realtime/v1/websocket", "", headers: []).status == 401)
        }
    }

    @Test func whoLeavesHearsNoMore() throws {
        try Rig.with { rig in
            let listener = Listener(rig.rig.relay.boundAddress.port)
            #expect(listener.join(Self.topic, as: "human.ann") == "ok")
            listener.say(#"{"topic":"\#(Self.topic)","event":"phx_leave","payload":{},"ref":"2"}"#)
            #expect(listener.hears()?["ref"] == "2")
            rig.write("one")
            listener.say(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"3"}"#)
            #expect(listener.hears()?["ref"] == "3")
        }
    }

    @Test func aDefectBroadcastsInBinary() throws {
        try Rig.with([.broadcastsInBinary]) { rig in
            let listener = Listener(rig.rig.relay.boundAddress.port)
            #expect(listener.join(Self.topic, as: "human.ann") == "ok")
            rig.write("one")
            #expect(listener.next() == .binary(told("one").text.utf8.count))
        }
    }

    /// A statement that comes to nothing is heard by nobody, and so is one that is still to be pushed heard at once.
    @Test func nothingIsHeardOfWhatWasRolledBack() throws {
        try Rig.with(isWarm: false) { rig in
            let listener = Listener(rig.rig.relay.boundAddress.port)
            #expect(listener.join(Self.topic, as: "human.ann") == "ok")
            let row = #"{"device_uuid":"\#(Rig.device)","message":"no"}"#
            #expect(rig.call("POST", Rig.messages, #"[\#(row),{"device_uuid":"x","message":"no"}]"#).status == 400)
            rig.write("yes")
            #expect(listener.hears() == told("yes"))
        }
    }
}
