"""Documents, eliminated one by one, against the inverse over all their columns at once."""

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.kernels.crossed import Parts
from detectable.mixed.blocks import Nested, eliminate_groups, stacked

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
