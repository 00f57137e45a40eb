"""Reads what `pushrig run` or `pushrig check` left in a folder, in one form for the scripts beside this file. Standard library only."""

import json
import os
import subprocess

FORMATS = {"run.json": "pushrig.run", "check.json": "pushrig.check"}


class Record:
    """Verdict and findings of one folder. Each rule is one finding, however many cases it was broken in."""

    def __init__(self, folder):
        self.folder = folder
        names = [name for name in FORMATS if os.path.isfile(os.path.join(folder, name))]
        if not names:
            raise FileNotFoundError(f"{folder} holds neither run.json nor check.json")
        with open(os.path.join(folder, names[0]), encoding="utf-8") as file:
            self.data = json.load(file)
        if self.data.get("format") != FORMATS[names[0]]:
            raise ValueError(f"{folder}/{names[0]} is no {FORMATS[names[0]]}")
        self.is_check = names[0] == "check.json"
        self.code = self.data["exit"]["code"]
        self.word = self.data["exit"]["word"]
        self.reasons = self.data["exit"]["reasons"]
        self.name = self.data["profile"] if self.is_check else self.data["name"]
        self.subject = self.data["subject"] if self.is_check else self.data["scenario"]["path"]
        self.replay = self.data["command"] if self.is_check else self.data["replayCommand"]
        self.gates = [] if self.is_check else [gate for gate in self.data["gates"] if not gate["passed"]]
        self.rules = self._rules()

    def _rules(self):
        """Worst first: musts, then shoulds; within them those that were found most often."""
        rules = {}
        for case, verdict in self._verdicts():
            if verdict["standing"] not in ("broken", "warning", "healed", "knownBroken"):
                continue
            first = (verdict.get("findings") or [{}])[0]
            rule = rules.setdefault(verdict["id"], dict(verdict, cases=[], count=0, first=first))
            rule["count"] += verdict.get("findingCount") or len(verdict.get("findings") or [])
            if verdict["standing"] == "broken":
                rule["standing"] = "broken"
            if case:
                rule["cases"].append(case)
        for rule in rules.values():
            # The exit code names what is proven. What is broken and not named follows from that, or our own measuring was in doubt.
            if rule["standing"] == "broken" and not any(reason.startswith(rule["id"] + " ") for reason in self.reasons):
                rule["standing"] = "unproven"
        order = {"broken": 0, "healed": 1, "unproven": 2, "warning": 3, "knownBroken": 4}
        return sorted(rules.values(), key=lambda rule: (order[rule["standing"]], rule["level"] != "must", -rule["count"], rule["id"]))

    def _verdicts(self):
        if not self.is_check:
            return [(None, verdict) for verdict in self.data["verdicts"]]
        told = [(case["name"], verdict) for case in self.data["cases"] for verdict in case.get("findings", [])]
        # What only all cases together tell, such as a known break that has healed.
        return told + [(None, rule) for rule in self.data["rules"] if rule.get("standing") == "healed" and "requirement" in rule]

    def with_standing(self, *standings):
        return [rule for rule in self.rules if rule["standing"] in standings]

    def broken_ids(self):
        return {rule["id"] for rule in self.with_standing("broken")}


def sentence(rule):
    """The first finding of a rule in one line: what was seen, and what was expected."""
    first = rule["first"]
    if not first.get("message"):
        return rule["requirement"]
    text = first["message"]
    if first.get("expected"):
        text += f": expected {first['expected']}, seen {first.get('seen', 'something else')}"
    return text


def relative(path):
    """A path as the repository's files are named, or nothing where it lies outside."""
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or os.getcwd())
    full = os.path.realpath(path)
    return os.path.relpath(full, root) if full.startswith(root + os.sep) else None


def compare(base, new, program="pushrig"):
    """What became better or worse since the base: lines of Markdown. Runs are compared by `pushrig compare`, checks by their rules."""
    if base.is_check != new.is_check:
        return ["The base holds another kind of record, so nothing is compared."]
    newly, mended = sorted(new.broken_ids() - base.broken_ids()), sorted(base.broken_ids() - new.broken_ids())
    lines = [f"- newly broken: {', '.join(f'`{name}`' for name in newly)}"] if newly else []
    lines += [f"- mended: {', '.join(f'`{name}`' for name in mended)}"] if mended else []
    if not new.is_check:
        try:
            done = subprocess.run([program, "compare", base.folder, new.folder, "--format", "json", "--quiet"],
                                  capture_output=True, text=True, timeout=120)
            told = json.loads(done.stdout)
            lines.insert(0, f"- `pushrig compare`: **{told['exit']['word']}**")
            lines += [f"- {metric['name']}: {metric['word']}{change(metric)}" for metric in told["metrics"]]
            lines += [f"- {count['name']}: {count['word']}" for count in told["counts"] if count["word"] != "same"]
        except (OSError, ValueError, KeyError, subprocess.SubprocessError):
            reason = done.stderr.strip().splitlines()[-1] if "done" in locals() and done.stderr.strip() else "it did not run"
            lines.append(f"- `pushrig compare` has no answer: {reason}")
    return lines or ["- nothing became worse or better"]


def change(metric):
    return f" ({(metric['shift'] - 1) * 100:+.0f} %)" if metric.get("scale") == "ratio" and metric.get("shift") else ""
