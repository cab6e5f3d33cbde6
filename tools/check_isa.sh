#!/usr/bin/env bash
# Fails where code that every CPU runs holds instructions that only some CPUs have: AVX outside the functions that Highway
# chooses at run time. Usage: check_isa.sh PROGRAM
set -euo pipefail
objdump -d --no-show-raw-insn "$1" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $2 }
  /%[yz]mm[0-9]|\tv[a-z0-9]+[ \t].*%xmm[0-9]/ {
    if (name !~ /N_AVX/ && !(name in seen)) { seen[name] = 1; print "AVX in " name; bad = 1 }
    found = 1
  }
  END {
    if (!found) { print "no vector code at all: is this the right program?"; exit 1 }
    exit bad
  }'
echo "AVX only where it is chosen at run time"
