// Who listens to a device's channel: over a WebSocket that speaks as Supabase's Realtime does, which is Phoenix's channels in
// JSON objects (`vsn=1.0.0`).
//
//     ▷ { topic: "realtime:device:<uuid>", event: "phx_join", payload: { access_token }, ref }
//     ◁ { topic, event: "phx_reply", payload: { status: "ok" | "error", response: {} }, ref }
//     ◁ { topic, event: "broadcast", payload: { type: "broadcast", event: "live-activity-message", payload: {…} }, ref: null }
//     ▷ { topic: "phoenix", event: "heartbeat", payload: {}, ref }        ◁ phx_reply

import Basics
import HTTP
import Net
import WebSocket

/// Confined to the relay's thread.
final class BusymateChannel {
    private static let listenersMax = 10_000
    /// Who reads so slowly is left.
    private static let waitingMax = 65_536
    private static let messageMax = 16_384
    private static let prefix = "realtime:device:"

    private let defects: Set<Defect>
    private var listeners: [String: [Subscriber]] = [:]
    /// Defect `retells-old-broadcast`: the last event of a channel.
    private var former: [String: JSONValue] = [:]
    private var count = 0

    init(defects: Set<Defect>) { self.defects = defects }

    // MARK: - Subscribing

    /// Answers with the switch of protocols, or throws why not. The `apikey` of a browser's WebSocket is in its query.
    func open(_ exchange: ServerExchange) throws(RowError) {
        let query = RowRequest.query(of: exchange)
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard !(value("apikey") ?? exchange.head.text("apikey") ?? "").isEmpty else { throw .noKey }
        guard value("vsn") ?? "1.0.0" == "1.0.0", let fields = WebSocketHandshake.answer(to: exchange.head) else {
            throw .badBody
        }
        for (name, value) in fields { exchange.responseHead.append(name: name, value: value) }
        let subscriber = Subscriber(exchange, messageMax: Self.messageMax)
        exchange.switchProtocols { [unowned self] in hear($0, subscriber) }
    }

    private func hear(_ bytes: Span<UInt8>, _ subscriber: Subscriber) {
        for event in subscriber.session.receive(bytes) {
            if case .text(let text) = event { obey(text, subscriber) }
        }
        subscriber.flush()
        if subscriber.session.isOver { subscriber.exchange.finishStreaming() }
    }

    private func obey(_ text: [UInt8], _ subscriber: Subscriber) {
        guard let message = try? JSONValue(parsing: text.span, maxDepth: 16), let topic = message["topic"]?.string else {
            return
        }
        let status: String
        switch message["event"]?.string {
        case "heartbeat" where topic == "phoenix": status = "ok"
        case "phx_join": status = join(topic, message["payload"]?["access_token"]?.string, subscriber) ? "ok" : "error"
        case "phx_leave":
            leave(topic, subscriber)
            status = "ok"
        default: return
        }
        subscriber.say(
            [
                "topic": .string(topic), "event": "phx_reply", "payload": ["status": .string(status), "response": [:]],
                "ref": message["ref"] ?? .null,
            ])
    }

    private func join(_ topic: String, _ token: String?, _ subscriber: Subscriber) -> Bool {
        guard count < Self.listenersMax, topic.hasPrefix(Self.prefix),
            let device = DeviceID(String(topic.dropFirst(Self.prefix.count))),
            let caller = try? Caller(token: token ?? ""), caller.reads(device.text)
        else { return false }
        leave(topic, subscriber)
        subscriber.topics[device.text] = topic
        listeners[device.text, default: []].append(subscriber)
        count += 1
        return true
    }

    private func leave(_ topic: String, _ subscriber: Subscriber) {
        guard let device = subscriber.topics.first(where: { $0.value == topic })?.key else { return }
        subscriber.topics[device] = nil
        keep(device) { $0 !== subscriber }
    }

    private func keep(_ device: String, _ stays: (Subscriber) -> Bool) {
        guard var list = listeners[device] else { return }
        let before = list.count
        list.removeAll { !stays($0) }
        count -= before - list.count
        listeners[device] = list.isEmpty ? nil : list
    }

    // MARK: - Telling

    func broadcast(_ message: String, to device: String) {
        let event: JSONValue = [
            "type": "broadcast", "event": "live-activity-message",
            "payload": ["device_uuid": .string(device), "message": .string(message)],
        ]
        tell(event, on: device)
        if defects.contains(.broadcastsAstray), let other = listeners.keys.filter({ $0 != device }).min() {
            tell(event, on: other)
        }
    }

    private func tell(_ event: JSONValue, on device: String) {
        keep(device) { $0.exchange.isStreaming && $0.exchange.waitingBytes <= Self.waitingMax }
        guard let list = listeners[device] else { return }
        for subscriber in defects.contains(.tellsFirstListener) ? list.prefix(1) : list[...] { tell(event, device, subscriber) }
        guard defects.contains(.retellsOldBroadcast) else { return }
        if let former = former[device], list.count > 1 { tell(former, device, list[1]) }
        former[device] = event
    }

    private func tell(_ event: JSONValue, _ device: String, _ subscriber: Subscriber) {
        guard let topic = subscriber.topics[device] else { return }
        subscriber.say(
            ["topic": .string(topic), "event": "broadcast", "payload": event, "ref": .null],
            isBinary: defects.contains(.broadcastsInBinary))
        subscriber.flush()
    }
}

/// One WebSocket, and the channels that it has joined.
private final class Subscriber {
    let exchange: ServerExchange
    let session: WebSocketSession
    /// As it calls them, by device.
    var topics: [String: String] = [:]
    private let output = ByteBuffer()

    init(_ exchange: ServerExchange, messageMax: Int) {
        self.exchange = exchange
        session = WebSocketSession(.server, longest: messageMax)
    }

    func say(_ message: JSONValue, isBinary: Bool = false) {
        withBytes(of: message.text) { isBinary ? session.send(binary: $0) : session.send(text: $0) }
    }

    func flush() {
        session.takeOutput(into: output)
        exchange.stream(output.array())
        output.clear(keepingUpTo: 1 << 16)
    }
}
