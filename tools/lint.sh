#!/usr/bin/env bash
# clang-format, the layer check, then clang-tidy: a few seconds for a file, so give it files to look at only those.
# Usage: lint.sh [FILE.cc ...]   (build/compile_commands.json must exist)
set -uo pipefail
cd "$(dirname "$0")/.."
bad=0
echo "== clang-format"
git ls-files -co --exclude-standard '*.cc' '*.h' | xargs clang-format --dry-run --Werror || bad=1
echo "== layers"
tools/check_layers.sh . || bad=1
# Files that are compiled once for each SIMD target include themselves: clang-tidy sees them through the others.
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files -co --exclude-standard 'fovea/*.cc' | grep -v '_simd\.cc$')
echo "== clang-tidy, ${#files[@]} files"
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -I{} bash -c 'echo "   {}"; clang-tidy --quiet -p build {} 2> >(grep -v "warnings generated" >&2)' || bad=1
exit "$bad"
