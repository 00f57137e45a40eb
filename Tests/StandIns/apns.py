"""How a stand-in speaks to APNs: a connection of HTTP/2 for each push at a time, kept for the next; one provider token for half an
hour, or a client certificate where APNS_CERTIFICATE_FILE and APNS_CERTIFICATE_KEY_FILE name one. What a connection loses, and what a provider token was too old for, is sent again. httpx, and `openssl` to sign."""

import base64
import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import uuid
from dataclasses import dataclass

import httpx

TOPIC = os.environ["APNS_TOPIC"]


def now():
    return int(time.time() * 1000)


@dataclass
class Answer:
    status: int
    reason: str | None
    """Milliseconds, of a 410."""
    timestamp: int = 0
    again: bool = False
    """That was made, of an answer to the channel API."""
    channel: str | None = None

    def is_death(self, registered=0):
        """Of a token that was registered then, in milliseconds."""
        if self.status == 410:
            return not self.timestamp or self.timestamp > registered
        return self.reason == "BadDeviceToken"


class APNs:
    def __init__(self, bug):
        self.bug = bug
        self.idle, self.lock, self.places = [], threading.Lock(), threading.Semaphore(12)
        self.context = ssl.create_default_context(cafile=os.environ["APNS_CA_FILE"])
        self.issued, self.token = 0, None
        self.shown = os.environ.get("APNS_CERTIFICATE_FILE")
        if self.shown:
            self.context.load_cert_chain(self.shown, os.environ["APNS_CERTIFICATE_KEY_FILE"])

    def provider_token(self, refused=None):
        """Made anew after half an hour, and when `refused` is still the one in use. With the bug `new-provider-token` for each
        push, each with a second of its own."""
        with self.lock:
            now = int(time.time())
            if self.bug == "new-provider-token":
                now = max(self.issued + 1, now - 60)
            elif now - self.issued < 1800 and self.token != refused:
                return self.token

            def part(raw):
                return base64.urlsafe_b64encode(raw).rstrip(b"=")
            text = part(json.dumps({"alg": "ES256", "kid": os.environ["APNS_KEY_ID"]}).encode()) + b"." + \
                part(json.dumps({"iss": os.environ["APNS_TEAM_ID"], "iat": now}).encode())
            sign = ["openssl", "dgst", "-sha256", "-sign", os.environ["APNS_KEY_FILE"]]
            signature = subprocess.run(sign, input=text, stdout=subprocess.PIPE, check=True).stdout
            self.issued, self.token = now, (text + b"." + part(signature)).decode()
            self.idle.clear()
            return self.token

    def post(self, url, fields, content):
        """Status 0 where no answer came; `again`: APNs has not looked at the push."""
        with self.lock:
            client = self.idle.pop() if self.idle else None
        client = client or httpx.Client(http2=True, http1=False, verify=self.context, timeout=float(os.environ.get("APNS_TIMEOUT", "5")))
        sent = {}

        def trace(_, info):
            if "stream_id" in info:
                sent["stream"] = info["stream_id"]
        try:
            answer = client.post(url, headers=fields, content=content, extensions={"trace": trace})
        except httpx.TimeoutException:
            return Answer(0, "timeout")
        except httpx.TransportError as mistake:
            client.close()
            print(f"stream {sent.get('stream')}: {mistake!r}", file=sys.stderr, flush=True)
            last = re.search(r"last_stream_id:(\d+)", str(mistake))
            # h2 does not read an answer that comes in one piece with a GOAWAY: the push is through.
            is_through = isinstance(mistake, httpx.LocalProtocolError)
            return Answer(
                0, "connection", again=int(last[1]) < sent.get("stream", 1 << 31) if last else not is_through)
        body = answer.json() if answer.content else {}
        reason = body.get("reason")
        with self.lock:
            if reason != "ExpiredProviderToken":
                self.idle.append(client)
        return Answer(
            answer.status_code, reason, body.get("timestamp", 0), again=reason == "ExpiredProviderToken",
            channel=answer.headers.get("apns-channel-id"))

    def push(self, token, payload, kind="alert", attempts=1, pause=1.0, wanted=None, **headers):
        """One push, tried so often after an answer of 500 and more, `pause` seconds apart, doubled up to three, and by the same
        id; behind a pause after 429 and silence as well. Header names are written with `_`. `wanted` is asked when its turn has
        come."""
        suffix = "" if kind == "alert" else ".push-type." + kind
        fields = {"apns-topic": TOPIC + suffix, "apns-push-type": kind, "apns-priority": "10", "apns-id": str(uuid.uuid4())}
        fields |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
        fields = {name: value for name, value in fields.items() if value != "None"}
        return self.send(f"/3/device/{token}", fields, payload, attempts, pause, wanted=wanted)

    def create_channel(self):
        """One that stores nothing."""
        payload = {"message-storage-policy": 0, "push-type": "LiveActivity"}
        url = os.environ["APNS_CHANNELS_URL"]
        return self.send(f"/1/apps/{TOPIC}/channels", {}, payload, attempts=5, pause=1, url=url).channel

    def broadcast(self, channel, payload):
        fields = {"apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-expiration": "0", "apns-priority": "10",
                  "apns-request-id": str(uuid.uuid4())}
        return self.send(f"/4/broadcasts/apps/{TOPIC}", fields, payload, attempts=5, pause=1)

    def send(self, path, fields, payload, attempts, pause, url=os.environ["APNS_URL"], wanted=None):
        url, content, again = url + path, json.dumps(payload), 5
        bearer = None if self.shown else self.provider_token()
        while True:
            if bearer:
                fields["authorization"] = "bearer " + bearer
            with self.places:
                if wanted and not wanted():
                    return Answer(0, "unwanted")
                answer = self.post(url, fields, content)
            if answer.again and again:
                again -= 1
                bearer = bearer and self.provider_token(refused=bearer if answer.status == 403 else None)
                continue
            attempts -= 1
            if attempts <= 0 or answer.status < 500 and not (answer.status in (0, 429) and pause):
                return answer
            time.sleep(pause)
            pause = min(2 * pause, 3)
