#!/usr/bin/env bash
# Finds or installs pushrig, and prints the folder that holds it. In a GitHub workflow that folder joins PATH.
#
#   PUSHRIG_BINARY=PATH     this program, and nothing is installed
#   PUSHRIG_VERSION=0.1.0   the release to install; without it the pushrig of PATH is taken
#   PUSHRIG_FROM=URL        where releases lie; the files of one are URL/vVERSION/…
#   PUSHRIG_SHA256=DIGEST   the digest that the tarball must have; without it the release's own SHA256SUMS is asked
#
# Needs: bash, curl, tar, sha256sum. Installs the system libraries that are missing, where apt-get and root or sudo are there.
set -euo pipefail
fail() { echo "pushrig action: $*" >&2; exit 1; }
binary=${PUSHRIG_BINARY:-} version=${PUSHRIG_VERSION:-} from=${PUSHRIG_FROM:-} digest=${PUSHRIG_SHA256:-}

if [ -n "$binary" ]; then
    [ -x "$binary" ] || fail "there is no program at '$binary'"
    folder=${RUNNER_TEMP:-$(mktemp -d)}/pushrig-given
    mkdir -p "$folder"
    # A wrapper, for the program finds its files from its own place.
    printf '#!/bin/sh\nexec %q "$@"\n' "$(realpath "$binary")" >"$folder/pushrig"
    chmod 755 "$folder/pushrig"
elif [ -z "$version" ]; then
    found=$(command -v pushrig) || fail "there is no pushrig in PATH; say version or binary"
    folder=$(dirname "$found")
else
    [ -n "$from" ] || fail "version is said, and not where releases lie"
    [[ $version =~ ^[0-9][0-9A-Za-z.+-]*$ ]] || fail "'$version' is no version, such as 0.1.0"
    name=pushrig-$version-linux-$(uname -m)
    place=$(mktemp -d "${RUNNER_TEMP:-/tmp}/pushrig.XXXXXX")
    fetch() { curl --fail --silent --show-error --location --retry 3 --output "$place/$1" "$from/v$version/$1" || fail "could not get $from/v$version/$1"; }
    fetch "$name.tar.gz"
    if [ -z "$digest" ]; then
        fetch SHA256SUMS
        digest=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$place/SHA256SUMS")
        [ -n "$digest" ] || fail "SHA256SUMS of version $version does not name $name.tar.gz"
    fi
    echo "$digest  $place/$name.tar.gz" | sha256sum --check --status || fail "$name.tar.gz does not have the digest $digest"
    tar --extract --gzip --file "$place/$name.tar.gz" --directory "$place"
    folder=$place/$name/bin
fi

if ! said=$("$folder/pushrig" --version 2>&1); then
    as_root=(); [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
    grep -q 'shared libraries' <<<"$said" && command -v apt-get >/dev/null || fail "pushrig does not run: $said"
    { ${as_root[@]+"${as_root[@]}"} apt-get update && ${as_root[@]+"${as_root[@]}"} apt-get install -y --no-install-recommends \
        libnghttp2-14 libsqlite3-0 libwslay1 libxxhash0 libyaml-0-2; } >"${RUNNER_TEMP:-/tmp}/pushrig-apt.log" 2>&1 || true
    said=$("$folder/pushrig" --version 2>&1) || fail "pushrig does not run: $said"
fi
echo "$said" >&2
[ -z "${GITHUB_PATH:-}" ] || echo "$folder" >>"$GITHUB_PATH"
echo "$folder"
