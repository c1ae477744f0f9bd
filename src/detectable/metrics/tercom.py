"""The tokeniser of Tercom, in our own code: a test holds it to sacreBLEU's.

References
----------
Snover et al. (2006): the program Tercom, class ``Normalizer``; sacreBLEU 2.6, ``TercomTokenizer``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from detectable.metrics.mteval13a import apply_rules, resolve_entities, western_rules

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
