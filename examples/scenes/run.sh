#!/usr/bin/env bash
# A captioner on the built-in scenes: trains, and tests on scenes of two and three shapes that training never drew.
# Usage: run.sh OUT [soft|exact|variational|reinforce|gumbel]     FOVEA=build/fovea by default; further settings of `fovea train` in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -ge 1 && $# -le 2 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
out=$1 how=${2:-soft}
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
case $how in
  soft) weigh=(--after 15m) ;;
  exact | variational | reinforce | gumbel) weigh=(--weigh hard --estimator "$how" --after 25m) ;;
  *) echo "run.sh: there is no way to weigh '$how'" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
"$fovea" train --model captioner --corpus scenes --valid-metrics meaning pointing variation cross-entropy --valid-freq 1m "${weigh[@]}" ${TRAIN:-} --out "$out"
"$fovea" eval -m "$out" --corpus scenes --min-shapes 2
"$fovea" corpus scenes --train 0 --valid 0 --test 4 --min-shapes 2 --out "$out/pictures" >/dev/null
"$fovea" caption -m "$out" "$out"/pictures/test/*.png --look --png "$out/strips.png"
