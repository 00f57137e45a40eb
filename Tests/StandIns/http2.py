"""A server of HTTP/2 with prior knowledge, or by ALPN over TLS, for relay.py: a thread for each connection. h2 does the framing."""

import socketserver
from email.message import Message

import h2.config
import h2.connection
import h2.events


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        self.request.sendall(connection.data_to_send())
        heads, bodies = {}, {}
        while data := self.request.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    heads[event.stream_id], bodies[event.stream_id] = event.headers, b""
                elif isinstance(event, h2.events.DataReceived):
                    bodies[event.stream_id] += event.data
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    head, fields = dict(heads.pop(event.stream_id)), Message()
                    for name, value in head.items():
                        if not name.startswith(":"):
                            fields[name] = value
                    status, answer = self.server.respond(head[":method"], head[":path"], fields, bodies.pop(event.stream_id))
                    connection.send_headers(event.stream_id, [
                        (":status", str(status)), ("content-type", "application/json"), ("content-length", str(len(answer)))])
                    connection.send_data(event.stream_id, answer, end_stream=True)
            self.request.sendall(connection.data_to_send())


def serve(server_class, address, respond, wrap):
    """`respond(method, path, headers, body)` gives status and bytes."""
    server = server_class(address, Handler)
    server.respond, server.socket = respond, wrap(server.socket)
    server.serve_forever()
