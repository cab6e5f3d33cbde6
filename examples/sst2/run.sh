#!/usr/bin/env bash
# Sentiment of film reviews: a sentence encoder of Hugging Face's is imported and fine-tuned.
# Usage: run.sh SST2_DIR MINILM_DIR OUT          SST2_DIR holds train.tsv, dev.tsv, test.tsv: sentence, tab, label
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# -eq 3 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
data=$1 model=$2 out=$3
build/fovea train --model bert --task labels --pretrained "$model" --train-sets "$data/train.tsv" --valid-sets "$data/dev.tsv" \
  --mini-batch 32 --learn-rate 1e-4 --lr-schedule cosine --lr-warmup 40u --valid-freq 100u --after 3e --out "$out"
# The schedule ends at 0: its end is the model, whichever validation happened to be the best of a few.
cut -f1 "$data/test.tsv" | build/fovea classify -m "$out/last" | cut -f1 > "$out/test.labels"
cut -f2 "$data/test.tsv" > "$out/test.gold"
build/fovea eval --hyp "$out/test.labels" --ref "$out/test.gold" --metric exact
