"""sacreBLEU's tokenisers, by name, behind an encoder that calls them as rarely as possible."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from detectable.core.errors import DataError, DetectableError, InputError, MissingExtraError
from detectable.metrics.encode import Encoder
from detectable.metrics.mteval13a import tokenize_13a, tokenize_chunk

# Extras of this package that carry what a tokeniser needs.
_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}

# The version of sacreBLEU whose definitions ours are; a test compares it with the installed one.
_SACREBLEU = "2.6.0"


class Tokenizer(Protocol):
    """What sacreBLEU's tokenisers have in common."""

    def __call__(self, line: str) -> str:
        """Return the tokens of `line`, separated by white space."""

    def signature(self) -> str:
        """Return the name that identifies the tokeniser and its version."""


@dataclass(frozen=True, slots=True)
class _Own:
    """A tokeniser of sacreBLEU in our own code, which spares its import."""

    name: str
    apply: Callable[[str], str]

    def __call__(self, line: str) -> str:
        return self.apply(line)

    def signature(self) -> str:
        return self.name


_OWN = {
    "13a": _Own("13a", lambda line: " ".join(tokenize_13a(line))),
    "none": _Own("none", lambda line: line),
}


def check_tokenizer(name: str) -> str:
    """Return `name` if sacreBLEU has a tokeniser of that name."""
    if name in _OWN:
        return name
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        known = ", ".join(BLEU.TOKENIZERS)
        raise InputError(f"`tokenize` must be one of {known}; got {name!r}.")
    return name


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return sacreBLEU's tokeniser called `name`, or our own equal of it.

    Examples
    --------
    >>> tokenizer("13a")("It costs $5.")
    'It costs $ 5 .'
    """
    if name in _OWN:
        return _OWN[name]
    from sacrebleu.metrics.bleu import BLEU

    check_tokenizer(name)
    try:
        # `force` because the question whether the text looks tokenised is not ours to answer.
        found: Tokenizer = BLEU(tokenize=name, force=True).tokenizer
    except (Exception, SystemExit) as error:
        # A failed download raises what the network library likes to raise, or leaves Python.
        raise _explained(name, error) from error
    return found


def encoder(name: str, *, lowercase: bool = False) -> Encoder:
    """Return an encoder that gives the tokens of sacreBLEU's tokeniser `name`.

    Examples
    --------
    >>> encoder("13a").encode(["It costs $5.", "It is $5"]).ids.tolist()
    [0, 1, 2, 3, 4, 0, 5, 2, 3]
    """
    if name == "13a":
        return Encoder(tokenize_chunk, lowercase=lowercase, by_chunk=True, plain=str.isalnum)
    base = tokenizer(name)

    def tokens(text: str) -> list[str]:
        # sacreBLEU strips the right end, and splits again what the tokeniser returns.
        return base(text.rstrip()).split()

    return Encoder(tokens, lowercase=lowercase, by_chunk=name in ("none", "char"))


def sacrebleu_version() -> str:
    """Return the version of sacreBLEU whose definitions are in use."""
    return _SACREBLEU


def _explained(name: str, error: BaseException) -> DetectableError:
    if name in _EXTRAS and isinstance(error, ImportError | RuntimeError):
        remedy = f'pip install "detectable[{_EXTRAS[name]}]"'
    elif isinstance(error, ImportError):
        remedy = "pip install sentencepiece"
    else:
        return DataError(
            f"sacreBLEU cannot load the tokeniser {name!r} ({error}). If it is of the spm family, "
            "it downloads a model to ~/.sacrebleu/models on first use: connect once, or put the "
            "model there."
        )
    return MissingExtraError(
        f"the tokeniser {name!r} needs a package that is not installed. Run: {remedy}"
    )
