"""What is sacreBLEU's: its tokenisers by name, 13a and Tercom's also in our own code, and its signatures."""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from detectable.core.errors import DataError, DetectableError, InputError, MissingExtraError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import Encoder

# Where 13a splits, in a chunk that has none of `_HARD`: at ASCII punctuation other than
# apostrophe, hyphen, full stop and comma; at a full stop or comma unless it stands between two
# digits; at a hyphen that follows a digit.
_BREAKS = re.compile(
    r"([!-&(-+/:-@\[-`{-~]|(?<![0-9])[.,]|[.,](?![0-9])|(?<=[0-9])-)", re.ASCII
)
# Entities and "<skipped>" are replaced first; of several full stops or commas in a row, 13a
# treats every other one differently; lines that came whole have white space.
_HARD = re.compile(r"[&<\s]|[.,]{2}")

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize_13a(line: str) -> list[str]:
    """Return the tokens of a whole line, rule by rule.

    Examples
    --------
    >>> tokenize_13a("It costs $5.50 &amp; more.")
    ['It', 'costs', '$', '5.50', '&', 'more', '.']
    """
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return apply_rules(f" {resolve_entities(line)} ", western_rules()).split()


def tokenize_chunk(text: str) -> list[str]:
    r"""Return the tokens of text without white space, or of a line that came whole, faster.

    Why 13a works chunk by chunk: `<skipped>` and the entities hold no white space. Of the four
    patterns that follow, the first acts on single characters and the last on a digit and a
    hyphen. The other two look at one neighbour of a full stop or comma and only ask whether it
    is an ASCII digit; white space is not, whatever its kind, and neither is the space that pads
    the line. A match may use up white space, but only on the one side that its pattern looks at,
    so it never hides it from the next chunk. Only "-\n" joins chunks, and the encoder leaves
    lines with a newline whole. Letters and digits of any script are never split.
    """
    if _HARD.search(text):
        # sacreBLEU strips the right end first.
        return tokenize_13a(text.rstrip())
    return [piece for piece in _BREAKS.split(text) if piece]


def resolve_entities(line: str) -> str:
    """Replace the entities of XML that mteval and Tercom know, one after the other."""
    if "&" in line:
        for entity, character in _ENTITIES:
            line = line.replace(entity, character)
    return line


def apply_rules(line: str, rules: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """Replace what each pattern finds, pattern by pattern."""
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)
    return line


@cache
def western_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the Western rules, compiled on first use: most text needs only `tokenize_chunk`."""
    return (
        (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
        (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
        (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
        (re.compile(r"([0-9])(-)"), r"\1 \2 "),
    )


# --- sacreBLEU's tokenisers, by name, behind an encoder that calls them as rarely as possible ---

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


# --- The tokeniser of Tercom, in our own code: a test holds it to sacreBLEU's ---
#
# References
# ----------
# Snover et al. (2006): the program Tercom, class ``Normalizer``; sacreBLEU 2.6, ``TercomTokenizer``.

_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_ASIAN_PUNCTUATION = (
    r"([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])",
    r"([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])",  # of full width
)
# Blocks whose characters are words of their own. The last one ends where sacreBLEU's does,
# though the block of enclosed letters ends at 32ff.
_SINGLE = (
    r"([\u4e00-\u9fff\u3400-\u4dbf])",
    r"([\u31c0-\u31ef\u2e80-\u2eff])",
    r"([\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f])",
    r"([\u3200-\u3f22])",
)
_SYLLABLES = (r"[\u3040-\u309f]", r"[\u30a0-\u30ff]", r"[\u31f0-\u31ff]")


@dataclass(frozen=True, slots=True)
class Tercom:
    """Tokenises a line as Tercom does.

    Parameters
    ----------
    normalized : bool
        Whether punctuation is split off and entities are resolved.
    no_punct : bool
        Whether punctuation is removed.
    asian_support : bool
        Whether both also treat Chinese and Japanese characters.
    case_sensitive : bool
        Whether case is kept.

    Examples
    --------
    >>> Tercom()("A  Word, yes")
    'a word, yes'
    >>> Tercom(normalized=True)("A  Word, John's")
    "a word , john 's"
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def __call__(self, line: str) -> str:
        """Return the words of `line`, separated by one space each."""
        if not self.case_sensitive:
            line = line.lower()
        if self.normalized and line:
            line = _normalize(line)
            if self.asian_support:
                line = apply_rules(line, _asian_rules())
        if self.no_punct:
            line = _PUNCTUATION.sub("", line)
            if self.asian_support:
                for marks in _ASIAN_PUNCTUATION:
                    line = re.sub(marks, "", line)
        return " ".join(line.split())


def _normalize(line: str) -> str:
    line = line.replace("\n-", "").replace("\n", " ")
    marks, *others = western_rules()
    line = apply_rules(f" {resolve_entities(line)} ", [marks])
    # A possessive is split off before a space and at the end, which the padding makes the same.
    line = line.replace("'s ", " 's ")
    return apply_rules(line, others)


@cache
def _asian_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(_compiled())


def _compiled() -> Iterator[tuple[re.Pattern[str], str]]:
    for characters in _SINGLE:
        yield re.compile(characters), r" \1 "
    for block in _SYLLABLES:  # only a line of nothing else, as the carets are
        yield re.compile(rf"(^|^{block})({block}+)(?=$|^{block})"), r"\1 \2 "
    for marks in _ASIAN_PUNCTUATION:
        yield re.compile(marks), r" \1 "


# --- What metrics as sacreBLEU defines them say alike: their signature, in its own words ---


class SacrebleuMetric(TextMetric):
    """A metric as sacreBLEU defines it: its signature can be told in sacreBLEU's own words."""

    @abstractmethod
    def settings(self) -> tuple[str, ...]:
        """Return the settings as sacreBLEU writes them, ``key:value`` each."""

    def signature(self) -> str:
        """Return the settings, and the version of sacreBLEU that defines them."""
        return "|".join([*self.settings(), f"sacrebleu:{sacrebleu_version()}"])

    def sacrebleu_signature(self, corpus: Corpus) -> str:
        """Return what sacreBLEU itself prints for `corpus`, with the number of its references.

        Where segments differ in that number, it is ``var``.

        Examples
        --------
        >>> from detectable.metrics.bleu import Bleu
        >>> Bleu().sacrebleu_signature(Corpus.build({"A": ["a b"]}, [["a b"], ["a c"]]))
        'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:...'
        """
        fewest, most = corpus.references_per_segment
        n = str(most) if fewest == most else "var"
        return "|".join([f"nrefs:{n}", *self.settings(), f"version:{sacrebleu_version()}"])
