#!/usr/bin/env python3
"""Writes fovea/metrics/case_tables.h: what str.lower() takes for letters with a case and for marks inside a word, found out by asking
it about every character. The small letters themselves are in fovea/base/small_letters_table.h (tools/make_unicode_tables.py)."""
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


def table(kind, name, comment, found):
    lines = [f"// {comment}", f"inline constexpr {kind} {name}[] = {{"]
    row = "   "
    for first, last in found:
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(row) + len(item) > 110:
            lines.append(row)
            row = "   "
        row += item
    return lines + [row, "};", ""]


out = [
    f"// Made by tools/make_case_tables.py from Unicode {unicodedata.unidata_version}; not to be edited.",
    "// clang-format off",
    "#pragma once",
    "",
    "#include <cstdint>",
    "",
    "namespace fovea::metrics {",
    "",
    "struct CaseRange {",
    "  uint32_t first, last;",
    "};",
    "",
]
out += table("CaseRange", "kCased", "Letters with a case.", ranges(is_cased))
out += table("CaseRange", "kCaseIgnorable", "Marks and signs that may stand inside a word.", ranges(is_ignorable))
out += ["}  // namespace fovea::metrics", ""]
path = sys.argv[1] if len(sys.argv) > 1 else "fovea/metrics/case_tables.h"
with open(path, "w") as file:
    file.write("\n".join(out))
