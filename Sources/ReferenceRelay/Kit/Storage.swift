// The relay's tables and its delivery log in SQLite. Rows are gathered and written in one transaction per
// turn, before the answers of that turn leave: what was answered survives `kill -9`.

import Basics
import Pushes
import SQLite

final class Storage {
    /// Log rows gathered before they are written without a registration that hurries them.
    static let logBatch = 256

    private static let version: Int64 = 6
    private static let schema = """
        CREATE TABLE device_registration (
          id INTEGER PRIMARY KEY, secret_hash TEXT NOT NULL, device_token TEXT NOT NULL, bundle_id TEXT NOT NULL,
          apns_env TEXT NOT NULL, claimed_env TEXT NOT NULL, push_to_start_token TEXT,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (secret_hash, device_token));
        CREATE TABLE activity_registration (
          id INTEGER PRIMARY KEY, secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, activity_token TEXT NOT NULL,
          bundle_id TEXT NOT NULL, apns_env TEXT NOT NULL,
          created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (secret_hash, session_id, activity_token));
        CREATE TABLE activity_start (
          secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, device_id INTEGER NOT NULL, start_token TEXT NOT NULL,
          created_at INTEGER NOT NULL, number INTEGER NOT NULL, out INTEGER NOT NULL,
          PRIMARY KEY (secret_hash, session_id, device_id)) WITHOUT ROWID;
        CREATE TABLE replaced_activity (
          secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, activity_token TEXT NOT NULL,
          PRIMARY KEY (secret_hash, session_id, activity_token)) WITHOUT ROWID;
        CREATE TABLE dead_activity (
          secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, activity_token TEXT NOT NULL, born_at INTEGER,
          PRIMARY KEY (secret_hash, session_id, activity_token));
        CREATE TABLE delivery_log (
          id INTEGER PRIMARY KEY, secret_hash TEXT NOT NULL, event_type TEXT NOT NULL, session_id TEXT NOT NULL,
          status TEXT NOT NULL, error TEXT, created_at INTEGER NOT NULL);
        CREATE TABLE held_state (
          secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, event_type TEXT NOT NULL, content TEXT NOT NULL,
          is_owed INTEGER NOT NULL,
          PRIMARY KEY (secret_hash, session_id)) WITHOUT ROWID;
        CREATE TABLE waiting_push (
          apns_id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, device_id INTEGER NOT NULL, session_id TEXT NOT NULL,
          event_type TEXT NOT NULL, is_start INTEGER NOT NULL, payload TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE provider_token (
          key_id TEXT NOT NULL, team_id TEXT NOT NULL, value TEXT NOT NULL, signed_at INTEGER NOT NULL,
          PRIMARY KEY (key_id, team_id)) WITHOUT ROWID;
        CREATE TABLE relay_process (id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL);
        CREATE TABLE secret_owner (secret_hash TEXT PRIMARY KEY, process_id INTEGER NOT NULL) WITHOUT ROWID;
        """

    let database: Database
    private let saveDevice: Statement
    private let deleteDevice: Statement
    private let saveActivity: Statement
    private let deleteActivity: Statement
    private let saveStart: Statement
    private let deleteStarts: Statement
    private let saveReplaced: Statement
    private let deleteReplaced: Statement
    private let saveDead: Statement
    private let deleteDead: Statement
    private let saveHeld: Statement
    private let deleteHeld: Statement
    private let saveWaiting: Statement
    private let deleteWaiting: Statement
    private let insertDelivery: Statement
    private let trimDeliveries: Statement
    private let deliveryRowsMax: Int
    private var pending: [RowChange] = []
    private var mustWrite = false
    /// Deliveries logged since the file was made; the oldest rows may be gone.
    private(set) var deliveries: Int64

    init(path: String, deliveryRowsMax: Int) throws(Failure) {
        database = try Database(path: path)
        self.deliveryRowsMax = deliveryRowsMax
        try Self.prepareSchema(of: database)
        saveDevice = try database.prepare(
            """
            INSERT INTO device_registration VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET bundle_id = excluded.bundle_id, apns_env = excluded.apns_env,
            claimed_env = excluded.claimed_env, push_to_start_token = excluded.push_to_start_token,
            updated_at = excluded.updated_at
            """)
        deleteDevice = try database.prepare("DELETE FROM device_registration WHERE id = ?")
        saveActivity = try database.prepare(
            """
            INSERT INTO activity_registration VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET bundle_id = excluded.bundle_id, apns_env = excluded.apns_env,
            updated_at = excluded.updated_at
            """)
        deleteActivity = try database.prepare("DELETE FROM activity_registration WHERE id = ?")
        saveStart = try database.prepare("INSERT OR REPLACE INTO activity_start VALUES (?, ?, ?, ?, ?, ?, ?)")
        deleteStarts = try database.prepare(
            "DELETE FROM activity_start WHERE secret_hash = ?1 AND session_id = ?2 AND (?3 IS NULL OR device_id = ?3)")
        saveReplaced = try database.prepare("INSERT OR REPLACE INTO replaced_activity VALUES (?, ?, ?)")
        deleteReplaced = try database.prepare("DELETE FROM replaced_activity WHERE secret_hash = ? AND session_id = ?")
        saveDead = try database.prepare("INSERT OR REPLACE INTO dead_activity VALUES (?, ?, ?, ?)")
        deleteDead = try database.prepare(
            "DELETE FROM dead_activity WHERE secret_hash = ? AND session_id = ? AND activity_token = ?")
        saveHeld = try database.prepare("INSERT OR REPLACE INTO held_state VALUES (?, ?, ?, ?, ?)")
        deleteHeld = try database.prepare("DELETE FROM held_state WHERE secret_hash = ? AND session_id = ?")
        saveWaiting = try database.prepare("INSERT OR REPLACE INTO waiting_push VALUES (?, ?, ?, ?, ?, ?, ?)")
        deleteWaiting = try database.prepare("DELETE FROM waiting_push WHERE apns_id = ?")
        insertDelivery = try database.prepare(
            """
            INSERT INTO delivery_log (secret_hash, event_type, session_id, status, error, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        trimDeliveries = try database.prepare("DELETE FROM delivery_log WHERE id <= ?")
        deliveries = try Self.number(database, "SELECT coalesce(max(id), 0) FROM delivery_log")
    }

    static func number(_ database: Database, _ query: String) throws(Failure) -> Int64 {
        let select = try database.prepare(query)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    /// A file of ours, or a new one; anything else is refused rather than changed.
    private static func prepareSchema(of database: Database) throws(Failure) {
        if try number(database, "PRAGMA user_version") == version { return }
        try database.transaction { () throws(Failure) in
            // A process beside this one may have been faster.
            let found = try number(database, "PRAGMA user_version")
            if found == version { return }
            let tables = try number(database, "SELECT count(*) FROM sqlite_schema")
            guard found == 0, tables == 0 else {
                throw Failure(
                    .usage, "\(database.path) is not the storage of this relay (version \(found), expected \(version))",
                    hint: "choose another file, or remove this one")
            }
            try database.execute(schema)
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    // MARK: - Writing

    /// Takes changes to be written by the next `flush`.
    func append(_ changes: [RowChange]) {
        for change in changes {
            if case .log = change { deliveries += 1 } else { mustWrite = true }
            pending.append(change)
        }
    }

    var hasPending: Bool { !pending.isEmpty }

    /// Writes what must not be lost; log rows alone wait until there are many, or until `force`. When it throws,
    /// nothing was written and the rows that are no log rows stay for the next time.
    func flush(force: Bool = false) throws(Failure) {
        guard force || mustWrite || pending.count >= Self.logBatch, !pending.isEmpty else { return }
        do {
            try database.transaction { () throws(Failure) in
                for change in pending { try write(change) }
            }
        } catch {
            pending.removeAll { if case .log = $0 { true } else { false } }
            throw error
        }
        pending.removeAll(keepingCapacity: true)
        mustWrite = false
    }

    private func write(_ change: RowChange) throws(Failure) {
        switch change {
        case .saveDevice(let row):
            saveDevice.bind(row.id, at: 1)
            saveDevice.bind(row.secret.hex, at: 2)
            saveDevice.bind(row.token, at: 3)
            saveDevice.bind(row.bundleID, at: 4)
            saveDevice.bind(row.environment.word.description, at: 5)
            saveDevice.bind(row.claimedEnvironment.word.description, at: 6)
            saveDevice.bind(row.startToken, at: 7)
            saveDevice.bind(row.createdAt.milliseconds, at: 8)
            saveDevice.bind(row.updatedAt.milliseconds, at: 9)
            try saveDevice.run()
        case .deleteDevice(let id):
            deleteDevice.bind(id, at: 1)
            try deleteDevice.run()
        case .saveActivity(let row):
            saveActivity.bind(row.id, at: 1)
            saveActivity.bind(row.secret.hex, at: 2)
            saveActivity.bind(row.sessionID, at: 3)
            saveActivity.bind(row.token, at: 4)
            saveActivity.bind(row.bundleID, at: 5)
            saveActivity.bind(row.environment.word.description, at: 6)
            saveActivity.bind(row.createdAt.milliseconds, at: 7)
            saveActivity.bind(row.updatedAt.milliseconds, at: 8)
            try saveActivity.run()
        case .deleteActivity(let id):
            deleteActivity.bind(id, at: 1)
            try deleteActivity.run()
        case .saveStart(let row):
            saveStart.bind(row.secret.hex, at: 1)
            saveStart.bind(row.sessionID, at: 2)
            saveStart.bind(row.deviceID, at: 3)
            saveStart.bind(row.token, at: 4)
            saveStart.bind(row.createdAt.milliseconds, at: 5)
            saveStart.bind(Int64(row.number), at: 6)
            saveStart.bind(Int64(row.out), at: 7)
            try saveStart.run()
        case .deleteStarts(let secret, let sessionID, let deviceID):
            deleteStarts.bind(secret.hex, at: 1)
            deleteStarts.bind(sessionID, at: 2)
            if let deviceID { deleteStarts.bind(deviceID, at: 3) } else { deleteStarts.bindNull(at: 3) }
            try deleteStarts.run()
        case .saveReplaced(let row):
            saveReplaced.bind(row.secret.hex, at: 1)
            saveReplaced.bind(row.sessionID, at: 2)
            saveReplaced.bind(row.token, at: 3)
            try saveReplaced.run()
        case .deleteReplaced(let secret, let sessionID):
            deleteReplaced.bind(secret.hex, at: 1)
            deleteReplaced.bind(sessionID, at: 2)
            try deleteReplaced.run()
        case .saveDead(let row):
            saveDead.bind(row.secret.hex, at: 1)
            saveDead.bind(row.sessionID, at: 2)
            saveDead.bind(row.token, at: 3)
            if let bornAt = row.bornAt { saveDead.bind(bornAt.milliseconds, at: 4) } else { saveDead.bindNull(at: 4) }
            try saveDead.run()
        case .deleteDead(let secret, let sessionID, let token):
            deleteDead.bind(secret.hex, at: 1)
            deleteDead.bind(sessionID, at: 2)
            deleteDead.bind(token, at: 3)
            try deleteDead.run()
        case .saveHeld(let row):
            saveHeld.bind(row.secret.hex, at: 1)
            saveHeld.bind(row.sessionID, at: 2)
            saveHeld.bind(row.eventType.rawValue, at: 3)
            saveHeld.bind(row.content, at: 4)
            saveHeld.bind(Int64(row.isOwed ? 1 : 0), at: 5)
            try saveHeld.run()
        case .deleteHeld(let secret, let sessionID):
            deleteHeld.bind(secret.hex, at: 1)
            deleteHeld.bind(sessionID, at: 2)
            try deleteHeld.run()
        case .saveWaiting(let row):
            saveWaiting.bind(row.apnsID, at: 1)
            saveWaiting.bind(row.secret.hex, at: 2)
            saveWaiting.bind(row.deviceID, at: 3)
            saveWaiting.bind(row.sessionID, at: 4)
            saveWaiting.bind(row.eventType.rawValue, at: 5)
            saveWaiting.bind(Int64(row.isStart ? 1 : 0), at: 6)
            saveWaiting.bind(row.payload, at: 7)
            try saveWaiting.run()
        case .deleteWaiting(let id):
            deleteWaiting.bind(id, at: 1)
            try deleteWaiting.run()
        case .log(let row): try write(row)
        }
    }

    private func write(_ row: DeliveryRow) throws(Failure) {
        insertDelivery.bind(row.secret.hex, at: 1)
        insertDelivery.bind(row.eventType, at: 2)
        insertDelivery.bind(row.sessionID, at: 3)
        insertDelivery.bind(row.isSent ? "sent" : "failed", at: 4)
        insertDelivery.bind(row.error, at: 5)
        insertDelivery.bind(row.createdAt.milliseconds, at: 6)
        try insertDelivery.run()
        let id = database.lastInsertedRow
        if id % 1_000 == 0 {
            trimDeliveries.bind(id - Int64(deliveryRowsMax), at: 1)
            try trimDeliveries.run()
        }
    }
}
