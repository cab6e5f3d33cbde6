#!/usr/bin/env python3
"""Writes fovea/metrics/lowercase_table.h: what str.lower() does, found out by asking it about every character."""
import sys
import unicodedata

SIGMA, FINAL = "\u03a3", "\u03c2"  # the capital sigma, and the small one for the end of a word
CODES = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]


def is_cased(code):
    """A letter with a case, which makes a capital sigma after it the last one of a word."""
    return (chr(code) + SIGMA).lower()[-1] == FINAL


def is_ignorable(code):
    """A character that a capital sigma looks past, to the one before it."""
    return ("a" + chr(code) + SIGMA).lower()[-1] == FINAL and not is_cased(code)


def ranges(belongs):
    found = []
    for code in filter(belongs, CODES):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def mappings():
    """[first, last, step, difference] of characters that become another single one."""
    found = []
    for code in CODES:
        lower = chr(code).lower()
        if lower == chr(code) or len(lower) > 1:
            continue
        difference = ord(lower) - code
        if found and found[-1][3] == difference:
            run = found[-1]
            step = code - run[1]
            if step == run[2] or (run[0] == run[1] and step <= 2):
                run[1], run[2] = code, step
                continue
        found.append([code, code, 1, difference])
    return found


def table(kind, name, comment, found):
    lines = [f"// {comment}", f"inline constexpr {kind} {name}[] = {{"]
    row = "   "
    for first, last, *more in found:
        item = " {" + ", ".join([f"0x{first:X}", f"0x{last:X}", *map(str, more)]) + "},"
        if len(row) + len(item) > 110:
            lines.append(row)
            row = "   "
        row += item
    return lines + [row, "};", ""]


longer = [code for code in CODES if len(chr(code).lower()) > 1]
if longer != [0x130]:
    sys.exit(f"characters that become several are {longer}: lowercase.cc knows U+0130 only")
out = [
    f"// Made by tools/make_lowercase_table.py from Unicode {unicodedata.unidata_version}; not to be edited.",
    "// clang-format off",
    "#pragma once",
    "",
    "#include <cstdint>",
    "",
    "namespace fovea::metrics {",
    "",
    "struct LowercaseRun {",
    "  uint32_t first, last, step;",
    "  int32_t difference;",
    "};",
    "struct LowercaseRange {",
    "  uint32_t first, last;",
    "};",
    "",
]
out += table("LowercaseRun", "kLowercase", "Every step-th character of a run has its small letter at that difference.",
             mappings())
out += table("LowercaseRange", "kCased", "Letters with a case.", ranges(is_cased))
out += table("LowercaseRange", "kCaseIgnorable", "Marks and signs that may stand inside a word.", ranges(is_ignorable))
out += ["}  // namespace fovea::metrics", ""]
path = sys.argv[1] if len(sys.argv) > 1 else "fovea/metrics/lowercase_table.h"
with open(path, "w") as file:
    file.write("\n".join(out))
