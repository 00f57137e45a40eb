"""A mock of its own, and a provider that pushes to it over HTTP/2."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request

import httpx
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils


def url_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Mock:
    def __init__(self, *arguments, admin="127.0.0.1:0"):
        self.folder = tempfile.mkdtemp(prefix="pushrig-page-mock-")
        self.process = subprocess.Popen(
            [os.environ.get("PUSHRIG", "pushrig"), "mock", "--state", self.folder, "--apns", "127.0.0.1:0", "--admin", admin,
             *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the mock does not start")
        self.ready = json.loads(line)
        self.admin = self.ready["admin"]
        self.topic = self.ready["topics"][0]
        self.offset = 0
        self.client = httpx.Client(http2=True, http1=False, verify=self.ready["ca"], timeout=30)

    def ask(self, path, method="GET", content=None):
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.admin + path, body, {"content-type": "application/json"}, method=method)
        if self.ready.get("adminToken"):
            request.add_header("authorization", "Bearer " + self.ready["adminToken"])
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def now(self):
        """The seconds of the mock's clock, as it was when it was last read."""
        return int(time.time() + self.offset)

    def read_clock(self):
        self.offset = self.ask("/v1/clock")["offsetMilliseconds"] / 1000

    def provider_token(self):
        """Signed anew each time the mock's clock has moved by half an hour."""
        now = self.now()
        if abs(now - getattr(self, "signed_at", 0)) > 1500:
            with open(self.ready["apnsKey"], "rb") as file:
                key = serialization.load_pem_private_key(file.read(), None)
            head = url_base64(json.dumps({"alg": "ES256", "kid": self.ready["keyId"]}).encode())
            body = url_base64(json.dumps({"iss": self.ready["teamId"], "iat": now}).encode())
            r, s = utils.decode_dss_signature(key.sign(head + b"." + body, ec.ECDSA(hashes.SHA256())))
            self.signature = (head + b"." + body + b"." + url_base64(r.to_bytes(32) + s.to_bytes(32))).decode()
            self.signed_at = now
        return self.signature

    def request(self, token, aps, activity=True):
        fields = {"authorization": "bearer " + self.provider_token(), "apns-priority": "10",
                  "apns-topic": self.topic + (".push-type.liveactivity" if activity else ""),
                  "apns-push-type": "liveactivity" if activity else "alert"}
        address = f"https://localhost:{self.ready['apns'].rsplit(':', 1)[1]}/3/device/{token}"
        return {"url": address, "content": json.dumps({"aps": aps}), "headers": fields}

    def push(self, token, aps, activity=True):
        return self.client.post(**self.request(token, aps, activity)).status_code

    def aps(self, state, event="update", **more):
        return {"timestamp": self.now(), "event": event, "content-state": state, **more}

    def update(self, token, state, event="update", **more):
        return self.push(token, self.aps(state, event, **more))

    def update_each(self, tokens, state):
        """One content for many tokens, as fast as h2load sends it."""
        request = self.request("", self.aps(state))
        body, addresses = self.folder + "/body.json", self.folder + "/addresses"
        with open(body, "w") as file:
            file.write(request["content"])
        with open(addresses, "w") as file:
            file.writelines(request["url"] + token + "\n" for token in tokens)
        fields = [part for name, value in request["headers"].items() for part in ("-H", f"{name}: {value}")]
        said = subprocess.run(["h2load", "-n", str(len(tokens)), "-c", "1", "-m", "50", "-d", body, "-i", addresses, *fields],
                              capture_output=True, text=True, timeout=120).stdout
        if f"status codes: {len(tokens)} 2xx" not in said:
            raise AssertionError(said)

    def close(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)
