#!/usr/bin/env python3
"""Makes tests/goldens/pictures.safetensors with Pillow: small picture files of every kind and the pixels they hold, and resized pictures.

Usage: goldens_pictures.py [FILE]        needs pillow 13.0.0 and numpy

All arrays are u8. For a file NAME the golden file holds
  file/NAME [bytes]             the file
  rgb/NAME [h, w, 3]            Image.open().convert('RGB'); of 16 bits of grey, which Pillow cuts off at 255, the upper 8
  white/NAME [h, w, 3]          the same over white by Image.alpha_composite, where there is transparency
and for a case NAME of resizing, where the picture is [h, w] or [h, w, 3]
  resize/NAME/in, resize/NAME/area, resize/NAME/bilinear, resize/NAME/bicubic
"""
import io
import json
import struct
import sys
import zlib

import numpy as np
import PIL
from PIL import Image

RNG = np.random.default_rng(1)
H, W = 11, 13
FILTERS = {"area": Image.Resampling.BOX, "bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


def save(path, arrays, metadata):
    """The safetensors format, in the order given, so that the same run writes the same bytes."""
    header, body = {"__metadata__": metadata}, b""
    for name, x in arrays.items():
        data = np.ascontiguousarray(x, dtype=np.uint8).tobytes()
        header[name] = {"dtype": "U8", "shape": list(x.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def smooth(h, w, channels):
    """Waves, which survive JPEG, with a little noise."""
    y, x = np.mgrid[0:h, 0:w]
    waves = [np.sin(x / (2 + c) + c) * np.cos(y / (3 + c)) for c in range(channels)]
    return np.clip(128 + 100 * np.stack(waves, -1) + RNG.integers(-9, 10, (h, w, channels)), 0, 255).astype(np.uint8)


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def png_by_hand(values, depth, colour, interlaced):
    """What Pillow does not write. values [h, w, channels], as numbers of `depth` bits."""
    h, w, channels = values.shape

    def rows(part):
        out = b""
        for row in part:
            bits = "".join(format(int(v), f"0{depth}b") for v in row.reshape(-1))
            bits += "0" * (-len(bits) % 8)
            out += b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        return out

    adam7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    passes = [values[y::dy, x::dx] for y, x, dy, dx in adam7] if interlaced else [values]
    data = b"".join(rows(p) for p in passes if p.size)
    chunk = lambda name, body: struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    header = struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def files():
    grey, rgb = Image.fromarray(smooth(H, W, 1)[..., 0]), Image.fromarray(smooth(H, W, 3))
    alpha = Image.fromarray(RNG.integers(0, 256, (H, W), dtype=np.uint8))
    grey_alpha, rgba = Image.merge("LA", (grey, alpha)), Image.merge("RGBA", (*rgb.split(), alpha))
    palette = rgb.quantize(16)
    large = Image.fromarray(smooth(40, 50, 3))
    yield "png_grey", encoded(grey, "PNG")
    yield "png_grey_alpha", encoded(grey_alpha, "PNG")
    yield "png_rgb", encoded(rgb, "PNG")
    yield "png_rgba", encoded(rgba, "PNG")
    yield "png_palette", encoded(palette, "PNG")
    yield "png_palette_transparent", encoded(palette, "PNG", transparency=3)
    yield "png_1_bit", encoded(grey.convert("1"), "PNG")
    yield "png_grey_2_bits", png_by_hand(RNG.integers(0, 4, (H, W, 1)), 2, 0, False)
    yield "png_grey_4_bits", png_by_hand(RNG.integers(0, 16, (H, W, 1)), 4, 0, True)
    yield "png_grey_16_bits", png_by_hand(RNG.integers(0, 65536, (H, W, 1)), 16, 0, False)
    yield "png_rgb_16_bits", png_by_hand(RNG.integers(0, 65536, (H, W, 3)), 16, 2, False)
    yield "png_rgba_16_bits", png_by_hand(RNG.integers(0, 65536, (H, W, 4)), 16, 6, True)
    yield "png_interlaced", png_by_hand(smooth(H, W, 3), 8, 2, True)
    yield "png_animated", encoded(rgb, "PNG", save_all=True, append_images=[rgb.rotate(180), rgb.rotate(90)])
    yield "png_one_pixel", encoded(rgb.crop((0, 0, 1, 1)), "PNG")
    yield "jpeg_rgb", encoded(large, "JPEG", quality=85)
    yield "jpeg_whole_colours", encoded(rgb, "JPEG", quality=90, subsampling=0)
    yield "jpeg_grey", encoded(grey, "JPEG", quality=90)
    yield "jpeg_progressive", encoded(large, "JPEG", quality=85, progressive=True)
    yield "jpeg_cmyk", encoded(Image.fromarray(smooth(H, W, 4), "CMYK"), "JPEG", quality=90)


def main():
    arrays = {}
    for name, data in files():
        arrays[f"file/{name}"] = np.frombuffer(data, np.uint8)
        image = Image.open(io.BytesIO(data))
        if image.mode == "I;16":
            arrays[f"rgb/{name}"] = np.repeat((np.asarray(image) >> 8).astype(np.uint8)[..., None], 3, -1)
        else:
            arrays[f"rgb/{name}"] = np.asarray(image.convert("RGB"))
        if "A" in image.mode or "transparency" in image.info:
            white = Image.new("RGBA", image.size, (255, 255, 255, 255))
            arrays[f"white/{name}"] = np.asarray(Image.alpha_composite(white, image.convert("RGBA")).convert("RGB"))
    for case in range(16):
        h, w, to_h, to_w = (int(n) for n in RNG.integers(1, 25, 4))
        if case % 4 == 3:
            to_h = h  # one side alone
        shape = (h, w) if case % 2 else (h, w, 3)
        pixels = RNG.integers(0, 256, shape, dtype=np.uint8)
        arrays[f"resize/{case:02}/in"] = pixels
        for name, kind in FILTERS.items():
            arrays[f"resize/{case:02}/{name}"] = np.asarray(Image.fromarray(pixels).resize((to_w, to_h), kind))
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/goldens/pictures.safetensors"
    save(path, arrays, {"made_with": f"pillow {PIL.__version__}, numpy {np.__version__}"})
    print(f"{path}: {len(arrays)} arrays, with pillow {PIL.__version__}")


if __name__ == "__main__":
    main()
