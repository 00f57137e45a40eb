"""Stand-ins for relays of others, written from what is known of their contracts and reactions, not from their source.

    relay.py DIALECT HOST:PORT [--bug NAME]

They show that a profile of Scenarios/relays speaks to such a relay, and that a run convicts one with a bug. What they do not
show is that the real relay behaves so: run it (docs/relays-of-others.md). APNS_URL and its like tell them where APNs is."""

import argparse
import json
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import activities
import alerts
from apns import APNs

DIALECTS = {**alerts.DIALECTS, **activities.DIALECTS}
options = argparse.ArgumentParser()
options.add_argument("dialect", choices=sorted(DIALECTS))
options.add_argument("listen")
options.add_argument("--bug", default="")
options = options.parse_args()
if options.bug not in {"", DIALECTS[options.dialect].BUG}:
    sys.exit(f"{options.dialect} has the bug {DIALECTS[options.dialect].BUG}, and no {options.bug}")
relay = DIALECTS[options.dialect](APNs(options.bug), options.bug)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, {"status": "ok"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            status, value = relay.handle(self.command, self.path, self.headers, body)
        except (KeyError, IndexError, TypeError, ValueError) as mistake:
            status, value = 400, {"error": repr(mistake)}
        except Exception:
            traceback.print_exc()
            status, value = 500, {"error": "see the log"}
        self.answer(status, value)

    do_PUT = do_DELETE = do_POST

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


host, port = options.listen.rsplit(":", 1)
Server((host, int(port)), Handler).serve_forever()
