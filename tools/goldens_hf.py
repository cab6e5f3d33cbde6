#!/usr/bin/env python3
"""Makes tests/goldens/hf.safetensors with Hugging Face transformers: small models of random weights, and what they compute.

Usage: goldens_hf.py [FILE]        needs torch 2.15.0 and transformers 5.22, on a CPU

For a model NAME the file holds
  NAME/weights/TENSOR                the tensors of its model.safetensors
  NAME/ids [n]                       what it reads (marian: the decoder's side, its first mark among them), NAME/source [s] (marian)
  NAME/logits [n, V]                 logits; [n, E] last states of a body without a head; [1, labels] of a sentence
  NAME/greedy [m], NAME/beam [m]     what generate() writes after ids (marian: after its first mark), greedy and with 4 beams
  NAME/segments [n]                  encoders: which sentence each id is of
and under __metadata__ "models", a JSON list of {"name", "config"}.
"""
import json
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers as hf
from safetensors.torch import load_file

from goldens import save

V = 23
GPT2 = dict(vocab_size=V, n_positions=32, n_embd=12, n_layer=2, n_head=3, bos_token_id=1, eos_token_id=2)
LLAMA = dict(vocab_size=V, hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=32, bos_token_id=1, eos_token_id=2)
BERT = dict(vocab_size=V, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20, max_position_embeddings=16)
MARIAN = dict(vocab_size=V, d_model=12, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3, decoder_attention_heads=3,
              encoder_ffn_dim=20, decoder_ffn_dim=20, pad_token_id=V - 1, decoder_start_token_id=V - 1, eos_token_id=0,
              forced_eos_token_id=None, max_position_embeddings=32)
DISTILBERT = dict(vocab_size=V, dim=12, n_layers=2, n_heads=3, hidden_dim=20, max_position_embeddings=16)
ROBERTA = dict(BERT, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2, max_position_embeddings=18)
MODELS = {
    "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(**GPT2)),
    "gpt2-untied": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(**GPT2, tie_word_embeddings=False, n_inner=20, activation_function="relu")),
    "llama": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA)),
    "llama-tied": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA | dict(num_key_value_heads=4), tie_word_embeddings=True, rope_theta=500.0)),
    "bert": lambda: hf.BertModel(hf.BertConfig(**BERT)),
    "bert-bare": lambda: hf.BertModel(hf.BertConfig(**BERT), add_pooling_layer=False),
    "bert-words": lambda: hf.BertForMaskedLM(hf.BertConfig(**BERT)),
    "bert-labels": lambda: hf.BertForSequenceClassification(hf.BertConfig(**BERT, num_labels=3)),
    "bert-token-labels": lambda: hf.BertForTokenClassification(hf.BertConfig(**BERT, num_labels=4)),
    "marian": lambda: hf.MarianMTModel(hf.MarianConfig(**MARIAN, scale_embedding=True, activation_function="swish")),
    "marian-gelu": lambda: hf.MarianMTModel(hf.MarianConfig(**MARIAN, activation_function="gelu")),
    "marian-uneven": lambda: hf.MarianMTModel(hf.MarianConfig(**MARIAN | dict(decoder_attention_heads=2, decoder_ffn_dim=28, decoder_layers=1), activation_function="relu")),
    "qwen2": lambda: hf.Qwen2ForCausalLM(hf.Qwen2Config(**LLAMA)),
    "qwen2-tied": lambda: hf.Qwen2ForCausalLM(hf.Qwen2Config(**LLAMA, tie_word_embeddings=True, rope_theta=1e6)),
    "distilbert": lambda: hf.DistilBertModel(hf.DistilBertConfig(**DISTILBERT)),
    "distilbert-words": lambda: hf.DistilBertForMaskedLM(hf.DistilBertConfig(**DISTILBERT, activation="relu")),
    "distilbert-labels": lambda: hf.DistilBertForSequenceClassification(hf.DistilBertConfig(**DISTILBERT, num_labels=3)),
    "distilbert-token-labels": lambda: hf.DistilBertForTokenClassification(hf.DistilBertConfig(**DISTILBERT, num_labels=4)),
    "roberta": lambda: hf.RobertaModel(hf.RobertaConfig(**ROBERTA), add_pooling_layer=False),
    "roberta-words": lambda: hf.RobertaForMaskedLM(hf.RobertaConfig(**ROBERTA)),
    "roberta-labels": lambda: hf.RobertaForSequenceClassification(hf.RobertaConfig(**ROBERTA | dict(pad_token_id=2), num_labels=3)),
    "roberta-token-labels": lambda: hf.RobertaForTokenClassification(hf.RobertaConfig(**ROBERTA, num_labels=4)),
}
WORDS = 10


def spread(model):
    """Weights as large as a trained model's: with the small first ones all logits are nearly equal, and a test sees nothing."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "embed_positions" in name:
                continue
            p.copy_(torch.randn_like(p) * (0.5 if p.dim() > 1 else 0.2) + (1.0 if "norm" in name.lower() or "ln_" in name else 0.0) * (p.dim() == 1) * name.endswith("weight"))
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.copy_(torch.randn_like(model.final_logits_bias) * 0.2)


@torch.no_grad()
def run(name, model):
    config, made = model.config, {}
    n = 9
    ids = torch.randint(3, V - 1, (1, n))
    if config.model_type == "marian":
        source = torch.cat([torch.randint(1, V - 1, (1, 7)), torch.tensor([[0]])], 1)
        ids[0, 0] = config.decoder_start_token_id
        made["source"] = source[0]
        made["logits"] = model(input_ids=source, decoder_input_ids=ids).logits[0]
        quiet = dict(max_new_tokens=WORDS, bad_words_ids=[[V - 1]], do_sample=False, early_stopping=False)
        made["greedy"] = model.generate(source, num_beams=1, **quiet)[0][1:]
        made["beam"] = model.generate(source, num_beams=4, length_penalty=1.0, **quiet)[0][1:]
    elif config.model_type in ("bert", "distilbert", "roberta"):
        segments = torch.tensor([[0] * 5 + [int(config.model_type == "bert")] * (n - 5)])
        made["segments"] = segments[0]
        out = model(input_ids=ids) if config.model_type == "distilbert" else model(input_ids=ids, token_type_ids=segments)
        made["logits"] = out.logits.reshape(-1, out.logits.shape[-1]) if "logits" in out else out.last_hidden_state[0]
    else:
        made["logits"] = model(ids).logits[0]
        quiet = dict(max_new_tokens=WORDS, do_sample=False, pad_token_id=0, attention_mask=torch.ones_like(ids))
        made["greedy"] = model.generate(ids, **quiet)[0][n:]
        made["beam"] = model.generate(ids, num_beams=4, length_penalty=1.0, **quiet)[0][n:]
    return made | {"ids": ids[0]}


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/hf.safetensors"
    tensors, models = {}, []
    for number, (name, make) in enumerate(MODELS.items()):
        torch.manual_seed(500 + number)
        model = make().eval()
        spread(model)
        with tempfile.TemporaryDirectory() as directory:
            model.save_pretrained(directory)
            config = json.load(open(os.path.join(directory, "config.json")))
            weights = load_file(os.path.join(directory, "model.safetensors"))
        for key, value in weights.items():
            tensors[f"{name}/weights/{key}"] = value
        for key, value in run(name, model).items():
            value = value.detach().contiguous()
            tensors[f"{name}/{key}"] = value.float() if value.is_floating_point() else value.int()
        models.append({"name": name, "config": config})
    made_with = f"torch {torch.__version__.split('+')[0]}, transformers {hf.__version__}, tools/goldens_hf.py"
    save(path, tensors, {"made_with": made_with, "models": json.dumps(models, separators=(",", ":"))})
    print(f"{len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
