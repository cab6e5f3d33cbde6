#!/usr/bin/env bash
# Runs the fast tests in a sanitizer build. Usage: run_sanitized.sh asan|tsan
set -euo pipefail
cd "$(dirname "$0")/.."
# Debian's oneDNN and OpenMP are not instrumented: blocks that OpenMP and fontconfig hold until exit are not leaks of ours.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# Left out: kills that are aimed at moments of a build at full speed, and a study of the whole grammar.
exec ctest --test-dir "build-$1" --output-on-failure -j "$(nproc)" -LE 'long|slow' \
  -E 'TrainUnderFire\.SixtyKills|StudyVerb\.TheBuiltInGrammar'
