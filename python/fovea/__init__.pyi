import os
from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, Optional, Sequence, Type, Union, overload

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]
_Side = Literal["source", "target"]
_Path = Union[str, bytes, os.PathLike[str]]
_Pixels = npt.NDArray[np.uint8]
_Picture = Union[_Path, _Pixels]

__version__: str
__all__: list[str]

class Error(RuntimeError): ...
class Cancelled(Error): ...

class Attention:
    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> list[str]: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def layers(self) -> list[int]: ...
    @property
    def heads(self) -> list[int]: ...
    @property
    def grid(self) -> Optional[tuple[int, int]]: ...
    @property
    def weights(self) -> _Floats: ...

class Map:
    @property
    def empty(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def attentions(self) -> list[Attention]: ...
    def select(
        self, *, layers: Sequence[int] = [], heads: Sequence[int] = [], attention: str = "", token: str = ""
    ) -> Map: ...
    def text(self, columns: int = 80, color: Literal["none", "256", "true"] = "none") -> str: ...
    def svg(self) -> str: ...
    def png(self, scale: float = 2.0) -> bytes: ...
    def html(self) -> str: ...
    def json(self) -> str: ...
    def _repr_html_(self) -> Optional[str]: ...
    def _repr_svg_(self) -> Optional[str]: ...

class Hypothesis:
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> list[str]: ...
    @property
    def ids(self) -> list[int]: ...
    @property
    def log_prob(self) -> float: ...
    @property
    def score(self) -> float: ...
    @property
    def ended(self) -> bool: ...

class Translation(Hypothesis):
    @property
    def source_tokens(self) -> list[str]: ...
    @property
    def n_best(self) -> list[Hypothesis]: ...
    @property
    def map(self) -> Map: ...
    @property
    def alignment(self) -> list[tuple[int, int]]: ...

class Caption(Hypothesis):
    @property
    def n_best(self) -> list[Hypothesis]: ...
    @property
    def map(self) -> Map: ...

class Generation(Hypothesis):
    @property
    def prompt_tokens(self) -> list[str]: ...
    @property
    def n_best(self) -> list[Hypothesis]: ...
    @property
    def map(self) -> Map: ...
    @property
    def prompt_seconds(self) -> float: ...
    @property
    def seconds(self) -> float: ...

class Generating(Iterator[str]):
    def __iter__(self) -> Generating: ...
    def __next__(self) -> str: ...
    def __enter__(self) -> Generating: ...
    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType], /
    ) -> None: ...
    def close(self) -> None: ...
    def text(self) -> str: ...
    @property
    def result(self) -> Optional[Generation]: ...

class Guess:
    @property
    def token(self) -> str: ...
    @property
    def id(self) -> int: ...
    @property
    def probability(self) -> float: ...
    @property
    def text(self) -> str: ...

class Gap:
    @property
    def position(self) -> int: ...
    @property
    def guesses(self) -> list[Guess]: ...

class LabelProbability:
    @property
    def label(self) -> str: ...
    @property
    def probability(self) -> float: ...

class WordLabel(LabelProbability):
    @property
    def word(self) -> str: ...

class Classification(LabelProbability):
    @property
    def all(self) -> list[LabelProbability]: ...
    @property
    def words(self) -> list[WordLabel]: ...

class Score:
    @property
    def log_prob(self) -> float: ...
    @property
    def tokens(self) -> list[str]: ...
    @property
    def token_log_probs(self) -> list[float]: ...

class Tokens:
    @property
    def ids(self) -> list[int]: ...
    @property
    def tokens(self) -> list[str]: ...
    @property
    def unknown(self) -> int: ...

class ModelInfo:
    @property
    def directory(self) -> str: ...
    @property
    def model_type(self) -> str: ...
    @property
    def can(self) -> list[str]: ...
    @property
    def what(self) -> str: ...
    @property
    def parameters(self) -> int: ...
    @property
    def precision(self) -> str: ...
    @property
    def weight_bytes(self) -> int: ...
    @property
    def source_vocabulary(self) -> int: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def reads_pictures(self) -> bool: ...
    @property
    def config(self) -> dict[str, Any]: ...

class Model:
    def info(self) -> ModelInfo: ...
    def can(self, function: str) -> bool: ...
    @overload
    def translate(  # type: ignore[overload-overlap]  # a str is an Iterable[str], and comes first
        self,
        text: str,
        *,
        beam_size: int = 5,
        n_best: int = 1,
        normalize: float = 0.6,
        max_length_factor: float = 3.0,
        max_length: int = 1000,
        crop: bool = False,
        sample: bool = False,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        min_p: float = 0.0,
        seed: int = 1,
        repetition_penalty: float = 1.0,
        stop: Sequence[str] = [],
        allow_unk: bool = False,
        batch: int = 32,
        look: bool = False,
        words: bool = False,
        cancelled: Optional[Callable[[], bool]] = None,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: Iterable[str],
        *,
        beam_size: int = 5,
        n_best: int = 1,
        normalize: float = 0.6,
        max_length_factor: float = 3.0,
        max_length: int = 1000,
        crop: bool = False,
        sample: bool = False,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        min_p: float = 0.0,
        seed: int = 1,
        repetition_penalty: float = 1.0,
        stop: Sequence[str] = [],
        allow_unk: bool = False,
        batch: int = 32,
        look: bool = False,
        words: bool = False,
        cancelled: Optional[Callable[[], bool]] = None,
    ) -> list[Translation]: ...
    def generate(
        self,
        prompt: str = "",
        *,
        max_tokens: int = 128,
        window: bool = False,
        temperature: float = 0.8,
        top_k: int = 0,
        top_p: float = 0.95,
        min_p: float = 0.0,
        seed: int = 1,
        repetition_penalty: float = 1.0,
        stop: Sequence[str] = [],
        ignore_eos: bool = False,
        beam_size: int = 1,
        n_best: int = 1,
        normalize: float = 1.0,
        cache: Literal["f32", "f16"] = "f32",
        look: bool = False,
        on_prompt: Optional[Callable[[int, int], object]] = None,
    ) -> Generating: ...
    def generate_text(
        self,
        prompt: str = "",
        *,
        max_tokens: int = 128,
        window: bool = False,
        temperature: float = 0.8,
        top_k: int = 0,
        top_p: float = 0.95,
        min_p: float = 0.0,
        seed: int = 1,
        repetition_penalty: float = 1.0,
        stop: Sequence[str] = [],
        ignore_eos: bool = False,
        beam_size: int = 1,
        n_best: int = 1,
        normalize: float = 1.0,
        cache: Literal["f32", "f16"] = "f32",
        look: bool = False,
        on_prompt: Optional[Callable[[int, int], object]] = None,
    ) -> Generation: ...
    def fill(self, line: str, count: int = 5) -> list[Gap]: ...
    def embed(self, text: Union[str, Iterable[str]], *, batch: int = 32, crop: bool = False) -> _Floats: ...
    @overload
    def classify(  # type: ignore[overload-overlap]
        self, text: _Picture, *, batch: int = 32, crop: bool = False
    ) -> Classification: ...
    @overload
    def classify(
        self,
        text: Union[Iterable[str], Iterable[tuple[str, str]], Iterable[_Picture]],
        *,
        batch: int = 32,
        crop: bool = False,
    ) -> list[Classification]: ...
    @overload
    def caption(  # type: ignore[overload-overlap]
        self,
        picture: _Picture,
        *,
        beam_size: int = 1,
        n_best: int = 1,
        normalize: float = 0.6,
        batch: int = 32,
        look: bool = False,
        words: bool = False,
        cancelled: Optional[Callable[[], bool]] = None,
    ) -> Caption: ...
    @overload
    def caption(
        self,
        picture: Iterable[_Picture],
        *,
        beam_size: int = 1,
        n_best: int = 1,
        normalize: float = 0.6,
        batch: int = 32,
        look: bool = False,
        words: bool = False,
        cancelled: Optional[Callable[[], bool]] = None,
    ) -> list[Caption]: ...
    def score(self, text: str, target: Optional[str] = None) -> Score: ...
    def logits(self, ids: Sequence[int], source_ids: Sequence[int] = []) -> _Floats: ...
    def tokenize(self, text: str, side: _Side = "source") -> Tokens: ...
    def detokenize(self, ids: Sequence[int], side: _Side = "target") -> str: ...
    def look(self, text: _Picture, target: Optional[str] = None, *, beam_size: int = 5, words: bool = False) -> Map: ...

class Attended:
    @property
    def context(self) -> _Floats: ...
    @property
    def weights(self) -> Optional[_Floats]: ...
    @property
    def gradients(self) -> dict[str, _Floats]: ...

def load(
    directory: Union[str, bytes, os.PathLike[str]], precision: Optional[Literal["f32", "int8"]] = None
) -> Model: ...
def attend(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    *,
    score: str = "scaled_dot",
    causal: bool = False,
    heads: int = 1,
    mask: str = "",
    params: Mapping[str, npt.ArrayLike] = {},
    bias: Optional[npt.ArrayLike] = None,
    visible: Optional[npt.ArrayLike] = None,
    lengths: Optional[Sequence[int]] = None,
    rope: bool = False,
    weights: bool = False,
    upstream: Optional[npt.ArrayLike] = None,
    kv_heads: int = 0,
    hard: str = "",
    seed: int = 1,
    plain: bool = False,
) -> Attended: ...
def map_of(weights: npt.ArrayLike, rows: Sequence[str], columns: Sequence[str], title: str = "") -> Map: ...
def set_threads(count: int) -> None: ...
