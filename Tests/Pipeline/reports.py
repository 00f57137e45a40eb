#!/usr/bin/env python3
"""Holds junit.xml and codequality.json of runs and checks to what Jenkins and GitLab read.

    .build/pipeline/bin/python Tests/Pipeline/reports.py FOLDER…

Beside the forms: counts are those of the cases, a case has one place, a red verdict has a failure, and a fingerprint is unique. Needs
lxml and jsonschema (script/setup --pipeline)."""

import collections
import json
import pathlib
import sys

import jsonschema
from lxml import etree

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = etree.XMLSchema(file=str(HERE / "junit.xsd"))
QUALITY = jsonschema.Draft202012Validator(json.loads((HERE / "codequality.schema.json").read_text()))


def junit(folder):
    document = etree.parse(str(folder / "junit.xml"))
    wrong = [] if SCHEMA.validate(document) else [str(error) for error in SCHEMA.error_log][:3]
    for suite in [document.getroot(), *document.findall(".//testsuite")]:
        for key, path in (("tests", ".//testcase"), ("failures", ".//failure"), ("errors", ".//error"), ("skipped", ".//skipped")):
            if suite.get(key) is not None and int(suite.get(key)) != len(suite.findall(path)):
                wrong.append(f"{suite.get('name')} says {suite.get(key)} {key}, and has {len(suite.findall(path))}")
    names = collections.Counter((case.get("classname"), case.get("name")) for case in document.iter("testcase"))
    wrong += [f"{name} is there {count} times" for name, count in names.items() if count > 1]
    record = json.loads((folder / ("run.json" if (folder / "run.json").exists() else "check.json")).read_text())
    is_red = any(int(document.getroot().get(key) or 0) for key in ("failures", "errors"))
    if is_red != (record["exit"]["code"] != 0):
        wrong.append(f"exit code {record['exit']['code']}, and JUnit is {'red' if is_red else 'green'}")
    return wrong


def quality(folder):
    rows = json.loads((folder / "codequality.json").read_text())
    wrong = [error.message for error in QUALITY.iter_errors(rows)][:3]
    if len({row.get("fingerprint") for row in rows}) != len(rows):
        wrong.append("fingerprints are not unique")
    broken = json.loads((folder / "check.json").read_text())["exit"]["code"] == 4
    if broken and not rows:
        wrong.append("a broken check with no row")
    return wrong


def main():
    said = []
    for folder in map(pathlib.Path, sys.argv[1:]):
        wrong = junit(folder) + (quality(folder) if (folder / "check.json").exists() else [])
        if wrong:
            sys.exit(f"red: {folder.name}: " + "; ".join(wrong))
        said.append(folder.name)
    print(f"{len(said)} reports: {', '.join(said)}")


if __name__ == "__main__":
    main()
