#!/usr/bin/env bash
# English to German on Multi30k: trains, averages the last checkpoints, translates test_2016_flickr, prints BLEU.
# Usage: run.sh DATA_DIR [OUT_DIR [RECIPE]]   DATA_DIR holds {train,val,test_2016_flickr}.{en,de}.gz; RECIPE is gru or transformer_tiny
#        FOVEA=build/fovea by default; further settings of `fovea train` can be given in TRAIN="--after 10m ..."
set -euo pipefail
data=${1:?usage: run.sh DATA_DIR [OUT_DIR [gru|transformer_tiny]]}
out=${2:-multi30k-en-de}
recipe=${3:-gru}
here=$(cd "$(dirname "$0")" && pwd)
fovea=${FOVEA:-$here/../../build/fovea}
test_set=$data/test_2016_flickr

# The same command goes on where it was stopped.
# shellcheck disable=SC2086
"$fovea" train --config "$here/$recipe.yml" ${TRAIN:-} --out "$out" \
  --train-sets "$data/train.en.gz" "$data/train.de.gz" --valid-sets "$data/val.en.gz" "$data/val.de.gz"
"$fovea" average -m "$out" --out "$out/average"
for model in best average; do
  gunzip -c "$test_set.en.gz" | "$fovea" translate -m "$out/$model" --beam-size 5 >"$out/test.$model.de"
  echo "== $model, beam 5"
  "$fovea" eval --hyp "$out/test.$model.de" --ref "$test_set.de.gz" --metric bleu,chrf
done
