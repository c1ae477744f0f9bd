"""What methods paragraphs share: sentences, and BibTeX of what they cite."""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from detectable.core.errors import InputError
from detectable.core.version import VERSION
from detectable.core.wording import count, number, pointed, visible

if TYPE_CHECKING:
    from detectable.core.result import Signature
    from detectable.study.comparison.result import Comparison

_CORRECTIONS = {
    "max-t": ("the step-down max-T method (Westfall and Young, 1993)", "westfall-young-1993"),
    "holm": ("Holm's method (1979)", "holm-1979"),
}


def corrected(correction: str, tests: int, noun: str, alpha: float) -> tuple[str, list[str]]:
    """Say how p-values were corrected and at which level; also whom to cite for it.

    Examples
    --------
    >>> corrected("holm", 3, "pair", 0.05)
    ("P-values were corrected for 3 pairs by Holm's method (1979), at α = .05.", ['holm-1979'])
    >>> corrected("none", 3, "pair", 0.05)
    ('Tests were made at α = .05, without correction.', [])
    """
    level = f"α = {pointed(f'{alpha:g}')}"
    if correction not in _CORRECTIONS or tests == 1:
        made = "The test was" if tests == 1 else "Tests were"
        without = "" if tests == 1 else ", without correction"
        return f"{made} made at {level}{without}.", []
    how, cite = _CORRECTIONS[correction]
    return f"P-values were corrected for {count(tests, noun)} by {how}, at {level}.", [cite]


def by_score(tested: str, signature: "Signature") -> tuple[str, list[str]]:
    """Say that margins were tested by the score rule, and whom to cite; nothing where they were not."""
    if "score" not in {signature.settings.get(name) for name in ("test", "margin-test")}:
        return "", []
    return (
        f"{tested} by the score statistic, whose variance is the one that the margin itself would "
        "imply (Tango, 1998, for shares; the likelihood is that of Owen, 2001).",
        ["tango-1998", "owen-2001"],
    )


# --- What the pairs of a comparison could have shown, in words ---


def detectable_differences(result: "Comparison", *, between: str) -> list[str]:
    """Say per metric what the pairs could have shown, from the least to the most."""
    said = []
    for about in result.metrics:
        metric = about["metric"]
        mdes = sorted(p.mde for p in result.pairs if p.metric == metric and p.mde == p.mde)
        if mdes:
            digits = visible(mdes[0], result.digits(metric))
            low, high = (number(x, digits=digits) for x in (mdes[0], mdes[-1]))
            span = low if low == high else f"{low}{between}{high}"
            said.append(f"{span} {result.label(metric)}")
    return said


# --- BibTeX of what methods paragraphs cite ---

_ENTRY = re.compile(r"^@\w+\{([^,]+),.*?^\}", re.MULTILINE | re.DOTALL)


OWN = "detectable"  # the key of our own entry, which every report gives


def bibtex(keys: Iterable[str]) -> str:
    """Return the entries of some keys.

    Examples
    --------
    >>> print(bibtex(["holm-1979"]).splitlines()[0])
    @article{holm-1979,
    """
    known = _entries()
    wanted = list(dict.fromkeys(keys))
    unknown = [key for key in wanted if key not in known]
    if unknown:
        raise InputError(f"the bibliography has no entry {unknown[0]!r}.")
    return "\n\n".join(known[key] for key in wanted)


@cache
def _entries() -> dict[str, str]:
    from importlib.resources import files  # slow to load, and few pages cite

    text = (files("detectable.report") / "templates" / "references.bib").read_text("utf-8")
    known = {found[1]: found[0] for found in _ENTRY.finditer(text)}
    return {**known, OWN: known[OWN].replace("VERSION", VERSION)}
