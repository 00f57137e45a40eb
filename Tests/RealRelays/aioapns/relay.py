"""A small relay on aioapns, which is not changed: devices and live activities in memory, one client for all pushes.
The library knows Apple's hosts by itself, so `pushrig exec` leads it to the mock. Settings come from `--print-env`'s names."""

import asyncio
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aioapns import APNs, NotificationRequest, PushType

TOPIC = os.environ["APNS_TOPIC"]
DEAD = {"Unregistered", "ExpiredToken", "BadDeviceToken"}
users, lock = {}, threading.Lock()
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()


async def client():
    """Made on the loop that it is used on. `key` is the file's path in aioapns 3."""
    return APNs(
        key=os.environ["APNS_KEY_FILE"], key_id=os.environ["APNS_KEY_ID"], team_id=os.environ["APNS_TEAM_ID"], topic=TOPIC)


apns = asyncio.run_coroutine_threadsafe(client(), loop).result()


async def send(request):
    """The library tries again where a connection went away. What APNs was too busy for is for its user to try again."""
    for pause in (0.7, 1.4, None):
        result = await apns.send_notification(request)
        if pause is None or result.status not in {"429", "500", "503"}:
            return result
        await asyncio.sleep(pause)


def push(rows, key, message, push_type):
    """Sends one notification to the token of the row, and forgets it when APNs says that it died after it was registered."""
    row = rows.get(key)
    if row is None:
        return
    token, since = row
    suffix = ".push-type.liveactivity" if push_type is PushType.LIVEACTIVITY else ""
    request = NotificationRequest(
        device_token=token, message=message, push_type=push_type, apns_topic=TOPIC + suffix, priority=10)
    result = asyncio.run_coroutine_threadsafe(send(request), loop).result(timeout=10)
    died = float(result.timestamp or 0) / 1000
    if result.description in DEAD and (not died or died > since):
        with lock:
            if rows.get(key) == row:
                del rows[key]


def handle(words, body):
    """One call; `words` is its path."""
    with lock:
        user = users.setdefault(words[1], {"devices": {}, "activities": {}})
        if words[2] == "devices":
            user["devices"][body["token"]] = (body["token"], time.time())
            return 201
        if words[2] == "activities" and len(words) == 4:
            if body is None:
                user["activities"].pop(words[3], None)
                return 200
            user["activities"][words[3]] = (body["token"], time.time())
            return 201
        targets = list(user["devices"])
    alert = {"title": body["title"], "body": body["text"]}
    if words[2] == "notify":
        for token in targets:
            push(user["devices"], token, {"aps": {"alert": alert}}, PushType.ALERT)
        return 200
    aps = {"timestamp": int(time.time()), "event": words[4], "content-state": {"status": body["title"], "text": body["text"]}}
    push(user["activities"], words[3], {"aps": aps}, PushType.LIVEACTIVITY)
    if words[4] == "end":
        with lock:
            user["activities"].pop(words[3], None)
    return 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            self.reply(handle(self.path.strip("/").split("/"), json.loads(text)))
        except (KeyError, IndexError, ValueError):
            self.reply(400)
        except Exception as error:
            print(repr(error), file=sys.stderr)
            self.reply(502)

    def do_DELETE(self):
        self.reply(handle(self.path.strip("/").split("/"), None))

    def reply(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


host, port = sys.argv[1].rsplit(":", 1)
ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
