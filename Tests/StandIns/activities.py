"""Stand-ins that send live activities. Each class names the one bug that it can have."""

import json
import time

from alerts import Relay


class PushGo(Relay):
    """Many tokens for a key, a collapse id of the key, the end taken down a minute later."""
    BUG = "keeps-old-token"

    def handle(self, method, path, headers, body):
        if not (headers["Authorization"] or "").startswith("Bearer "):
            return 401, {"error": "unauthorized"}
        item = json.loads(body)
        key = item["activity_key"]
        with self.lock:
            tokens = self.rows.setdefault(key, [])
            if path == "/v1/activity/register":
                if item["platform"] != "ios" or item["schema_version"] != 1 or len(item["token"]) > 512:
                    return 400, {"error": "platform, schema_version or token"}
                replaces = item.get("replaces")
                if replaces in tokens and not self.bug:
                    tokens.remove(replaces)
                if item["token"] not in tokens:
                    tokens.append(item["token"])
                return 200, {"registered": True}
            if path == "/v1/activity/unregister":
                gone = [token for token in tokens if item.get("token") in (None, token)]
                self.rows[key] = [token for token in tokens if token not in gone]
                return 200, {"deleted": len(gone)}
            targets = list(tokens)
            if path == "/event/close":
                del self.rows[key]
        if path not in ("/event/update", "/event/close"):
            return 404, {}
        now = int(time.time())
        aps = {"timestamp": now, "event": "update" if path == "/event/update" else "end", "content-state": item["state"]}
        if aps["event"] == "end":
            aps["dismissal-date"] = now + 60
        for token in targets:
            status, reason = self.apns.push(token, {"aps": aps}, "liveactivity", apns_collapse_id=key)
            if status == 410 or reason == "BadDeviceToken":
                with self.lock:
                    self.rows[key] = [other for other in self.rows.get(key, []) if other != token]
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
            self.apns.push(token[1], {"aps": {"alert": {"title": item.get("title", ""), "body": item["message"]}}},
                           apns_collapse_id=data.get("tag"))
            return answer
        now = time.time()
        state = {"message": item["message"]} | {key: data[key] for key in self.KEYS if key in data}
        aps = {"timestamp": int(now * 1000) if self.bug else int(now), "event": data["event"], "content-state": state}
        if data["event"] == "start":
            aps |= {"attributes-type": "HALiveActivityAttributes",
                    "attributes": {"tag": data["tag"], "title": item["title"], "started_at": now},
                    "alert": {"title": item["title"], "body": item["message"]}, "input-push-token": 1}
        if data["event"] == "end":
            aps["dismissal-date"] = int(data.get("dismissal_date", now))
        self.apns.push(activity, {"aps": aps}, "liveactivity", apns_priority=5 if data.get("silent") else 10,
                       apns_collapse_id=data["tag"] if data["event"] == "start" else None)
        return answer


DIALECTS = {"pushgo": PushGo, "home-assistant": HomeAssistant}
