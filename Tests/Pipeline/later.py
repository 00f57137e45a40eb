#!/usr/bin/env python3
"""Executes deploy/github/relay-comment.yml by act for real, as after a pull request from a fork, against a fake GitHub.

    Tests/Pipeline/later.py PUSHRIG FOLDER RED GREEN

RED is the run of the pull request, GREEN that of the default branch. Needs script/setup --pipeline."""

import json
import pathlib
import sys

import yaml

from execute import ROOT, act, expect, release, scratch
from github import GitHub, TOKEN, packed


def workflow(folder, api):
    told = yaml.load((ROOT / "deploy/github/relay-comment.yml").read_text(), yaml.BaseLoader)
    # Its figures are read as text here, and act needs none.
    del told["concurrency"]
    (job,) = told["jobs"].values()
    del job["timeout-minutes"]
    (step,) = job["steps"]
    if not step["uses"].startswith("pushrig/pushrig/deploy/comment@"):
        sys.exit("deploy/github/relay-comment.yml has no step of the Action")
    step["uses"] = "./.pushrig/deploy/comment"
    step["with"] |= {"api": api, "token": TOKEN, "from": f"file://{folder}/releases"}
    # For act alone: it finds an action of the repository behind a checkout only.
    job["steps"].insert(0, {"uses": "actions/checkout@v5"})
    return told


def main():
    pushrig, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    red, green = (pathlib.Path(word).resolve() for word in sys.argv[3:5])
    folder.mkdir(parents=True)
    hub = GitHub()
    hub.pulls = [{"number": 7, "head": {"sha": "a" * 40, "label": "stranger:mend"}}]
    hub.runs, hub.artifacts = [{"id": 5, "branch": "main"}], {4: packed(red), 5: packed(green)}
    release(pushrig, folder)
    repository = scratch(folder, workflow(folder, hub.url))
    payload = folder / "event.json"
    payload.write_text(json.dumps({
        "repository": {"default_branch": "main", "full_name": "owner/name", "name": "name", "owner": {"login": "owner"}},
        "workflow_run": {"id": 4, "event": "pull_request", "head_sha": "a" * 40, "head_branch": "mend", "html_url": "https://example.org/4",
                         "head_repository": {"full_name": "stranger/name", "owner": {"login": "stranger"}}}}))
    for turn in ("made a comment", "is up to date"):
        code, said = act(repository, folder, "workflow_run", payload)
        expect(said, code, True, [turn])
    if len(hub.comments) != 1 or "a must is newly broken" not in hub.comments[0]["body"]:
        sys.exit(f"red: {hub.comments}")
    print("the workflow for forks makes one comment, and keeps it up to date")


if __name__ == "__main__":
    main()
