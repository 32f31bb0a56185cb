#!/usr/bin/env bash
# Bench of mr_rx_core in Icarus and in Verilator at every RamLatency. Exit: 0 all passed, 1 a bench failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A bench passes only if it says so; one that stops, hangs or says nothing has not.
verdict() { # TOOL COMMAND...
  local tool=$1
  shift
  timeout 300 "$@" >"$work/said" 2>&1 || true
  grep '^PASS' "$work/said" >"$work/pass" || { echo "$tool: mr_rx_core_tb did not pass:" >&2; head -n 5 "$work/said" >&2; exit 1; }
  echo "$tool: $(cat "$work/pass")"
}

for latency in 1 2 3; do
  iverilog -g2012 -s mr_rx_core_tb "-Pmr_rx_core_tb.RamLatency=$latency" -o "$work/icarus" -f rtl/files.f \
    rtl/top/tb/mr_rx_core_tb.sv >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  verdict icarus vvp -n "$work/icarus"
  rm -rf "$work/obj"
  verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style --top-module mr_rx_core_tb "-GRamLatency=$latency" \
    --Mdir "$work/obj" -o bench -f rtl/files.f rtl/top/tb/mr_rx_core_tb.sv >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  verdict verilator "$work/obj/bench"
done
