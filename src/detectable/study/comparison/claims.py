"""What is claimed of every pair: corrected p-value, interval and verdict belong together."""

import math
from collections.abc import Sequence

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.study.comparison.question import Question
from detectable.study.comparison.settings import CompareSettings
from detectable.study.pairs.analysis import Analysis, family_sizes, stepwise
from detectable.study.pairs.pair_claim import Claimed, PairClaim


def check_claim(question: Question) -> None:
    """Refuse a claim that lacks its margin, or a metric that has no better and worse."""
    claim = question.settings.claim
    for sample, margin in zip(question.measured.units, question.margins, strict=True):
        name = sample.metric.name
        if sample.metric.answers == "share" and margin >= 1.0:
            raise InputError(
                f"`margin` of accuracy must be below 1, because accuracy is a fraction; got "
                f"{margin:g}. Write 0.015 for 1.5 points."
            )
        if claim == "better":
            continue
        if math.isnan(margin):
            raise InputError(
                f"`claim={claim!r}` needs a margin for every metric; {name} has none. Give "
                f"margin={{'{name}': …}}."
            )
        if claim == "non-inferior" and sample.metric.higher_is_better is None:
            raise InputError(
                f"`claim='non-inferior'` needs a metric with a better and a worse side; {name} "
                "only describes. Use claim='equivalent'."
            )


def claims(question: Question, found: Analysis) -> list[list[Claimed]]:
    """Return what may be said of every pair under every metric: [pair][metric]."""
    return claims_of(
        found,
        question.groups,
        question.chosen.stepwise,
        margins=question.margins,
        better=[sample.metric.higher_is_better for sample in question.measured.units],
        settings=question.settings,
    )


def claims_of(
    found: Analysis,
    groups: tuple[IntArray, ...],
    stepped: str,
    *,
    margins: FloatArray,
    better: Sequence[bool | None],
    settings: CompareSettings,
) -> list[list[Claimed]]:
    """Return what may be said of every row (a pair, a task) under every metric."""
    shape = found.p_values.shape
    tests = np.ones(shape) if stepped == "none" else family_sizes(shape, groups)
    above, below = found.margins.above, found.margins.below
    equivalent = np.maximum(above, below)
    inferior = np.where([side is not False for side in better], above, below)
    corrected = {
        "equivalent": stepwise(equivalent, groups, stepped),
        "non-inferior": stepwise(inferior, groups, stepped),
    }
    rows = []
    for p in range(shape[0]):
        row = []
        for m in range(shape[1]):
            cell = PairClaim(
                found=found,
                at=(p, m),
                tests=float(tests[p, m]),
                margin=float(margins[m]),
                alpha=settings.alpha,
                power=settings.power,
            )
            p_equivalence = float(corrected["equivalent"][p, m])
            if settings.claim == "better":
                row.append(cell.difference(p_equivalence, higher_is_better=better[m]))
            elif settings.claim == "equivalent":
                row.append(cell.within(float(equivalent[p, m]), p_equivalence))
            else:
                raw, adjusted = inferior[p, m], corrected["non-inferior"][p, m]
                row.append(
                    cell.not_worse(
                        float(raw), float(adjusted), higher_is_better=better[m] is not False
                    )
                )
        rows.append(row)
    return rows


def margins_of(names: tuple[str, ...], margins: dict[str, float]) -> FloatArray:
    """Return the margin of every metric; NaN where there is none."""
    return np.array([margins.get(name, math.nan) for name in names])
