"""Runs the image as it describes itself, then the services of compose.yaml, with buildah and without a container engine.

usage: image.py IMAGE COMPOSE BUILDAH…

BUILDAH is the command with its options. Wants root, ruamel.yaml, and a network namespace of its own: the ports are the usual ones.
Prints what was seen; exits with 1 at the first thing that is not as it should be.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from ruamel.yaml import YAML

IMAGE, COMPOSE, BUILDAH = sys.argv[1], sys.argv[2], sys.argv[3:]
containers, started = [], []


def buildah(*words):
    done = subprocess.run([*BUILDAH, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"buildah {words[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


def container():
    # The names that a container engine would know services by.
    containers.append(buildah("from", "--add-host", "mock:127.0.0.1", "--add-host", "relay:127.0.0.1", IMAGE))
    return containers[-1]


def command_in(name, state, words):
    return [*BUILDAH, "run", "--isolation", "chroot", "--network", "host", "--volume", f"{state}:/state", name, "--", *words]


def ask(name, state, words):
    done = subprocess.run(command_in(name, state, words), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def start(name, state, words):
    log = tempfile.TemporaryFile("w+")
    # In a namespace of processes, so that all of it ends with the first.
    process = subprocess.Popen(["unshare", "--mount", "--mount-proc", "--pid", "--fork", "--kill-child", *command_in(name, state, words)],
                               stdout=log, stderr=log)
    started.append(process)
    return process, log


def end(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
    started.remove(process)


def until(seconds, what, holds, log=None):
    limit = time.monotonic() + seconds
    while not (seen := holds()):
        if time.monotonic() > limit:
            if log:
                log.seek(0)
            sys.exit(f"{what}: not within {seconds} s; {log.read()[-500:] if log else ''}")
        time.sleep(0.2)
    return seen


def state_folder(user):
    folder = tempfile.mkdtemp()
    os.chown(folder, int(user), int(user))
    return folder


def call(url, token=None, body=None):
    head = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    asked = urllib.request.Request(url, data=json.dumps(body).encode() if body else None, headers=head)
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return answer.read()


def run_image():
    described = json.loads(buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
    user = described["User"]
    if not user.isdigit() or user == "0":
        sys.exit(f"the image runs as '{user}'")
    ports = {int(port.split("/")[0]) for port in described["ExposedPorts"]}
    if ports != {2197, 2198, 2190}:
        sys.exit(f"the image exposes {ports}")
    health = described["Healthcheck"]["Test"]
    if health[0] != "CMD":
        sys.exit(f"the health check is {health}")
    name, state = container(), state_folder(user)
    if ask(name, state, health[1:])[0] == 0:
        sys.exit("the health check is content where no mock is up")
    # Another verb behind the image's name, in its own folder.
    code, said = ask(name, state, described["Entrypoint"] + ["run", "smoke", "--dry-run"])
    if code:
        sys.exit(f"run smoke --dry-run in the image: {said[-300:]}")
    process, log = start(name, state, described["Entrypoint"] + described["Cmd"])
    began = time.monotonic()
    until(15, "health check", lambda: ask(name, state, health[1:])[0] == 0, log)
    seconds = time.monotonic() - began
    owner = os.stat(f"{state}/mock.json").st_uid
    if owner != int(user):
        sys.exit(f"the mock runs as {owner}")
    heard = json.loads(pathlib.Path(f"{state}/mock.json").read_text())
    if not heard["apns"].endswith(":2197") or not heard["fcm"].endswith(":2198") or not heard["admin"].endswith(":2190"):
        sys.exit(f"the mock listens at {heard}")
    end(process)
    until(5, "health check after the end", lambda: ask(name, state, health[1:])[0] != 0)
    return user, f"user {user}, healthy after {seconds:.1f} s, unhealthy before and after"


def run_services(user):
    services = YAML(typ="safe").load(pathlib.Path(COMPOSE))["services"]
    mock, relay = services["mock"], services["relay"]
    if relay["depends_on"]["mock"]["condition"] != "service_healthy":
        sys.exit("the relay does not wait until the mock is healthy")
    state = state_folder(user)
    first = container()
    start(first, state, ["pushrig", *mock["command"]])
    health = mock["healthcheck"]["test"][1:]
    until(15, "mock of compose.yaml", lambda: ask(first, state, health)[0] == 0)
    # compose makes $ of $$.
    entry = relay["entrypoint"] + [word.replace("$$", "$") for word in relay["command"]]
    _, log = start(container(), state, entry)

    def answers():
        try:
            return call("http://127.0.0.1:8787/health")
        except OSError:
            return None

    until(15, "relay of compose.yaml", answers, log)
    # One phone, one event: its push reaches the mock by TLS, and so the relay trusts the mock's authority.
    token = "ab" * 32
    call("http://127.0.0.1:8787/v1/device/register", body={
        "secret": "compose-check-secret", "deviceToken": token, "bundleId": "com.example.app", "apnsEnv": "production"})
    call("http://127.0.0.1:8787/v1/event", body={
        "secret": "compose-check-secret", "serverID": "one", "eventType": "complete", "sessionID": "one", "title": "T", "body": "B",
        "contentState": {"status": "complete", "sessionTitle": "T", "lastMessage": "B", "retryInfo": None}})
    heard = json.loads(pathlib.Path(f"{state}/mock.json").read_text())
    port = heard["admin"].rpartition(":")[2]

    def pushes():
        said = call(f"http://127.0.0.1:{port}/v1/pushes?token={token}&wait=5s", heard.get("adminToken"))
        return [push for push in json.loads(said)["pushes"] if push["status"] == 200]

    found = until(15, "a push of the relay", pushes, log)
    return f"relay of compose.yaml: {len(found)} push at the mock"


try:
    user, seen = run_image()
    print(seen + "; " + run_services(user))
finally:
    for process in list(started):
        end(process)
    for name in containers:
        subprocess.run([*BUILDAH, "rm", name], capture_output=True)
