#!/usr/bin/env python3
"""Tells GitHub what came of a run or check: annotations, job summary, the output `verdict`; and ends with the verdict's exit code.

    deploy/action/report.py DIR EXIT_CODE

One annotation a rule, at most ten errors and ten warnings, for GitHub shows no more of a step; all of them stand in the summary.
GITHUB_STEP_SUMMARY and GITHUB_OUTPUT name the files that GitHub reads; without them nothing is written there. Needs python3."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Record, relative, sentence  # noqa: E402

MOST = 10
SUMMARY_BYTES = 1_000_000
WORDS = {1: "could not run", 2: "a wrong option or file", 130: "interrupted"}


def data(text):
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text):
    return data(text).replace(":", "%3A").replace(",", "%2C")


def annotation(kind, title, text, path=None):
    place = f"file={value(path)},line=1," if path else ""
    return f"::{kind} {place}title={value(title)}::{data(text)}"


def annotations(record):
    """Errors, then warnings: what fails the run, then what a reader should know."""
    path = relative(record.subject) if os.path.exists(record.subject) else None
    errors, warnings = [], []
    for rule in record.rules:
        cases = f" In {', '.join(rule['cases'][:3])}{' and more' if len(rule['cases']) > 3 else ''}." if rule["cases"] else ""
        text = f"{sentence(rule)}. Change: {rule.get('advice', 'strike it from the known failing').rstrip('?.')}.{cases}"
        if rule["standing"] == "broken":
            errors.append((f"{rule['id']} is broken", text))
        elif rule["standing"] == "healed":
            errors.append((f"{rule['id']} has healed", "It is named as known failing, and was kept: strike it from the list."))
        elif rule["standing"] == "unproven":
            warnings.append((f"{rule['id']}, not proven by itself", text))
        elif rule["standing"] == "warning":
            warnings.append((f"{rule['id']}: should be kept", text))
        else:
            warnings.append((f"{rule['id']} is broken, as known", text))
    errors += [(f"gate breached: {gate['text']}", f"measured {number(gate.get('value'))}") for gate in record.gates]
    if record.code not in (0, 3, 4):
        errors += [(record.word, reason) for reason in record.reasons] or [(record.word, "See the summary.")]
    return [annotation(kind, title, text, path) for kind, rows in (("error", errors), ("warning", warnings)) for title, text in rows[:MOST]]


def number(figure):
    return "nothing" if figure is None else f"{figure:g}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, code = sys.argv[1], int(sys.argv[2] or 1)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    try:
        record = Record(folder)
        verdict, told = record.word, annotations(record)
        with open(os.path.join(folder, "summary.md"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError, KeyError) as error:
        verdict = WORDS.get(code, "could not run")
        text = f"## ❌ PushRig: {verdict}\n\nExit code {code}; the log of this step says why.\n"
        told = [annotation("error", f"PushRig: {verdict}", f"exit code {code}; {error}")]
    if code == 0 and verdict not in ("passed",):
        verdict = "passed"
    print("\n".join(told))
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(text.encode()[:SUMMARY_BYTES].decode(errors="ignore") + "\n")
    if os.environ.get("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(f"verdict={verdict}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
