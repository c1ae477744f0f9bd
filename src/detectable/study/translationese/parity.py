"""Human parity asked properly: is a system not worse than the human translation by a margin."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.contrasts.analysis import by_t, families
from detectable.contrasts.claim import claims_of
from detectable.contrasts.contrast import Contrast
from detectable.contrasts.margins import with_margin_scores
from detectable.core.errors import InputError
from detectable.core.wording import listing
from detectable.inference.margin_score import MarginScore
from detectable.inference.randomization import SwapParts, swap_parts
from detectable.metrics.mean import Mean
from detectable.study.translationese.halves import HALVES, HalfName, HalvedSample
from detectable.study.translationese.result import Parity


def parity(
    measure: HalvedSample,
    human: str,
    margin: float | None,
    *,
    correction: str,
    alpha: float,
    power: float,
) -> tuple[Parity, ...]:
    """Return for every half and system whether it is not worse than the human translation.

    That a difference was not found is no parity: with few segments nothing is found. Parity is a
    claim of its own, tested one-sided against a margin that was fixed before, over distinct
    segments, with documents as what is independent, by the score rule (`inference.margin_score`).
    """
    if measure.higher_is_better is None:
        raise InputError(
            f"`human` needs measures with a better and a worse side; {measure.name} only describes. "
            "Drop it."
        )
    if alpha >= 0.5:
        raise InputError(
            f"`alpha` must be below .5 for a claim about a margin, which is one-sided; got {alpha:g}."
        )
    asked = _Asked(margin, "none" if correction == "none" else "holm", alpha, power)
    return tuple(row for half in HALVES for row in _of_half(measure, half, human, asked))


def check_human(human: str, systems: list[tuple[str, ...]]) -> None:
    """Refuse a human translation that no data know."""
    known = list(dict.fromkeys(name for names in systems for name in names))
    if human not in known:
        raise InputError(
            f"`human` must name the system that is the human translation; got {human!r}. There are "
            f"{listing(known, most=20)}."
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The margin, and at which level it is to be shown with which power."""

    margin: float | None
    correction: str
    alpha: float
    power: float

    @property
    def as_number(self) -> float:
        return math.nan if self.margin is None else self.margin


def _of_half(measure: HalvedSample, half: HalfName, human: str, asked: _Asked) -> list[Parity]:
    base = measure.systems.index(human)
    others = [s for s in range(len(measure.systems)) if s != base]
    parts = swap_parts(measure.halves[half], [(s, base) for s in others])
    cells = [[part.estimate()] for part in parts]
    groups = families((len(cells), 1), "systems")
    margins = np.array([asked.as_number])
    scores = [
        _score(measure, half, (s, base), part) for s, part in zip(others, parts, strict=True)
    ]
    found = with_margin_scores(
        by_t(cells, margins, groups, asked.correction, alpha=asked.alpha, power=asked.power),
        {(k, 0): score for k, score in enumerate(scores)},
        margins,
    )
    said = claims_of(
        found,
        groups,
        asked.correction,
        claim="non-inferior",
        margins=margins,
        better=[measure.higher_is_better],
        alpha=asked.alpha,
        power=asked.power,
    )
    level = asked.alpha / (1.0 if asked.correction == "none" else float(len(cells)))
    return [
        _row(measure, half, (s, base), score, claim, asked, level)
        for s, score, [claim] in zip(others, scores, said, strict=True)
    ]


def _score(
    measure: HalvedSample, half: HalfName, pair: tuple[int, int], part: SwapParts
) -> MarginScore:
    """Return what the score rule goes by: segments, or where they have no scores or gaps, units."""
    segments = measure.segments[half]
    gaps = not measure.known[half][:, list(pair)].all()
    if gaps or not isinstance(segments.metric, Mean):
        return MarginScore.of_units(part.parts, part.shares)
    new, old = (of[:, :, 0].sum(0) / of[:, :, 1].sum(0) for of in map(segments.of, pair))
    return MarginScore.of(new, old, measure.documents[half])


def _row(
    measure: HalvedSample,
    half: HalfName,
    pair: tuple[int, int],
    score: MarginScore,
    claim: Contrast,
    asked: _Asked,
    level: float,
) -> Parity:
    better = measure.higher_is_better is not False
    # The system with fewer segments is what the difference rests on.
    n = min(measure.n_segments(half, system) for system in pair)
    power, needed = math.nan, None
    if asked.margin is not None:
        power = score.power(asked.margin, level)
        growth = score.growth(asked.margin, level, asked.power)
        needed = None if math.isnan(growth) else math.ceil(growth * n)
    return Parity.of(
        claim,
        measure=measure.name,
        part=half,
        system=measure.systems[pair[0]],
        baseline=measure.systems[pair[1]],
        margin=asked.margin,
        verdict=None if asked.margin is None else claim.verdict,
        margin_shown=max(-claim.interval.low if better else claim.interval.high, 0.0),
        power=power,
        n=n,
        n_clusters=measure.halves[half].n_units,
        units_needed=needed,
    )
