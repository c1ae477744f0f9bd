"""Documents in order, and which numbers of them to look at."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray, silent
from detectable.inference.curves import fit_power_law
from detectable.inference.prefixes import (
    Documents,
    PrefixMoments,
    document_grid,
    known_scores,
    mean_of_runs,
    prefix_bootstrap,
    prefix_errors,
    prefix_scores,
)
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import estimate
from detectable.metrics.mean import Mean
from detectable.metrics.registry import metric
from tests.inference.test_curves import gold
from tests.inference.test_standard_errors import METRICS, ruen, ruen_gold

CODES = np.array([1, 0, 1, 2, 0, 1])


def _sample(seed: int = 1, runs: tuple[int, ...] = (1, 2)) -> Sample:
    values = np.random.default_rng(seed).normal(5, 1, (sum(runs), 6))
    table = np.stack([values, np.ones_like(values)], axis=-1)
    return Sample(Mean(), ("A", "B"), runs, table)


def test_segments_are_sorted_by_document_and_keep_their_order() -> None:
    sample = _sample()
    made = Documents.build((sample,), CODES, ("x", "y", "z"))
    order = [1, 4, 0, 2, 5, 3]
    assert np.array_equal(made.samples[0].statistics, sample.statistics[:, order])
    assert made.starts.tolist() == [0, 2, 5, 6]
    assert made.sizes.tolist() == [2, 3, 1]
    assert made.of_segment.tolist() == [0, 0, 1, 1, 1, 2]
    assert (made.n_documents, made.n_segments, made.systems) == (3, 6, ("A", "B"))
    assert made.sums(0)[2, 1] == pytest.approx(sample.statistics[2, [0, 2, 5]].sum(axis=0))


def test_influence_is_the_mean_of_the_runs_and_adds_up_to_zero() -> None:
    made = Documents.build((_sample(),), CODES, ("x", "y", "z"))
    both = made.influence(0, 1)
    apart = made.samples[0].influence(1)
    assert both == pytest.approx(apart.mean(axis=0))
    assert both.sum() == pytest.approx(0.0, abs=1e-12)


def test_every_segment_has_a_document() -> None:
    with pytest.raises(InputError, match="`documents` must name the document of each of the 6"):
        Documents.build((_sample(),), CODES[:5], ("x", "y", "z"))


def test_a_score_of_nothing_is_unknown() -> None:
    sums: FloatArray = np.array([[6.0, 2.0], [0.0, 0.0], [0.0, 3.0]])
    assert known_scores(Mean(), sums) == pytest.approx([3.0, np.nan, 0.0], nan_ok=True)
    gtm = metric("gtm")
    assert known_scores(gtm, np.zeros((2, 3))) == pytest.approx([np.nan] * 2, nan_ok=True)
    assert known_scores(Mean(), sums[:1]).tolist() == [3.0]


def test_the_mean_of_runs() -> None:
    scores = np.array([[1.0, 2.0, 4.0], [0.0, 5.0, 7.0]])
    assert mean_of_runs(scores, (1, 2)).tolist() == [[1.0, 3.0], [0.0, 6.0]]


def test_the_grid_ends_at_all_documents_and_is_not_longer_than_asked() -> None:
    assert document_grid(24).tolist() == list(range(1, 25))
    for n in (25, 107, 321, 10_000):
        grid = document_grid(n)
        assert (grid[0], grid[-1]) == (1, n)
        assert (np.diff(grid) > 0).all()
        assert grid.size <= 24


# --- Errors on the first documents in closed form: the gold, and the same by going over segments ---

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


def _toy_of_prefix_delta(name: str, runs: tuple[int, ...] = (2, 1)) -> Documents:
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
    documents, at = _toy_of_prefix_delta(name), np.array([1, 2, 3, 6])
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
    documents, at = _toy_of_prefix_delta("bleu"), np.arange(1, 7)
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(6), (9, 1)), axis=1)
    whole = prefix_errors(documents, 0, 0, orders, at)
    monkeypatch.setattr("detectable.inference.prefixes._CELLS", 1)
    apart = prefix_errors(documents, 0, 0, orders, at)
    for name in ("score", "sd_segment", "sd_document"):
        assert getattr(apart, name) == pytest.approx(
            getattr(whole, name), rel=1e-10, nan_ok=True
        )


def test_running_sums_and_products_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, at = _toy_of_prefix_delta("bleu"), np.array([1, 2, 5])
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
    documents = _toy_of_prefix_delta("mean", runs=(1, 1))
    found = prefix_errors(documents, 0, 1, np.array([[1, 0, 2, 3, 4, 5]]), np.array([1, 2]))
    assert np.isnan(found.score[0, 0])
    assert np.isnan(found.sd_segment[0, 0])
    assert np.isfinite(found.score[0, 1])


def test_scores_of_the_first_and_of_the_others() -> None:
    documents = _toy_of_prefix_delta("bleu")
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


# --- Curves by resampling: agreement with the closed form, repeatability, and empty prefixes ---

Method = Literal["poisson", "exact"]
METHODS = pytest.mark.parametrize("method", ["poisson", "exact"])


def draw(documents: Documents, method: Method, n: int, **where: Any) -> PrefixMoments:
    setting = {"n_jobs": 1, "executor": None, "progress": silent, **where}
    engine = Engine.start(1, **setting)
    rng = np.random.default_rng(5)
    return prefix_bootstrap(documents, method=method, n_resamples=n, engine=engine, rng=rng)


@pytest.mark.golden
@METHODS
def test_wmt21_ruen(method: Method) -> None:
    documents, stored = cesta_like(), ruen_gold()["cesta_like"]["metrics"]
    found = draw(documents, method, 1500)
    spread = found.sd / found.mean
    given, every = np.arange(15)[None], np.arange(1, 16)
    for m, name in enumerate(NAMES):
        laws = [fit_power_law(every, spread[:, s, m]) for s in range(10)]
        flat = [law.x_max(1e-4) for law in laws if law is not None]
        summary = stored[name]["summary"]
        assert np.median([x for x in flat if x]) == pytest.approx(summary["xmax_1e4"], rel=0.03)
        b = np.median([law.b for law in laws if law is not None])
        assert b == pytest.approx(summary["b"][1], abs=0.02)
        for s in range(10):
            exact = prefix_errors(documents, m, s, given, every)
            ratio = spread[1:, s, m] / (exact.sd_segment / exact.score)[0, 1:]
            assert np.abs(ratio - 1.0).max() < 0.08


def _toy(n_documents: int = 5, size: int = 4, missing: bool = False) -> Documents:
    rng = np.random.default_rng(2)
    n = n_documents * size
    known = np.ones((2, n))
    if missing:
        known[1, :size] = 0.0  # the second system was not judged on the first document
    table = np.stack([rng.normal(60, 10, (2, n)) * known, known], axis=-1)
    sample = Sample(Mean(), ("A", "B"), (1, 1), table)
    codes = np.repeat(np.arange(n_documents), size)
    return Documents.build((sample,), codes, tuple("abcdefgh"[:n_documents]))


@METHODS
def test_a_mean_has_the_spread_of_a_mean(method: Method) -> None:
    documents = _toy(size=40)
    found = draw(documents, method, 4000)
    values = documents.samples[0].statistics[0, :, 0]
    for k in range(5):
        part = values[: 40 * (k + 1)]
        error = part.std() / np.sqrt(part.size)
        # The standard error of a standard deviation of 4,000 draws is 1.1 %; four of them.
        # Poisson weights add a share of about 1/n.
        assert found.sd[k, 0, 0] == pytest.approx(error, rel=0.045 + 1 / part.size)
        assert found.mean[k, 0, 0] == pytest.approx(part.mean(), abs=4 * error / np.sqrt(4000))


@METHODS
def test_what_was_not_judged_has_no_mean(method: Method) -> None:
    found = draw(_toy(missing=True), method, 600)  # in several blocks
    assert np.isnan(found.mean[0, 1, 0])
    assert np.isnan(found.sd[0, 1, 0])
    assert np.isfinite(found.mean[1:, 1]).all()
    assert np.isfinite(found.sd[:, 0]).all()


@METHODS
def test_processes_and_executors_do_not_change_the_answer(method: Method) -> None:
    documents = _toy()
    alone = draw(documents, method, 3000)
    with ThreadPoolExecutor(2) as pool:
        shared = draw(documents, method, 3000, executor=pool)
    assert np.array_equal(alone.sd, shared.sd)
    assert np.array_equal(alone.mean, shared.mean)


@METHODS
def test_blocks_add_up_to_all_draws(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments of blocks are added up as if they were one."""
    whole: list[np.ndarray] = []
    import detectable.inference.prefixes as module

    kept = module._moments

    def listen(scores: np.ndarray) -> Any:
        whole.append(scores.copy())
        return kept(scores)

    monkeypatch.setattr(module, "_moments", listen)
    found = draw(_toy(n_documents=2), method, 2500)
    first = np.concatenate(whole[::2])
    last = np.concatenate(whole[1::2])
    assert len(first) == 2500
    for k, scores in enumerate((first, last)):
        assert found.mean[k, :, 0] == pytest.approx(np.nanmean(scores, axis=0), rel=1e-12)
        assert found.sd[k, :, 0] == pytest.approx(np.nanstd(scores, axis=0, ddof=1), rel=1e-12)


@METHODS
def test_the_two_ways_draw_differently(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two draws of two segments have three means; Poisson weights have many more."""
    import detectable.inference.prefixes as module

    seen: list[np.ndarray] = []
    kept = module._moments

    def listen(scores: np.ndarray) -> Any:
        seen.append(np.unique(scores[:, 0].round(9)))
        return kept(scores)

    monkeypatch.setattr(module, "_moments", listen)
    draw(_toy(n_documents=1, size=2), method, 200)
    values = seen[0][np.isfinite(seen[0])]
    assert (values.size == 3) is (method == "exact")


def test_one_resample_has_a_mean_and_no_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    one = (np.array([1.0, 2.0]), np.array([5.0, 6.0]), np.array([0.0, 8.0]))
    monkeypatch.setattr("detectable.inference.prefixes._moments", lambda _: one)
    found = draw(_toy(), "poisson", 2)
    assert (found.mean[..., 0] == [5.0, 6.0]).all()
    assert np.isnan(found.sd[:, 0]).all()
    assert found.sd[:, 1] == pytest.approx(np.sqrt(8.0))


def test_the_size_of_blocks_is_part_of_every_answer() -> None:
    import detectable.inference.prefixes as module

    assert (module._ROWS, module._DRAWS) == (256, 2**25)


def test_long_test_sets_are_drawn_in_smaller_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, seen = _toy(), []
    monkeypatch.setattr("detectable.inference.prefixes._DRAWS", 2000)
    draw(documents, "exact", 250, progress=lambda *told: seen.append(told))
    assert ("bootstrap of the first documents", 3, 3) in seen  # 100 rows of 20 segments
