#!/usr/bin/env python3
"""Runs `pushrig run` or `pushrig check` as the inputs of the action say, and keeps its exit code for report.py.

    PUSHRIG_COMMAND=check PUSHRIG_TARGET=pushrig/relay.yaml deploy/action/run.py

Inputs come by the environment: PUSHRIG_COMMAND (run or check), PUSHRIG_TARGET, PUSHRIG_ARGS (words as a shell reads them),
PUSHRIG_GATES and PUSHRIG_KNOWN_FAILING (one a line), PUSHRIG_STRICT (true or false), PUSHRIG_OUT. Nothing of them is read by a
shell. Outputs `report` and `exit-code` go to GITHUB_OUTPUT. Ends with 0 whatever the verdict: report.py ends with the verdict's code.
Needs python3 and pushrig in PATH."""

import os
import shlex
import subprocess
import sys


def lines(name):
    return [line.strip() for line in os.environ.get(name, "").splitlines() if line.strip()]


def command(environment):
    verb = environment.get("PUSHRIG_COMMAND") or "check"
    if verb not in ("run", "check"):
        sys.exit(f"pushrig action: command is run or check, not '{verb}'")
    target = environment.get("PUSHRIG_TARGET")
    if not target:
        sys.exit("pushrig action: target is missing: a scenario, or a profile")
    gates = lines("PUSHRIG_GATES")
    if gates and verb == "check":
        sys.exit("pushrig action: gates are for command run; check has none")
    # What stands behind -- is the command of the relay.
    words = shlex.split(environment.get("PUSHRIG_ARGS", ""))
    place = words.index("--") if "--" in words else len(words)
    options = ["--quiet", "--out", environment.get("PUSHRIG_OUT") or "pushrig-report"]
    options += [word for gate in gates for word in ("--gate", gate)]
    options += [word for rule in lines("PUSHRIG_KNOWN_FAILING") for word in ("--known-failing", rule)]
    options += ["--strict"] if environment.get("PUSHRIG_STRICT") == "true" else []
    return ["pushrig", verb, target, *words[:place], *options, *words[place:]]


def main():
    out = os.environ.get("PUSHRIG_OUT") or "pushrig-report"
    words = command(os.environ)
    print(shlex.join(words), flush=True)
    # report.py writes the annotations: at most ten of a kind, one a rule.
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    try:
        code = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL).returncode
    except FileNotFoundError:
        sys.exit("pushrig action: there is no pushrig in PATH")
    code = code if code >= 0 else 128 - code
    if os.environ.get("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(f"exit-code={code}\nreport={out}\n")


if __name__ == "__main__":
    main()
