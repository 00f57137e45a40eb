"""A small HTTP/1.1 server for JSON requests, part of the honest relay (see relay.py)."""

import asyncio
import inspect

MOST_HEAD = 16 * 1024
MOST_BODY = 256 * 1024
PHRASES = {200: "OK", 400: "Bad Request", 404: "Not Found", 413: "Payload Too Large", 500: "Internal Server Error"}


class Refused(Exception):
    pass


class HTTPServer(asyncio.Protocol):
    """One connection. Requests on it are answered in turn. `handle(method, path, body)` gives (status, type, bytes),
    or something to await for it."""

    def __init__(self, handle, connections):
        self._handle, self._connections = handle, connections
        self._buffer = bytearray()
        self._busy = False
        self._told_to_continue = False

    def connection_made(self, transport):
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, error):
        self._connections.discard(self)

    def data_received(self, data):
        self._buffer += data
        self._advance()

    def eof_received(self):
        return self._busy       # an answer under way is still written

    def close_when_idle(self):
        if not self._busy:
            self._transport.close()

    def _advance(self):
        while not self._busy and not self._transport.is_closing():
            try:
                request = self._next_request()
            except (Refused, ValueError):
                self._respond(400, "text/plain", b"", keep=False)
                return
            if request is None:
                return
            method, path, body, keep = request
            answer = self._handle(method, path, body)
            if inspect.isawaitable(answer):
                self._busy = True
                asyncio.ensure_future(self._respond_later(answer, keep))
            else:
                self._respond(*answer, keep=keep)

    async def _respond_later(self, answer, keep):
        answer = await answer
        self._busy = False
        self._respond(*answer, keep=keep)
        self._advance()

    def _respond(self, status, kind, body, keep):
        if self._transport.is_closing():
            return
        self._transport.write(
            f"HTTP/1.1 {status} {PHRASES[status]}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
            f"{'' if keep else 'connection: close' + chr(13) + chr(10)}\r\n".encode() + body)
        if not keep:
            self._transport.close()

    def _next_request(self):
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MOST_HEAD:
                raise Refused
            return None
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        method, target, version = lines[0].split(" ")
        fields = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise Refused
            fields[name.lower()] = value.strip()
        if "chunked" in fields.get("transfer-encoding", "").lower():
            found = self._chunks(end + 4)
        else:
            length = fields.get("content-length", "0")
            if not length.isdigit() or int(length) > MOST_BODY:
                raise Refused
            stop = end + 4 + int(length)
            found = (bytes(self._buffer[end + 4:stop]), stop) if len(self._buffer) >= stop else None
        if found is None:
            if fields.get("expect", "").lower() == "100-continue" and not self._told_to_continue:
                self._told_to_continue = True
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        self._told_to_continue = False
        body, stop = found
        del self._buffer[:stop]
        wish = fields.get("connection", "").lower()
        keep = "close" not in wish and (version != "HTTP/1.0" or "keep-alive" in wish)
        return method, target.partition("?")[0], body, keep

    def _chunks(self, at):
        body = b""
        while True:
            line = self._buffer.find(b"\r\n", at)
            if line < 0:
                return None
            size = int(bytes(self._buffer[at:line]).partition(b";")[0], 16)
            if size < 0 or len(body) + size > MOST_BODY:
                raise Refused
            if size == 0:       # trailers are not expected; the empty line ends the body
                return (body, line + 4) if len(self._buffer) >= line + 4 else None
            at = line + 2 + size + 2
            if len(self._buffer) < at:
                return None
            body += self._buffer[line + 2:line + 2 + size]
