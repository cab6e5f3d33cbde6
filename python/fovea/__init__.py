"""Attention you can train, run and look at: models loaded from a directory, maps of where they looked, and
attention on NumPy arrays.

    import fovea
    model = fovea.load("en-ko")
    said = model.translate("I am a student .", look=True)
    print(said.text)
    print(said.map)
"""

import atexit

# What libfovea.so.0 needs of the system. Debian 12's names.
_PACKAGES = "libdnnl2 libhwy1 libfmt9 libsentencepiece0 libyaml-cpp0.7 librsvg2-2 libpng16-16 libjpeg62-turbo libgomp1"

try:
    from . import _fovea
    from ._fovea import (
        Attended,
        Attention,
        Cancelled,
        Caption,
        Classification,
        Error,
        Gap,
        Generating,
        Generation,
        Guess,
        Hypothesis,
        LabelProbability,
        Map,
        Model,
        ModelInfo,
        Score,
        Tokens,
        Translation,
        WordLabel,
        __version__,
        attend,
        load,
        map_of,
        set_threads,
    )
except ImportError as error:
    if "cannot open shared object file" not in str(error):
        raise
    raise ImportError(
        f"[fovea] {str(error).split(':')[0]} is missing: install Fovea's libraries (apt install {_PACKAGES})"
    ) from None

# A thread that still writes a text must not outlive the interpreter.
atexit.register(_fovea._close_all)

__all__ = [
    "Attended",
    "Attention",
    "Cancelled",
    "Caption",
    "Classification",
    "Error",
    "Gap",
    "Generating",
    "Generation",
    "Guess",
    "Hypothesis",
    "LabelProbability",
    "Map",
    "Model",
    "ModelInfo",
    "Score",
    "Tokens",
    "Translation",
    "WordLabel",
    "attend",
    "load",
    "map_of",
    "set_threads",
]
