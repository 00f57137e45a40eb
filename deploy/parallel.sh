#!/usr/bin/env bash
# A run in N shards on one machine, or on several with parallel's --sshlogin in PARALLEL: deploy/parallel.sh N OUT SCENARIO
# [options of `pushrig run`]. Each shard goes to OUT/shard-I, what they come to together to OUT/whole. Exits as `pushrig merge`.
#
#   deploy/parallel.sh 4 out my.yaml --barrier out/barrier                       each shard with a mock and a relay of its own
#   MOCKS=mock-state deploy/parallel.sh 4 out my.yaml --mock http://127.0.0.1:2190 --barrier http://127.0.0.1:2190 \
#     --set relay.launch=null --set relay.url=http://127.0.0.1:8080              all with one mock and one relay that are up
#
# MOCKS names the state directories of such mocks. PUSHRIG names the program.
set -euo pipefail
if [ $# -lt 3 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
count=$1 out=$2 scenario=$3
shift 3
pushrig=${PUSHRIG:-pushrig}
[[ $count =~ ^[1-9][0-9]*$ ]] || { echo "parallel.sh: '$count' is no number of shards" >&2 && exit 2; }
command -v "$pushrig" >/dev/null || { echo "parallel.sh: there is no program $pushrig; name it by PUSHRIG" >&2 && exit 2; }
mkdir -p "$out"
name=$(basename "$out" | tr -cs 'A-Za-z0-9._-' '-')
export PUSHRIG_SHARDS=$count PUSHRIG_RUN=${PUSHRIG_RUN:-$name$(date +%s)-$$}
# A shard that is started again voids the run, so none is. What each exits with is seen in the merged run.
seq 0 $((count - 1)) | parallel --will-cite --jobs "$count" --retries 1 --halt never --line-buffer --tag --quote \
    "$pushrig" run "$scenario" --shard auto --quiet --out "$out/shard-{}" "$@" || true
# shellcheck disable=SC2086 # several directories, by words
exec "$pushrig" merge "$out"/shard-* ${MOCKS:-} --out "$out/whole"
