#!/bin/bash
# Replays vectors/golden/<engine>/step.hex in Icarus on every step: on its source, and on the netlist that Yosys makes of
# it, which has to behave the same. Icarus knows X, so a value that nobody drives shows here.
# usage: scripts/step_vectors.sh [ENGINE...]      no ENGINE: all that have vectors
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=build/step_vectors
readonly golden=vectors/golden
mkdir -p "$work"

die() { echo "step_vectors.sh: $*" >&2; exit 2; }

# Width of a packed struct, by its constant in mr_pkg.
width() {
    local w
    w=$(sed -nE "s/.*localparam int $1W = ([0-9]+);.*/\1/p" rtl/gen/mr_pkg.sv)
    [ -n "$w" ] || die "rtl/gen/mr_pkg.sv has no $1W"
    printf '%s' "$w"
}

# Macros of mr_step_tb.sv for an engine.
macros() { # engine
    local camel=${1^} lines
    lines=$(grep -cv '^//' "$golden/$1/step.hex") || die "$golden/$1/step.hex has no vector"
    printf -- '-DSTEP=mr_%s_step -DFILE="%s" -DLINES=%s -DIN_W=%s -DOUT_W=%s' "$1" "$golden/$1/step.hex" "$lines" \
        "$(width "${camel}In")" "$(width "${camel}Out")"
    case $1 in
    ctimer) printf -- ' -DNO_ROW -DROW_W=0' ;;
    message) printf -- ' -DROW_W=%s -DROW2_W=%s' "$(width MessageSlot)" "$(width MessageStream)" ;;
    *) printf -- ' -DROW_W=%s' "$(width "$camel$(row "$1")")" ;;
    esac
}

# Name of the one row of an engine.
row() {
    case $1 in
    admit) echo Conn ;;
    window | coalesce | ack) echo Path ;;
    key) echo Key ;;
    recv) echo Recv ;;
    place) echo Tally ;;
    complete) echo Stream ;;
    *) die "which row does $1 have? add it here" ;;
    esac
}

replay() { # engine, source or netlist, files...
    local engine=$1 what=$2 macro
    shift 2
    eval "macro=($(macros "$engine" | sed 's/-DFILE="\([^"]*\)"/-DFILE='"'"'"\1"'"'"'/'))"
    iverilog -g2012 -Irtl/gen -Irtl/common -s mr_step_tb "${macro[@]}" -o "$work/$engine-$what" vectors/export/bench/mr_step_tb.sv "$@" > "$work/$engine-$what.log" 2>&1 ||
        { cat "$work/$engine-$what.log" >&2; die "$engine: Icarus does not take the $what"; }
    # bounded: a combinational loop, or what Icarus takes for one, spins in zero time
    if ! timeout 120 vvp -n "$work/$engine-$what" > "$work/$engine-$what.log" 2>&1 || ! grep -q ' vectors held' "$work/$engine-$what.log"; then
        echo "$engine, $what:" >&2
        cat "$work/$engine-$what.log" >&2
        exit 1
    fi
    printf '  %-9s %-8s %s\n' "$engine" "$what" "$(grep ' vectors held' "$work/$engine-$what.log")"
}

engines=("$@")
if [ ${#engines[@]} -eq 0 ]; then
    for f in "$golden"/*/step.hex; do engines+=("$(basename "$(dirname "$f")")"); done
fi
[ -e "$golden/${engines[0]}/step.hex" ] || die "no vectors: $golden/${engines[0]}/step.hex does not exist"

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
