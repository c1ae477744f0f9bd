"""Swaps in blocks: what is kept of many of them is what was asked for."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference import swaps as swap_blocks
from detectable.inference.randomization import randomization_test
from detectable.inference.sign_flips import sign_flips
from detectable.inference.swaps import SwapRequest, Swaps
from tests.samples import mean_sample


def _engine(seed: int = 1, n_jobs: int = 1) -> Engine:
    return Engine.start(seed, n_jobs=n_jobs, executor=None, progress=silent)


def _flipped(n_resamples: int, pairs: int = 20, n_jobs: int = 1) -> Swaps:
    d = np.random.default_rng(5).normal(0.2, 1.0, size=(30, pairs))
    return sign_flips(
        d,
        np.ones_like(d),
        n_resamples=n_resamples,
        alpha=0.05,
        margin=0.4,
        engine=_engine(n_jobs=n_jobs),
    )


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> Swaps:
    """Return the same swaps with everything kept."""
    monkeypatch.setattr(swap_blocks, "_FIRST", 10_000)
    return _flipped(30_000)


def test_counts_and_corrected_intervals_are_those_of_all_swaps(
    whole: Swaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    found = _flipped(30_000)
    assert (found.n_resamples, whole.first) == (30_000, None)
    assert found.first is not None
    assert found.first.rows == 10 * 1024
    for name in ("p_values", "p_max_t", "p_above", "p_below"):
        assert getattr(found, name)().tolist() == getattr(whole, name)().tolist()
    assert found.critical(0, 0.05) == whole.critical(0, 0.05)
    for column in (0, 7, 19):
        for alpha in (0.05 / 20, 2 * 0.05 / 20, 0.0001):
            assert found.interval(column, alpha) == whole.interval(column, alpha)


def test_intervals_of_one_pair_are_those_of_the_first_ten_thousand() -> None:
    found, short = _flipped(30_000), _flipped(10_240)
    for column in (0, 7, 19):
        for alpha in (0.05, 0.1):
            assert found.interval(column, alpha) == short.interval(column, alpha)


def test_fewer_ends_are_kept_than_swaps_were_drawn() -> None:
    found = _flipped(30_000)
    assert found.counted.lowest.shape == (151, 20)  # 2 α / 20 of 30,001, and one
    assert found.first is not None
    assert found.first.lowest.shape == (1025, 20)


@pytest.mark.parametrize(("n_resamples", "pairs"), [(10_240, 20), (30_000, 1)])
def test_nothing_is_split_where_nothing_is_saved(n_resamples: int, pairs: int) -> None:
    assert _flipped(n_resamples, pairs).first is None


def test_processes_and_pieces_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = _flipped(30_000), _flipped(30_000, n_jobs=2)
    monkeypatch.setattr(swap_blocks, "_AT_ONCE", 3)
    pieces = _flipped(30_000)
    monkeypatch.setattr(swap_blocks, "_HELD", 1)
    single = _flipped(30_000)
    for other in (two, pieces, single):
        assert one.p_values().tolist() == other.p_values().tolist()
        for alpha in (0.05, 0.0025):
            assert one.interval(3, alpha) == other.interval(3, alpha)


def test_swapped_texts_are_kept_alike() -> None:
    rng = np.random.default_rng(2)
    sample = mean_sample(*rng.normal(size=(4, 25)))
    pairs = ((1, 0), (2, 0), (3, 0))
    options: dict[str, Any] = {"n_resamples": 20_000, "rng": 3}
    loose = randomization_test((sample,), pairs, request=SwapRequest(), **options)
    strict = randomization_test((sample,), pairs, request=SwapRequest(tests=3), **options)
    assert loose.swaps.first is None
    assert strict.swaps.first is not None
    assert loose.p_values.tolist() == strict.p_values.tolist()
    for column in range(3):
        corrected = [test.swaps.interval(column, 0.05 / 3) for test in (loose, strict)]
        assert corrected[0] == corrected[1]
        alone = [test.swaps.interval(column, 0.05) for test in (loose, strict)]
        width = alone[0].high - alone[0].low
        assert alone[1].to_json() == pytest.approx(alone[0].to_json(), abs=0.05 * width)


def test_the_work_is_told_as_one_though_it_is_done_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(swap_blocks, "_AT_ONCE", 3)
    told: list[tuple[str, int, int]] = []
    engine = Engine.start(1, n_jobs=1, executor=None, progress=lambda *step: told.append(step))
    d = np.random.default_rng(5).normal(0.2, 1.0, size=(30, 4))
    sign_flips(d, np.ones_like(d), n_resamples=20_000, alpha=0.05, engine=engine)
    assert {(name, total) for name, _, total in told} == {("sign flips", 20)}
    done = [now for _, now, _ in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 20)


@pytest.mark.parametrize(
    ("columns", "n_jobs", "executor", "expected"),
    [(1, 1, None, 64), (2_000, 1, None, 1), (2_000, 2, None, 8), (2_000, 1, object(), 64)],
)
def test_few_tallies_of_many_pairs_are_held(
    columns: int, n_jobs: int, executor: Any, expected: int
) -> None:
    one = sign_flips(
        np.ones((20, 1)), np.ones((20, 1)), n_resamples=9_999, alpha=0.05, engine=_engine()
    ).questions
    many = dataclasses.replace(one, observed=np.zeros(columns))
    engine = Engine.start(1, n_jobs=n_jobs, executor=executor, progress=silent)
    assert swap_blocks._at_once(many, engine) == expected
