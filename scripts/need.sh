#!/bin/bash
# Sees to the tools of Debian's packages: installs what is missing when it may (root, or sudo without a password),
# else names the packages and stops. Silent and quick when everything is there. `--check` never installs.
# usage: scripts/need.sh [--check] [COMMAND...]      no COMMAND: all of them, but those that are large, or daemons, and for one test
set -euo pipefail

# command or header: package that brings it. zlib.h is for wave windows: Verilator's FST writer compresses with it.
readonly known='verilator:verilator g++:g++ zlib.h:zlib1g-dev iverilog:iverilog yosys:yosys z3:z3 tshark:tshark fst2vcd:gtkwave'
# not among all of them: whoever needs one names it
readonly named='chromium:chromium munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client'
# where headers are looked for, and daemons, which not everybody's PATH has; a test points them elsewhere
readonly include=${NEED_INCLUDE:-/usr/include} sbin=${NEED_SBIN:-/usr/sbin}

check_only=no
if [ "${1:-}" = --check ]; then
    check_only=yes
    shift
fi

package_of() {
    local pair
    for pair in $known $named; do
        if [ "${pair%%:*}" = "$1" ]; then
            printf '%s' "${pair##*:}"
            return
        fi
    done
    printf 'need.sh: no package is known for command "%s"; known are: %s\n' "$1" "$known $named" >&2
    exit 2
}

present() {
    case $1 in
    *.h) [ -e "$include/$1" ] ;;
    *) command -v "$1" >/dev/null || [ -x "$sbin/$1" ] ;;
    esac
}

wanted=("$@")
if [ ${#wanted[@]} -eq 0 ]; then
    for pair in $known; do wanted+=("${pair%%:*}"); done
fi

missing=()
for command in "${wanted[@]}"; do
    package=$(package_of "$command")
    present "$command" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

# as_root: how to become root without asking anybody, empty array for "already are"
as_root=()
may=yes
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo -n); else may=no; fi
fi
command -v apt-get >/dev/null || may=no
if [ "$check_only" = yes ] || [ "$may" = no ]; then
    printf 'Missing tools. Install these packages (Debian names), then run the command again:\n    apt-get install %s\n' "${missing[*]}" >&2
    exit 2
fi

printf 'Installing missing packages: %s\n' "${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quiet() {
    "$@" >"$log" 2>&1 && return
    printf 'need.sh: failed: %s\nIts last lines:\n' "$*" >&2
    tail -n 15 "$log" >&2
    exit 2
}
quiet "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update
quiet "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"

still=()
for command in "${wanted[@]}"; do present "$command" || still+=("$command"); done
if [ ${#still[@]} -gt 0 ]; then
    printf 'need.sh: installed, but these are still not to be found: %s\n' "${still[*]}" >&2
    exit 2
fi
