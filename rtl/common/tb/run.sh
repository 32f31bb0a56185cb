#!/usr/bin/env bash
# Benches of rtl/common in Icarus and in Verilator. Exit: 0 all passed, 1 a bench failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A bench passes if it says so; one that stops, hangs or says nothing has not.
verdict() { # TOOL BENCH COMMAND...
  local tool=$1 bench=$2
  shift 2
  if ! timeout 120 "$@" >"$work/said" 2>&1 || ! grep '^PASS' "$work/said" >"$work/pass"; then
    echo "$tool: $bench did not pass:" >&2
    head -n 5 "$work/said" >&2
    exit 1
  fi
  echo "$tool: $(cat "$work/pass")"
}

run() { # BENCH PARAMETER VALUE
  iverilog -g2012 -s "$1" "-P$1.$2=$3" -o "$work/icarus" rtl/common/*.sv "rtl/common/tb/$1.sv" >/dev/null
  verdict icarus "$1" vvp -n "$work/icarus"
  rm -rf "$work/obj"
  verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style --top-module "$1" "-G$2=$3" --Mdir "$work/obj" -o bench \
    rtl/common/*.sv "rtl/common/tb/$1.sv" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  verdict verilator "$1" "$work/obj/bench"
}

for latency in 1 2 3; do run mr_rmw_tb RamLatency "$latency"; done
for depth in 1 2 5; do run mr_queue_tb Depth "$depth"; done
