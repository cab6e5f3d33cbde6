#!/usr/bin/env python3
"""Compares the ids and the decoded text of `fovea tokenize` with transformers', line by line: every line of all text below DATA
(plain or gzip), and random Unicode strings with special tokens among them.

Usage: compare_tokenizers.py COMMAND DATA WORK [BERT_DIR ...]      needs transformers 5, tokenizers, sentencepiece

COMMAND is build/fovea. WORK gets the tokenizers that are made here: byte-level BPE as GPT-2 has it, BPE with bytes as Llama has it
(in both forms of its file), Llama 3's, CLIP's, and a MarianMT directory, all learned from the first lines of DATA. Each BERT_DIR is
a directory of a BERT. The exit code is 1 where anything differs.
"""
import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, CLIPTokenizer, GPT2TokenizerFast, MarianTokenizer, PreTrainedTokenizerFast

SPECIALS = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[mask]", "<|endoftext|>", "<s>", "</s>", "<unk>", "<pad>", "<0x41>", "<|x|>",
            ">>de<<", "▁", "##ing", "don't", "'S", "'ll", "  ", "\t", "ABC", "the", "ΑΣ", "İ", "한국어", "é", "e\u0301"]
RANGES = [(1, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0x1100, 0x11FF), (0x1E00, 0x20FF),
          (0x2500, 0x26FF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xF900, 0xFAFF), (0xFE00, 0xFFFF),
          (0x10000, 0x1FFFF), (0x1F300, 0x1FAFF), (0x20000, 0x2FFFF), (0xE0000, 0xE01FF), (1, 0x10FFFF)]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def random_strings(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        text = ""
        for _ in range(draw.randrange(1, 30)):
            if draw.random() < 0.15:
                text += draw.choice(SPECIALS)
            if draw.random() < 0.2:
                text += " "
            first, last = draw.choice(RANGES)
            for _ in range(draw.randrange(1, 4)):
                code = draw.randint(first, last)
                if code not in (0x0A, 0) and not 0xD800 <= code <= 0xDFFF:
                    text += chr(code)
        yield text


def lines_of(data):
    for path in sorted(Path(data).rglob("*")):
        if path.is_file():
            text = (gzip.open(path) if path.suffix == ".gz" else open(path, "rb")).read().decode()
            yield from text.split("\n")


def run(command, *arguments):
    done = subprocess.run([command, "tokenize", *arguments], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\n")[:-1]


def compare(name, command, directory, work, lines, encode, decode, side="source"):
    """encode(lines) and decode(lists of ids) are the library's."""
    text, numbers = os.path.join(work, "lines.txt"), os.path.join(work, "ids.txt")
    with open(text, "w", newline="") as file:
        file.writelines(line + "\n" for line in lines)
    ours = [[int(word) for word in line.split()] for line in run(command, "-m", directory, "--side", side, "--ids", "-i", text)]
    theirs = encode(lines)
    different = [i for i in range(len(lines)) if i >= len(ours) or ours[i] != theirs[i]]
    with open(numbers, "w") as file:
        file.writelines(" ".join(map(str, ids)) + "\n" for ids in theirs)
    said = subprocess.run([command, "tokenize", "-m", directory, "--side", side, "--decode", "-i", numbers], stdout=subprocess.PIPE, check=True).stdout
    wanted = decode(theirs)
    back = said.decode() == "".join(line + "\n" for line in wanted)
    print(f"{name}: {len(lines)} lines, {sum(map(len, theirs))} ids, {len(different)} lines differ; decoded text is {'equal' if back else 'DIFFERENT'}", flush=True)
    for i in different[:5]:
        print("  line  ", repr(lines[i])[:300])
        print("  ours  ", ours[i][:40] if i < len(ours) else None)
        print("  theirs", theirs[i][:40])
    if not back:
        shown = 0
        for mine, want in zip(said.decode().split("\n"), wanted):
            if mine != want and shown < 5 and "\n" not in want:
                shown += 1
                print("  ours  ", repr(mine)[:300], "\n  theirs", repr(want)[:300])
    return not different and back


def fast(directory):
    tokenizer = AutoTokenizer.from_pretrained(directory)
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    decode = lambda ids: [tokenizer.decode(row, skip_special_tokens=True, clean_up_tokenization_spaces=False) for row in ids]
    return lambda lines: [row.ids for row in backend.encode_batch(lines)], decode


def from_file(directory):
    """What the file itself says: transformers makes its own tokenizer for some classes."""
    backend = Tokenizer.from_file(os.path.join(directory, "tokenizer.json"))
    return lambda lines: [row.ids for row in backend.encode_batch(lines)], lambda ids: backend.decode_batch(ids, skip_special_tokens=True)


def make_gpt2(directory, lines, files_only=False, **flags):
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learner.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=5000, special_tokens=["<|endoftext|>"], show_progress=False,
                                                           initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    os.makedirs(directory, exist_ok=True)
    learner.model.save(directory)
    tokenizer = GPT2TokenizerFast.from_pretrained(directory, **flags)
    tokenizer.add_tokens([AddedToken("<|x|>", lstrip=True, rstrip=True), AddedToken("ABC", single_word=True)])
    tokenizer.save_pretrained(directory)
    if files_only:
        tokenizer = GPT2TokenizerFast(**{"vocab": os.path.join(directory, "vocab.json"), "merges": os.path.join(directory, "merges.txt")})
        os.remove(os.path.join(directory, "tokenizer.json"))


def byte_pieces():
    return [f"<0x{byte:02X}>" for byte in range(256)]


def make_llama(directory, lines, metaspace):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    learner = Tokenizer(models.BPE(unk_token="<unk>"))
    learner.pre_tokenizer = pre_tokenizers.Metaspace()
    learner.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=3000, special_tokens=["<unk>", "<s>", "</s>", *byte_pieces()],
                                                           limit_alphabet=120, show_progress=False))
    learned = json.loads(learner.to_str())
    whole = json.loads(tokenizer.to_str())
    whole["model"].update(vocab=learned["model"]["vocab"], merges=learned["model"]["merges"])
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>").save_pretrained(directory)


def make_llama3(directory, lines):
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=4000, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>"])
    first = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", special_tokens=[("<|begin_of_text|>", first)])])
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|begin_of_text|>", eos_token="<|end_of_text|>").save_pretrained(directory)


def make_marian(directory, lines):
    os.makedirs(directory, exist_ok=True)
    vocab = {}
    for side, part in (("source", lines[::2]), ("target", lines[1::2])):
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(part), model_prefix=os.path.join(directory, side), vocab_size=3000, model_type="bpe",
                                                 pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2)
        os.replace(os.path.join(directory, side + ".model"), os.path.join(directory, side + ".spm"))
        os.remove(os.path.join(directory, side + ".vocab"))
        pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(directory, side + ".spm"))
        for i in range(pieces.get_piece_size()):
            if i % 50 != 49:  # a few pieces are not in the vocabulary
                vocab.setdefault(pieces.id_to_piece(i), len(vocab))
    vocab.setdefault(">>de<<", len(vocab))
    vocab["<pad>"] = len(vocab)
    path = os.path.join(directory, "vocab.json")
    with open(path, "w") as file:
        json.dump(vocab, file)
    MarianTokenizer(os.path.join(directory, "source.spm"), os.path.join(directory, "target.spm"), path, source_lang="en", target_lang="de").save_pretrained(directory)


def make_clip(directory, lines, files_only, size=6000):
    learner = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"))
    learner.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    learner.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CLIP), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    learner.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=alphabet, end_of_word_suffix="</w>"))
    merges = json.loads(learner.to_str())["model"]["merges"]
    # CLIP's order: characters, characters that end a word, merges, the two special tokens.
    pieces = alphabet + [character + "</w>" for character in alphabet] + ["".join(merge) for merge in merges] + ["<|startoftext|>", "<|endoftext|>"]
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "vocab.json"), "w") as file:
        json.dump({piece: i for i, piece in enumerate(dict.fromkeys(pieces))}, file, ensure_ascii=False)
    with open(os.path.join(directory, "merges.txt"), "w") as file:
        file.writelines(["#version: 0.2\n"] + [" ".join(merge) + "\n" for merge in merges])
    if not files_only:
        CLIPTokenizer.from_pretrained(directory).save_pretrained(directory)


def clip(directory):
    tokenizer = CLIPTokenizer.from_pretrained(directory)
    return lambda lines: [row.ids for row in tokenizer.backend_tokenizer.encode_batch(lines)], lambda ids: [tokenizer.decode(row, skip_special_tokens=True) for row in ids]


def marian(directory, side):
    tokenizer = MarianTokenizer.from_pretrained(directory)
    if side == "target":
        encode = lambda lines: [tokenizer(text_target=line).input_ids for line in lines]
    else:
        encode = lambda lines: [tokenizer(line).input_ids for line in lines]
    decode = lambda ids: [tokenizer.decode(row, skip_special_tokens=True, clean_up_tokenization_spaces=False, use_source_tokenizer=side == "source") for row in ids]
    return encode, decode


def main():
    command, data, work, *berts = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    # The first line keeps a byte order mark of the second from being the file's own. A line's \r at its end is not the line's.
    text = list(lines_of(data))
    lines = [""] + [line.replace("\0", "").rstrip("\r") for line in text + list(random_strings(10000))]
    some = text[:: max(1, len(text) // 40000)]
    path = lambda name: os.path.join(work, name)
    good = True
    for bert in berts:
        good &= compare("bert " + bert, command, bert, work, lines, *fast(bert))
    for name, flags in (("gpt2", {}), ("gpt2-prefix", {"add_prefix_space": True}), ("gpt2-files", {"files_only": True})):
        make_gpt2(path(name), some, **flags)
        good &= compare(name, command, path(name), work, lines, *fast(path(name)))
    for name, form in (("llama", False), ("llama-metaspace", True)):
        make_llama(path(name), some, form)
        good &= compare(name, command, path(name), work, lines, *from_file(path(name)))
    make_llama3(path("llama3"), some)
    good &= compare("llama3", command, path("llama3"), work, lines, *from_file(path("llama3")))
    for name, files_only in (("clip", False), ("clip-files", True)):
        make_clip(path(name), some, files_only)
        good &= compare(name, command, path(name), work, lines, *clip(path(name)))
    make_marian(path("marian"), [line for line in some if line])
    for side in ("source", "target"):
        good &= compare("marian " + side, command, path("marian"), work, lines, *marian(path("marian"), side), side=side)
    sys.exit(not good)


if __name__ == "__main__":
    main()
