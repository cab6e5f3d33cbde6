#!/usr/bin/env bash
# From nothing to a translator and a look into it: trains English -> Korean on the built-in grammar, tests it on sentences it
# has never seen, and shows where it looked. Usage: demo.sh [DIR]     (FOVEA: the command; build/fovea where not given)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
fovea=${FOVEA:-$root/build/fovea}
dir=${1:-$root/build/demo}
say() { printf '\n== %s\n' "$*"; }
mkdir -p "$dir"

say "40,000 sentence pairs from the built-in grammar, English -> Korean; about a minute of training on 2 cores"
"$fovea" train --config "$root/tools/demo.yml" --out "$dir/en-ko"

say "exact match on the test set: none of its sentences was in training"
"$fovea" corpus grammar --out "$dir/corpus" >/dev/null
"$fovea" translate -m "$dir/en-ko" <"$dir/corpus/test.en" >"$dir/test.ko"
"$fovea" eval --hyp "$dir/test.ko" --ref "$dir/corpus/test.ko" --metric exact,bleu

say "a few sentences that are in no part of the corpus"
while IFS= read -r sentence; do
  printf '%-63s -> %s\n' "$sentence" "$(printf '%s\n' "$sentence" | "$fovea" translate -m "$dir/en-ko")"
done <<'SENTENCES'
I am a student .
the teacher bought a new book yesterday .
she will not go to the school tomorrow .
where did you meet my friend ?
the book that I bought is expensive .
he slept because he was tired , but she worked in the library .
SENTENCES

say "where it looked"
"$fovea" look -m "$dir/en-ko" "I am a student ." --html "$dir/student.html" --png "$dir/student.png"

cat <<NEXT

The same map to explore in a browser: $dir/student.html
What to try next:
  build/fovea look -m $dir/en-ko "she gave the book to the teacher ." --html map.html
  build/fovea train --corpus grammar --lang fr --config tools/demo.yml --out en-fr
  build/fovea train --train-sets my.en my.de --valid-sets valid.en valid.de --tokenizer spm --out en-de
  build/fovea study length --out length      # what the bottleneck costs, in 12 minutes
  build/fovea --help
NEXT
