"""Errors on the first documents in closed form: the gold, and the same by going over segments."""

from typing import Any

import numpy as np
import pytest

from detectable.core.types import IntArray
from detectable.inference.prefixes import Documents, prefix_errors, prefix_scores
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import estimate
from detectable.metrics.mean import Mean
from detectable.metrics.registry import metric
from tests.inference.test_design_effect import METRICS, ruen
from tests.inference.test_power_law import gold

NAMES = {**METRICS, "DA": "mean"}


def merged(documents: IntArray, least: int = 50) -> IntArray:
    """Return consecutive documents put together until they hold `least` segments."""
    made, size = np.zeros(documents.size, dtype=np.int64), 0
    current = 0
    for d in range(int(documents.max()) + 1):
        made[documents == d] = current
        size += int((documents == d).sum())
        if size >= least:
            current, size = current + 1, 0
    return made


def cesta_like() -> Documents:
    """Return WMT21 ru-en as 15 documents of the size of Estrella et al.'s."""
    data = ruen()
    codes = merged(data["docidx"].astype(np.int64))
    keep = codes < 15
    systems = tuple(str(name) for name in data["systems"])
    samples = tuple(
        Sample(metric(ours), systems, (1,) * 10, data[name][:, keep].astype(np.float64))
        for name, ours in NAMES.items()
    )
    return Documents.build(samples, codes[keep], tuple(f"d{i}" for i in range(15)))


@pytest.mark.golden
def test_stored_curves_of_wmt21_ruen() -> None:
    stored, documents = gold()["ruen21_15docs"], cesta_like()
    assert documents.sizes.tolist() == stored["segs_per_doc"]
    given, every = np.arange(15)[None], np.arange(1, 16)
    for name, row in stored["delta_rel_sd"].items():
        one, system = name.split("|")
        found = prefix_errors(
            documents, list(NAMES).index(one), documents.systems.index(system), given, every
        )
        assert (found.sd_segment / found.score)[0] == pytest.approx(row["rel_sd"], abs=6e-7)
        scale = 100.0 if one in ("mWER", "mPER", "GTM") else 1.0
        assert found.score[0, -1] == pytest.approx(scale * row["score_full"], rel=1e-6)


def _toy(name: str, runs: tuple[int, ...] = (2, 1)) -> Documents:
    """Return documents of 1 to 6 segments with made-up counts that a metric can score."""
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(6), [3, 1, 6, 2, 4, 5])
    shape = (sum(runs), 21)
    if name == "mean":
        table = np.stack([rng.normal(5, 2, shape), rng.random(shape) < 0.8], axis=-1)
        table[..., 0] *= table[..., 1]
        table[-1, codes == 1] = 0.0
        return Documents.build((Sample(Mean(), ("A", "B"), runs, table),), codes, ("",) * 6)
    length = rng.integers(8, 20, shape).astype(float)
    parts = [length, length + rng.integers(-2, 3, shape)]
    matches = [np.floor(length * rng.uniform(0.2, 0.8, shape) / (n + 1)) for n in range(4)]
    if name == "smoothed":
        matches[3] = np.zeros(shape)  # no 4-gram in common: the score is made of smoothing
    table = np.stack([*parts, *matches, *(length - n for n in range(4))], axis=-1)
    return Documents.build((Sample(metric("bleu"), ("A", "B"), runs, table),), codes, ("",) * 6)


@pytest.mark.parametrize("name", ["mean", "bleu", "smoothed"])
def test_the_same_from_single_segments(name: str) -> None:
    documents, at = _toy(name), np.array([1, 2, 3, 6])
    orders = np.array([[0, 1, 2, 3, 4, 5], [4, 1, 0, 5, 3, 2]])
    sample = documents.samples[0]
    for s in range(2):
        found = prefix_errors(documents, 0, s, orders, at)
        for o, i in np.ndindex(2, 4):
            taken = np.isin(documents.of_segment, orders[o, : at[i]])
            part = Sample(
                sample.metric, sample.systems, sample.runs, sample.statistics[:, taken]
            )
            values = part.influence(s).mean(axis=0)
            whole = part.by_document(documents.of_segment[taken]).influence(s).mean(axis=0)
            by_document = estimate(0.0, whole).standard_error
            assert found.score[o, i] == pytest.approx(part.score(s))
            assert found.sd_segment[o, i] == pytest.approx(np.sqrt((values**2).sum()), rel=1e-6)
            # Of two documents one was not judged: the root of a difference of equals.
            assert found.sd_document[o, i] == pytest.approx(
                by_document, rel=1e-6, abs=1e-6, nan_ok=True
            )


def test_batches_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, at = _toy("bleu"), np.arange(1, 7)
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(6), (9, 1)), axis=1)
    whole = prefix_errors(documents, 0, 0, orders, at)
    monkeypatch.setattr("detectable.inference.prefixes._CELLS", 1)
    apart = prefix_errors(documents, 0, 0, orders, at)
    for name in ("score", "sd_segment", "sd_document"):
        assert getattr(apart, name) == pytest.approx(
            getattr(whole, name), rel=1e-10, nan_ok=True
        )


def test_running_sums_and_products_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, at = _toy("bleu"), np.array([1, 2, 5])
    orders = np.array([[5, 3, 1, 0, 2, 4], [0, 1, 2, 3, 4, 5]])
    product = prefix_errors(documents, 0, 0, orders, at)
    first, rest = prefix_scores(documents, 0, orders, at)
    monkeypatch.setattr("detectable.inference.prefixes._MANY", 2)
    running = prefix_errors(documents, 0, 0, orders, at)
    assert running.sd_segment == pytest.approx(product.sd_segment, rel=1e-9)
    assert running.sd_document == pytest.approx(product.sd_document, rel=1e-9, nan_ok=True)
    again = prefix_scores(documents, 0, orders, at)
    assert again[0] == pytest.approx(first, rel=1e-12)
    assert again[1] == pytest.approx(rest, rel=1e-12)


def test_a_prefix_that_was_not_judged_has_no_score() -> None:
    documents = _toy("mean", runs=(1, 1))
    found = prefix_errors(documents, 0, 1, np.array([[1, 0, 2, 3, 4, 5]]), np.array([1, 2]))
    assert np.isnan(found.score[0, 0])
    assert np.isnan(found.sd_segment[0, 0])
    assert np.isfinite(found.score[0, 1])


def test_scores_of_the_first_and_of_the_others() -> None:
    documents = _toy("bleu")
    orders = np.array([[5, 3, 1, 0, 2, 4]])
    first, rest = prefix_scores(documents, 0, orders, np.array([2, 6]))
    sample = documents.samples[0]

    def score(system: int, kept: list[int]) -> Any:
        taken = np.isin(documents.of_segment, kept)
        return sample.metric.score(sample.of(system)[:, taken].sum(axis=1)).mean()

    assert first[0, 0] == pytest.approx([score(0, [5, 3]), score(1, [5, 3])])
    assert rest[0, 0] == pytest.approx([score(0, [0, 1, 2, 4]), score(1, [0, 1, 2, 4])])
    assert first[0, 1] == pytest.approx([sample.score(0), sample.score(1)])
    assert np.isnan(rest[0, 1]).all()
