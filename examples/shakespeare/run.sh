#!/usr/bin/env bash
# Trains a character model on tinyshakespeare and lets it write.
# Usage: run.sh INPUT.TXT OUT [small|medium [MINUTES]]        small: two minutes; medium: 60 minutes, or so many
#        further settings of `fovea train` can be given in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -ge 2 ]] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
text=$1 out=$2 size=${3:-small} minutes=${4:-60}
fovea=${FOVEA:-$(dirname "$0")/../../build/fovea}
common=(--model gpt --train-sets "$text" --tokenizer char --bias false --out "$out")
case $size in
  small) shape=(--n-layer 4 --n-head 4 --n-embd 128 --block-size 64 --mini-batch 12 --after 2000u --learn-rate 0.003) ;;
  medium) shape=(--n-layer 6 --n-head 6 --n-embd 384 --block-size 256 --mini-batch 16 --after "${minutes}m" --lr-schedule constant
    --valid-freq "$(((minutes + 9) / 10))m" --early-stopping 0) ;;
  *) echo "[example] $size: expected small or medium" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
"$fovea" train "${common[@]}" "${shape[@]}" ${TRAIN:-}
"$fovea" generate -m "$out" --prompt $'ROMEO:\n' -n 300 --temp 0.8 --window --seed 7
