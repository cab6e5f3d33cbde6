#!/usr/bin/env python3
"""Pictures of emoji with their names, of three vendors, for `fovea train --pictures`.

Usage: prepare.py OUT        fetches the npm packages emoji-datasource-twitter, emoji-datasource-google and openmoji into OUT/packages
                             (once), and writes OUT/{twitter,google,openmoji}/*.png and OUT/{train,test}.tsv

train.tsv has the pictures of the first two, test.tsv the third's of the same emoji. Needs npm, Pillow, NumPy and rsvg-convert.
"""

import io
import json
import pathlib
import subprocess
import sys
import tarfile

import numpy
from PIL import Image

SIZE = 32
CELL = SIZE + 2  # a border of one pixel around each emoji of a sheet
SHEETS = {"twitter": "emoji-datasource-twitter", "google": "emoji-datasource-google"}


def package(name, out):
    """The package's archive, fetched where it is not there yet."""
    folder = out / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    found = list(folder.glob(f"{name}-*.tgz"))
    if not found:
        subprocess.run(["npm", "pack", name], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = list(folder.glob(f"{name}-*.tgz"))
    return tarfile.open(found[0])


def on_white(picture):
    picture = picture.convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")


def names_of(table):
    """What each emoji is called, in small letters; the few that share a name are left out."""
    names = {}
    for emoji in table:
        name = (emoji["name"] or emoji["short_name"]).lower()
        if emoji["category"] not in ("Component", "Flags"):
            names.setdefault(name, []).append(emoji)
    return {name: some[0] for name, some in names.items() if len(some) == 1}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    drawn = {}  # vendor -> {code: file}
    chosen = None
    for vendor, name in SHEETS.items():
        with package(name, out) as archive:
            table = json.load(archive.extractfile("package/emoji.json"))
            sheet = Image.open(io.BytesIO(archive.extractfile(f"package/img/{vendor}/sheets/{SIZE}.png").read()))
            sheet.load()
        chosen = chosen or names_of(table)
        (out / vendor).mkdir(exist_ok=True)
        drawn[vendor] = {}
        for emoji in names_of(table).values():
            if not emoji[f"has_img_{vendor}"]:
                continue
            x, y = emoji["sheet_x"] * CELL + 1, emoji["sheet_y"] * CELL + 1
            file = f"{vendor}/{emoji['unified'].lower()}.png"
            on_white(sheet.crop((x, y, x + SIZE, y + SIZE))).save(out / file)
            drawn[vendor][emoji["unified"]] = file
    (out / "openmoji").mkdir(exist_ok=True)
    drawn["openmoji"] = {}
    with package("openmoji", out) as archive:
        svgs = {member.name.rsplit("/", 1)[1]: member for member in archive.getmembers() if member.name.startswith("package/color/svg/")}
        for emoji in chosen.values():
            for code in (emoji["unified"], emoji["unified"].replace("-FE0F", "")):
                if f"{code}.svg" not in svgs:
                    continue
                svg = archive.extractfile(svgs[f"{code}.svg"]).read()
                png = subprocess.run(["rsvg-convert", "-w", str(SIZE), "-h", str(SIZE)], input=svg, check=True, capture_output=True).stdout
                file = f"openmoji/{emoji['unified'].lower()}.png"
                on_white(Image.open(io.BytesIO(png))).save(out / file)
                drawn["openmoji"][emoji["unified"]] = file
                break
    train, test = [], []
    for name, emoji in chosen.items():
        code = emoji["unified"]
        if all(code in files for files in drawn.values()):
            train += [f"{drawn[vendor][code]}\t{name}\n" for vendor in SHEETS]
            test.append(f"{drawn['openmoji'][code]}\t{name}\n")
    (out / "train.tsv").write_text("".join(train), encoding="utf-8")
    (out / "test.tsv").write_text("".join(test), encoding="utf-8")
    print(f"{len(train)} pictures to learn from, {len(test)} to test on")
    print(f"nearest neighbour in pixels: {100 * nearest(out, train, test):.1f} % of the names")


def nearest(out, train, test):
    """The share of test pictures whose nearest training picture, by the sum of squared differences, has their name."""

    def read(lines):
        rows = [line.rstrip("\n").split("\t") for line in lines]
        pixels = [numpy.asarray(Image.open(out / file), dtype=numpy.float32).ravel() for file, _ in rows]
        return numpy.stack(pixels), [name for _, name in rows]

    x, names = read(train)
    y, wanted = read(test)
    distances = (x * x).sum(1)[None, :] - 2 * y @ x.T
    return sum(names[i] == name for i, name in zip(distances.argmin(1), wanted)) / len(wanted)


if __name__ == "__main__":
    main()
