#!/usr/bin/env bash
# Trains a character model on tinyshakespeare and lets it write.
# Usage: run.sh INPUT.TXT OUT [small|medium]        small: two minutes; medium: an hour
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# -ge 2 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
text=$1 out=$2 size=${3:-small}
common=(--model gpt --train-sets "$text" --tokenizer char --bias false)
case $size in
  small)  build/fovea train "${common[@]}" --n-layer 4 --n-head 4 --n-embd 128 --block-size 64 --mini-batch 12 --after 2000u --learn-rate 0.003 --out "$out" ;;
  medium) build/fovea train "${common[@]}" --n-layer 6 --n-head 6 --n-embd 384 --block-size 256 --mini-batch 16 --after 60m --dropout 0.2 --valid-freq 10m --out "$out" ;;
  *) echo "[example] $size: expected small or medium" >&2; exit 2 ;;
esac
build/fovea generate -m "$out" --prompt $'ROMEO:\n' -n 300 --temp 0.8 --window --seed 7
