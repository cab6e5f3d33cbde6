#!/usr/bin/env bash
# English to Korean on the built-in grammar with a Transformer: trains, and tests on sentences that were not in training.
# Usage: run.sh OUT        FOVEA=build/fovea by default; further settings of `fovea train` can be given in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -eq 1 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
out=$1
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
# shellcheck disable=SC2086
"$fovea" train --config "$here/transformer.yml" ${TRAIN:-} --out "$out"
"$fovea" corpus grammar --out "$out/corpus" >/dev/null
"$fovea" translate -m "$out" <"$out/corpus/test.en" >"$out/test.ko"
"$fovea" eval --hyp "$out/test.ko" --ref "$out/corpus/test.ko" --metric exact,bleu
