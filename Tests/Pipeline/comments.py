#!/usr/bin/env python3
"""Tests the comment, the badge and the annotations against records of real runs, and the posting against a fake GitHub.

    Tests/Pipeline/comments.py PUSHRIG RED GREEN BASE

RED and GREEN are runs of one scenario with a defect and without. BASE is a red check. Needs curl, python3."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from github import GitHub, REPOSITORY, TOKEN, packed  # noqa: E402

ACTION = pathlib.Path(__file__).resolve().parents[2] / "deploy/action"


def run(name, *words, **environment):
    done = subprocess.run([ACTION / name, *map(str, words)], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def hold(truth, words):
    if not truth:
        sys.exit(f"red: {words}")


def text(pushrig, red, green, check):
    code, body, error = run("comment.py", red, "--base", green, "--pushrig", pushrig, "--url", "https://example.org/runs/1")
    hold(code == 0, error)
    for word in ("<!-- pushrig:smoke -->\n### ❌ PushRig, smoke: conformance broken", "**dead-token-dropped** (", "Change: delete the token's row",
                 "**Against the base**", "`pushrig compare`: **a must is newly broken**", "newly broken: `dead-device-token-dropped`", "https://example.org/runs/1"):
        hold(word in body, f"the comment of a red run lacks {word!r}:\n{body}")
    hold(body.count("\n- **") <= 3, "more than three findings")
    code, body, _ = run("comment.py", green)
    hold(code == 0 and "✅" in body and "Nothing is broken" in body and "Against" not in body, body)
    code, body, _ = run("comment.py", check)
    hold("dead-device-token-dropped" in body and "(36 times)" not in body.splitlines()[1], body)
    code, _, error = run("comment.py", "/")
    hold(code == 1 and "Traceback" not in error, "a folder without a record is told in one line")


def stranger(red):
    """A record that a pull request has forged mentions nobody, links nowhere and keeps its marker."""
    with tempfile.TemporaryDirectory() as place:
        record = json.loads((red / "run.json").read_text())
        record["name"] = "x --> <img src=x> @all"
        verdict = next(v for v in record["verdicts"] if v["standing"] == "broken")
        evil = "![x](https://evil.example/x) [click](//evil) <script>1</script> @everyone fixes #1 www.evil.example `a`"
        verdict["findings"][0]["message"] = verdict["advice"] = evil
        record["replayCommand"] = "` @all"
        pathlib.Path(place, "run.json").write_text(json.dumps(record))
        code, body, error = run("comment.py", place, "--url", "javascript:alert(1)")
    hold(code == 0, error)
    # Nobody is mentioned and nothing is linked in words between backticks.
    alive = re.sub(r"(?<!\\)`[^`\n]*`", "", body)
    for form in ("<img", "<script", r"(?<!\\)\]\(", "@[a-z]", "https://", " #1", "www\\.", "javascript:"):
        hold(not re.search(form, alive), f"{form!r} is alive:\n{body}")
    hold(body.splitlines()[0].startswith("<!-- pushrig:") and body.splitlines()[0].count("-->") == 1, body.splitlines()[0])


def badge(red, green):
    code, said, _ = run("badge.py", red)
    told = json.loads(said)
    hold(told == {"schemaVersion": 1, "label": "push relay", "message": "2 rules broken", "color": "red", "isError": True}, said)
    hold(json.loads(run("badge.py", green)[1])["message"] == "passed", "the badge of a green run")
    code, said, _ = run("badge.py", red, "--svg", "--label", "a & b")
    document = xml.dom.minidom.parseString(said)
    hold(document.documentElement.tagName == "svg" and "2 rules broken" in said, said)


def annotations(red):
    """Ten of a kind at most, one a rule; outputs, summary and exit code."""
    with tempfile.TemporaryDirectory() as place:
        record = json.loads((red / "run.json").read_text())
        verdict = next(v for v in record["verdicts"] if v["standing"] == "broken")
        record["verdicts"] = [dict(verdict, id=f"rule-{n}") for n in range(14)] + [
            dict(verdict, id=f"should-{n}", standing="warning", level="should") for n in range(12)]
        record["exit"]["reasons"] = [f"rule-{n} (R1) is broken: 100 %\nreally" for n in range(14)]
        pathlib.Path(place, "run.json").write_text(json.dumps(record))
        pathlib.Path(place, "summary.md").write_text("the summary\n")
        body = run("comment.py", place)[1]
        hold(body.count("\n- **") == 3 and "- and 24 more in the summary" in body, f"not three findings:\n{body}")
        output, summary = pathlib.Path(place, "out"), pathlib.Path(place, "sum")
        code, said, error = run("report.py", place, 4, GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary))
        hold(code == 4, f"exit {code}: {error}")
        hold(said.count("::error ") == 10 and said.count("::warning ") == 10, f"{said.count('::error ')} errors")
        hold(output.read_text() == "verdict=conformance broken\n" and "the summary" in summary.read_text(), output.read_text())
        code, said, _ = run("report.py", place + "/none", 1, GITHUB_STEP_SUMMARY=str(summary))
        hold(code == 1 and "could not run" in said, said)


def posting(red, green):
    hub = GitHub()
    about = {"GITHUB_API_URL": hub.url, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": TOKEN}
    with tempfile.TemporaryDirectory() as place:
        first, second = pathlib.Path(place, "first"), pathlib.Path(place, "second")
        first.write_text(run("comment.py", red)[1])
        second.write_text(run("comment.py", green)[1])
        marker = first.read_text().splitlines()[0]
        # Two full pages of others' comments, one of them a person's who quotes the marker.
        for n in range(205):
            hub.add(marker + "\nmine, says a person" if n == 3 else f"comment {n}")
        code, said, error = run("post-comment.sh", 7, first, **about)
        hold(code == 0 and "made" in said and len(hub.comments) == 206, said + error)
        hub.add("one more")
        code, said, error = run("post-comment.sh", 7, second, **about)
        hold(code == 0 and "up to date" in said and len(hub.comments) == 207, said + error)
        mine = [comment for comment in hub.comments if comment["body"].startswith(marker)]
        hold([comment["user"]["type"] for comment in mine] == ["User", "Bot"] and "passed" in mine[1]["body"], "the bot's own comment is changed")
        hold("says a person" in mine[0]["body"], "the person's comment is as it was")
        # Another scenario has a comment of its own.
        first.write_text(first.read_text().replace("pushrig:smoke", "pushrig:other", 1))
        hold(run("post-comment.sh", 7, first, **about)[0] == 0 and len(hub.comments) == 208, "another marker, another comment")
        hub.may_write = False
        code, said, error = run("post-comment.sh", 7, second, **about)
        hold(code == 1 and "fork" in error and len(error.strip().splitlines()) == 1, f"a 403 is one clear line: {error}")
        # In the Action itself it is a warning, and the verdict counts.
        code, said, error = run("comment.sh", REPORT=str(red), NUMBER="7", **about)
        hold(code == 0 and said.startswith("::warning title=PushRig could not comment::") and "fork" in said, said + error)
        code, said, error = run("post-comment.sh", 7, second, **dict(about, GITHUB_TOKEN="wrong"))
        hold(code == 1 and "401" in error and TOKEN not in error, error)


def later(pushrig, red, green):
    """The second workflow: the number is GitHub's word, never the artefact's; the token goes to no other host."""
    hub = GitHub()
    hub.pulls = [{"number": 7, "head": {"sha": "a" * 40, "label": "stranger:mend"}}]
    hub.runs = [{"id": 5, "branch": "main"}]
    hub.artifacts = {4: packed(red, [("../../evil", "x"), ("run.json/../x", "x")]), 5: packed(green)}
    with tempfile.TemporaryDirectory() as place:
        event = pathlib.Path(place, "event.json")
        run_of = {"id": 4, "head_sha": "a" * 40, "head_branch": "mend", "head_repository": {"owner": {"login": "stranger"}}}
        event.write_text(json.dumps({"workflow_run": run_of}))
        about = {"GITHUB_API_URL": hub.url, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": TOKEN, "GITHUB_EVENT_PATH": str(event), "RUN_ID": "4",
                 "BASE_WORKFLOW": "relay.yml", "BASE_BRANCH": "main", "URL": "https://example.org/runs/4",
                 "PATH": f"{os.path.dirname(pushrig)}:{os.environ['PATH']}"}
        code, said, error = run("comment-later.sh", **about)
        hold(code == 0 and len(hub.comments) == 1, said + error)
        body = hub.comments[0]["body"]
        hold("conformance broken" in body and "`pushrig compare`: **a must is newly broken**" in body, body)
        hold(not hub.stray, "the token went to the host of the artefacts")
        # A newer commit has been pushed meanwhile: an old verdict is not told of it.
        hub.pulls[0]["head"]["sha"] = "b" * 40
        code, said, error = run("comment-later.sh", **about)
        hold(code == 1 and "newest commit" in error and len(hub.comments) == 1, error)


def main():
    pushrig = sys.argv[1]
    red, green, check = (pathlib.Path(word).resolve() for word in sys.argv[2:5])
    text(pushrig, red, green, check)
    stranger(red)
    badge(red, green)
    annotations(red)
    posting(red, green)
    later(pushrig, red, green)
    print("text, forged text, badge, annotations, posting over pages, 403, the workflow for forks")


if __name__ == "__main__":
    main()
