// The rows that are not messages: what a device tells of itself, its tokens, and where the trigger posts to.

import Basics
import Pushes

extension BusymateDesk {
    private static let statuses = "device_status"
    private static let tokens = "device_push_token"
    private static let config = "live_activity_push_config"
    /// The kind of a card's token.
    private static let card = "liveactivity"

    // MARK: - Statuses

    /// Whoever is online says so again and again, so a second row is written over whatever `Prefer` says.
    func postStatus(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        for row in try request.rows() {
            let device = try row.device(of: Self.statuses)
            try check(request.caller, device, Self.statuses)
            guard let isOnline = row["online"]?.bool else { throw RowError.missing("online", of: Self.statuses) }
            try tables.save(
                BusymateTables.Status(
                    device: device, name: row["name"]?.string, isOnline: isOnline, source: row["source"]?.string ?? "none"))
        }
        return Reply(status: 201, body: [])
    }

    func getStatus(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        let rows = try tables.statuses(of: try request.devices())
        return request.reply(200) { rows.filter { request.caller.reads($0["device_uuid"]?.string ?? "") } }
    }

    // MARK: - Tokens

    func postToken(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        for row in try request.rows() {
            let device = try row.device(of: Self.tokens)
            try check(request.caller, device, Self.tokens)
            guard let kind = row["kind"]?.string else { throw RowError.missing("kind", of: Self.tokens) }
            let registration = try registration(row, of: device)
            guard kind == Self.card else {
                let environment = (registration.environment ?? .production).word.description
                try tables.saveToken(registration.token, of: device, kind: kind, environment: environment)
                continue
            }
            if let refusal = relay.core.addToken(registration, now: relay.moment) { throw RowError(refusal) }
        }
        return Reply(status: 201, body: [])
    }

    /// A card's token has changed.
    func patchToken(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        let (device, old) = try place(request)
        guard let row = try request.rows().first else { throw RowError.badBody }
        _ = relay.core.changeToken(old, to: try registration(row, of: device), now: relay.moment)
        return Reply(status: 204, body: [])
    }

    func deleteToken(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        let (device, token) = try place(request)
        let secret = PushQueue.secret(of: device.text)
        if !has(.ignoresUnregister), !relay.core.dropToken(token, of: device.text, secret, now: relay.moment) {
            try tables.deleteToken(token, of: device)
        }
        return Reply(status: 204, body: [])
    }

    private func place(_ request: RowRequest) throws(RowError) -> (DeviceID, String) {
        guard let device = try request.devices()?.first, let token = try request.values(of: "token")?.first else {
            throw .badFilter
        }
        try check(request.caller, device, Self.tokens)
        return (device, token)
    }

    private func registration(_ row: JSONObject, of device: DeviceID) throws(RowError) -> ActivityRegistration {
        let fields = RequestFields(row)
        let token: String
        do { token = try fields.token("token") } catch { throw .badValue("token", of: Self.tokens) }
        var environment: PushEnvironment?
        if let word = row["environment"]?.string {
            guard let known = PushEnvironment(word: word) else { throw .badValue("environment", of: Self.tokens) }
            environment = known
        }
        return ActivityRegistration(
            secret: PushQueue.secret(of: device.text), sessionID: device.text, token: token, environment: environment)
    }

    /// A device writes its own rows only.
    private func check(_ caller: Caller, _ device: DeviceID, _ table: String) throws(RowError) {
        guard caller.role != .device || caller.is(device) else { throw .denied(table) }
    }

    // MARK: - Where the trigger posts to

    /// Nobody else sees that there is a row (R1.21).
    func getConfig(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        let config = try tables.config()
        return request.reply(200) {
            guard let config, request.caller.role == .service || has(.showsServiceKey) else { return [] }
            return [["url": .string(config.url), "service_key": .string(config.key)]]
        }
    }

    func patchConfig(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        guard request.caller.role == .service || has(.opensConfig) else { throw RowError.denied(Self.config) }
        guard let url = try request.rows().first?["url"]?.string else { throw RowError.missing("url", of: Self.config) }
        if let config = try tables.config() { try tables.saveConfig(url: url, key: config.key) }
        queue.wake(relay)
        return Reply(status: 204, body: [])
    }
}
