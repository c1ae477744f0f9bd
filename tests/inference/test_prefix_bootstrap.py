"""Curves by resampling: agreement with the closed form, repeatability, and empty prefixes."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pytest

from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference.curves import fit_power_law
from detectable.inference.prefixes import (
    Documents,
    PrefixMoments,
    prefix_bootstrap,
    prefix_errors,
)
from detectable.inference.sample import Sample
from detectable.metrics.mean import Mean
from tests.inference.test_design_effect import ruen_gold
from tests.inference.test_prefix_delta import NAMES, cesta_like

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
