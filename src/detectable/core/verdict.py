"""What may be claimed of two systems: the verdict, the rule that gives it, and its words.

It stands in `core` because mixed models and sequential tests, which lie below the studies, give
verdicts too, and because a sentence needs nothing but numbers.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.wording import capital, count, number, p_statement, visible
from detectable.core.wording import interval as in_brackets

Verdict: TypeAlias = Literal[
    "better",
    "worse",
    "higher",
    "lower",
    "equivalent",
    "non-inferior",
    "inferior",
    "superior",
    "undecided",
]

_OPPOSITE: dict[str, Verdict] = {
    "better": "worse",
    "worse": "better",
    "higher": "lower",
    "lower": "higher",
    "inferior": "superior",
    "superior": "inferior",
}


_THAN = {"equivalent": "to", "non-inferior": "to", "inferior": "to", "superior": "to"}


def opposite(verdict: Verdict) -> Verdict:
    """Return what a verdict about two systems says of the second against the first.

    Examples
    --------
    >>> opposite("better"), opposite("undecided")
    ('worse', 'undecided')
    """
    return _OPPOSITE.get(verdict, verdict)


def decide(
    difference: float,
    *,
    p: float,
    alpha: float,
    p_against: float | None = None,
    p_equivalence: float = math.nan,
    higher_is_better: bool | None = True,
) -> Verdict:
    """Return what an evaluation may claim of a system against a baseline.

    A p-value of exactly α decides. With a margin, a difference shown to be smaller than the
    margin is called equivalent even if it is shown not to be zero: the margin says which differences
    matter, and it was given before the data. A p-value that is not known (NaN) decides nothing,
    and neither does a difference of zero.

    Parameters
    ----------
    difference : float
        System − baseline; only its sign counts.
    p : float
        Of the test, corrected for the number of tests.
    p_against : float, optional
        Of a one-sided test the other way round. Then `p` is the one-sided p-value of “the system
        scores higher”, and the tests decide the direction instead of the difference.
    p_equivalence : float
        Of “the difference lies within the margin”; NaN without a margin.
    higher_is_better : bool or None
        None where a score has no direction (length): then the system is only higher or lower.

    Examples
    --------
    >>> decide(-2.0, p=0.01, alpha=0.05, higher_is_better=False)
    'better'
    >>> decide(0.3, p=0.01, alpha=0.05, p_equivalence=0.02)
    'equivalent'
    """
    if p_equivalence <= alpha:
        return "equivalent"
    side = difference
    if p_against is not None:
        side, p = (1.0, p) if p <= alpha else (-1.0, p_against)
    if not p <= alpha or side == 0.0:
        return "undecided"
    if higher_is_better is None:
        return "higher" if side > 0.0 else "lower"
    return "better" if (side > 0.0) == higher_is_better else "worse"


def in_words(
    verdict: Verdict,
    system: str,
    baseline: str,
    *,
    claim: Claim = "better",
    margin: str | None = None,
    sided: int = 2,
    verb: str | None = None,
) -> str:
    """Say a verdict in words, without a full stop.

    Parameters
    ----------
    claim : {'better', 'non-inferior', 'equivalent'}
        What was to be shown, for where it was not.
    margin : str, optional
        As it is to be printed; without it the words are “the margin”.
    sided : {1, 2}
        A one-sided test that decides nothing has only not shown that the system is better.
    verb : str, optional
        What was done to give the numbers (“rated”), where higher is not simply more of something.

    Examples
    --------
    >>> in_words("equivalent", "new", "old", margin="0.5")
    'new and old are equivalent within ±0.5'
    >>> in_words("undecided", "new", "old", sided=1)
    'not shown that new is better than old'
    >>> in_words("undecided", "new", "old", claim="non-inferior", margin="0.5")
    'not shown that new is not worse than old by more than 0.5'
    >>> in_words("inferior", "new", "old", margin="0.5")
    'new is worse than old by more than 0.5'
    """
    limit = "the margin" if margin is None else margin
    if verdict == "equivalent":
        within = "the margin" if margin is None else f"±{margin}"
        return f"{system} and {baseline} are equivalent within {within}"
    if verdict == "non-inferior":
        return f"{system} is not worse than {baseline} by more than {limit}"
    if verdict in ("inferior", "superior"):
        word = "worse" if verdict == "inferior" else "better"
        return f"{system} is {word} than {baseline} by more than {limit}"
    if verdict == "undecided":
        if claim == "non-inferior":
            return f"not shown that {system} is not worse than {baseline} by more than {limit}"
        if claim == "equivalent":
            within = limit if margin is None else f"±{margin}"
            return f"not shown that {system} and {baseline} are equivalent within {within}"
        if sided == 1:
            return f"not shown that {system} is better than {baseline}"
        return f"undecided between {system} and {baseline}"
    if verb is not None and verdict in ("higher", "lower"):
        return f"{system} is {verb} {'above' if verdict == 'higher' else 'below'} {baseline}"
    return f"{system} is {verdict} than {baseline}"


def differ(n: int, of: int, noun: str = "pair", plural: str | None = None) -> str:
    """Say how many pairs differ significantly.

    Examples
    --------
    >>> differ(3, 45), differ(1, 3, "system")
    ('3 of 45 pairs differ significantly', '1 of 3 systems differs significantly')
    """
    return f"{n:,} of {count(of, noun, plural)} {'differs' if 1 in (n, of) else 'differ'} significantly"


def counted_verdicts(verdicts: Iterable[Verdict]) -> str:
    """Say how often there is which verdict; what is undecided comes last.

    Examples
    --------
    >>> counted_verdicts(["undecided", "worse", "worse"])
    '2 worse, 1 undecided'
    """
    found = Counter(verdicts)
    found["undecided"] = found.pop("undecided", 0)
    return ", ".join(f"{n:,} {verdict}" for verdict, n in found.items() if n)


def verdicts_against(baseline: str, verdicts: Sequence[Verdict]) -> str:
    """Say in a sentence, without a full stop, how many systems stand how to a baseline.

    Examples
    --------
    >>> verdicts_against("old", ["undecided", "worse", "worse"])
    '2 of 3 systems are worse than old, 1 is undecided'
    >>> verdicts_against("old", ["undecided"] * 4)
    'none of 4 systems differs significantly from old'
    """
    if set(verdicts) == {"undecided"}:
        return f"none of {len(verdicts):,} systems differs significantly from {baseline}"
    found = Counter(verdicts)
    found["undecided"] = found.pop("undecided", 0)
    said: list[str] = []
    for verdict, n in found.items():
        if n:
            be, than = "is" if n == 1 else "are", _THAN.get(verdict, "than")
            first = f"of {count(len(verdicts), 'system')} {be} {verdict} {than} {baseline}"
            said.append(f"{n:,} {f'{be} {verdict}' if said else first}")
    return ", ".join(said)


def in_numbers(
    estimate: float,
    interval: Interval | None,
    *,
    p: float = math.nan,
    scale: str = "",
    digits: int = 2,
    alpha: float | None = None,
) -> str:
    """Say a difference, its interval and its p-value; what there is none of is left out.

    With `alpha`, an interval at another level than 1 − `alpha` says at which: a test of
    equivalence at .05 goes by the 90% interval.

    Examples
    --------
    >>> in_numbers(0.29, Interval(0.07, 0.51, 0.95), p=0.0121, scale="bleu")
    '+0.29 bleu [+0.07, +0.51], p = .0121'
    >>> in_numbers(0.1, Interval(-0.2, 0.3, 0.9), digits=1, alpha=0.05)
    '+0.1, 90% interval [−0.2, +0.3]'
    """
    parts = [number(estimate, digits=digits, sign=True)]
    if scale:
        parts.append(scale)
    if interval is not None:
        if alpha is not None and not math.isclose(interval.level, 1.0 - alpha):
            parts[-1] += f", {interval.level:.0%} interval"
        parts.append(in_brackets(interval, digits=digits, sign=True))
    shown = " ".join(parts)
    return shown if math.isnan(p) else f"{shown}, {p_statement(p)}"


def could_have_seen(mde: float, *, power: float, digits: int = 2, needs: str = "") -> str:
    """Say which difference could have been detected, and what a smaller one needs.

    Examples
    --------
    >>> could_have_seen(0.41, power=0.8)
    'This evaluation could have detected 0.41 or more (80% power).'
    >>> could_have_seen(0.00041, power=0.8)
    'This evaluation could have detected 0.0004 or more (80% power).'
    """
    if math.isnan(mde):
        return f"{capital(needs)}." if needs else ""
    more = f"; {needs}" if needs else ""
    seen = number(mde, digits=visible(mde, digits))
    return f"This evaluation could have detected {seen} or more ({power:.0%} power){more}."


def would_make_differ(mde: float, unit: str, *, power: float, digits: int = 2) -> str:
    """Say which difference would be found although too few units differ now.

    Examples
    --------
    >>> would_make_differ(0.19, "item", power=0.8)
    'A difference of 0.19 or more would make enough items differ (80% power).'
    """
    seen = number(mde, digits=visible(mde, digits))
    return (
        f"A difference of {seen} or more would make enough {unit}s differ ({power:.0%} power)."
    )


def margin_could_have_been(mde: float, *, power: float, digits: int = 2) -> str:
    """Say which margin equal systems could have been shown to keep.

    Examples
    --------
    >>> margin_could_have_been(0.9, power=0.8)
    'If the systems are equal, a margin of 0.90 could have been shown (80% power).'
    """
    if math.isnan(mde):
        return ""
    shown = number(mde, digits=visible(mde, digits))
    return (
        f"If the systems are equal, a margin of {shown} could have been shown "
        f"({power:.0%} power)."
    )
