"""A small relay on pyapns-client, which is not changed: devices and live activities in memory, and one thread that sends, for the
client closes its connection under whoever else uses it. The library knows Apple's hosts by itself, so `pushrig exec` leads it to
the mock. Settings come from `--print-env`'s names."""

import json
import os
import queue
import sys
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from pyapns_client import (
    APNSClient, APNSServerException, BadDeviceTokenException, IOSNotification, IOSPayload, IOSPayloadAlert, UnregisteredException)

TOPIC = os.environ["APNS_TOPIC"]
users, lock, ready = {}, threading.Lock(), queue.Queue()
client = APNSClient(
    mode=APNSClient.MODE_PROD, root_cert_path=None, auth_key_path=os.environ["APNS_KEY_FILE"],
    auth_key_id=os.environ["APNS_KEY_ID"], team_id=os.environ["APNS_TEAM_ID"])


class Row:
    """A token, and what waits to be sent to it, in order. Of several rows the one whose turn it is stands in `ready`."""

    def __init__(self, token):
        self.token, self.since, self.waiting, self.tries, self.gone = token, time.time(), deque(), 0, False

    def add(self, payload, kind):
        suffix = ".push-type.liveactivity" if kind == "liveactivity" else ""
        # The priority is text, for httpx takes no number as a header's value.
        self.waiting.append(IOSNotification(payload=payload, topic=TOPIC + suffix, priority="10", push_type=kind))
        if len(self.waiting) == 1:
            ready.put(self)

    def send(self):
        """The client tries three times at once. Of what it calls a server's error its README says "try again later". What hung
        thrice for ten seconds may have come, and is left alone."""
        with lock:
            token, since, notification = self.token, self.since, self.waiting[0]
        try:
            if not self.gone:
                client.push(notification=notification, device_token=token)
        except APNSServerException as error:
            if self.tries < 3 and not isinstance(error.__context__, httpx.TimeoutException):
                self.tries += 1
                threading.Timer(2 ** self.tries, ready.put, [self]).start()
                return
            print(repr(error), file=sys.stderr, flush=True)
        except (BadDeviceTokenException, UnregisteredException) as error:
            with lock:
                if token == self.token and getattr(error, "timestamp", time.time() * 1000) > since * 1000:
                    self.gone = True
        except Exception as error:
            print(repr(error), file=sys.stderr, flush=True)
        with lock:
            self.tries = 0
            self.waiting.popleft()
            if self.waiting:
                ready.put(self)


def sender():
    while True:
        ready.get().send()


threading.Thread(target=sender, daemon=True).start()


class Malformed(Exception):
    pass


def said(body, *names):
    """The texts of a call's body."""
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in names):
        raise Malformed()
    return [body[name] for name in names]


def handle(words, body):
    """One call; `words` is its path."""
    if len(words) < 3:
        raise Malformed()
    with lock:
        user = users.setdefault(words[1], {"devices": {}, "activities": {}})
        rows = user["activities" if words[2] == "activities" else "devices"]
        if words[2] == "devices" or words[2] == "activities" and len(words) == 4:
            if body is None:
                if words[-1] in rows:
                    rows.pop(words[-1]).gone = True
                return 200
            [token] = said(body, "token")
            row = rows.setdefault(words[3] if words[2] == "activities" else token, Row(token))
            row.token, row.since, row.gone = token, time.time(), False
            return 201
        title, text = said(body, "title", "text")
        if words[2] == "notify":
            for row in rows.values():
                row.add(IOSPayload(alert=IOSPayloadAlert(title=title, body=text)), "alert")
            return 202
        if len(words) < 5:
            raise Malformed()
        row = rows.pop(words[3], None) if words[4] == "end" else rows.get(words[3])
        # The library has no live activities of its own: `custom` takes the place of the whole `aps`, and is not cut as alerts are.
        state = {"status": title[:50], "text": text[:200]}
        aps = {"timestamp": int(time.time()), "event": words[4], "content-state": state}
        if row:
            row.add(IOSPayload(custom={"aps": aps}), "liveactivity")
        return 202


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200)

    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        except (ValueError, RecursionError):
            return self.reply(400)
        self.answer(body)

    def do_DELETE(self):
        self.answer(None)

    def answer(self, body):
        try:
            self.reply(handle(self.path.strip("/").split("/"), body))
        except Malformed:
            self.reply(400)
        except Exception as error:
            print(repr(error), file=sys.stderr, flush=True)
            self.reply(502)

    def reply(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


host, port = sys.argv[1].rsplit(":", 1)
ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
