#!/usr/bin/env python3
"""Gets from GitHub what a comment needs, where the job that ran pushrig could not comment itself (a pull request from a fork).

    deploy/action/fetch.py number EVENT_FILE           the pull request of a workflow_run event, asked of GitHub, never of the artefact
    deploy/action/fetch.py report RUN_ID DIR           the report that this run of a workflow uploaded
    deploy/action/fetch.py base WORKFLOW BRANCH DIR    the report of the branch's last finished run; nothing where there is none

GITHUB_TOKEN (actions: read, pull-requests: read), GITHUB_REPOSITORY; GITHUB_API_URL; ARTIFACT names the artefact (default
pushrig-report). Only the files that comment.py reads are unpacked, and none of more than 64 MiB. Needs python3."""

import io
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile

API = os.environ.get("GITHUB_API_URL") or "https://api.github.com"
WANTED = ("run.json", "check.json", "summary.md")
MOST = 64 << 20


def ask(path):
    request = urllib.request.Request(f"{API}/repos/{os.environ['GITHUB_REPOSITORY']}{path}", headers={
        "accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"})
    # Artefacts lie with another host, to which the request is led on: the token is not for that one.
    request.add_unredirected_header("authorization", "Bearer " + os.environ["GITHUB_TOKEN"])
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read(MOST)
    except urllib.error.HTTPError as error:
        sys.exit(f"pushrig comment: GitHub answered {path.split('?')[0]} with {error.code}")
    except OSError as error:
        sys.exit(f"pushrig comment: {API} does not answer: {error}")


def number(event_file):
    with open(event_file, encoding="utf-8") as file:
        run = json.load(file)["workflow_run"]
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    pulls = json.loads(ask("/pulls?" + urllib.parse.urlencode({"state": "open", "head": head, "per_page": 100})))
    same = [pull["number"] for pull in pulls if pull["head"]["sha"] == run["head_sha"]]
    if not same:
        sys.exit(f"pushrig comment: no open pull request has {run['head_sha'][:12]} of {head} as its newest commit")
    return same[0]


def report(run, folder):
    name = os.environ.get("ARTIFACT") or "pushrig-report"
    found = json.loads(ask(f"/actions/runs/{int(run)}/artifacts?" + urllib.parse.urlencode({"name": name})))["artifacts"]
    if not found:
        return False
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(ask(f"/actions/artifacts/{int(found[0]['id'])}/zip"))) as archive:
        for item in archive.infolist():
            if item.filename in WANTED and item.file_size <= MOST:
                with open(os.path.join(folder, item.filename), "wb") as file:
                    file.write(archive.read(item))
    return True


def base(workflow, branch, folder):
    question = urllib.parse.urlencode({"branch": branch, "event": "push", "status": "completed", "per_page": 1})
    runs = json.loads(ask(f"/actions/workflows/{urllib.parse.quote(workflow, safe='')}/runs?{question}"))["workflow_runs"]
    return bool(runs) and report(runs[0]["id"], folder)


def main():
    match sys.argv[1:]:
        case ["number", event]:
            print(number(event))
        case ["report", run, folder]:
            if not report(run, folder):
                sys.exit("pushrig comment: that run uploaded no report")
        case ["base", workflow, branch, folder]:
            if not base(workflow, branch, folder):
                print("pushrig comment: the base has no report, so nothing is compared")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
