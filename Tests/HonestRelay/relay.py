"""An honest push relay for coding sessions: the phone registers its tokens, the server reports events, and the relay
sends alerts and Live Activity pushes to APNs. A test double of its own kind: a tool that judges relays is tried on it,
and must find nothing. It is written from the relay's fact sheet alone, without a look at the tool's sources.

    relay.py --listen 127.0.0.1:8787 --apns https://127.0.0.1:2197 --ca ca.pem --key AuthKey.p8 \\
             --key-id KEY --team-id TEAM --topic com.example.app --storage relay.sqlite

Needs Debian's python3-h2 and python3-cryptography. Payloads are the plan's own (SessionActivityAttributes). With
`--answer early`, /v1/event replies before APNs does: then `sent` and `failed` are 0 and `queued` tells how many alerts
are on their way. With `--answer late` it replies when APNs has answered, at the latest after twelve seconds."""

import argparse
import asyncio
import hashlib
import html
import json
import re
import signal
import sqlite3
import sys
import time

import payloads
import apns
from apns import Host, ProviderToken, log
from delivery import Courier, Push
from server import HTTPServer
from sessions import Event, Sessions
from store import Store

ALERTING = ("permission", "complete", "error")
KINDS = ALERTING + ("progress", "start")
SAME_COMPLETE = 5           # the server reports a session's idleness twice
ALERT_FIRST = 2             # how long a card waits for the alert's first answer
ANSWER_AT_LATEST = 2.4      # timeouts: one, a second try and a moment
DRAIN = 2.5


class Invalid(Exception):
    pass


def whole(text):
    """JSON may hold half a surrogate pair, which no UTF-8 can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Fields:
    """A request's JSON object, read field by field."""

    def __init__(self, body):
        try:
            self._values = json.loads(body)
        except (ValueError, RecursionError):
            raise Invalid from None
        if not isinstance(self._values, dict):
            raise Invalid

    def text(self, name, required=False, most=255, pattern=None):
        value = self._values.get(name)
        if value is None and not required:
            return None
        if not isinstance(value, str) or not value or most and len(value) > most:
            raise Invalid
        if pattern and not re.fullmatch(pattern, value):
            raise Invalid
        sane = whole(value)
        if most and sane != value:
            raise Invalid
        return sane

    def choice(self, name, options, otherwise=None):
        value = self._values.get(name, otherwise)
        if value not in options:
            raise Invalid
        return value

    def object(self, name):
        value = self._values.get(name)
        if value is not None and not isinstance(value, dict):
            raise Invalid
        return {key: whole(each) for key, each in (value or {}).items() if isinstance(each, str)}

    def secret(self):
        return hashlib.sha256(self.text("secret", True, most=None).encode()).hexdigest()

    def bundle(self):
        return self.text("bundleId", pattern=r"[A-Za-z0-9.\-]+")


class Relay:
    def __init__(self, options):
        self._options = options
        apns.REQUEST_TIMEOUT = options.timeout
        self._tasks = set()
        self._connections = set()
        self._store = Store(options.storage)
        token = ProviderToken(options.key, options.key_id, options.team_id)
        self._hosts = [Host(url, options.ca, token) for url in (options.apns, options.apns_sandbox) if url]
        self._courier = Courier(self._hosts[0], self._hosts[1] if len(self._hosts) > 1 else None, self._store)
        self._sessions = Sessions(self._courier, self._store, options.throttle, options.topic, self._spawn)
        self._routes = {
            ("POST", "/v1/device/register"): self._register_device,
            ("POST", "/v1/device/unregister"): self._unregister_device,
            ("POST", "/v1/activity/register"): self._register_activity,
            ("POST", "/v1/activity/unregister"): self._unregister_activity,
            ("POST", "/v1/event"): self._event,
            ("GET", "/health"): self._health,
            ("GET", "/"): self._dashboard}

    async def run(self):
        loop = asyncio.get_running_loop()
        asked_to_end = asyncio.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, asked_to_end.set)
        host, _, port = self._options.listen.rpartition(":")
        server = await loop.create_server(
            lambda: HTTPServer(self._handle, self._connections), host.strip("[]"), int(port), backlog=1024)
        sweeping = asyncio.ensure_future(self._sweep())
        await asked_to_end.wait()
        server.close()
        for connection in list(self._connections):
            connection.close_when_idle()
        sweeping.cancel()
        until = time.monotonic() + DRAIN
        while time.monotonic() < until:
            self._sessions.flush()
            if not self._tasks:
                break
            await asyncio.wait(list(self._tasks), timeout=0.05)
        await asyncio.sleep(0.02)       # the last answers are on their way to the callers
        for each in self._hosts:
            each.close()
        self._store.close()

    async def _sweep(self):
        while True:
            await asyncio.sleep(60)
            self._sessions.sweep()

    def _spawn(self, work):
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task):
        self._tasks.discard(task)
        if not task.cancelled() and task.exception():
            log(f"failed: {task.exception()!r}")

    # Requests

    def _handle(self, method, path, body):
        route = self._routes.get((method, path))
        if not route:
            return self._json(404, {"ok": False, "error": "Not found"})
        try:
            return route(body)
        except Invalid:
            return self._json(400, {"ok": False, "error": "Invalid request body"})
        except Exception as error:      # a text of it might hold a token
            log(f"{path}: {error!r}")
            return self._json(500, {"ok": False, "error": type(error).__name__})

    @staticmethod
    def _json(status, value):
        return status, "application/json", json.dumps(value, separators=(",", ":")).encode()

    def _register_device(self, body):
        fields = Fields(body)
        self._store.register_device(
            fields.secret(), fields.text("deviceToken", True), fields.bundle() or self._options.topic,
            fields.choice("apnsEnv", ("production", "sandbox"), "production"), fields.text("pushToStartToken"))
        return self._json(200, {"ok": True})

    def _unregister_device(self, body):
        fields = Fields(body)
        self._store.unregister_device(fields.secret(), fields.text("deviceToken", True))
        return self._json(200, {"ok": True})

    def _register_activity(self, body):
        """An app that adds `deviceToken` tells which phone it is; the contract does not ask it to."""
        fields = Fields(body)
        secret, session = fields.secret(), fields.text("sessionID", True)
        token, bundle, phone = fields.text("activityToken", True), fields.bundle(), fields.text("deviceToken")
        self._sessions.get(secret, session).register(token, bundle, self._store.devices(secret), phone)
        self._store.commit()
        return self._json(200, {"ok": True})

    def _unregister_activity(self, body):
        """Likewise an app that adds `activityToken` unregisters that one and no other."""
        fields = Fields(body)
        secret, session, token = fields.secret(), fields.text("sessionID", True), fields.text("activityToken")
        self._sessions.get(secret, session).unregister(token)
        self._store.commit()
        return self._json(200, {"ok": True})

    def _event(self, body):
        fields = Fields(body)
        event = Event(fields.secret(), fields.choice("eventType", KINDS), fields.text("sessionID", True),
                      fields.text("serverID"), fields.text("title", most=None), fields.text("body", most=None),
                      fields.object("contentState"))
        session = self._sessions.get(event.secret, event.session)
        if event.kind == "complete":
            when, answer = session.last_complete
            if time.monotonic() - when < SAME_COMPLETE:
                session.last_complete = (time.monotonic(), answer)
                return self._answer_again(answer)
        devices = self._store.devices(event.secret)
        alerts, gate = self._alert(event, devices) if event.kind in ALERTING else ([], None)
        if event.kind == "start":
            session.last_complete = (-60.0, None)
        waits = session.apply(event, devices, gate)
        if self._options.answer == "early":
            answer = self._json(200, {"ok": True, "sent": 0, "failed": 0, "queued": len(alerts)})
        else:
            answer = self._spawn(self._answer_late(alerts, waits))
        if event.kind == "complete":
            session.last_complete = (time.monotonic(), answer)
        return answer

    @staticmethod
    def _answer_again(answer):
        return asyncio.shield(answer) if asyncio.isfuture(answer) else answer

    async def _answer_late(self, alerts, waits):
        if alerts or waits:
            await asyncio.wait(alerts + waits, timeout=ANSWER_AT_LATEST * self._options.timeout)
        sent = sum(each.done() and not each.exception() and each.result() for each in alerts)
        return self._json(200, {"ok": True, "sent": sent, "failed": len(alerts) - sent})

    # Alerts

    def _alert(self, event, devices):
        """One alert to each phone, and a future that is done when all had an answer, or soon anyway."""
        if not devices:
            return [], None
        body = payloads.alert(event)
        loop = asyncio.get_running_loop()
        gate = loop.create_future()
        unanswered = {row["device_token"] for row in devices}

        def answered(token=None):
            unanswered.discard(token)
            if not gate.done() and (token is None or not unanswered):
                gate.set_result(None)
                timer.cancel()

        timer = loop.call_later(min(ALERT_FIRST, self._options.timeout), answered)
        return [self._spawn(self._alert_one(event, row, body, answered)) for row in devices], gate

    async def _alert_one(self, event, row, body, answered):
        token = row["device_token"]
        push = Push("device", token, row["apns_env"], row["bundle_id"], 10, None, body)
        outcome = await self._courier.deliver(push, first_answer=lambda: answered(token))
        try:
            self._store.log_delivery(event.secret, event.kind, event.session, outcome.error)
        except sqlite3.Error as error:      # the push has left: an error reply would have it sent again
            log(f"delivery log: {error!r}")
        return outcome.ok

    # For people

    def _health(self, body):
        devices, deliveries = self._store.counts()
        return self._json(200, {"ok": True, "devices": devices, "deliveries": deliveries})

    def _dashboard(self, body):
        def table(rows):
            return "<table>" + "".join(
                "<tr>" + "".join(f"<td>{html.escape(str(each))}</td>" for each in row) + "</tr>" for row in rows
            ) + "</table>"

        devices, deliveries = self._store.newest()
        page = ("<!doctype html><title>Relay</title><h1>Registrations</h1>"
                + table([("…" + row[0][-6:], *row[1:]) for row in devices])
                + "<h1>Deliveries</h1>" + table(deliveries))
        return 200, "text/html; charset=utf-8", page.encode()


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--listen", default="127.0.0.1:8787", metavar="HOST:PORT")
    parser.add_argument("--answer", choices=("early", "late"), default="late")
    parser.add_argument("--apns", default="https://api.push.apple.com:443", metavar="URL")
    parser.add_argument("--apns-sandbox", metavar="URL")
    parser.add_argument("--ca", metavar="FILE")
    parser.add_argument("--key", required=True, metavar="FILE.p8")
    parser.add_argument("--key-id", required=True)
    parser.add_argument("--team-id", required=True)
    parser.add_argument("--topic", default="com.anomalyco.mobilevoice")
    parser.add_argument("--storage", default="relay.sqlite", metavar="FILE")
    parser.add_argument("--throttle", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--timeout", type=float, default=apns.REQUEST_TIMEOUT, metavar="SECONDS",
                        help="for one answer of APNs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    async def main():
        await Relay(options(sys.argv[1:])).run()

    asyncio.run(main())
