"""How much the scores of several runs of a system spread (Clark 2011)."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.delta import estimate
from detectable.inference.sample import Sample


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Scores of the runs of one system and the three standard deviations of clark2011.

    Attributes
    ----------
    runs : array
        Corpus score of each run.
    s_test : float
        Standard deviation of the scores over runs (nan with one run).
    s_sel : float
        Standard error from the choice of test sentences, averaged over runs. MultEval
        estimates it by bootstrap; the influence values give it in closed form.
    s_dev : float
        Standard deviation of the development scores (nan when they are not given).
    median_run : int
        The run to read by hand; of an even number, the higher of the two in the middle.
    """

    runs: FloatArray
    s_test: float
    s_sel: float
    s_dev: float
    median_run: int


def run_spread(
    sample: Sample, system: int, *, dev_scores: FloatArray | None = None
) -> RunSpread:
    """Return the spread over the runs of one system.

    References
    ----------
    Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical machine
    translation: controlling for optimizer instability", ACL, section 4.
    """
    scores = sample.run_scores(system)
    errors = [
        estimate(float(score), influence).standard_error
        for score, influence in zip(scores, sample.influence(system), strict=True)
    ]
    return RunSpread(
        runs=scores,
        s_test=deviation(scores),
        s_sel=float(np.mean(errors)),
        s_dev=math.nan if dev_scores is None else deviation(dev_scores),
        median_run=int(np.argsort(scores, kind="stable")[len(scores) // 2]),
    )


def deviation(scores: FloatArray) -> float:
    """Return the standard deviation over runs; not a number with one."""
    return float(scores.std(ddof=1)) if scores.size > 1 else math.nan
