"""What the honest relay (see relay.py) does with the answers of APNs: repeat, move to the other environment, prune."""

import asyncio
import collections
import random
import time
import uuid

from apns import TOKEN_REFUSED, Lost, Unprocessed, log

TOPIC_SUFFIX = ".push-type.liveactivity"
PATIENCE = (1, 2, 4, 8)                         # seconds between the tries of a push that APNs put off
PATIENCE_AT_THE_END = PATIENCE + (30, 120, 600)     # a card that is never ended stands for hours
RESENDS_UNPROCESSED = 6
BAD_TOKENS_IN_A_ROW = 10                        # more look like a wrong environment, not like dead phones

# kind: which token it is, and so where it is stored: device, start or activity.
Push = collections.namedtuple("Push", "kind token env topic priority expiration body")
# dead: the token was forgotten. unknown: nobody knows whether APNs accepted the push.
Outcome = collections.namedtuple("Outcome", "ok error env dead unknown")


class Courier:
    def __init__(self, production, sandbox, store):
        self._hosts = {"production": production, "sandbox": sandbox or production}
        self._two = sandbox is not None
        self._store = store
        self._not_before = {}       # per device token: when it may be tried again after 429
        self._bad_in_a_row = 0

    async def deliver(self, push, obsolete=lambda: False, first_answer=lambda: None, patience=PATIENCE):
        """Ends with the push accepted, refused for good, made obsolete by a newer one, or given up."""
        try:
            return await self._deliver(push, obsolete, first_answer, patience)
        finally:
            first_answer()

    async def _deliver(self, push, obsolete, first_answer, patience):
        apns_id = str(uuid.uuid4())     # the same on every try
        env, waits = push.env, iter(patience)
        switched = resigned = resent = False
        bad_at_home = False
        unprocessed = 0
        error, as_of = "", self._store.now()
        while True:
            waited = await self._wait_for(push.token)
            if (waited or error) and obsolete():
                return Outcome(False, error or "obsolete", None, False, resent)
            try:
                reply = await self._hosts[env].push(
                    push.token, push.topic if push.kind == "device" else push.topic + TOPIC_SUFFIX,
                    "alert" if push.kind == "device" else "liveactivity", push.priority, push.expiration, apns_id,
                    push.body)
            except Unprocessed as cause:
                error, unprocessed = str(cause), unprocessed + 1
                if unprocessed <= RESENDS_UNPROCESSED:
                    await asyncio.sleep(0 if unprocessed == 1 else 0.1 * 2 ** unprocessed)
                    continue
                if await self._pause(waits):
                    continue
                return Outcome(False, error, None, False, False)
            except Lost as cause:
                error = str(cause)
                if not resent:
                    resent = True
                    continue
                return Outcome(False, error, None, False, True)
            first_answer()
            if reply.status == 200:
                self._bad_in_a_row = 0
                if env != push.env:
                    self._store.remember_env(push.kind, push.token, env)
                return Outcome(True, None, env, False, False)

            error = f"{reply.status} {reply.reason}"
            wrong_env = reply.reason in ("BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken")
            bad_token = reply.reason == "BadDeviceToken"
            bad_at_home = bad_at_home or bad_token and not switched
            if reply.reason in TOKEN_REFUSED and not resigned:      # the host has a new one by now
                resigned = True
                continue
            if (wrong_env or bad_token) and self._two and not switched:
                switched = True
                env = "sandbox" if env == "production" else "production"
                continue
            if reply.status == 429 or reply.status >= 500:
                token = push.token if reply.reason == "TooManyRequests" else None
                if await self._pause(waits, token):
                    continue
                return Outcome(False, error, None, False, False)
            # Where our key may not push at all, nobody has looked at the token: that alone condemns none.
            dead = self._judge(push, reply, error, bad_at_home and (bad_token or wrong_env), as_of)
            return Outcome(False, error, None, dead, False)

    def _judge(self, push, reply, error, bad_everywhere, as_of):
        """Whether the token is dead, and if so forgets it. Never for a fault of ours: topic, payload, key, path."""
        where = f"{push.kind} token …{push.token[-6:]}, topic {push.topic}"
        if reply.status == 410:
            if isinstance(reply.timestamp, (int, float)):       # milliseconds
                as_of = min(as_of, int(reply.timestamp))
        elif reply.reason == "DeviceTokenNotForTopic":
            log(f"{error}: {where}: the app or this relay has the wrong bundle identifier; the token is dropped")
        elif bad_everywhere:
            self._bad_in_a_row += 1
            if self._bad_in_a_row > BAD_TOKENS_IN_A_ROW:
                log(f"{error}: {self._bad_in_a_row} in a row: is this the right environment? Tokens are kept")
                return False
        else:
            log(f"{error}: {where}")
            return False
        return self._store.prune(push.kind, push.token, as_of) > 0

    async def _pause(self, waits, token=None):
        """False when patience is at its end."""
        wait = next(waits, None)
        if wait is None:
            return False
        wait *= random.uniform(0.9, 1.2)
        if token:
            self._not_before[token] = max(self._not_before.get(token, 0), time.monotonic() + wait)
        else:
            await asyncio.sleep(wait)
        return True

    async def _wait_for(self, token):
        waited = token in self._not_before
        while token in self._not_before:
            wait = self._not_before[token] - time.monotonic()
            if wait <= 0:
                del self._not_before[token]
            else:
                await asyncio.sleep(wait)
        return waited
