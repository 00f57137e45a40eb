#!/usr/bin/env python3
"""Expands templates/pushrig.yml as GitLab would, with given inputs, and prints the pipeline as YAML.

    Tests/Pipeline/gitlab.py NAME=VALUE… > pipeline.yml
    Tests/Pipeline/gitlab.py --script NAME=VALUE…       prints the job's script instead, with its variables, for bash

Red where an input is used and not declared, declared and not used, required and not given, or given and none of its options.
Needs python3-yaml (script/setup --pipeline)."""

import pathlib
import re
import shlex
import sys

import yaml

TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "templates/pushrig.yml"
USE = r"\$\[\[ inputs\.([\w-]+) \]\]"


def expand(given):
    head, _, body = TEMPLATE.read_text().partition("\n---\n")
    inputs = yaml.safe_load(head)["spec"]["inputs"]
    used = set(re.findall(USE, body))
    wrong = [f"{name} is used, and not declared" for name in used - set(inputs)]
    wrong += [f"{name} is declared, and not used" for name in set(inputs) - used]
    wrong += [f"{name} is given, and not declared" for name in set(given) - set(inputs)]
    for name, about in inputs.items():
        if "description" not in about:
            wrong.append(f"{name} has no description")
        if "default" not in about and name not in given:
            wrong.append(f"{name} is required")
        if name in given and "options" in about and given[name] not in about["options"]:
            wrong.append(f"{name} is none of {about['options']}")
    if wrong:
        sys.exit("red: " + "; ".join(sorted(wrong)))
    values = {name: given.get(name, about.get("default")) for name, about in inputs.items()}

    def fill(node):
        """As GitLab does it: in the parsed file. A value that is an input alone keeps the type of that."""
        if isinstance(node, dict):
            return {fill(key): fill(value) for key, value in node.items()}
        if isinstance(node, list):
            return [fill(item) for item in node]
        if not isinstance(node, str):
            return node
        alone = re.fullmatch(USE, node)
        return values[alone[1]] if alone else re.sub(USE, lambda found: str(values[found[1]]), node)

    return fill(yaml.safe_load(body))


def main():
    words = sys.argv[1:]
    wants_script = words[:1] == ["--script"]
    pipeline = expand(dict(word.split("=", 1) for word in words[wants_script:]))
    if not wants_script:
        print(yaml.safe_dump(pipeline, sort_keys=False))
        return
    (job,) = pipeline.values()
    print("set -eo pipefail")
    for name, value in job["variables"].items():
        print(f"{name}={shlex.quote(str(value))}")
    print("\n".join(job["before_script"] + job["script"]))


if __name__ == "__main__":
    main()
