#!/usr/bin/env python3
"""A relay whose card carries a session while it lives; else a banner does. With --silent it is broken: when its card has died it
says nothing more. Needs httpx with h2."""
import asyncio, base64, json, os, ssl, sys, time, uuid
import httpx
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
E = os.environ
key = serialization.load_pem_private_key(open(E["APNS_KEY"], "rb").read(), None)
b64 = lambda d: base64.urlsafe_b64encode(d).rstrip(b"=")
head = b64(json.dumps({"alg": "ES256", "kid": E["APNS_KEY_ID"]}).encode()) + b"." + b64(json.dumps({"iss": E["APNS_TEAM_ID"], "iat": int(time.time())}).encode())
BEARER = "bearer " + (head + b"." + b64(key.sign(head, ec.ECDSA(hashes.SHA256())))).decode()
apns = httpx.AsyncClient(http2=True, verify=ssl.create_default_context(cafile=E["APNS_CA"]), timeout=5)
SILENT = "--silent" in sys.argv
phones, cards = {}, {}
async def push(token, kind, aps):
    topic = E["APNS_TOPIC"] + (".push-type.liveactivity" if kind == "liveactivity" else "")
    r = await apns.post(f"https://{E['APNS']}/3/device/{token}", content=json.dumps({"aps": aps}), headers={
        "authorization": BEARER, "apns-topic": topic, "apns-push-type": kind, "apns-priority": "5" if kind == "liveactivity" else "10", "apns-id": str(uuid.uuid4())})
    return r.status_code
async def handle(path, b):
    if path == "/phone": phones[b["user"]] = b["token"]
    elif path == "/card": cards[(b["user"], b["session"])] = b["token"]
    elif path == "/say":
        k = (b["user"], b["session"])
        if k in cards:
            if await push(cards[k], "liveactivity", {"timestamp": int(time.time()), "event": "update", "content-state": {"text": b["text"]}}) == 410 and not SILENT: del cards[k]
        elif b["user"] in phones: await push(phones[b["user"]], "alert", {"alert": {"title": "Bot", "body": b["text"]}})
async def serve(reader, writer):
    try:
        while line := await reader.readline():
            path, length = line.split()[1].decode(), 0
            while (h := await reader.readline()).strip():
                if h.lower().startswith(b"content-length:"): length = int(h.split(b":")[1])
            body = await reader.readexactly(length)
            if body: await handle(path, json.loads(body))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"); await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError): pass
async def main():
    host, port = E["RELAY_LISTEN"].rsplit(":", 1)
    async with await asyncio.start_server(serve, host, int(port)) as s: await s.serve_forever()
asyncio.run(main())
