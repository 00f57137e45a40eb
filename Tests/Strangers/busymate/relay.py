#!/usr/bin/python3
"""A push relay for messages on Live Activities: rows of a small database, whose triggers broadcast and push them.

Callers speak HTTP/1.1 (PostgREST's manner, an MCP tool, a push function) and WebSocket (Realtime's manner); APNs is
spoken to over HTTP/2. What is to be pushed stands in an outbox on disk, in the transaction of the row that owes it.
The environment's VARIANT picks a make of the relay: honest-0 to honest-6, or defect-01 to defect-25.
"""

import argparse
import asyncio
import base64
import hashlib
import heapq
import json
import os
import re
import signal
import sqlite3
import ssl
import struct
import sys
import time
import unicodedata
import urllib.parse
import uuid

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from h2.connection import ConnectionState
from hpack import NeverIndexedHeaderTuple

VARIANT = os.environ.get("VARIANT", "honest-0")
HONEST = int(VARIANT[7:]) if VARIANT.startswith("honest-") else 0
DEFECT = int(VARIANT[7:]) if VARIANT.startswith("defect-") else 0
assert VARIANT in {f"honest-{n}" for n in range(7)} | {f"defect-{n:02}" for n in range(1, 26)}, VARIANT

PAYLOAD_LIMIT = 4096
FUNCTION_PATH = "/functions/v1/push-notify"


class Make:
    """What one honest design may choose otherwise than another."""
    patience = {3: 10.0, 5: 20.0}.get(HONEST, 15.0)      # for an answer of APNs
    first_pause = {1: 2.0, 6: 1.5}.get(HONEST, 1.0)      # behind a refusal for now; each is twice the one before
    longest_pause = {1: 45.0, 6: 30.0}.get(HONEST, 60.0)
    token_age = {2: 30 * 60, 3: 25 * 60}.get(HONEST, 45 * 60)
    connections = {2: 3, 3: 40}.get(HONEST, 1)           # to each host of APNs; a card keeps to one
    own_ids = HONEST != 1                                # else APNs makes the ids
    expires = None if HONEST == 2 else 4 * 3600
    rising = HONEST == 2                                 # each timestamp above the last, not only never below it
    quiet_clear = HONEST in (1, 4)                       # priority 5 where a note goes
    priority = "5" if HONEST == 5 else "10"
    longest_note = 300 if HONEST == 4 else None          # in characters
    skips_unchanged = HONEST == 4
    answers_after_push = 2.0 if HONEST == 5 else None
    tick = 0.1 if HONEST == 6 else None                  # a worker that looks into the outbox now and then
    longest_message = 3000 if HONEST == 6 else 65536     # in bytes; more is refused


def log(*words):
    print(*words, file=sys.stderr, flush=True)


class TimedOut(Exception):
    pass


# Time -----------------------------------------------------------------------------------------------------------------


class Clock:
    """The system's clock; or one that runs faster (`scale=60,at=MS,shows=MS`); or one that is stepped by its owner, to
    whom we tell what we wait for whenever we are at rest (a URL)."""

    def __init__(self, spec):
        self.scale, self.at, self.shows = 1.0, 0.0, 0.0
        self.owner = spec.rstrip("/") if spec.startswith("http") else None
        if spec and not self.owner:
            given = dict(part.split("=") for part in spec.split(","))
            self.scale = float(given["scale"])
            self.at, self.shows = float(given.get("at", 0)) / 1000, float(given.get("shows", 0)) / 1000
        self.elapsed = self.base = self.seq = self.busy = 0
        self.timers, self.idle = [], []
        self.calls, self.pushes = [0, 0], [0, 0]
        self.stated, self.checking, self.number = None, False, 0

    def now(self):
        if self.owner:
            return (self.base + self.elapsed) / 1e6
        return self.shows + (time.time() - self.at) * self.scale

    def later(self, delay, action):
        if not self.owner:
            return asyncio.get_running_loop().call_later(max(0.0, delay) / self.scale, action)
        self.seq += 1
        timer = [self.elapsed + max(1, int(delay * 1e6)), self.seq, action]
        heapq.heappush(self.timers, timer)
        self.poke()
        return Cancel(self, timer)

    async def within(self, future, delay):
        """The future's result; or TimedOut, when the delay is over before."""
        timer = self.later(delay, lambda: future.done() or future.set_exception(TimedOut()))
        try:
            return await future
        finally:
            timer.cancel()

    async def sleep(self, delay):
        future = asyncio.get_running_loop().create_future()
        timer = self.later(delay, lambda: future.done() or future.set_result(None))
        try:
            await future
        finally:
            timer.cancel()

    def count(self, pair, place):
        pair[place] += 1
        self.poke()

    # Taking part in a clock that is stepped.

    async def join(self):
        if self.owner:
            got = await self.post("/v1/clock/participants", {"name": "relay"})
            self.elapsed, self.base = got["elapsed"], got["wall"] - got["elapsed"]
            self.me = "/v1/clock/participants/" + got["id"]
            self.follow(got)
            self.poke()

    def follow(self, got):
        if got.get("scale"):
            self.owner, self.scale = None, float(got["scale"])
            self.at, self.shows = time.time(), got["wall"] / 1e6
            for when, _, action in self.timers:
                if action:
                    self.later((when - got["elapsed"]) / 1e6, action)
            self.timers = []

    def poke(self):
        if self.owner and not self.checking:
            self.checking = True
            asyncio.get_running_loop().call_soon(self.check)

    def check(self):
        loop = asyncio.get_running_loop()
        if loop._ready:                        # something is left to do: we are not at rest
            loop.call_soon(self.check)
            return
        self.checking = False
        if self.busy or not self.owner:
            return
        while self.timers and self.timers[0][2] is None:
            heapq.heappop(self.timers)
        state = (self.elapsed, self.timers[0][0] if self.timers else None, tuple(self.calls), tuple(self.pushes))
        if state != self.stated:
            self.stated = state
            self.number += 1
            keep(self.tell(state, self.number))

    async def tell(self, state, number):
        elapsed, until, calls, pushes = state
        try:
            got = await self.post(self.me, {"elapsed": elapsed, "until": until, "calls": calls, "pushes": pushes})
        except (OSError, asyncio.IncompleteReadError, ValueError, KeyError):
            await asyncio.sleep(0.2)
            got = {"elapsed": self.elapsed}
        if number == self.number:
            self.stated = None
        if got.get("elapsed", 0) > self.elapsed:
            self.elapsed = got["elapsed"]
            while self.timers and self.timers[0][0] <= self.elapsed:
                action = heapq.heappop(self.timers)[2]
                if action:
                    action()
        self.follow(got)
        self.poke()

    async def post(self, path, body):
        where = urllib.parse.urlsplit(self.owner)
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection(where.hostname, where.port)
        data = json.dumps(body).encode()
        writer.write(f"POST {where.path}{path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = int(re.search(r"(?i)\r\ncontent-length: *(\d+)", head).group(1))
        got = json.loads(await reader.readexactly(length))
        self.idle.append((reader, writer))
        return got


class Cancel:
    def __init__(self, clock, timer):
        self.clock, self.timer = clock, timer

    def cancel(self):
        self.timer[2] = None
        self.clock.poke()


tasks = set()


def keep(work):
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(finished)
    return task


def finished(task):
    tasks.discard(task)
    if not task.cancelled() and task.exception():
        log("a task failed:", repr(task.exception()))


# APNs -----------------------------------------------------------------------------------------------------------------


class Signer:
    """One provider token for all connections, and for the process that comes after this one."""

    def __init__(self, clock, store, key_file, key_id, team_id):
        with open(key_file, "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), None)
        self.clock, self.store, self.key_id, self.team_id = clock, store, key_id, team_id
        kept = store.note("provider-token:" + key_id)
        self.token, self.issued = json.loads(kept) if kept else (None, 0)
        self.age = 75 * 60 if DEFECT == 16 else Make.token_age

    def current(self):
        now = self.clock.now()
        if not self.token or now - self.issued >= self.age or self.issued - now > 60:
            self.sign()
        return self.token

    def sign(self):
        def part(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=")
        self.issued = int(self.clock.now())
        text = b".".join(part(json.dumps(value).encode()) for value in (
            {"alg": "ES256", "kid": self.key_id}, {"iss": self.team_id, "iat": self.issued}))
        r, s = decode_dss_signature(self.key.sign(text, ec.ECDSA(hashes.SHA256())))
        self.token = (text + b"." + part(r.to_bytes(32, "big") + s.to_bytes(32, "big"))).decode()
        self.renewed_for = getattr(self, "refused", None)
        self.store.note("provider-token:" + self.key_id, json.dumps([self.token, self.issued]))

    def was_refused(self, token):
        """Expired, APNs says: another one, but not a second one within twenty minutes that was made for this reason."""
        if token != self.token:
            return
        young = self.clock.now() - self.issued < 20 * 60
        if young and getattr(self, "renewed_for", None):
            return
        self.refused = token
        self.sign()


class Unprocessed(Exception):
    """APNs has not looked at the request, and it may be sent again at once."""


class Lost(Exception):
    """The connection or the stream went before the answer."""


class Connection:
    def __init__(self, clock, reader, writer):
        self.clock, self.reader, self.writer = clock, reader, writer
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.streams, self.answers, self.waiters = {}, {}, []
        self.usable, self.closed, self.failures, self.served = True, False, 0, 0
        self.settled = asyncio.get_running_loop().create_future()
        self.last_used, self.probe = clock.now(), None
        self.h2.initiate_connection()
        self.h2.update_settings({h2.settings.SettingCodes.ENABLE_PUSH: 0})
        self.flush()
        keep(self.read())
        self.watch = clock.later(50 * 60, self.wake_up)

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.closed:
            self.writer.write(data)

    def wake_up(self):
        """A connection that nobody used for most of an hour is asked whether it is still there."""
        if self.closed:
            return
        if self.clock.now() - self.last_used >= 49 * 60:
            try:
                self.h2.ping(b"areyouok")
                self.flush()
                self.probe = asyncio.get_running_loop().call_later(10, self.close)
            except h2.exceptions.ProtocolError:
                self.close()
                return
        self.watch = self.clock.later(50 * 60, self.wake_up)

    async def read(self):
        buffer = b""
        try:
            while data := await self.reader.read(65536):
                buffer += data
                # Frame by frame, since the library takes a GOAWAY for the end, and streams go on behind it.
                while len(buffer) >= 9 and len(buffer) >= 9 + int.from_bytes(buffer[:3], "big"):
                    size = 9 + int.from_bytes(buffer[:3], "big")
                    frame, buffer = buffer[:size], buffer[size:]
                    for event in self.h2.receive_data(frame):
                        self.take(event)
                    self.flush()
                self.wake_waiters()
        except (OSError, h2.exceptions.ProtocolError) as error:
            log("connection to APNs:", repr(error))
        self.close()

    def take(self, event):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RemoteSettingsChanged):
            if not self.settled.done():
                self.settled.set_result(None)
        elif isinstance(event, h2.events.ResponseReceived):
            self.answers[stream] = [int(dict(event.headers)[":status"]), b""]
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
            if stream in self.answers:
                self.answers[stream][1] += event.data
        elif isinstance(event, h2.events.StreamEnded):
            self.finish(stream, result=self.answers.get(stream))
        elif isinstance(event, h2.events.StreamReset):
            refused = event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM
            self.finish(stream, error=Unprocessed("refused") if refused else Lost("reset"))
        elif isinstance(event, h2.events.PingAckReceived) and self.probe:
            self.probe.cancel()
        elif isinstance(event, h2.events.ConnectionTerminated):
            log("GOAWAY:", event.error_code, event.additional_data)
            self.h2.state_machine.state = ConnectionState.CLIENT_OPEN
            self.usable = False
            for stream in [s for s in self.streams if s > event.last_stream_id]:
                self.finish(stream, error=Unprocessed("goaway"))
            self.retire()

    def finish(self, stream, result=None, error=None):
        future = self.streams.pop(stream, None)
        self.answers.pop(stream, None)
        if future and not future.done():
            if result:
                future.set_result(result)
            else:
                future.set_exception(error or Lost("no answer"))
        if not self.usable and not self.streams:
            self.close()
        self.wake_waiters()

    def retire(self):
        """No further streams; those that are under way may end."""
        self.usable = False
        self.wake_waiters()
        if not self.streams:
            self.close()

    def close(self):
        if self.closed:
            return
        self.closed, self.usable = True, False
        self.watch.cancel()
        if self.probe:
            self.probe.cancel()
        if not self.settled.done():
            self.settled.set_exception(Lost("closed"))
            self.settled.exception()
        for stream in list(self.streams):
            self.finish(stream, error=Lost("closed"))
        self.wake_waiters()
        self.writer.close()

    def wake_waiters(self):
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def turn(self):
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.append(waiter)
        await waiter

    async def request(self, headers, body, patience):
        while self.usable and (
                len(self.streams) >= min(self.h2.remote_settings.max_concurrent_streams, 500)
                or self.h2.outbound_flow_control_window < len(body)):
            await self.turn()
        if not self.usable:
            raise Unprocessed("connection went")
        future = asyncio.get_running_loop().create_future()
        self.last_used = self.clock.now()
        self.clock.count(self.clock.pushes, 0)
        stream = None
        try:
            stream = self.h2.get_next_available_stream_id()
            self.streams[stream] = future
            self.h2.send_headers(stream, headers)
            while body:
                size = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size, len(body))
                if size <= 0:
                    self.flush()
                    await self.turn()
                    if future.done():
                        break
                    continue
                self.h2.send_data(stream, body[:size], end_stream=size == len(body))
                body = body[size:]
            self.flush()
            return await self.clock.within(future, patience)
        except TimedOut:
            try:
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
                self.flush()
            except h2.exceptions.ProtocolError:
                pass
            self.streams.pop(stream, None)
            self.retire()
            raise Lost("no answer in time")
        except h2.exceptions.ProtocolError as error:
            self.streams.pop(stream, None)
            self.retire()
            raise Unprocessed(repr(error))
        finally:
            self.clock.count(self.clock.pushes, 1)


class Host:
    """One of APNs' two: so many connections as the make has, each opened when it is needed and then kept."""

    def __init__(self, clock, signer, address, authority):
        where = urllib.parse.urlsplit(address if "//" in address else "https://" + address)
        self.clock, self.signer, self.name, self.port = clock, signer, where.hostname, where.port or 443
        self.tls = ssl.create_default_context(cafile=authority)
        self.tls.set_alpn_protocols(["h2"])
        self.slots = [[None, asyncio.Lock(), 0] for _ in range(Make.connections)]

    async def connection(self, number):
        slot = self.slots[number % len(self.slots)]
        if slot[0] and slot[0].usable:
            return slot[0]
        async with slot[1]:
            if slot[0] and slot[0].usable:
                return slot[0]
            if slot[0]:
                slot[2] = 0 if slot[0].served else slot[2] + 1
            if slot[2] > 1:
                # One after another came to nothing: no storm.
                await self.clock.sleep(min(30.0, 0.25 * 2 ** slot[2]))
            self.clock.busy += 1
            try:
                opening = asyncio.open_connection(self.name, self.port, ssl=self.tls)
                slot[0] = Connection(self.clock, *await asyncio.wait_for(opening, 10))
                await asyncio.wait_for(asyncio.shield(slot[0].settled), 10)
            except (OSError, asyncio.TimeoutError, Lost) as error:
                slot[2] += 1
                if slot[0]:
                    slot[0].close()
                raise Lost(f"cannot connect: {error!r}")
            finally:
                self.clock.busy -= 1
                self.clock.poke()
            if DEFECT == 15:
                self.signer.sign()
            return slot[0]

    def close(self):
        for slot in self.slots:
            if slot[0]:
                slot[0].close()

    async def push(self, number, token, headers, body):
        """Status, reason, when the token died; Unprocessed or Lost."""
        connection = await self.connection(number)
        credential = self.signer.current()
        fields = [(":method", "POST"), (":scheme", "https"),
                  NeverIndexedHeaderTuple(":path", "/3/device/" + token), (":authority", self.name),
                  NeverIndexedHeaderTuple("authorization", "bearer " + credential), *headers]
        status, text = await connection.request(fields, body, Make.patience)
        try:
            said = json.loads(text) if text else {}
        except ValueError:
            said = {}
        reason = said.get("reason", "")
        if status == 200:
            connection.failures, connection.served = 0, connection.served + 1
        elif status >= 500:
            connection.failures += 1
            if connection.failures >= 3 or reason == "Shutdown":
                connection.retire()
        elif reason == "ExpiredProviderToken":
            self.signer.was_refused(credential)
            connection.retire()
        elif reason in ("TooManyProviderTokenUpdates", "InvalidProviderToken", "IdleTimeout", "UnrelatedKeyIdInToken"):
            connection.retire()
        return status, reason, said.get("timestamp")


# Rows -----------------------------------------------------------------------------------------------------------------


class Refused(Exception):
    def __init__(self, status, code, message):
        self.status, self.body = status, {"code": code, "message": message, "details": None, "hint": None}


def device_id(text):
    if isinstance(text, str) and re.fullmatch(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text):
        return str(uuid.UUID(text))
    raise Refused(400, "22P02", "invalid input syntax for type uuid")


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.executescript("""
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = OFF;
            CREATE TABLE IF NOT EXISTS device_live_activity_message (
                device_uuid TEXT PRIMARY KEY, message TEXT, updated_at REAL, updated_by TEXT);
            CREATE TABLE IF NOT EXISTS device_status (device_uuid TEXT PRIMARY KEY, online INTEGER, source TEXT, name TEXT);
            CREATE INDEX IF NOT EXISTS by_name ON device_status (name);
            CREATE TABLE IF NOT EXISTS device_push_token (
                id INTEGER PRIMARY KEY AUTOINCREMENT, device_uuid TEXT, kind TEXT, token TEXT UNIQUE, environment TEXT,
                registered_at REAL, dead INTEGER DEFAULT 0, stamp INTEGER DEFAULT 0, last_state TEXT);
            CREATE INDEX IF NOT EXISTS by_device ON device_push_token (device_uuid);
            CREATE TABLE IF NOT EXISTS outbox (
                id INTEGER PRIMARY KEY AUTOINCREMENT, card INTEGER, apns_id TEXT, state TEXT, made REAL,
                tries INTEGER DEFAULT 0, due REAL DEFAULT 0, token TEXT, rest TEXT,
                host TEXT, why TEXT);
            CREATE INDEX IF NOT EXISTS by_card ON outbox (card, id);
            CREATE TABLE IF NOT EXISTS live_activity_push_config (url TEXT, service_key TEXT);
            CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT);
        """)

    def all(self, query, *values):
        return self.db.execute(query, values).fetchall()

    def one(self, query, *values):
        return self.db.execute(query, values).fetchone()

    def run(self, query, *values):
        return self.db.execute(query, values)

    def note(self, name, value=None):
        if value is not None:
            self.run("INSERT INTO notes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
            return value
        row = self.one("SELECT value FROM notes WHERE name = ?", name)
        return row and row[0]

    def __enter__(self):
        self.run("BEGIN IMMEDIATE")

    def __exit__(self, kind, error, trace):
        self.run("ROLLBACK" if kind else "COMMIT")


# What is pushed -------------------------------------------------------------------------------------------------------


class Pusher:
    """Each card has a queue of its own: one push after another, and none overtakes."""

    def __init__(self, clock, store, hosts, topic):
        self.clock, self.store, self.hosts, self.topic = clock, store, hosts, topic
        self.workers, self.wakes, self.outcomes, self.memory, self.gone = {}, {}, {}, {}, set()
        self.ticking = self.stopping = False
        self.under_way = 0

    def reachable(self):
        config = self.store.one("SELECT url FROM live_activity_push_config")
        return bool(config and config[0] and urllib.parse.urlsplit(config[0]).path == FUNCTION_PATH)

    def cards(self, device):
        rows = self.store.all("SELECT * FROM device_push_token WHERE device_uuid = ? AND kind = 'liveactivity' AND dead = 0 "
                              "ORDER BY id", device)
        return [row for row in rows if row["id"] not in self.gone]

    def owe(self, device, state):
        """Within the transaction of the row: a push for each card of the device. Returns the outbox's new items."""
        cards = self.cards(device)
        if DEFECT == 8 and cards:
            return [self.put(cards[0], state, rest=[card["id"] for card in cards[1:]])]
        return [item for card in cards if (item := self.put(card, state))]

    def put(self, card, state, rest=()):
        text = json.dumps(state, sort_keys=True)
        if Make.skips_unchanged and card["last_state"] == text:
            return None
        if DEFECT == 1 and self.store.one("SELECT 1 FROM outbox WHERE card = ? AND tries > 0", card["id"]):
            return None
        self.store.run("UPDATE device_push_token SET last_state = ? WHERE id = ?", text, card["id"])
        return card["id"], self.store.run(
            "INSERT INTO outbox (card, apns_id, state, made, token, rest) VALUES (?, ?, ?, ?, ?, ?)", card["id"],
            str(uuid.uuid4()), json.dumps(state), self.clock.now(), card["token"], json.dumps(list(rest))).lastrowid

    def go(self, items):
        """Behind the commit."""
        for card, item in items:
            self.kick(card)

    async def settle(self, items, patience):
        """Waits until APNs has answered for all, but not for ever."""
        loop = asyncio.get_running_loop()
        end = self.clock.now() + patience
        for _, item in items:
            if item in self.outcomes or self.store.one("SELECT 1 FROM outbox WHERE id = ?", item):
                future = self.outcomes.setdefault(item, loop.create_future())
                try:
                    await self.clock.within(future, max(0.001, end - self.clock.now()))
                except TimedOut:
                    pass
                self.outcomes.pop(item, None)

    def kick(self, card):
        if Make.tick and not self.ticking:
            self.ticking = True
            self.clock.later(Make.tick, self.look)
        elif not Make.tick:
            self.start(card)

    def look(self):
        self.ticking = False
        for row in self.store.all("SELECT card, min(id) FROM outbox GROUP BY card ORDER BY min(id)"):
            self.start(row[0])

    def start(self, card):
        if card not in self.workers and not self.stopping:
            self.workers[card] = keep(self.work(card))

    def go_on(self):
        """What was left by the process before, or while the function was out of reach."""
        for row in self.store.all("SELECT DISTINCT card FROM outbox"):
            self.kick(row[0])

    def wake(self, card):
        """The card has another token, and what waits for the old one's sake need not."""
        self.store.run("UPDATE outbox SET due = 0, host = NULL, why = NULL WHERE card = ?", card)
        future = self.wakes.get(card)
        if future and not future.done():
            future.set_result(None)

    async def work(self, card):
        try:
            while not self.stopping and await self.step(card):
                pass
        finally:
            self.workers.pop(card, None)

    def first(self, card):
        if card in self.memory:
            return self.memory[card]
        if DEFECT == 2:
            row = self.store.one("SELECT * FROM outbox WHERE card = ? ORDER BY due > ?, due > 0 AND due, id",
                                 card, self.clock.now())
        else:
            row = self.store.one("SELECT * FROM outbox WHERE card = ? ORDER BY id LIMIT 1", card)
        return row and dict(row)

    async def step(self, card):
        """One attempt, or one wait. False when nothing is left, or nothing can be done about it."""
        item = self.first(card)
        row = self.store.one("SELECT * FROM device_push_token WHERE id = ?", card)
        if not item or not self.reachable():
            return False
        if not row or row["dead"] or card in self.gone:
            self.memory.pop(card, None)
            self.store.run("DELETE FROM outbox WHERE card = ?", card)
            return False
        wait = item["due"] - self.clock.now()
        if wait > 0:
            self.wakes[card] = asyncio.get_running_loop().create_future()
            try:
                await self.clock.within(self.wakes[card], wait)
            except TimedOut:
                pass
            finally:
                self.wakes.pop(card, None)
            if card in self.memory:
                self.memory[card]["due"] = 0
            return True
        if DEFECT == 19:
            self.memory[card] = item
            self.store.run("DELETE FROM outbox WHERE id = ?", item["id"])
        self.under_way += 1
        try:
            await self.attempt(card, row, item)
        finally:
            self.under_way -= 1
        return True

    async def attempt(self, card, row, item):
        environment = item["host"] or row["environment"]
        if DEFECT == 9:
            environment = self.cards(row["device_uuid"])[0]["environment"]
        token = item["token"] if DEFECT == 20 else row["token"]
        headers, body = self.message(row, item)
        try:
            status, reason, died = await self.hosts[environment].push(self.slot(row), token, headers, body)
        except Unprocessed as error:
            log("unprocessed:", error)
            lost_for_good = DEFECT == 17 and str(error) == "goaway" or DEFECT == 18 and str(error) == "refused"
            return self.done(card, item, False) if lost_for_good else self.again(card, item, at_once=True)
        except Lost as error:
            log("lost:", error)
            return self.again(card, item, at_once=item["tries"] == 0)
        other = "sandbox" if environment == "production" else "production"
        wrong_host = reason in ("BadDeviceToken", "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken")
        if wrong_host and item["host"] and item["why"] == "BadDeviceToken":
            status, reason = 400, "BadDeviceToken"
        elif wrong_host and item["host"]:
            status, reason = 403, item["why"]
        elif wrong_host and self.hosts[other] is not self.hosts[environment] and DEFECT not in (4, 5, 9):
            # The other one is asked once, and remembered if it takes the token.
            item.update(host=other, why=reason)
            self.store.run("UPDATE outbox SET host = ?, why = ? WHERE id = ?", other, reason, item["id"])
            return
        if status == 200:
            if item["host"] and DEFECT != 10:
                self.store.run("UPDATE device_push_token SET environment = ? WHERE id = ? AND token = ?",
                               environment, card, token)
            self.done(card, item, True)
        elif self.dead(status, reason):
            log("dead:", row["token"][:6], status, reason)
            self.bury(card, row, token, died)
            self.done(card, item, False)
        elif status >= 500 or status == 429 or reason in (
                "ExpiredProviderToken", "InvalidProviderToken", "IdleTimeout", "UnrelatedKeyIdInToken"):
            # Who signs anew has nothing to wait for, once.
            if DEFECT == 14 and status == 403:
                return self.done(card, item, False)
            self.again(card, item, at_once=reason == "ExpiredProviderToken" and item["tries"] == 0)
        else:
            log("refused:", status, reason)
            self.done(card, item, False)

    def slot(self, row):
        """Which connection: of several, a user's or a card's own."""
        return int(row["device_uuid"][:8], 16) if HONEST == 3 else row["id"]

    def dead(self, status, reason):
        if DEFECT == 3:
            return reason in ("Unregistered", "BadDeviceToken", "DeviceTokenNotForTopic")
        if DEFECT == 4 and status == 400:
            return True
        if DEFECT == 5 and status == 403:
            return True
        return status == 410 or reason in ("BadDeviceToken", "DeviceTokenNotForTopic")

    def bury(self, card, row, token, died):
        """The token is dead, unless its card has another one by now, or it was registered again since it died."""
        if DEFECT == 22:
            self.gone.add(card)
            return
        if DEFECT == 6:
            self.store.run("UPDATE device_push_token SET dead = 1 WHERE device_uuid = ? AND kind = 'liveactivity'",
                           row["device_uuid"])
            return
        if DEFECT == 7:
            self.store.run("UPDATE device_push_token SET dead = 1 WHERE id = ?", card)
            return
        now = self.store.one("SELECT * FROM device_push_token WHERE id = ?", card)
        again = now and died and now["registered_at"] > died / 1000
        if now and now["token"] == token and now["registered_at"] == row["registered_at"] and not again:
            self.store.run("UPDATE device_push_token SET dead = 1 WHERE id = ?", card)

    def done(self, card, item, accepted):
        self.memory.pop(card, None)
        self.store.run("DELETE FROM outbox WHERE id = ?", item["id"])
        if not accepted:
            # Nobody knows what the card shows: what comes next is news.
            self.store.run("UPDATE device_push_token SET last_state = NULL WHERE id = ?", card)
        rest = json.loads(item["rest"] or "[]")
        if rest and accepted:
            follower = self.store.one("SELECT * FROM device_push_token WHERE id = ?", rest[0])
            if follower:
                self.go([self.put(follower, json.loads(item["state"]), rest[1:])])
        outcome = self.outcomes.get(item["id"])
        if outcome and not outcome.done():
            outcome.set_result(None)

    def again(self, card, item, at_once=False):
        tries = item["tries"] + 1
        pause = 0.05 if at_once and tries <= 2 else min(Make.longest_pause, Make.first_pause * 2 ** min(tries - 1, 10))
        spread = int(item["apns_id"][:4], 16) / 65535
        due = self.clock.now() + pause * (1 + 0.1 * spread)
        if self.clock.now() - item["made"] > 8 * 3600:
            return self.done(card, item, False)
        if card in self.memory:
            self.memory[card].update(tries=tries, due=due)
        self.store.run("UPDATE outbox SET tries = ?, due = ? WHERE id = ?", tries, due, item["id"])

    def message(self, row, item):
        state, now = json.loads(item["state"]), self.clock.now()
        stamp = max(int(now), row["stamp"] + (1 if Make.rising else 0))
        if stamp > now + 1800:
            stamp = int(now)
        self.store.run("UPDATE device_push_token SET stamp = ? WHERE id = ?", stamp, row["id"])
        aps = {"timestamp": stamp, "event": "update", "content-state": state}
        if HONEST == 1:
            aps = {"content-state": dict(reversed(state.items())), "event": "update", "timestamp": stamp}
        quiet = Make.quiet_clear and state["note"] is None
        suffix = "" if DEFECT == 13 and item["tries"] else ".push-type.liveactivity"
        headers = [("apns-push-type", "liveactivity"), ("apns-topic", self.topic + suffix),
                   ("apns-priority", "5" if quiet else Make.priority)]
        if Make.own_ids:
            headers.append(("apns-id", item["apns_id"]))
        if Make.expires:
            headers.append(("apns-expiration", str(int(now) + Make.expires)))
        return headers, fit({"aps": aps})


def encode(payload):
    if HONEST == 1:
        return json.dumps(payload).encode()
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def fit(payload):
    """The payload, with so much of the note as APNs takes."""
    state = payload["aps"]["content-state"]
    note = state["note"]
    if note and Make.longest_note and len(note) > Make.longest_note:
        note = state["note"] = cut(note, Make.longest_note)
    data = encode(payload)

    def size():
        return len(data.decode()) if DEFECT == 23 else len(data)
    low, high = 0, len(note or "")
    if size() > PAYLOAD_LIMIT:
        while low < high:
            middle = (low + high + 1) // 2
            state["note"] = cut(note, middle)
            data = encode(payload)
            low, high = (middle, high) if size() <= PAYLOAD_LIMIT else (low, middle - 1)
        state["note"] = cut(note, low)
        data = encode(payload)
    return data


def cut(text, length):
    """The beginning of a text and an ellipsis, in `length` characters at most; what belongs together is not parted."""
    def clings(character):
        return (character in "\u200d\ufe0e\ufe0f" or unicodedata.combining(character)
                or "\U0001f3fb" <= character <= "\U0001f3ff" or "\U0001f1e6" <= character <= "\U0001f1ff")
    if len(text) <= length:
        return text
    end, steps = max(0, length - 1), 0
    while 0 < end and steps < 32 and (clings(text[end]) or text[end - 1] == "\u200d"):
        end, steps = end - 1, steps + 1
    return text[:end].rstrip() + "…"


# The service ----------------------------------------------------------------------------------------------------------


class Caller:
    def __init__(self, header):
        kind, _, name = (header or "").partition(" ")
        role, _, subject = name.strip().partition(".")
        if kind.lower() != "bearer" or role not in ("device", "human", "service") or not subject:
            raise Refused(401, "PGRST301", "JWT invalid or missing")
        if subject.endswith(".expired"):
            raise Refused(401, "PGRST301", "JWT expired")
        self.role, self.device = role, None
        if role == "device":
            try:
                self.device = device_id(subject)
            except Refused:
                raise Refused(401, "PGRST301", "JWT invalid")

    def may(self, allowed, table):
        if not allowed:
            raise Refused(403, "42501", f'new row violates row-level security policy for table "{table}"')


COLUMNS = {
    "device_live_activity_message": {"device_uuid", "message", "updated_at", "updated_by"},
    "device_status": {"device_uuid", "online", "source", "name"},
    "device_push_token": {"device_uuid", "kind", "token", "environment"},
    "live_activity_push_config": {"url", "service_key"},
}


class Service:
    def __init__(self, clock, store, pusher, realtime):
        self.clock, self.store, self.pusher, self.realtime = clock, store, pusher, realtime

    async def answer(self, method, target, headers, body):
        """Status and JSON, or None for no body."""
        path, _, query = target.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if path == "/health":
            return 200, {"status": "ok"}
        caller = Caller(headers.get("authorization"))
        try:
            said = json.loads(body) if body else None
        except ValueError:
            raise Refused(400, "PGRST102", "Empty or invalid json")
        if path == "/mcp" and method == "POST":
            return await self.tool(caller, said)
        if path == FUNCTION_PATH and method == "POST":
            return await self.function(caller, said)
        table = path.removeprefix("/rest/v1/")
        if table == path or table not in COLUMNS:
            raise Refused(404, "PGRST205", "not found")
        filters = {}
        for name, value in query.items():
            if name in ("select", "order", "limit", "offset", "on_conflict", "columns", "apikey"):
                continue
            if name not in COLUMNS[table] or not value.startswith("eq."):
                raise Refused(400, "PGRST100", "failed to parse filter")
            filters[name] = device_id(value[3:]) if name == "device_uuid" else value[3:]
        prefer = headers.get("prefer", "")
        if method == "GET":
            return 200, self.read(caller, table, filters, query)
        if method == "POST":
            return await self.insert(caller, table, said, prefer)
        if method == "PATCH":
            return await self.patch(caller, table, filters, said, prefer)
        if method == "DELETE":
            return self.delete(caller, table, filters)
        raise Refused(405, "PGRST117", "unsupported method")

    # Rows.

    def read(self, caller, table, filters, query):
        if table == "live_activity_push_config" and caller.role != "service":
            return []
        if table == "device_push_token" and caller.role == "human":
            return []
        where, values = self.where(filters)
        if caller.device:
            where, values = where + " AND device_uuid = ?", values + [caller.device]
        if table == "device_push_token":
            where += " AND dead = 0"
        wanted = [c for c in query.get("select", "*").split(",") if c]
        columns = sorted(COLUMNS[table]) if wanted == ["*"] else wanted
        if not set(columns) <= COLUMNS[table]:
            raise Refused(400, "42703", "column does not exist")
        limit = int(query["limit"]) if query.get("limit", "").isdigit() else -1
        return [dict(row) for row in self.store.all(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {where} LIMIT {limit}", *values)]

    def where(self, filters):
        return " AND ".join(["1"] + [name + " = ?" for name in filters]), list(filters.values())

    async def insert(self, caller, table, said, prefer):
        rows = said if isinstance(said, list) else [said]
        changes, merge = [], "resolution=merge-duplicates" in prefer
        try:
            with self.store:
                for row in rows:
                    self.check(table, row)
                    if table == "device_live_activity_message":
                        caller.may(caller.role != "device", table)
                        changes.append(self.write(row, merge, "upsert"))
                    elif table == "device_status":
                        self.write_status(caller, row)
                    elif table == "device_push_token":
                        self.register(caller, row)
                    else:
                        caller.may(caller.role == "service", table)
                        self.configure(row)
        except Refused:
            if DEFECT == 25 and changes:
                with self.store:
                    changes = [(device, message, self.pusher.owe(device, self.state(device, message, "upsert")))
                               for device, message, _ in changes]
                await self.deliver(changes)
            raise
        await self.deliver(changes)
        return 201, rows if "return=representation" in prefer else None

    def check(self, table, row):
        if not isinstance(row, dict) or not row:
            raise Refused(400, "PGRST102", "a row is an object")
        if set(row) - COLUMNS[table]:
            raise Refused(400, "PGRST204", "no such column")
        for name, value in row.items():
            if name != "online" and not isinstance(value, (str, type(None))) or name == "online" and not isinstance(value, bool):
                raise Refused(400, "22P02", f"invalid value of {name}")

    def write(self, row, merge, way):
        """Row and outbox in one transaction; the triggers' work."""
        device = device_id(row.get("device_uuid"))
        message = row.get("message") or ""
        if len(message.encode("utf-8", "replace")) > Make.longest_message:
            raise Refused(413, "54000", "message too long")
        if not merge and self.store.one("SELECT 1 FROM device_live_activity_message WHERE device_uuid = ?", device):
            raise Refused(409, "23505", "duplicate key value violates unique constraint")
        self.store.run("INSERT INTO device_live_activity_message VALUES (?, ?, ?, ?) ON CONFLICT (device_uuid) DO UPDATE SET "
                       "message = excluded.message, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
                       device, message, self.clock.now(), row.get("updated_by"))
        return device, message, self.pusher.owe(device, self.state(device, message, way))

    def state(self, device, message, way):
        status = self.store.one("SELECT * FROM device_status WHERE device_uuid = ?", device)
        online = status and (status["online"] or DEFECT == 11 and way in ("patch", "tool"))
        if DEFECT == 24:
            message = re.sub("[\U00010000-\U0010ffff]", "?", message)
        note = message if DEFECT == 12 and way == "tool" else message or None
        return {"mode": status["source"] if online and status["source"] in ("vpn", "pac") else "off",
                "requestsPerSec": 0, "note": note}

    async def deliver(self, changes):
        """Behind the commit: who listens is told at once, who sleeps by a push."""
        items = []
        for device, message, owed in changes:
            self.realtime.broadcast(device, message)
            items += owed
        self.pusher.go(items)
        if Make.answers_after_push:
            await self.pusher.settle(items, Make.answers_after_push)

    def write_status(self, caller, row):
        device = device_id(row.get("device_uuid"))
        caller.may(caller.role == "service" or caller.device == device, "device_status")
        self.store.run("INSERT INTO device_status (device_uuid, online, source, name) VALUES (?, ?, ?, ?) ON CONFLICT "
                       "(device_uuid) DO UPDATE SET online = excluded.online, source = excluded.source, "
                       "name = coalesce(excluded.name, name)",
                       device, bool(row.get("online")), row.get("source"), row.get("name"))

    def register(self, caller, row):
        device = device_id(row.get("device_uuid"))
        caller.may(caller.role == "service" or caller.device == device, "device_push_token")
        token, kind = row.get("token") or "", row.get("kind") or ""
        environment = row.get("environment") or "production"
        if not re.fullmatch(r"[0-9a-fA-F]{2,512}", token) or environment not in ("production", "sandbox") or not kind:
            raise Refused(400, "23514", "violates check constraint")
        known = self.store.one("SELECT * FROM device_push_token WHERE token = ?", token)
        if known and known["device_uuid"] != device:
            self.forget(known["id"])
            known = None
        if known:
            self.pusher.gone.discard(known["id"])
        self.store.run("INSERT INTO device_push_token (device_uuid, kind, token, environment, registered_at) VALUES (?, ?, ?, ?, ?) "
                       "ON CONFLICT (token) DO UPDATE SET kind = excluded.kind, environment = excluded.environment, "
                       "registered_at = excluded.registered_at, dead = 0, last_state = NULL", device, kind, token, environment, self.clock.now())

    def forget(self, card):
        self.store.run("DELETE FROM device_push_token WHERE id = ?", card)
        self.store.run("DELETE FROM outbox WHERE card = ?", card)

    async def patch(self, caller, table, filters, said, prefer):
        self.check(table, said)
        if not filters and table != "live_activity_push_config":
            raise Refused(400, "21000", "UPDATE requires a WHERE clause")
        where, values = self.where(filters)
        if table == "live_activity_push_config":
            caller.may(caller.role == "service", table)
            with self.store:
                self.configure(said)
            return 204, None
        if table == "device_live_activity_message":
            caller.may(caller.role != "device", table)
            with self.store:
                rows = self.store.all(f"SELECT * FROM {table} WHERE {where}", *values)
                changes = [self.write({**dict(row), **said, "device_uuid": row["device_uuid"]}, True, "patch") for row in rows]
            await self.deliver(changes)
            if "return=representation" in prefer:
                return 200, [{"device_uuid": device, "message": message} for device, message, _ in changes]
            return 204, None
        caller.may(caller.role != "human", table)
        with self.store:
            for row in self.store.all(f"SELECT * FROM {table} WHERE {where}", *values):
                if caller.device in (None, row["device_uuid"]):
                    if table == "device_push_token":
                        self.rotate(row, said)
                    else:
                        self.write_status(caller, {**dict(row), **said, "device_uuid": row["device_uuid"]})
        return 204, None

    def rotate(self, row, said):
        """A card that was called dead meanwhile lives again by its new token."""
        token = said.get("token") or row["token"]
        if not re.fullmatch(r"[0-9a-fA-F]{2,512}", token):
            raise Refused(400, "23514", "violates check constraint")
        for other in self.store.all("SELECT id FROM device_push_token WHERE token = ? AND id <> ?", token, row["id"]):
            self.forget(other["id"])
        self.store.run("UPDATE device_push_token SET token = ?, environment = ?, registered_at = ?, dead = 0, last_state = NULL "
                       "WHERE id = ?",
                       token, said.get("environment") or row["environment"], self.clock.now(), row["id"])
        self.pusher.gone.discard(row["id"])
        self.pusher.wake(row["id"])

    def delete(self, caller, table, filters):
        caller.may(table == "device_push_token" and caller.role != "human" or caller.role == "service", table)
        if not filters:
            raise Refused(400, "21000", "DELETE requires a WHERE clause")
        where, values = self.where(filters)
        with self.store:
            if table != "device_push_token":
                self.store.run(f"DELETE FROM {table} WHERE {where}", *values)
                return 204, None
            for row in self.store.all(f"SELECT * FROM {table} WHERE {where}", *values):
                if caller.device in (None, row["device_uuid"]):
                    self.forget(row["id"])
                    self.pusher.wake(row["id"])
        return 204, None

    def configure(self, row):
        if not self.store.one("SELECT 1 FROM live_activity_push_config"):
            self.store.run("INSERT INTO live_activity_push_config VALUES (?, ?)", FUNCTION_PATH, "service." + uuid.uuid4().hex)
        for name, value in row.items():
            self.store.run(f"UPDATE live_activity_push_config SET {name} = ?", value)
        asyncio.get_running_loop().call_soon(self.pusher.go_on)

    # The function, and the assistant's tool.

    async def function(self, caller, said):
        if caller.role != "service":
            raise Refused(403, "42501", "services only")
        if not isinstance(said, dict) or said.get("push_type", "liveactivity") != "liveactivity":
            raise Refused(400, "22023", "push_type must be liveactivity")
        items = []
        with self.store:
            if not self.store.one("SELECT 1 FROM live_activity_push_config"):
                self.configure({})
            aps = said.get("aps")
            if aps is not None or "device_uuid" in said:
                state = aps.get("content-state") if isinstance(aps, dict) else None
                device = device_id(said.get("device_uuid"))
                if not isinstance(state, dict) or state.get("mode") not in ("vpn", "pac", "off") or not isinstance(
                        state.get("note"), (str, type(None))):
                    raise Refused(400, "22023", "content-state does not fit")
                note = state.get("note") or None
                if DEFECT == 24 and note:
                    note = re.sub("[\U00010000-\U0010ffff]", "?", note)
                items = self.pusher.owe(device, {"mode": state["mode"], "requestsPerSec": 0, "note": note})
        self.pusher.go(items)
        if Make.answers_after_push:
            await self.pusher.settle(items, Make.answers_after_push)
        return 200, {"queued": len(items)}

    async def tool(self, caller, said):
        if caller.role == "device":
            raise Refused(403, "42501", "people and services only")
        if not isinstance(said, dict) or not isinstance(said.get("method"), str):
            raise Refused(400, "-32600", "not a request of JSON-RPC")
        method, number = said["method"], said.get("id")
        if number is None:
            return 202, None

        def result(value):
            return 200, {"jsonrpc": "2.0", "id": number, "result": value}
        if method == "initialize":
            return result({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "relay", "version": "1"}})
        if method == "ping":
            return result({})
        if method == "tools/list":
            text = {"type": "string"}
            return result({"tools": [{"name": "set_live_activity_message", "inputSchema": {
                "type": "object", "required": ["message"],
                "properties": {"device_uuid": text, "deviceName": text, "message": text}}}]})
        parameters = said.get("params")
        if method != "tools/call" or not isinstance(parameters, dict) or parameters.get("name") != "set_live_activity_message":
            return 200, {"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no such method or tool"}}

        def told(text, wrong=False):
            return result({"content": [{"type": "text", "text": text}], "isError": wrong})
        arguments = parameters.get("arguments")
        if not isinstance(arguments, dict) or not isinstance(arguments.get("message"), str):
            return told("message must be a text", True)
        try:
            if "device_uuid" in arguments:
                device = device_id(arguments["device_uuid"])
            else:
                found = self.store.all("SELECT device_uuid FROM device_status WHERE name = ?", arguments.get("deviceName"))
                if len(found) != 1:
                    return told("no device has that name" if not found else "several devices have that name", True)
                device = found[0][0]
            with self.store:
                change = self.write({"device_uuid": device, "message": arguments["message"], "updated_by": "mcp"}, True, "tool")
        except Refused as error:
            return told(error.body["message"], True)
        await self.deliver([change])
        return told("The message is set." if arguments["message"] else "The message is cleared.")


# Callers --------------------------------------------------------------------------------------------------------------


class Realtime:
    """Who listens on which device's channel."""

    def __init__(self):
        self.listeners = {}

    def broadcast(self, device, message):
        for listener in list(self.listeners):
            joined, role = self.listeners[listener]
            for topic, (of, reference) in joined.items():
                if of == device or DEFECT == 21 and role == "human":
                    listener({"topic": topic, "event": "broadcast", "ref": None, "payload": {
                        "type": "broadcast", "event": "live-activity-message",
                        "payload": {"device_uuid": device, "message": message}}})

    async def serve(self, reader, writer, headers):
        key = headers.get("sec-websocket-key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        writer.write(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode())

        def frame(kind, data):
            size = len(data)
            head = bytes([0x80 | kind, size]) if size < 126 else bytes([0x80 | kind, 126]) + struct.pack(">H", size) \
                if size < 65536 else bytes([0x80 | kind, 127]) + struct.pack(">Q", size)
            writer.write(head + data)

        def say(value):
            if writer.transport.get_write_buffer_size() > 4 << 20:
                writer.transport.abort()        # who does not read is not waited for
            elif not writer.is_closing():
                frame(1, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        self.listeners[say] = [{}, None]
        text = b""
        try:
            while True:
                first, second = await reader.readexactly(2)
                size = second & 127
                if size > 125:
                    size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
                if size > 1 << 20:
                    return
                mask = await reader.readexactly(4) if second & 128 else bytes(4)
                data = bytes(byte ^ mask[place & 3] for place, byte in enumerate(await reader.readexactly(size)))
                kind = first & 15
                if kind == 8:
                    frame(8, data[:2])
                    return
                if kind == 9:
                    frame(10, data)
                elif kind in (0, 1):
                    text += data
                    if first & 128:
                        said, text = text, b""
                        self.take(say, json.loads(said))
        finally:
            del self.listeners[say]

    def take(self, say, said):
        topic, event, joined = said.get("topic", ""), said.get("event"), self.listeners[say][0]

        def reply(status, response):
            say({"topic": topic, "event": "phx_reply", "ref": said.get("ref"),
                 "payload": {"status": status, "response": response}})
        if event == "phx_join":
            try:
                caller = Caller("Bearer " + str(said.get("payload", {}).get("access_token", "")))
                device = device_id(topic.removeprefix("realtime:device:"))
                caller.may(caller.device in (None, device), "messages")
            except Refused as error:
                return reply("error", {"reason": error.body["message"]})
            joined[topic] = (device, said.get("ref"))
            self.listeners[say][1] = caller.role
            reply("ok", {"postgres_changes": []})
        elif event == "phx_leave":
            joined.pop(topic, None)
            reply("ok", {})
        elif event == "heartbeat":
            reply("ok", {})


class Server:
    def __init__(self, clock, service, realtime):
        self.clock, self.service, self.realtime = clock, service, realtime
        self.open, self.stopping = set(), False

    async def serve(self, reader, writer):
        self.open.add(writer)
        try:
            while not self.stopping and await self.turn(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            self.open.discard(writer)
            writer.close()

    async def turn(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, version = head[0].split(" ")
        headers = {}
        for line in head[1:]:
            if line:
                name, _, value = line.partition(":")
                headers[name.strip().lower()] = value.strip()
        if headers.get("upgrade", "").lower() == "websocket" and target.startswith("/realtime/v1/websocket"):
            await self.realtime.serve(reader, writer, headers)
            return False
        if "100-continue" in headers.get("expect", "").lower():
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b""
        if "chunked" in headers.get("transfer-encoding", "").lower():
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                body += (await reader.readexactly(size + 2))[:-2]
            while await reader.readuntil(b"\r\n") != b"\r\n":
                pass
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        counted = not target.startswith("/health")
        if counted:
            self.clock.count(self.clock.calls, 0)
        try:
            status, said = await self.service.answer(method, target, headers, body)
        except Refused as error:
            status, said = error.status, error.body
        except Exception as error:
            log("a call failed:", repr(error))
            status, said = 500, {"code": "XX000", "message": "internal error", "details": None, "hint": None}
        last = self.stopping or headers.get("connection", "").lower() == "close" or version == "HTTP/1.0"
        data = b"" if said is None else json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")
        writer.write(f"HTTP/1.1 {status} {'OK' if status < 400 else 'Refused'}\r\n"
                     f"{'Content-Type: application/json' + chr(13) + chr(10) if data else ''}"
                     f"{'' if status == 204 else f'Content-Length: {len(data)}' + chr(13) + chr(10)}"
                     f"{'Connection: close' + chr(13) + chr(10) if last else ''}\r\n".encode() + data)
        await writer.drain()
        if counted:
            self.clock.count(self.clock.calls, 1)
        return not last


async def main(options):
    clock = Clock(options.clock)
    await clock.join()
    store = Store(os.path.join(options.state, "relay.sqlite"))
    signer = Signer(clock, store, options.key, options.key_id, options.team_id)
    production = Host(clock, signer, options.apns, options.apns_ca)
    sandbox = options.apns_sandbox or options.apns
    hosts = {"production": production,
             "sandbox": production if sandbox == options.apns else Host(clock, signer, sandbox, options.apns_ca)}
    pusher = Pusher(clock, store, hosts, options.topic)
    realtime = Realtime()
    server = Server(clock, Service(clock, store, pusher, realtime), realtime)
    listening = await asyncio.start_server(server.serve, options.host, options.port, backlog=1024, limit=1 << 20)
    pusher.go_on()
    end = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end.set)
    log("relay listens at", options.port, "as", VARIANT)
    await end.wait()
    # What is under way may end; what waits stands in the outbox.
    listening.close()
    server.stopping = pusher.stopping = True
    for _ in range(50):
        if not pusher.under_way and clock.calls[0] == clock.calls[1]:
            break
        await asyncio.sleep(0.05)
    for host in set(hosts.values()):
        host.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, default in (("host", "127.0.0.1"), ("port", "8787"), ("apns", None), ("apns-sandbox", ""), ("apns-ca", None),
                          ("key", None), ("key-id", None), ("team-id", None), ("topic", None), ("state", "."), ("clock", "")):
        parser.add_argument("--" + name, default=os.environ.get("RELAY_" + name.upper().replace("-", "_"), default))
    asyncio.run(main(parser.parse_args()))
