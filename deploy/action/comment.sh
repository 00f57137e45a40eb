#!/usr/bin/env bash
# Writes and posts the comment of a pull request. A comment that cannot be posted is a warning: the verdict is told by report.py.
#
#   REPORT=DIR NUMBER=7 GITHUB_TOKEN=… GITHUB_REPOSITORY=owner/name [BASE=DIR] [URL=…] deploy/action/comment.sh
#
# Needs what comment.py and post-comment.sh need.
set -euo pipefail
here=$(dirname "$0")
text=$(mktemp)
trap 'rm -f "$text"' EXIT
options=()
[ -z "${BASE:-}" ] || options+=(--base "$BASE")
[ -z "${URL:-}" ] || options+=(--url "$URL")
if ! said=$({ "$here/comment.py" "$REPORT" ${options[@]+"${options[@]}"} >"$text" && "$here/post-comment.sh" "$NUMBER" "$text"; } 2>&1); then
    echo "::warning title=PushRig could not comment::$(tail -n 1 <<<"$said" | sed 's/%/%25/g')"
else
    echo "$said"
fi
