#!/usr/bin/env bash
# Benches of rtl/common in Icarus and in Verilator. Exit: 0 all passed, 1 a bench failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # BENCH PARAMETER VALUE
  iverilog -g2012 -s "$1" "-P$1.$2=$3" -o "$work/icarus" rtl/common/*.sv "rtl/common/tb/$1.sv" >/dev/null
  echo "icarus: $(vvp -n "$work/icarus" | grep '^PASS' || { vvp -n "$work/icarus" | head -5 >&2; exit 1; })"
  rm -rf "$work/obj"
  verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style --top-module "$1" "-G$2=$3" --Mdir "$work/obj" -o bench \
    rtl/common/*.sv "rtl/common/tb/$1.sv" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  echo "verilator: $("$work/obj/bench" | grep '^PASS' || { "$work/obj/bench" | head -5 >&2; exit 1; })"
}

for latency in 1 2 3; do run mr_rmw_tb RamLatency "$latency"; done
for depth in 1 2 5; do run mr_queue_tb Depth "$depth"; done
