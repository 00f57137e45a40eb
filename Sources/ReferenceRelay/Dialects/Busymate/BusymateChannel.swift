// Who listens to a device's channel: server-sent events of the name `live-activity-message`, where the original has a
// WebSocket.

import Basics
import HTTP
import Net

/// Confined to the relay's thread.
final class BusymateChannel {
    private static let listenersMax = 10_000
    /// Who reads so slowly is left.
    private static let waitingMax = 65_536

    private let defects: Set<Defect>
    private var listeners: [String: [ServerExchange]] = [:]
    /// Defect `retells-old-broadcast`: the last event of a channel.
    private var former: [String: [UInt8]] = [:]
    private var count = 0

    init(defects: Set<Defect>) { self.defects = defects }

    /// False: there is no room.
    func join(_ device: DeviceID, _ exchange: ServerExchange) -> Bool {
        guard count < Self.listenersMax else { return false }
        count += 1
        listeners[device.text, default: []].append(exchange)
        exchange.responseHead.append("content-type", "text/event-stream")
        exchange.responseHead.append("cache-control", "no-store")
        exchange.startStreaming(status: 200)
        exchange.stream(Array(": joined device:\(device.text)\n\n".utf8))
        return true
    }

    func broadcast(_ message: String, to device: String) {
        let payload: JSONValue = ["device_uuid": .string(device), "message": .string(message)]
        let event = Array("event: live-activity-message\ndata: \(payload.text)\n\n".utf8)
        tell(event, on: device)
        if defects.contains(.broadcastsAstray), let other = listeners.keys.filter({ $0 != device }).min() {
            tell(event, on: other)
        }
    }

    private func tell(_ event: [UInt8], on device: String) {
        guard var list = listeners[device] else { return }
        let before = list.count
        list.removeAll { !$0.isStreaming || $0.waitingBytes > Self.waitingMax }
        count -= before - list.count
        listeners[device] = list.isEmpty ? nil : list
        for exchange in defects.contains(.tellsFirstListener) ? list.prefix(1) : list[...] { exchange.stream(event) }
        guard defects.contains(.retellsOldBroadcast) else { return }
        if let former = former[device], list.count > 1 { list[1].stream(former) }
        former[device] = event
    }
}
