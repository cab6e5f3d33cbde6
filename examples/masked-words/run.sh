#!/usr/bin/env bash
# Masked words: a small BERT learns English from the descriptions of Multi30k, and fills gaps.
# Usage: run.sh DATA_DIR OUT          DATA_DIR holds train.en.gz and val.en.gz
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# -eq 2 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
data=$1 out=$2
# shellcheck disable=SC2086
build/fovea train --model bert --train-sets "$data/train.en.gz" --valid-sets "$data/val.en.gz" --vocab-size 6000 \
  --enc-depth 4 --dim-model 256 --dim-ffn 1024 --heads 4 --dropout 0.1 --learn-rate 0.001 --lr-schedule cosine --lr-warmup 400u \
  --mini-batch-words 2000 --valid-freq 2e --early-stopping 0 --after 20m ${TRAIN:-} --out "$out"
build/fovea fill -m "$out" "a man is riding a [MASK] on the beach ."
build/fovea fill -m "$out" "two [MASK] are playing in the snow ."
