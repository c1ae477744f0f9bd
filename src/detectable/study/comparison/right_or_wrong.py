"""Pairs whose scores are 0 or 1: how many answers one system has right and the other wrong."""

import numpy as np

from detectable.inference.paired_shares import PairedShares
from detectable.metrics.mean import Accuracy
from detectable.study.comparison.analysis import Pairs
from detectable.study.comparison.measure import Measured


def right_or_wrong(measured: Measured, pairs: Pairs) -> dict[tuple[int, int], PairedShares]:
    """Return the discordant answers of every pair and metric of 0/1 scores.

    Answers of a document, and several answers to one question (runs), form a cluster each. Runs
    are set against each other in their order, so that both systems need equally many; without
    that a pair is left out.
    """
    found = {}
    for m, sample in enumerate(measured.segments):
        if not isinstance(sample.metric, Accuracy):
            continue
        for p, (system, baseline) in enumerate(pairs):
            if sample.runs[system] != sample.runs[baseline]:
                continue
            ours, theirs = sample.of(system), sample.of(baseline)
            both = (ours[..., 1] > 0.0) & (theirs[..., 1] > 0.0)
            differences = (ours[..., 0] - theirs[..., 0])[both]
            if not differences.size:
                continue
            unit = np.arange(ours.shape[1])
            if measured.unit == "document" and measured.documents is not None:
                unit = measured.documents[0]
            clusters = np.broadcast_to(unit, both.shape)[both]
            found[p, m] = PairedShares.of_differences(differences, clusters)
    return found
