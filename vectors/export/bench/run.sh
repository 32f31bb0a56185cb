#!/usr/bin/env bash
# Runs exported vectors on RTL, with neither Go nor a socket.
# usage: run.sh RTL [icarus|verilator|both]     RTL: the folder rtl/ of the design, with files.f
# Environment: VEC_ONLY, an extended regular expression: only groups/vectors whose name it matches. VEC_WORK: where to build.
# VEC_LIMIT: seconds a vector may take (300).
# Exit: 0 all pass, 1 a vector fails, 2 the bench cannot be built or nothing was run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wrong() { printf '%s\nusage: run.sh RTL [icarus|verilator|both]     RTL: the folder rtl/ of the design, with files.f\n' "$1" >&2; exit 2; }
[ $# -ge 1 ] || wrong 'RTL is missing'
[ -e "$1/files.f" ] || wrong "there is no files.f in $1"
rtl=$(cd "$1" && pwd)
tools=${2:-both}
case $tools in icarus | verilator | both) ;; *) wrong "$tools: want icarus, verilator or both" ;; esac
work=${VEC_WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${VEC_WORK:-}" ] || trap 'rm -rf "$work"' EXIT
sources=()
while read -r f; do sources+=("$(dirname "$rtl")/$f"); done < <(grep -v '^+' "$rtl/files.f")
passed=0 failed=0

want() { [ "$tools" = both ] || [ "$tools" = "$1" ]; }

# Builds the bench of a group when its first vector is run and no build is newer than the vectors; the result is $work/TOOL-GROUP.
build() { # tool group
  local out="$work/$1-$2" top=mr_vector_tb
  [[ $2 == block-* ]] && top=mr_step_tb
  echo "$1: building $2 and running its vectors" >&2
  case $1 in
  icarus)
    iverilog -g2012 "-I$rtl/gen" "-I$rtl/common" "-I$here/$2" -s "$top" -o "$out" "${sources[@]}" "$here/$top.sv" >"$out.log" 2>&1 ;;
  verilator)
    verilator --binary --timing -j 0 -Wno-fatal -Wno-lint -Wno-style "-I$rtl/gen" "-I$rtl/common" "-I$here/$2" --top-module "$top" --Mdir "$out.obj" -o bench \
      "${sources[@]}" "$here/$top.sv" >"$out.log" 2>&1 && cp "$out.obj/bench" "$out" ;;
  esac || { echo "$1: cannot build $2:" >&2; tail -n 5 "$out.log" >&2; exit 2; }
}

# One vector; a bench that stops, hangs or says nothing has not passed.
run() { # tool group name args...
  local tool=$1 group=$2 name=$3 said="$work/said"
  shift 3
  [[ $group/$name =~ ${VEC_ONLY:-.} ]] || return 0
  [ "$work/$tool-$group" -nt "$(echo "$here/$group"/*.svh)" ] || build "$tool" "$group"
  local bench="$work/$tool-$group"
  local cmd=("$bench")
  [ "$tool" = icarus ] && cmd=(vvp -n "$bench")
  if { timeout "${VEC_LIMIT:-300}" "${cmd[@]}" "$@" </dev/null; } >"$said" 2>&1 && grep -qE '^PASS|vectors held' "$said"; then
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
    if [[ $group == block-* ]]; then
      pushd "$dir" >/dev/null
      run "$tool" "$group" steps
      popd >/dev/null
    else
      while read -r name; do run "$tool" "$group" "$name" "+dir=$dir/$name" "+name=$name"; done <"$dir/index.txt"
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || { echo "nothing was run${VEC_ONLY:+: no vector of $here is called like VEC_ONLY=$VEC_ONLY}" >&2; exit 2; }
