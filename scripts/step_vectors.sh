#!/bin/bash
# Replays the golden vectors of every step in Icarus: on its source, and on the netlist that Yosys makes of it, which has
# to behave the same. Icarus knows X, so a value that nobody drives shows here.
# usage: scripts/step_vectors.sh [ENGINE...]      no ENGINE: all that have vectors
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=build/step_vectors
readonly golden=vectors/golden
mkdir -p "$work"

die() { echo "step_vectors.sh: $*" >&2; exit 2; }

engines=("$@")
if [ ${#engines[@]} -eq 0 ]; then
    for f in "$golden"/*/steps.mrv; do engines+=("$(basename "$(dirname "$f")")"); done
fi
files=()
for engine in "${engines[@]}"; do
    [ -e "$golden/$engine/steps.mrv" ] || die "no vectors: $golden/$engine/steps.mrv does not exist"
    files+=("$golden/$engine/steps.mrv")
done
rm -rf "$work/export"
${GO:-go} run ./cmd/tandem vectors export --as verilog -o "$work/export" "${files[@]}" > "$work/export.log" 2>&1 ||
    { cat "$work/export.log" >&2; die "cannot export the vectors"; }

replay() { # engine, source or netlist, files...
    local engine=$1 what=$2 dir=$PWD/$work/export/block-$1
    shift 2
    iverilog -g2012 -Irtl/gen -Irtl/common "-I$dir" -s mr_step_tb -o "$work/$engine-$what" vectors/export/bench/mr_step_tb.sv "$@" > "$work/$engine-$what.log" 2>&1 ||
        { cat "$work/$engine-$what.log" >&2; die "$engine: Icarus does not take the $what"; }
    # bounded: a combinational loop, or what Icarus takes for one, spins in zero time
    if ! (cd "$dir" && timeout 600 vvp -n "$OLDPWD/$work/$engine-$what") > "$work/$engine-$what.log" 2>&1 || ! grep -q ' vectors held' "$work/$engine-$what.log"; then
        echo "$engine, $what:" >&2
        cat "$work/$engine-$what.log" >&2
        exit 1
    fi
    printf '  %-9s %-8s %s\n' "$engine" "$what" "$(grep ' vectors held' "$work/$engine-$what.log")"
}

for engine in "${engines[@]}"; do
    top=mr_${engine}_step
    mapfile -t sources < <(grep -v '^+' rtl/files.f)
    replay "$engine" source "${sources[@]}"
    yosys -q -l "$work/$engine.yosys" -p "
        read_verilog -sv -Irtl/gen -Irtl/common ${sources[*]}
        synth -flatten -top $top
        write_verilog -noattr $work/$engine-netlist.v" > "$work/$engine.yosys.out" 2>&1 ||
        { tail -n 5 "$work/$engine.yosys.out" >&2; die "$top: Yosys made no netlist"; }
    replay "$engine" netlist "$work/$engine-netlist.v"
done
