"""The elimination of one factor against dense linear algebra."""

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.kernels.crossed import (
    curve_blocks,
    eliminate_blocks,
    predict_blocks,
    sweep_blocks,
)

TERMS = np.array([0, 1, 1])
SCALE = np.array([0.8, 0.5, 0.5])


class Case:
    """Twelve ratings with four blocks of three effects and five other columns."""

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        self.block = np.repeat(np.arange(4), 10)
        self.own = rng.normal(size=(40, 3))
        self.other = rng.normal(size=(40, 5))
        self.other[self.block == 1, 2] = 0.0  # block 1 does not touch column 2
        touched = [[0, 1, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]
        self.columns = np.concatenate(touched).astype(np.int32)
        self.starts = np.cumsum([0, *map(len, touched)])
        self.gram = np.stack([self.part(j).T @ self.part(j) for j in range(4)])
        self.values = np.concatenate(
            [self.part(j).T @ self.other[self.block == j][:, touched[j]] for j in range(4)],
            axis=1,
        )
        self.arrays = (self.gram, self.values, self.columns, self.starts)

    def part(self, j: int) -> FloatArray:
        return np.asarray(self.own[self.block == j])

    def effects(self) -> FloatArray:
        """Return the columns of all block effects, block by block."""
        whole = np.zeros((40, 12))
        for j in range(4):
            whole[self.block == j, 3 * j : 3 * j + 3] = self.part(j)
        return whole

    def inverse(self) -> FloatArray:
        """Return the inverse covariance of ratings with the block effects alone."""
        z = self.effects()
        return np.asarray(np.linalg.inv(np.eye(40) + z * np.tile(SCALE**2, 4) @ z.T))


CASE = Case()


def test_elimination_leaves_the_products_under_the_inverse_covariance() -> None:
    rest = CASE.other.T @ CASE.other
    log_det = eliminate_blocks(rest, *CASE.arrays, SCALE)
    wanted = CASE.other.T @ CASE.inverse() @ CASE.other
    assert np.tril(rest) == pytest.approx(np.tril(wanted), abs=1e-10)
    assert log_det == pytest.approx(-np.linalg.slogdet(CASE.inverse())[1])


def test_the_sweep_gives_traces_scores_and_products() -> None:
    rng = np.random.default_rng(4)
    root = rng.normal(size=(3, 3))
    inverse = root @ root.T  # over the first three columns only
    coefficients = rng.normal(size=5)
    found = sweep_blocks(*CASE.arrays, SCALE, TERMS, inverse, coefficients)
    scores, traces, pulls, loads = found
    f = CASE.effects().T @ CASE.inverse() @ CASE.other
    k = CASE.effects().T @ CASE.inverse() @ CASE.effects()
    u = f @ coefficients
    assert scores.ravel() == pytest.approx(u)
    kinds = np.tile(TERMS, 4)
    left = np.diagonal(k - f[:, :3] @ inverse @ f[:, :3].T)
    for t in range(2):
        own = kinds == t
        assert traces[t] == pytest.approx(left[own].sum())
        assert pulls[t] == pytest.approx(f[own].T @ u[own])
        for s in range(2):
            other = kinds == s
            wanted = u[own] @ k[np.ix_(own, other)] @ u[other]
            assert loads[t, s] == pytest.approx(wanted)


def test_second_derivatives_and_prediction_errors() -> None:
    root = np.random.default_rng(5).normal(size=(3, 3))
    inverse = 0.01 * root @ root.T
    products, norms = curve_blocks(*CASE.arrays, SCALE, TERMS, inverse, 5)
    f = CASE.effects().T @ CASE.inverse() @ CASE.other
    k = CASE.effects().T @ CASE.inverse() @ CASE.effects()
    kinds = np.tile(TERMS, 4)
    shared = f[:, :3] @ inverse @ f[:, :3].T
    for t in range(2):
        own = kinds == t
        assert products[t] == pytest.approx(f[own].T @ f[own])
        for s in range(2):
            cut = np.ix_(own, kinds == s)
            assert norms[t, s] == pytest.approx(
                (k[cut] ** 2 - 2.0 * k[cut] * shared[cut]).sum()
            )
    spread = np.tile(SCALE**2, 4)
    wanted = np.diag(spread) - spread[:, None] * (k - shared) * spread
    found = predict_blocks(*CASE.arrays, SCALE, inverse)
    for j in range(4):
        assert found[j] == pytest.approx(wanted[3 * j : 3 * j + 3, 3 * j : 3 * j + 3])
