#!/bin/bash
# Proves the properties of mr_window_prop.sv about mr_window_step: for all inputs, in every state, by induction.
# usage: prove.sh [--bits N] [--bugs]
#   --bits N   window of N packets (default 16, in seconds; the device's 256 takes minutes). Only the vector is narrowed,
#              by a copy of the generated types; the source of the step is the one that is built.
#   --bugs     then plants each bug of bugs.txt into a copy of the step: the proof must fail on every one
# What Yosys says is kept in build/formal. Exit: 0 proven (and every bug caught), 1 not, 2 the bench failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

bits=16
bugs=no
while [ $# -gt 0 ]; do
    case $1 in
    --bits) bits=$2; shift 2 ;;
    --bugs) bugs=yes; shift ;;
    *) echo "prove.sh: what is $1? usage: prove.sh [--bits N] [--bugs]" >&2; exit 2 ;;
    esac
done

readonly work=build/formal/$bits
readonly sources=(rtl/window/mr_window_run.sv rtl/window/mr_window_step.sv)
mkdir -p "$work"

die() { echo "prove.sh: $*" >&2; exit 2; }

# Copies a generated file with one line changed; more or fewer than one is an error, for then the file has another shape.
change() { # from to pattern replacement
    local n
    n=$(grep -cE "$3" "$1") || :  # none is 0, and an exit code
    [ "$n" = 1 ] || die "$1 has $n lines like /$3/, and one is expected"
    sed -E "s/$3/$4/" "$1" > "$2"
}

# Narrow types. No step may use bit positions of the row, for those are not narrowed.
narrow() {
    local full width
    full=$(sed -nE 's/.*localparam int WindowBits = ([0-9]+);.*/\1/p' rtl/gen/mr_pkg.sv)
    width=$(sed -nE 's/.*localparam int WindowPathW = ([0-9]+);.*/\1/p' rtl/gen/mr_pkg.sv)
    [ -n "$full" ] && [ -n "$width" ] || die "rtl/gen/mr_pkg.sv has no WindowBits or no WindowPathW"
    if grep -n 'mr_pkg::WindowPath[A-Za-z]*Lsb' "${sources[@]}"; then die "the step uses a bit position of its row"; fi
    change rtl/gen/mr_pkg.sv "$work/pkg" "localparam int WindowBits = $full;" "localparam int WindowBits = $bits;"
    change "$work/pkg" "$work/mr_pkg.sv" "localparam int WindowPathW = $width;" "localparam int WindowPathW = $((width - full + bits));"
    awk -v from="[$((full - 1)):0]" -v to="[$((bits - 1)):0]" '
        { text = text $0 "\n" }
        /^typedef struct/ { text = $0 "\n" }
        /^} mr_window_path_t;/ { at = index(text, from); text = substr(text, 1, at - 1) to substr(text, at + length(from)); done += at > 0 }
        /^}/ || !/./ { printf "%s", text; text = "" }
        END { printf "%s", text; exit done != 1 }' rtl/gen/mr_types.svh > "$work/mr_types.svh" ||
        die "rtl/gen/mr_types.svh: found no vector of $full bits in mr_window_path_t"
}

# Runs the proof of one group over the sources in $1/ and says in one word what came of it: proven, refuted, lost, failed.
prove_group() { # directory with the step's sources, group
    local dir=$1 group=$2 log=$1/log.$2
    yosys -p "
        read_verilog -formal -sv -DPROVE_$group -I$work $work/mr_pkg.sv $dir/*.sv rtl/formal/mr_window_inv.sv rtl/formal/mr_window_prop.sv
        hierarchy -check -top mr_window_prop; prep -flatten -top mr_window_prop; setattr -set keep 1 w:p_*
        opt -full; opt_clean -purge; select -set props w:p_*
        sat -prove-asserts -set-assumes -show @props" > "$log" 2>&1 || :  # the log has the verdict
    # a constant here is a property or an assumption that Yosys has lost: it would hold of anything
    if grep -qE "^Import (constraint from assume cell|proof for assert): 1'[0x]" "$log"; then echo lost
    elif grep -q 'SAT proof finished - no model found: SUCCESS' "$log"; then echo proven
    elif grep -q 'SAT proof finished - model found: FAIL' "$log"; then echo refuted
    else echo failed
    fi
}

# Properties that are 0 in the trace that Yosys printed for a group.
broken() { { grep -oE '^ *\\p_[a-z_0-9]+ +0 ' "$1" || :; } | grep -oE 'p_[a-z_0-9]+' | sort -u | paste -sd ' '; }

# All groups, two at a time; a line "group verdict" each.
prove() {
    export -f prove_group
    export work
    printf '%s\n' $groups | xargs -P 2 -I{} bash -c 'echo "{} $(prove_group "$0" {})"' "$1" | sort > "$1/verdicts"
    [ "$(wc -l < "$1/verdicts")" = "$(wc -w <<< "$groups")" ] || die "a proof ended without a verdict: see $1"
    local group verdict
    while read -r group verdict; do
        case $verdict in
        proven | refuted) ;;
        *) tail -n 5 "$1/log.$group" >&2; die "Yosys gave no verdict ($verdict): see $1/log.$group" ;;
        esac
    done < "$1/verdicts"
}

# The groups of $1 that did not hold, each with the properties that break.
failures() {
    local group verdict
    while read -r group verdict; do
        [ "$verdict" = proven ] || printf '%s: %s; ' "$group" "$(broken "$1/log.$group")"
    done < "$1/verdicts"
}

groups=$(grep -oE '^`ifdef PROVE_[A-Z]+' rtl/formal/mr_window_prop.sv | sed 's/.*_//' | tr '\n' ' ')
properties=$(grep -oE '^ *assert \(p_[a-z_0-9]+' rtl/formal/mr_window_prop.sv | sort -u | wc -l)
[ "$properties" -gt 0 ] && [ -n "$groups" ] || die "rtl/formal/mr_window_prop.sv asserts nothing"
narrow
mkdir -p "$work/step"
cp "${sources[@]}" "$work/step/"
prove "$work/step"
bad=$(failures "$work/step")
if [ -n "$bad" ]; then
    echo "mr_window_step, window of $bits: NOT proven: ${bad%; }; what breaks it in $work/step/log.*" >&2
    exit 1
fi
echo "mr_window_step, window of $bits: $properties properties proven"
[ "$bugs" = yes ] || exit 0

count=0
while IFS='|' read -r name file pattern replacement; do
    case $name in '' | '#'*) continue ;; esac
    dir=$work/bug-$name
    mkdir -p "$dir"
    cp "${sources[@]}" "$dir/"
    n=$(grep -cF -- "$pattern" "$dir/$file") || :
    [ "$n" = 1 ] || die "bugs.txt: $name: $file has $n lines with '$pattern', and one is expected"
    P=$pattern R=$replacement perl -pi -e 's/\Q$ENV{P}\E/$ENV{R}/' "$dir/$file"
    prove "$dir"
    bad=$(failures "$dir")
    if [ -z "$bad" ]; then
        echo "  bug $name: NOT caught: the proof holds with it" >&2
        exit 1
    fi
    printf '  bug %-10s caught: %s\n' "$name" "${bad%; }"
    count=$((count + 1))
done < rtl/formal/bugs.txt
[ $count -gt 0 ] || die "bugs.txt has no bug"
echo "$count of $count planted bugs break the proof"
