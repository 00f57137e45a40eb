#!/usr/bin/env python3
"""Executes deploy/github/relay.yml and the Action for real, by act on this machine, in a scratch repository with the sample relay.

    Tests/Pipeline/execute.py PUSHRIG FOLDER

Red first: the sample forgets no dead token, which has to end with exit code 4, its annotation and its summary. Then one line is
mended, which has to be green. The release that the Action installs is a tarball that is made here. What cannot be had offline is
left out of the workflow: apt-get and the upload; act itself plays the checkout. Needs script/setup --pipeline."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACT = ROOT / ".build/pipeline/bin/act"
BUG = 'print("gone:", token)'
MENDED = 'rows.execute("delete from devices where token = ?", [token])'


def release(pushrig, folder):
    """A release as script/package makes it, as far as the Action is concerned."""
    name = f"pushrig-0.1.0-linux-{os.uname().machine}"
    place = folder / "releases/v0.1.0"
    place.mkdir(parents=True)
    with tarfile.open(place / f"{name}.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(pushrig, f"{name}/bin/pushrig")
    digest = hashlib.sha256((place / f"{name}.tar.gz").read_bytes()).hexdigest()
    (place / "SHA256SUMS").write_text(f"{digest}  {name}.tar.gz\n")
    return place


def scratch(folder, workflow):
    """A repository as the reader of docs/ci.md has it: the sample, and the workflow."""
    place = folder / "repository"
    shutil.copytree(ROOT / "Tests/Pipeline/sample", place)
    shutil.copytree(ROOT / "deploy", place / ".pushrig/deploy")
    shutil.copy(ROOT / "action.yml", place / ".pushrig")
    (place / ".github/workflows").mkdir(parents=True)
    with open(place / ".github/workflows/relay.yml", "w", encoding="utf-8") as file:
        yaml.safe_dump(workflow, file, sort_keys=False)
    git = ["git", "-C", place, "-c", "user.name=check", "-c", "user.email=check@localhost"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "sample"],
                  ["remote", "add", "origin", "https://github.com/owner/name.git"]):
        subprocess.run([*git, *words], check=True)
    return place


def workflow(folder):
    told = yaml.load((ROOT / "deploy/github/relay.yml").read_text(), yaml.BaseLoader)
    job = told["jobs"]["check"]
    steps = [step for step in job["steps"] if "upload-artifact" not in step.get("uses", "") and "apt-get" not in step.get("run", "")]
    action = [step for step in steps if step.get("uses", "").startswith("pushrig/pushrig@")]
    if len(action) != 1:
        sys.exit("deploy/github/relay.yml has no step of the Action")
    action[0]["uses"] = "./.pushrig"
    action[0]["id"] = "pushrig"
    action[0]["with"]["from"] = f"file://{folder}/releases"
    steps.append({"if": "always()", "name": "Outputs", "env": {
        "VERDICT": "${{ steps.pushrig.outputs.verdict }}", "CODE": "${{ steps.pushrig.outputs.exit-code }}",
        "REPORT": "${{ steps.pushrig.outputs.report }}"}, "run": 'echo "outputs: $VERDICT, $CODE, $REPORT"'})
    job["steps"] = steps
    return told


def act(place, folder, event="push", payload=None, file=".github/workflows/relay.yml", token=None):
    home = folder / "home"
    (home / "act").mkdir(parents=True, exist_ok=True)
    (home / "act/actrc").touch()
    words = [ACT, event, "-W", file, "-P", "ubuntu-latest=-self-hosted", "--no-recurse"]
    words += ["-e", payload] if payload else []
    words += ["-s", f"GITHUB_TOKEN={token}"] if token else []
    environment = dict(os.environ, XDG_CONFIG_HOME=str(home), XDG_CACHE_HOME=str(home), HOME=str(home), NO_COLOR="1")
    done = subprocess.run(words, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300)
    return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)


def expect(said, code, wanted, words, unwanted=()):
    lacks = [word for word in words if word not in said] + [f"not {word}" for word in unwanted if word in said]
    if (code == 0) != wanted or lacks:
        print(said[-6000:])
        sys.exit(f"act ended with {code}; missing: {lacks}")


def main():
    pushrig, folder = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    place = release(pushrig, folder)
    repository = scratch(folder, workflow(folder))
    code, said = act(repository, folder)
    (folder / "red.log").write_text(said)
    expect(said, code, False, ["exit status 4", "dead-device-token-dropped is broken", "outputs: conformance broken, 4, pushrig-report",
                               "my-relay: conformance broken"])
    if said.count("dead-device-token-dropped is broken::") != 1:
        sys.exit("the rule is told by more than one annotation")

    relay = repository / "relay.py"
    relay.write_text(relay.read_text().replace(BUG, MENDED))
    if MENDED not in relay.read_text():
        sys.exit("the sample has no line to mend")
    code, said = act(repository, folder)
    (folder / "green.log").write_text(said)
    expect(said, code, True, ["outputs: passed, 0, pushrig-report"], ["::error", "is broken"])

    # A tarball that is not what SHA256SUMS says is refused.
    with open(next(place.glob("*.tar.gz")), "ab") as file:
        file.write(b"x")
    code, said = act(repository, folder)
    expect(said, code, False, ["does not have the digest"])
    print("red with exit code 4 and one annotation, green once mended, a spoilt tarball refused")


if __name__ == "__main__":
    main()
