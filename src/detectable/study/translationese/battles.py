"""Preferences by original language: do votes on forward and on reverse data favour the same systems."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.contrasts.contrast import Contrast, Family
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.verdict import Verdict, opposite
from detectable.core.wording import count
from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import read_battles
from detectable.data.directions import choose_pair, keep_direction, pairs_in
from detectable.inference.standard_errors import Estimate, cluster_mean, independent_difference
from detectable.study.arena.arena import arena
from detectable.study.arena.result import Arena
from detectable.study.translationese.halves import HALVES, HalfName


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfPreference:
    """How often one of two systems is preferred, on one half.

    Attributes
    ----------
    share, interval : float, Interval
        Its share of wins by the strengths, a tie as half a win; as `arena` says it, at the
        level of its verdict.
    mde : float
        The share of wins that this half could have found.
    n_votes, n_documents : int
        Battles of all systems, and documents that they are about (None where not known).
    """

    half: HalfName
    first: str
    second: str
    share: float
    interval: Interval
    p_adjusted: float
    verdict: Verdict
    mde: float
    n_votes: int
    n_documents: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceShift:
    """By how much reverse data favour the first of two systems: its share of wins, reverse − forward.

    The error is over documents where they are known, else over prompts, else over votes.
    """

    first: str
    second: str
    shift: float
    interval: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationeseBattles(Result):
    """Preferences on forward, on reverse, and on all data.

    Attributes
    ----------
    language_pair : str
        Source and target language, in short form.
    preferences : tuple of HalfPreference
        Every two systems on each half, the one that is stronger on all data first.
    shifts : tuple of PreferenceShift
        Every two systems.
    unit : str
        What is independent: document, prompt or vote.
    """

    language_pair: str
    preferences: tuple[HalfPreference, ...]
    shifts: tuple[PreferenceShift, ...]
    unit: str
    alpha: float
    power: float
    notes: tuple[str, ...] = ()

    def of(self, half: HalfName) -> tuple[HalfPreference, ...]:
        """Return the pairs of one half."""
        return tuple(row for row in self.preferences if row.half == half)


def translationese_battles(
    battles: Any,
    *,
    language_pair: str | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    rng: Seed = None,
    **options: Any,
) -> TranslationeseBattles:
    """Say who is preferred on forward data, on reverse data, and on both.

    Battles of people who compared two translations side by side, such as those that re-assessed a
    claim of human parity [1]_, tell more on texts that were first written in the source language.

    Parameters
    ----------
    battles : Battles, path, paths or table
        With the original language of what was translated; as in `arena`.
    language_pair : str, optional
        From which language into which the systems translate: ``zh-en``.
    alpha, power : float
        The level of all pairs of a half together; power at which detectable shares are stated.
    rng : Generator, int or None
        As in `arena`.
    **options
        Whatever else `arena` takes.

    References
    ----------
    .. [1] Toral, Castilho, Hu and Way (2018), "Attaining the unattainable? Reassessing claims of
       human parity in neural machine translation", WMT.

    Examples
    --------
    >>> table = {"a": ["x"] * 80, "b": ["y"] * 80, "winner": (["a"] * 30 + ["b"] * 10) + ["a", "b"] * 20}
    >>> table["origlang"] = ["zh"] * 40 + ["en"] * 40
    >>> found = translationese_battles(table, language_pair="zh-en")
    >>> [(row.half, row.share, row.verdict) for row in found.preferences]
    [('forward', 0.75, 'better'), ('reverse', 0.5, 'undecided'), ('both', 0.625, 'better')]
    """
    columns, reading = options.pop("columns", None), options.pop("format", "auto")
    read = read_battles(battles, format=reading, columns=columns)
    pair = choose_pair(language_pair, pairs_in(read))
    _, seed = resolve(rng)
    fixed = {"alpha": alpha, "power": power, "rng": int(seed), **options}
    forward = keep_direction(read, "forward", language_pair=str(pair))
    reverse = keep_direction(read, "reverse", language_pair=str(pair))
    known = _rows(read, forward, reverse)
    parts: dict[HalfName, Battles] = {"forward": forward, "reverse": reverse, "both": known}
    found = {half: arena(parts[half], **fixed) for half in HALVES}
    pairs = [(row.better, row.worse) for row in found["both"].pairs]
    unit = "document" if "document" in read.names else "prompt" if read.prompt else "vote"
    return TranslationeseBattles(
        language_pair=str(pair),
        preferences=tuple(
            _preference(half, first, second, found[half], parts[half])
            for first, second in pairs
            for half in HALVES
        ),
        shifts=_shifts(pairs, forward, reverse, alpha),
        unit=unit,
        alpha=alpha,
        power=power,
        notes=(*read.notes, *_left_out(read, known), *found["both"].notes),
        signature=Signature(
            "translationese-battles",
            {"pair": str(pair), "votes": known.n, "unit": unit, "alpha": alpha, "power": power},
            seed,
        ),
    )


def _rows(read: Battles, forward: Battles, reverse: Battles) -> Battles:
    """Return the battles of both halves; those of other languages are in neither."""
    wanted = {
        level
        for part in (forward, reverse)
        for level in part.names["original_language"].levels
        if part.n
    }
    column = read.names["original_language"]
    own = np.array([level in wanted for level in column.levels])
    return read.take(own[column.codes])


def _left_out(read: Battles, known: Battles) -> tuple[str, ...]:
    if read.n == known.n:
        return ()
    return (
        f"{count(read.n - known.n, 'battle')} of other original languages in neither half.",
    )


def _preference(
    half: HalfName, first: str, second: str, found: Arena, part: Battles
) -> HalfPreference:
    row = next((p for p in found.pairs if {p.better, p.worse} == {first, second}), None)
    if row is None:
        raise DataError(
            f"the {half} half has no battle of {first} and {second}, or one of them has no strength "
            "there. Give more battles."
        )
    turned = row.better != first
    share = 1.0 - row.chance if turned else row.chance
    low, high = _as_share(row.interval)
    documents = part.names.get("document")
    return HalfPreference(
        half=half,
        first=first,
        second=second,
        share=share,
        interval=Interval(1.0 - high, 1.0 - low, row.interval.level)
        if turned
        else Interval(low, high, row.interval.level),
        p_adjusted=row.p_adjusted,
        verdict=opposite(row.verdict) if turned else row.verdict,
        mde=row.mde_share,
        n_votes=part.n,
        n_documents=None if documents is None else documents.n_levels,
    )


def _as_share(interval: Interval) -> tuple[float, float]:
    """Return an interval of log-odds as one of shares of wins."""
    low, high = (float(1.0 / (1.0 + np.exp(-end))) for end in (interval.low, interval.high))
    return low, high


def _shifts(
    pairs: list[tuple[str, str]], forward: Battles, reverse: Battles, alpha: float
) -> tuple[PreferenceShift, ...]:
    found = [
        independent_difference(_share(reverse, *pair), _share(forward, *pair)) for pair in pairs
    ]
    decided = Family(alpha=alpha).contrasts(Contrast, found, [{} for _ in found])
    return tuple(
        PreferenceShift(
            first=first,
            second=second,
            shift=one.value,
            interval=said.interval,
            p_value=said.p_value,
            p_adjusted=said.p_adjusted,
        )
        for (first, second), one, said in zip(pairs, found, decided, strict=True)
    )


def _share(part: Battles, first: str, second: str) -> Estimate:
    """Return the share of wins of the first in direct battles, with its error over clusters."""
    a, b = (part.systems.index(name) for name in (first, second))
    mine = (part.a == a) & (part.b == b)
    theirs = (part.a == b) & (part.b == a)
    rows = mine | theirs
    wins = np.where(mine, part.outcome, 1.0 - part.outcome)[rows]
    column = part.names.get("document") or part.prompt
    clusters = np.arange(wins.size) if column is None else column.codes[rows]
    return cluster_mean(wins, clusters)
