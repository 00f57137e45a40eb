"""How a stand-in speaks to APNs: one HTTP/2 connection, one provider token for half an hour. httpx, and `openssl` to sign."""

import base64
import json
import os
import subprocess
import threading
import time
import uuid

import httpx

TOPIC = os.environ["APNS_TOPIC"]


class APNs:
    def __init__(self, bug):
        self.bug = bug
        self.client = httpx.Client(http2=True, http1=False, verify=os.environ["APNS_CA_FILE"], timeout=5)
        self.lock = threading.Lock()
        self.issued, self.token = 0, None

    def provider_token(self):
        """Made anew after half an hour; with the bug `new-provider-token` for each push, each with a second of its own."""
        now = int(time.time())
        if self.bug == "new-provider-token":
            now = max(self.issued + 1, now - 60)
        elif now - self.issued < 1800:
            return self.token

        def part(raw):
            return base64.urlsafe_b64encode(raw).rstrip(b"=")
        text = part(json.dumps({"alg": "ES256", "kid": os.environ["APNS_KEY_ID"]}).encode()) + b"." + \
            part(json.dumps({"iss": os.environ["APNS_TEAM_ID"], "iat": now}).encode())
        sign = ["openssl", "dgst", "-sha256", "-sign", os.environ["APNS_KEY_FILE"]]
        signature = subprocess.run(sign, input=text, stdout=subprocess.PIPE, check=True).stdout
        self.issued, self.token = now, (text + b"." + part(signature)).decode()
        return self.token

    def push(self, token, payload, kind="alert", attempts=1, pause=1.0, **headers):
        """One push, tried so often after an answer of 500 and more, `pause` seconds apart and by the same id. Header names
        are written with `_`. Returns status and reason."""
        suffix = ".push-type.liveactivity" if kind == "liveactivity" else ""
        fields = {"apns-topic": TOPIC + suffix, "apns-push-type": kind, "apns-priority": "10", "apns-id": str(uuid.uuid4())}
        fields |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
        fields = {name: value for name, value in fields.items() if value != "None"}
        for attempt in range(attempts):
            if attempt:
                time.sleep(pause)
            with self.lock:
                fields["authorization"] = "bearer " + self.provider_token()
                url = f"{os.environ['APNS_URL']}/3/device/{token}"
                answer = self.client.post(url, headers=fields, content=json.dumps(payload))
            if answer.status_code < 500:
                break
        return answer.status_code, answer.json().get("reason") if answer.content else None
