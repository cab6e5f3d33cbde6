#!/usr/bin/env bash
# A captioner that names emoji: learns from the drawings of two vendors, and is tested on a third's.
# Usage: run.sh DATA OUT     DATA: what prepare.py wrote. FOVEA=build/fovea by default; further settings of `fovea train` in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
data=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
# shellcheck disable=SC2086
"$fovea" train --model captioner --pictures "$data" --captions "$data/train.tsv" --picture-size 32 --tokenizer word \
  --shift 4 --colour 0.4 --dropout 0.2 --valid-metrics cross-entropy exact --valid-freq 1m --after 15m ${TRAIN:-} --out "$out"
"$fovea" eval -m "$out" --pictures "$data" --captions "$data/test.tsv" --beam-size 4
