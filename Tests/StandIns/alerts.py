"""Stand-ins that send alerts. Each class names the bugs that it can have, besides `new-provider-token`, which all can."""

import hashlib
import hmac
import itertools
import json
import re
import threading
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor

from apns import TOPIC, now
from rows import Rows

DEAD = {"BadDeviceToken", "Unregistered"}


class Relay:
    BUG = OTHER = ""

    def __init__(self, apns, bug):
        self.apns, self.bug, self.other = apns, bug == self.BUG, bug == self.OTHER
        self.lock, self.count, self.rows = threading.Lock(), itertools.count(1), Rows()
        for key, item in self.rows.items():
            if key.startswith("later "):
                threading.Thread(target=self.work, args=(key, item)).start()

    def later(self, item):
        """It is sent behind the answer, and is not forgotten if the process ends before."""
        item = {**item, "id": str(uuid.uuid4())}
        key = "later " + item["id"]
        self.rows[key] = item
        threading.Thread(target=self.work, args=(key, item)).start()

    def work(self, key, item):
        self.send(item)
        self.rows.pop(key)


class Gorush(Relay):
    """Stateless. 200 with counts; what fails stands in the log. 500 and more are tried again at once, up to max_retry."""
    BUG, OTHER = "loses-failed-batch", "hides-death"

    def handle(self, method, path, headers, body):
        if path != "/api/push":
            return 404, {}
        notifications = json.loads(body)["notifications"]
        if not 1 <= len(notifications) <= 100:
            return 400, {"code": 400, "message": "number of notifications"}
        with ThreadPoolExecutor(max_workers=16) as workers:
            logs = [log for log in workers.map(self.send, notifications) if log]
        return 200, {"success": "ok", "counts": sum(len(item["tokens"]) for item in notifications), "logs": logs}

    def send(self, item):
        if self.bug and next(self.count) % 3 == 0 or item["platform"] != 1:
            return None
        token, payload = item["tokens"][0], {"aps": {"alert": item.get("alert") or item["message"]}}
        answer = self.apns.push(
            token, payload, attempts=3, pause=0, apns_topic=item["topic"], apns_id=None,
            apns_priority=10 if item["priority"] == "high" else 5, apns_collapse_id=item.get("collapse_id"))
        if answer.status == 200 or self.other:
            return None
        return {"type": "failed-push", "platform": "ios", "token": token, "message": "", "error": answer.reason}


class Mattermost(Relay):
    """The status stands in the body: OK, FAIL, or REMOVE for a token that is dead."""
    BUG, OTHER = "new-provider-token", "removes-on-refusal"

    def handle(self, method, path, headers, body):
        if path != "/api/v1/send_push":
            return 404, {}
        item = json.loads(body)
        if not item.get("server_id") or not item["platform"].startswith("apple"):
            return 200, {"status": "FAIL", "error": "unknown platform or server"}
        payload = {"aps": {"alert": item["message"], "badge": item.get("badge", 0), "mutable-content": 1}}
        payload |= {key: item[key] for key in ("ack_id", "type", "server_id", "channel_id") if key in item}
        answer = self.apns.push(item["device_id"], payload)
        if answer.status == 200:
            return 200, {"status": "OK"}
        dead = answer.reason in DEAD | {"MissingDeviceToken", "DeviceTokenNotForTopic"}
        return 200, {"status": "REMOVE" if dead or self.other else "FAIL", "error": answer.reason}


class Bark(Relay):
    """A key for each device. Any refusal of APNs is answered 500; 410 and BadDeviceToken blank the token."""
    BUG = "keeps-dead-token"

    def handle(self, method, path, headers, body):
        item = json.loads(body)
        if path == "/register":
            self.rows[item["device_key"]] = item["device_token"]
            return 200, {"code": 200, "data": {"key": item["device_key"], "device_key": item["device_key"]}}
        if path != "/push":
            return 404, {}
        token = self.rows.get(item["device_key"])
        if not token:
            return 400, {"code": 400, "message": "no token for this key"}
        payload = {"aps": {"alert": {"title": item.get("title", ""), "body": item["body"]}, "mutable-content": 1}}
        answer = self.apns.push(token, payload)
        if answer.status == 200:
            return 200, {"code": 200, "message": "success"}
        if answer.is_death() and not self.bug:
            self.rows[item["device_key"]] = ""
        return 500, {"code": 500, "message": answer.reason}


class Ntfy(Relay):
    """The upstream half: a server of somebody's own says that a topic has news; phones are told to fetch it. Which phones
    those are is FCM's to know; here the phone says so itself."""
    BUG = "forwards-twice"

    def handle(self, method, path, headers, body):
        topic = path.strip("/").split("/")[0]
        if not re.fullmatch("[0-9a-f]{64}", topic):
            return 400, {"code": 40009, "error": "invalid topic"}
        if path.endswith("/subscribe"):
            self.rows[topic] = self.rows.get(topic, []) + [[body.decode(), now()]]
            return 200, {}
        poll = headers["X-Poll-ID"]
        payload = {"aps": {"alert": {"title": "New message", "body": "New message"}, "mutable-content": 1}}
        payload |= {"event": "poll_request", "poll_id": poll, "topic": topic}
        for phone in self.rows.get(topic, []) * (2 if self.bug else 1):
            if self.apns.push(phone[0], payload, attempts=5).is_death(phone[1]):
                self.rows[topic] = [other for other in self.rows.get(topic, []) if other != phone]
        return 200, {"id": poll, "event": "poll_request", "topic": topic, "poll_id": poll}


class Parse(Relay):
    """Installations in a table, pushes to those that `where` names. The master key stands in a header."""
    BUG = "ignores-where"

    def handle(self, method, path, headers, body):
        if headers["X-Parse-Application-Id"] != "rig":
            return 401, {"error": "unauthorized"}
        item = json.loads(body)
        if path == "/parse/installations":
            self.rows[item["installationId"]] = item["deviceToken"]
            return 201, {"objectId": item["installationId"]}
        if path != "/parse/push" or not headers["X-Parse-Master-Key"]:
            return 403, {"error": "unauthorized: master key is required"}
        wanted = item["where"]["installationId"]
        for installation, token in self.rows.items():
            if self.bug or installation == wanted:
                data = item["data"]
                kind = data.get("pushType", "alert")
                self.apns.push(token, {"aps": data["aps"]}, kind, attempts=5, apns_collapse_id=data.get("collapseId"))
        return 200, {"result": True}


class Sygnal(Relay):
    """A Matrix push gateway, with `convert_device_token_to_hex: false`: the pushkey is the token as hex digits."""
    BUG, OTHER = "cuts-text", "rejects-on-refusal"

    def handle(self, method, path, headers, body):
        if path != "/_matrix/push/v1/notify":
            return 404, {}
        item = json.loads(body)["notification"]
        rejected = []
        for device in item["devices"]:
            if device["app_id"] != TOPIC:
                rejected.append(device["pushkey"])
                continue
            text = item["content"]["body"][:20 if self.bug else None]
            payload = {"aps": {"alert": {"loc-key": "MSG_FROM_USER", "loc-args": [item["sender_display_name"], text]},
                               "badge": item["counts"]["unread"]}, "room_id": item["room_id"], "event_id": item["event_id"]}
            priority = 5 if item.get("prio") == "low" else 10
            answer = self.apns.push(device["pushkey"], payload, apns_priority=priority)
            if answer.status == 429 or answer.status >= 500:
                time.sleep(1)
                # By an id of its own, as the real one does.
                answer = self.apns.push(device["pushkey"], payload, apns_priority=priority)
            is_refused = self.other and 400 <= answer.status < 500
            if answer.reason in DEAD | {"DeviceTokenNotForTopic", "TopicDisallowed"} or is_refused:
                rejected.append(device["pushkey"])
            elif answer.status != 200:
                return 502, {}
        return 200, {"rejected": rejected}


class Expo(Relay):
    """Up to 100 messages in an array, a ticket for each, which says nothing of the sending. `ExponentPushToken[…]` holds the device token here."""
    BUG = "retries-at-once"

    def handle(self, method, path, headers, body):
        if path != "/--/api/v2/push/send":
            return 404, {}
        messages = json.loads(body)
        messages = messages if isinstance(messages, list) else [messages]
        if not 1 <= len(messages) <= 100:
            return 400, {"errors": [{"code": "PUSH_TOO_MANY_NOTIFICATIONS"}]}
        tickets = []
        for message in messages:
            token = re.fullmatch(r"ExponentPushToken\[(.+)\]", message["to"])
            if not token:
                tickets.append({"status": "error", "details": {"error": "DeviceNotRegistered"}})
                continue
            self.later({"token": token[1], "title": message["title"], "body": message["body"], "data": message.get("data", {})})
            tickets.append({"status": "ok", "id": f"ticket-{next(self.count)}"})
        return 200, {"data": tickets}

    def send(self, item):
        payload = {"aps": {"alert": {"title": item["title"], "body": item["body"]}}, "body": item["data"]}
        tries = {"attempts": 6, "pause": 0.01} if self.bug else {"attempts": 6}
        self.apns.push(item["token"], payload, apns_id=item["id"], **tries)


class Sockudo(Relay):
    """Devices are registered, publishes are taken on with an id and sent afterwards; the same idempotency key is taken on once.
    Calls are signed in the query, as Pusher's are."""
    BUG, OTHER = "ignores-idempotency-key", "keeps-dead-token"
    APP, KEY, SECRET = "rig", "rig-key", b"for-tests-only"

    def signed(self, method, path, fields, body):
        if fields.get("auth_key") != self.KEY or abs(time.time() - int(fields.get("auth_timestamp", 0))) > 600:
            return False
        if body and fields.get("body_md5") != hashlib.md5(body).hexdigest():
            return False
        query = "&".join(f"{name.lower()}={value}" for name, value in sorted(fields.items()) if name != "auth_signature")
        wanted = hmac.new(self.SECRET, f"{method}\n{path}\n{query}".encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted, fields.get("auth_signature", ""))

    def handle(self, method, path, headers, body):
        path, _, query = path.partition("?")
        if not self.signed(method, path, dict(urllib.parse.parse_qsl(query)), body):
            return 401, {"error": "signature"}
        item, call = json.loads(body), path.removeprefix(f"/apps/{self.APP}/push")
        if call == "/deviceRegistrations":
            self.rows[item["id"]] = [item["push"]["recipient"]["deviceToken"], now()]
            return 201, {"id": item["id"]}
        if call == "/publish":
            key = headers["X-Idempotency-Key"]
            with self.lock:
                known = self.rows.get("publish " + key)
                if known and not self.bug:
                    return 202, {"publishId": known}
                number = self.rows["publish " + key] = f"publish-{next(self.count)}"
            self.publish(item)
            return 202, {"publishId": number}
        if call == "/batch/publish":
            items = item["items"]
            if not 1 <= len(items) <= 100:
                return 400, {"error": "number of items"}
            for one in items:
                self.publish(one)
            return 202, {"items": [{"publishId": f"publish-{next(self.count)}"} for _ in items]}
        return 404, {}

    def publish(self, item):
        if self.rows.get(item["recipient"]["deviceId"]):
            self.later(item)

    def send(self, item):
        device, note = item["recipient"]["deviceId"], item["notification"]
        phone = self.rows.get(device)
        if not phone:
            return
        alert = {"title": note["title"], "body": note["body"]}
        answer = self.apns.push(phone[0], {"aps": {"alert": alert}}, attempts=8, apns_id=item["id"])
        if answer.is_death(phone[1]) and self.rows.get(device) == phone and not self.other:
            self.rows.pop(device)


class Reloads(Relay):
    """Widgets and controls: a change reloads what shows it, all widgets of the app, or one control, or both."""
    BUG, OTHER = "reloads-all-controls", "keeps-dead-token"
    SHOWS = {"lamp": ["widgets"], "door": ["widgets", "door"], "bell": ["bell"]}

    def handle(self, method, path, headers, body):
        item = json.loads(body)
        user = item["user"]
        if path == "/devices/forget":
            self.rows.pop(user)
            return 200, {}
        if path == "/devices":
            known, asked = self.rows.get(user, {}), {"widgets": item["widgets"], **item.get("controls", {})}
            for name, token in asked.items():
                if not re.fullmatch("[0-9a-f]{64,200}", token):
                    return 400, {"error": name}
            self.rows[user] = known | {name: [token, now()] for name, token in asked.items()}
            return 200, {}
        if path != "/values":
            return 404, {}
        known = self.rows.get(user)
        if not known:
            return 404, {"error": "nobody"}
        if item["name"] not in self.SHOWS:
            return 400, {"error": "name"}
        shows = self.SHOWS[item["name"]]
        if self.bug and shows != ["widgets"]:
            shows = ["widgets", "door", "bell"]
        for name in shows:
            if name in known:
                self.later({"user": user, "name": name})
        return 200, {}

    def send(self, item):
        kind, tried = "widgets" if item["name"] == "widgets" else "controls", None
        for _ in range(6):
            # Who has signed out meanwhile is told nothing more, and a new token has a push of its own.
            target = self.rows.get(item["user"], {}).get(item["name"])
            if not target:
                return
            if tried not in (None, target):
                item = {**item, "id": str(uuid.uuid4())}
            tried = target
            answer = self.apns.push(
                target[0], {"aps": {"content-changed": True}}, kind=kind, apns_id=item["id"],
                wanted=lambda: self.rows.get(item["user"], {}).get(item["name"]) == target)
            if answer.reason == "unwanted":
                continue
            if answer.status not in (0, 429) and answer.status < 500:
                break
            time.sleep(10)
        if answer.is_death(target[1]) and not self.other:
            with self.lock:
                known = self.rows.get(item["user"], {})
                if known.get(item["name"]) == target:
                    known.pop(item["name"])
                    self.rows[item["user"]] = known


DIALECTS = {"gorush": Gorush, "mattermost": Mattermost, "bark": Bark, "ntfy": Ntfy, "parse": Parse, "sygnal": Sygnal, "expo": Expo,
            "sockudo": Sockudo, "reloads": Reloads}
