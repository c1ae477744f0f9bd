"""sacreBLEU's tokenisers, by name, behind an encoder that calls them as rarely as possible."""

import re
from functools import cache
from importlib.metadata import version
from typing import Protocol

from detectable.core.errors import DataError, DetectableError, InputError, MissingExtraError
from detectable.metrics.encode import Encoder, Tokenize

# Extras of this package that carry what a tokeniser needs.
_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}

# Where 13a splits, in a chunk that has none of `_13A_HARD`: at ASCII punctuation other than
# apostrophe, hyphen, full stop and comma; at a full stop or comma unless it stands between two
# digits; at a hyphen that follows a digit.
_13A_BREAKS = re.compile(
    r"([!-&(-+/:-@\[-`{-~]|(?<![0-9])[.,]|[.,](?![0-9])|(?<=[0-9])-)", re.ASCII
)
# Entities and "<skipped>" are replaced first; of several full stops or commas in a row, 13a
# treats every other one differently; lines that came whole have white space.
_13A_HARD = re.compile(r"[&<\s]|[.,]{2}")


class Tokenizer(Protocol):
    """What sacreBLEU's tokenisers have in common."""

    def __call__(self, line: str) -> str:
        """Return the tokens of `line`, separated by white space."""

    def signature(self) -> str:
        """Return the name that identifies the tokeniser and its version."""


def check_tokenizer(name: str) -> str:
    """Return `name` if sacreBLEU has a tokeniser of that name."""
    if name in ("13a", "none"):  # spares the import in the most common cases
        return name
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        known = ", ".join(BLEU.TOKENIZERS)
        raise InputError(f"`tokenize` must be one of {known}; got {name!r}.")
    return name


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return sacreBLEU's tokeniser called `name`.

    Examples
    --------
    >>> tokenizer("13a")("It costs $5.")
    'It costs $ 5 .'
    """
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
    base = tokenizer(name)

    def tokens(text: str) -> list[str]:
        # sacreBLEU strips the right end, and splits again what the tokeniser returns.
        return base(text.rstrip()).split()

    if name == "13a":
        return Encoder(
            _tokens_13a(tokens), lowercase=lowercase, by_chunk=True, plain=str.isalnum
        )
    return Encoder(tokens, lowercase=lowercase, by_chunk=name in ("none", "char"))


def sacrebleu_version() -> str:
    """Return the version of sacreBLEU whose definitions are in use."""
    return version("sacrebleu")


def _tokens_13a(original: Tokenize) -> Tokenize:
    r"""Return a faster equal of the 13a tokeniser, for chunks; hard ones go to the `original`.

    Why 13a works chunk by chunk: `<skipped>` and the entities hold no white space. Of the four
    patterns that follow, the first acts on single characters and the last on a digit and a
    hyphen. The other two look at one neighbour of a full stop or comma and only ask whether it
    is an ASCII digit; white space is not, whatever its kind, and neither is the space that pads
    the line. A match may use up white space, but only on the one side that its pattern looks at,
    so it never hides it from the next chunk. Only "-\n" joins chunks, and the encoder leaves
    lines with a newline whole. Letters and digits of any script are never split.
    """

    def tokens(text: str) -> list[str]:
        if _13A_HARD.search(text):
            return list(original(text))
        return [piece for piece in _13A_BREAKS.split(text) if piece]

    return tokens


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
