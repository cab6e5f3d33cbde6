#!/usr/bin/env python3
"""Makes tests/goldens/hf_pictures.safetensors with Hugging Face transformers: small models of random weights that look at pictures, what
their image processors make of a picture, and what they compute of that.

Usage: goldens_hf_pictures.py [FILE]        needs torch 2.15.0, transformers 5.23 and Pillow 13, on a CPU

For a model NAME the file holds
  NAME/weights/TENSOR              the tensors of its model.safetensors
  NAME/picture [h, w, 3] u8        a picture, NAME/pixels [c, s, s] what its image processor makes of it
  NAME/logits [1, labels], NAME/states [1, tokens, width]   of the pixels: labels, or the last hidden states of a model without a head
  NAME/features [1, projection]    CLIP: get_image_features
  NAME/ids [texts, n]              CLIP: texts, filled up with -1; NAME/texts [texts, projection] get_text_features, NAME/match [1, texts] the
                                   probabilities of texts for the picture
and under __metadata__ "models", a JSON list of {"name", "config", "preprocessor", "lines": the texts of ids, by the tokenizer "clip" of
tests/goldens/tokenizers.json}.
"""
import json
import logging
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers as hf
from PIL import Image
from safetensors.torch import load_file

from goldens import save
from goldens_hf import spread

logging.disable(logging.WARNING)
HERE = os.path.dirname(os.path.abspath(__file__))
VIT = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20, image_size=12, patch_size=4)
CLIP_TEXT = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, max_position_embeddings=20)
SMALL = dict(size={"shortest_edge": 12}, crop_size={"height": 12, "width": 12})
LINES = ["a photo of a cat", "a dog", "the king's 2nd horse isn't here!", ""]


def tokenizer():
    with open(os.path.join(HERE, "../tests/goldens/tokenizers.json")) as file:
        files = json.load(file)["tokenizers"]["clip"]["files"]
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            with open(os.path.join(directory, name), "w") as file:
                file.write(text)
        return hf.CLIPTokenizer.from_pretrained(directory)


WORDS = tokenizer()
V = len(WORDS)


def clip(text, vision):
    return hf.CLIPModel(hf.CLIPConfig(text_config=CLIP_TEXT | text, vision_config=VIT | vision, projection_dim=10))


# name: model, its image processor, the size of a picture.
MODELS = {
    "vit": lambda: (hf.ViTForImageClassification(hf.ViTConfig(**VIT, num_labels=5)), hf.ViTImageProcessorPil(size={"height": 12, "width": 12}), (9, 31)),
    "vit-grey": lambda: (hf.ViTForImageClassification(hf.ViTConfig(**VIT | dict(patch_size=6, num_channels=1), hidden_act="relu", layer_norm_eps=0.01)),
                         hf.ViTImageProcessorPil(size={"height": 12, "width": 12}, image_mean=[0.2], image_std=[0.3], resample=3), (12, 12)),
    "vit-bare": lambda: (hf.ViTModel(hf.ViTConfig(**VIT)), hf.ViTImageProcessorPil(size={"height": 12, "width": 12}, do_normalize=False), (40, 25)),
    "vit-no-pooler": lambda: (hf.ViTModel(hf.ViTConfig(**VIT), add_pooling_layer=False), hf.ViTImageProcessorPil(size={"height": 12, "width": 12}, resample=4), (33, 14)),
    "deit": lambda: (hf.DeiTForImageClassification(hf.DeiTConfig(**VIT, num_labels=3)), hf.DeiTImageProcessorPil(size={"height": 15, "width": 15}, crop_size={"height": 12, "width": 12}), (30, 22)),
    "deit-teacher": lambda: (hf.DeiTForImageClassificationWithTeacher(hf.DeiTConfig(**VIT, num_labels=3)),
                             hf.DeiTImageProcessorPil(do_resize=False, crop_size={"height": 12, "width": 12}, image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225]), (9, 40)),
    "deit-bare": lambda: (hf.DeiTModel(hf.DeiTConfig(**VIT)), hf.DeiTImageProcessorPil(size={"height": 12, "width": 12}, do_center_crop=False), (10, 10)),
    "clip": lambda: (clip(dict(vocab_size=V, bos_token_id=V - 2, eos_token_id=V - 1), {}), hf.CLIPImageProcessorPil(**SMALL), (20, 33)),
    # Configs from before the id of the end was right: the largest id ends a text.
    "clip-old": lambda: (clip(dict(vocab_size=V, bos_token_id=0, eos_token_id=2, hidden_act="gelu"), dict(hidden_act="gelu", patch_size=6, hidden_size=18)), hf.CLIPImageProcessorPil(**SMALL), (50, 21)),
}


@torch.no_grad()
def run(model, processor, size):
    rows = torch.arange(size[0])[:, None, None] * 9 + torch.arange(size[1])[None, :, None] * 5 + torch.arange(3) * 40
    picture = ((rows + torch.randint(0, 60, (*size, 3))) % 256).to(torch.uint8)
    image = Image.fromarray(picture.numpy())
    if model.config.model_type != "clip" and model.config.num_channels == 1:
        image = image.convert("L")
    pixels = processor(image, return_tensors="pt").pixel_values
    made = {"picture": picture, "pixels": pixels[0]}
    if model.config.model_type != "clip":
        out = model(pixels)
        return made | ({"logits": out.logits} if "logits" in out else {"states": out.last_hidden_state})
    text = WORDS(LINES, padding=True, return_tensors="pt")
    made["ids"] = torch.where(text.attention_mask.bool(), text.input_ids, -1)
    out = model(**text, pixel_values=pixels)
    made["states"] = out.vision_model_output.last_hidden_state
    made["features"] = model.get_image_features(pixels).pooler_output
    made["texts"] = model.get_text_features(**text).pooler_output
    made["match"] = out.logits_per_image.softmax(-1)
    return made


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/hf_pictures.safetensors"
    tensors, models = {}, []
    for number, (name, make) in enumerate(MODELS.items()):
        torch.manual_seed(900 + number)
        model, processor, size = make()
        spread(model.eval())
        if hasattr(model, "logit_scale"):
            model.logit_scale.data.fill_(1.25)
        with tempfile.TemporaryDirectory() as directory:
            model.save_pretrained(directory)
            processor.save_pretrained(directory)
            config = json.load(open(os.path.join(directory, "config.json")))
            preprocessor = json.load(open(os.path.join(directory, "preprocessor_config.json")))
            weights = load_file(os.path.join(directory, "model.safetensors"))
        for key, value in weights.items():
            tensors[f"{name}/weights/{key}"] = value
        for key, value in run(model, processor, size).items():
            value = value.detach().contiguous()
            tensors[f"{name}/{key}"] = value.float() if value.is_floating_point() else value if value.dtype == torch.uint8 else value.int()
        models.append({"name": name, "config": config, "preprocessor": preprocessor} | ({"lines": LINES} if config["model_type"] == "clip" else {}))
    made_with = f"torch {torch.__version__.split('+')[0]}, transformers {hf.__version__}, Pillow {Image.__version__}, tools/goldens_hf_pictures.py"
    save(path, tensors, {"made_with": made_with, "models": json.dumps(models, separators=(",", ":"))})
    print(f"{len(models)} models, {len(tensors)} tensors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
