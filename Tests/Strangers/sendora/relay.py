#!/usr/bin/python3
"""A relay for Live Activities (APNs) and Live Updates (FCM) with Sendora's API, written from its sheet.

One file: an HTTP/1.1 server for callers, an HTTP/2 client for APNs and FCM, a queue for each activity, callbacks, and a sqlite file
which holds all that has to outlive the process. VARIANT of the environment says which make it is: see `make` and `defect`.
"""
import argparse, asyncio, base64, collections, hashlib, heapq, hmac, json, os, random, re, selectors, signal, sqlite3, ssl, sys, time
import urllib.parse, urllib.request, uuid
import h2.config, h2.connection, h2.events, h2.exceptions
from h2.connection import ConnectionState
from h2.settings import SettingCodes
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

VARIANT = os.environ.get("VARIANT") or "honest-0"

def make(n):
    """Is this the lawful make n?"""
    return VARIANT == f"honest-{n}"

def defect(n):
    """Is this the relay with defect n?"""
    return VARIANT == f"defect-{n:02d}"

def log(*words): print(*words, file=sys.stderr, flush=True)

def dumps(value):
    if make(1): return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

def b64(data): return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

# Time -------------------------------------------------------------------------------------------------------------------

class Clock:
    """The system's clock, one that runs faster (scale=,at=,shows=), or one that is stepped by an HTTP service."""
    def __init__(self, spec):
        self.scale, self.at, self.shows = 1.0, 0.0, 0.0
        self.url = None
        self.timers, self.ticket = [], 0
        self.taken = self.answered = self.sent = self.settled = self.busy = 0
        self.stated, self.newest, self.idle = None, 0, []
        if spec and spec.startswith("scale="):
            words = dict(w.split("=") for w in spec.split(","))
            self.scale, self.at, self.shows = float(words["scale"]), float(words["at"]) / 1000, float(words["shows"]) / 1000
        elif spec and spec.startswith("http"):
            self.url = urllib.parse.urlsplit(spec)
            request = urllib.request.Request(spec.rstrip("/") + "/v1/clock/participants", b'{"name":"relay"}',
                                             {"content-type": "application/json"})
            answer = json.load(urllib.request.urlopen(request, timeout=10))
            self.me, self.elapsed, self.wall = answer["id"], answer["elapsed"], answer["wall"]
    def time(self):
        if self.url: return self.wall / 1e6
        return self.shows + (time.time() - self.at) * self.scale if self.at else time.time()
    async def sleep(self, seconds):
        if not self.url or seconds <= 0: return await asyncio.sleep(max(0, seconds) / self.scale)
        future = asyncio.get_running_loop().create_future()
        self.ticket += 1
        heapq.heappush(self.timers, (self.elapsed + max(1, int(seconds * 1e6)), self.ticket, future))
        await future
    async def within(self, future, seconds, network=False):
        """The future's result, or TimeoutError. A network is no faster for a clock that is."""
        if not self.url: return await asyncio.wait_for(future, seconds if network else seconds / self.scale)
        future = asyncio.ensure_future(future)
        timer = asyncio.ensure_future(self.sleep(seconds))
        try:
            await asyncio.wait({future, timer}, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                future.cancel()
                raise asyncio.TimeoutError
            return future.result()
        finally:
            timer.cancel()
            if not future.done(): future.cancel()

    # What a stepped clock has to be told when this process has come to rest.
    def statement(self):
        while self.timers and self.timers[0][2].done(): heapq.heappop(self.timers)
        until = self.timers[0][0] if self.timers else None
        return (self.elapsed, until, self.taken, self.answered, self.sent, self.settled)
    def at_rest(self, loop):
        if not self.url or self.busy or (now := self.statement()) == self.stated: return False
        self.stated, self.newest = now, self.newest + 1
        loop.create_task(self.state(now, self.newest))
        return True
    async def state(self, now, number):
        body = dumps({"elapsed": now[0], "until": now[1], "calls": [now[2], now[3]], "pushes": [now[4], now[5]]}).encode()
        answer = None
        try:
            pair = self.idle.pop() if self.idle else await asyncio.open_connection(self.url.hostname, self.url.port)
            answer = json.loads((await http1(pair, "POST", f"/v1/clock/participants/{self.me}", self.url.netloc,
                                             {"content-type": "application/json"}, body))[1])
            self.idle.append(pair)
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            log("clock:", error)
            await asyncio.sleep(0.05)
        if answer and answer.get("elapsed", 0) > self.elapsed:
            self.elapsed, self.wall = answer["elapsed"], answer["wall"]
            while self.timers and self.timers[0][0] <= self.elapsed:
                future = heapq.heappop(self.timers)[2]
                if not future.done(): future.set_result(None)
        if number == self.newest: self.stated = None

class Resting(selectors.DefaultSelector):
    """Notices when the loop has nothing left to do."""
    clock = loop = None
    def select(self, timeout=None):
        if self.clock and (timeout is None or timeout > 0):
            events = super().select(0)
            if events or self.clock.at_rest(self.loop): return events
        return super().select(timeout)

async def http1(pair, method, path, host, headers, body):
    reader, writer = pair
    head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(body)}\r\n"
    writer.write((head + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n").encode() + body)
    status = int((await reader.readuntil(b"\r\n")).split()[1])
    length = 0
    while True:
        line = (await reader.readuntil(b"\r\n")).decode("latin-1").strip()
        if not line: break
        name, _, value = line.partition(":")
        if name.lower() == "content-length": length = int(value)
    return status, await reader.readexactly(length)

# HTTP/2 to a provider ---------------------------------------------------------------------------------------------------

class Failure(Exception):
    """No answer: `goaway` and `refused` were not processed; `reset`, `lost` and `timeout` may have been."""
    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind

class Stream:
    def __init__(self, headers, body, counts):
        self.headers, self.body, self.counts = headers, body, counts
        self.future = asyncio.get_running_loop().create_future()
        self.status, self.fields, self.data, self.id = 0, {}, b"", None

class Connection:
    def __init__(self, pool):
        self.pool, self.clock = pool, pool.clock
        self.streams, self.waiting = {}, collections.deque()
        self.open, self.draining, self.ready = False, False, asyncio.get_running_loop().create_future()
        self.buffer, self.heard, self.pinged, self.token = b"", time.monotonic(), None, None
    async def connect(self):
        self.reader, self.writer = await asyncio.wait_for(asyncio.open_connection(
            self.pool.host, self.pool.port, ssl=self.pool.context, server_hostname=self.pool.host), 10)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8",
                                                                      validate_inbound_headers=False))
        self.h2.initiate_connection()
        self.h2.update_settings({SettingCodes.ENABLE_PUSH: 0})
        self.open = True
        self.write()
        self.tasks = [asyncio.ensure_future(self.read()), asyncio.ensure_future(self.watch())]
        await asyncio.wait_for(self.ready, 10)
    def write(self):
        data = self.h2.data_to_send()
        if data and self.open: self.writer.write(data)
    async def read(self):
        try:
            while True:
                data = await self.reader.read(65536)
                if not data: break
                self.heard, self.pinged = time.monotonic(), None
                self.buffer += data
                # Frame by frame, for what follows a GOAWAY has to be heard as well.
                while len(self.buffer) >= 9 and len(self.buffer) >= (size := 9 + int.from_bytes(self.buffer[:3], "big")):
                    frame, self.buffer = self.buffer[:size], self.buffer[size:]
                    for event in self.h2.receive_data(frame): self.event(event)
                self.write()
                self.pump()
        except (OSError, h2.exceptions.ProtocolError) as error: log(self.pool.name, "connection:", type(error).__name__, error)
        self.fail("lost")
    async def watch(self):
        """A connection that says nothing is asked whether it lives. By the host's time, as networks are."""
        while self.open:
            await asyncio.sleep(1)
            now = time.monotonic()
            if self.pinged and now - self.pinged > 4:
                log(self.pool.name, "no answer to PING")
                self.fail("lost")
            elif not self.pinged and now - self.heard > (5 if self.streams else 60) and self.open:
                self.pinged = now
                self.h2.ping(b"alive?  ")
                self.write()
    def event(self, event):
        if isinstance(event, h2.events.RemoteSettingsChanged):
            if not self.ready.done(): self.ready.set_result(None)
        elif isinstance(event, h2.events.ResponseReceived):
            stream = self.streams.get(event.stream_id)
            if stream:
                stream.fields = dict(event.headers)
                stream.status = int(stream.fields[":status"])
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.streams: self.streams[event.stream_id].data += event.data
        elif isinstance(event, h2.events.StreamEnded): self.settle(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            self.settle(event.stream_id, "refused" if event.error_code == 7 else "reset")
            if event.error_code != 7: self.retire()
        elif isinstance(event, h2.events.ConnectionTerminated):
            log(self.pool.name, "GOAWAY", event.last_stream_id, event.error_code, event.additional_data)
            self.h2.state_machine.state = ConnectionState.CLIENT_OPEN
            self.retire()
            for id in [i for i in self.streams if i > (event.last_stream_id or 0) or defect(10)]: self.settle(id, "goaway")
            self.tidy()
    def settle(self, id, failure=None):
        stream = self.streams.pop(id, None)
        if not stream: return
        if stream.counts: self.clock.settled += 1
        if not stream.future.done():
            if failure: stream.future.set_exception(Failure(failure))
            else: stream.future.set_result((stream.status, stream.fields, stream.data))
        self.tidy()
    def tidy(self):
        if self.draining and not self.streams and self.open: self.fail("lost")
    def retire(self):
        """Opens no more streams here; what is under way is finished."""
        self.draining = True
        self.pool.left(self)
        waiting, self.waiting = self.waiting, collections.deque()
        for stream in waiting:
            if not stream.future.done(): stream.future.set_exception(Failure("unsent"))
        asyncio.get_running_loop().call_soon(self.tidy)
    def fail(self, kind):
        if not self.open: return
        self.open = False
        if not self.ready.done(): self.ready.set_exception(OSError("closed"))
        self.retire()
        for id in list(self.streams): self.settle(id, kind)
        for task in self.tasks:
            if task is not asyncio.current_task(): task.cancel()
        self.writer.close()
    def pump(self):
        while self.waiting and self.open and not self.draining:
            stream = self.waiting[0]
            if stream.future.done():
                self.waiting.popleft()
                continue
            limit = min(self.h2.remote_settings.max_concurrent_streams, 100 if self.pool.name == "fcm" else 500)
            if len(self.streams) >= limit or self.h2.open_outbound_streams >= limit: break
            self.waiting.popleft()
            stream.id = self.h2.get_next_available_stream_id()
            self.h2.send_headers(stream.id, stream.headers)
            self.streams[stream.id] = stream
            self.clock.sent += stream.counts
        for stream in list(self.streams.values()) if self.open else ():
            while stream.body and (size := min(self.h2.local_flow_control_window(stream.id), len(stream.body), 16384)) > 0:
                chunk, stream.body = stream.body[:size], stream.body[size:]
                self.h2.send_data(stream.id, chunk, end_stream=not stream.body)
        self.write()
    async def request(self, headers, body, seconds, counts):
        stream = Stream(headers, body, counts)
        self.waiting.append(stream)
        self.pump()
        try:
            return await self.clock.within(asyncio.shield(stream.future), seconds, network=True)
        except asyncio.TimeoutError:
            if stream.future.done() and not stream.future.cancelled() and not stream.future.exception():
                return stream.future.result()
            if stream.id is None:
                stream.future.cancel()
                raise Failure("unsent")
            if stream.id in self.streams:
                try:
                    self.h2.reset_stream(stream.id, 8)
                    self.write()
                except h2.exceptions.ProtocolError: pass
                self.settle(stream.id, "timeout")
                stream.future.exception()
            self.retire()
            raise Failure("timeout")

class Pool:
    """The connections to one host: one, or a few where the make wants several."""
    def __init__(self, name, address, context, clock, size=1):
        url = urllib.parse.urlsplit(address)
        self.name, self.host, self.port, self.authority = name, url.hostname, url.port or 443, url.netloc
        self.context, self.clock, self.size = context, clock, size
        self.connections, self.locks = {}, [asyncio.Lock() for _ in range(size)]
    def left(self, connection):
        for slot, other in list(self.connections.items()):
            if other is connection: del self.connections[slot]
    async def get(self, key):
        slot = hash(key) % self.size
        async with self.locks[slot]:
            pause = 0.1
            while slot not in self.connections:
                connection = Connection(self)
                self.clock.busy += 1
                try:
                    await connection.connect()
                    if not connection.draining: self.connections[slot] = connection
                except (OSError, asyncio.TimeoutError) as error:
                    log(self.name, "cannot connect:", repr(error))
                    connection.fail("lost")
                finally: self.clock.busy -= 1
                if slot not in self.connections:
                    await self.clock.sleep(pause * random.uniform(1, 1.2))
                    pause = min(pause * 2, 5)
            return self.connections[slot]
    async def post(self, key, path, headers, body, seconds, counts=1):
        while True:
            connection = await self.get(key)
            fields = [(":method", "POST"), (":scheme", "https"), (":authority", self.authority), (":path", path),
                      *headers(), ("content-length", str(len(body)))]
            try:
                return connection, await connection.request(fields, body, seconds, counts)
            except Failure as failure:
                if failure.kind != "unsent": raise

# What is kept -----------------------------------------------------------------------------------------------------------

class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=off")
        self.db.execute("create table if not exists things (kind text, id text, number integer, body text, primary key (kind, id))")
    def put(self, kind, id, body, number=0):
        self.db.execute("insert or replace into things values (?,?,?,?)", (kind, id, number, json.dumps(body)))
    def drop(self, kind, id): self.db.execute("delete from things where kind=? and id=?", (kind, id))
    def all(self, kind):
        return [json.loads(r[0]) for r in self.db.execute("select body from things where kind=? order by number, rowid", (kind,))]

# The relay --------------------------------------------------------------------------------------------------------------

class Refused(Exception):
    def __init__(self, status, code, message, **details):
        super().__init__(code)
        self.status = status
        self.body = {"success": False, "error": {"code": code, "message": message, **({"details": details} if details else {})}}

class Relay:
    def __init__(self, arguments, clock):
        self.arguments, self.clock, self.store = arguments, clock, Store(arguments.storage)
        context = ssl.create_default_context(cafile=arguments.apns_ca)
        context.set_alpn_protocols(["h2"])
        self.apns = Pool("apns", arguments.apns, context, clock, 3 if make(2) else 1)
        self.fcm = Pool("fcm", arguments.fcm, context, clock) if arguments.fcm else None
        self.signing = serialization.load_pem_private_key(open(arguments.key, "rb").read(), None)
        self.account = json.load(open(arguments.service_account)) if arguments.service_account else None
        self.oauth = Pool("oauth", self.account["token_uri"], context, clock) if self.account else None
        self.access, self.access_ends, self.access_lock = None, 0, asyncio.Lock()
        self.provider = (self.store.all("provider") or [None])[0]
        self.hook_key = open(arguments.webhook_key, "rb").read().strip() if arguments.webhook_key else b""
        self.rows, self.keys, self.queues, self.workers = {}, {}, {}, {}
        self.hooks, self.events, self.callers = {}, {}, {}
        self.fcm_rest, self.fcm_sent, self.said = {}, collections.defaultdict(collections.deque), collections.defaultdict(collections.deque)
        self.outcomes, self.number, self.stopping, self.refused = {}, 0, False, -1e9
        self.gate = asyncio.Semaphore(8 if make(5) else 1000)
    def load(self):
        for row in self.store.all("row"):
            self.rows[row["id"]] = row
            self.keys[self.key(row)] = row["id"]
        for push in self.store.all("push"):
            self.number = max(self.number, push["number"])
            self.queues.setdefault(push["row"], collections.deque()).append(push)
        for event in self.store.all("event"):
            self.number = max(self.number, event["number"])
            self.events.setdefault(event["row"], collections.deque()).append(event)
        for hook in self.store.all("hook"): self.hooks[hook["id"]] = hook
        for id in list(self.queues): self.work(id)
        for id in list(self.events): self.call_back(id)

    # Rows
    def key(self, row):
        return (row["org"], row["platform"], row["activityType"], json.dumps(row["attributes"], sort_keys=True), row["externalId"],
                row["userId"])
    def keep(self, row):
        if defect(14) and row["status"] == "invalidated": row = {**row, "status": "active", "dead": False}
        self.store.put("row", row["id"], row)
    def register(self, org, body):
        token, type_ = body.get("pushToken"), body.get("activityType")
        platform = body.get("platform") or "ios"
        attributes, state = body.get("attributes") or {}, body.get("contentState") or {}
        if platform not in ("ios", "android"): raise Refused(400, "BAD_REQUEST", "unknown platform")
        if not isinstance(token, str) or not isinstance(type_, str) or not type_ or not isinstance(attributes, dict) or not isinstance(state, dict):
            raise Refused(400, "BAD_REQUEST", "pushToken and activityType are texts, attributes and contentState are objects")
        if platform == "ios":
            token = token.lower()
            if not re.fullmatch(r"(?:[0-9a-f]{2}){8,200}", token):
                raise Refused(400, "BAD_REQUEST", "pushToken is not hexadecimal")
        elif not 1 <= len(token) <= 4096 or not token.isprintable():
            raise Refused(400, "BAD_REQUEST", "pushToken is no registration")
        now = self.clock.time()
        row = {"id": str(uuid.uuid4()), "org": org, "platform": platform, "activityType": type_, "token": token,
               "bundleId": body.get("bundleId") or self.arguments.topic, "attributes": attributes, "state": self.clean(state),
               "initial": state, "externalId": body.get("externalId"), "userId": body.get("userId"), "status": "active",
               "created": now, "changed": now, "registered": now, "stamp": 0, "window": now, "updates": 0, "alert": None, "dead": False}
        self.fits(row, "end", row["state"], None)
        known = row["externalId"] or (row["userId"] and attributes)
        if defect(4): known = row["externalId"]
        old = self.rows.get(self.keys.get(self.key(row))) if known else None
        if old and old["status"] != "ended":
            # The same activity with its next token, or one that was said before.
            old.update(token=token, registered=now, status="active", dead=False, bundleId=row["bundleId"])
            self.keep(old)
            self.work(old["id"])
            return (201 if make(1) else 200), {"id": old["id"]}
        self.rows[row["id"]] = row
        self.keys[self.key(row)] = row["id"]
        self.keep(row)
        self.tell(row, "push.live_activity_started", {"contentState": row["state"], "attributes": attributes})
        return 201, {"id": row["id"]}
    def clean(self, state):
        if defect(12): return json.loads(re.sub("[\U00010000-\U0010ffff]", "?", json.dumps(state, ensure_ascii=False)))
        return state
    def find(self, org, id):
        row = self.rows.get(id)
        if not row or row["org"] != org or row["status"] == "ended": raise Refused(404, "NOT_FOUND", "no such activity")
        return row
    def throttle(self, row):
        limit, said, now = 220 if row["platform"] == "android" else 600, self.said[row["id"]], self.clock.time()
        while said and (said[0] <= now - 60 or said[0] > now + 1): said.popleft()
        if len(said) >= limit:
            raise Refused(429, "RATE_LIMITED", "too many updates", retryAfterSeconds=max(1, int(said[0] + 60 - now) + 1))
        said.append(now)
    def update(self, org, id, body):
        row = self.find(org, id)
        state, alert = body.get("contentState"), body.get("alert")
        if not isinstance(state, dict): raise Refused(400, "BAD_REQUEST", "contentState is an object")
        if alert is not None and not (isinstance(alert, dict) and all(isinstance(alert.get(k), str) for k in ("title", "body"))):
            raise Refused(400, "BAD_REQUEST", "alert has a title and a body")
        if alert: alert = {"title": alert["title"], "body": alert["body"]}
        if defect(16): state = {**row["state"], **state}
        state = self.clean(state)
        self.fits(row, "update", state, alert)
        self.throttle(row)
        now = self.clock.time()
        if not 0 <= now - row["window"] < 3600: row["window"], row["updates"] = now, 0
        row["updates"] += 1
        row.update(state=state, changed=now)
        if defect(18): row["alert"] = alert = alert or row["alert"]
        push = None
        if row["status"] == "active":
            if make(6): priority = 10 if alert else 5
            else: priority = 10 if alert or row["updates"] <= 5 else 5
            push = self.queue(row, "update", state, alert, priority)
            self.tell(row, "push.live_activity_updated", {"contentState": state, **({"alert": alert} if alert else {})})
        self.keep(row)
        data = {"id": id, "status": row["status"]}
        if row["updates"] >= 30: data["warning"] = "BUDGET: 30 updates or more within the hour"
        return push, data
    def end(self, org, id):
        row = self.find(org, id)
        return self.finish(row), {"id": id, "status": "ended"}
    def finish(self, row):
        push = None
        if row["status"] == "active":
            if make(5):
                for old in list(self.queues.get(row["id"], ()))[1:]:
                    self.done(old)      # The end says all that they would have.
            push = self.queue(row, "end", row["initial"] if defect(15) else row["state"], None, 10)
            self.tell(row, "push.live_activity_ended", {})
        row["status"], row["changed"] = "ended", self.clock.time()
        self.keep(row)
        return push
    def list(self, org, query):
        found = []
        for row in self.rows.values():
            if row["org"] != org or row["externalId"] != query.get("externalId", row["externalId"]): continue
            if row["status"] != query.get("status", "active"): continue
            updates = row["updates"] if 0 <= self.clock.time() - row["window"] < 3600 else 0
            found.append({"id": row["id"], "platform": row["platform"], "activityType": row["activityType"], "status": row["status"],
                          "externalId": row["externalId"], "userId": row["userId"], "attributes": row["attributes"],
                          "contentState": row["state"], "updatesThisHour": updates,
                          **({"warning": "30 updates or more within the hour"} if updates >= 30 else {})})
        return found
    async def age(self):
        while True:
            await self.clock.sleep(600)
            now = self.clock.time()
            for row in list(self.rows.values()):
                if row["status"] == "active" and (now - row["changed"] >= 8 * 3600 - 900 or now - row["created"] >= 12 * 3600 - 900):
                    self.finish(row)

    # The queue of each activity
    def queue(self, row, event, state, alert, priority):
        self.number += 1
        push = {"id": str(uuid.uuid4()), "row": row["id"], "number": self.number, "event": event, "state": state, "alert": alert,
                "priority": priority, "tries": 0, "next": 0, "stamp": 0, "born": self.clock.time(), "token": row["token"]}
        self.queues.setdefault(row["id"], collections.deque()).append(push)
        self.save(push)
        if make(4): self.outcomes[push["id"]] = asyncio.get_running_loop().create_future()
        self.work(row["id"])
        return push
    def save(self, push):
        if not defect(13): self.store.put("push", push["id"], push, push["number"])
    def done(self, push):
        queue = self.queues.get(push["row"])
        if queue and push in queue: queue.remove(push)
        self.store.drop("push", push["id"])
        future = self.outcomes.pop(push["id"], None)
        if future and not future.done(): future.set_result(None)
    def work(self, id):
        if id not in self.workers and self.queues.get(id): self.workers[id] = asyncio.ensure_future(self.drain(id))
    async def drain(self, id):
        row, queue = self.rows[id], self.queues[id]
        try:
            while queue and not self.stopping:
                push = queue[0]
                if row["dead"]:
                    self.done(push)
                    continue
                over = row["status"] == "ended" and push["event"] == "update"
                if len(queue) > 1 and push["tries"] and (over or (row["platform"] == "android" or make(3)) and not push["alert"]):
                    # A newer state takes the place of one that was refused, and waits as long.
                    self.done(push)
                    queue[0].update(next=max(queue[0]["next"], push["next"]), tries=push["tries"])
                    continue
                wait = push["next"] - self.clock.time()
                if row["platform"] == "android": wait = max(wait, self.rest_of(row["token"]))
                if wait > 0:
                    await self.clock.sleep(min(wait, 0.5))     # News, another token or the end may come meanwhile.
                    continue
                async with self.gate:
                    again = await (self.to_apns if row["platform"] == "ios" else self.to_fcm)(row, push)
                if again is None: self.done(push)
                elif defect(23) and push["event"] == "end" and again >= 1: self.done(push)
                elif defect(22) and push["event"] == "update":
                    self.done(push)
                    self.save(push)
                    asyncio.ensure_future(self.later(row, push, again))
                else:
                    push["next"] = self.clock.time() + again
                    self.save(push)
                    given = 3600 if push["event"] == "update" or row["platform"] == "android" else 8 * 3600
                    if push["next"] - push["born"] > given: self.done(push)
        finally:
            self.workers.pop(id, None)
            if not self.stopping: self.work(id)
    async def later(self, row, push, again):
        while again is not None and not row["dead"]:
            await self.clock.sleep(again)
            again = await (self.to_apns if row["platform"] == "ios" else self.to_fcm)(row, push)
        self.store.drop("push", push["id"])
    def rest_of(self, token):
        now = self.clock.time()
        sent = self.fcm_sent[token]
        while sent and sent[0] <= now - 60: sent.popleft()
        return max(self.fcm_rest.get(token, 0) - now, sent[0] + 60 - now if len(sent) >= 230 else 0)
    def invalidate(self, row):
        row["dead"] = True
        self.keep(row)
        if row["status"] == "active":
            row["status"] = "invalidated"
            self.keep(row)
            self.tell(row, "push.live_activity_invalidated", {})
    def backoff(self, push, first=1.0, factor=2.0, most=60.0):
        push["tries"] += 1
        if make(1): first, factor = first * 1.3, 1.7
        return min(first * factor ** (push["tries"] - 1), most) * random.uniform(1, 1.15)

    def unprocessed(self, push, kind):
        if defect(9) and kind == "goaway" or defect(11) and kind == "refused": return None
        push["refusals"] = push.get("refusals", 0) + 1
        return 0 if push["refusals"] == 1 else min(0.05 * 2 ** push["refusals"], 5)

    # APNs
    def payload(self, row, event, state, alert, stamp):
        aps = {"timestamp": stamp, "event": event, "content-state": state}
        if alert: aps["alert"] = alert
        if event == "end": aps["dismissal-date"] = stamp + (0 if make(3) else 60)
        return dumps({"aps": aps}).encode()
    def fits(self, row, event, state, alert):
        if row["platform"] == "ios": size = len(self.payload(row, "update", state, alert, 10 ** 9)) + 40
        else: size = sum(len(k) + len(v.encode()) for k, v in self.data(row, event, state).items())
        if size > 4096: raise Refused(413, "PAYLOAD_TOO_LARGE", "a push holds 4096 bytes")
    def jwt(self, renew=None):
        """The provider token; another one when it grows old, or when `renew` is the one that was refused."""
        now, kept = self.clock.time(), self.provider
        limit = 600 if defect(8) else 25 * 60 if make(6) else 45 * 60
        old = not kept or (not defect(7) and not -60 <= now - kept["iat"] < limit)
        refused = renew and renew == kept["jwt"] and (defect(6) or not 0 <= now - self.refused < 1200)
        if refused: self.refused = now     # Once: a new one that is refused as well is not replaced at once.
        if old or refused:
            head = b64(dumps({"alg": "ES256", "kid": self.arguments.key_id}).encode())
            body = b64(dumps({"iss": self.arguments.team_id, "iat": int(now)}).encode())
            r, s = decode_dss_signature(self.signing.sign(f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256())))
            token = f"{head}.{body}." + b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
            self.provider = {"jwt": token, "iat": int(now)}
            self.store.put("provider", "one", self.provider)
        return self.provider["jwt"]
    async def to_apns(self, row, push):
        """None when all is said; else the seconds until it is to be said again."""
        token = push["token"] if defect(1) else row["token"]
        now = int(self.clock.time())
        if defect(21): push["stamp"] = now
        else:
            again = push["stamp"] and push["stamp"] == row["stamp"]      # The newest of all is said again.
            push["stamp"] = max(now, row["stamp"] + (0 if again else 1))
        row["stamp"] = max(row["stamp"], push["stamp"])
        self.keep(row)
        self.save(push)
        used = []
        def headers():
            used.append(self.jwt())
            return [("authorization", "bearer " + used[-1]), ("apns-topic", row["bundleId"] + ".push-type.liveactivity"),
                    ("apns-push-type", "liveactivity"), ("apns-priority", str(push["priority"])), ("apns-id", push["id"]),
                    ("apns-expiration", str(now + 3600)), ("content-type", "application/json")]
        body = self.payload(row, push["event"], push["state"], push["alert"], push["stamp"])
        sent = self.clock.time()
        try:
            connection, (status, fields, data) = await self.apns.post(row["id"], "/3/device/" + token, headers, body,
                                                                      20 if make(6) else 12)
        except Failure as failure:
            log("apns:", failure.kind, push["id"])
            if failure.kind in ("goaway", "refused"): return self.unprocessed(push, failure.kind)
            if not push.get("resent"):
                push["resent"] = True
                return 0.1
            return self.backoff(push)
        if status == 200: return None
        try:
            answer = json.loads(data)
            reason = str(answer.get("reason"))
        except (ValueError, AttributeError): answer, reason = {}, "?"
        log("apns:", status, reason, push["id"])
        if status == 410 or reason in ("BadDeviceToken", "DeviceTokenNotForTopic"):
            since, replaced = answer.get("timestamp"), row["token"] != token
            if replaced and not defect(2): return None if defect(1) else 0     # The token in its place is told instead.
            if status == 410 and isinstance(since, (int, float)) and not replaced:
                if (since if defect(3) else since / 1000) < row["registered"]: return None     # Registered again since then.
            if row["registered"] <= sent or defect(2) and replaced: self.invalidate(row)
            return None
        if reason == "ExpiredProviderToken" or (defect(6) and reason == "TooManyProviderTokenUpdates"):
            self.jwt(renew=used[-1])
            connection.retire()
            if not push.get("signed"):
                push["signed"] = True
                return 0
            return self.backoff(push)
        if status == 429 or status >= 500:
            if status == 500 and push["tries"] >= 1: connection.retire()
            return self.backoff(push)
        return None

    # FCM
    def data(self, row, event, state):
        if defect(17): state = {k: v for k, v in state.items() if v}
        return {"sendoraLiveActivityId": row["id"], "sendoraLiveActivityEvent": event, "sendoraContentState": dumps(state)}
    async def bearer(self, refused=None):
        async with self.access_lock:
            early = 600 if make(6) else 240
            pause = 1
            while not self.access or self.access == refused or self.clock.time() > self.access_ends - early:
                now = int(self.clock.time())
                head = b64(dumps({"alg": "RS256", "typ": "JWT", "kid": self.account.get("private_key_id", "")}).encode())
                body = b64(dumps({"iss": self.account["client_email"], "scope": "https://www.googleapis.com/auth/firebase.messaging",
                                  "aud": self.account["token_uri"], "iat": now, "exp": now + 3600}).encode())
                key = serialization.load_pem_private_key(self.account["private_key"].encode(), None)
                code = b64(key.sign(f"{head}.{body}".encode(), padding.PKCS1v15(), hashes.SHA256()))
                form = urllib.parse.urlencode({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                                               "assertion": f"{head}.{body}.{code}"}).encode()
                self.clock.busy += 1
                try:
                    _, (status, _, data) = await self.oauth.post("", urllib.parse.urlsplit(self.account["token_uri"]).path or "/token",
                        lambda: [("content-type", "application/x-www-form-urlencoded")], form, 15, counts=0)
                    answer = json.loads(data) if status == 200 else None
                except (Failure, ValueError) as error: status, answer, data = 0, None, str(error)
                finally: self.clock.busy -= 1
                if answer:
                    self.access, self.access_ends = answer["access_token"], now + int(answer["expires_in"])
                    return self.access
                log("oauth:", status, data)
                await self.clock.sleep(pause)
                pause = min(pause * 2, 60)
            return self.access
    async def to_fcm(self, row, push):
        token = row["token"]
        access = await self.bearer()
        priority = "NORMAL" if defect(20) and push["event"] == "end" else "HIGH"
        message = {"token": token, "data": self.data(row, push["event"], push["state"]),
                   "android": {"priority": priority, "ttl": "3600s", "collapse_key": row["id"].replace("-", "")}}
        body = dumps({"message": message}).encode()
        sent = self.clock.time()
        self.fcm_sent[token].append(sent)
        try:
            connection, (status, fields, data) = await self.fcm.post("", f"/v1/projects/{self.account['project_id']}/messages:send",
                lambda: [("authorization", "Bearer " + access), ("content-type", "application/json")], body,
                5 if defect(25) else 30 if make(6) else 20)
        except Failure as failure:
            log("fcm:", failure.kind, push["id"])
            if failure.kind in ("goaway", "refused"): return self.unprocessed(push, failure.kind)
            if not push.get("resent"):
                push["resent"] = True
                return 0.5
            return self.backoff(push, 10, most=600)
        if status == 200: return None
        try:
            error = json.loads(data)["error"]
            details = [d for d in error.get("details") or [] if isinstance(d, dict)]
            text, state = str(error.get("message")), error.get("status")
        except (ValueError, KeyError, TypeError, AttributeError): details, text, state = [], "", None
        code = next((d.get("errorCode") for d in details if str(d.get("@type")).endswith("FcmError")), None)
        apns = next((d for d in details if str(d.get("@type")).endswith("ApnsError")), {})
        fields_named = {v.get("field") for d in details for v in d.get("fieldViolations") or []}
        log("fcm:", status, code, text[:60], push["id"])
        dead = (code == "UNREGISTERED" or code == "SENDER_ID_MISMATCH"
                or status == 400 and (code == "INVALID_ARGUMENT" or state == "INVALID_ARGUMENT") and (
                    "message.token" in fields_named or apns.get("reason") in ("BadDeviceToken", "Unregistered", "DeviceTokenNotForTopic", "ExpiredToken")
                    or "device token is disabled" in text or defect(5)))
        if dead:
            if row["token"] != token: return 0
            for other in list(self.rows.values()):
                if other["platform"] == "android" and other["token"] == token and other["registered"] <= sent:
                    self.invalidate(other)
            return None
        if status == 401 and code is None and not push.get("signed"):
            push["signed"] = True
            await self.bearer(refused=access)
            return 0
        if status == 429 or status >= 500:
            after = fields.get("retry-after", "")
            after = int(after) if after.isdigit() else None
            if status == 429:
                wait = self.backoff(push, max(after or 60, 1), most=3600)
                self.fcm_rest[token] = self.clock.time() + wait
            else: wait = max(self.backoff(push, 10.5, most=600), after or 0)
            return wait
        return None

    # Callbacks
    def tell(self, row, type_, data):
        hooks = [h for h in self.hooks.values() if h["org"] == row["org"]]
        for hook in hooks or ([None] if self.arguments.webhook else []):
            self.number += 1
            event = {"id": "evt_" + uuid.uuid4().hex, "row": row["id"], "number": self.number, "type": type_, "tries": 0, "next": 0,
                     "hook": hook and hook["id"], "created": self.clock.time(),
                     "data": {"id": row["id"], "token": row["token"], "platform": row["platform"], "activityType": row["activityType"],
                              "externalId": row["externalId"], "userId": row["userId"], **data}}
            self.store.put("event", event["id"], event, event["number"])
            self.events.setdefault(row["id"], collections.deque()).append(event)
        self.call_back(row["id"])
    def call_back(self, id):
        if id not in self.callers and self.events.get(id): self.callers[id] = asyncio.ensure_future(self.callbacks(id))
    async def callbacks(self, id):
        queue = self.events[id]
        while queue and not self.stopping:
            event = queue[0]
            wait = event["next"] - self.clock.time()
            if wait > 0: await self.clock.sleep(wait)
            status = await self.deliver(event)
            passing = status == 0 or status in (408, 429) or status >= 500
            if passing and event["tries"] < 4:
                event["next"] = self.clock.time() + (2, 8, 30, 90)[event["tries"]]
                event["tries"] += 1
                self.store.put("event", event["id"], event, event["number"])
            else:
                queue.popleft()
                self.store.drop("event", event["id"])
        self.callers.pop(id, None)
        if not self.stopping: self.call_back(id)
    async def deliver(self, event):
        hook = self.hooks.get(event["hook"])
        url = urllib.parse.urlsplit(hook["url"] if hook else self.arguments.webhook)
        name = "evt_" + uuid.uuid4().hex if defect(24) and event["tries"] else event["id"]
        body = dumps({"id": name, "type": event["type"], "createdAt": int(event["created"]), "data": event["data"]}).encode()
        stamp = str(int(self.clock.time()))
        code = hmac.new(hook["secret"].encode() if hook else self.hook_key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        headers = {"content-type": "application/json", "connection": "close", "x-sendora-timestamp": stamp,
                   "x-sendora-signature": f"t={stamp},v1={code}"}
        self.clock.busy += 1
        writer = None
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(url.hostname, url.port or 80), 10)
            path = (url.path or "/") + ("?" + url.query if url.query else "")
            return (await asyncio.wait_for(http1((reader, writer), "POST", path, url.netloc, headers, body), 10))[0]
        except (OSError, ValueError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            log("webhook:", type(error).__name__)
            return 0
        finally:
            self.clock.busy -= 1
            if writer: writer.close()

    # The API
    def identity(self, headers, path_org):
        match = re.fullmatch(r"(sk|pk)_(prod|staging|dev|live)_([a-z]+)_(.+)", headers.get("x-api-key", ""))
        if not match: raise Refused(401, "UNAUTHORIZED", "no such key")
        kind, tier, org = match[1], match[3], match[4]
        if tier not in ("growth", "scale", "business", "enterprise"):
            if tier != "free": raise Refused(401, "UNAUTHORIZED", "no such key")
            raise Refused(402, "PAYMENT_REQUIRED", "tier_required", reason="tier_required", tier_required="growth")
        if path_org and path_org != org:
            if defect(19): return kind, path_org
            raise Refused(403, "FORBIDDEN", "another organisation")
        return kind, org
    async def answer(self, method, target, headers, raw):
        url = urllib.parse.urlsplit(target)
        path = urllib.parse.unquote(url.path)
        if path == "/health": return 200, {"success": True, "data": {"status": "ok"}}
        match = re.fullmatch(r"/api/v1(?:/orgs/([^/]+))?(/.*)", path)
        if not match: raise Refused(404, "NOT_FOUND", "no such path")
        path = match[2]
        kind, org = self.identity(headers, match[1])
        start = path == "/push/live-activities/start-token"
        if kind == "pk" and not start: raise Refused(403, "FORBIDDEN", "a public key registers tokens alone")
        body = {}
        if raw and method in ("POST", "PATCH"):
            try:
                body = json.loads(raw)
            except ValueError: raise Refused(400, "BAD_REQUEST", "the body is no JSON")
            if not isinstance(body, dict): raise Refused(400, "BAD_REQUEST", "the body is no object")
        if start and method == "POST":
            status, data = self.register(org, body)
            return status, {"success": True, "data": data}
        if path == "/push/live-activities" and method == "GET":
            return 200, {"success": True, "data": self.list(org, dict(urllib.parse.parse_qsl(url.query)))}
        match = re.fullmatch(r"/push/live-activities/([^/]+)/update", path)
        if match and method == "PATCH": return await self.wait(self.update(org, match[1], body))
        match = re.fullmatch(r"/push/live-activities/([^/]+)", path)
        if match and method == "DELETE": return await self.wait(self.end(org, match[1]))
        if path == "/webhooks" and method == "POST":
            if not isinstance(body.get("url"), str) or not body["url"].startswith(("http://", "https://")):
                raise Refused(400, "BAD_REQUEST", "url is a URL")
            hook = {"id": str(uuid.uuid4()), "org": org, "url": body["url"], "secret": "whsec_" + os.urandom(20).hex()}
            self.hooks[hook["id"]] = hook
            self.store.put("hook", hook["id"], hook)
            return 201, {"success": True, "data": {"id": hook["id"], "secret": hook["secret"]}}
        match = re.fullmatch(r"/webhooks/([^/]+)/rotate(?:-secret)?", path)
        if match and method == "POST":
            hook = self.hooks.get(match[1])
            if not hook or hook["org"] != org: raise Refused(404, "NOT_FOUND", "no such webhook")
            hook["secret"] = "whsec_" + os.urandom(20).hex()
            self.store.put("hook", hook["id"], hook)
            return 200, {"success": True, "data": {"id": hook["id"], "secret": hook["secret"]}}
        raise Refused(404, "NOT_FOUND", "no such path")
    async def wait(self, result):
        push, data = result
        future = self.outcomes.get(push["id"]) if push else None
        if future:
            try:
                await self.clock.within(asyncio.shield(future), 2.5)
            except asyncio.TimeoutError: pass
        return 200, {"success": True, "data": data}
    async def serve(self, reader, writer):
        try:
            while True:
                line = await reader.readuntil(b"\r\n")
                method, target, _ = line.decode("latin-1").split()
                headers = {}
                while (line := (await reader.readuntil(b"\r\n")).decode("latin-1").strip()):
                    name, _, value = line.partition(":")
                    headers[name.strip().lower()] = value.strip()
                raw = b""
                if int(headers.get("content-length", 0)) > 1 << 20: break
                else: raw = await reader.readexactly(int(headers.get("content-length", 0)))
                self.clock.taken += 1
                try:
                    status, body = await self.answer(method, target, headers, raw)
                except Refused as refused: status, body = refused.status, refused.body
                except Exception as error:
                    log("failed:", repr(error))
                    status, body = 500, {"success": False, "error": {"code": "INTERNAL", "message": "internal error"}}
                data = dumps(body).encode()
                extra = ""
                if status == 429: extra = f"retry-after: {body['error']['details']['retryAfterSeconds']}\r\n"
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{extra}content-length: {len(data)}\r\n\r\n".encode()
                             + data)
                self.clock.answered += 1
                await writer.drain()
                if headers.get("connection", "").lower() == "close": break
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError): pass
        finally: writer.close()

async def main(arguments, selector):
    clock = Clock(arguments.clock)
    selector.loop = asyncio.get_running_loop()
    relay = Relay(arguments, clock)
    stop = asyncio.get_running_loop().create_future()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, lambda: stop.done() or stop.set_result(None))
    relay.load()
    aging = asyncio.ensure_future(relay.age())
    server = await asyncio.start_server(relay.serve, "127.0.0.1", arguments.port, backlog=1024)
    selector.clock = clock
    log("variant", VARIANT, "port", arguments.port)
    await stop
    relay.stopping = True
    aging.cancel()
    server.close()
    for _ in range(40):             # What is under way is finished.
        if not any(c.streams for pool in (relay.apns, relay.fcm) if pool for c in pool.connections.values()): break
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.05)
    os._exit(0)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("port", "apns", "apns-ca", "key", "key-id", "team-id", "topic", "fcm", "service-account", "storage", "webhook",
                 "webhook-key", "clock"):
        parser.add_argument("--" + name, type=int if name == "port" else str)
    selector = Resting()
    loop = asyncio.SelectorEventLoop(selector)
    asyncio.set_event_loop(loop)
    loop.run_until_complete(main(parser.parse_args(), selector))
