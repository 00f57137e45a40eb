"""A push relay for alerts: apps post /devices, servers post /events. Needs httpx with h2, and PyJWT with cryptography."""
import json, os, sqlite3, threading, time, uuid, httpx, jwt
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

env, lock = os.environ, threading.Lock()
rows = sqlite3.connect(env["STORAGE"], check_same_thread=False, isolation_level=None)
rows.execute("create table if not exists devices (token primary key, user)")
claims, key = {"iss": env["APNS_TEAM_ID"], "iat": int(time.time())}, open(env["APNS_KEY_FILE"]).read()
fields = {"apns-topic": env["APNS_TOPIC"], "apns-push-type": "alert",
          "authorization": "bearer " + jwt.encode(claims, key, "ES256", {"kid": env["APNS_KEY_ID"]})}
apns = httpx.Client(http2=True, verify=env["APNS_CA_FILE"], base_url=env["APNS_URL"], headers=fields)

class Relay(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with lock:
            if self.path == "/devices":
                rows.execute("replace into devices values (?, ?)", [call["token"], call["user"]])
            else:
                for token, in rows.execute("select token from devices where user = ?", [call["user"]]).fetchall():
                    answer = apns.post("/3/device/" + token, headers={"apns-id": str(uuid.uuid4())}, json={"aps": {"alert": call["text"]}})
                    if answer.status_code == 410 or "BadDeviceToken" in answer.text:
                        print("gone:", token)
        self.do_GET()

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", int(env["PORT"])), Relay).serve_forever()
