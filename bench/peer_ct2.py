#!/usr/bin/env python3
"""CTranslate2's side of bench/compare.py: a Transformer base (6 + 6 layers, 512 wide, V 8001) with random weights, 20 words a sentence.

Usage: peer_ct2.py THREADS DIRECTORY       the model is made in DIRECTORY by the first run
Answers on pipes as peer_torch.py does; the first line out is {"ctranslate2": version}.
"""
import json
import os
import resource
import subprocess
import sys
import time

import ctranslate2

VOCABULARY, WORDS = 8001, 20
# name: (sentences, of them side by side, beams, what weights are kept in)
CASES = {
    "decode/base_f32_b1": (8, 1, 1, "float32"),
    "decode/base_f32_b32": (32, 32, 1, "float32"),
    "decode/base_f32_b32_beam4": (32, 32, 4, "float32"),
    "decode/base_int8_b1": (8, 1, 1, "int8"),
}


def make(directory):
    """A MarianMT directory with a vocabulary of made-up words, and CTranslate2's form of it."""
    import sentencepiece
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    torch.manual_seed(0)
    hf = os.path.join(directory, "hf")
    os.makedirs(hf, exist_ok=True)
    letters = "abcdefghijklmnopqrst"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in "aeiou"]
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(" ".join(words[i:i + 5]) for i in range(len(words) - 5)),
                                             model_prefix=os.path.join(directory, "spm"), vocab_size=VOCABULARY - 1, model_type="bpe",
                                             pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2)
    for name in ("source.spm", "target.spm"):
        with open(os.path.join(directory, "spm.model"), "rb") as source, open(os.path.join(hf, name), "wb") as to:
            to.write(source.read())
    pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(hf, "source.spm"))
    vocabulary = {pieces.id_to_piece(i): i for i in range(pieces.get_piece_size())}
    vocabulary["<pad>"] = pad = len(vocabulary)
    with open(os.path.join(hf, "vocab.json"), "w") as to:
        json.dump(vocabulary, to)
    config = MarianConfig(vocab_size=pad + 1, d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8,
                          encoder_ffn_dim=2048, decoder_ffn_dim=2048, pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0,
                          forced_eos_token_id=0, max_position_embeddings=512, scale_embedding=True, activation_function="swish")
    MarianMTModel(config).save_pretrained(hf)
    MarianTokenizer(os.path.join(hf, "source.spm"), os.path.join(hf, "target.spm"), os.path.join(hf, "vocab.json"),
                    source_lang="en", target_lang="de").save_pretrained(hf)
    converter = os.path.join(os.path.dirname(sys.executable), "ct2-transformers-converter")
    subprocess.run([converter, "--model", hf, "--output_dir", os.path.join(directory, "ct2")], check=True, stdout=sys.stderr)


def main():
    threads, directory = int(sys.argv[1]), sys.argv[2]
    if not os.path.exists(os.path.join(directory, "ct2", "model.bin")):
        make(directory)
    with open(os.path.join(directory, "hf", "vocab.json")) as file:
        words = [word for word, i in json.load(file).items() if 2 <= i < VOCABULARY - 1]
    print(json.dumps({"ctranslate2": ctranslate2.__version__}), flush=True)
    translator, kept_in = None, None
    for line in sys.stdin:
        request = json.loads(line)
        count, batch, beams, kind = CASES[request["name"]]
        if kind != kept_in:
            translator, kept_in = None, kind
            translator = ctranslate2.Translator(os.path.join(directory, "ct2"), device="cpu", compute_type=kind, inter_threads=1, intra_threads=threads)
        sources = [[words[(i * 31 + j * 7) % len(words)] for j in range(7 + i * 5 % 13)] + ["</s>"] for i in range(count)]

        def run():
            translator.translate_batch(sources, max_batch_size=batch, beam_size=beams, min_decoding_length=WORDS, max_decoding_length=WORDS)

        run()
        best = 1e9
        for _ in range(request["rounds"]):
            start = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"ms": 1e3 * best, "peak_mib": peak}), flush=True)


if __name__ == "__main__":
    main()
