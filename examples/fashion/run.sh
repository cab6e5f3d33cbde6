#!/usr/bin/env bash
# Labels of Fashion-MNIST (Debian's package dataset-fashion-mnist): trains a convolutional net or a Transformer over patches, and tests it.
# Usage: run.sh OUT [cnn|vit] [DIR]     DIR: where the IDX files are. FOVEA=build/fovea by default; further settings of `fovea train` in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -ge 1 && $# -le 3 ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
out=$1 model=${2:-cnn} data=${3:-/usr/share/datasets/fashion-mnist}
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
[[ -e $data/train-images-idx3-ubyte.gz ]] || { echo "run.sh: no IDX files in $data: apt-get install dataset-fashion-mnist" >&2; exit 1; }
# shellcheck disable=SC2086
"$fovea" train --model "$model" --images "$data/train-images-idx3-ubyte.gz" --labels "$data/train-labels-idx1-ubyte.gz" --valid-split 0.02 \
  --shift 2 --flip --valid-freq 1m --after 15m ${TRAIN:-} --out "$out"
"$fovea" eval -m "$out" --images "$data/t10k-images-idx3-ubyte.gz" --labels "$data/t10k-labels-idx1-ubyte.gz"
