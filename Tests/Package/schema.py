"""Holds docs/scenario.schema.json to JSON Schema, its examples to their keys, and the shipped files to it, as an editor does.

    schema.py FILE…       scenarios, profiles and session scripts, told apart by their keys, or by their folder where they extend another

Needs jsonschema and ruamel.yaml (script/setup --package)."""

import json
import pathlib
import sys

import jsonschema
from ruamel.yaml import YAML

SCHEMA = json.loads(pathlib.Path("docs/scenario.schema.json").read_text())
Validator = jsonschema.Draft202012Validator
Validator.check_schema(SCHEMA)


def held_to(row):
    return Validator({**row, "$defs": SCHEMA["$defs"]})


def rows(node):
    """Each row that has examples."""
    if isinstance(node, dict):
        if isinstance(node.get("examples"), list):
            yield node
        for key, value in node.items():
            if key != "examples":
                yield from rows(value)
    elif isinstance(node, list):
        for value in node:
            yield from rows(value)


def kind(file, document):
    if "steps" in document:
        return "session"
    return "profile" if "calls" in document or pathlib.Path(file).parent.name == "relays" else "scenario"


wrong, examples = [], 0
for row in rows(SCHEMA):
    for example in row["examples"]:
        examples += 1
        for error in held_to(row).iter_errors(example):
            wrong.append(f"{json.dumps(example)}: {error.message}")

yaml = YAML(typ="safe", pure=True)
files = sys.argv[1:]
for file in files:
    document = yaml.load(pathlib.Path(file))
    for error in held_to({"$ref": f"#/$defs/{kind(file, document)}"}).iter_errors(document):
        wrong.append(f"{file}: {error.json_path}: {error.message}"[:300])

print("\n".join(wrong) or f"{examples} examples and {len(files)} files fit")
sys.exit(bool(wrong) or not examples or not files)
