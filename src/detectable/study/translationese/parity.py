"""Human parity asked properly: is a system not worse than the human translation by a margin."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.contrasts.analysis import by_t, families, stepwise
from detectable.contrasts.claim import Claimed, OneSided, PairClaim
from detectable.core.errors import InputError
from detectable.core.wording import listing
from detectable.inference.randomization import swap_parts
from detectable.inference.standard_errors import Estimate
from detectable.planning.closed_forms import growth_for_margin, non_inferiority_power
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
    claim of its own, tested one-sided against a margin that was fixed before [1]_, over distinct
    segments, with documents as what is independent.

    References
    ----------
    .. [1] Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
       approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.
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
    found = by_t(
        cells,
        np.array([asked.as_number]),
        groups,
        asked.correction,
        alpha=asked.alpha,
        power=asked.power,
    )
    better = measure.higher_is_better is not False
    raw = found.margins.above if better else found.margins.below
    beyond = found.margins.beyond_low if better else found.margins.beyond_high
    adjusted, corrected = (stepwise(p, groups, asked.correction) for p in (raw, beyond))
    tests = 1.0 if asked.correction == "none" else float(len(cells))
    rows = []
    for k, s in enumerate(others):
        claim = PairClaim(
            found=found,
            at=(k, 0),
            tests=tests,
            margin=asked.as_number,
            alpha=asked.alpha,
            power=asked.power,
        ).not_worse(
            OneSided(float(raw[k, 0]), float(adjusted[k, 0])),
            OneSided(float(beyond[k, 0]), float(corrected[k, 0])),
            higher_is_better=better,
        )
        rows.append(
            _row(measure, half, (s, base), cells[k][0], claim, asked, asked.alpha / tests)
        )
    return rows


def _row(
    measure: HalvedSample,
    half: HalfName,
    pair: tuple[int, int],
    cell: Estimate,
    claim: Claimed,
    asked: _Asked,
    level: float,
) -> Parity:
    better = measure.higher_is_better is not False
    # The system with fewer segments is what the difference rests on.
    n = min(measure.n_segments(half, system) for system in pair)
    power, needed = math.nan, None
    if asked.margin is not None:
        power = non_inferiority_power(cell, asked.margin, alpha=level)
        growth = growth_for_margin(cell, asked.margin, alpha=level, power=asked.power)
        needed = None if math.isnan(growth) else math.ceil(growth * n)
    return Parity(
        measure=measure.name,
        half=half,
        system=measure.systems[pair[0]],
        human=measure.systems[pair[1]],
        difference=cell.value,
        interval=claim.interval,
        standard_error=cell.standard_error,
        df=cell.df,
        margin=asked.margin,
        p_value=claim.p_value,
        p_adjusted=claim.p_adjusted,
        verdict=None if asked.margin is None else claim.verdict,
        margin_shown=max(-claim.interval.low if better else claim.interval.high, 0.0),
        margin_found=claim.mde,
        power=power,
        n_segments=n,
        n_units=measure.halves[half].n_units,
        segments_needed=needed,
    )
