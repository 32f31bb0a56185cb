#!/bin/bash
# go test, with the three ways in which "ok" can mean nothing closed: no test ran, a test was skipped, the run was cut short.
# usage: scripts/gotest.sh --min N [go test flags] PACKAGES...
set -uo pipefail
[ "${1:-}" = --min ] || { echo "gotest.sh: first say --min N: fewer tests than that are a failure" >&2; exit 2; }
min=$2
shift 2
cd "$(dirname "$0")/.." || exit 2
go build -o build/testcount ./scripts/testcount || exit 2
go test -json "$@" 2>&1 | build/testcount -min "$min"
codes=("${PIPESTATUS[@]}")
# the count first: its report names the tests
[ "${codes[1]}" -eq 0 ] || exit "${codes[1]}"
exit "${codes[0]}"
