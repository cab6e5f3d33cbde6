#!/usr/bin/env python3
"""Model directories of true shapes with random weights, in the layouts of Hugging Face: what bench/compare.py runs where weights do not matter.

Usage: random_models.py DIRECTORY [llama-f32] [base]      without names, all of them; one that is there already stays as it is
  llama-f32   a Llama of 30 layers x 576 (9 heads, 3 of keys and values, MLP 1536, V 49152, tied): 135 M parameters
  base        a MarianMT of 6 + 6 layers x 512 (8 heads, MLP 2048, V 8001)
Needs numpy and safetensors; base needs sentencepiece, too. Names and weights depend on nothing but this file.
"""
import json
import os
import pathlib
import shutil
import sys

BASE_VOCABULARY = 8001


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_weights(path, shapes):
    """Norms are 1, biases 0, every other weight is normal with a deviation of 0.02."""
    import numpy
    from safetensors.numpy import save_file

    draw = numpy.random.default_rng(1)
    weights = {}
    for name, shape in shapes.items():
        if "norm" in name and name.endswith("weight"):
            weights[name] = numpy.ones(shape, numpy.float32)
        elif name.endswith("bias"):
            weights[name] = numpy.zeros(shape, numpy.float32)
        else:
            weights[name] = draw.standard_normal(shape, numpy.float32) * numpy.float32(0.02)
    save_file(weights, path, metadata={"format": "pt"})


def byte_letters():
    """The letters by which byte-level BPE writes bytes: printable ones as they are, the others as the letters from U+0100."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(0x100 + i) for i in range(len(others))]


def syllable_merges(count):
    """Merges of letters into syllables, of these into words, the latter behind a blank, too: each makes a token that is new."""
    blank = "\u0120"
    syllables = [(consonant, vowel) for consonant in "bcdfghjklmnpqrstvwxyz" for vowel in "aeiou"]
    joined = ["".join(pair) for pair in syllables]
    merges = syllables + [(blank, syllable) for syllable in joined]
    merges += [(begin + first, second) for begin in ("", blank) for first in joined for second in joined]
    merges += [(blank + first + second, third) for first in joined for second in joined for third in joined[:5]]
    assert count <= len(merges)
    return merges[:count]


def byte_level_tokenizer(path, size):
    specials = ["<unk>", "<s>", "</s>"]
    letters = byte_letters()
    merges = syllable_merges(size - len(specials) - len(letters))
    tokens = specials + letters + ["".join(merge) for merge in merges]
    assert len(set(tokens)) == size
    write_json(path, {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
                         for i, token in enumerate(specials)],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "vocab": {token: i for i, token in enumerate(tokens)},
                  "merges": [" ".join(merge) for merge in merges]},
    })


def llama(directory):
    layers, width, heads, shared, hidden, vocabulary = 30, 576, 9, 3, 1536, 49152
    narrow = shared * width // heads
    write_json(directory / "config.json", {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "float32", "vocab_size": vocabulary, "hidden_size": width,
        "intermediate_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": shared, "hidden_act": "silu",
        "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 100000.0, "tie_word_embeddings": True, "attention_bias": False,
        "mlp_bias": False, "bos_token_id": 1, "eos_token_id": 2,
    })
    byte_level_tokenizer(directory / "tokenizer.json", vocabulary)
    write_json(directory / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"})
    shapes = {"model.embed_tokens.weight": (vocabulary, width), "model.norm.weight": (width,)}
    for i in range(layers):
        layer = f"model.layers.{i}."
        shapes |= {layer + "input_layernorm.weight": (width,), layer + "post_attention_layernorm.weight": (width,)}
        shapes |= {f"{layer}self_attn.{name}_proj.weight": (rows, width) for name, rows in (("q", width), ("k", narrow), ("v", narrow), ("o", width))}
        shapes |= {f"{layer}mlp.{name}_proj.weight": (hidden, width) for name in ("gate", "up")}
        shapes |= {layer + "mlp.down_proj.weight": (width, hidden)}
    write_weights(directory / "model.safetensors", shapes)


def base(directory):
    """Its vocabulary is of made-up words of four letters."""
    import io

    import sentencepiece

    letters = "abcdefghijklmnopqrst"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in "aeiou"]
    lines = (" ".join(words[i:i + 5]) for i in range(len(words) - 5))
    pieces = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=pieces, vocab_size=BASE_VOCABULARY - 1, model_type="bpe",
                                             pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2)
    for name in ("source.spm", "target.spm"):
        (directory / name).write_bytes(pieces.getvalue())
    known = sentencepiece.SentencePieceProcessor(model_proto=pieces.getvalue())
    vocabulary = {known.id_to_piece(i): i for i in range(known.get_piece_size())}
    vocabulary["<pad>"] = pad = len(vocabulary)
    write_json(directory / "vocab.json", vocabulary)
    width, layers, heads, hidden, positions = 512, 6, 8, 2048, 512
    write_json(directory / "config.json", {
        "architectures": ["MarianMTModel"], "model_type": "marian", "torch_dtype": "float32", "is_encoder_decoder": True, "vocab_size": pad + 1,
        "d_model": width, "encoder_layers": layers, "decoder_layers": layers, "encoder_attention_heads": heads, "decoder_attention_heads": heads,
        "encoder_ffn_dim": hidden, "decoder_ffn_dim": hidden, "max_position_embeddings": positions, "scale_embedding": True,
        "activation_function": "swish", "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "static_position_embeddings": True,
        "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True, "normalize_before": False, "normalize_embedding": False,
        "add_final_layer_norm": False, "decoder_vocab_size": pad + 1, "pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0,
        "forced_eos_token_id": 0,
    })
    write_json(directory / "generation_config.json", {"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": 0,
                                                      "bad_words_ids": [[pad]]})
    write_json(directory / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "eos_token": "</s>",
                                                     "unk_token": "<unk>", "pad_token": "<pad>", "separate_vocabs": False})
    shapes = {"model.shared.weight": (pad + 1, width), "final_logits_bias": (1, pad + 1)}

    def linear(name, rows, columns):
        shapes.update({name + ".weight": (rows, columns), name + ".bias": (rows,)})

    def norm(name):
        shapes.update({name + ".weight": (width,), name + ".bias": (width,)})

    for side in ("encoder", "decoder"):
        for i in range(layers):
            layer = f"model.{side}.layers.{i}."
            for attention in ("self_attn", "encoder_attn")[:1 if side == "encoder" else 2]:
                for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{layer}{attention}.{name}", width, width)
                norm(f"{layer}{attention}_layer_norm")
            linear(layer + "fc1", hidden, width)
            linear(layer + "fc2", width, hidden)
            norm(layer + "final_layer_norm")
    write_weights(directory / "model.safetensors", shapes)


MODELS = {"llama-f32": llama, "base": base}


def make(directory, name):
    """The path of a model, which is made where it is missing: aside first, so that half a model is none."""
    path = pathlib.Path(directory) / name
    if not path.exists():
        aside = path.with_name(f"{name}.{os.getpid()}")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        MODELS[name](aside)
        aside.rename(path)
    return path


def main():
    if len(sys.argv) < 2 or any(name not in MODELS for name in sys.argv[2:]):
        sys.exit(__doc__)
    for name in sys.argv[2:] or MODELS:
        print(make(sys.argv[1], name))


if __name__ == "__main__":
    main()
