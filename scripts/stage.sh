#!/bin/bash
# Runs one stage of a check: its name, its time and its verdict on one line each; output of the stage in between.
# usage: scripts/stage.sh NAME COMMAND [ARGUMENT...]
set -uo pipefail
name=$1
shift
printf -- '-- %s\n' "$name"
start=$EPOCHREALTIME
"$@"
code=$?
seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
if [ $code -eq 0 ]; then
    printf -- '-- %s: ok, %s s\n' "$name" "$seconds"
else
    printf -- '-- %s: FAILED with %d after %s s. Again: %s\n' "$name" "$code" "$seconds" "$*" >&2
fi
exit $code
