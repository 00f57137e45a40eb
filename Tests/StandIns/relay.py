"""Stand-ins for relays of others, written from what is known of their contracts and reactions, not from their source.

    relay.py DIALECT HOST:PORT|unix:PATH [--bug NAME] [--tls CERTIFICATE KEY] [--client-ca FILE] [--http2]

They show that a profile of Scenarios/relays speaks to such a relay, and that a run convicts one with a bug. What they do not
show is that the real relay behaves so: run it (docs/relays-of-others.md). APNS_URL and its like tell them where APNs is."""

import argparse
import json
import os
import socket
import sqlite3
import ssl
import sys
import traceback
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn

import httpx

import activities
import alerts
import http2
from apns import APNs

DIALECTS = {**alerts.DIALECTS, **activities.DIALECTS}
options = argparse.ArgumentParser()
options.add_argument("dialect", choices=sorted(DIALECTS))
options.add_argument("listen")
options.add_argument("--bug", default="")
options.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
options.add_argument("--client-ca", help="whoever calls shows a certificate of that authority")
options.add_argument("--http2", action="store_true", help="and nothing else")
options = options.parse_args()
bugs = {"", DIALECTS[options.dialect].BUG, DIALECTS[options.dialect].OTHER, "new-provider-token"}
if options.bug not in bugs:
    sys.exit(f"{options.dialect} has the bugs {', '.join(sorted(bugs - {''}))}, and no {options.bug}")
relay = DIALECTS[options.dialect](APNs(options.bug), options.bug)


# What a value of another kind than the contract has makes of these few lines.
MALFORMED = (
    AttributeError, LookupError, RecursionError, TypeError, ValueError, httpx.InvalidURL, sqlite3.ProgrammingError)


def respond(method, path, headers, body):
    try:
        status, value = (200, {"status": "ok"}) if method == "GET" else relay.handle(method, path, headers, body)
    except MALFORMED as mistake:
        status, value = 400, {"error": repr(mistake)}
    except Exception:
        traceback.print_exc()
        status, value = 500, {"error": "see the log"}
    return status, json.dumps(value).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, answer = respond(self.command, self.path, self.headers, body)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_PUT = do_DELETE = do_POST

    def log_message(self, *words):
        pass


class Server(ThreadingMixIn, TCPServer):
    daemon_threads = allow_reuse_address = True
    request_queue_size = 128

    def get_request(self):
        connection, address = super().get_request()
        return connection, address or ("", 0)


def wrap(listening):
    """The handshake is made when the first byte is read, in the connection's own thread."""
    if not options.tls:
        return listening
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*options.tls)
    context.set_alpn_protocols(["h2" if options.http2 else "http/1.1"])
    if options.client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(options.client_ca)
    return context.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)


if options.listen.startswith("unix:"):
    Server.address_family, address = socket.AF_UNIX, options.listen[5:]
    if os.path.exists(address):
        os.unlink(address)
else:
    host, port = options.listen.rsplit(":", 1)
    address = (host, int(port))
if options.http2:
    http2.serve(Server, address, respond, wrap)
else:
    server = Server(address, Handler)
    server.socket = wrap(server.socket)
    server.serve_forever()
