"""Exact looks through a plan: what earlier looks saw stays as it was."""

from pathlib import Path

import numpy as np
import pytest

from detectable.sequential.design import design
from detectable.sequential.sign_flip import sign_flip_looks
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from tests.study.monitoring.plan_tables import joined, judged, new_plan, reordered


def test_a_second_rater_changes_a_difference_from_then_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    d = np.round(rng.normal(1.5, 5.0, 30), 1)
    second = np.round(d[:12] + rng.normal(0.0, 3.0, 12), 1)
    frozen = new_plan(
        tmp_path, 60, test="sign-flip", family="ld-pocock", futility="none", seed=9
    )
    look(frozen, judged(d[:15]))
    found = look(
        frozen, reordered(joined(judged(d), judged(second, rater="bob")), seed=2)
    ).pairs[0]
    names = [f"i{i}" for i in range(30)]
    now = d.copy()
    now[:12] = 0.5 * (d[:12] + second)
    spent = [design("ld-pocock").spend(t) for t in (0.25, 0.5)]
    expected = sign_flip_looks([(names[:15], d[:15]), (names, now)], spent, seed=9)[-1]
    assert found.exact_p == pytest.approx(expected.p_value)
    assert found.alpha_spent == pytest.approx(expected.spent)
    assert found.estimate == pytest.approx(now.mean())


def test_documents_are_flipped_whole(tmp_path: Path) -> None:
    d = np.round(np.random.default_rng(4).normal(1.0, 5.0, 40), 1)
    frozen = new_plan(tmp_path, 80, test="sign-flip", futility="none", seed=9)
    found = look(frozen, judged(d, per_document=4)).pairs[0]
    sums = d.reshape(10, 4).sum(axis=1)
    names = [f"d{i}" for i in range(10)]
    expected = sign_flip_looks([(names, sums)], [design("hsd").spend(0.5)], seed=9)[-1]
    assert found.exact_p == pytest.approx(expected.p_value)
    assert found.n_clusters == 10


def test_the_exact_p_value_is_what_is_concluded(tmp_path: Path) -> None:
    d = np.random.default_rng(4).normal(4.0, 5.0, 30)
    frozen = new_plan(tmp_path, 60, test="sign-flip", family="pocock", looks=2, seed=9)
    row = look(frozen, judged(d)).pairs[0]
    assert row.decision == "stop: better"
    assert row.z_bound is not None
    assert row.z is not None
    assert row.z >= row.z_bound
    pair = conclude(frozen).pairs[0]
    assert pair.p_value == row.exact_p
    assert pair.p_value is not None
    assert pair.p_value >= 1 / 10_000


def test_a_one_sided_exact_plan(tmp_path: Path) -> None:
    d = np.random.default_rng(4).normal(-6.0, 5.0, 30)
    frozen = new_plan(tmp_path, 60, test="sign-flip", sided=1, futility="none", seed=9)
    assert look(frozen, judged(d)).decision == "continue"
    worse = look(frozen, judged(np.concatenate([d, d])), final=True)
    assert worse.decision == "stop: undecided"
    assert conclude(frozen).pairs[0].p_value > 0.99
