#!/usr/bin/env bash
# Installs a build into an empty prefix, builds examples/embed against it with CMake (shared and static) and with pkg-config, and runs it on
# a model, which must answer as the command does. Usage: check_install.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
sentence="abc"

fail() { echo "[install] $*" >&2; exit 1; }

cmake --install "$build" --prefix "$prefix" >"$work/install.log"
[ -x "$prefix/bin/fovea" ] || fail "the command is not there"
headers=$(cd "$prefix/include" && find . -type f | sort | tr '\n' ' ')
[ "$headers" = "./fovea/base/exception.h ./fovea/fovea.h " ] || fail "headers that are not public: $headers"

library=$(echo "$prefix"/lib*/libfovea.so.0.*)
objdump -p "$library" | grep 'SONAME *libfovea.so.0$' >/dev/null || fail "$library has another soname than libfovea.so.0"
# Symbols that are shown: those of fovea/fovea.h alone, nothing of the rooms below and no copies of others' templates.
shown=$(nm -DC --defined-only "$library" | cut -d' ' -f3-)
others=$(grep -vE '^(typeinfo( name)?|vtable) for fovea::(Error|Cancelled)$|^fovea::(Model|Map)::|^fovea::(load|attend|map_of|version|set_threads)(\[abi:cxx11\])?\(|^fovea::operator<<|^fovea::(Error|Cancelled)::~' <<<"$shown" || true)
[ -z "$others" ] || fail "the shared library shows more than its interface: $(head -5 <<<"$others")"
for file in "$library" "${library%.so.*}.a"; do
  if nm -C "$file" 2>/dev/null | grep -E '(^| )(CLI::|fovea::cli::)' >/dev/null; then fail "$file holds parts of the command"; fi
done

"$prefix/bin/fovea" train --corpus copy --corpus-size 200 --dim-emb 16 --dim-rnn 16 --after 3u --out "$work/model" >/dev/null 2>&1 ||
  fail "a model for the trial could not be trained"
expected=$("$prefix/bin/fovea" translate -m "$work/model" <<<"$sentence" 2>/dev/null)

try() {  # NAME PROGRAM
  local said
  said=$("$2" "$work/model" "$sentence") || fail "$1: the program failed"
  [ "$(head -1 <<<"$said")" = "$expected" ] || fail "$1: it says '$(head -1 <<<"$said")', the command '$expected'"
  [ "$(wc -l <<<"$said")" -gt 2 ] || fail "$1: there is no map"
  echo "$1: works"
}
for kind in OFF ON; do
  cmake -S "$source/examples/embed" -B "$work/cmake-$kind" -DCMAKE_PREFIX_PATH="$prefix" -DSTATIC=$kind >"$work/cmake.log" 2>&1 ||
    { cat "$work/cmake.log"; fail "find_package(fovea 0.2) failed"; }
  cmake --build "$work/cmake-$kind" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; fail "the program does not build"; }
  try "CMake, $([ $kind = ON ] && echo static || echo shared)" "$work/cmake-$kind/translate"
done
printf 'cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES CXX)\nfind_package(fovea 0.3 REQUIRED)\n' >"$work/CMakeLists.txt"
if cmake -S "$work" -B "$work/newer" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1; then fail "0.2 is found where 0.3 is asked for"; fi

libdir=$(dirname "$library")
export PKG_CONFIG_LIBDIR=$libdir/pkgconfig  # nothing else: what the package asks for must be enough
# shellcheck disable=SC2046
c++ -std=c++20 "$source/examples/embed/main.cc" -o "$work/translate" $(pkg-config --cflags --libs fovea) -Wl,-rpath,"$libdir" ||
  fail "the program does not build with pkg-config"
try "pkg-config" "$work/translate"
# shellcheck disable=SC2046
c++ -std=c++20 "$source/examples/embed/main.cc" -o "$work/translate_static" $(pkg-config --cflags fovea) "$libdir/libfovea.a" \
  $(pkg-config --libs --static fovea | sed 's/-lfovea//') || fail "the program does not build with pkg-config --static"
try "pkg-config --static" "$work/translate_static"
if message=$("$work/translate" "$work/nowhere" "$sentence" 2>&1); then fail "a model that is not there is no error"; fi
[[ $message == "["*nowhere* ]] || fail "an error of the shared library is not caught: $message"
[ "$(pkg-config --modversion fovea)" = "$("$prefix/bin/fovea" --version | cut -d' ' -f2)" ] || fail "pkg-config has another version than the command"
