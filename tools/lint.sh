#!/usr/bin/env bash
# clang-format, clang-tidy and the layer check. Usage: lint.sh   (build/compile_commands.json must exist)
set -uo pipefail
cd "$(dirname "$0")/.."
bad=0
echo "== clang-format"
git ls-files '*.cc' '*.h' | xargs clang-format --dry-run --Werror || bad=1
echo "== layers"
tools/check_layers.sh . || bad=1
echo "== clang-tidy"
# Files that are compiled once for each SIMD target include themselves: clang-tidy sees them through the others.
git ls-files 'fovea/*.cc' | grep -v '_simd\.cc$' |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build 2>/dev/null || bad=1
exit "$bad"
