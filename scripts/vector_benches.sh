#!/bin/bash
# Exports the golden vectors as Verilog benches and runs them with neither Go nor a socket: in Verilator all of the receive
# side, in Icarus, which is slow and knows X, some of each sort. Then changes one expectation at a time: both must fail.
# usage: scripts/vector_benches.sh [all]      all: every vector in both simulators; half an hour
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/build/vector_benches
readonly some='/(directed-(in-order|gaps|epoch-change|send-refusals)|parse-(icrc|ip_options)|guided-window-new-next-bounds)$'
rm -rf "$work"
mkdir -p "$work/build"
export VEC_WORK=$work/build

die() { echo "vector_benches.sh: $*" >&2; exit 1; }

${GO:-go} run ./cmd/tandem vectors export --as verilog -o "$work/golden" >"$work/export.log" 2>&1 || { cat "$work/export.log" >&2; exit 2; }

if [ "${1:-}" = all ]; then
    "$work/golden/run.sh" rtl both || die "vectors do not hold"
else
    VEC_ONLY='^receive-' "$work/golden/run.sh" rtl verilator || die "vectors do not hold in Verilator"
    VEC_ONLY=$some "$work/golden/run.sh" rtl icarus || die "vectors do not hold in Icarus"
    VEC_ONLY='^block-(ctimer|message)/' "$work/golden/run.sh" rtl verilator || die "steps do not hold in Verilator"
fi

# One digit of a memory is changed; the last word of the file, where nothing else is said.
readonly victim=$work/golden/receive-tiny/directed-gaps
bites() { # what file line rule
    cp "$victim/$2.hex" "$work/kept.hex"
    awk -v line="$3" -v back="$5" 'NR == line { c = substr($0, length($0) - back, 1); $0 = substr($0, 1, length($0) - back - 1) (c == "0" ? "1" : "0") substr($0, length($0) - back + 1) } { print }' \
        "$work/kept.hex" >"$victim/$2.hex"
    for tool in icarus verilator; do
        VEC_ONLY='/directed-gaps$' "$work/golden/run.sh" rtl "$tool" >"$work/said" 2>&1 && die "$tool does not notice another $1"
        grep -q "FAIL directed-gaps.*$4" "$work/said" || { cat "$work/said" >&2; die "$tool names no rule $4 for another $1"; }
    done
    cp "$work/kept.hex" "$victim/$2.hex"
    echo "  another $1 is noticed in both: $4"
}
bites "place in memory" fate 2 R-PLACE 6
bites "byte of payload" data 1 R-MEMWRITE 0
bites "drop reason" fate 3 R-ADMIT 0
bites "completion" cpl 1 R-COMPLETE 20
bites "state of a path" state "$(wc -l <"$victim/state.hex")" 'ack\.' 70
bites "confirmed command" done 1 R-CMDDONE 8
