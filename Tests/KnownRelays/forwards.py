"""A relay that is faster than the rig: nghttpx, to which each call is the push itself. It adds the sender's provider token and
what all pushes have alike, and forwards over HTTP/2. Beside it answers who asks whether it is up.

Needs nghttpx (Debian: nghttp2-proxy) and what Tests/HonestRelay needs. Nothing lives longer than nghttpx, nor that than this."""

import argparse
import ctypes
import http.server
import os
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../HonestRelay"))
from apns import ProviderToken  # noqa: E402


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


parser = argparse.ArgumentParser()
for name in ("listen", "apns", "ca", "key", "key-id", "team-id", "topic", "workers"):
    parser.add_argument("--" + name, required=True)
options = parser.parse_args()
health = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Health)
threading.Thread(target=health.serve_forever, daemon=True).start()
token = ProviderToken(options.key, options.key_id, options.team_id).current()
with tempfile.NamedTemporaryFile("w", suffix=".conf") as empty:
    child = subprocess.Popen(
        ["nghttpx", "--conf=" + empty.name, "--workers=" + options.workers, "--cacert=" + options.ca,
         "--frontend=%s,%s;no-tls" % tuple(options.listen.rsplit(":", 1)), "--accesslog-file=/dev/null",
         "--backend=127.0.0.1,%d;/health" % health.server_port,
         "--backend=%s,%s;/;proto=h2;tls;sni=localhost" % tuple(options.apns.rsplit("/", 1)[1].rsplit(":", 1)),
         "--no-via", "--no-add-x-forwarded-proto", "--backend-connections-per-host=1",
         "--add-request-header=authorization: bearer " + token, "--add-request-header=apns-topic: " + options.topic,
         "--add-request-header=apns-push-type: alert", "--add-request-header=apns-priority: 10"],
        preexec_fn=die_with_parent)
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
sys.exit(max(0, child.wait()))
