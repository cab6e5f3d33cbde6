#!/usr/bin/env python3
"""Makes fovea/data/grapheme_marks.h: the characters that belong to the one before them.

Usage: make_grapheme_marks.py > fovea/data/grapheme_marks.h        needs the module regex
"""
import regex

MARKS = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]")
HEAD = """// Characters that are written on or around the one before them (Grapheme_Cluster_Break Extend, ZWJ and SpacingMark). Made by
// tools/make_grapheme_marks.py.
#pragma once

#include <cstdint>

namespace fovea::data {

struct GraphemeRun {
  uint32_t first, last;
};

// clang-format off
inline constexpr GraphemeRun kGraphemeMarks[] = {"""


def main():
    runs = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or not MARKS.match(chr(code)):
            continue
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    print(HEAD)
    line = ""
    for first, last in runs:
        item = f"{{0x{first:X}, 0x{last:X}}}, "
        if len(line) + len(item) > 108:
            print("    " + line.rstrip())
            line = ""
        line += item
    print("    " + line.rstrip())
    print("};\n// clang-format on\n\n}  // namespace fovea::data")


if __name__ == "__main__":
    main()
