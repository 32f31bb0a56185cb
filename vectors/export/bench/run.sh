#!/usr/bin/env bash
# Runs exported vectors on RTL, with neither Go nor a socket.
# usage: run.sh RTL [icarus|verilator|both]     RTL: the folder rtl/ of the design, with files.f
# Exit: 0 all pass, 1 a vector fails, 2 the bench cannot be built or nothing was run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] && [ -e "$1/files.f" ] || { echo "usage: run.sh RTL [icarus|verilator|both]" >&2; exit 2; }
rtl=$(cd "$1" && pwd)
tools=${2:-both}
work=${VEC_WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${VEC_WORK:-}" ] || trap 'rm -rf "$work"' EXIT
sources=()
while read -r f; do sources+=("$(dirname "$rtl")/$f"); done < <(grep -v '^+' "$rtl/files.f")
passed=0 failed=0

want() { [ "$tools" = both ] || [ "$tools" = "$1" ]; }

# Builds a bench: TOOL TOP BENCH INCLUDES; the result is $work/TOOL-GROUP.
build() { # tool group top bench include
  local out="$work/$1-$2"
  case $1 in
  icarus)
    iverilog -g2012 "-I$rtl/gen" "-I$rtl/common" "-I$5" -s "$3" -o "$out" "${sources[@]}" "$here/$4" >"$out.log" 2>&1 ;;
  verilator)
    verilator --binary --timing -j 0 -Wno-fatal -Wno-lint -Wno-style "-I$rtl/gen" "-I$rtl/common" "-I$5" --top-module "$3" --Mdir "$out.obj" -o bench \
      "${sources[@]}" "$here/$4" >"$out.log" 2>&1 && cp "$out.obj/bench" "$out" ;;
  esac || { echo "$1: cannot build $2:" >&2; tail -n 5 "$out.log" >&2; exit 2; }
}

# One vector; a bench that stops, hangs or says nothing has not passed.
run() { # tool group name args...
  local tool=$1 group=$2 name=$3 said="$work/said"
  shift 3
  local bench="$work/$tool-$group"
  local cmd=("$bench")
  [ "$tool" = icarus ] && cmd=(vvp -n "$bench")
  if timeout "${VEC_LIMIT:-300}" "${cmd[@]}" "$@" >"$said" 2>&1 && grep -qE '^PASS|vectors held' "$said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$tool: $group/$name does not pass: $(grep -E 'FAIL|FATAL|vector [0-9]' "$said" | head -n 1 || true)"
  fi
}

for dir in "$here"/receive-* "$here"/block-*; do
  [ -d "$dir" ] || continue
  group=$(basename "$dir")
  for tool in icarus verilator; do
    want "$tool" || continue
    case $group in
    receive-*)
      build "$tool" "$group" mr_vector_tb mr_vector_tb.sv "$dir"
      while read -r name; do run "$tool" "$group" "$name" "+dir=$dir/$name" "+name=$name"; done <"$dir/index.txt" ;;
    block-*)
      build "$tool" "$group" mr_step_tb mr_step_tb.sv "$dir"
      pushd "$dir" >/dev/null && run "$tool" "$group" steps && popd >/dev/null ;;
    esac
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || { echo "nothing was run" >&2; exit 2; }
