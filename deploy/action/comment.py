#!/usr/bin/env python3
"""Writes the text of the one comment that PushRig keeps on a pull request, from what a run or check left.

    deploy/action/comment.py DIR [--base DIR] [--url URL] [--pushrig PROGRAM]

It tells the verdict, the three findings that matter most, and what differs from the base: runs by `pushrig compare`, checks by their
rules. The first line is a hidden marker, by which post-comment.sh finds the comment again. --url: where the whole report is.
What comes out of DIR may have been written by a stranger's pull request: it is cut, and cannot mention, link or embed.
Needs python3; `pushrig` only with --base."""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Record, compare, sentence  # noqa: E402

SIGNS = {0: "✅", 3: "❌", 4: "❌", 5: "⚠️"}
MOST, LONGEST = 3, 400


def plain(text, longest=LONGEST):
    """One line of text in which Markdown, HTML, mentions and references to issues are dead."""
    text = " ".join(str(text).split())
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", text)
    return text.replace("@", "@\u200b").replace("://", ":\u200b//").replace("www.", "www\u200b.").replace("\\#", "\\#\u200b")


def code(text):
    return "`" + " ".join(str(text).replace("`", "'").split())[:LONGEST] + "`"


def body(record, base=None, url=None, program="pushrig"):
    lines = [f"<!-- pushrig:{re.sub(r'[^A-Za-z0-9._-]', '-', record.name)[:60]} -->",
             f"### {SIGNS.get(record.code, '❌')} PushRig, {plain(record.name, 60)}: {plain(record.word, 60)}", ""]
    rules = record.with_standing("broken", "healed", "unproven", "warning")
    for rule in rules[:MOST]:
        times = f" ({rule['count']} times)" if rule["count"] > 1 else ""
        word = {"broken": "", "healed": " has healed", "unproven": ", not proven by itself", "warning": ", a *should*"}[rule["standing"]]
        lines.append(f"- **{plain(rule['id'], 60)}**{word}{times}: {plain(sentence(rule))}")
        if rule.get("advice"):
            lines.append(f"  Change: {plain(rule['advice'])}")
    for gate in record.gates[: MOST - len(rules[:MOST])]:
        lines.append(f"- **gate** {code(gate['text'])}, measured {gate['value']:g}" if gate.get("value") is not None
                     else f"- **gate** {code(gate['text'])}, measured nothing")
    if not rules and not record.gates:
        lines += [f"- {plain(reason)}" for reason in record.reasons[:MOST]] or ["Nothing is broken, and every gate held."]
    more = len(rules) + len(record.gates) - MOST
    if more > 0:
        lines.append(f"- and {more} more in the summary of the job")
    if base is not None:
        lines += ["", "**Against the base**", ""] + safe(compare(base, record, program))
    # Cut it would be another command.
    if len(record.replay) <= LONGEST:
        lines += ["", f"Again: {code(record.replay)}"]
    if url and re.fullmatch(r"https?://[\w.:/-]+", url):
        lines.append(f"The whole report: {url}")
    return "\n".join(lines) + "\n"


def safe(lines):
    """Of compare's lines only the words in backticks and bold are Markdown."""
    return [re.sub(r"[<>\[\]@]|://|www\.", "", line)[:LONGEST] for line in lines]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--base")
    parser.add_argument("--url")
    parser.add_argument("--pushrig", default="pushrig")
    options = parser.parse_args()
    try:
        base = Record(options.base) if options.base and os.path.isdir(options.base) else None
        sys.stdout.write(body(Record(options.folder), base, options.url, options.pushrig))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"pushrig comment: {options.folder} is not what pushrig writes: {error}")


if __name__ == "__main__":
    main()
