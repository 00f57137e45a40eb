#!/usr/bin/env python3
"""Makes a badge of what a run or check left: JSON for shields' endpoint, or an SVG that needs no service.

    deploy/action/badge.py DIR [--label TEXT] > badge.json
    deploy/action/badge.py DIR --svg > badge.svg

Needs python3."""

import argparse
import json
import os
import sys
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Record  # noqa: E402

# By exit code; shields knows the same names.
COLOURS = {0: "brightgreen", 3: "orange", 4: "red", 5: "yellow"}
PAINTS = {"brightgreen": "#2f7d1f", "orange": "#b35900", "red": "#b3261e", "yellow": "#806600", "lightgrey": "#595959"}


def message(record):
    broken = len(record.with_standing("broken"))
    if record.code == 4 and broken:
        return f"{broken} {'rule' if broken == 1 else 'rules'} broken"
    return record.word


def svg(label, text, colour):
    """About seven pixels a letter; textLength holds the text to its box, whatever the font."""
    left, right = 7 * len(label) + 10, 7 * len(text) + 10
    words = f"{escape(label)}: {escape(text)}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-labelledby="t">'
            f'<title id="t">{words}</title><rect width="{left}" height="20" fill="#444"/>'
            f'<rect x="{left}" width="{right}" height="20" fill="{PAINTS[colour]}"/>'
            f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            f'<text x="5" y="14" textLength="{left - 10}">{escape(label)}</text>'
            f'<text x="{left + 5}" y="14" textLength="{right - 10}">{escape(text)}</text></g></svg>\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--label", default="push relay")
    parser.add_argument("--svg", action="store_true")
    options = parser.parse_args()
    try:
        record = Record(options.folder)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"badge: {error}")
    colour = COLOURS.get(record.code, "lightgrey")
    if options.svg:
        sys.stdout.write(svg(options.label, message(record), colour))
    else:
        json.dump({"schemaVersion": 1, "label": options.label, "message": message(record), "color": colour,
                   "isError": record.code in (3, 4)}, sys.stdout)
        print()


if __name__ == "__main__":
    main()
