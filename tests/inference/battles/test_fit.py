"""Strengths by every rule for ties, against R, choix and published examples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import ConvergenceError
from detectable.inference import bradley_terry as fitting
from detectable.inference.battle_votes import (
    Davidson,
    HalfTies,
    Model,
    RaoKupper,
    cells_of,
    plain_votes,
)
from detectable.inference.bradley_terry import Fit, fit_strengths, identified
from tests.gold_evals import evals
from tests.inference.battles.battles_file import NAMES, by_system, votes


def beside_dog(fit: Fit) -> dict[str, float]:
    return dict(zip(NAMES, fit.strengths - fit.strengths[3], strict=True))


def games(*results: tuple[int, int, int, int]) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Return one vote per game of (a, b, won, lost)."""
    rows = [(a, b, y) for a, b, won, lost in results for y in (1,) * won + (0,) * lost]
    a, b, y = (np.array(column) for column in zip(*rows, strict=True))
    return a, b, y.astype(float)


@pytest.mark.golden
def test_a_tie_as_half_a_win_is_what_r_finds() -> None:
    fit = fit_strengths(cells_of(votes())[0])
    assert fit.strengths == pytest.approx(by_system("bt.half.centered"), abs=6e-7)
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(
        evals("bt.half.ant_bee"), abs=1e-8
    )
    assert fit.strengths.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.golden
def test_decided_votes_only_are_what_choix_and_bradleyterry2_find() -> None:
    fit = fit_strengths(cells_of(votes(decisive=True))[0])
    assert fit.strengths == pytest.approx(by_system("bt.decisive.centered"), abs=6e-7)


def test_decided_votes_only_are_what_choix_finds_now() -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(9)
    a = rng.integers(0, 8, 900)
    b = (a + rng.integers(1, 8, 900)) % 8
    y = (rng.random(900) < 0.5 + 0.04 * (b - a)).astype(float)
    counts = np.zeros((8, 8))
    np.add.at(counts, (np.where(y == 1, a, b), np.where(y == 1, b, a)), 1.0)
    fit = fit_strengths(plain_votes(8, a, b, y))
    assert fit.strengths == pytest.approx(choix.ilsr_pairwise_dense(counts), abs=1e-6)


@pytest.mark.golden
def test_the_side_is_the_home_effect_of_bradleyterry2() -> None:
    fit = fit_strengths(cells_of(votes(decisive=True, side=True))[0])
    found, wanted = beside_dog(fit), evals("bt.home")
    for name in ("ant", "bee", "cat", "elk", "fox"):
        assert found[name] == pytest.approx(wanted[name], abs=1e-7)
    assert fit.effects[0] == pytest.approx(wanted["home"], abs=1e-7)
    error = math.sqrt(fit.inverse[-1, -1])
    assert error == pytest.approx(wanted["home_se"], abs=1e-7)
    assert 2 * stats.norm.sf(fit.effects[0] / error) == pytest.approx(
        wanted["home_p"], abs=6e-8
    )


@pytest.mark.golden
def test_davidson_is_a_log_linear_model() -> None:
    fit = fit_strengths(cells_of(votes())[0], Davidson())
    found, wanted, errors = beside_dog(fit), evals("bt.davidson"), evals("bt.davidson.se")
    for i, name in enumerate(NAMES):
        if name != "dog":
            assert found[name] == pytest.approx(wanted[name], abs=1e-7)
            spread = fit.inverse[i, i] + fit.inverse[3, 3] - 2 * fit.inverse[i, 3]
            assert math.sqrt(spread) == pytest.approx(errors[name], abs=1e-7)
    assert fit.tie == pytest.approx(wanted["log_nu"], abs=1e-7)
    assert math.sqrt(fit.inverse[-1, -1]) == pytest.approx(errors["log_nu"], abs=1e-7)


@pytest.mark.golden
def test_rao_and_kupper() -> None:
    fit = fit_strengths(cells_of(votes())[0], RaoKupper())
    found, wanted = beside_dog(fit), evals("bt.raokupper")
    for name in ("ant", "bee", "cat", "elk", "fox"):
        assert found[name] == pytest.approx(wanted[name], abs=6e-6)
    assert fit.tie == pytest.approx(wanted["eta"], abs=5e-6)
    assert -fit.likelihood == pytest.approx(evals("bt.raokupper.nll"), abs=5e-5)


@pytest.mark.golden
def test_rao_and_kupper_with_a_side_are_proportional_odds() -> None:
    fit = fit_strengths(cells_of(votes(side=True))[0], RaoKupper())
    found, wanted = beside_dog(fit), evals("bt.raokupper_side")
    for name in ("ant", "bee", "cat", "elk", "fox"):
        assert found[name] == pytest.approx(wanted[name], abs=3e-6)  # polr stops earlier
    assert fit.effects[0] == pytest.approx(wanted["side"], abs=3e-6)
    assert fit.tie == pytest.approx(wanted["eta"], abs=3e-6)
    assert fit.likelihood == pytest.approx(-1478.47, abs=5e-3)


@pytest.mark.golden
def test_every_pair_alike_is_what_arena_rank_finds() -> None:
    plain = votes()
    pair = np.minimum(plain.a, plain.b) * 6 + np.maximum(plain.a, plain.b)
    weight = 1.0 / np.bincount(pair)[pair]
    fit = fit_strengths(votes(weight=weight))
    assert fit.strengths == pytest.approx(evals("arenarank.reweighted")["ratings"], abs=1e-6)


@pytest.mark.golden
def test_the_example_of_wikipedia() -> None:
    """Four players: exp(strength), with a geometric mean of 1."""
    a, b, y = games((0, 1, 2, 3), (0, 3, 1, 4), (1, 2, 5, 3), (2, 3, 1, 3))
    fit = fit_strengths(plain_votes(4, a, b, y))
    wanted = list(evals("bt.wikipedia").values())
    assert np.exp(fit.strengths) == pytest.approx(wanted, abs=6e-4)  # three digits


def test_two_systems_are_the_logit_of_the_share() -> None:
    a, b, y = games((0, 1, 60, 40))
    fit = fit_strengths(plain_votes(2, a, b, y))
    gap = fit.strengths[0] - fit.strengths[1]
    spread = fit.inverse[0, 0] + fit.inverse[1, 1] - 2 * fit.inverse[0, 1]
    assert gap == pytest.approx(math.log(1.5), abs=1e-12)
    assert gap / math.sqrt(spread) == pytest.approx(1.986365, abs=5e-7)


def test_firths_penalty_is_that_of_brglm() -> None:
    """A 3:0 B, A 4:0 C, B 2:3 C; R brglm: A 2.841587 (SE 1.617), C .329411, B 0."""
    a, b, y = games((0, 1, 3, 0), (0, 2, 4, 0), (1, 2, 2, 3))
    for form in (plain_votes(3, a, b, y), cells_of(plain_votes(3, a, b, y))[0]):
        fit = fit_strengths(form, firth=True)
        assert fit.strengths[0] - fit.strengths[1] == pytest.approx(2.841587, abs=1e-5)
        assert fit.strengths[2] - fit.strengths[1] == pytest.approx(0.329411, abs=1e-5)
        spread = fit.inverse[0, 0] + fit.inverse[1, 1] - 2 * fit.inverse[0, 1]
        assert math.sqrt(spread) == pytest.approx(1.617, abs=1e-3)


def test_firth_of_ten_wins_to_none() -> None:
    a, b, y = games((0, 1, 10, 0))
    fit = fit_strengths(plain_votes(2, a, b, y), firth=True)
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(math.log(10.5 / 0.5), abs=1e-9)


def test_firth_with_a_side_penalises_the_side_too() -> None:
    """Both systems win every game on the left: the side alone is infinite without a penalty."""
    a, b, y = games((0, 1, 4, 0), (1, 0, 4, 0))
    side = np.ones((8, 1))
    with pytest.raises(ConvergenceError, match="no finite estimate"):
        fit_strengths(plain_votes(2, a, b, y, further=side))
    fit = fit_strengths(plain_votes(2, a, b, y, further=side), firth=True)
    # Two parameters, each cell of four games with leverage 1: (4 + ½) / ½.
    assert fit.effects[0] == pytest.approx(math.log(9.0), abs=1e-8)
    assert fit.strengths == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("model", [HalfTies(), Davidson(), RaoKupper()])
def test_derivatives_are_those_of_the_likelihood(model: Model) -> None:
    outcome = np.array([1.0, 0.5, 0.0, 1.0, 0.5, 0.0])
    gap = np.array([0.3, 0.3, 0.3, -1.2, -1.2, -1.2])
    tie, h = 0.4, 1e-5
    parts = model.parts(outcome, gap, tie)
    up, down = (model.parts(outcome, gap + s, tie) for s in (h, -h))
    assert parts.score == pytest.approx((up.likelihood - down.likelihood) / (2 * h), abs=1e-8)
    assert parts.information == pytest.approx(-(up.score - down.score) / (2 * h), abs=1e-8)
    if not model.has_ties:
        return
    more, less = (model.parts(outcome, gap, tie + s) for s in (h, -h))
    assert parts.tie_score == pytest.approx(
        (more.likelihood - less.likelihood) / (2 * h), abs=1e-8
    )
    assert parts.crossed == pytest.approx(-(more.score - less.score) / (2 * h), abs=1e-8)
    slope = (more.tie_score - less.tie_score) / (2 * h)  # type: ignore[operator]
    assert parts.tie_information == pytest.approx(-slope, abs=1e-7)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 0.5, 1])),
        min_size=8,
    )
)
def test_cells_are_the_votes(rows: list[tuple[int, int, float]]) -> None:
    a, b, y = (np.array(column) for column in zip(*rows, strict=True))
    whole = plain_votes(4, a, b, y.astype(float), further=np.ones((len(rows), 1)))
    cells, place = cells_of(whole)
    assert cells.weight.sum() == len(rows)
    assert (cells.a[place] == a).all()
    assert (cells.b[place] == b).all()
    assert (cells.outcome[place] == y).all()
    gaps = np.ones(whole.n)
    assert cells.information(cells.weight) == pytest.approx(whole.information(gaps))
    assert cells.sums(cells.weight * cells.outcome) == pytest.approx(whole.sums(whole.outcome))


def test_votes_with_covariates_stay_as_they_are() -> None:
    a, b, y = games((0, 1, 60, 40))
    uneven = np.linspace(-0.9, 0.9, 100)[:, None]
    for further in (uneven, np.column_stack([np.ones(100), uneven])):
        whole = plain_votes(2, a, b, y, further=further)
        cells, place = cells_of(whole)
        assert cells is whole
        assert place.tolist() == list(range(100))
    side = plain_votes(2, a, b, y, further=np.ones((100, 1)))
    assert cells_of(side)[0].weight.tolist() == [40.0, 60.0]  # losses and wins


def test_a_side_cannot_be_told_where_every_pair_has_one_order() -> None:
    a, b, y = games((0, 1, 3, 2))
    side = np.ones((5, 1))
    assert not identified(plain_votes(2, a, b, y, further=side))
    a, b, y = games((0, 1, 3, 2), (1, 0, 1, 1))
    assert identified(plain_votes(2, a, b, y, further=np.ones((7, 1))))
    both = np.ones((7, 2))
    assert not identified(plain_votes(2, a, b, y, further=both))


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_the_unit_of_a_covariate_does_not_matter(unit: float) -> None:
    a, b, y = games((0, 1, 3, 2), (1, 0, 1, 1))
    covariate = unit * np.array([0.0, 2.0, -1.0, 0.5, 1.0, -2.0, 0.3])[:, None]
    assert identified(plain_votes(2, a, b, y, further=covariate))


@pytest.mark.parametrize("model", [HalfTies(), Davidson(), RaoKupper()])
def test_a_fit_that_begins_at_its_end_stays_there(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, y = games((0, 1, 6, 4), (1, 2, 7, 3), (2, 0, 5, 5))
    y[::5] = 0.5
    made = plain_votes(3, a, b, y, further=np.ones((30, 1)))
    monkeypatch.setattr(fitting, "_STEPS", 7)  # Newton's steps double the digits
    found = fit_strengths(made, model)
    monkeypatch.setattr(fitting, "_STEPS", 1)
    again = fit_strengths(made, model, start=found)
    assert again.strengths == pytest.approx(found.strengths, abs=1e-12)
    assert again.effects == pytest.approx(found.effects, abs=1e-12)
    assert again.tie == pytest.approx(found.tie, abs=1e-12)
    with pytest.raises(ConvergenceError, match=r"the strengths were not found in 1 steps\."):
        fit_strengths(made, model)
