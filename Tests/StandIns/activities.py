"""Stand-ins that send live activities."""

import json
import time

from alerts import Relay
from apns import now


class PushGo(Relay):
    """Many tokens for a key, a collapse id of the key, the end taken down a minute later."""
    BUG = "keeps-old-token"

    def handle(self, method, path, headers, body):
        if not (headers["Authorization"] or "").startswith("Bearer "):
            return 401, {"error": "unauthorized"}
        item = json.loads(body)
        key = item["activity_key"]
        with self.lock:
            tokens = self.rows.get(key, [])
            if path == "/v1/activity/register":
                if item["platform"] != "ios" or item["schema_version"] != 1 or len(item["token"]) > 512:
                    return 400, {"error": "platform, schema_version or token"}
                replaces = item.get("replaces")
                gone = {item["token"], None if self.bug else replaces}
                tokens = [row for row in tokens if row[0] not in gone] + [[item["token"], now()]]
                self.rows[key] = tokens
                return 200, {"registered": True}
            if path == "/v1/activity/unregister":
                gone = [row for row in tokens if item.get("token") in (None, row[0])]
                self.rows[key] = [row for row in tokens if row not in gone]
                return 200, {"deleted": len(gone)}
            targets = list(tokens)
            if path == "/event/close":
                self.rows.pop(key)
        if path not in ("/event/update", "/event/close"):
            return 404, {}
        instant = int(time.time())
        aps = {"timestamp": instant, "event": "update" if path == "/event/update" else "end", "content-state": item["state"]}
        if aps["event"] == "end":
            aps["dismissal-date"] = instant + 60
        for row in targets:
            answer = self.apns.push(row[0], {"aps": aps}, "liveactivity", attempts=5, apns_collapse_id=key)
            if answer.is_death(row[1]):
                with self.lock:
                    self.rows[key] = [other for other in self.rows.get(key, []) if other != row]
        return 200, {"queued": len(targets)}


class HomeAssistant(Relay):
    """What APNs gets by FCM's hand: alerts to the phone, and live activities by the token that the call names."""
    BUG = "milliseconds"
    KEYS = ("message", "progress", "progress_max", "icon", "color", "critical_text")

    def handle(self, method, path, headers, body):
        item = json.loads(body)
        token = item["push_token"].split(":")
        if len(token) != 2:
            return 403, {"errorType": "InvalidToken", "errorMessage": "the token is not valid"}
        answer = 201, {"messageId": str(next(self.count)), "target": item["push_token"], "rateLimits": {"remaining": 499}}
        activity, data = item.get("live_activity_token"), item.get("data", {})
        if not activity:
            self.apns.push(token[1], {"aps": {"alert": {"title": item.get("title", ""), "body": item["message"]}}}, attempts=5,
                           apns_collapse_id=data.get("tag"))
            return answer
        instant = time.time()
        state = {"message": item["message"]} | {key: data[key] for key in self.KEYS if key in data}
        aps = {"timestamp": int(instant * 1000) if self.bug else int(instant), "event": data["event"], "content-state": state}
        if data["event"] == "start":
            aps |= {"attributes-type": "HALiveActivityAttributes",
                    "attributes": {"tag": data["tag"], "title": item["title"], "started_at": instant},
                    "alert": {"title": item["title"], "body": item["message"]}, "input-push-token": 1}
        if data["event"] == "end":
            aps["dismissal-date"] = int(data.get("dismissal_date", instant))
        self.apns.push(activity, {"aps": aps}, "liveactivity", attempts=5, apns_priority=5 if data.get("silent") else 10,
                       apns_collapse_id=data["tag"] if data["event"] == "start" else None)
        return answer


class Scores(Relay):
    """A channel for each match, and a broadcast for each goal. What a card shows stands with the match."""
    BUG, OTHER = "loses-goals", "mixes-channels"

    def handle(self, method, path, headers, body):
        item = json.loads(body)
        if path == "/matches":
            channel = self.apns.create_channel()
            with self.lock:
                self.rows[item["match"]] = channel
                self.newest = channel
            return 201, {"channel": channel}
        channel = self.rows.get(item["match"])
        if path not in ("/goals", "/final") or not channel:
            return 404, {}
        if self.bug and path == "/goals" and next(self.count) % 3 == 0:
            return 200, {}
        aps = {"timestamp": int(time.time()), "event": "update" if path == "/goals" else "end",
               "content-state": {"text": item["text"], "home": item["home"]}}
        answer = self.apns.broadcast(self.newest if self.other else channel, {"aps": aps})
        return (200, {}) if answer.status == 200 else (502, {"error": answer.reason})


DIALECTS = {"pushgo": PushGo, "home-assistant": HomeAssistant, "scores": Scores}
