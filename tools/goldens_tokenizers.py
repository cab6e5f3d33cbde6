#!/usr/bin/env python3
"""Makes tests/goldens/tokenizers.json with transformers: small tokenizers of each kind, learned from lines written here, and the ids
and the decoded text of lines written or drawn here.

Usage: goldens_tokenizers.py [FILE]        needs transformers 5.22.2, tokenizers 0.23.3, sentencepiece 0.2.2

The file holds
  made_with    the versions
  texts        what is encoded
  tokenizers   name: {files: {name: text, or {"base64": bytes}}, source: [[[id, ...], decoded], ...] for each text, target: the same of
               the other side (marian), pair: [first, second, [id, ...]], also: [[text, [id, ...], decoded], ...] where there are more}
"""
import base64
import json
import os
import random
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import sentencepiece
import tokenizers
import transformers
from compare_tokenizers import LLAMA3, RANGES, SPECIALS, byte_pieces, make_clip
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertTokenizerFast, CLIPTokenizer, GPT2TokenizerFast, MarianTokenizer

LINES = [
    "The cat sat on the mat, and the dog barked at it; they weren't friends.",
    "It's the king's 2nd-best horse, isn't it? I'll say we've seen 1234567 of them.",
    "Ein Hund läuft über die grüne Wiese und bellt laut.",
    "L’été dernier, nous étions à Besançon… où l'on mange bien !",
    "나는 학생 이다 . 고양이가 매트 위에 앉았다.",
    "Кошка сидела на коврике, а собака лаяла.",
    "猫坐在垫子上。犬は吠えた。",
    "😀 👩‍👩‍👧 🇰🇷 naïve café cafe\u0301 ÅÄÖ ΑΣ ΣΑΣ İstanbul ﬁ ½ Ⅷ",
    "a  b   c\td \u00a0 e\u3000f   ",
    "   leading and trailing   ",
    "def f(x):\n    return x + 1\n\n\n# end \r\n\r\n",
    "[CLS] in the [MASK] text [SEP] <s>not</s> <unk> <|endoftext|>x<|endoftext|> <pad>",
    "'S 'Ll don'T 'ſ 's's 're",
    "control \x01\x02\x7f\x85\xad\u200b\u200d\ufeff\ufffd chars",
    "x" * 99 + " " + "y" * 100 + " " + "z" * 101,
    "\u0344 \u0958 \ud55c\uae00 \u1e9b\u0323 q\u0307\u0323 \U0001d15e \u2126 \u212b \uf900 \U0002f800",
    ">>de<< translate <0x41> ▁ ##ing ## [ MASK ] [mask]",
    "",
    " ",
]


def drawn(count):
    draw = random.Random(5)
    for _ in range(count):
        text = ""
        for _ in range(draw.randrange(1, 8)):
            text += draw.choice(["", "", " ", draw.choice(SPECIALS)])
            first, last = draw.choice(RANGES)
            codes = (draw.randint(first, last) for _ in range(2))
            text += "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)
        yield text


TEXTS = LINES + list(drawn(100))
TRAINING = LINES[:10] * 3


def files_of(directory, names):
    found = {}
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            content = file.read()
        try:
            found[name] = content.decode()
        except UnicodeDecodeError:
            found[name] = {"base64": base64.b64encode(content).decode()}
    return found


def results(encode, decode):
    return [[encode(text), decode(encode(text))] for text in TEXTS]


def by_transformers(tokenizer, directory, names):
    encode = lambda text: tokenizer(text).input_ids
    decode = lambda ids: tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return {"files": files_of(directory, names), "source": results(encode, decode), "pair": ["one two", "three", tokenizer("one two", "three").input_ids]}


def by_file(tokenizer, directory):
    path = os.path.join(directory, "tokenizer.json")
    tokenizer.save(path, pretty=False)
    tokenizer = Tokenizer.from_file(path)
    encode = lambda text: tokenizer.encode(text).ids
    return {"files": files_of(directory, ["tokenizer.json"]), "source": results(encode, tokenizer.decode), "pair": ["one two", "three", tokenizer.encode("one two", "three").ids]}


def bert(directory, lowercase, names):
    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    learner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    learner.train_from_iterator(TRAINING, trainers.WordPieceTrainer(vocab_size=380, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    pieces = sorted(learner.get_vocab(), key=learner.get_vocab().get)
    with open(os.path.join(directory, "vocab.txt"), "w") as file:
        file.writelines(piece + "\n" for piece in pieces)
    with open(os.path.join(directory, "tokenizer_config.json"), "w") as file:
        json.dump({"do_lower_case": lowercase, "tokenizer_class": "BertTokenizer"}, file)
    tokenizer = BertTokenizerFast.from_pretrained(directory)
    if "tokenizer.json" in names:
        tokenizer.save_pretrained(directory)
    return by_transformers(tokenizer, directory, names)


def gpt2(directory):
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learner.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=420, special_tokens=["<|endoftext|>"], show_progress=False,
                                                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    learner.model.save(directory)
    return by_transformers(GPT2TokenizerFast.from_pretrained(directory), directory, ["vocab.json", "merges.txt"])


def gpt2_added(directory):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=300, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>", rstrip=True), AddedToken("[MASK]", lstrip=True)])
    tokenizer.add_tokens([AddedToken("the", single_word=True), AddedToken("ABC"), "<|x|>"])
    tokenizer.decoder = decoders.ByteLevel()
    end = tokenizer.token_to_id("<|endoftext|>")
    tokenizer.post_processor = processors.RobertaProcessing(("<|endoftext|>", end), ("<|endoftext|>", end))
    return by_file(tokenizer, directory)


def llama(directory, metaspace):
    learner = Tokenizer(models.BPE(unk_token="<unk>"))
    learner.pre_tokenizer = pre_tokenizers.Metaspace()
    learner.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=420, special_tokens=["<unk>", "<s>", "</s>", *byte_pieces()], limit_alphabet=60, show_progress=False))
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    whole = json.loads(tokenizer.to_str())
    learned = json.loads(learner.to_str())["model"]
    whole["model"].update(vocab=learned["vocab"], merges=learned["merges"])
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return by_file(tokenizer, directory)


def llama3(directory):
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=330, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>"])
    tokenizer.decoder = decoders.ByteLevel()
    return by_file(tokenizer, directory)


def marian(directory):
    vocab = {}
    for side, part in (("source", TRAINING[:4]), ("target", TRAINING[2:6])):
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(part), model_prefix=os.path.join(directory, side), vocab_size=100, model_type="bpe",
                                                 normalization_rule_name="identity", pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2)
        os.replace(os.path.join(directory, side + ".model"), os.path.join(directory, side + ".spm"))
        pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(directory, side + ".spm"))
        for i in range(pieces.get_piece_size()):
            if i % 40 != 39:  # a few pieces are not in the vocabulary
                vocab.setdefault(pieces.id_to_piece(i), len(vocab))
    vocab[">>de<<"] = len(vocab)
    vocab["<pad>"] = len(vocab)
    path = os.path.join(directory, "vocab.json")
    with open(path, "w") as file:
        json.dump(vocab, file)
    tokenizer = MarianTokenizer(os.path.join(directory, "source.spm"), os.path.join(directory, "target.spm"), path)
    decode = lambda source: lambda ids: tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False, use_source_tokenizer=source)
    return {"files": files_of(directory, ["source.spm", "target.spm", "vocab.json"]),
            "source": results(lambda text: tokenizer(text).input_ids, decode(True)),
            "target": results(lambda text: tokenizer(text_target=text).input_ids, decode(False)),
            "pair": ["one two", "three", tokenizer("one two", "three").input_ids]}


def roberta(directory):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=320, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False,
                                                                initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return by_file(tokenizer, directory)


def qwen2(directory):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3.replace("{1,3}", "")), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(TRAINING, trainers.BpeTrainer(vocab_size=330, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.decoder = decoders.ByteLevel()
    return by_file(tokenizer, directory)


# What a table of SentencePiece's makes of some strings: "from" and "to" as codes.
RULES = [("\ufb01", "fi"), ("e\u0301", "\u00e9"), ("\r", " "), ("\n", " "), ("\t", " "), ("\u00a0", " "), ("\u3000", " "), ("\u212b", "\u00c5"), ("\u00bd", "1\u20442"),
         ("\u200b", ""), ("q\u0323", "Q"), ("\u2126", "\u03a9"), ("\u1e9b\u0323", "\u1e69")]


def charsmap(directory):
    """The bytes of such a table, out of a SentencePiece model that was trained with it."""
    from transformers.convert_slow_tokenizer import import_protobuf
    rules = os.path.join(directory, "rules.tsv")
    with open(rules, "w") as file:
        for given, becomes in RULES:
            file.write(" ".join(f"{ord(c):X}" for c in given) + "\t" + " ".join(f"{ord(c):X}" for c in becomes) + "\n")
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TRAINING), model_prefix=os.path.join(directory, "rules"), vocab_size=400, model_type="bpe",
                                             normalization_rule_tsv=rules, minloglevel=2)
    proto = import_protobuf().ModelProto()
    with open(os.path.join(directory, "rules.model"), "rb") as file:
        proto.ParseFromString(file.read())
    return proto.normalizer_spec.precompiled_charsmap


def unigram(directory, fallback):
    learner = Tokenizer(models.Unigram())
    learner.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"] + (byte_pieces() if fallback else [])
    learner.train_from_iterator(TRAINING, trainers.UnigramTrainer(vocab_size=len(specials) + 120, special_tokens=specials, unk_token="<unk>", show_progress=False))
    whole = json.loads(learner.to_str())
    if fallback:  # rare characters are bytes
        whole["model"]["byte_fallback"] = True
        whole["model"]["vocab"] = [item for item in whole["model"]["vocab"] if len(item[0]) > 1 or ord(item[0][0]) < 0x180 or item[0] == "▁"]
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    if fallback:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(Regex(" {2,}"), "▁"), normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.pre_tokenizer = None
        tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap(directory)), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
        tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return by_file(tokenizer, directory)


def llama_spm(directory):
    """tokenizer.model alone; what is expected comes from the tokenizer that transformers has always made of it, and is SentencePiece's own."""
    from transformers.convert_slow_tokenizer import generate_merges
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TRAINING), model_prefix=os.path.join(directory, "tokenizer"), vocab_size=420, model_type="bpe", byte_fallback=True,
                                             character_coverage=0.98, normalization_rule_name="identity", remove_extra_whitespaces=False, user_defined_symbols=["<x>"], minloglevel=2)
    spm = sentencepiece.SentencePieceProcessor(model_file=os.path.join(directory, "tokenizer.model"))
    pieces = [spm.id_to_piece(i) for i in range(spm.get_piece_size())]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab, generate_merges(vocab, [(piece, spm.get_score(i)) for i, piece in enumerate(pieces)]), unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in ("<unk>", "<s>", "</s>")])
    tokenizer.add_tokens([AddedToken("<x>", normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    for text in TEXTS:
        if text and "<" not in text:
            assert spm.encode(text) == tokenizer.encode(text).ids[1:], text
    encode = lambda text: tokenizer.encode(text).ids
    return {"files": files_of(directory, ["tokenizer.model"]), "source": results(encode, tokenizer.decode), "pair": ["one two", "three", tokenizer.encode("one two", "three").ids]}


CLIP_TEXTS = [
    "a photo of a cat. " * 40,
    "&amp; &lt;b&gt; &quot;x&quot; &#39;s &nbsp; <br/> a&amp;amp;b",
    "<|startoftext|>a<|endoftext|> <|StartOfText|> (<|endoftext|>) <|endoftext |> cat</w> </w>",
    "I'M we'Ve they'lL ''s x's'd 's\u00a0't",
    "\x1c\x1da\x1e \x1f",
    "12 3\u00b2 \u0661\u0662 \u2167\u00bd one2three",
    "\u1100\u1161 \ud55c e\u0301\u0323 \u212a\u2126 \u01c5 \u0130 \u1e9e \u03a3\u03a3",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f1f0\U0001f1f7!!! ...",
    "\t\n\r \u2003\u3000\u2028x\u0085y\u00a0z\u200bw",
]


def clip(directory, names):
    make_clip(directory, TRAINING, files_only="tokenizer.json" not in names, size=480)
    tokenizer = CLIPTokenizer.from_pretrained(directory)
    found = by_transformers(tokenizer, directory, names)
    found["also"] = [[text, tokenizer(text).input_ids, tokenizer.decode(tokenizer(text).input_ids, skip_special_tokens=True)] for text in CLIP_TEXTS]
    return found


MADE = {
    "bert_uncased": lambda d: bert(d, True, ["vocab.txt", "tokenizer_config.json"]),
    "bert_cased": lambda d: bert(d, False, ["tokenizer.json", "tokenizer_config.json"]),
    "gpt2": gpt2,
    "gpt2_added": gpt2_added,
    "llama": lambda d: llama(d, False),
    "llama_metaspace": lambda d: llama(d, True),
    "llama3": llama3,
    "marian": marian,
    "roberta": roberta,
    "qwen2": qwen2,
    "unigram": lambda d: unigram(d, False),
    "unigram_bytes": lambda d: unigram(d, True),
    "llama_spm": llama_spm,
    "clip": lambda d: clip(d, ["tokenizer.json", "tokenizer_config.json"]),
    "clip_files": lambda d: clip(d, ["vocab.json", "merges.txt"]),
}

if __name__ == "__main__":
    out = {"made_with": f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}, sentencepiece {sentencepiece.__version__}", "texts": TEXTS, "tokenizers": {}}
    for name, make in MADE.items():
        with tempfile.TemporaryDirectory() as directory:
            out["tokenizers"][name] = make(directory)
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/tokenizers.json"
    with open(path, "w") as file:
        json.dump(out, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
