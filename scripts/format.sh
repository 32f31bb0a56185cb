#!/bin/bash
# Names every Go file that gofmt would change, and fails if there is one. Generated files count too.
set -euo pipefail
cd "$(dirname "$0")/.."
files=$(find . -name '*.go' -not -path './build/*' -not -path './runs/*')
[ -n "$files" ] || { echo "format.sh: found no Go file, so nothing was checked" >&2; exit 2; }
# shellcheck disable=SC2086  # one word a file: no Go file here has a space in its name
bad=$(gofmt -l $files)
if [ -n "$bad" ]; then
    printf 'Not formatted (gofmt -w mends it):\n%s\n' "$bad" >&2
    exit 1
fi
