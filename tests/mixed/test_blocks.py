"""Where the descent begins: sums of squares against their definition and their expectation."""

from dataclasses import replace

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.kernels.crossed import Parts
from detectable.mixed.blocks import Moments, Nested, build_blocks, eliminate_groups, stacked
from detectable.mixed.general import minimise
from tests.mixed.tables import design, relative_covariance, table
from tests.mixed.test_general import DESIGNS, made


@pytest.mark.parametrize("name", DESIGNS)
def test_expected_squares_are_those_of_the_projection(name: str) -> None:
    coded = made(name).design
    n, m = coded.n, len(coded.terms)
    x = coded.fixed_rows()[coded.system]
    p = np.eye(n) - x @ np.linalg.solve(x.T @ x, x.T)
    # Every term by the oracle's own covariance matrix: V = I + rho ZZ'.
    zz = [relative_covariance(coded, np.eye(m)[t]) - np.eye(n) for t in range(m)]
    wanted = np.array([[np.trace(p @ a @ p @ b) for b in [*zz, p]] for a in [*zz, p]])
    assert Moments(coded).expected == pytest.approx(wanted, rel=1e-10)


@pytest.mark.slow
def test_the_start_is_unbiased() -> None:
    coded, _ = design(table(raters=12, items=40, keep=0.6, seed=3))
    moments, rng = Moments(coded), np.random.default_rng(5)
    variances = np.array([0.8, 0.5, 0.3, 0.2])
    root = np.linalg.cholesky(relative_covariance(coded, variances))
    x = coded.fixed_rows()[coded.system]
    drawn = rng.normal(size=(2000, coded.n)) @ root.T + x @ np.array([50.0, 3.0])
    # Numerators and residual variance are unbiased; the ratio of two is so nearly, with 12 raters.
    found = np.array([moments.start(y) for y in drawn])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - variances) < 4.0 * error + 0.01)


def test_fixed_effects_do_not_move_the_start() -> None:
    coded, y = design(table(raters=9, items=30, systems=3, keep=0.7))
    moments = Moments(coded)
    there = moments.start(y + coded.fixed_rows()[coded.system] @ np.array([100.0, -20.0, 7.0]))
    assert there == pytest.approx(moments.start(y), rel=1e-6)


def test_the_minimum_is_that_of_any_other_start(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = build_blocks(*design(table(raters=8, items=60, keep=0.7)))
    assert blocks.design.n > 200
    rho, at, _ = minimise(blocks, reml=True)
    steps = blocks.moments.start(blocks.response)
    assert steps is not None
    assert np.max(np.abs(steps - rho)) < 0.3  # near, and not there
    monkeypatch.setattr(Moments, "start", lambda *_: None)
    plain, there, _ = minimise(blocks, reml=True)
    assert plain == pytest.approx(rho, rel=1e-5)
    assert there.value == pytest.approx(at.value, abs=1e-9)


def test_no_start_where_squares_cannot_tell_terms_apart() -> None:
    coded, y = design(table(raters=8, items=60, keep=0.7))
    twice = replace(coded, factors={**coded.factors, "document": coded.factors["item"]})
    assert Moments(twice).start(y) is None
    rows = coded.fixed_rows()[coded.system]
    assert Moments(coded).start(rows @ np.array([1.0, 2.0])) is None  # nothing is left of them


def test_a_start_is_neither_zero_nor_boundless() -> None:
    coded, y = design(table(raters=8, items=60, keep=0.7))
    item = coded.factors["item"].codes
    effect = np.random.default_rng(2).normal(size=60)[item]
    large = Moments(coded).start(y + 100.0 * effect)
    assert large is not None
    assert large.max() == 100.0
    flat = Moments(coded).start(np.random.default_rng(1).normal(size=y.size))
    assert flat is not None
    assert flat.min() == 1e-3


# --- Documents, eliminated one by one, against the inverse over all their columns at once ---

GROUPS, C, D = 4, 3, 6
VARIANCE = np.array([0.7, 1e-14, 40.0])


def products() -> FloatArray:
    """Return inner products of twelve columns of documents, which do not meet, and six others."""
    rng = np.random.default_rng(1)
    near = np.zeros((60, GROUPS, C))
    near[np.arange(60), np.arange(60) % GROUPS] = rng.normal(size=(60, C))
    whole = np.concatenate([near.reshape(60, -1), rng.normal(size=(60, D))], axis=1)
    return np.asarray(whole.T @ whole)


def parts(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the others, the columns of each document, and what is between."""
    far = GROUPS * C
    own = [slice(C * g, C * g + C) for g in range(GROUPS)]
    near = np.stack([matrix[part, part] for part in own])
    return matrix[far:, far:].copy(), near, np.stack([matrix[part, far:] for part in own])


def eliminated() -> tuple[FloatArray, Nested, float]:
    left = Parts(*parts(products()))
    nested, log_det = eliminate_groups(left, VARIANCE)
    return left.rest, nested, log_det


def test_what_documents_leave() -> None:
    rest, nested, log_det = eliminated()
    g, far = products(), GROUPS * C
    a, h, spread = g[:far, :far], g[:far, far:], np.diag(np.tile(VARIANCE, GROUPS))
    keep = np.linalg.inv(np.eye(far) + a @ spread)
    assert rest == pytest.approx(g[far:, far:] - h.T @ spread @ keep @ h)
    assert stacked(nested.across) == pytest.approx(keep @ h, abs=1e-9)
    assert nested.keep == pytest.approx(parts(np.pad(keep, (0, D)))[1], abs=1e-9)
    assert nested.kept == pytest.approx(parts(np.pad(keep @ a, (0, D)))[1], abs=1e-9)
    assert log_det == pytest.approx(np.linalg.slogdet(np.eye(far) + a @ spread)[1])


@pytest.mark.parametrize("width", [4, D])
def test_the_inverse_is_that_over_all_columns(width: int) -> None:
    rest, nested, _ = eliminated()
    size = GROUPS * C + width
    whole = products()[:size, :size]
    whole[np.arange(GROUPS * C), np.arange(GROUPS * C)] += 1.0 / np.tile(VARIANCE, GROUPS)
    inverse: FloatArray = np.asarray(np.linalg.inv(rest[:width, :width]), np.float64)
    near, across = nested.inverse(nested.weighted(inverse))
    wanted = parts(np.asarray(np.linalg.inv(whole), np.float64))
    assert inverse == pytest.approx(wanted[0])
    assert near == pytest.approx(wanted[1], abs=1e-12)
    assert across == pytest.approx(wanted[2], abs=1e-12)


def test_without_documents_nothing_happens() -> None:
    rest = parts(products())[0]
    before = rest.copy()
    none = Parts(rest, np.zeros((1, 0, 0)), np.zeros((1, 0, D)))
    nested, log_det = eliminate_groups(none, np.zeros(0))
    assert (log_det, nested.flat(D).shape) == (0.0, (0, D))
    assert np.array_equal(rest, before)
