"""Statistics of a large corpus, block by block: neither its lines nor their tokens are all held."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.progress import Progress, silent
from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric

LARGE = 1 << 16  # segments from which on it is done in blocks; does not change any number
_LINES = 1 << 17  # of all outputs and references in a block
_FEWEST = 1 << 10  # segments of a block


def statistics_in_blocks(
    metric: TextMetric, corpus: Corpus, *, compact: bool, progress: Progress = silent
) -> NDArray[Any]:
    """Return what `metric.statistics` returns, of a large corpus with far less memory.

    A metric whose statistics of a segment depend on other segments (`by_segment` is False) sees
    the whole corpus at once, and holds it.

    Parameters
    ----------
    compact : bool
        Whether a large table of whole numbers may come in 16 or 32 bits instead of as doubles.
    """
    n = corpus.n_segments
    if n <= LARGE or not metric.by_segment:
        return metric.statistics(corpus, progress=progress)
    streams = len(corpus.outputs) + len(corpus.references)
    size = max(_FEWEST, _LINES // streams)
    table: NDArray[Any] = np.zeros((0, 0, 0))
    progress(metric.name, 0, n)
    for start in range(0, n, size):
        stop = min(n, start + size)
        part = metric.statistics(corpus.part(start, stop))
        kind = _kind(part) if compact else part.dtype
        if start == 0:
            table = np.empty((len(part), n, part.shape[-1]), kind)
        # A type that holds the old numbers and the new ones.
        table = table.astype(np.promote_types(kind, table.dtype), copy=False)
        table[:, start:stop] = part
        progress(metric.name, stop, n)
    return table


def _kind(part: FloatArray) -> np.dtype[Any]:
    """Return the smallest type that holds these numbers."""
    if (part == np.rint(part)).all():
        largest = np.abs(part).max()
        for kind in (np.int16, np.int32):
            if largest <= np.iinfo(kind).max:
                return np.dtype(kind)
    return np.dtype(np.float64)
