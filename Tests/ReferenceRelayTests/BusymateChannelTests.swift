// The broadcast of the dialect busymate: who may join a device's channel, and what is heard there.

import Basics
import Glibc
import Net
import Testing

@testable import ReferenceRelay

/// A blocking connection that reads what is streamed to it.
private final class Listener {
    private let descriptor: Int32
    private(set) var text = ""

    init(_ port: UInt16, _ path: String, as role: String) {
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
        let lines = ["GET \(path) HTTP/1.1", "host: localhost", "apikey: public", "authorization: Bearer \(role)", "", ""]
        let request = Array(lines.joined(separator: "\r\n").utf8)
        #expect(send(descriptor, request, request.count, 0) == request.count)
    }

    deinit { close(descriptor) }

    /// Reads until that has come; false where it does not within ten seconds.
    func hears(_ words: String) -> Bool {
        var room = [UInt8](repeating: 0, count: 4_096)
        while !text.contains(words) {
            let count = recv(descriptor, &room, room.count, 0)
            guard count > 0 else { return false }
            text += String(decoding: room[..<count], as: UTF8.self)
        }
        return true
    }
}

@Suite(.serialized) struct BusymateChannelTests {
    private typealias Rig = BusymateRig

    private func path(_ device: String = BusymateRig.device) -> String { "/realtime/v1?channel=device:" + device }

    /// The device and a dashboard; whatever way the row is written.
    @Test func eachWriteIsBroadcastOnItsDevicesChannel() throws {
        try Rig.with { rig in
            let other = "99999999-2222-4333-8444-555555555555"
            let port = rig.rig.relay.boundAddress.port
            let device = Listener(port, path(), as: "device." + Rig.device)
            let dashboard = Listener(port, path(), as: "human.ann")
            #expect(device.hears("joined device:\(Rig.device)") && dashboard.hears("joined"))
            rig.write("elsewhere", of: other)
            rig.write("one")
            rig.write("")
            for listener in [device, dashboard] {
                #expect(listener.hears(#""message":"""#))
                let events = listener.text.split(whereSeparator: \.isNewline).filter {
                    $0.hasPrefix("event: ") || $0.hasPrefix("data: ")
                }
                let data = ["one", ""].map { #"data: {"device_uuid":"\#(Rig.device)","message":"\#($0)"}"# }
                #expect(events.map(String.init) == data.flatMap { ["event: live-activity-message", $0] })
            }
        }
    }

    @Test func aChannelIsItsDevicesAndPeoples() throws {
        try Rig.with { rig in
            #expect(rig.call("GET", path(), as: "device.99999999222243338444555555555555").status == 403)
            #expect(rig.call("GET", path(), as: nil).status == 401)
            #expect(rig.call("GET", path("x")).status == 400)
            #expect(rig.call("GET", "/realtime/v1?channel=room").status == 400)
        }
    }

    /// A statement that comes to nothing is heard by nobody, and so is one that is still to be pushed heard at once.
    @Test func nothingIsHeardOfWhatWasRolledBack() throws {
        try Rig.with(isWarm: false) { rig in
            let listener = Listener(rig.rig.relay.boundAddress.port, path(), as: "human.ann")
            #expect(listener.hears("joined"))
            let row = #"{"device_uuid":"\#(Rig.device)","message":"no"}"#
            #expect(rig.call("POST", Rig.messages, #"[\#(row),{"device_uuid":"x","message":"no"}]"#).status == 400)
            rig.write("yes")
            #expect(listener.hears(#""message":"yes""#) && !listener.text.contains(#""message":"no""#))
        }
    }
}
