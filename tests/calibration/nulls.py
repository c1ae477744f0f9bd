"""Data sets whose truth is known, made from the statistics of real texts.

A *null* is a data set in which the systems do not differ: outputs of real systems change places
at random. A *sample* is drawn from a real test set that stands for the population, so that the
true scores are the scores on the whole test set.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from detectable.core.types import FloatArray, IntArray
from detectable.data.files.lines import read_lines
from detectable.data.texts.corpus import Corpus
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.mean import Mean
from detectable.metrics.registry import metric
from detectable.metrics.ter import Ter
from tests.helpers import reference_data


@dataclass(frozen=True, slots=True)
class Texts:
    """Statistics of outputs on one test set under several metrics.

    Attributes
    ----------
    labels : tuple of str
        What the tables call the metrics.
    metrics : tuple of Metric
        They turn sums into scores.
    values : tuple of arrays of shape (outputs, segments, k)
        One per metric.
    units : array
        For each segment the unit it belongs to: itself, or its document.
    """

    labels: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: tuple[FloatArray, ...]
    units: IntArray

    @property
    def n_outputs(self) -> int:
        return len(self.values[0])

    @property
    def n_units(self) -> int:
        return int(self.units.max()) + 1

    def outputs(self, chosen: IntArray) -> "Texts":
        """Return some of the outputs, in the order given."""
        return self._with(tuple(table[chosen] for table in self.values))

    def random_outputs(self, size: int, rng: np.random.Generator) -> "Texts":
        """Return `size` different outputs, chosen at random."""
        return self.outputs(rng.choice(self.n_outputs, size, replace=False))

    def segments(self) -> "Texts":
        """Return the same statistics with every segment as a unit of its own."""
        return Texts(self.labels, self.metrics, self.values, np.arange(self.units.size))

    def samples(self, *runs: int) -> tuple[Sample, ...]:
        """Return one sample per metric, with units as units and `runs` runs of each system."""
        names = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(runs)])
        made = (
            Sample(m, names, runs, v) for m, v in zip(self.metrics, self.values, strict=True)
        )
        if self.n_units == self.units.size:
            return tuple(made)
        return tuple(sample.by_document(self.units) for sample in made)

    def scores(self) -> FloatArray:
        """Return the corpus scores, of shape (outputs, metrics)."""
        pairs = zip(self.metrics, self.values, strict=True)
        return np.stack([m.score(v.sum(axis=1)) for m, v in pairs], axis=-1)

    def _with(self, values: tuple[FloatArray, ...]) -> "Texts":
        return Texts(self.labels, self.metrics, values, self.units)


def swap_halves(texts: Texts, rng: np.random.Generator) -> Texts:
    """Exchange the first half of the outputs with the second, in each unit by a fair coin."""
    half = texts.n_outputs // 2
    swap = rng.integers(2, size=texts.n_units).astype(bool)[texts.units][None, :, None]
    return texts._with(tuple(np.where(swap, np.roll(v, half, axis=0), v) for v in texts.values))


def permute_outputs(texts: Texts, rng: np.random.Generator) -> Texts:
    """Put the outputs of each segment in a random order, all orders being equally likely."""
    start = np.tile(np.arange(texts.n_outputs)[:, None], texts.units.size)
    order = rng.permuted(start, axis=0)[..., None]
    return texts._with(tuple(np.take_along_axis(v, order, axis=0) for v in texts.values))


def draw_units(texts: Texts, n_units: int, rng: np.random.Generator) -> Texts:
    """Draw units with replacement; a document that is drawn twice counts as two documents."""
    drawn = rng.integers(0, texts.n_units, n_units)
    if texts.n_units == texts.units.size:
        rows, units = drawn, np.arange(n_units)
    else:
        members = _members(texts.units.tobytes())
        parts = [members[document] for document in drawn]
        rows = np.concatenate(parts)
        units = np.repeat(np.arange(n_units), [len(part) for part in parts])
    return Texts(texts.labels, texts.metrics, tuple(v[:, rows] for v in texts.values), units)


@functools.cache
def _members(units: bytes) -> list[IntArray]:
    """Return the segments of each unit."""
    index = np.frombuffer(units, dtype=np.int64)
    order = np.argsort(index, kind="stable")
    return np.split(order, np.cumsum(np.bincount(index))[:-1])


def close_outputs(texts: Texts, size: int) -> IntArray:
    """Return the `size` outputs whose scores under the first metric lie closest together."""
    scores = texts.scores()[:, 0]
    order = np.argsort(scores)
    widths = scores[order[size - 1 :]] - scores[order[: 1 - size]]
    first = int(np.argmin(widths))
    return order[first : first + size]


def middle_outputs(texts: Texts, size: int) -> IntArray:
    """Return the `size` outputs in the middle by the first metric."""
    order = np.argsort(texts.scores()[:, 0])
    first = (order.size - size) // 2
    return order[first : first + size]


@functools.cache
def en_de() -> Texts:
    """Return WMT21 English-German: 20 systems, 1002 segments."""
    path = reference_data("data", "multeval", "wmt21_ende_refA_stats.npz")
    return _texts(np.load(path), {"BLEU": "bleu", "chrF": "chrf", "TER": "ter"})


@functools.cache
def ru_en() -> Texts:
    """Return WMT21 Russian-English: 10 systems, 1000 segments in 107 documents."""
    path = reference_data("data", "reliability", "wmt21_ruen_stats.npz")
    arrays = np.load(path)
    texts = _texts(arrays, {"BLEU": "BLEU", "chrF": "chrF"})
    units = arrays["docidx"].astype(np.int64)
    return Texts(texts.labels, texts.metrics, texts.values, units)


def _texts(arrays: Mapping[str, FloatArray], keys: Mapping[str, str]) -> Texts:
    values = tuple(arrays[key].astype(np.float64) for key in keys.values())
    metrics = tuple(metric(key.lower()) for key in keys.values())
    return Texts(tuple(keys), metrics, values, np.arange(values[0].shape[1]))


@functools.cache
def judgments() -> Texts:
    """Return human scores of WMT21 Russian-English: 11 systems, 107 documents.

    Each document of a system was judged by one worker, so that the judgments of a document
    depend on each other far more than automatic scores do. Not every segment was judged.
    """
    path = reference_data("data", "wmt", "wmt21_ruen_da.parquet")
    rows = pl.read_parquet(path).filter(pl.col("type") == "SYSTEM")
    system, line, document = (
        rows[column].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
        for column in ("system", "line", "doc")
    )
    values = np.zeros((system.max() + 1, line.max() + 1, 2))
    np.add.at(values, (system, line), np.stack([rows["raw"], np.ones(len(rows))], axis=-1))
    units = np.zeros(line.max() + 1, dtype=np.int64)
    units[line] = document
    return Texts(("human",), (Mean(),), (values,), units)


@functools.cache
def optimizer_runs() -> Texts:
    """Return MultEval's example: three runs of a baseline, then three of a second system."""
    folder = reference_data("data", "multeval")
    systems = {
        name: [read_lines(folder / f"hyps.lc.tok.en.{name}.opt{run}") for run in range(3)]
        for name in ("baseline", "sys1")
    }
    corpus = Corpus.build(systems, read_lines(folder / "refs.test2010.lc.tok.en.0"))
    metrics = (Bleu(tokenize="none"), Chrf(), Ter())
    values = tuple(m.statistics(corpus) for m in metrics)
    return Texts(("BLEU", "chrF", "TER"), metrics, values, np.arange(corpus.n_segments))
