#!/usr/bin/env bash
# Comments on a pull request after the workflow that ran pushrig: for forks, whose jobs may not comment. Runs no code of the pull request.
#
#   RUN_ID=… GITHUB_EVENT_PATH=… GITHUB_TOKEN=… GITHUB_REPOSITORY=… [BASE_WORKFLOW=relay.yml BASE_BRANCH=main] comment-later.sh
#
# Needs what fetch.py and comment.sh need; with BASE_WORKFLOW pushrig in PATH, for runs to be compared.
set -euo pipefail
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
NUMBER=$("$here/fetch.py" number "$GITHUB_EVENT_PATH")
"$here/fetch.py" report "$RUN_ID" "$work/report"
options=()
if [ -n "${BASE_WORKFLOW:-}" ]; then
    "$here/fetch.py" base "$BASE_WORKFLOW" "${BASE_BRANCH:-main}" "$work/base"
    [ ! -d "$work/base" ] || options+=(--base "$work/base")
fi
"$here/comment.py" "$work/report" ${options[@]+"${options[@]}"} --url "${URL:-}" >"$work/text"
"$here/post-comment.sh" "$NUMBER" "$work/text"
