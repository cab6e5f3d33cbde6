#!/usr/bin/env bash
# Fails where a room includes a room above it, or where rooms include each other in a circle.
# Usage: check_layers.sh [ROOT]
set -euo pipefail
cd "${1:-.}"
# room: the rooms it may include, besides itself.
declare -A may=(
  [base]=""
  [kernels]="base"
  [tensor]="base kernels"
  [autograd]="base kernels tensor"
  [data]="base tensor"
  [metrics]="base"
  [nn]="base kernels tensor autograd"
  [models]="base kernels tensor autograd nn data"
  [run]="base kernels tensor autograd nn models data"
  [decode]="base kernels tensor autograd nn models run data"
  [train]="base kernels tensor autograd nn models run decode data metrics"
  [look]="base kernels tensor autograd nn models data"
  [library]="base kernels tensor autograd nn models run decode data look"
  [study]="base kernels tensor autograd nn models run decode train data metrics look"
  [serve]="base kernels tensor autograd nn models run decode data look library"
  [cli]="base kernels tensor autograd nn models run decode train study data metrics look library serve"
)
bad=0
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
while IFS=: read -r file line text; do
  from=${file#fovea/}; from=${from%%/*}
  to=${text#*\"fovea/}; to=${to%%/*}
  # fovea/fovea.h is the face of the room library.
  [ "$from" = fovea.h ] && from=library
  [ "$to" = 'fovea.h"' ] && to=library
  [ "$from" = "$to" ] && continue
  echo "$from $to" >>"$edges"
  if [ -z "${may[$from]+known}" ]; then
    echo "$file:$line: fovea/$from is not a room; the rooms are in tools/check_layers.sh"; bad=1
  elif [[ " ${may[$from]} " != *" $to "* ]]; then
    echo "$file:$line: fovea/$from must not include fovea/$to (it may include: ${may[$from]:-nothing})"; bad=1
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"fovea/' fovea --include='*.h' --include='*.cc')
# tsort finds circles that the table above would not, should the table itself be wrong.
if ! circle=$(sort -u "$edges" | tsort 2>&1 >/dev/null) || [ -n "$circle" ]; then
  echo "rooms include each other in a circle: $circle"; bad=1
fi
[ "$bad" -eq 0 ] && echo "rooms: $(sort -u "$edges" | wc -l) kinds of include, all pointing one way"
exit "$bad"
