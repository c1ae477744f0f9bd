"""Pairs whose scores are 0 or 1: how many answers one system has right and the other wrong."""

from typing import TYPE_CHECKING

import numpy as np

from detectable.core.types import FloatArray
from detectable.study.comparison.measure import Measured
from detectable.study.pairs.analysis import Pairs

if TYPE_CHECKING:
    from detectable.inference.paired_shares import PairedShares


def right_or_wrong(
    measured: Measured, pairs: Pairs, *, without: list[list[int]] | None = None
) -> "dict[tuple[int, int], PairedShares]":
    """Return the discordant answers of every pair and metric of 0/1 scores.

    Answers of a document, and several answers to one question, form a cluster each. Samples of a
    question belong to no sample of another system, and count as expected. Equally many runs of two systems are set against each other in their order. Otherwise every run of one
    is set against every run of the other: the difference is that of their means, and what these
    pairs have in common is in the design effect of their cluster.

    Parameters
    ----------
    without : list of list of int, optional
        For every pair and metric a unit to leave out.
    """
    if all(sample.metric.answers != "share" for sample in measured.segments):
        return {}
    from detectable.inference.paired_shares import PairedShares

    found = {}
    for m, sample in enumerate(measured.segments):
        if sample.metric.answers != "share":
            continue
        unit = np.arange(sample.n_units)
        if measured.unit == "document" and measured.documents is not None:
            unit = measured.documents[0]
        for p, (system, baseline) in enumerate(pairs):
            if measured.n_samples is not None:
                keep = np.ones(unit.size, bool) if without is None else unit != without[p][m]
                found[p, m] = PairedShares.of_rates(
                    sample.of(system)[0, keep, 0],
                    sample.of(baseline)[0, keep, 0],
                    measured.n_samples[[system, baseline]][:, keep],
                    unit[keep],
                )
                continue
            ours, theirs = _answers(sample.of(system), sample.of(baseline))
            both = (ours[..., 1] > 0.0) & (theirs[..., 1] > 0.0)
            if without is not None:
                both &= unit != without[p][m]
            differences = (ours[..., 0] - theirs[..., 0])[both]
            if not differences.size:
                continue
            clusters = np.broadcast_to(unit, both.shape)[both]
            found[p, m] = PairedShares.of_differences(differences, clusters)
    return found


def _answers(ours: FloatArray, theirs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the runs of two systems, set against each other."""
    if len(ours) == len(theirs):
        return ours, theirs
    return np.repeat(ours, len(theirs), axis=0), np.tile(theirs, (len(ours), 1, 1))
