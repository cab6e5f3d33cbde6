#!/usr/bin/env python3
"""transformers' side of bench/compare.py starting: one model from the start of a process to its first answer.

Usage: peer_start.py THREADS generate|translate|embed DIRECTORY TEXT
"""
import sys

import torch
import transformers

TRANSLATED_TOKENS = 31  # random weights end no sentence, and this is where fovea translate ends that one by itself


def generate(directory, text):
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model = transformers.AutoModelForCausalLM.from_pretrained(directory)
    ids = tokenizer(text, return_tensors="pt")
    return tokenizer.decode(model.generate(**ids, max_new_tokens=1, do_sample=False)[0])


def translate(directory, text):
    tokenizer = transformers.MarianTokenizer.from_pretrained(directory)
    model = transformers.MarianMTModel.from_pretrained(directory)
    ids = tokenizer([text], return_tensors="pt")
    return tokenizer.decode(model.generate(**ids, max_new_tokens=TRANSLATED_TOKENS, num_beams=5)[0])


def embed(directory, text):
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model = transformers.AutoModel.from_pretrained(directory)
    states = model(**tokenizer([text], return_tensors="pt")).last_hidden_state
    return torch.nn.functional.normalize(states.mean(1))[0, :4].tolist()


def main():
    threads, task, directory, text = sys.argv[1:]
    torch.set_num_threads(int(threads))
    with torch.no_grad():
        print({"generate": generate, "translate": translate, "embed": embed}[task](directory, text))


if __name__ == "__main__":
    main()
