"""HTTP/2 to APNs, part of the honest relay (see relay.py): the provider token, one connection at a time per host with
many streams, and what a stream's end means for the push on it."""

import asyncio
import base64
import collections
import json
import ssl
import sys
import time
from urllib.parse import quote

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from hpack import NeverIndexedHeaderTuple as Literal

REQUEST_TIMEOUT = 5         # seconds from the opening of a stream to its answer
CONNECT_TIMEOUT = 5
PING_AFTER_IDLE = 300
PING_TIMEOUT = 3
TOKEN_LIFETIME = 50 * 60    # Apple: no sooner than 20 minutes, no later than 60
TOKEN_FLOOR = 20 * 60
FRESH_ENOUGH = 30           # a connection younger than this is not replaced for a few bad answers
MOST_STREAMS = 1000


def log(text):
    print(text, file=sys.stderr, flush=True)


class Unprocessed(Exception):
    """APNs certainly did not act on the push: sending it again is safe."""


class Lost(Exception):
    """The push went out and nobody knows whether APNs acted on it."""


Reply = collections.namedtuple("Reply", "status reason timestamp")
TOKEN_REFUSED = ("ExpiredProviderToken", "InvalidProviderToken")


class ProviderToken:
    """The one token that all pushes share. Signing does not yield to the loop, so there is never more than one new."""

    def __init__(self, key_file, key_id, team_id):
        with open(key_file, "rb") as file:
            self._key = serialization.load_pem_private_key(file.read(), None)
        self._key_id, self._team_id = key_id, team_id
        self._text, self._signed, self._forced = None, 0, -TOKEN_FLOOR

    def current(self):
        if self._text is None or time.monotonic() - self._signed >= TOKEN_LIFETIME:
            self._sign()
        return self._text

    def refused(self, text):
        """APNs called this token expired or invalid; tells whether there is a newer one. At most one forced signature
        in 20 minutes: more would earn TooManyProviderTokenUpdates, and mends neither a wrong key nor a wrong clock."""
        if text == self._text:
            if time.monotonic() - self._forced < TOKEN_FLOOR:
                log("the provider token was refused again: check key, team and clock")
                return False
            self._forced = time.monotonic()
            self._sign()
        return True

    def _sign(self):
        def part(raw):
            return base64.urlsafe_b64encode(raw).rstrip(b"=")

        head = json.dumps({"alg": "ES256", "kid": self._key_id}).encode()
        claims = json.dumps({"iss": self._team_id, "iat": int(time.time())}).encode()
        text = part(head) + b"." + part(claims)
        r, s = utils.decode_dss_signature(self._key.sign(text, ec.ECDSA(hashes.SHA256())))
        self._text = (text + b"." + part(r.to_bytes(32, "big") + s.to_bytes(32, "big"))).decode()
        self._signed = time.monotonic()


class PatientH2(h2.connection.H2Connection):
    """h2 takes a GOAWAY for the end of all; APNs may still answer the streams up to the one it names."""

    def _receive_goaway_frame(self, frame):
        event = h2.events.ConnectionTerminated()
        event.error_code, event.last_stream_id = frame.error_code, frame.last_stream_id
        event.additional_data = frame.additional_data
        return [], [event]


class Stream:
    __slots__ = ("headers", "rest", "answer", "opened", "status", "data")

    def __init__(self, headers, body, answer):
        self.headers, self.rest, self.answer = headers, body, answer
        self.opened, self.status, self.data = time.monotonic(), None, b""


class Connection(asyncio.Protocol):
    def __init__(self, name):
        self.name = name
        self.born = time.monotonic()
        self.leaving = False            # no new streams; those under way may finish
        self.answered = self.accepted = 0
        self.failures = 0               # 5xx and timeouts in a row
        self.gone = asyncio.get_running_loop().create_future()
        self._streams, self._queue = {}, collections.deque()
        self._limit = 0                 # until the first SETTINGS of the server
        self._transport = self._tick = self._ping = None
        self._flushing = False
        self._last_heard = self.born
        self._h2 = PatientH2(h2.config.H2Configuration(
            client_side=True, header_encoding="utf-8", normalize_outbound_headers=False,
            validate_outbound_headers=False))

    @property
    def usable(self):
        return not self.leaving and not self.gone.done()

    async def request(self, headers, body):
        if not self.usable:
            raise Unprocessed("connection is leaving")
        stream = Stream(headers, body, asyncio.get_running_loop().create_future())
        self._queue.append(stream)
        self._pump()
        return await stream.answer

    def leave(self):
        """Takes nothing new; what waits for a stream goes elsewhere; closes when the last answer is in."""
        self.leaving = True
        self._pump()

    def close(self):
        if not self.gone.done():
            try:
                self._h2.close_connection()
                self._flush()
            except h2.exceptions.ProtocolError:
                pass
            self._end("closed")

    # Protocol

    def connection_made(self, transport):
        self._transport = transport
        wanted = h2.settings.SettingCodes
        self._h2.local_settings = h2.settings.Settings(client=True, initial_values={
            wanted.ENABLE_PUSH: 0, wanted.MAX_HEADER_LIST_SIZE: 65536})
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(1 << 24)
        self._flush()
        self._tick = asyncio.get_running_loop().call_later(0.5, self._each_half_second)

    def data_received(self, data):
        self._last_heard = time.monotonic()
        try:
            for event in self._h2.receive_data(data):
                self._handle(event)
        except h2.exceptions.ProtocolError as error:
            self._flush()
            return self._end(f"protocol error: {type(error).__name__}")
        self._pump()

    def connection_lost(self, error):
        self._end("connection lost")

    # Inside

    def _handle(self, event):
        stream = self._streams.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.ResponseReceived):
            if stream:
                stream.status = int(dict(event.headers)[":status"])
        elif isinstance(event, h2.events.DataReceived):
            self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if stream:
                stream.data += event.data
        elif isinstance(event, h2.events.StreamEnded):
            if stream:
                del self._streams[event.stream_id]
                self._answer(stream)
        elif isinstance(event, h2.events.StreamReset):
            if stream:
                del self._streams[event.stream_id]
                refused = event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM
                self._fail(stream, Unprocessed("stream refused") if refused else Lost("stream reset"))
        elif isinstance(event, h2.events.RemoteSettingsChanged):
            self._limit = min(self._h2.remote_settings.max_concurrent_streams, MOST_STREAMS)
        elif isinstance(event, h2.events.WindowUpdated):
            for stream_id in [event.stream_id] if event.stream_id else list(self._streams):
                self._send_rest(stream_id)
        elif isinstance(event, h2.events.PingAckReceived):
            self._ping = None
        elif isinstance(event, h2.events.ConnectionTerminated):
            log(f"{self.name}: GOAWAY {event.error_code} {bytes(event.additional_data or b'')[:200]!r}")
            self.leaving = True
            for stream_id in [each for each in self._streams if each > event.last_stream_id]:
                self._fail(self._streams.pop(stream_id), Unprocessed("GOAWAY"))

    def _answer(self, stream):
        if stream.status is None:
            return self._fail(stream, Lost("stream ended without a status"))
        self.answered += 1
        self.accepted += stream.status == 200
        self.failures = self.failures + 1 if stream.status >= 500 else 0
        try:
            reply = json.loads(stream.data) if stream.data else {}
        except ValueError:
            reply = {}
        reply = reply if isinstance(reply, dict) else {}
        if not stream.answer.done():
            stream.answer.set_result(Reply(stream.status, str(reply.get("reason", "")), reply.get("timestamp")))

    @staticmethod
    def _fail(stream, error):
        if not stream.answer.done():
            stream.answer.set_exception(error)

    def _pump(self):
        """Opens what the server's limit of streams and its window allow."""
        while self.usable and self._queue and len(self._streams) < self._limit:
            if self._h2.outbound_flow_control_window < len(self._queue[0].rest):
                break
            stream = self._queue.popleft()
            if stream.answer.done():
                continue
            stream_id = self._h2.get_next_available_stream_id()
            try:
                self._h2.send_headers(stream_id, stream.headers)
            except h2.exceptions.TooManyStreamsError:
                self._queue.appendleft(stream)
                break
            stream.opened = time.monotonic()
            self._streams[stream_id] = stream
            self._send_rest(stream_id)
            self.leaving = self.leaving or stream_id > 1 << 30
        if self.leaving:
            while self._queue:
                self._fail(self._queue.popleft(), Unprocessed("connection is leaving"))
            if not self._streams:
                return self.close()
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _send_rest(self, stream_id):
        stream = self._streams.get(stream_id)
        if stream and stream.rest:
            size = min(self._h2.local_flow_control_window(stream_id), len(stream.rest))
            if size > 0:
                piece, stream.rest = stream.rest[:size], stream.rest[size:]
                self._h2.send_data(stream_id, piece, end_stream=not stream.rest)

    def _flush(self):
        self._flushing = False
        if self._transport and not self._transport.is_closing():
            data = self._h2.data_to_send()
            if data:
                self._transport.write(data)

    def _end(self, why):
        if self.gone.done():
            return
        self.gone.set_result(why)
        if self._tick:
            self._tick.cancel()
        for stream in self._queue:
            self._fail(stream, Unprocessed(why))
        for stream in self._streams.values():
            self._fail(stream, Lost(why))
        self._queue.clear()
        self._streams.clear()
        if self._transport:
            self._transport.close()

    def _each_half_second(self):
        now = time.monotonic()
        self._tick = asyncio.get_running_loop().call_later(0.5, self._each_half_second)
        for stream_id, stream in list(self._streams.items()):
            if now - stream.opened < REQUEST_TIMEOUT:
                break
            del self._streams[stream_id]
            self.failures += 1
            try:
                self._h2.reset_stream(stream_id, h2.errors.ErrorCodes.CANCEL)
            except h2.exceptions.ProtocolError:
                pass
            self._fail(stream, Lost("timeout"))
            self._send_ping(now)
        if self._queue and not self._streams and now - self._queue[0].opened > REQUEST_TIMEOUT:
            return self._end("no room for streams")
        if now - self._last_heard > PING_AFTER_IDLE:
            self._send_ping(now)
        if self._ping and now - self._ping > PING_TIMEOUT:
            return self._end("no answer to PING")
        self._pump()

    def _send_ping(self, now):
        if not self._ping:
            self._ping = now
            self._h2.ping(b"stillup?")


class Host:
    """One of Apple's two environments. Opens a connection when a push needs one, and never two at once."""

    def __init__(self, url, ca_file, token):
        name, _, port = url.removeprefix("https://").rstrip("/").rpartition(":")
        self._address = (name.strip("[]"), int(port)) if name else (port, 443)
        self.name = f"{self._address[0]}:{self._address[1]}"
        self._token = token
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.set_alpn_protocols(["h2"])
        self._connection = self._connecting = None
        self._all = set()
        self._troubles = 0              # connections in a row that came to nothing
        self._wary = 1                  # the age at which a failing connection is replaced
        self._not_before = 0.0

    async def push(self, token, topic, push_type, priority, expiration, apns_id, body):
        connection = self._connection
        if connection is None or not connection.usable:
            connection = await self._connect()
        jwt = self._token.current()
        headers = [
            (":method", "POST"), (":scheme", "https"), Literal(":path", "/3/device/" + quote(token, safe="")),
            (":authority", self.name), Literal("authorization", "bearer " + jwt), ("apns-topic", topic),
            ("apns-push-type", push_type), ("apns-priority", str(priority)), Literal("apns-id", apns_id)]
        if expiration is not None:
            headers.append(Literal("apns-expiration", str(expiration)))
        try:
            reply = await connection.request(headers, body)
        except Lost:
            self._doubt(connection)
            raise
        if reply.reason in TOKEN_REFUSED and self._token.refused(jwt):
            self._replace(connection)           # APNs does not forgive a connection its expired token
        elif reply.status >= 500 or reply.reason in TOKEN_REFUSED:
            self._doubt(connection)
        return reply

    def _replace(self, connection):
        """Further pushes go to a fresh connection; this one looks wedged."""
        if connection is self._connection:
            self._connection = None
            connection.leave()

    def _doubt(self, connection):
        """After a 5xx or a lost push. Not for each of them: Apple takes quick opening and closing for an attack, and
        where a fresh connection accepts nothing either, the fault is not the connection's."""
        age = time.monotonic() - connection.born
        if connection is self._connection and age > (self._wary if connection.failures >= 5 else FRESH_ENOUGH):
            self._wary = 1 if connection.accepted else min(FRESH_ENOUGH, 2 * self._wary)
            self._replace(connection)

    def close(self):
        for connection in list(self._all):
            connection.close()

    async def _connect(self):
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._open())
            self._connecting.add_done_callback(lambda _: setattr(self, "_connecting", None))
        return await asyncio.shield(self._connecting)

    async def _open(self):
        await asyncio.sleep(max(0, self._not_before - time.monotonic()))
        loop = asyncio.get_running_loop()
        try:
            _, connection = await asyncio.wait_for(loop.create_connection(
                lambda: Connection(self.name), *self._address, ssl=self._tls), CONNECT_TIMEOUT)
        except (OSError, asyncio.TimeoutError) as error:
            self._trouble(f"cannot connect: {type(error).__name__}")
            raise Unprocessed("cannot connect") from None
        self._all.add(connection)
        connection.gone.add_done_callback(lambda _: self._lost(connection))
        self._connection = connection
        return connection

    def _lost(self, connection):
        self._all.discard(connection)
        if connection is self._connection:
            self._connection = None
        if connection.answered:
            self._troubles = 0
        else:
            self._trouble(connection.gone.result())

    def _trouble(self, why):
        self._troubles += 1
        self._not_before = time.monotonic() + min(8, 0.25 * 2 ** self._troubles)
        log(f"{self.name}: {why}")
