// The tables of chapter 2 in the relay's own SQLite file, and its triggers: whoever writes a message, and however, leaves a
// row in `push_request` within the same transaction, with the device's mode as it is then (R1.1, R1.5, R1.18). Tokens of
// cards are rows of the kit; here are those of other kinds, which are pushed to by nobody (R1.8).

import Basics
import SQLite

/// Confined to the relay's thread.
final class BusymateTables {
    /// What the trigger asks to push.
    struct Request {
        var id: Int64
        var device: String
        var message: String
        var mode: BusymateMode
    }

    struct Message {
        var device: DeviceID
        var message: String
        var writer: String?
    }

    struct Status {
        var device: DeviceID
        var name: String?
        var isOnline: Bool
        var source: String
    }

    private let database: Database
    private let hasMessage: Statement
    private let saveMessage: Statement
    private let saveStatus: Statement
    private let deleteRequest: Statement
    private let nextRequests: Statement

    /// `ignoresPresence`: a defect.
    init(_ database: Database, ignoresPresence: Bool) throws(Failure) {
        self.database = database
        let presence = ignoresPresence ? "" : "online AND "
        let request = """
            INSERT INTO push_request (device_uuid, message, mode) VALUES (new.device_uuid, new.message, coalesce(
              (SELECT source FROM device_status
               WHERE device_uuid = new.device_uuid AND \(presence)source IN ('vpn', 'pac')), 'off'));
            """
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS device_live_activity_message (
              device_uuid TEXT PRIMARY KEY, message TEXT NOT NULL, updated_at INTEGER NOT NULL, updated_by TEXT) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS device_status (
              device_uuid TEXT PRIMARY KEY, name TEXT, online INTEGER NOT NULL, source TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS device_push_token (
              token TEXT PRIMARY KEY, device_uuid TEXT NOT NULL, kind TEXT NOT NULL, environment TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS live_activity_push_config (
              id INTEGER PRIMARY KEY CHECK (id = 1), url TEXT NOT NULL, service_key TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS push_request (
              id INTEGER PRIMARY KEY AUTOINCREMENT, device_uuid TEXT NOT NULL, message TEXT NOT NULL, mode TEXT NOT NULL);
            CREATE TRIGGER IF NOT EXISTS push_of_insert AFTER INSERT ON device_live_activity_message
              BEGIN \(request) END;
            CREATE TRIGGER IF NOT EXISTS push_of_update AFTER UPDATE ON device_live_activity_message
              BEGIN \(request) END;
            """)
        hasMessage = try database.prepare("SELECT 1 FROM device_live_activity_message WHERE device_uuid = ?")
        saveMessage = try database.prepare(
            """
            INSERT INTO device_live_activity_message VALUES (?, ?, ?, ?) ON CONFLICT (device_uuid) DO UPDATE SET
            message = excluded.message, updated_at = excluded.updated_at, updated_by = excluded.updated_by
            """)
        saveStatus = try database.prepare(
            """
            INSERT INTO device_status VALUES (?, ?, ?, ?) ON CONFLICT (device_uuid) DO UPDATE SET
            name = coalesce(excluded.name, name), online = excluded.online, source = excluded.source
            """)
        deleteRequest = try database.prepare("DELETE FROM push_request WHERE id = ?")
        nextRequests = try database.prepare("SELECT * FROM push_request WHERE id > ? ORDER BY id LIMIT ?")
    }

    // MARK: - Messages

    /// All or nothing. `merges`: rows that are there are written over; else the first of them is returned, and nothing written.
    func insert(_ rows: [Message], merges: Bool, now: WallTime) throws(Failure) -> DeviceID? {
        var conflict: DeviceID?
        do {
            try database.transaction { () throws(Failure) in
                for row in rows {
                    if !merges, try exists(row.device) {
                        conflict = row.device
                        throw Failure(.run, "duplicate key")
                    }
                    try save(row, now: now)
                }
            }
        } catch {
            guard conflict != nil else { throw error }
        }
        return conflict
    }

    private func exists(_ device: DeviceID) throws(Failure) -> Bool {
        hasMessage.bind(device.text, at: 1)
        defer { hasMessage.reset() }
        return try hasMessage.step()
    }

    private func save(_ row: Message, now: WallTime) throws(Failure) {
        saveMessage.bind(row.device.text, at: 1)
        saveMessage.bind(row.message, at: 2)
        saveMessage.bind(now.milliseconds, at: 3)
        saveMessage.bind(row.writer, at: 4)
        try saveMessage.run()
    }

    /// In one statement. `devices` nil: all rows there are.
    func update(_ devices: [DeviceID]?, to message: String, by writer: String?, now: WallTime) throws(Failure) {
        let place = devices.map { " WHERE device_uuid IN (\($0.map { "'\($0.text)'" }.joined(separator: ", ")))" } ?? ""
        let update = try database.prepare(
            "UPDATE device_live_activity_message SET message = ?, updated_at = ?, updated_by = ?" + place)
        update.bind(message, at: 1)
        update.bind(now.milliseconds, at: 2)
        update.bind(writer, at: 3)
        try update.run()
    }

    /// Of the defect alone.
    func forgetMessage(of device: String) throws(Failure) {
        let delete = try database.prepare("DELETE FROM device_live_activity_message WHERE device_uuid = ?")
        delete.bind(device, at: 1)
        try delete.run()
    }

    /// Each row by its columns.
    func messages(of devices: [DeviceID]?) throws(Failure) -> [JSONObject] {
        try rows("device_live_activity_message", devices) { row in
            [
                "device_uuid": .string(row.text(0) ?? ""), "message": .string(row.text(1) ?? ""),
                "updated_at": .string(WallTime(milliseconds: row.integer(2)).iso8601),
                "updated_by": row.text(3).map { .string($0) } ?? .null,
            ]
        }
    }

    // MARK: - Devices

    func save(_ status: Status) throws(Failure) {
        saveStatus.bind(status.device.text, at: 1)
        saveStatus.bind(status.name, at: 2)
        saveStatus.bind(Int64(status.isOnline ? 1 : 0), at: 3)
        saveStatus.bind(status.source, at: 4)
        try saveStatus.run()
    }

    func statuses(of devices: [DeviceID]?) throws(Failure) -> [JSONObject] {
        try rows("device_status", devices) { row in
            [
                "device_uuid": .string(row.text(0) ?? ""), "name": row.text(1).map { .string($0) } ?? .null,
                "online": .bool(row.integer(2) != 0), "source": .string(row.text(3) ?? ""),
            ]
        }
    }

    /// Nil where none or more than one has that name.
    func device(named name: String) throws(Failure) -> DeviceID? {
        let select = try database.prepare("SELECT device_uuid FROM device_status WHERE name = ? LIMIT 2")
        select.bind(name, at: 1)
        var found: [String] = []
        while try select.step() { found.append(select.text(0) ?? "") }
        return found.count == 1 ? DeviceID(found[0]) : nil
    }

    /// A token that is not a card's.
    func saveToken(_ token: String, of device: DeviceID, kind: String, environment: String) throws(Failure) {
        let insert = try database.prepare("INSERT OR REPLACE INTO device_push_token VALUES (?, ?, ?, ?)")
        insert.bind(token, at: 1)
        insert.bind(device.text, at: 2)
        insert.bind(kind, at: 3)
        insert.bind(environment, at: 4)
        try insert.run()
    }

    func deleteToken(_ token: String, of device: DeviceID) throws(Failure) {
        let delete = try database.prepare("DELETE FROM device_push_token WHERE token = ? AND device_uuid = ?")
        delete.bind(token, at: 1)
        delete.bind(device.text, at: 2)
        try delete.run()
    }

    /// Those of other kinds than a card's.
    func otherTokens(of device: String) throws(Failure) -> [String] {
        let select = try database.prepare("SELECT token FROM device_push_token WHERE device_uuid = ?")
        select.bind(device, at: 1)
        var tokens: [String] = []
        while try select.step() { tokens.append(select.text(0) ?? "") }
        return tokens
    }

    private func rows(
        _ table: StaticString, _ devices: [DeviceID]?, _ read: (Statement) -> JSONObject
    ) throws(Failure) -> [JSONObject] {
        let place = devices.map { " WHERE device_uuid IN (\($0.map { "'\($0.text)'" }.joined(separator: ", ")))" } ?? ""
        let select = try database.prepare("SELECT * FROM \(table)\(place) ORDER BY 1 LIMIT 1000")
        var rows: [JSONObject] = []
        while try select.step() { rows.append(read(select)) }
        return rows
    }
}

// MARK: - What the triggers leave

extension BusymateTables {
    /// Where the trigger posts to, and with what key; nil until the function has run for the first time (R1.20).
    func config() throws(Failure) -> (url: String, key: String)? {
        let select = try database.prepare("SELECT url, service_key FROM live_activity_push_config")
        defer { select.reset() }
        return try select.step() ? (select.text(0) ?? "", select.text(1) ?? "") : nil
    }

    func saveConfig(url: String, key: String) throws(Failure) {
        let insert = try database.prepare("INSERT OR REPLACE INTO live_activity_push_config VALUES (1, ?, ?)")
        insert.bind(url, at: 1)
        insert.bind(key, at: 2)
        try insert.run()
    }

    /// Of every request so far the highest; 0 without one.
    func lastRequest() throws(Failure) -> Int64 {
        let select = try database.prepare("SELECT coalesce(max(id), 0) FROM push_request")
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    func requests(after id: Int64, atMost count: Int) throws(Failure) -> [Request] {
        nextRequests.bind(id, at: 1)
        nextRequests.bind(Int64(count), at: 2)
        var requests: [Request] = []
        while try nextRequests.step() {
            requests.append(
                Request(
                    id: nextRequests.integer(0), device: nextRequests.text(1) ?? "", message: nextRequests.text(2) ?? "",
                    mode: nextRequests.text(3).flatMap(BusymateMode.init) ?? .off))
        }
        return requests
    }

    func removeRequest(_ id: Int64) throws(Failure) {
        deleteRequest.bind(id, at: 1)
        try deleteRequest.run()
    }
}
