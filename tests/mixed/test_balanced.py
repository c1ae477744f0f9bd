"""The closed form against the general fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import ConvergenceError
from detectable.mixed.balanced import find_layout, solve_balanced
from detectable.mixed.blocks import build_blocks
from detectable.mixed.equations import Solution
from detectable.mixed.general import solve_general
from tests.mixed.tables import design, table


def assert_same(a: Solution, b: Solution) -> None:
    assert a.criterion == pytest.approx(b.criterion, abs=1e-7)
    assert a.rho == pytest.approx(b.rho, abs=2e-5)
    assert a.sigma2 == pytest.approx(b.sigma2, rel=1e-5)
    assert a.coefficients == pytest.approx(b.coefficients, abs=1e-9)
    assert a.covariance == pytest.approx(b.covariance, rel=1e-4, abs=1e-9)
    for row in (np.eye(a.coefficients.size)[1], np.ones(a.coefficients.size)):
        assert a.satterthwaite(row) == pytest.approx(b.satterthwaite(row), rel=1e-3)
    for role, effects in a.effects.items():
        assert effects == pytest.approx(b.effects[role], abs=1e-4)


@settings(max_examples=settings().max_examples // 2)
@given(
    raters=st.integers(2, 6),
    items=st.integers(2, 9),
    systems=st.integers(2, 4),
    seed=st.integers(0, 10_000),
    reml=st.booleans(),
    noise=st.sampled_from([1.0, 8.0]),
)
def test_closed_form_and_general_fit_agree(
    raters: int, items: int, systems: int, seed: int, reml: bool, noise: float
) -> None:
    made, y = design(table(raters, items, systems, seed=seed))
    # Loud noise puts variances at zero.
    y = y + noise * np.random.default_rng(seed).normal(size=y.size)
    layout = find_layout(made)
    assert layout is not None
    closed = solve_balanced(made, layout, y, reml=reml)
    general = solve_general(build_blocks(made, y), reml=reml)
    # With so few raters the likelihood may have two minima; then ours must be the lower one.
    if abs(closed.criterion - general.criterion) < 1e-7:
        assert_same(closed, general)
    else:
        assert closed.criterion < general.criterion


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("slopes", ["auto", "none", ("rater",), ("item",)])
def test_any_set_of_slopes(slopes: str, reml: bool) -> None:
    made, y = design(table(4, 8, 3, seed=8), slopes=slopes)
    layout = find_layout(made)
    assert layout is not None
    assert_same(
        solve_balanced(made, layout, y, reml=reml),
        solve_general(build_blocks(made, y), reml=reml),
    )


@pytest.mark.parametrize("held", [(0,), (1,), (2,), (3,), (0, 3)])
def test_components_held_at_zero(held: tuple[int, ...]) -> None:
    made, y = design(table(6, 15, seed=4))
    layout = find_layout(made)
    assert layout is not None
    assert_same(
        solve_balanced(made, layout, y, reml=True, held=held),
        solve_general(build_blocks(made, y), reml=True, held=held),
    )


def test_ratings_that_repeat_in_every_cell() -> None:
    one, two = table(4, 6, seed=2), table(4, 6, seed=3)
    both = {name: one[name] + two[name] for name in one}
    made, y = design(both, repeats="keep")
    layout = find_layout(made)
    assert layout is not None
    assert layout.shape == (4, 6, 2, 2)
    assert_same(
        solve_balanced(made, layout, y, reml=True),
        solve_general(build_blocks(made, y), reml=True),
    )


def test_a_table_with_a_hole_is_not_balanced() -> None:
    ratings = {name: column[:-1] for name, column in table(3, 4).items()}
    assert find_layout(design(ratings)[0]) is None
    ratings = {name: [*column[:-1], column[0]] for name, column in table(3, 4).items()}
    assert find_layout(design(ratings, repeats="keep")[0]) is None


def test_numbers_that_are_not_symmetric_are_not_contrasts() -> None:
    ratings = table(3, 4)
    ratings["system"] = [1 if name == "s1" else 0 for name in ratings["system"]]
    assert find_layout(design(ratings, numeric_system=True)[0]) is None


def test_a_perfect_fit_is_refused() -> None:
    ratings = table(3, 4)
    parts = zip(ratings["rater"], ratings["item"], strict=True)
    ratings["score"] = [float(r[1:]) + 2.0 * float(i[1:]) for r, i in parts]
    made, y = design(ratings)
    layout = find_layout(made)
    assert layout is not None
    with pytest.raises(ConvergenceError, match="leave no residual"):
        solve_balanced(made, layout, y, reml=True)
    with pytest.raises(ConvergenceError, match="leave no residual"):
        solve_general(build_blocks(made, y), reml=True)
