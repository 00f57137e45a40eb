#!/usr/bin/env bash
# Posts a comment on a pull request, or brings the one that is there up to date: it is found again by the marker in its first line.
#
#   GITHUB_TOKEN=… GITHUB_REPOSITORY=owner/name deploy/action/post-comment.sh NUMBER FILE
#
# The token needs `pull-requests: write`. A comment of anybody else is never changed: PATCH goes to one that a bot wrote.
# GITHUB_API_URL names the API (default https://api.github.com). Needs: bash, curl, python3.
set -euo pipefail
fail() { echo "pushrig comment: $*" >&2; exit 1; }
[ $# -eq 2 ] || fail "usage: post-comment.sh NUMBER FILE"
number=$1 file=$2
[[ $number =~ ^[0-9]+$ ]] || fail "'$number' is no number of a pull request"
: "${GITHUB_TOKEN:?pushrig comment: GITHUB_TOKEN is missing}" "${GITHUB_REPOSITORY:?pushrig comment: GITHUB_REPOSITORY is missing}"
api=${GITHUB_API_URL:-https://api.github.com}
marker=$(head -n 1 "$file")
[[ $marker == '<!-- pushrig:'*' -->' ]] || fail "$file does not begin with a marker; comment.py writes it"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The token stays out of the list of processes.
printf 'header = "authorization: Bearer %s"\n' "$GITHUB_TOKEN" >"$work/curl"
python3 -c 'import json, sys; json.dump({"body": open(sys.argv[1], encoding="utf-8").read()[:65000]}, sys.stdout)' "$file" >"$work/body"

# ask METHOD PATH [BODY]: sets `status`; the answer is in $work/answer.
ask() {
    status=$(curl --silent --show-error --config "$work/curl" --retry 2 --max-time 30 --request "$1" --output "$work/answer" \
        --write-out '%{http_code}' --header 'accept: application/vnd.github+json' --header 'x-github-api-version: 2022-11-28' \
        ${3:+--header 'content-type: application/json' --data-binary @"$3"} "$api$2") || fail "$api does not answer"
    case $status in
        2??) ;;
        403|404) fail "GitHub does not let this job comment ($status). A pull request from a fork has a token that may only read: comment from a workflow_run workflow, as docs/ci.md shows. The job summary holds the same." ;;
        *) fail "GitHub answered $1 $2 with $status: $(head -c 300 "$work/answer" | tr '\n' ' ')" ;;
    esac
}

found=
for ((page = 1; page <= 30; page++)); do
    ask GET "/repos/$GITHUB_REPOSITORY/issues/$number/comments?per_page=100&page=$page"
    read -r count found < <(python3 - "$marker" "$work/answer" <<'PY'
import json, sys
comments = json.load(open(sys.argv[2], encoding="utf-8"))
mine = [c["id"] for c in comments if c["user"]["type"] == "Bot" and (c["body"] or "").splitlines()[:1] == [sys.argv[1]]]
print(len(comments), *mine[:1])
PY
    ) || true
    [ -z "$found" ] && [ "$count" -eq 100 ] || break
done
if [ -n "$found" ]; then
    ask PATCH "/repos/$GITHUB_REPOSITORY/issues/comments/$found" "$work/body"
    echo "pushrig comment: comment $found is up to date"
else
    ask POST "/repos/$GITHUB_REPOSITORY/issues/$number/comments" "$work/body"
    echo "pushrig comment: made a comment"
fi
