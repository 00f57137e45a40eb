// What is read back: everything at a start, and a few rows for the dashboard.

import Basics
import Pushes
import SQLite

/// A line of the dashboard.
struct DashboardDevice {
    var secret: String
    var token: String
    var bundleID: String
    var environment: String
    var updatedAt: WallTime
}

struct DashboardDelivery {
    var secret: String
    var eventType: String
    var sessionID: String
    var status: String
    var error: String?
    var createdAt: WallTime
}

extension Storage {
    /// All rows, or those of one secret.
    func load(_ secret: SecretHash? = nil) throws(Failure) -> StoredRows {
        var rows = StoredRows()
        let devices = try select("device_registration", of: secret, order: " ORDER BY id")
        while try devices.step() {
            guard let secret = Self.secret(devices, 1) else { continue }
            rows.devices.append(
                DeviceRow(
                    id: devices.integer(0), secret: secret, token: devices.text(2) ?? "",
                    bundleID: devices.text(3) ?? "", environment: Self.environment(devices, 4),
                    claimedEnvironment: Self.environment(devices, 5), startToken: devices.text(6),
                    createdAt: WallTime(milliseconds: devices.integer(7)),
                    updatedAt: WallTime(milliseconds: devices.integer(8))))
        }
        let activities = try select("activity_registration", of: secret, order: " ORDER BY id")
        while try activities.step() {
            guard let secret = Self.secret(activities, 1) else { continue }
            rows.activities.append(
                ActivityRow(
                    id: activities.integer(0), secret: secret, sessionID: activities.text(2) ?? "",
                    token: activities.text(3) ?? "", bundleID: activities.text(4) ?? "",
                    environment: Self.environment(activities, 5),
                    createdAt: WallTime(milliseconds: activities.integer(6)),
                    updatedAt: WallTime(milliseconds: activities.integer(7))))
        }
        let starts = try select("activity_start", of: secret)
        while try starts.step() {
            guard let secret = Self.secret(starts, 0) else { continue }
            rows.starts.append(
                StartRow(
                    secret: secret, sessionID: starts.text(1) ?? "", deviceID: starts.integer(2),
                    token: starts.text(3) ?? "", createdAt: WallTime(milliseconds: starts.integer(4)),
                    number: Int(starts.integer(5)), out: Int(starts.integer(6))))
        }
        let replaced = try select("replaced_activity", of: secret)
        while try replaced.step() {
            guard let secret = Self.secret(replaced, 0) else { continue }
            rows.replaced.append(
                ReplacedRow(secret: secret, sessionID: replaced.text(1) ?? "", token: replaced.text(2) ?? ""))
        }
        let dead = try select("dead_activity", of: secret, order: " ORDER BY rowid")
        while try dead.step() {
            guard let secret = Self.secret(dead, 0) else { continue }
            rows.dead.append(
                DeadRow(
                    secret: secret, sessionID: dead.text(1) ?? "", token: dead.text(2) ?? "",
                    bornAt: dead.isNull(3) ? nil : WallTime(milliseconds: dead.integer(3))))
        }
        let held = try select("held_state", of: secret)
        while try held.step() {
            guard let secret = Self.secret(held, 0), let type = held.text(2).flatMap(EventType.init) else { continue }
            rows.held.append(
                HeldRow(
                    secret: secret, sessionID: held.text(1) ?? "", eventType: type, content: held.text(3) ?? "",
                    isOwed: held.integer(4) != 0))
        }
        let waiting = try select("waiting_push", of: secret)
        while try waiting.step() {
            guard let secret = Self.secret(waiting, 1), let type = waiting.text(4).flatMap(EventType.init) else { continue }
            rows.waiting.append(
                WaitingRow(
                    apnsID: waiting.text(0) ?? "", secret: secret, deviceID: waiting.integer(2),
                    sessionID: waiting.text(3) ?? "", eventType: type, isStart: waiting.integer(5) != 0,
                    payload: waiting.text(6) ?? ""))
        }
        return rows
    }

    private func select(
        _ table: StaticString, of secret: SecretHash?, order: StaticString = ""
    ) throws(Failure) -> Statement {
        let filter = secret == nil ? "" : " WHERE secret_hash = ?"
        let statement = try database.prepare("SELECT * FROM \(table)\(filter)\(order)")
        if let secret { statement.bind(secret.hex, at: 1) }
        return statement
    }

    func newestDevices(_ count: Int) throws(Failure) -> [DashboardDevice] {
        let select = try database.prepare(
            """
            SELECT secret_hash, device_token, bundle_id, apns_env, updated_at FROM device_registration
            ORDER BY id DESC LIMIT ?
            """)
        select.bind(Int64(count), at: 1)
        var rows: [DashboardDevice] = []
        while try select.step() {
            rows.append(
                DashboardDevice(
                    secret: select.text(0) ?? "", token: select.text(1) ?? "", bundleID: select.text(2) ?? "",
                    environment: select.text(3) ?? "", updatedAt: WallTime(milliseconds: select.integer(4))))
        }
        return rows
    }

    func newestDeliveries(_ count: Int) throws(Failure) -> [DashboardDelivery] {
        let select = try database.prepare(
            """
            SELECT secret_hash, event_type, session_id, status, error, created_at FROM delivery_log
            ORDER BY id DESC LIMIT ?
            """)
        select.bind(Int64(count), at: 1)
        var rows: [DashboardDelivery] = []
        while try select.step() {
            rows.append(
                DashboardDelivery(
                    secret: select.text(0) ?? "", eventType: select.text(1) ?? "", sessionID: select.text(2) ?? "",
                    status: select.text(3) ?? "", error: select.text(4),
                    createdAt: WallTime(milliseconds: select.integer(5))))
        }
        return rows
    }

    private static func secret(_ row: Statement, _ column: Int32) -> SecretHash? {
        guard let digest = Hex.decode(row.text(column) ?? ""), digest.count == 32 else { return nil }
        return SecretHash(digest: digest)
    }

    private static func environment(_ row: Statement, _ column: Int32) -> PushEnvironment {
        PushEnvironment(word: row.text(column) ?? "") ?? .production
    }
}
