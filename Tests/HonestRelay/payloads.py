"""The bodies the honest relay (see relay.py) sends to APNs: the ordinary alert, and the Live Activity's start, update
and end with its four-key state."""

import json

LIMIT = 4095
MOST_TITLE, MOST_MESSAGE, MOST_RETRY = 200, 120, 120
CANNED = {"permission": "Waiting for your permission", "complete": "The session is complete",
          "error": "The session has failed", "start": "Working", "progress": "Working"}


def cut(text, most):
    return text if len(text) <= most else text[:most - 1].rstrip() + "…"


def state_of(event):
    """The content state of an event: what the sender gave where it fits, what the event says where it does not."""
    given = event.state
    kind = event.kind
    if kind in ("permission", "complete", "error"):
        status = kind
    else:
        status = given.get("status")
        if status not in ("working", "retry", "permission") or kind == "start" and status == "permission":
            status = "working"

    def text(key, otherwise, most):
        value = given.get(key)
        return cut(value if isinstance(value, str) and value else otherwise, most)

    return {"status": status,
            "sessionTitle": text("sessionTitle", event.title or f"Session {kind}", MOST_TITLE),
            "lastMessage": text("lastMessage", event.body or CANNED[kind], MOST_MESSAGE),
            "retryInfo": text("retryInfo", "Retrying", MOST_RETRY) if status == "retry" else None}


def alert(event):
    texts = {"title": event.title or f"Session {event.kind}", "body": event.body or CANNED[event.kind]}
    rest = {"eventType": event.kind, "sessionID": event.session}
    if event.server:
        rest = {"serverID": event.server, **rest}
    return _fitting(lambda: {"aps": {"alert": texts, "sound": "alert.wav"}, **rest}, [texts])


def start(event, state, timestamp):
    state = dict(state, status="working", retryInfo=None)
    texts = {"title": state["sessionTitle"], "body": state["lastMessage"]}
    return _fitting(lambda: {"aps": {
        "timestamp": timestamp, "event": "start", "content-state": state,
        "attributes-type": "SessionActivityAttributes", "attributes": {"sessionId": event.session},
        "alert": texts, "input-push-token": 1}}, [texts, state])


def change(what, state, timestamp):
    """An update or an end."""
    state = dict(state)
    return _fitting(lambda: {"aps": {"timestamp": timestamp, "event": what, "content-state": state}}, [state])


def _fitting(build, objects):
    """Halves the longest shortenable text until the payload fits: characters may take six bytes when escaped."""
    while True:
        body = json.dumps(build(), ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) <= LIMIT:
            return body
        fields = [(len(json.dumps(each[key], ensure_ascii=False).encode()), n, key) for n, each in enumerate(objects)
                  for key in ("title", "body", "sessionTitle", "lastMessage", "retryInfo") if each.get(key)]
        _, n, key = max(fields)
        objects[n][key] = cut(objects[n][key], max(1, len(objects[n][key]) // 2))
