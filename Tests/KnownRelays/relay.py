"""Relays whose capacity is known: a search for it has a truth to be held to. One small relay that pushes Live Activities, whose
way from its queue to APNs is one of these (`--mode`, with `--rate` pushes a second):

    bucket     a token bucket: so many a second leave, in order
    server     one server of a fixed service time (M/D/1), a call is answered when its push is through
    workers    four workers, each a quarter as fast
    refuses    429 for what is above the rate
    early      200 at once, and a queue behind it
    slow-start half as fast for the first ten seconds of its life
    pauses     a pause of a second in twenty, beside which it keeps the rate
    leaks      a hundredth slower for each minute of its life
    collapses  a tenth as fast once fifty wait, until none does
    stays-down the same, and never comes back
    drops      what is above the rate is answered 200 and thrown away

Needs what Tests/HonestRelay needs."""

import argparse
import asyncio
import collections
import json
import os
import sys
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../HonestRelay"))
from apns import Host, Lost, ProviderToken, Unprocessed  # noqa: E402
from server import HTTPServer, PHRASES  # noqa: E402

PHRASES[429] = "Too Many Requests"


class Pace:
    """When the next push may leave, by the mode."""

    def __init__(self, mode, rate):
        self.mode, self.rate = mode, rate
        self.born = self.free = time.monotonic()
        self.is_down = False

    def step(self, now, waiting):
        """Seconds that one push takes now."""
        age, each = now - self.born, 1 / self.rate
        if self.mode == "slow-start" and age < 10:
            return 2 * each
        if self.mode == "leaks":
            return each / max(0.1, 1 - 0.01 * age / 60)
        if self.mode in ("collapses", "stays-down"):
            if waiting >= 50:
                self.is_down = True
            elif waiting == 0 and self.mode == "collapses":
                self.is_down = False
            return 10 * each if self.is_down else each
        return each

    def pause(self, now):
        """Until when nothing leaves."""
        if self.mode != "pauses":
            return now
        phase = (now - self.born) % 20
        return now + 1 - phase if phase < 1 else now

    def book(self, waiting):
        """The instant at which the next one leaves."""
        now = self.pause(time.monotonic())
        self.free = max(self.free, now) + self.step(now, waiting)
        return self.free


class Relay:
    def __init__(self, options):
        self.mode, self.topic = options.mode, options.topic
        self.host = Host(options.apns, options.ca, ProviderToken(options.key, options.key_id, options.team_id))
        self.paces = [Pace(options.mode, options.rate / 4) for _ in range(4)] if options.mode == "workers" else [
            Pace(options.mode, options.rate)]
        self.activities, self.stamps = {}, collections.defaultdict(int)
        self.waiting = 0
        self.allowance, self.refilled, self.rate = options.rate / 4, time.monotonic(), options.rate
        # What is pushed to one activity keeps its order.
        self.tails = {}

    def may_pass(self):
        now = time.monotonic()
        self.allowance = min(self.rate / 4, self.allowance + (now - self.refilled) * self.rate)
        self.refilled = now
        if self.allowance < 1:
            return False
        self.allowance -= 1
        return True

    def handle(self, method, path, body):
        if path == "/health":
            return 200, "text/plain", b"ok"
        call = json.loads(body or b"{}")
        if path.startswith("/activities/"):
            self.activities[path.rsplit("/", 1)[1]] = call["token"]
            return 200, "application/json", b"{}"
        token = self.activities.get(call.get("session"))
        if token is None:
            return 404, "application/json", b"{}"
        if call["event"] == "end":
            del self.activities[call["session"]]
        if self.mode == "refuses" and not self.may_pass():
            return 429, "application/json", b"{}"
        if self.mode == "drops" and not self.may_pass():
            return 200, "application/json", b"{}"
        task = asyncio.ensure_future(self.deliver(token, call, self.tails.get(token)))
        self.tails[token] = task
        task.add_done_callback(lambda done: self.tails.pop(token, None) if self.tails.get(token) is done else None)
        return self.answer(task) if self.mode in ("server", "workers") else (200, "application/json", b"{}")

    async def answer(self, task):
        await asyncio.shield(task)
        return 200, "application/json", b"{}"

    async def deliver(self, token, call, before):
        if self.mode not in ("refuses", "drops"):
            pace = min(self.paces, key=lambda each: each.free)
            leaves = pace.book(self.waiting)
            self.waiting += 1
            await asyncio.sleep(max(0, leaves - time.monotonic()))
            self.waiting -= 1
        if before is not None:
            await asyncio.wait([before])
        stamp = self.stamps[token] = max(int(time.time()), self.stamps[token] + 1)
        aps = {"timestamp": stamp, "event": call["event"], "content-state": {"text": call["text"]}}
        if call["event"] == "end":
            aps["dismissal-date"] = stamp + 60
            del self.stamps[token]
        payload, identity = json.dumps({"aps": aps}).encode(), str(uuid.uuid4())
        for pause in (0.2, 0.5, 1, 2, None):
            try:
                reply = await self.host.push(
                    token, self.topic + ".push-type.liveactivity", "liveactivity", 10, int(time.time()) + 3600, identity,
                    payload)
                if reply.status < 500 and reply.status != 429:
                    return
            except (Lost, Unprocessed, OSError):
                pass
            if pause is not None:
                await asyncio.sleep(pause)


async def main():
    parser = argparse.ArgumentParser()
    for name in ("listen", "apns", "ca", "key", "key-id", "team-id", "topic", "mode"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rate", type=float, default=100)
    options = parser.parse_args()
    relay, connections = Relay(options), set()
    host, port = options.listen.rsplit(":", 1)
    server = await asyncio.get_running_loop().create_server(
        lambda: HTTPServer(relay.handle, connections), host, int(port), backlog=1024)
    async with server:
        await server.serve_forever()

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
