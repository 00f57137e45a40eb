#!/usr/bin/env python3
"""Holds docs/ci.md to the files that are checked, and runs the commands of the snippets in the sample's repository.

    Tests/Pipeline/snippets.py PUSHRIG FOLDER

Each block of the page is the text of one file, and each file has its block. The commands that GitLab, Jenkins, CircleCI, Buildkite and
Azure are given, and the script of the GitLab component, are run by bash: red, for the sample has a bug. So that this takes seconds,
a `pushrig` in PATH asks about one rule alone. Needs python3-yaml."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ["Tests/Pipeline/sample/pushrig/profile.yaml", "Tests/Pipeline/sample/pushrig/relay.yaml", "deploy/github/relay.yml", "deploy/ci/gitlab-ci.yml",
         "deploy/ci/Jenkinsfile", "deploy/ci/circleci.yml", "deploy/ci/buildkite.yml", "deploy/ci/azure-pipelines.yml"]
LONGEST = 120


def page():
    text = (ROOT / "docs/ci.md").read_text()
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    wrong = [f"a block is no file: {block.splitlines()[0]}" for block in blocks if block not in [(ROOT / name).read_text() for name in FILES]]
    wrong += [f"{name} has no block" for name in FILES if (ROOT / name).read_text() not in blocks]
    if len(text.splitlines()) > LONGEST:
        wrong.append(f"{len(text.splitlines())} lines, {LONGEST} at most")
    for link in re.findall(r"\]\(([^)#]+)", text):
        if not (ROOT / "docs" / link).exists():
            wrong.append(f"{link} is not there")
    sample = (ROOT / "Tests/Pipeline/sample/relay.py").read_text()
    if len(sample.splitlines()) > 30:
        wrong.append("the sample has more than 30 lines")
    told = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    if 'print("gone:", token)' not in told or 'print("gone:", token)' not in sample:
        wrong.append("the page and the sample have not the same bug")
    # Digests are a fixed kind of word; ours is told by zeros, for a release has none yet.
    for name in sorted((ROOT / "deploy/github").glob("*.yml")):
        for use in re.findall(r"uses: (\S+)", name.read_text()):
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", use):
                wrong.append(f"{name.name}: {use} is not pinned by digest")
    return wrong


def commands():
    load = lambda name: yaml.safe_load((ROOT / name).read_text())  # noqa: E731
    yield "GitLab", load("deploy/ci/gitlab-ci.yml")["relay-check"]["script"]
    yield "CircleCI", next(step["run"] for step in load("deploy/ci/circleci.yml")["jobs"]["build"]["steps"] if "run" in step)
    yield "Buildkite", load("deploy/ci/buildkite.yml")["steps"][0]["command"]
    yield "Azure", load("deploy/ci/azure-pipelines.yml")["steps"][0]["script"]
    yield "Jenkins", re.search(r"sh '([^']+)'", (ROOT / "deploy/ci/Jenkinsfile").read_text())[1]
    yield "component", subprocess.run([sys.executable, ROOT / "Tests/Pipeline/gitlab.py", "--script", "target=pushrig/relay.yaml"],
                                      check=True, capture_output=True, text=True).stdout


def run(pushrig, folder):
    repository, path = folder / "repository", folder / "bin"
    shutil.copytree(ROOT / "Tests/Pipeline/sample", repository)
    path.mkdir()
    (path / "pushrig").write_text(f'#!/bin/sh\nexec "{pushrig}" "$@" --only dead-device-token-dropped\n')
    (path / "pushrig").chmod(0o755)
    wrong, done = [], {}
    for name, command in commands():
        # Some hosts begin in a clean checkout, and some snippets clean up themselves.
        if command not in done:
            if "rm -rf" not in command:
                shutil.rmtree(repository / "pushrig-report", ignore_errors=True)
            done[command] = subprocess.run(["bash", "-ec", command], cwd=repository, env=dict(os.environ, PATH=f"{path}:{os.environ['PATH']}"),
                                           capture_output=True, text=True, timeout=120)
        if done[command].returncode != 4:
            wrong.append(f"{name}: exit {done[command].returncode}: {done[command].stderr[-300:]}")
    for name in ("junit.xml", "codequality.json"):
        if not (repository / "pushrig-report" / name).is_file():
            wrong.append(f"there is no pushrig-report/{name}")
    return wrong, len(done)


def main():
    pushrig, folder = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True)
    wrong = page()
    if wrong:
        sys.exit("red: " + "; ".join(wrong))
    wrong, count = run(pushrig, folder)
    if wrong:
        sys.exit("red: " + "; ".join(wrong))
    print(f"{len(FILES)} blocks are files; {count} commands run, each red with exit code 4")


if __name__ == "__main__":
    main()
