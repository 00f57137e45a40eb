"""A relay that gives access tokens by OAuth2's client credentials, keeps its devices in a PostgreSQL of its own, and tells over a
WebSocket what it pushes. It sends one alert for each /notify. Python's standard library, httpx for HTTP/2, `openssl` to sign."""

import argparse
import base64
import glob
import hashlib
import json
import os
import pwd
import secrets
import signal
import ssl
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import httpx

options = argparse.ArgumentParser()
for name in ("--listen", "--apns", "--ca", "--key", "--key-id", "--team-id", "--topic"):
    options.add_argument(name, required=True)
options.add_argument("--tls", nargs=2, help="certificate and key")
options.add_argument("--lifetime", type=int, default=2, help="seconds of an access token")
options.add_argument("--keeps-dead", action="store_true", help="a row stays when APNs calls its token dead")
options.add_argument("--deaf", action="store_true", help="any access token will do")
options.add_argument("--mute", action="store_true", help="tells nobody what it pushes")
options = options.parse_args()
CLIENT, SECRET = "rig", os.environ["GRANTED_SECRET"]
# postgresql://rig:password@folder/postgres, the folder's slashes as %2F.
DATABASE = os.environ["GRANTED_DATABASE"]


class Database:
    """A server in a folder of its own, and one psql that writes into it. PostgreSQL does not run as root."""

    def __init__(self):
        folder = unquote(urlsplit(DATABASE).netloc.rpartition("@")[2])
        os.makedirs(folder, exist_ok=True)
        programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        nobody = pwd.getpwnam("nobody")
        self.rights = {}
        if os.getuid() == 0:
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            self.rights = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        password, data = folder + "/password", folder + "/data"
        with open(password, "w") as file:
            file.write(unquote(urlsplit(DATABASE).password) + "\n")
        os.chmod(password, 0o644)
        self.log = open(folder + "/log", "w")
        self.run([programs + "/initdb", "-D", data, "-U", "rig", "--auth=scram-sha-256", "--pwfile=" + password, "--no-sync"])
        os.remove(password)
        self.server = self.spawn([programs + "/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off",
                                  "-c", "unix_socket_permissions=0777"])
        while not self.is_up(programs, folder):
            time.sleep(0.05)
        self.psql = self.spawn([programs + "/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", DATABASE],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()
        self.say("CREATE TABLE devices (token text PRIMARY KEY)")

    def spawn(self, words, **more):
        more = {"stdout": self.log} | more
        return subprocess.Popen(words, stderr=self.log, cwd="/", **self.rights, **more)

    def run(self, words):
        if self.spawn(words).wait() != 0:
            sys.exit("initdb failed")

    def is_up(self, programs, folder):
        return self.spawn([programs + "/pg_isready", "-q", "-h", folder]).wait() == 0

    def say(self, statement):
        """Tokens are hexadecimal, so nothing in a statement is to be quoted."""
        with self.lock:
            self.psql.stdin.write(statement + ";\nSELECT 'done';\n")
            self.psql.stdin.flush()
            if self.psql.stdout.readline() != "done\n":
                sys.exit("the database has failed")


def provider_token():
    def part(raw):
        return base64.urlsafe_b64encode(raw).rstrip(b"=")
    text = part(json.dumps({"alg": "ES256", "kid": options.key_id}).encode()) + b"." + \
        part(json.dumps({"iss": options.team_id, "iat": int(time.time())}).encode())
    sign = ["openssl", "dgst", "-sha256", "-sign", options.key]
    return (text + b"." + part(subprocess.run(sign, input=text, stdout=subprocess.PIPE, check=True).stdout)).decode()


TOKEN = provider_token()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
database = Database()
apns = httpx.Client(http2=True, http1=False, verify=options.ca, timeout=5)
lock, granted, devices, listeners = threading.Lock(), {}, {}, []


def frame(text):
    body = text.encode()
    head = bytes([0x81, len(body)]) if len(body) < 126 else bytes([0x81, 126]) + len(body).to_bytes(2, "big")
    return head + body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.headers.get("upgrade") != "websocket":
            return self.answer(200, {})
        accept = hashlib.sha1((self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        self.send_response(101)
        for name, value in (("upgrade", "websocket"), ("connection", "Upgrade"),
                            ("sec-websocket-accept", base64.b64encode(accept).decode())):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        with lock:
            listeners.append((parse_qs(urlsplit(self.path).query)["user"][0], self.wfile))
        # Until the other end goes; what it says is not read.
        while self.rfile.read(1):
            pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/oauth/token":
            return self.grant(body)
        shown = (self.headers.get("authorization") or "").removeprefix("Bearer ")
        if not options.deaf and granted.get(shown, 0) < time.time():
            return self.answer(401, {"error": "invalid_token", "got": shown})
        call = json.loads(body)
        if self.path == "/register":
            devices[call["user"]] = call["device"]
            database.say(f"INSERT INTO devices VALUES ('{call['device']}') ON CONFLICT DO NOTHING")
            return self.answer(201, {})
        device = devices.get(call["user"])
        if device is not None:
            self.push(call, device)
        self.answer(202, {})

    def grant(self, body):
        pair = base64.b64decode((self.headers.get("authorization") or "").removeprefix("Basic ")).decode()
        client, _, secret = pair.partition(":")
        if parse_qs(body.decode()).get("grant_type") != ["client_credentials"]:
            return self.answer(400, {"error": "unsupported_grant_type"})
        if (unquote(client), unquote(secret)) != (CLIENT, SECRET):
            return self.answer(401, {"error": "invalid_client", "error_description": pair})
        token = secrets.token_hex(16)
        granted[token] = time.time() + options.lifetime
        self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": options.lifetime})

    def push(self, call, device):
        with lock:
            answer = apns.post(f"https://{options.apns}/3/device/{device}", headers={
                "authorization": "bearer " + TOKEN, "apns-topic": options.topic, "apns-push-type": "alert",
                "apns-priority": "10"}, content=json.dumps({"aps": {"alert": {"body": call["text"]}}}).encode())
            if not options.mute:
                for user, out in listeners:
                    if user == call["user"]:
                        out.write(frame(json.dumps({"event": "pushed", "text": call["text"]})))
                        out.flush()
        if answer.status_code == 410 and not options.keeps_dead:
            devices.pop(call["user"], None)
            database.say(f"DELETE FROM devices WHERE token = '{device}'")

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


host, port = options.listen.rsplit(":", 1)
server = ThreadingHTTPServer((host, int(port)), Handler)
server.daemon_threads = True
if options.tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*options.tls)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
try:
    server.serve_forever()
finally:
    # SIGINT is a fast end.
    database.server.send_signal(signal.SIGINT)
    database.server.wait()
