#!/usr/bin/env python3
"""Writes fovea/look/width_table.h: which characters take two columns of a terminal, and which take none."""
import sys
import unicodedata


def ranges(belongs):
    found = []
    for code in range(0x110000):
        if belongs(code):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return found


def is_zero(code):
    if 0x1160 <= code <= 0x11FF:  # vowels and final consonants that join a Hangul syllable
        return True
    return code != 0xAD and unicodedata.category(chr(code)) in ("Mn", "Me", "Cf")


def is_wide(code):
    if 0x20000 <= code <= 0x3FFFD:  # the ideographic planes, assigned or not
        return True
    if is_zero(code) or unicodedata.category(chr(code)) == "Cn":
        return False
    return unicodedata.east_asian_width(chr(code)) in ("W", "F")


def table(name, comment, found):
    lines = [f"// {comment}", f"inline constexpr CodeRange {name}[] = {{"]
    row = "   "
    for first, last in found:
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(row) + len(item) > 110:
            lines.append(row)
            row = "   "
        row += item
    return lines + [row, "};", ""]


out = [
    f"// Made by tools/make_width_table.py from Unicode {unicodedata.unidata_version}; not to be edited.",
    "// clang-format off",
    "#pragma once",
    "",
    "#include <cstdint>",
    "",
    "namespace fovea::look {",
    "",
    "struct CodeRange {",
    "  uint32_t first, last;",
    "};",
    "",
]
out += table("kWide", "East Asian wide and full-width: two columns.", ranges(is_wide))
out += table("kZero", "Combining marks and format characters: no column.", ranges(is_zero))
out += ["}  // namespace fovea::look", ""]
open(sys.argv[1], "w").write("\n".join(out))
