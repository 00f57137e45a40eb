"""Whether a run in shards came to what the run in one piece did: compare.py ONE/run.json ALL/run.json.

Counts and verdicts must be equal. Histograms must have the same counts, and percentiles that differ by a microsecond at most:
while a clock stands, each instant is noted a nanosecond behind the one before, in whatever order threads come to it."""

import json
import sys

one, every = (json.load(open(path)) for path in sys.argv[1:3])
wrong = []


def same(name, a, b):
    if a != b:
        wrong.append(f"{name}: {a} in one piece, {b} in shards")


def near(name, a, b):
    for key in a:
        if key == "count":
            same(f"{name} {key}", a[key], b[key])
        elif key.endswith("Nanoseconds") and abs(a[key] - b[key]) > 1_000 + a[key] // 1_000:
            wrong.append(f"{name} {key}: {a[key]} in one piece, {b[key]} in shards")


same("exit", one["exit"], every["exit"])
same("plan", one["planDigest"], every["planDigest"])
verdicts = [{rule["id"]: (rule["verdict"], rule["standing"]) for rule in run["verdicts"]} for run in (one, every)]
same("verdicts", *verdicts)
same("gates", *[[(gate["text"], gate["passed"]) for gate in run["gates"]] for run in (one, every)])
for name in ("sessions", "planned", "sent", "answered", "failed", "dropped"):
    same(f"load {name}", one["load"][name], every["load"][name])
a, b = one["correlation"], every["correlation"]
for name in (
    "expected events sent answered taken dropped failed pushes peakSessions totals classes excuses withheld throttled reasons "
    "outcomes lastState".split()
):
    same(name, a[name], b[name])
for name in ("delivery", "answer", "answerUncorrected", "lateness"):
    near(name, a[name], b[name])
for kind in a["deliveryByKind"]:
    near(f"delivery {kind}", a["deliveryByKind"][kind], b["deliveryByKind"][kind])
print("\n".join(wrong) or f"the same: {a['events']} events, {a['pushes']} pushes, {len(verdicts[0])} rules, exit {one['exit']['code']}")
sys.exit(1 if wrong else 0)
