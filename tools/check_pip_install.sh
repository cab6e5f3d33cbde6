#!/usr/bin/env bash
# Installs a build into an empty prefix, makes a virtual environment, installs python/ there with pip against that prefix, and runs the
# module's tests on what was installed. Needs the network for pip; exits with 77 without it. Usage: check_pip_install.sh BUILD PYTHON
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "[pip] $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
"$2" -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip --disable-pip-version-check)
"${pip[@]}" install -q pytest numpy 2>"$work/pip.log" || { tail -1 "$work/pip.log"; echo "[pip] no packages can be fetched: skipped"; exit 77; }
package=$(dirname "$(find "$work/prefix" -name foveaConfig.cmake)")
"${pip[@]}" install -q "$source/python" --config-settings="cmake.define.fovea_DIR=$package" --config-settings="build-dir=$work/build" || fail "pip install ./python failed"

# The installed library goes away: the wheel carries its own.
rm -rf "$work/prefix/lib"
cd "$work"
env -u PYTHONPATH FOVEA_COMMAND="$build/fovea" "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$source/python/tests" ||
  fail "the tests fail on what pip installed"
