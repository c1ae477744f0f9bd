"""Where two systems differ most: what to read before believing a number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.data.texts.corpus import Corpus
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric
from detectable.study.comparison.result import TellingUnit

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores

_SWAPS = 1 << 16  # that are scored together; does not change the answer


def swap_contributions(metric: Metric, ours: NDArray[Any], theirs: NDArray[Any]) -> FloatArray:
    r"""Return the part of the score difference that each unit is responsible for.

    Swapping the outputs of unit i turns the difference d into :math:`d_i`; its part is
    :math:`(d - d_i)/2`. For a mean the parts add up to d exactly, for other metrics nearly.
    Swaps are scored many at a time.
    """
    total_ours, total_theirs = (x.sum(axis=0, dtype=np.float64) for x in (ours, theirs))
    whole = metric.score(total_ours) - metric.score(total_theirs)
    parts = np.empty(len(ours))
    for start in range(0, len(ours), _SWAPS):
        rows = slice(start, start + _SWAPS)
        moved = theirs[rows].astype(np.float64) - ours[rows]
        swapped = metric.score(total_ours + moved) - metric.score(total_theirs - moved)
        parts[rows] = (whole - swapped) / 2.0
    return parts


def contrasts(
    data: "Corpus | Scores",
    sample: Sample,
    pairs: tuple[tuple[int, int], ...],
    documents: tuple[IntArray, tuple[str, ...]] | None,
    *,
    median_runs: Sequence[int],
    n_examples: int,
) -> tuple[TellingUnit, ...]:
    """Return for every pair the units that speak most for and most against the system.

    Outputs are those of the median run of each system, as clark2011 recommends for reading.
    """
    found: list[TellingUnit] = []
    for system, baseline in pairs if n_examples else ():
        runs = median_runs[system], median_runs[baseline]
        ours, theirs = sample.of(system)[runs[0]], sample.of(baseline)[runs[1]]
        names = sample.systems[system], sample.systems[baseline]
        if documents is not None:
            index, labels = documents
            parts = swap_contributions(
                sample.metric, _added(ours, index), _added(theirs, index)
            )
            found += [
                _document(names, labels[i], parts[i]) for i in _extremes(parts, n_examples)
            ]
        parts = swap_contributions(sample.metric, ours, theirs)
        found += [
            _segment(data, names, runs, int(i), parts[i]) for i in _extremes(parts, n_examples)
        ]
    return tuple(found)


def _added(statistics: NDArray[Any], documents: IntArray) -> FloatArray:
    sums = np.zeros((int(documents.max()) + 1, statistics.shape[1]))
    np.add.at(sums, documents, statistics)
    return sums


def _extremes(parts: FloatArray, n_examples: int) -> IntArray:
    """Return the units with the largest parts of either sign, from most positive down."""
    order = np.argsort(-parts, kind="stable")
    top = [i for i in order[:n_examples] if parts[i] > 0]
    bottom = [i for i in order[::-1][:n_examples] if parts[i] < 0]
    return np.array([*top, *reversed(bottom)], dtype=np.int64)


def _document(names: tuple[str, str], label: str, part: float) -> TellingUnit:
    return TellingUnit(
        system=names[0],
        baseline=names[1],
        unit="document",
        name=label,
        contribution=float(part),
        source=None,
        reference=None,
        system_output=None,
        baseline_output=None,
    )


def _segment(
    data: "Corpus | Scores",
    names: tuple[str, str],
    runs: tuple[int, int],
    row: int,
    part: float,
) -> TellingUnit:
    if not isinstance(data, Corpus):
        ours, theirs = (data.systems[n][r][row] for n, r in zip(names, runs, strict=True))
        texts: tuple[str | None, ...] = (None, None, f"{ours:g}", f"{theirs:g}")
        label = data.items[row]
    else:
        references = [stream[row] for stream in data.references if stream[row] is not None]
        source = None if data.sources is None else data.sources[row]
        outputs = (data.output(n, r)[row] for n, r in zip(names, runs, strict=True))
        texts = (source, references[0], *outputs)
        label = str(row + 1)
    return TellingUnit(
        system=names[0],
        baseline=names[1],
        unit="segment",
        name=label,
        contribution=float(part),
        source=texts[0],
        reference=texts[1],
        system_output=texts[2],
        baseline_output=texts[3],
    )
