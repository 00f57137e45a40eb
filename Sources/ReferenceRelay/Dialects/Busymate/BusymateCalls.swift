// What is called and not written: the push function, which the trigger calls within the process and services from outside,
// and the tool by which an assistant sets a message.

import Basics
import Net

extension BusymateDesk {
    // MARK: - The function

    /// Its first call fills the configuration, whatever it is about (R1.20). Answered when each push has been tried once.
    func push(_ relay: RelayService, _ exchange: ServerExchange) throws {
        let caller = try Caller(exchange.head)
        guard caller.role == .service else { throw RowError.denied("push-notify") }
        if try tables.config() == nil {
            try tables.saveConfig(url: PushQueue.path, key: caller.subject)
            queue.wake(relay)
        }
        let bytes = exchange.body
        guard let body = (try? JSONValue(parsing: bytes.bytes, maxDepth: 16))?.object else { throw RowError.badBody }
        guard body["device_uuid"] != nil else { return Replies.event(sent: 0, failed: 0).send(on: exchange) }
        let device = try body.device(of: Self.messages)
        let shown = body["aps"]?["content-state"]
        guard body["push_type"] == "liveactivity", let mode = shown?["mode"]?.string.flatMap(BusymateMode.init) else {
            throw RowError.badBody
        }
        let state = BusymateState(mode: mode, message: shown?["note"]?.string ?? "")
        try queue.catchUp(relay)
        let ticket = EventTicket(context: exchange)
        relay.core.handle(PushQueue.event(state, for: device.text), ticket: ticket, now: relay.moment)
    }

    // MARK: - The tool

    /// JSON-RPC: `tools/call` of `set_live_activity_message` with `device_uuid` or `deviceName`, and `message`. It writes as a
    /// service, with the same effect as a write over REST (R1.15).
    func callTool(_ relay: RelayService, _ exchange: ServerExchange) throws -> Reply {
        let caller = try Caller(exchange.head)
        guard caller.role != .device else { throw RowError.denied(Self.messages) }
        let bytes = exchange.body
        guard let body = try? JSONValue(parsing: bytes.bytes, maxDepth: 16), body.object != nil else {
            return rpc(.null, error: -32_700, "Parse error")
        }
        let id = body["id"] ?? .null
        guard body["jsonrpc"] == "2.0", body["method"] == "tools/call" else {
            return rpc(id, error: -32_601, "Method not found")
        }
        guard let arguments = body["params"]?["arguments"], body["params"]?["name"] == "set_live_activity_message",
            let message = arguments["message"]?.string
        else { return rpc(id, error: -32_602, "Invalid params") }
        let device: DeviceID?
        if let uuid = arguments["device_uuid"]?.string {
            device = DeviceID(uuid)
        } else {
            device = try tables.device(named: arguments["deviceName"]?.string ?? "")
        }
        guard let device else { return said(id, "No such device", isError: true) }
        let last = try tables.lastRequest()
        let row = BusymateTables.Message(device: device, message: message, writer: caller.subject)
        _ = try tables.insert([row], merges: true, now: relay.moment.wall)
        try forgetIdle([device], relay)
        try forgetRequests(after: last, because: .pushesNoToolCalls)
        queue.wake(relay)
        return said(id, "Message set")
    }

    private func rpc(_ id: JSONValue, error code: Int64, _ words: String) -> Reply {
        .json(200, ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(words)]])
    }

    private func said(_ id: JSONValue, _ words: String, isError: Bool = false) -> Reply {
        .json(
            200,
            [
                "jsonrpc": "2.0", "id": id,
                "result": ["content": [["type": "text", "text": .string(words)]], "isError": .bool(isError)],
            ])
    }
}
