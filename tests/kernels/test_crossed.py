"""The elimination of one factor against dense linear algebra, entry by entry and by tables."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from detectable.core.types import FloatArray
from detectable.kernels import crossed
from detectable.kernels.crossed import (
    BlockArrays,
    Parts,
    add_products,
    collect_blocks,
    condition_blocks,
    mean_squares,
    ml_error,
    pool,
    product_squares,
    reml_error,
)
from detectable.mixed.general import solve_general
from detectable.mixed.model import prepare
from detectable.planning.likert import crossed_design
from tests.helpers import reference_data

DENSE = 5
SCALES = {1: np.array([0.8]), 2: np.array([0.8, 0.5]), 3: np.array([0.8, 0.5, 1e-7])}


class Case:
    """Forty ratings with four blocks of `k` effects and five other columns.

    With groups, blocks 0 and 1 lie in one and 2 and 3 in another, each with `c` columns.
    """

    def __init__(self, c: int, k: int) -> None:
        rng = np.random.default_rng(2)
        self.c, self.k, self.n_groups = c, k, 2 if c else 1
        self.groups = np.array([0, 0, 1, 1]) if c else np.zeros(4, np.int64)
        self.block = np.repeat(np.arange(4), 10)
        self.own = rng.normal(size=(40, k))
        self.other = rng.normal(size=(40, c + DENSE))  # those of the own group first
        self.other[self.block == 1, c + 2] = 0.0  # block 1 does not touch this column
        touched = [list(range(c + DENSE)) for _ in range(4)]
        touched[1].remove(c + 2)
        if c:
            self.other[self.block == 3, 1] = 0.0
            touched[3].remove(1)
        gram = np.stack([self.part(j).T @ self.part(j) for j in range(4)])
        values = [self.part(j).T @ self.other[self.block == j][:, touched[j]] for j in range(4)]
        self.arrays = BlockArrays(
            gram,
            np.concatenate(values, axis=1),
            np.concatenate(touched).astype(np.int32),
            np.cumsum([0, *map(len, touched)]),
            self.groups,
            c,
            DENSE,
        )

    def part(self, j: int) -> FloatArray:
        return np.asarray(self.own[self.block == j])

    def effects(self) -> FloatArray:
        """Return the columns of all block effects, block by block."""
        whole = np.zeros((40, 4 * self.k))
        for j in range(4):
            whole[self.block == j, self.k * j : self.k * (j + 1)] = self.part(j)
        return whole

    def whole(self) -> FloatArray:
        """Return the other columns, with those of each group apart."""
        near = np.zeros((40, self.n_groups, self.c))
        near[np.arange(40), self.groups[self.block]] = self.other[:, : self.c]
        return np.concatenate([near.reshape(40, -1), self.other[:, self.c :]], axis=1)

    def inverse(self) -> FloatArray:
        """Return the inverse covariance of ratings with the block effects alone."""
        z = self.effects()
        return np.asarray(np.linalg.inv(np.eye(40) + z * np.tile(SCALES[self.k] ** 2, 4) @ z.T))

    def cut(self, matrix: FloatArray) -> Parts:
        """Return the parts of a matrix over `whole` columns: dense, near and across."""
        far = self.n_groups * self.c
        own = [slice(g * self.c, (g + 1) * self.c) for g in range(self.n_groups)]
        near = np.stack([matrix[part, part] for part in own])
        across = np.stack([matrix[part, far:] for part in own])
        return Parts(matrix[far:, far:].copy(), near, np.ascontiguousarray(across))


@pytest.fixture(params=[0.15, 2.0], ids=["by tables", "by entries"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose how full a table must be to be kept as one; without the library it always is."""
    monkeypatch.setattr(crossed, "_FULL", request.param)


@pytest.fixture(params=[(0, 1), (0, 2), (0, 3), (2, 1), (2, 2), (2, 3)], ids=str)
def case(request: pytest.FixtureRequest, way: None) -> Case:
    made = Case(*request.param)
    assert (made.arrays.table is None) == (made.c > 0 or crossed._FULL > 1.0)
    return made


@pytest.mark.usefixtures("each_engine")
def test_elimination_leaves_the_products_under_the_inverse_covariance(case: Case) -> None:
    whole = case.whole()
    left = case.cut(whole.T @ whole)
    assert np.array_equal(left.rest, left.rest.T)
    at = condition_blocks(case.arrays, SCALES[case.k])
    add_products(left, case.arrays, at.roots, -1.0)
    wanted = case.cut(case.whole().T @ case.inverse() @ case.whole())
    for found, part in zip(left, wanted, strict=True):
        assert found == pytest.approx(part, abs=1e-10)
    assert np.array_equal(left.rest, left.rest.T)
    assert at.log_det == pytest.approx(-np.linalg.slogdet(case.inverse())[1])


@pytest.mark.usefixtures("each_engine")
def test_what_is_left_of_a_block(case: Case) -> None:
    at = condition_blocks(case.arrays, SCALES[case.k])
    k, z = case.k, case.effects()
    own = z.T @ case.inverse() @ z
    for j in range(4):
        part = slice(k * j, k * (j + 1))
        assert at.own[j] == pytest.approx(own[part, part], rel=1e-9, abs=1e-12)
        wanted = np.linalg.inv(np.eye(k) + case.arrays.gram[j] * SCALES[k] ** 2)
        assert at.left[j] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        inside = SCALES[k][:, None] * np.linalg.inv(
            np.eye(k) + case.arrays.gram[j] * np.outer(SCALES[k], SCALES[k])
        )
        assert at.roots[j].T @ at.roots[j] == pytest.approx(inside * SCALES[k], abs=1e-12)


@pytest.mark.usefixtures("each_engine")
def test_products_of_some_effects_are_added(case: Case) -> None:
    at = condition_blocks(case.arrays, SCALES[case.k])
    rows = np.ascontiguousarray(at.left[:, :1])  # the intercept alone
    found = case.cut(case.whole().T @ case.whole())
    add_products(found, case.arrays, rows, 1.0)
    f = (case.effects().T @ case.inverse() @ case.whole())[:: case.k]
    wanted = case.cut(case.whole().T @ case.whole() + f.T @ f)
    for part, want in zip(found, wanted, strict=True):
        assert part == pytest.approx(want)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("known", [0, 3, DENSE])
def test_a_matrix_over_columns_is_collected_by_block(case: Case, known: int) -> None:
    width = case.n_groups * case.c + known
    root = np.random.default_rng(4).normal(size=(width, width))
    b = (case.effects().T @ case.whole())[:, :width]
    wanted = b @ root @ root.T @ b.T
    found = collect_blocks(case.arrays, case.cut(root @ root.T))
    for j in range(4):
        part = slice(case.k * j, case.k * (j + 1))
        assert found[j] == pytest.approx(wanted[part, part])


@pytest.mark.usefixtures("each_engine")
def test_vectors_over_columns_and_over_effects(case: Case) -> None:
    rng, far = np.random.default_rng(6), case.n_groups * case.c
    b = case.effects().T @ case.whole()
    v, e = rng.normal(size=far + DENSE), rng.normal(size=(4, case.k))
    sums = case.arrays.sums(v[:far].reshape(case.n_groups, case.c), v[far:])
    assert sums.ravel() == pytest.approx(b @ v)
    near, rest = case.arrays.columns_of(e)
    assert near.shape == (case.n_groups, case.c)
    assert np.append(near.ravel(), rest) == pytest.approx(b.T @ e.ravel())


@pytest.mark.usefixtures("each_engine")
def test_tables_in_pieces_are_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def swept() -> list[FloatArray]:
        at = condition_blocks(case.arrays, SCALES[case.k])
        parts = case.cut(np.zeros((case.whole().shape[1],) * 2))
        add_products(parts, case.arrays, at.roots, 1.0)
        return [*parts, collect_blocks(case.arrays, parts)]

    whole = swept()
    monkeypatch.setattr(crossed, "_CELLS", 1)
    for a, b in zip(whole, swept(), strict=True):
        assert a == pytest.approx(b, rel=1e-13, abs=1e-13)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize(
    "change",
    [
        {"columns": np.array([0, 9], np.int32)},
        {"columns": np.array([-1, 1], np.int32)},
        {"starts": np.array([0, 0, 2])},
        {"starts": np.array([0, 1, 3])},
        {"starts": np.array([1, 1, 2])},
        {"groups": np.array([0, -1])},
        {"values": np.ones((2, 2))},
    ],
    ids=str,
)
def test_what_the_library_relies_on_is_checked(change: dict[str, FloatArray]) -> None:
    good = {
        "gram": np.ones((2, 1, 1)),
        "values": np.ones((1, 2)),
        "columns": np.array([0, 1], np.int32),
        "starts": np.array([0, 1, 2]),
        "groups": np.zeros(2, np.int64),
        "c": 0,
        "d": 2,
    }
    assert BlockArrays(**good).places.tolist() == [0, 1]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="do not belong together"):
        BlockArrays(**(good | change))  # type: ignore[arg-type]


# --- The balanced mixed model against lmer, and against the general fit ---


def ratings(seed: int, raters: int, items: int, trials: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    x = np.array([-1.0, 1.0])
    table: FloatArray = (
        rng.normal(0.0, 0.05, (trials, raters, 1, 1))
        + rng.normal(0.0, 0.1, (trials, 1, items, 1))
        + x * rng.normal(0.1, 0.1, (trials, raters, 1, 1))
        + x * rng.normal(0.0, 0.1, (trials, 1, items, 1))
        + rng.normal(0.0, 0.4, (trials, raters, items, 2))
    )
    return table


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_that_of_the_general_fit(seed: int, reml: bool) -> None:
    table = ratings(seed, 4, 15)[0]
    rater, item, system = np.indices(table.shape).reshape(3, -1)
    design = crossed_design(rater, item, system)
    fit = solve_general(prepare(design, table.ravel()).blocks, reml=reml)
    mean, squares, error = mean_squares(table)
    assert mean == pytest.approx(fit.coefficients[1], rel=1e-6)
    if reml:
        variance, df = reml_error(squares, error, 4, 15)
        assert df == pytest.approx(fit.satterthwaite(np.array([0.0, 1.0])), rel=1e-3)
    else:
        variance = ml_error(squares, error, 4, 15)
    assert variance == pytest.approx(fit.covariance[1, 1], rel=1e-5)


def test_rows_do_not_depend_on_their_company() -> None:
    tables = ratings(7, 3, 20, trials=50)
    _, squares, error = mean_squares(tables)
    together = ml_error(squares, error, 3, 20)
    alone = [float(ml_error(s, e, 3, 20)) for s, e in zip(squares, error, strict=True)]
    assert together == pytest.approx(alone, rel=1e-9)


def test_mean_squares_below_the_error_are_pooled_smallest_first() -> None:
    squares, df = np.array([[0.5, 3.0, 0.9, 1.05]]), np.array([2.0, 9.0, 2.0, 9.0])
    estimates, error, total = pool(squares, df, np.array([1.0]), 18.0)
    expected = (18.0 + 1.0 + 1.8) / 22.0
    assert error[0] == pytest.approx(expected)
    assert total[0] == 22.0
    assert estimates[0].tolist() == pytest.approx([expected, 3.0, expected, 1.05])


def lmer_fits() -> list[Any]:
    gold = json.loads(reference_data("gold", "card.json").read_text())["lmer"]
    return [
        fit
        for fit in gold
        if fit["data"].startswith("sim_3x100")
        and fit["formula"].endswith("(1 + model || worker) + (1 + model || item)")
    ]


@pytest.mark.golden
def test_lmer_gives_the_same_error() -> None:
    fits = lmer_fits()
    for fit in fits:
        rows = np.genfromtxt(
            reference_data("data", "card", fit["data"]),
            delimiter=",",
            skip_header=1,
            converters={0: _unquoted, 1: _unquoted},
        )
        table = np.full((3, 100, 2), np.nan)
        table[
            rows[:, 0].astype(int) - 1,
            rows[:, 1].astype(int) - 1,
            (rows[:, 2].astype(int) + 1) // 2,
        ] = rows[:, 3]
        mean, squares, error = mean_squares(table)
        expected = fit["coef"]["model"]
        assert mean == pytest.approx(expected["Estimate"], abs=2.5e-7)
        if fit["REML"]:
            variance, df = reml_error(squares, error, 3, 100)
            assert df == pytest.approx(expected["df"], abs=4e-4)
        else:
            variance = ml_error(squares, error, 3, 100)
        assert np.sqrt(variance) == pytest.approx(expected["Std. Error"], abs=8e-6)
    assert len(fits) >= 6


def _unquoted(text: str) -> float:
    return float(text.strip('"'))


@pytest.mark.usefixtures("each_engine")
def test_sums_of_a_product_that_is_never_kept() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(50, 20)) * (rng.random((50, 20)) < 0.2)
    table[7] = 0.0  # a row without any entry
    dense = rng.normal(size=(20, 6))
    totals, squares = product_squares(csr_array(table), dense)
    assert totals == pytest.approx((table @ dense).sum(axis=0), rel=1e-12)
    assert squares == pytest.approx(((table @ dense) ** 2).sum(axis=0), rel=1e-12)
