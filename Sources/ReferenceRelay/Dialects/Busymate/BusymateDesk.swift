// The endpoints of Busymate, in the shapes of PostgREST, of an edge function and of an MCP server's tool calls:
//
//     POST, PATCH, GET         /rest/v1/device_live_activity_message   { device_uuid, message, updated_by? }
//     POST, GET                /rest/v1/device_status                  { device_uuid, name?, online, source? }
//     POST, PATCH, DELETE      /rest/v1/device_push_token              { device_uuid, token, kind, environment? }
//     GET, PATCH               /rest/v1/live_activity_push_config      { url }
//     POST                     /functions/v1/push-notify               { push_type, device_uuid, aps: { content-state } }
//     POST                     /mcp                                    tools/call set_live_activity_message
//     GET                      /realtime/v1/websocket                  Realtime: BusymateChannel.swift
//     GET                      /health
//
// Statuses and tokens are written by their device: how its app really does that nobody has published.

import Basics
import Net

/// Confined to the relay's thread.
final class BusymateDesk {
    static let messages = "device_live_activity_message"

    let defects: Set<Defect>
    let channel: BusymateChannel
    /// From the beginning of service on.
    private(set) var queue: PushQueue!
    var tables: BusymateTables { queue.tables }

    init(defects: Set<Defect>) {
        self.defects = defects
        channel = BusymateChannel(defects: defects)
    }

    func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    func begin(_ relay: RelayService) throws {
        let tables = try BusymateTables(relay.storage.database, ignoresPresence: has(.ignoresPresence))
        queue = try PushQueue(tables, defects) { [channel] request in
            channel.broadcast(request.message, to: request.device)
        }
        // What the process before this one has not posted.
        queue.wake(relay)
    }

    var routes: [Route] {
        [
            rest("POST", Self.messages, postMessages), rest("PATCH", Self.messages, patchMessages),
            rest("GET", Self.messages, getMessages),
            rest("POST", "device_status", postStatus), rest("GET", "device_status", getStatus),
            rest("POST", "device_push_token", postToken), rest("PATCH", "device_push_token", patchToken),
            rest("DELETE", "device_push_token", deleteToken),
            rest("GET", "live_activity_push_config", getConfig), rest("PATCH", "live_activity_push_config", patchConfig),
            Route("POST", PushQueue.path) { [self] relay, exchange, _ in
                try answered(exchange) { try push(relay, exchange) }
            },
            Route("POST", "/mcp") { [self] relay, exchange, _ in
                try answered(exchange) { try callTool(relay, exchange).send(on: exchange) }
            },
            Route("GET", "/realtime/v1/websocket") { [self] _, exchange, _ in
                try answered(exchange) { try channel.open(exchange) }
            },
            .health,
        ]
    }

    private func rest(
        _ method: String, _ table: String, _ work: @escaping (RelayService, RowRequest) throws -> Reply
    ) -> Route {
        Route(method, "/rest/v1/" + table) { [self] relay, exchange, _ in
            try answered(exchange) { try work(relay, RowRequest(exchange)).send(on: exchange) }
        }
    }

    /// A refusal has PostgREST's body.
    private func answered(_ exchange: ServerExchange, _ work: () throws -> Void) throws {
        do { try work() } catch let error as RowError { error.reply.send(on: exchange) }
    }
}

extension RowRequest {
    /// The rows, where the caller wants them, with the columns that it wants.
    func reply(_ status: Int, _ rows: () throws -> [JSONObject]) rethrows -> Reply {
        guard wantsRows || method == "GET" else { return Reply(status: status, body: []) }
        let rows = try rows()
        guard let columns else { return .json(status, .array(rows.map { .object($0) })) }
        return .json(
            status,
            .array(
                rows.map { row in
                    var chosen = JSONObject()
                    for column in columns { chosen[column] = row[column] }
                    return .object(chosen)
                }))
    }
}
