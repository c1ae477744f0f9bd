"""Judgments of two systems as what one look compares: differences, samples or preferences."""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.judgments import Judgments
from detectable.kernels.group_means import group_means


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedUnits:
    """Differences system − baseline on what both were judged on."""

    names: tuple[str, ...]
    differences: FloatArray
    clusters: Factor | None  # documents or raters, if they are the clusters
    n_judgments: int  # rows behind them
    unmatched: int  # rows of the two systems that have no partner


def paired_units(judgments: Judgments, system: str, baseline: str, *, unit: str) -> PairedUnits:
    """Return the differences of two systems, within raters where raters are known.

    A rater's scores for one item of a system are averaged first (n, not N), then the raters who
    judged both systems on an item. With raters as clusters each (item, rater) stays a unit.

    Parameters
    ----------
    judgments : Judgments
        Ordinary items and repeats.
    unit : {'item', 'document', 'rater'}
        What is independent.
    """
    both = _of_pair(judgments, system, baseline)
    parts = [both.item] if both.rater is None else [both.item, both.rater]
    cells, first = cross_codes(*parts)
    ahead = both.system.codes == both.system.levels.index(system)
    means = [group_means(both.score[rows], cells[rows], first.size) for rows in (ahead, ~ahead)]
    matched = np.isfinite(means[0]) & np.isfinite(means[1])
    if not matched.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no rater judged {system!r} and {baseline!r} on "
            "the same item, so nothing is paired. Give both systems of an item to one rater, or "
            "plan an unpaired test (rank-sum, two-means)."
        )
    rows = first[matched]
    difference = (means[0] - means[1])[matched]
    item = Factor(name="item", levels=both.item.levels, codes=both.item.codes[rows])
    used = int(np.isin(cells, np.flatnonzero(matched)).sum())
    if unit == "rater":
        rater = both.column("rater")
        names = [f"{item.label(i)}:{rater.label(int(r))}" for i, r in enumerate(rows)]
        clusters: Factor | None = rater.take(rows)
    else:
        units, start = cross_codes(item)
        difference = np.bincount(units, weights=difference) / np.bincount(units)
        names = [item.label(int(i)) for i in start]
        clusters = None
        if unit == "document":
            clusters = both.column("document").take(rows[start])
    return PairedUnits(
        names=tuple(names),
        differences=difference.astype(np.float64),
        clusters=clusters,
        n_judgments=used,
        unmatched=both.n_judgments - used,
    )


def two_samples(
    judgments: Judgments, system: str, baseline: str
) -> tuple[FloatArray, FloatArray]:
    """Return the scores of two systems, repeats and raters of an item averaged first."""
    both = _of_pair(judgments, system, baseline)
    samples = []
    for name in (system, baseline):
        rows = both.system.codes == both.system.levels.index(name)
        means = group_means(both.score[rows], both.item.codes[rows], both.item.n_levels)
        samples.append(means[np.isfinite(means)])
    return samples[0], samples[1]


def preferences(judgments: Judgments, system: str, baseline: str) -> PairedUnits:
    """Return one difference per item: above 0 a win, below a loss, 0 neither.

    Several raters of an item make one comparison, which goes to the majority: raters agree more
    often than coins do, so to count each of them would overstate the evidence.
    """
    return paired_units(judgments, system, baseline, unit="item")


def _of_pair(judgments: Judgments, system: str, baseline: str) -> Judgments:
    for name in (system, baseline):
        if name not in judgments.system.levels:
            raise DataError(
                f"{judgments.path or 'the judgments'}: there is no judgment of the planned system "
                f"{name!r}; found {', '.join(judgments.system.levels)}."
            )
    wanted = [judgments.system.levels.index(name) for name in (system, baseline)]
    return judgments.take(np.isin(judgments.system.codes, wanted))
