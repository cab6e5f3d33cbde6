#!/usr/bin/env bash
# Builds what a sanitizer looks at, and runs it. Usage: run_sanitized.sh asan|tsan
#   asan   address and undefined: the fast tests of all rooms, and the fuzz targets
#   tsan   threads: the tests of the rooms that start them or share something between them
set -euo pipefail
cd "$(dirname "$0")/.."
threaded=(base kernels run decode library)
case "$1" in
  asan) targets=(all) some=. without= ;;
  tsan) targets=("${threaded[@]/%/_test}") some="^($(IFS='|'; echo "${threaded[*]}"))/" without='|Library\.AChildOfFork|AnInstalledPackage' ;;
  *) echo "usage: $0 asan|tsan" >&2; exit 2 ;;
esac
echo "== configure and build ($1)"
cmake --preset "$1" > /dev/null
cmake --build --preset "$1" -j "$(nproc)" --target "${targets[@]}"
echo "== test ($1)"
# Debian's oneDNN, OpenMP and fontconfig are not instrumented: blocks that the latter two hold until exit are not leaks of ours, and what
# their threads do to each other's memory is not seen to be in order.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tools/tsan.supp
# Left out: kills that are aimed at moments of a build at full speed, a study of the whole grammar, studies of pictures that are run twice, and, under the thread sanitizer, threads
# of a child of fork, which it does not know.
exec ctest --test-dir "build-$1" --output-on-failure -j "$(nproc)" -R "$some" -LE 'long|slow' \
  -E "TrainUnderFire\.SixtyKills|StudyVerb\.TheBuiltInGrammar|PictureStudy\..*GoesOnWhereItStopped$without"
