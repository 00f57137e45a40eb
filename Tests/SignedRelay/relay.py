"""A relay unlike the reference: forms instead of JSON, a signature over each call, and a ticket that it gives out itself.
It sends one alert for each /notify. Python's standard library, httpx for HTTP/2, and `openssl` for the provider token."""

import argparse
import base64
import hashlib
import hmac
import itertools
import json
import os
import secrets
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import httpx

options = argparse.ArgumentParser()
for name in ("--listen", "--apns", "--ca", "--key", "--key-id", "--team-id", "--topic"):
    options.add_argument(name, required=True)
options.add_argument("--drop", type=int, default=0, help="every so many alerts are lost")
options.add_argument("--lax", action="store_true", help="any signature will do")
options = options.parse_args()
SECRET = os.environb[b"SIGNED_RELAY_KEY"]
tickets, count = {}, itertools.count(1)
apns = httpx.Client(http2=True, http1=False, verify=options.ca, timeout=5)
lock = threading.Lock()


def provider_token():
    def part(raw):
        return base64.urlsafe_b64encode(raw).rstrip(b"=")
    text = part(json.dumps({"alg": "ES256", "kid": options.key_id}).encode()) + b"." + \
        part(json.dumps({"iss": options.team_id, "iat": int(time.time())}).encode())
    sign = ["openssl", "dgst", "-sha256", "-sign", options.key]
    return (text + b"." + part(subprocess.run(sign, input=text, stdout=subprocess.PIPE, check=True).stdout)).decode()


TOKEN = provider_token()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        stamp = self.headers.get("x-timestamp") or "0"
        wanted = hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        if not options.lax and not hmac.compare_digest("sha256=" + wanted, self.headers.get("x-signature") or ""):
            return self.answer(401, {"error": "wrong signature", "got": self.headers.get("x-signature")})
        if abs(time.time() - int(stamp)) > 60:
            return self.answer(401, {"error": "too old"})
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
        if self.path == "/register":
            ticket = secrets.token_hex(16)
            tickets[ticket] = form["device"]
            return self.answer(201, {"ticket": ticket})
        device = tickets.get(self.headers.get("x-ticket"))
        if device is None:
            return self.answer(403, {"error": "no such ticket", "got": self.headers.get("x-ticket")})
        number = next(count)
        if options.drop == 0 or number % options.drop:
            with lock:
                apns.post(f"https://{options.apns}/3/device/{device}", headers={
                    "authorization": "bearer " + TOKEN, "apns-topic": options.topic, "apns-push-type": "alert",
                    "apns-priority": "10"}, content=json.dumps({"aps": {"alert": {
                        "title": form["title"], "body": form["message"]}}}).encode())
        self.answer(202, {})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


host, port = options.listen.rsplit(":", 1)
ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
