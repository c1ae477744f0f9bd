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
DENSE = 5


class Case:
    """Forty ratings with four blocks of three effects and five other columns.

    With groups, blocks 0 and 1 lie in one and 2 and 3 in another, each with `c` columns.
    """

    def __init__(self, c: int) -> None:
        rng = np.random.default_rng(2)
        self.c, self.n_groups = c, 2 if c else 1
        self.groups = np.array([0, 0, 1, 1]) if c else np.zeros(4, np.int64)
        self.block = np.repeat(np.arange(4), 10)
        self.own = rng.normal(size=(40, 3))
        self.other = rng.normal(size=(40, c + DENSE))  # those of the own group first
        self.other[self.block == 1, c + 2] = 0.0  # block 1 does not touch this column
        touched = [list(range(c + DENSE)) for _ in range(4)]
        touched[1].remove(c + 2)
        if c:
            self.other[self.block == 3, 1] = 0.0
            touched[3].remove(1)
        self.columns = np.concatenate(touched).astype(np.int32)
        self.starts = np.cumsum([0, *map(len, touched)])
        self.gram = np.stack([self.part(j).T @ self.part(j) for j in range(4)])
        self.values = np.concatenate(
            [self.part(j).T @ self.other[self.block == j][:, touched[j]] for j in range(4)],
            axis=1,
        )
        self.arrays = (self.gram, self.values, self.columns, self.starts, self.groups)

    def part(self, j: int) -> FloatArray:
        return np.asarray(self.own[self.block == j])

    def effects(self) -> FloatArray:
        """Return the columns of all block effects, block by block."""
        whole = np.zeros((40, 12))
        for j in range(4):
            whole[self.block == j, 3 * j : 3 * j + 3] = self.part(j)
        return whole

    def whole(self) -> FloatArray:
        """Return the other columns, with those of each group apart."""
        near = np.zeros((40, self.n_groups, self.c))
        near[np.arange(40), self.groups[self.block]] = self.other[:, : self.c]
        return np.concatenate([near.reshape(40, -1), self.other[:, self.c :]], axis=1)

    def inverse(self) -> FloatArray:
        """Return the inverse covariance of ratings with the block effects alone."""
        z = self.effects()
        return np.asarray(np.linalg.inv(np.eye(40) + z * np.tile(SCALE**2, 4) @ z.T))

    def cut(self, matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the parts of a matrix over `whole` columns: dense, near and across."""
        far = self.n_groups * self.c
        own = [slice(g * self.c, (g + 1) * self.c) for g in range(self.n_groups)]
        near = np.stack([matrix[part, part] for part in own])
        across = np.stack([matrix[part, far:] for part in own])
        return matrix[far:, far:].copy(), near, np.ascontiguousarray(across)


CASES = pytest.mark.parametrize("case", [Case(0), Case(2)], ids=["no groups", "groups"])


@CASES
def test_elimination_leaves_the_products_under_the_inverse_covariance(case: Case) -> None:
    rest, near, across = case.cut(case.whole().T @ case.whole())
    log_det = eliminate_blocks(rest, near, across, case.arrays, SCALE)
    wanted = case.cut(case.whole().T @ case.inverse() @ case.whole())
    assert np.tril(rest) == pytest.approx(np.tril(wanted[0]), abs=1e-10)
    assert np.tril(near) == pytest.approx(np.tril(wanted[1]), abs=1e-10)
    assert across == pytest.approx(wanted[2], abs=1e-10)
    assert log_det == pytest.approx(-np.linalg.slogdet(case.inverse())[1])


def some_inverse(case: Case, seed: int, size: float) -> FloatArray:
    """Return a matrix over the columns of groups and the first three others."""
    width = case.n_groups * case.c + 3
    root = np.random.default_rng(seed).normal(size=(width, width))
    return np.asarray(size * root @ root.T)


@CASES
def test_the_sweep_gives_traces_scores_and_products(case: Case) -> None:
    inverse = some_inverse(case, 4, 1.0)
    far = case.n_groups * case.c
    coefficients = np.random.default_rng(6).normal(size=far + DENSE)
    near_coefficients = coefficients[:far].reshape(case.n_groups, case.c)
    scores, traces, pulls, near_pulls, loads = sweep_blocks(
        case.arrays, SCALE, TERMS, case.cut(inverse), coefficients[far:], near_coefficients
    )
    f = case.effects().T @ case.inverse() @ case.whole()
    k = case.effects().T @ case.inverse() @ case.effects()
    u = f @ coefficients
    assert scores.ravel() == pytest.approx(u)
    kinds = np.tile(TERMS, 4)
    known = f[:, : far + 3]
    left = np.diagonal(k - known @ inverse @ known.T)
    for t in range(2):
        own = kinds == t
        assert traces[t] == pytest.approx(left[own].sum())
        wanted = f[own].T @ u[own]
        assert np.append(near_pulls[t].ravel(), pulls[t]) == pytest.approx(wanted)
        for s in range(2):
            other = kinds == s
            assert loads[t, s] == pytest.approx(u[own] @ k[np.ix_(own, other)] @ u[other])


@CASES
@pytest.mark.parametrize("size", [DENSE, DENSE - 1])
def test_second_derivatives_and_prediction_errors(case: Case, size: int) -> None:
    inverse = some_inverse(case, 5, 0.01)
    far = case.n_groups * case.c
    *products, norms = curve_blocks(case.arrays, SCALE, TERMS, case.cut(inverse), size)
    f = case.effects().T @ case.inverse() @ case.whole()
    k = case.effects().T @ case.inverse() @ case.effects()
    kinds = np.tile(TERMS, 4)
    shared = f[:, : far + 3] @ inverse @ f[:, : far + 3].T
    for t in range(2):
        own = kinds == t
        wanted = case.cut((f[own].T @ f[own])[: far + size, : far + size])
        for found, part in zip(products, wanted, strict=True):
            assert found[t] == pytest.approx(part)
        for s in range(2):
            cut = np.ix_(own, kinds == s)
            assert norms[t, s] == pytest.approx(
                (k[cut] ** 2 - 2.0 * k[cut] * shared[cut]).sum()
            )
    spread = np.tile(SCALE**2, 4)
    errors = np.diag(spread) - spread[:, None] * (k - shared) * spread
    predicted = predict_blocks(case.arrays, SCALE, case.cut(inverse))
    for j in range(4):
        assert predicted[j] == pytest.approx(errors[3 * j : 3 * j + 3, 3 * j : 3 * j + 3])
