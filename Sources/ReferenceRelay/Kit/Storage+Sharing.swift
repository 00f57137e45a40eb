// What processes share through the file, beside each other or one after the other: who they are, which of them works
// for which secret, and the provider token of their key.

import Basics
import SQLite

extension Storage {
    /// Ids of rows that different processes make never meet: each has a range of its own.
    static let idsPerProcess: Int64 = 1 << 40

    /// Notes a process that answers its peers at `address`; its number is never used again.
    func enlist(_ address: String) throws(Failure) -> Int64 {
        let insert = try database.prepare("INSERT INTO relay_process (address) VALUES (?)")
        insert.bind(address, at: 1)
        try insert.run()
        return database.lastInsertedRow
    }

    /// It has no address any more. Its secrets stay its own until somebody takes them over, so that it is known that
    /// there is something registered under them.
    func dismiss(_ process: Int64) throws(Failure) {
        try database.execute("DELETE FROM relay_process WHERE id = \(process)")
    }

    struct Owner: Equatable {
        var process: Int64
        var address: String
    }

    /// Who works for a secret; nil: nobody. A process that has left has no address.
    func owner(of secret: SecretHash) throws(Failure) -> Owner? {
        let select = try database.prepare(
            """
            SELECT process_id, coalesce(address, '') FROM secret_owner LEFT JOIN relay_process ON id = process_id
            WHERE secret_hash = ?
            """)
        select.bind(secret.hex, at: 1)
        defer { select.reset() }
        return try select.step() ? Owner(process: select.integer(0), address: select.text(1) ?? "") : nil
    }

    /// Makes `process` the owner unless somebody other than `gone` is; returns who it is now.
    func claim(_ secret: SecretHash, for process: Int64, from gone: Int64?) throws(Failure) -> Owner? {
        var found: Owner?
        try database.transaction { () throws(Failure) in
            let insert = try database.prepare(
                """
                INSERT INTO secret_owner VALUES (?1, ?2)
                ON CONFLICT (secret_hash) DO UPDATE SET process_id = excluded.process_id WHERE process_id = ?3
                """)
            insert.bind(secret.hex, at: 1)
            insert.bind(process, at: 2)
            insert.bind(gone ?? 0, at: 3)
            try insert.run()
            found = try owner(of: secret)
        }
        return found
    }

    /// Of all processes.
    func countDevices() throws(Failure) -> Int64 {
        try Self.number(database, "SELECT count(*) FROM device_registration")
    }

    func countDeliveries() throws(Failure) -> Int64 {
        try Self.number(database, "SELECT coalesce(max(id), 0) FROM delivery_log")
    }

    // MARK: - The provider token

    /// One provider token for all processes of a key, and for the next one (G13, G21): the stored one, unless it is
    /// older than `oldest` or was rejected; else what `make` signs. The file is its owner's alone to read, and the token
    /// is of no use after an hour.
    func providerToken(
        keyID: String, teamID: String, rejected: String?, oldest: WallTime, now: WallTime, _ make: () -> String
    ) throws(Failure) -> SignedToken {
        var token = SignedToken(authorization: "", signedAt: now)
        try database.transaction { () throws(Failure) in
            let select = try database.prepare(
                "SELECT value, signed_at FROM provider_token WHERE key_id = ? AND team_id = ?")
            select.bind(keyID, at: 1)
            select.bind(teamID, at: 2)
            defer { select.reset() }
            if try select.step(), let value = select.text(0), value != rejected {
                let signedAt = WallTime(milliseconds: select.integer(1))
                if signedAt > oldest, signedAt <= now {
                    token = SignedToken(authorization: value, signedAt: signedAt)
                    return
                }
            }
            token.authorization = make()
            let insert = try database.prepare("INSERT OR REPLACE INTO provider_token VALUES (?, ?, ?, ?)")
            insert.bind(keyID, at: 1)
            insert.bind(teamID, at: 2)
            insert.bind(token.authorization, at: 3)
            insert.bind(now.milliseconds, at: 4)
            try insert.run()
        }
        return token
    }
}
