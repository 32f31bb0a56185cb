#!/usr/bin/env bash
# Lint of rtl/: Verilator -Wall, Icarus -Wall and Yosys must accept every module as a top at its defaults (preset tiny)
# without a message that waivers.txt does not give a reason for; mr_rx_top also elaborates in Verilator at every preset.
# Usage: rtl/lint/lint.sh [MODULE...]      Exit: 0 clean, 1 messages, 2 a tool or a file is missing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
list=rtl/files.f
waivers=rtl/lint/waivers.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { echo "lint: $1" >&2; exit 2; }
for tool in verilator iverilog yosys; do
  command -v "$tool" >/dev/null || die "$tool is not installed; see scripts/need.sh"
done
[[ -f $list ]] || die "$list is missing"

mapfile -t files < <(grep -v '^+' "$list")
includes=(-Irtl/gen -Irtl/common)
for f in "${files[@]}"; do [[ -f $f ]] || die "$list names $f, which does not exist"; done
for f in rtl/*/*.sv; do
  grep -qxF "$f" "$list" || [[ $f == rtl/formal/* ]] || die "$f is in no file list; add it to $list"
done

modules=("$@")
if [[ ${#modules[@]} -eq 0 ]]; then
  for f in "${files[@]}"; do
    [[ $f == rtl/gen/* ]] || modules+=("$(basename "$f" .sv)")
  done
fi

# One file of messages a tool; a failed tool without a message is a message too.
for m in "${modules[@]}"; do
  verilator --lint-only -Wall --top-module "$m" -f "$list" >>"$work/verilator" 2>&1 ||
    echo "verilator: $m: failed" >>"$work/verilator"
  iverilog -g2012 -Wall -s "$m" -o "$work/out" -f "$list" >>"$work/iverilog" 2>&1 ||
    echo "iverilog: $m: failed" >>"$work/iverilog"
done

# Every preset elaborates at the top.
while read -r name params; do
  # shellcheck disable=SC2086
  verilator --lint-only -Wall --top-module mr_rx_top $params -f "$list" >>"$work/verilator" 2>&1 ||
    echo "verilator: mr_rx_top at preset $name: failed" >>"$work/verilator"
done < <(awk '
  function camel(s,  n, w, i, r) { n = split(s, w, "_"); r = ""; for (i = 1; i <= n; i++) r = r toupper(substr(w[i], 1, 1)) substr(w[i], 2); return r }
  $1 == "preset" { if (name) print name line; name = $2; line = "" }
  $1 == "param" && name { line = line " -G" camel($2) "=" $3 }
  END { if (name) print name line }' model/spec/constant.tbl)

{
  echo "read_verilog -sv ${includes[*]} ${files[*]}"
  echo "design -save all"
  for m in "${modules[@]}"; do
    echo "design -load all"
    echo "hierarchy -check -top $m"
    echo "proc"
    echo "check -assert"
  done
} >"$work/yosys.ys"
yosys -q -s "$work/yosys.ys" >>"$work/yosys" 2>&1 || echo "yosys: failed" >>"$work/yosys"

bad=0
for tool in verilator iverilog yosys; do
  touch "$work/$tool"
  while IFS='|' read -r wtool pattern reason; do
    [[ $wtool =~ ^[[:space:]]*# || -z ${wtool// /} ]] && continue
    [[ ${wtool// /} == "$tool" ]] || continue
    pattern=$(sed 's/^ *//; s/ *$//' <<<"$pattern")
    [[ -n ${reason// /} ]] || die "$waivers: '$pattern' has no reason"
    if grep -qE "$pattern" "$work/$tool"; then
      grep -vE "$pattern" "$work/$tool" >"$work/left" || true
      mv "$work/left" "$work/$tool"
    elif [[ $# -eq 0 ]]; then
      echo "lint: waiver for $tool matches nothing, remove it: $pattern"
      bad=1
    fi
  done <"$waivers"
  if [[ -s $work/$tool ]]; then
    echo "lint: $tool says:"
    head -n 40 "$work/$tool"
    bad=1
  fi
done
[[ $bad -eq 0 ]] && echo "lint: ${#modules[@]} modules clean in verilator, iverilog and yosys"
exit "$bad"
