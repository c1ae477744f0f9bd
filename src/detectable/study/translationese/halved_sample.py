"""One measure of all systems, human or automatic, on the halves of a test set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.inference.cluster_mean import robust_variance
from detectable.inference.delta import Estimate
from detectable.inference.sample import Sample
from detectable.metrics.mean import Mean
from detectable.study.translationese.halves import HALVES, HalfName, Split

_FEWEST = 2  # units: one says nothing about another


@dataclass(frozen=True, slots=True)
class HalvedSample:
    """Scores of all systems on the halves; make it by `halve`.

    Human scores are a measure like the metrics: the mean of what the segments were given.

    Attributes
    ----------
    name : str
        ``raw`` and ``z`` for human scores, else the name of the metric.
    scale : str
        What differences are in: points, z, or the metric.
    halves : mapping of {'forward', 'reverse', 'both'} to Sample
        By unit: documents where they are known.
    n_known : mapping of the same to array of shape (segments, systems)
        Which systems have a score on each segment of the half.
    """

    name: str
    scale: str
    digits: int
    unit: Literal["segment", "document"]
    halves: Mapping[HalfName, Sample]
    known: Mapping[HalfName, "np.ndarray[tuple[int, int], np.dtype[np.bool_]]"]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.halves["both"].systems

    @property
    def higher_is_better(self) -> bool | None:
        """The side on which scores are better; None where there is none."""
        return self.halves["both"].metric.higher_is_better

    def estimate(self, half: HalfName, system: int) -> Estimate:
        """Return the score of a system on a half, with its error over units."""
        return score_estimate(self.halves[half], system)

    def n_segments(self, half: HalfName, *systems: int) -> int:
        """Return the segments of a half on which all the given systems have a score."""
        return int(self.known[half][:, list(systems)].all(axis=1).sum())


def halve(
    name: str,
    segments: Sample,
    split: Split,
    *,
    unit: Literal["segment", "document"],
    scale: str,
    digits: int,
) -> HalvedSample:
    """Cut the scores of all segments into halves, and add them up by unit."""
    known = _known(segments)
    rows = {half: split.rows(half) for half in HALVES}
    return HalvedSample(
        name=name,
        scale=scale,
        digits=digits,
        unit=unit,
        halves={half: _half(segments, split, half, unit) for half in HALVES},
        known={half: known[rows[half]] for half in HALVES},
    )


def _known(segments: Sample) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Return which system has a score on which segment; texts have one everywhere."""
    shape = segments.n_units, len(segments.systems)
    if not isinstance(segments.metric, Mean):
        return np.ones(shape, dtype=bool)
    sizes = [segments.of(s)[..., 1].min(axis=0) for s in range(shape[1])]
    return np.stack(sizes, axis=1) > 0


def _half(
    segments: Sample, split: Split, half: HalfName, unit: Literal["segment", "document"]
) -> Sample:
    rows = split.rows(half)
    found = Sample(
        segments.metric, segments.systems, segments.runs, segments.statistics[:, rows]
    )
    if unit == "document" and split.documents is not None:
        found = found.by_document(split.documents[rows])
    refuse_one_unit(half, found.n_units, unit)
    return found


def refuse_one_unit(half: HalfName, n_units: int, unit: Literal["segment", "document"]) -> None:
    """Refuse a half of one document, or of one segment."""
    if n_units >= _FEWEST:
        return
    remedy = "Give more segments."
    if unit == "document":
        remedy = "Use `unit='segment'` if its segments are independent, which they rarely are."
    raise DataError(
        f"the {half} half has one {unit}, and one {unit} says nothing about the next. {remedy}"
    )


def score_estimate(sample: Sample, system: int) -> Estimate:
    """Return the score of a system with its CR2 standard error over units."""
    influence = sample.influence(system).mean(axis=0)
    variance, df = robust_variance(influence, sample.shares(system))
    return Estimate(sample.score(system), float(np.sqrt(variance)), float(df))


def mean_sample(systems: tuple[str, ...], table: FloatArray) -> Sample:
    """Return means of a table of segments (rows) and systems (columns); NaN counts for nothing."""
    values = table.T
    known = ~np.isnan(values)
    statistics = np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)
    return Sample(Mean(), systems, (1,) * len(systems), statistics)
