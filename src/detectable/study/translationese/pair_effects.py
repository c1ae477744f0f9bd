"""What reverse data do to the difference of two systems, and to the verdict on them."""

import itertools
from collections.abc import Mapping

import numpy as np

from detectable.inference.independent import independent_difference
from detectable.inference.multiplicity import holm
from detectable.inference.swap_parts import swap_parts
from detectable.study.pairs.analysis import t_p_value
from detectable.study.translationese.conclusions import DECIDED, Concluded
from detectable.study.translationese.halved_sample import HalvedSample
from detectable.study.translationese.halves import HALVES, HalfName
from detectable.study.translationese.rows import Change, PairEffect


def pair_effects(
    measure: HalvedSample,
    concluded: Mapping[HalfName, Concluded],
    *,
    alpha: float,
    power: float,
) -> tuple[PairEffect, ...]:
    """Return for every pair its difference on each half, and whether that is the same.

    Reverse data may raise all systems alike, and no order changes. What matters is by how much
    they favour one of two systems: reverse − forward of the difference, with both systems on
    the same documents. Where that is surely not zero, the halves answer different questions.

    Parameters
    ----------
    concluded : mapping of half to Concluded
        What a ranking or comparison of each half, and of both, says of every pair.
    """
    order = _best_first(measure)
    pairs = list(itertools.combinations(order, 2))
    if not pairs:
        return ()
    parts = {half: swap_parts(measure.halves[half], pairs) for half in HALVES}
    cells = {half: [part.estimate() for part in parts[half]] for half in HALVES}
    relative = [
        independent_difference(r, f)
        for r, f in zip(cells["reverse"], cells["forward"], strict=True)
    ]
    p_values = np.array([t_p_value(cell) for cell in relative])
    adjusted = holm(p_values)
    forward, reverse = (
        [measure.halves[half].score(s) for s in range(len(measure.systems))]
        for half in ("forward", "reverse")
    )
    rows = []
    for k, (a, b) in enumerate(pairs):
        first, second = measure.systems[a], measure.systems[b]
        said = {half: concluded[half].of(first, second) for half in HALVES}
        effects = reverse[a] - forward[a], reverse[b] - forward[b]
        both = cells["both"][k].value
        verdict = {half: said[half].verdict for half in HALVES}
        rows.append(
            PairEffect(
                measure=measure.name,
                first=first,
                second=second,
                forward=cells["forward"][k].value,
                reverse=cells["reverse"][k].value,
                both=both,
                effect_first=effects[0],
                effect_second=effects[1],
                opposite=effects[0] * effects[1] < 0.0,
                relative=relative[k].value,
                interval=relative[k].interval(1.0 - alpha),
                standard_error=relative[k].standard_error,
                df=relative[k].df,
                p_value=float(p_values[k]),
                p_adjusted=float(adjusted[k]),
                relative_mde=relative[k].detectable(alpha=alpha / len(pairs), power=power),
                verdict_forward=verdict["forward"],
                verdict_reverse=verdict["reverse"],
                verdict_both=verdict["both"],
                mde_forward=said["forward"].mde,
                mde_reverse=said["reverse"].mde,
                mde_both=said["both"].mde,
                change=change(verdict["both"], verdict["forward"]),
                forward_had_power=abs(both) >= said["forward"].mde,
            )
        )
    return tuple(rows)


def change(both: str, forward: str) -> Change:
    """Say what becomes of a verdict on both halves if reverse data are left out.

    Examples
    --------
    >>> change("better", "undecided"), change("undecided", "worse"), change("better", "worse")
    ('lost', 'gained', 'turned')
    """
    if both == forward:
        return "same"
    if both in DECIDED and forward in DECIDED:
        return "turned"
    return "lost" if both in DECIDED else "gained"


def _best_first(measure: HalvedSample) -> list[int]:
    scores = np.array([measure.halves["both"].score(s) for s in range(len(measure.systems))])
    best_first = scores if measure.higher_is_better is False else -scores
    order: list[int] = np.argsort(best_first, kind="stable").tolist()
    return order
