"""Relays that are none, for the tests of `pushrig check`: no case may find them right.

    relay.py --listen HOST:PORT --mode ok|echo|hang|halts|garbage|dies|crowds [--apns HOST:PORT --ca FILE]

`ok` answers 200 to everything and sends nothing, `echo` answers with what it was sent, `hang` never answers a POST, `halts` one of three, and
`garbage` answers 200 and sends APNs a push that nobody asked for, `dies` ends at the third POST, and `crowds` opens six streams
at once on a connection to APNs whose SETTINGS, which allow one, it has acknowledged (P7). GET is answered 200 by all of them, so
that they are ready.
"""

import argparse
import http.server
import os
import socket
import socketserver
import ssl
import threading
import time


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128
    posts = 0


def push_garbage(options):
    import httpx

    with httpx.Client(http2=True, verify=options.ca, timeout=5) as client:
        try:
            client.post("https://%s/3/device/%s" % (options.apns, "ab" * 32), content=b"garbage", headers={"apns-topic": "x"})
        except httpx.HTTPError:
            pass


def crowd(options):
    """No library of HTTP/2 does that by itself, so h2 is told that more is allowed."""
    import h2.connection
    import h2.events
    import h2.settings

    h2.settings.Settings.max_concurrent_streams = property(lambda _: 1000)
    context = ssl.create_default_context(cafile=options.ca)
    context.set_alpn_protocols(["h2"])
    host, port = options.apns.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 5) as plain, context.wrap_socket(plain, server_hostname=host) as channel:
        connection = h2.connection.H2Connection()
        connection.initiate_connection()
        channel.sendall(connection.data_to_send())
        waiting, isKnown = set(), False
        while not isKnown or waiting:
            data = channel.recv(65536)
            if not data:
                return
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RemoteSettingsChanged) and not isKnown:
                    isKnown = True
                    for _ in range(6):
                        stream = connection.get_next_available_stream_id()
                        connection.send_headers(stream, [
                            (":method", "POST"), (":scheme", "https"), (":authority", options.apns),
                            (":path", "/3/device/" + "cd" * 32), ("apns-topic", "x")])
                        waiting.add(stream)
                    # All are open before the first is whole.
                    for stream in sorted(waiting):
                        connection.send_data(stream, b"{}", end_stream=True)
                elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                    waiting.discard(event.stream_id)
            channel.sendall(connection.data_to_send())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b"ok")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        mode = self.server.options.mode
        self.server.posts += 1
        if mode == "dies" and self.server.posts > 2:
            os._exit(3)
        if mode == "hang" or mode == "halts" and self.server.posts % 3 == 0:
            time.sleep(600)
        if mode == "garbage":
            threading.Thread(target=push_garbage, args=(self.server.options,), daemon=True).start()
        if mode == "crowds":
            threading.Thread(target=crowd, args=(self.server.options,), daemon=True).start()
        self.answer(body if mode == "echo" else b"{}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True)
    parser.add_argument("--mode", required=True, choices=["ok", "echo", "hang", "halts", "garbage", "dies", "crowds"])
    parser.add_argument("--apns")
    parser.add_argument("--ca")
    options = parser.parse_args()
    host, port = options.listen.rsplit(":", 1)
    server = Server((host, int(port)), Handler)
    server.options = options
    server.serve_forever()


main()
