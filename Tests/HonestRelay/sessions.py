"""Coding sessions and their cards, part of the honest relay (see relay.py): who gets a start, what is throttled, what
waits for a token, and when a card is over.

A card is one Live Activity on one phone. Its pushes go out one after another, so the newest state is the last to
arrive. Registrations name no phone: with one phone a new token replaces the old one; with several it goes to the
phone whose start waits longest for one, else it is one more card, and APNs tells in time which tokens are dead."""

import asyncio
import collections
import json
import time

import payloads
from delivery import PATIENCE, PATIENCE_AT_THE_END, Push

FINAL = ("complete", "error")
LIFETIME = 8 * 3600 - 60        # iOS ends an activity after eight hours
GOODBYE_OWED = 600              # how long an unregistration may follow the end it belongs to
STAMPED_AHEAD = 10              # seconds: more states than one process stamps in a second
ROTATION_GRACE = 5              # an unregistration this soon after a replacement belongs to what was replaced
START_AGAIN_AFTER = 30          # seconds after a start that was refused for no fault of the token
MARGIN = 0.02

Event = collections.namedtuple("Event", "secret kind session server title body state")


class Item:
    """A state on its way to one card."""

    def __init__(self, what, state, urgent, gate=None):
        self.what, self.state, self.urgent, self.gate = what, state, urgent, gate
        self.done = asyncio.get_running_loop().create_future()

    def finish(self):
        if not self.done.done():
            self.done.set_result(None)


class Card:
    def __init__(self, session, device, topic, env, created):
        self.session, self.device, self.topic, self.env, self.created = session, device, topic, env, created
        self.token = None               # none until the phone registers the activity
        self.start_token = None
        self.dead = self.gone = self.busy = False
        self.queue = collections.deque()    # what bypasses the throttle
        self.held = None                    # the newest state that waits: for the window, or for the token
        self.opens = session.windows.get(device, 0) if device else 0
        self.replaced_at = -ROTATION_GRACE
        self._timer = None
        self._last = (0, None)          # timestamp and content of the newest push

    # What comes in

    def begin(self, event, device, gate):
        """The start push. The state shown first is 'working'; any other waits for the update token."""
        state = payloads.state_of(event)
        self.start_token = device["push_to_start_token"]
        if state["status"] != "working":
            self.held = Item("update", state, event.kind == "permission")
        self._save_start()
        self.busy = True
        return self.session.hub.spawn(self._start(event, state, gate))

    def put(self, item):
        """Gives what a patient caller may wait for."""
        if self.dead:
            # The newest state is the next token's, should the phone register one before the session is over.
            item.finish()
            self.held = item if item.what != "end" else None
            return None
        if self.held:
            self.held.finish()
            self.held = None
        if item.urgent and self.token:
            self.queue.append(item)
        else:
            self.held = item
        if not self.token:
            self._save_start()
            return None
        self.kick()
        return item.done if item is not self.held else None

    def registered(self, token):
        """A first or a rotated token. What waited for it goes out now."""
        store, session = self.session.hub.store, self.session
        if self.token and self.token != token:
            store.drop_activity(*session.key, self.token)
            self.replaced_at = time.monotonic()
        if not self.token:
            store.drop_start(*session.key, self.device)
        self.token, self.dead = token, False
        store.save_activity(*session.key, token, self.device, self.topic, self.env, self.created)
        if self.held and self.held.urgent:
            self.queue.append(self.held)
            self.held = None
        self.kick()

    def over(self):
        """The phone has said goodbye, or the card was replaced. An end that was accepted still goes out."""
        store = self.session.hub.store
        if self.token:
            store.drop_activity(*self.session.key, self.token)
        else:
            store.drop_start(*self.session.key, self.device)
        self.gone = True
        for item in list(self.queue) + [self.held]:
            if item and (item.what != "end" or not self.token):
                item.finish()
        self.queue = collections.deque(item for item in self.queue if item.what == "end")
        self.held = None

    def let_go(self):
        """The phone has said goodbye to a card whose end is accepted: of what waits only that end still goes out."""
        for item in list(self.queue) + [self.held]:
            if item and item.what != "end":
                item.finish()
        self.queue = collections.deque(item for item in self.queue if item.what == "end")
        self.held = self.held if self.ending else None

    @property
    def ending(self):
        return bool(self.held and self.held.what == "end")

    @property
    def idle(self):
        return not self.busy and not self.queue and (not self.held or not self.token or self.dead)

    # What goes out

    def kick(self, now=False):
        if self.busy or not self.token or self.dead:
            return
        if self.queue:
            item = self.queue.popleft()
        elif self.held:
            wait = self.opens - time.monotonic()
            if wait > 0 and not now:
                if not self._timer:
                    self._timer = asyncio.get_running_loop().call_later(wait, self._window_opens)
                return
            item, self.held = self.held, None
        else:
            return
        self.busy = True
        self.session.hub.spawn(self._send(item))

    def _window_opens(self):
        self._timer = None
        self.kick()

    async def _start(self, event, state, gate):
        hub = self.session.hub
        if gate:
            await gate
        now = int(time.time())
        self._last = (now, None)
        push = Push("start", self.start_token, self.env, self.topic, 10, now + 3600,
                    payloads.start(event, state, now))
        outcome = await hub.courier.deliver(push, lambda: self.gone or self.ending)
        self.busy = False
        if outcome.ok:
            self.env = outcome.env
        elif not outcome.unknown and not self.token and not self.gone:
            self.session.not_started(self)
        self.kick()

    async def _send(self, item):
        hub, key = self.session.hub, self.session.key
        if item.gate:
            await item.gate
        timestamp = int(time.time())
        content = (item.what, item.state)
        timestamp = max(timestamp, self._last[0] + (content != self._last[1]))
        self._last = (timestamp, content)
        end = item.what == "end"
        body = payloads.change(item.what, item.state, timestamp)
        while end or not self.gone:
            token = self.token

            def obsolete():
                return self.token != token or not end and bool(self.gone or self.queue or self.held)

            outcome = await hub.courier.deliver(
                Push("activity", token, self.env, self.topic, 10 if item.urgent else 5,
                     timestamp + (4 * 3600 if end else 3600), body),
                obsolete, patience=PATIENCE_AT_THE_END if end else PATIENCE)
            if outcome.ok:
                self.env = outcome.env
            elif self.token != token and (end or not (self.queue or self.held)):
                continue        # the token was replaced under way, and nothing newer follows
            elif outcome.dead and self.token == token:
                self._die(item)
            if end and (outcome.ok or outcome.dead):
                hub.store.drop_activity(*key, token)
            break
        if not item.urgent:
            self.opens = time.monotonic() + hub.throttle + MARGIN
            self.session.windows[self.device] = self.opens
        item.finish()
        self.busy = False
        self.kick()

    def _die(self, item):
        """The user or the system has taken the card away, or its token was replaced and the app has yet to say so. It is
        not started again; the newest state waits for a token."""
        self.dead = True
        waiting = [item] + list(self.queue) + ([self.held] if self.held else [])
        for each in waiting:
            each.finish()
        self.queue.clear()
        self.held = waiting[-1] if all(each.what != "end" for each in waiting) else None

    def _save_start(self):
        held = self.held and json.dumps([self.held.what, self.held.state, self.held.urgent])
        self.session.hub.store.save_start(*self.session.key, self.device, self.start_token, self.created, held)


class Session:
    def __init__(self, hub, secret, session):
        self.hub, self.key = hub, (secret, session)
        self.touched = time.monotonic()
        self.cards, self.windows = [], {}
        self.ended_tokens = collections.deque(maxlen=8)
        self.goodbyes = collections.deque(maxlen=8)     # ended cards whose unregistration is still to come
        self.last_complete = (-60.0, None)              # when, and its answer
        self._not_before = {}
        self.phase = hub.store.phase(*self.key) or "open"       # or ended, or dismissed
        envs = {row["device_token"]: row for row in hub.store.devices(secret)}
        for row in hub.store.activities(*self.key):
            card = Card(self, row["device_token"], row["bundle_id"], row["apns_env"], row["created_at"])
            card.token = row["activity_token"]
            # The process before may have stamped several states of one second, each a second ahead of the other.
            card._last = (int(time.time()) + STAMPED_AHEAD, None)
            self.cards.append(card)
        for row in hub.store.starts(*self.key):
            device = envs.get(row["device_token"])
            card = Card(self, row["device_token"], device["bundle_id"] if device else hub.topic,
                        device["apns_env"] if device else "production", row["started_at"])
            card.start_token = row["start_token"]
            if row["held"]:
                card.held = Item(*json.loads(row["held"]))
            self.cards.append(card)

    def apply(self, event, devices, gate):
        """Takes an event to the cards. Gives what a patient caller may wait for."""
        if event.kind == "start" and self.phase == "ended":
            for card in self.cards:         # one that never got its token is the past's
                if not card.token:
                    self.hub.store.drop_start(*self.key, card.device)
            self.cards = [card for card in self.cards if card.token]
            self._enter("open")
        if self.phase == "ended":
            return []       # the end is final: nothing follows it
        state = payloads.state_of(event)
        if event.kind in FINAL:
            return self._finish(state, gate)
        urgent = event.kind == "permission"
        waits = [card.put(Item("update", state, urgent, gate)) for card in self.cards]
        if self.phase == "open":
            for device in self._without_card(devices):
                card = Card(self, device["device_token"], device["bundle_id"], device["apns_env"],
                            self.hub.store.now())
                self.cards.append(card)
                waits.append(card.begin(event, device, gate))
        return [each for each in waits if each]

    def _finish(self, state, gate):
        waits = [card.put(Item("end", state, True, gate)) for card in self.cards]
        for card in self.cards:
            if card.token:
                self._released(card)
        self.cards = [card for card in self.cards if not card.token]
        if self.phase == "open":
            self._enter("ended")
        return [each for each in waits if each]

    def register(self, token, topic, devices, hint):
        if token in self.ended_tokens:
            return          # a slow or repeated request of an activity that is over
        card = next((each for each in self.cards if each.token == token), None) or self._card_for(devices, hint)
        if topic:
            card.topic = topic
        ending = card.ending
        card.registered(token)
        if ending:
            self._released(card)
            self.cards.remove(card)
        elif self.phase != "open":
            self._enter("open")     # the app asks for pushes again

    def unregister(self, token=None):
        now = time.monotonic()
        if token:
            for card in [each for each in self.cards if each.token == token]:
                card.over()
                self.cards.remove(card)
            return
        while self.goodbyes and now - self.goodbyes[0][0] > GOODBYE_OWED:
            self.goodbyes.popleft()
        if self.goodbyes:
            self.goodbyes.popleft()[1].let_go()
            return          # it belongs to the activity that ended, whatever was registered since
        for card in self.cards:
            if now - card.replaced_at < ROTATION_GRACE:
                card.replaced_at = -ROTATION_GRACE
                return
        for card in self.cards:
            card.over()
        self.cards = []
        if self.phase == "open":
            self._enter("dismissed")

    def time_out(self, token):
        """Eight hours have passed."""
        for card in [each for each in self.cards if each.token == token]:
            _, content = card._last
            title = content[1]["sessionTitle"] if content else "Session"
            state = {"status": "error", "sessionTitle": title, "lastMessage": "Timed out after 8 hours",
                     "retryInfo": None}
            card.put(Item("end", state, True))
            self._released(card)
            self.cards.remove(card)
            self._enter("ended")

    def not_started(self, card):
        if card in self.cards:
            self.cards.remove(card)
        card.over()
        self._not_before[card.device] = time.monotonic() + START_AGAIN_AFTER

    @property
    def idle(self):
        return all(card.idle for card in self.cards)

    def _released(self, card):
        self.ended_tokens.append(card.token)
        self.goodbyes.append((time.monotonic(), card))

    def _enter(self, phase):
        self.phase = phase
        self.hub.store.save_phase(*self.key, phase)

    def _without_card(self, devices):
        """The phones to start a card on. Cards of unknown phones are taken to be those of the phones without one."""
        started = {card.start_token for card in self.cards}
        owners = {card.device for card in self.cards}
        lacking = [each for each in devices if each["device_token"] not in owners]
        able = [each for each in lacking if each["push_to_start_token"]]
        unknown = len(owners - {each["device_token"] for each in devices})
        unknown += sum(not card.device for card in self.cards) - ("" in owners)
        unknown = max(0, unknown - (len(lacking) - len(able)))
        now = time.monotonic()
        return [each for each in able[unknown:] if each["push_to_start_token"] not in started
                and self._not_before.get(each["device_token"], 0) <= now]

    def _card_for(self, devices, hint):
        def new(device):
            env = next((each["apns_env"] for each in devices if each["device_token"] == device), None)
            topic = next((each["bundle_id"] for each in devices if each["device_token"] == device), None)
            env = env or (devices[0]["apns_env"] if devices else "production")
            card = Card(self, device, topic or self.hub.topic, env, self.hub.store.now())
            self.cards.append(card)
            return card

        if hint:
            return next((card for card in self.cards if card.device == hint), None) or new(hint)
        if len(devices) <= 1:
            for card in self.cards[1:]:
                card.over()
            del self.cards[1:]
            return self.cards[0] if self.cards else new(devices[0]["device_token"] if devices else "")
        for card in self.cards:
            if card.dead or not card.token:
                return card
        if len(self.cards) >= 2 * len(devices):
            self.cards.pop(0).over()
        return new("")


class Sessions:
    """All of them, and what they share. One that has been quiet is forgotten here and read again from storage."""

    def __init__(self, courier, store, throttle, topic, spawn):
        self.courier, self.store, self.throttle, self.topic, self.spawn = courier, store, throttle, topic, spawn
        self._known = {}

    def get(self, secret, session):
        found = self._known.get((secret, session))
        if not found:
            found = self._known[secret, session] = Session(self, secret, session)
        found.touched = time.monotonic()
        return found

    def flush(self):
        """What the throttle holds goes out at once: the relay is about to end."""
        for session in self._known.values():
            for card in session.cards:
                card.kick(now=True)

    def sweep(self):
        before = int((time.time() - LIFETIME) * 1000)
        for row in self.store.old_activities(before):
            self.get(row["secret_hash"], row["session_id"]).time_out(row["activity_token"])
        self.store.forget_before(before - 24 * 3600 * 1000)
        quiet = time.monotonic() - 900
        self._known = {key: each for key, each in self._known.items() if each.touched > quiet or not each.idle}
