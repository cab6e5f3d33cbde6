#!/usr/bin/env python3
"""Makes tests/goldens/metrics.json with sacreBLEU: scores and words of lines written or drawn here.

Usage: goldens_metrics.py [FILE]        needs sacrebleu 2.6.0, on Python 3.11

The file holds
  made_with   "sacrebleu 2.6.0, ..."
  scores      names of the columns of scores, as in SCORES below
  segments    [hypothesis, [reference, ...], [score, ...]]: each line for itself; BLEU with its effective order
  corpora     [first segment, after the last one, references, [score, ...], line of BLEU, [signature, ...]]
  tokenized   [line, [words by "13a", "none", "char", "zh"]], words with one blank between them
  lowercase   [line, its small letters]
  spaces      the codes of all characters that str.split() splits at
"""
import json
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

# name: a metric for corpora, and one for single lines
SCORES = {
    "bleu": (BLEU, {}),
    "bleu lc": (BLEU, {"lowercase": True}),
    "bleu none": (BLEU, {"tokenize": "none"}),
    "bleu char": (BLEU, {"tokenize": "char"}),
    "bleu zh": (BLEU, {"tokenize": "zh"}),
    "chrf": (CHRF, {}),
    "chrf lc": (CHRF, {"lowercase": True}),
    "chrf++": (CHRF, {"word_order": 2}),
    "chrf++ lc": (CHRF, {"word_order": 2, "lowercase": True}),
}
TOKENIZERS = ["13a", "none", "char", "zh"]

WRITTEN = [
    "The cat sat on the mat, and the dog barked at it.",
    "Prices rose by 1,234.5 % in 2019-2020 (not 3.14!).",
    "It's the king's 2nd-best horse, isn't it?",
    "\"Well,\" she said, \"that's that...\"",
    "He paid $5.00/kg; she paid 4,50 EUR.",
    "E-mail me at a.b@c.org, or see http://example.org/x?y=1&z=2 .",
    "&quot;Tom &amp; Jerry&quot; &lt;b&gt; &amp;lt; &amp;amp;",
    "one <skipped> two <ski<skipped>pped> three",
    "Wait... what?! No -- really -- no.",
    "3-4 and 3 - 4 and x-3 and 3-x and -5 and 5-",
    ".5 and 5. and .a and a. and ,5 5, ,a a,",
    "1.2.3 1..2 a..b ..., ,,, .,.,. 1,.2",
    ". start and end .",
    ",5",
    "5.",
    "U.S. and U.K. vs. the E.U., i.e. e.g. etc.",
    "a_b ~c ^d `e |f {g} [h] \\i *j+ =k @l #m",
    "Ein Hund läuft über die grüne Wiese und bellt laut.",
    "Drei Männer in Warnwesten stehen an der Straße, die \"Öl\" heißt.",
    "Das kostet 1.234,56 €; zu viel für Größe 38-40!",
    "Le garçon n'a pas d'argent aujourd'hui, qu'en dis-tu ?",
    "« Où est-elle ? » demanda l'élève à 8 h 30.",
    "L’été dernier, nous étions à Besançon…",
    "나는 학생 이다 .",
    "그 여자는 책을 3권 읽었다, 그리고 웃었다.",
    "고양이가 개를 보고 '야옹' 했다!",
    "이것은 1,000원이고 저것은 2.5배이다.",
    "我喜欢吃苹果,也喜欢喝茶。",
    "他在2019年3.5月买了iPhone手机!",
    "「これはペンです」と彼は言った。",
    "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΟΦΟΣ ΑΝΗΡ: ΣΑΣ. Σ ΑΣ' ΑΣ'Α",
    "İSTANBUL'DA IŞIK; ǅ Ǆ ÀÉÎÕÜ ẞ Ａｂｃ",
    "МОСКВА и Санкт-Петербург — 2 города.",
    "no\u00a0break thin\u2009space wide\u3000space zero\u200bwidth line\u2028end",
    "tab\tand\x1funit\x85next\x0bvertical\ufeffmark",
    "👩‍👩‍👧 family 🇩🇪 flag é combining ½ ² ① ٣",
    "soft-\nbreak and hard\nbreak -\n",
    "  leading and trailing   ",
    "word",
    "!",
    "é",
    "(hi) 'hi' \"hi\" hi. .hi -- a, ,a",
    "the the the the the the the",
    "",
    "   ",
]
# Translations and references that have little or nothing to count: several corpora of their own.
ODD = {
    "all empty": [("", "a b c d"), ("", "나는 학생 이다 .")],
    "nothing to find": [("a b c d", ""), ("x", " \t\u3000")],
    "nothing at all": [("", ""), (" ", "\u00a0"), ("\t", "\x1f\x85")],
    "some empty": [("the cat sat on the mat", "the cat sat on a mat"), ("", "hello , world"), ("hello", "")],
    "shorter than any order": [("a", "a"), ("ab", "ab"), ("abc", "abd"), ("abcde", "abcde")],
    "too short for one side": [("abc", "abcdefghijk"), ("abcdefghijk", "abc"), ("ab cd", "ab cd ef gh ij")],
    "one short line": [("ab", "ab")],
    "blanks": [("  the cat sat ", "the cat sat"), ("the  dog\tran  away\t", "the dog ran away"),
               ("10\u00a0000 francs\u202f! oui", "10 000 francs ! oui")],
    "control characters": [("a\x01b c\x1fd e\x7f f", "a b c d e f"), ("\x0bx y z\x0c w", "x y z w"),
                           ("a\0b c d e", "a b c d e"), ("a b c d\r", "a b c d")],
    "combining": [("e\u0301te\u0301 n\u0303 a b", "été ñ a b"), ("\u0301\u0301 a", "\u0301 a b"),
                  ("👩‍👩‍👧 a 🇩🇪 👍🏽 b", "👩‍👧 a 🇩🇪 👍 b"), ("a\u200bb \ufeffc d", "ab c d")],
    "glued": [("It cost 3,000.5 or 10-20, ok?", "It cost 3,000.5 or 10 - 20 , ok ?"),
              ("&quot;hi&quot; &amp; &amp;quot; &apos; &lt;b&gt;", "\"hi\" & \" ' <b>"), ("...", ". . .")],
    "long": [(" ".join(str(i % 97) for i in range(300)), " ".join(str(i % 89) for i in range(300)))],
}
ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "".join(map(chr, range(0x20, 0x7F))),
    "0123456789.,-",
    "0123456789.,-'a ",
    "äöüßÄÖÜéèêçñÑøØåÅłŁşŞığĞİ",
    "ΑΒΓΣσςαβγΩ'.: ",
    "абвгдЖЗИЙ",
    "나는학생이다그가책을읽",
    "我你他吃喝，。！的一是不，",
    "あいうえおカキクケコー「」",
    " \u00a0\u2003\u3000\u1680\u2028\t\x1c\u200b",
    "\u0301\u0308\u00ad\u2019\u2013\u2014\u2026",
    "😀🎉👍𝔸𝟙𐐀𠀀⺀☃✂",
]


def word(chance):
    letters = chance.choice(ALPHABETS[:1] * 4 + ALPHABETS)
    return "".join(chance.choice(letters) for _ in range(min(9, 1 + int(chance.expovariate(0.3)))))


def drawn(chance):
    return " ".join(word(chance) for _ in range(chance.randint(1, 9)))


def noisy(chance, line):
    """The line as a bad translation: words dropped, repeated, moved, changed in case or in one character."""
    out = []
    for token in line.split(" "):
        luck = chance.random()
        if luck < 0.08:
            continue
        if luck < 0.14:
            out.append(token)
        elif luck < 0.2 and out:
            out.insert(-1, token)
            continue
        elif luck < 0.26:
            token = token.swapcase()
        elif luck < 0.32:
            token = word(chance)
        elif luck < 0.38 and token:
            at = chance.randrange(len(token))
            token = token[:at] + token[at + 1:]
        out.append(token)
    return " ".join(out)


def scores_of(hypotheses, references, corpus):
    """Of every column, and the metrics that made them."""
    found, metrics = [], []
    for kind, options in SCORES.values():
        if kind is BLEU:
            options = options | {"force": True, "effective_order": not corpus}
        metrics.append(kind(**options))
        found.append(metrics[-1].corpus_score(hypotheses, references))
    return found, metrics


def main():
    chance = random.Random(20160523)
    lines = WRITTEN + [drawn(chance) for _ in range(150)]
    segments = []
    for line in lines:
        segments.append([noisy(chance, line), [line]])
    segments += [[line, [line]] for line in WRITTEN[:12]]
    segments += [["", ["not empty"]], ["not empty", [""]], ["", [""]], [" ", ["\u3000"]], ["x", ["y"]]]
    segments += [["a b c d", ["e f g h"]], ["a b c", ["a b c"]], ["a b", ["a b c d e f"]], ["a a a a", ["a"]]]
    single = len(segments)
    for line in WRITTEN + lines[-60:]:
        references = [noisy(chance, line), line, noisy(chance, noisy(chance, line))]
        segments.append([noisy(chance, line), references])
    segments.append(["a b c", ["a b", "a b c d", "x y z"]])  # two lengths equally near
    odd = []
    for pairs in ODD.values():
        odd.append((len(segments), len(segments) + len(pairs)))
        segments += [[hypothesis, [reference]] for hypothesis, reference in pairs]
    several = odd[0][0]
    written = len(WRITTEN)
    bounds = [(0, single), (0, written), (written, single), (0, 5), (17, 20), (23, 27), (single - 9, single),
              (single, several), (single, single + 7), (several - 30, several), *odd, (several, len(segments))]

    corpora = []
    for first, last in bounds:
        hypotheses = [hypothesis for hypothesis, _ in segments[first:last]]
        references = list(zip(*(references for _, references in segments[first:last])))
        found, metrics = scores_of(hypotheses, references, corpus=True)
        signatures = [str(metric.get_signature()) for metric in metrics]
        corpora.append([first, last, len(references), [score.score for score in found], str(found[0]), signatures])
    for segment in segments:
        found, _ = scores_of([segment[0]], [[reference] for reference in segment[1]], corpus=False)
        segment.append([score.score for score in found])

    tokenized = []
    for line in lines:
        cut = [BLEU(tokenize=name)._preprocess_segment(line) for name in TOKENIZERS]
        tokenized.append([line, [" ".join(words.split()) for words in cut]])
    golden = {
        "made_with": f"sacrebleu {sacrebleu.__version__}, Python {sys.version.split()[0]}, tools/goldens_metrics.py",
        "scores": list(SCORES),
        "segments": segments,
        "corpora": corpora,
        "tokenized": tokenized,
        "lowercase": [[line, line.lower()] for line in lines],
        "spaces": [code for code in range(0x110000) if not chr(code).split()],
    }
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/metrics.json"
    with open(path, "w", encoding="utf-8") as file:
        rows = []
        for key, value in golden.items():
            text = lambda x: json.dumps(x, ensure_ascii=False, separators=(",", ":"))
            if isinstance(value, list) and isinstance(value[0], list):
                rows.append(f"{text(key)}:[\n" + ",\n".join(map(text, value)) + "\n]")
            else:
                rows.append(f"{text(key)}:{text(value)}")
        file.write("{\n" + ",\n".join(rows) + "\n}\n")
    print(f"{len(segments)} segments, {len(corpora)} corpora, {len(tokenized)} lines in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
