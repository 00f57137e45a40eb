"""SQLite storage of the honest relay (see relay.py): who is registered, what was delivered, which cards are open.

Times of registrations are milliseconds that never repeat or go back, so that 'registered after that push' is exact."""

import asyncio
import sqlite3
import time
import uuid

SCHEMA = """
CREATE TABLE IF NOT EXISTS device_registration (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, device_token TEXT NOT NULL, bundle_id TEXT NOT NULL,
    apns_env TEXT NOT NULL, claimed_env TEXT NOT NULL, push_to_start_token TEXT, push_to_start_at INTEGER,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (secret_hash, device_token));
CREATE INDEX IF NOT EXISTS device_by_token ON device_registration (device_token);
CREATE INDEX IF NOT EXISTS device_by_start ON device_registration (push_to_start_token);
CREATE TABLE IF NOT EXISTS delivery_log (
    id INTEGER PRIMARY KEY, secret_hash TEXT NOT NULL, event_type TEXT NOT NULL, session_id TEXT NOT NULL,
    status TEXT NOT NULL, error TEXT, created_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS activity_registration (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, activity_token TEXT NOT NULL,
    device_token TEXT NOT NULL, bundle_id TEXT NOT NULL, apns_env TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (secret_hash, session_id, activity_token));
CREATE INDEX IF NOT EXISTS activity_by_token ON activity_registration (activity_token);
-- Starts that no activity token has answered yet, with the newest state that waits for it.
CREATE TABLE IF NOT EXISTS activity_start (
    secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, device_token TEXT NOT NULL, start_token TEXT NOT NULL,
    started_at INTEGER NOT NULL, held TEXT, PRIMARY KEY (secret_hash, session_id, device_token));
CREATE TABLE IF NOT EXISTS session (
    secret_hash TEXT NOT NULL, session_id TEXT NOT NULL, phase TEXT NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (secret_hash, session_id));
"""


class Store:
    def __init__(self, path):
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(SCHEMA)
        self._latest = self._one("SELECT max(m) FROM (SELECT max(updated_at) m FROM device_registration "
                                 "UNION SELECT max(updated_at) FROM activity_registration)") or 0
        self._commit_at = None

    def now(self):
        self._latest = max(self._latest + 1, int(time.time() * 1000))
        return self._latest

    def _all(self, sql, *values):
        return self._db.execute(sql, values).fetchall()

    def _one(self, sql, *values):
        row = self._db.execute(sql, values).fetchone()
        return row[0] if row else None

    def _write(self, sql, *values):
        """Writes of the same twentieth of a second share a transaction."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN")
            self._commit_at = asyncio.get_running_loop().call_later(0.05, self.commit)
        return self._db.execute(sql, values).rowcount

    def commit(self):
        if self._commit_at:
            self._commit_at.cancel()
            self._commit_at = None
        if self._db.in_transaction:
            self._db.execute("COMMIT")

    def close(self):
        self.commit()
        self._db.close()

    # Phones

    def register_device(self, secret, token, bundle, env, start_token):
        """A known push-to-start token outlives a registration without one. An environment that was learned from APNs
        outlives the same claim made again: the app always claims production."""
        now = self.now()
        self._write(
            "INSERT INTO device_registration VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?8) "
            "ON CONFLICT (secret_hash, device_token) DO UPDATE SET bundle_id = ?4, updated_at = ?8, claimed_env = ?5, "
            "apns_env = CASE WHEN claimed_env = ?5 THEN apns_env ELSE ?5 END, "
            "push_to_start_token = coalesce(?6, push_to_start_token), "
            "push_to_start_at = coalesce(?7, push_to_start_at)",
            str(uuid.uuid4()), secret, token, bundle, env, start_token, now if start_token else None, now)
        if start_token:     # It is the app's: the same one beside another device token is the same phone.
            self._write("UPDATE device_registration SET push_to_start_token = NULL "
                        "WHERE secret_hash = ? AND push_to_start_token = ? AND device_token <> ?",
                        secret, start_token, token)
        self.commit()

    def unregister_device(self, secret, token):
        self._write("DELETE FROM device_registration WHERE secret_hash = ? AND device_token = ?", secret, token)
        self.commit()

    def devices(self, secret):
        return self._all("SELECT * FROM device_registration WHERE secret_hash = ? ORDER BY created_at", secret)

    # Live Activities

    def save_activity(self, secret, session, token, device, bundle, env, created):
        now = self.now()
        self._write(
            "INSERT INTO activity_registration VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
            "ON CONFLICT (secret_hash, session_id, activity_token) DO UPDATE SET updated_at = ?9, bundle_id = ?6, "
            "device_token = ?5", str(uuid.uuid4()), secret, session, token, device, bundle, env, created or now, now)
        self.commit()

    def drop_activity(self, secret, session, token):
        self._write("DELETE FROM activity_registration WHERE secret_hash = ? AND session_id = ? AND activity_token = ?",
                    secret, session, token)

    def activities(self, secret, session):
        return self._all("SELECT * FROM activity_registration WHERE secret_hash = ? AND session_id = ? "
                         "ORDER BY updated_at", secret, session)

    def old_activities(self, before):
        return self._all("SELECT secret_hash, session_id, activity_token FROM activity_registration "
                         "WHERE created_at < ?", before)

    def save_start(self, secret, session, device, start_token, started_at, held):
        self._write("INSERT OR REPLACE INTO activity_start VALUES (?, ?, ?, ?, ?, ?)",
                    secret, session, device, start_token, started_at, held)

    def drop_start(self, secret, session, device):
        self._write("DELETE FROM activity_start WHERE secret_hash = ? AND session_id = ? AND device_token = ?",
                    secret, session, device)

    def starts(self, secret, session):
        return self._all("SELECT * FROM activity_start WHERE secret_hash = ? AND session_id = ? ORDER BY started_at",
                         secret, session)

    def save_phase(self, secret, session, phase):
        self._write("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?)", secret, session, phase, self.now())

    def phase(self, secret, session):
        return self._one("SELECT phase FROM session WHERE secret_hash = ? AND session_id = ?", secret, session)

    def forget_before(self, before):
        self._write("DELETE FROM session WHERE updated_at < ?", before)
        self._write("DELETE FROM activity_start WHERE started_at < ?", before)

    # What APNs taught

    def prune(self, kind, token, not_after):
        """Forgets a dead token wherever it is, unless it was registered again after the push or APNs' own time."""
        if kind == "device":
            return self._write("DELETE FROM device_registration WHERE device_token = ? AND updated_at <= ?",
                               token, not_after)
        if kind == "start":
            return self._write("UPDATE device_registration SET push_to_start_token = NULL "
                               "WHERE push_to_start_token = ? AND push_to_start_at <= ?", token, not_after)
        return self._write("DELETE FROM activity_registration WHERE activity_token = ? AND updated_at <= ?",
                           token, not_after)

    def remember_env(self, kind, token, env):
        table, column = {"device": ("device_registration", "device_token"),
                         "start": ("device_registration", "push_to_start_token"),
                         "activity": ("activity_registration", "activity_token")}[kind]
        self._write(f"UPDATE {table} SET apns_env = ? WHERE {column} = ?", env, token)

    # The log

    def log_delivery(self, secret, event, session, error):
        self._write("INSERT INTO delivery_log VALUES (NULL, ?, ?, ?, ?, ?, ?)", secret, event, session,
                    "failed" if error else "sent", error and error[:1024], int(time.time() * 1000))

    def counts(self):
        return (self._one("SELECT count(*) FROM device_registration"), self._one("SELECT count(*) FROM delivery_log"))

    def newest(self):
        return (self._all("SELECT device_token, bundle_id, apns_env, updated_at FROM device_registration "
                          "ORDER BY updated_at DESC LIMIT 100"),
                self._all("SELECT event_type, status, error, created_at FROM delivery_log ORDER BY id DESC LIMIT 20"))
