"""The deviance against its definition, its derivatives against differences."""

from dataclasses import replace

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.mixed.blocks import Blocks, build_blocks
from detectable.mixed.equations import curvature, set_up_equations
from detectable.mixed.general import differentiate, factorise
from tests.mixed.tables import design, direct_deviance, relative_covariance, table

DESIGNS = {
    "two systems": {"keep": 0.7},
    "three systems": {"systems": 3, "keep": 0.7, "items": 12},
    "documents": {"keep": 0.8, "documents": 4, "items": 12},
    "more raters than items": {"raters": 15, "items": 6, "keep": 0.7},
    "documents, more raters": {"raters": 10, "items": 6, "documents": 2, "keep": 0.8},
    "documents, three systems": {"systems": 3, "documents": 3, "items": 12, "keep": 0.8},
    "documents, numbers": {"systems": 3, "documents": 4, "items": 12, "keep": 0.8},
    "documents alone": {"documents": 4, "items": 12, "keep": 0.8},
}


def made(name: str) -> Blocks:
    ratings = table(**DESIGNS[name])  # type: ignore[arg-type]
    if name == "documents, numbers":
        ratings["system"] = [int(system[1:]) for system in ratings["system"]]
        return build_blocks(*design(ratings, numeric_system=True))
    coded, y = design(ratings)
    if name == "documents alone":  # no raters, and nothing of documents by system
        factors = {role: coded.factors[role] for role in ("item", "document")}
        coded = replace(coded, factors=factors, slopes=())
    return build_blocks(coded, y)


def test_columns_of_documents_are_kept_by_document() -> None:
    shapes = {name: (made(name).products.near.shape, made(name).d) for name in DESIGNS}
    assert shapes["two systems"] == ((1, 0, 0), 12)
    assert shapes["documents"] == ((4, 3, 3), 12)  # itself, and two systems
    assert shapes["documents, more raters"] == ((1, 0, 0), 20)  # raters are the blocks
    assert shapes["documents, numbers"][0] == (4, 2, 2)  # itself, and its slope
    assert shapes["documents alone"] == ((4, 1, 1), 2)
    assert made("documents").inside == ("document", "document:system")


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("reml", [True, False])
def test_the_deviance_is_that_of_the_whole_covariance_matrix(name: str, reml: bool) -> None:
    blocks = made(name)
    rho = np.linspace(0.2, 1.4, len(blocks.design.terms))
    rho[1] = 0.0
    found = factorise(blocks, rho, reml=reml)
    wanted = direct_deviance(blocks.design, blocks.response, rho, reml=reml)
    assert found.value == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("reml", [True, False])
def test_the_gradient_is_that_of_differences(name: str, reml: bool) -> None:
    blocks = made(name)
    rho = np.linspace(0.2, 1.4, len(blocks.design.terms))
    slopes = differentiate(blocks, factorise(blocks, rho, reml=reml))
    for t in range(rho.size):
        step = 1e-5 * np.eye(rho.size)[t]
        up = direct_deviance(blocks.design, blocks.response, rho + step, reml=reml)
        down = direct_deviance(blocks.design, blocks.response, rho - step, reml=reml)
        assert slopes.gradient[t] == pytest.approx((up - down) / 2e-5, abs=1e-4)


def test_the_gradient_holds_at_zero_too() -> None:
    blocks = made("two systems")
    zero, near = np.zeros(4), np.full(4, 1e-6)
    at_zero = differentiate(blocks, factorise(blocks, zero, reml=True))
    up = direct_deviance(blocks.design, blocks.response, near, reml=True)
    down = direct_deviance(blocks.design, blocks.response, -near, reml=True)
    assert at_zero.gradient.sum() == pytest.approx((up - down) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("reml", [True, False])
def test_the_second_derivatives_are_differences_of_the_first(name: str, reml: bool) -> None:
    blocks = made(name)
    rho = np.linspace(0.2, 1.4, len(blocks.design.terms))
    at = factorise(blocks, rho, reml=reml)
    slopes = differentiate(blocks, at)
    norms, _ = curvature(at.equations)
    df = blocks.design.n - (blocks.design.p if reml else 0)
    q = slopes.quadratic
    hessian = 2.0 * slopes.pairs / at.sigma2 - norms - np.outer(q, q) / (at.sigma2**2 * df)
    for t in range(rho.size):
        step = 1e-5 * np.eye(rho.size)[t]
        up = differentiate(blocks, factorise(blocks, rho + step, reml=reml))
        down = differentiate(blocks, factorise(blocks, rho - step, reml=reml))
        wanted = (up.gradient - down.gradient) / 2e-5
        assert hessian[t] == pytest.approx(wanted, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", DESIGNS)
def test_derivatives_of_the_covariance_of_fixed_effects(name: str) -> None:
    blocks = made(name)
    rho = np.linspace(0.2, 1.4, len(blocks.design.terms))
    _, found = curvature(set_up_equations(blocks, rho, reml=True))
    x = blocks.design.fixed_rows()[blocks.design.system]
    for t in range(rho.size):
        step = 1e-5 * np.eye(rho.size)[t]
        up, down = (
            np.linalg.inv(x.T @ np.linalg.solve(relative_covariance(blocks.design, r), x))
            for r in (rho + step, rho - step)
        )
        assert found[t] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-7)


def test_new_ratings_share_the_set_up() -> None:
    ratings = table(keep=0.7)
    blocks = build_blocks(*design(ratings))
    other = np.random.default_rng(3).normal(size=blocks.design.n)
    fresh = build_blocks(blocks.design, other)
    shared = blocks.with_response(other)
    assert shared.square == fresh.square
    assert np.array_equal(shared.dense_response, fresh.dense_response)
    assert np.array_equal(shared.block_response, fresh.block_response)
    assert shared.arrays is blocks.arrays


def test_a_model_too_large_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detectable.mixed.blocks._LARGEST", 5)
    with pytest.raises(
        InputError, match=r"too many random effects for its method: 10 by rater"
    ):
        made("two systems")
    monkeypatch.setattr("detectable.mixed.blocks._LARGEST", 10)
    made("two systems")
    with pytest.raises(
        InputError,
        match=r"10 by rater and 4 by document and 8 by document:system, where 10 fit",
    ):
        made("documents")
