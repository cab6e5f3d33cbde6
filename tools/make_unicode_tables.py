#!/usr/bin/env python3
"""Writes fovea/data/unicode_tables.h and fovea/base/small_letters_table.h: what Hugging Face's tokenizers takes each character
for, found out by asking it about every one. Its parts were made from different versions of Unicode, so that no single version gives the same answers.

Usage: tools/make_unicode_tables.py        needs tokenizers 0.23.3
"""
import random
import sys
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

CODES = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
NFD = normalizers.NFD().normalize_str
LOWER = normalizers.Lowercase().normalize_str


def bert(**flags):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **flags}).normalize_str


CLEAN, STRIP = bert(clean_text=True), bert(strip_accents=True)


def matches(pattern):
    split = pre_tokenizers.Split(Regex(pattern), "removed").pre_tokenize_str
    return lambda c: not split(c)


def splits_bert(c):
    return [piece for piece, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str("a" + c + "a")] == ["a", c, "a"]


def word_characters():
    """Characters that hide a token beside them which wants to stand alone."""
    alone = Tokenizer(models.WordLevel({"<u>": 0}, unk_token="<u>"))
    alone.add_tokens([AddedToken("<t>", single_word=True, normalized=False)])
    return lambda c: alone.encode("<t>" + c).ids == [0]


# name, what it says, and the question
FLAGS = [
    ("kLetter", r"\p{L} of the regular expressions", matches(r"\p{L}")),
    ("kNumber", r"\p{N}", matches(r"\p{N}")),
    ("kRegexSpace", r"\s", matches(r"\s")),
    ("kSpace", "white space", lambda c: not pre_tokenizers.WhitespaceSplit().pre_tokenize_str(c)),
    ("kPunctuation", "BERT's punctuation", splits_bert),
    ("kNonspacing", "accents, which BERT strips", lambda c: NFD(c) == c and STRIP(c) == ""),
    ("kControl", "what BERT cleans away", lambda c: CLEAN("a" + c + "a") == "aa"),
    ("kWord", r"\w beside a token that is a single word", word_characters()),
]


def flag_runs():
    """[first, last, flags] of neighbours that are alike; what has no flag is left out."""
    found = []
    for code in CODES:
        c = chr(code)
        flags = sum(1 << bit for bit, (_, _, holds) in enumerate(FLAGS) if holds(c))
        if found and found[-1][1] == code - 1 and found[-1][2] == flags:
            found[-1][1] = code
        elif flags:
            found.append([code, code, flags])
    return found


def is_hangul(code):
    return 0xAC00 <= code <= 0xD7A3


def check_hangul():
    for code in range(0xAC00, 0xD7A4):
        i = code - 0xAC00
        want = chr(0x1100 + i // 588) + chr(0x1161 + i % 588 // 28) + (chr(0x11A7 + i % 28) if i % 28 else "")
        if NFD(chr(code)) != want:
            sys.exit(f"U+{code:X} does not fall apart as Hangul does")


def decompositions():
    return [[code, *map(ord, NFD(chr(code)))] for code in CODES if NFD(chr(code)) != chr(code) and not is_hangul(code)]


def combining_classes():
    """[first, last, class]: marks of a lower class go in front of those of a higher one."""
    goes_back = lambda a, b: NFD(a + b) == b + a and a != b
    # A mark to stand for each class: of those that the library knows, which may be fewer than this Python does.
    known = [chr(code) for code in reversed(CODES) if unicodedata.combining(chr(code)) and NFD(chr(code)) == chr(code)]
    lowest = "\u0334"  # of class 1
    standing = {unicodedata.combining(c): c for c in known if c == lowest or goes_back(c, lowest)}
    standing[1] = lowest
    steps = sorted(standing)

    def rank(c):
        if NFD(c) != c or not (goes_back(c, standing[1]) or goes_back(standing[240], c) or goes_back(standing[233], c)):
            return 0
        return next(k for k in steps if not goes_back(c, standing[k]))

    ranks = {code: k for code in CODES if (k := rank(chr(code)))}
    draw = random.Random(1)
    marks = list(ranks)
    for _ in range(300000):
        a, b = draw.choice(marks), draw.choice(marks)
        if NFD(chr(a) + chr(b)) != (chr(b) + chr(a) if ranks[b] < ranks[a] else chr(a) + chr(b)):
            sys.exit(f"U+{a:X} and U+{b:X} are not in the order of their ranks {ranks[a]} and {ranks[b]}")
    found = []
    for code, k in ranks.items():
        if found and found[-1][1] == code - 1 and found[-1][2] == k:
            found[-1][1] = code
        else:
            found.append([code, code, k])
    return found


def lowercase_runs():
    """[first, last, step, difference] of characters that become another single one."""
    found = []
    for code in CODES:
        lower = LOWER(chr(code))
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


def table(kind, name, comment, found, codes=2):
    lines = [f"// {comment}", f"inline constexpr {kind} {name}[] = {{"]
    row = "   "
    for item in found:
        text = " {" + ", ".join([f"0x{n:X}" for n in item[:codes]] + [str(n) for n in item[codes:]]) + "},"
        if len(row) + len(text) > 110:
            lines.append(row)
            row = "   "
        row += text
    return lines + [row, "};", ""]


check_hangul()
longer = [code for code in CODES if len(LOWER(chr(code))) > 1]
if longer != [0x130] or LOWER("\u0130") != "i\u0307" or LOWER("\u0391\u03a3") != "\u03b1\u03c3":
    sys.exit(f"small letters are not those that small_letters.cc knows: {longer} become several")
apart = decompositions()
if max(map(len, apart)) > 5:
    sys.exit("a character falls apart into more than four")
HEAD = [
    f"// Made by tools/make_unicode_tables.py from tokenizers {tokenizers.__version__}; not to be edited.",
    "// clang-format off",
    "#pragma once",
    "",
    "#include <cstdint>",
    "",
]
out = HEAD + [
    "namespace fovea::data {",
    "",
    "enum CharacterFlag : uint8_t {",
]
out += [f"  {name} = {1 << bit},  // {comment}" for bit, (name, comment, _) in enumerate(FLAGS)]
out += [
    "};",
    "struct FlagRun {",
    "  uint32_t first, last;",
    "  uint8_t flags;",
    "};",
    "struct CombiningRun {",
    "  uint32_t first, last;",
    "  uint8_t rank;",
    "};",
    "struct Decomposition {",
    "  uint32_t code, parts[4];",
    "};",
    "",
]
out += table("FlagRun", "kFlags", "Runs of characters that are alike; what is in no run has no flag.", flag_runs())
out += table("CombiningRun", "kCombining", "Marks of a lower rank are written before those of a higher one.", combining_classes())
out += table("Decomposition", "kDecompositions", "All parts of a character (NFD); those of Hangul are computed.", [[code, *parts] for code, *parts in apart], 5)
out += ["}  // namespace fovea::data", ""]
with open("fovea/data/unicode_tables.h", "w") as file:
    file.write("\n".join(out))
small = HEAD + ["namespace fovea {", "", "struct SmallLettersRun {", "  uint32_t first, last, step;", "  int32_t difference;", "};", ""]
small += table("SmallLettersRun", "kSmallLetters", "Every step-th character of a run has its small letter at that difference.", lowercase_runs())
small += ["}  // namespace fovea", ""]
with open("fovea/base/small_letters_table.h", "w") as file:
    file.write("\n".join(small))
