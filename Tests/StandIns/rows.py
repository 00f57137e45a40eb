"""What a stand-in keeps: a mapping whose values outlive the process, in the file that STORE names; without it in memory."""

import json
import os
import sqlite3
import threading


class Rows:
    def __init__(self):
        self.lock = threading.Lock()
        self.file = sqlite3.connect(os.environ.get("STORE", ":memory:"), check_same_thread=False, isolation_level=None)
        self.file.execute("PRAGMA synchronous = OFF")
        self.file.execute("CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, value TEXT)")

    def get(self, key, usual=None):
        with self.lock:
            row = self.file.execute("SELECT value FROM rows WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else usual

    def __setitem__(self, key, value):
        with self.lock:
            self.file.execute("INSERT OR REPLACE INTO rows VALUES (?, ?)", (key, json.dumps(value)))

    def pop(self, key):
        with self.lock:
            self.file.execute("DELETE FROM rows WHERE key = ?", (key,))

    def items(self):
        with self.lock:
            return [(key, json.loads(value)) for key, value in self.file.execute("SELECT key, value FROM rows")]

    def __getitem__(self, key):
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value
