// The table `push_live_activities`: one row for each activity, in the relay's own SQLite file and in memory. The token that a
// row is pushed to is the kit's.

import Basics
import SQLite

struct SendoraRow {
    enum Status: String { case active, ended, invalidated }

    var id: String
    var organisation: String
    var isAndroid: Bool
    var activityType: String
    /// What it is pushed by: an activity's token, or a registration of FCM.
    var token: String
    /// Beside a registration of FCM that an iPhone is reached by.
    var activityToken: String?
    /// As JSON text: attributes never change.
    var attributes: String
    var externalID: String?
    var userID: String?
    /// As JSON text.
    var state: String
    var status = Status.active

    /// As the list shows it, with the count of what it was told within the hour (R3.20).
    func json(updatesThisHour: Int, isOverBudget: Bool) -> JSONValue {
        [
            "id": .string(id), "platform": .string(isAndroid ? "android" : "ios"), "activityType": .string(activityType),
            "externalId": externalID.map { .string($0) } ?? .null, "userId": userID.map { .string($0) } ?? .null,
            "status": .string(status.rawValue), "updatesThisHour": .integer(Int64(updatesThisHour)),
            "warning": isOverBudget ? "BUDGET_EXCEEDED" : .null,
        ]
    }

    /// Whether a registration that names no id is of this activity: its business id says so, or else, where there is none, its
    /// user and what never changes about it (R3.14, R3.15).
    func isMeant(by other: SendoraRow) -> Bool {
        guard status == .active, organisation == other.organisation, isAndroid == other.isAndroid,
            activityType == other.activityType, externalID == other.externalID
        else { return false }
        return externalID != nil || userID == other.userID && attributes == other.attributes
    }
}

/// Confined to the relay's thread.
final class SendoraRows {
    private(set) var rows: [String: SendoraRow] = [:]
    /// Ids of active rows by token, and by what `isMeant` asks about first.
    private var byToken: [String: Set<String>] = [:]
    private var byOwner: [String: Set<String>] = [:]
    private let saveRow: Statement

    init(_ database: Database) throws(Failure) {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS push_live_activities (
              id TEXT PRIMARY KEY, organisation TEXT NOT NULL, platform TEXT NOT NULL, activity_type TEXT NOT NULL,
              push_token TEXT NOT NULL, activity_token TEXT, attributes TEXT NOT NULL, external_id TEXT, user_id TEXT,
              state TEXT NOT NULL, status TEXT NOT NULL) WITHOUT ROWID;
            """)
        saveRow = try database.prepare(
            """
            INSERT INTO push_live_activities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
            push_token = excluded.push_token, activity_token = excluded.activity_token, state = excluded.state,
            status = excluded.status
            """)
        let select = try database.prepare("SELECT * FROM push_live_activities")
        while try select.step() {
            func text(_ column: Int32) -> String { select.text(column) ?? "" }
            note(
                SendoraRow(
                    id: text(0), organisation: text(1), isAndroid: text(2) == "android", activityType: text(3), token: text(4),
                    activityToken: select.text(5), attributes: text(6), externalID: select.text(7), userID: select.text(8),
                    state: text(9), status: SendoraRow.Status(rawValue: text(10)) ?? .ended))
        }
    }

    func save(_ row: SendoraRow) throws(Failure) {
        saveRow.bind(row.id, at: 1)
        saveRow.bind(row.organisation, at: 2)
        saveRow.bind(row.isAndroid ? "android" : "ios", at: 3)
        saveRow.bind(row.activityType, at: 4)
        saveRow.bind(row.token, at: 5)
        saveRow.bind(row.activityToken, at: 6)
        saveRow.bind(row.attributes, at: 7)
        saveRow.bind(row.externalID, at: 8)
        saveRow.bind(row.userID, at: 9)
        saveRow.bind(row.state, at: 10)
        saveRow.bind(row.status.rawValue, at: 11)
        try saveRow.run()
        note(row)
    }

    /// Whether another row may be made.
    var hasRoom: Bool { rows.count < RelayLimits.sessions }

    private func note(_ row: SendoraRow) {
        if let old = rows[row.id] {
            Self.forget(old.id, of: old.token, in: &byToken)
            Self.forget(old.id, of: Self.owner(old), in: &byOwner)
        }
        rows[row.id] = row
        guard row.status == .active else { return }
        byToken[row.token, default: []].insert(row.id)
        byOwner[Self.owner(row), default: []].insert(row.id)
    }

    private static func forget(_ id: String, of key: String, in index: inout [String: Set<String>]) {
        index[key]?.remove(id)
        if index[key]?.isEmpty == true { index[key] = nil }
    }

    private static func owner(_ row: SendoraRow) -> String {
        "\(row.organisation)\n\(row.externalID ?? "\n" + (row.userID ?? ""))"
    }

    /// The activity that a registration without an id is of.
    func known(_ row: SendoraRow) -> SendoraRow? {
        (byOwner[Self.owner(row)] ?? []).sorted().lazy.compactMap { self.rows[$0] }.first { $0.isMeant(by: row) }
    }

    func active(withToken token: String) -> [SendoraRow] {
        (byToken[token] ?? []).sorted().compactMap { rows[$0] }
    }

    func list(_ organisation: String, externalID: String?, status: String?) -> [SendoraRow] {
        rows.values.filter { row in
            row.organisation == organisation && (externalID == nil || row.externalID == externalID)
                && (status == nil || row.status.rawValue == status)
        }.sorted { $0.id < $1.id }
    }
}
