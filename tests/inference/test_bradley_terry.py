"""Clustered errors of strengths, against R's sandwich and against explicit sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse.csgraph import connected_components

from detectable.core.errors import ConvergenceError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import cross_codes
from detectable.inference import bradley_terry as covariance
from detectable.inference import bradley_terry as fitting
from detectable.inference.battle_votes import (
    Davidson,
    HalfTies,
    Model,
    RaoKupper,
    Votes,
    cells_and_places,
    cells_of,
    plain_votes,
    reaches,
    separate_parts,
    strong_components,
    wins_between,
)
from detectable.inference.bradley_terry import (
    Fit,
    among,
    bootstrap_covariance,
    bound,
    clustered,
    fit_strengths,
    identified,
    in_clusters,
    larger,
    p_above,
    two_way,
    without_negative,
)
from tests.gold_evals import evals
from tests.inference.battles.battles_file import NAMES, battles, by_system, votes

HALF = HalfTies()


def difference(matrix: FloatArray, i: int = 0, j: int = 1) -> float:
    return math.sqrt(matrix[i, i] + matrix[j, j] - 2 * matrix[i, j])


def chosen(kind: str) -> FloatArray:
    """Return the covariance of the 1,500 battles by one kind of clusters."""
    all_votes, read = votes(), battles()
    fit = fit_strengths(cells_of(all_votes))
    assert read.prompt is not None
    assert read.voter is not None
    prompt, voter = read.prompt.codes, read.voter.codes
    crossed = cross_codes(read.prompt, read.voter)[0]
    by: dict[str, IntArray | None] = {"sandwich": None, "prompt": prompt, "voter": voter}
    if kind == "model":
        return fit.inverse
    if kind == "twoway":
        parts = [clustered(all_votes, HALF, fit, codes) for codes in (prompt, voter, crossed)]
        return two_way(parts[0], parts[1], parts[2])
    return clustered(all_votes, HALF, fit, by[kind])


@pytest.mark.golden
@pytest.mark.parametrize(
    ("kind", "of_systems", "of_a_pair"),
    [
        ("model", "bt.half.se.model", "bt.half.ant_bee.se.model"),
        ("sandwich", "bt.half.se.sandwich", "bt.half.ant_bee.se.sandwich"),
        ("prompt", "bt.half.se.prompt", "bt.half.ant_bee.se.prompt"),
        ("voter", "bt.half.se.voter", "bt.half.ant_bee.se.voter"),
        ("twoway", "bt.half.se.twoway", "bt.half.ant_bee.se.twoway"),
    ],
)
def test_errors_by_every_kind_of_cluster(kind: str, of_systems: str, of_a_pair: str) -> None:
    found = chosen(kind)
    assert np.sqrt(np.diag(found)) == pytest.approx(by_system(of_systems), abs=6e-7)
    assert difference(found) == pytest.approx(evals(of_a_pair), abs=1e-8)


@pytest.mark.golden
def test_errors_by_prompt_are_those_of_vcovcl() -> None:
    found, wanted = chosen("prompt"), evals("bt.half.ref_dog.se_prompt")
    for i, name in enumerate(NAMES):
        if name != "dog":
            assert difference(found, i, 3) == pytest.approx(wanted[name], abs=1e-7)


@pytest.mark.golden
def test_the_design_effect_of_prompts() -> None:
    ratio = (difference(chosen("prompt")) / difference(chosen("sandwich"))) ** 2
    assert ratio == pytest.approx(evals("arena.design_effect_prompt"), abs=5e-5)


@pytest.mark.golden
def test_t_of_every_pair() -> None:
    found = chosen("prompt")
    strengths = fit_strengths(cells_of(votes())).strengths
    for pair, wanted in evals("bt.pairs.z_prompt").items():
        i, j = (NAMES.index(name) for name in pair.split("-"))
        t = (strengths[i] - strengths[j]) / difference(found, i, j)
        assert t == pytest.approx(wanted, abs=5e-5), pair


@pytest.mark.golden
def test_errors_where_every_pair_counts_alike() -> None:
    plain = votes()
    pair = np.minimum(plain.a, plain.b) * 6 + np.maximum(plain.a, plain.b)
    weighted = votes(weight=1.0 / np.bincount(pair)[pair])
    found = clustered(weighted, HALF, fit_strengths(weighted))
    assert np.sqrt(np.diag(found)) == pytest.approx(
        evals("arenarank.reweighted")["se"], abs=1e-6
    )


@pytest.mark.golden
def test_length_and_side_of_the_page() -> None:
    read, plain = battles(), votes()
    further = np.column_stack([np.ones(read.n), read.covariates["length"]])
    full = plain_votes(6, plain.a, plain.b, plain.outcome, further=further)
    fit = fit_strengths(full)
    assert read.prompt is not None
    errors = np.sqrt(np.diag(clustered(full, HALF, fit, read.prompt.codes)))
    assert fit.effects == pytest.approx([0.1547, 0.231952], abs=5e-5)
    assert errors[6:] == pytest.approx([0.0474, 0.0344], abs=5e-5)


@pytest.mark.golden
def test_random_weights_of_prompts_agree_with_drawing_prompts() -> None:
    """Within four standard errors of two standard deviations from 2,000 draws each, 1.6 %."""
    read, plain = battles(), votes()
    fit = fit_strengths(cells_of(plain))
    assert read.prompt is not None
    drawn = bootstrap_covariance(
        plain, HALF, fit, [read.prompt.codes], n_draws=2000, rng=np.random.default_rng(7)
    )
    wanted = np.array(by_system("bt.half.boot_prompt.se"))
    assert np.abs(np.sqrt(np.diag(drawn)) / wanted - 1).max() < 4 * math.sqrt(2 / 4000) * 1.2


def small(model: Model) -> "tuple[FloatArray, FloatArray, IntArray]":
    """Return a covariance, the same by explicit sums, and clusters."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4, 120)
    b = (a + rng.integers(1, 4, 120)) % 4
    y = rng.choice([0.0, 0.5, 1.0], 120)
    further = np.column_stack([np.ones(120), rng.normal(size=120)])
    clusters = np.unique(rng.integers(0, 60, 120), return_inverse=True)[1]
    made = plain_votes(4, a, b, y, rng.uniform(0.5, 2.0, 120), further)
    fit = fit_strengths(made, model)
    x = np.zeros((120, 4))
    x[np.arange(120), a] += 1
    x[np.arange(120), b] -= 1
    parts = model.parts(y, made.gaps(fit.strengths, fit.effects), fit.tie or 0.0)
    each = np.column_stack([x, further]) * (made.weight * parts.score)[:, None]
    if parts.tie_score is not None:
        each = np.column_stack([each, made.weight * parts.tie_score])
    n = clusters.max() + 1
    sums = np.zeros((n, each.shape[1]))
    np.add.at(sums, clusters, each)
    wanted = fit.inverse @ (sums.T @ sums) @ fit.inverse * n / (n - 1)
    return clustered(made, model, fit, clusters), wanted, clusters


@pytest.mark.parametrize("model", [HALF, Davidson(), RaoKupper()])
@pytest.mark.parametrize("cells", [1, 4_000_000])
def test_blocks_of_clusters_are_explicit_sums(
    model: Model, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(covariance, "_CELLS", cells)
    found, wanted, clusters = small(model)
    assert (np.bincount(clusters) == 1).any()  # some stand alone, some do not
    assert found == pytest.approx(wanted, abs=1e-12)


def test_a_covariance_has_no_negative_variance() -> None:
    first = np.diag([1.0, 2.0])
    cut = two_way(first, first, np.diag([1.0, 5.0]))
    assert cut == pytest.approx(np.diag([1.0, 0.0]))
    assert without_negative(first) is first


def test_the_larger_of_two_is_larger_in_every_direction() -> None:
    one, two = np.diag([1.0, 3.0]), np.diag([2.0, 1.0])
    both = larger(one, two)
    assert both == pytest.approx(np.diag([2.0, 3.0]))
    for smaller in (one, two):
        assert np.linalg.eigvalsh(both - smaller).min() >= -1e-12


def test_random_weights_do_not_depend_on_the_size_of_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 90)
    made = plain_votes(3, a, (a + 1) % 3, rng.choice([0.0, 0.5, 1.0], 90))
    fit = fit_strengths(made)

    def draw(kinds: list[IntArray]) -> FloatArray:
        return bootstrap_covariance(
            made, HALF, fit, kinds, n_draws=150, rng=np.random.default_rng(3)
        )

    alone = draw([])
    assert alone == pytest.approx(draw([np.arange(90)]))
    crossed = draw([np.arange(90) // 3, np.arange(90) % 30])
    assert np.trace(crossed) > np.trace(draw([np.arange(90) // 3]))


@pytest.mark.slow
@pytest.mark.parametrize("model", [Davidson(), RaoKupper()])
def test_random_weights_under_a_model_of_ties_agree_with_the_sandwich(model: Model) -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(0, 3, 900)
    y = rng.choice([0.0, 0.5, 1.0], 900, p=[0.3, 0.2, 0.5])
    made = plain_votes(3, a, (a + rng.integers(1, 3, 900)) % 3, y)
    fit = fit_strengths(made, model)
    drawn = bootstrap_covariance(
        made, model, fit, [], n_draws=400, rng=np.random.default_rng(3)
    )
    assert drawn.shape == (4, 4)  # three strengths, and the parameter of ties
    ratio = np.sqrt(np.diag(drawn) / np.diag(clustered(made, model, fit)))
    assert np.abs(ratio - 1).max() < 4 * math.sqrt(1 / 800)  # of a deviation from 400 draws


# --- Strengths by every rule for ties, against R, choix and published examples ---


def beside_dog(fit: Fit) -> dict[str, float]:
    return dict(zip(NAMES, fit.strengths - fit.strengths[3], strict=True))


def games(*results: tuple[int, int, int, int]) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Return one vote per game of (a, b, won, lost)."""
    rows = [(a, b, y) for a, b, won, lost in results for y in (1,) * won + (0,) * lost]
    a, b, y = (np.array(column) for column in zip(*rows, strict=True))
    return a, b, y.astype(float)


@pytest.mark.golden
def test_a_tie_as_half_a_win_is_what_r_finds() -> None:
    fit = fit_strengths(cells_of(votes()))
    assert fit.strengths == pytest.approx(by_system("bt.half.centered"), abs=6e-7)
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(
        evals("bt.half.ant_bee"), abs=1e-8
    )
    assert fit.strengths.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.golden
def test_decided_votes_only_are_what_choix_and_bradleyterry2_find() -> None:
    fit = fit_strengths(cells_of(votes(decisive=True)))
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
    fit = fit_strengths(cells_of(votes(decisive=True, side=True)))
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
    fit = fit_strengths(cells_of(votes()), Davidson())
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
    fit = fit_strengths(cells_of(votes()), RaoKupper())
    found, wanted = beside_dog(fit), evals("bt.raokupper")
    for name in ("ant", "bee", "cat", "elk", "fox"):
        assert found[name] == pytest.approx(wanted[name], abs=6e-6)
    assert fit.tie == pytest.approx(wanted["eta"], abs=5e-6)
    assert -fit.likelihood == pytest.approx(evals("bt.raokupper.nll"), abs=5e-5)


@pytest.mark.golden
def test_rao_and_kupper_with_a_side_are_proportional_odds() -> None:
    fit = fit_strengths(cells_of(votes(side=True)), RaoKupper())
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
    for form in (plain_votes(3, a, b, y), cells_of(plain_votes(3, a, b, y))):
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
    cells, place = cells_and_places(whole)
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
        cells, place = cells_and_places(whole)
        assert cells is whole
        assert place.tolist() == list(range(100))
    side = plain_votes(2, a, b, y, further=np.ones((100, 1)))
    assert cells_of(side).weight.tolist() == [40.0, 60.0]  # losses and wins


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


# --- A system that won or lost everything: its bound and its tests ---

CHI2 = 2.705543454095404  # .9 quantile, one degree of freedom


def even(n: int = 50) -> Votes:
    """Return two systems that won equally often."""
    a, b = np.zeros(2 * n, dtype=int), np.ones(2 * n, dtype=int)
    return plain_votes(2, a, b, np.repeat([1.0, 0.0], n))


def likelihood(ranked: Votes, against: FloatArray, strength: float) -> float:
    """Return the highest likelihood with a strength held, by a search over a grid."""
    best = -math.inf
    for gap in np.linspace(-1.5, 1.5, 6001):
        others = np.array([0.5 * gap, -0.5 * gap])
        d = others[ranked.a] - others[ranked.b]
        value = float((ranked.outcome * d - np.logaddexp(0, d)).sum())
        value -= float(np.logaddexp(0, others[against] - strength).sum())
        best = max(best, value)
    return best


@pytest.mark.parametrize("against", [[0, 0, 0, 1], [0, 1, 0, 1, 1, 1]])
def test_the_bound_is_where_the_likelihood_ratio_says(against: list[int]) -> None:
    ranked, met = even(), np.array(against)
    ones = np.ones(met.size)
    found = bound(ranked, met, ones, ones, alpha=0.05)
    top = fit_strengths(ranked).likelihood
    assert 2 * (top - likelihood(ranked, met, found)) == pytest.approx(CHI2, abs=2e-3)
    assert bound(ranked, met, 0 * ones, ones, alpha=0.05) == pytest.approx(-found, abs=1e-6)
    assert bound(ranked, met, ones, ones, alpha=0.01) < found


@pytest.mark.slow
def test_a_bound_against_many_others_is_that_of_a_share() -> None:
    """Against sure opponents of strength 0, n wins bound the chance: n log p = −χ²/2."""
    n = 12
    met = np.tile([0, 1], n // 2)
    found = bound(even(100_000), met, np.ones(n), np.ones(n), alpha=0.05)
    chance = math.exp(-0.5 * CHI2 / n)
    assert found == pytest.approx(math.log(chance / (1 - chance)), abs=1e-3)


def test_who_is_above_one_other_is_tested_against_the_two_as_one() -> None:
    """n wins against one opponent alone: against a coin, 2 n log 2."""
    ranked = even()
    for n in (3, 8):
        met, ones = np.zeros(n, dtype=int), np.ones(n)
        root = math.sqrt(2 * n * math.log(2))
        wanted = 0.5 * math.erfc(root / math.sqrt(2))
        assert p_above(ranked, met, ones, 0, sign=1.0) == pytest.approx(wanted, rel=1e-9)
        assert p_above(ranked, met, ones, 0, sign=-1.0) == pytest.approx(wanted, rel=1e-9)
        # Of the other, whom it never met, less is known.
        assert p_above(ranked, met, ones, 1, sign=1.0) > wanted


def test_votes_of_a_cluster_count_as_one() -> None:
    weight = in_clusters(np.ones(5), np.array([7, 7, 7, 2, 9]))
    assert weight == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert in_clusters(weight, None) is weight


def test_votes_between_some_are_numbered_anew() -> None:
    votes = plain_votes(4, np.array([0, 1, 3]), np.array([3, 3, 1]), np.array([1.0, 0.5, 0.0]))
    cut = among(votes, np.array([1, 3]))
    assert (cut.n_systems, cut.a.tolist(), cut.b.tolist()) == (2, [0, 1], [1, 0])
    assert cut.outcome.tolist() == [0.5, 0.0]


# --- Who can be compared with whom ---

GRAPHS = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(GRAPHS)
def test_strong_components_are_those_of_scipy(rows: list[list[bool]]) -> None:
    beats = np.array(rows)
    found = strong_components(beats)
    _, labels = connected_components(beats, directed=True, connection="strong")
    assert sorted(found) == sorted(
        np.flatnonzero(labels == label).tolist() for label in set(labels.tolist())
    )
    # Nobody beats one of an earlier component.
    place = {member: i for i, part in enumerate(found) for member in part}
    for i, j in zip(*np.nonzero(beats), strict=True):
        assert place[int(i)] <= place[int(j)]


@given(GRAPHS)
def test_who_is_reached(rows: list[list[bool]]) -> None:
    beats = np.array(rows)
    power = np.linalg.matrix_power(
        beats.astype(object) + np.eye(len(rows), dtype=object), len(rows)
    )
    assert reaches(beats, [0]).tolist() == (power[0] > 0).tolist()


def test_a_thousand_systems_in_a_chain_need_no_recursion() -> None:
    chain: NDArray[np.bool_] = np.eye(3000, k=1, dtype=bool)
    assert len(strong_components(chain)) == 3000
    chain[-1, 0] = True
    assert len(strong_components(chain)) == 1


def test_parts_that_never_met_come_largest_first() -> None:
    met = np.zeros((5, 5), dtype=bool)
    met[1, 3] = met[3, 4] = met[0, 2] = True
    assert separate_parts(met) == [[1, 3, 4], [0, 2]]


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [(1.0, [(0, 1)]), (0.0, [(1, 0)]), (0.5, [(0, 1), (1, 0)]), (0.9, [(0, 1), (1, 0)])],
)
def test_a_tie_beats_both_ways(outcome: float, wanted: list[tuple[int, int]]) -> None:
    beats = wins_between(np.array([0]), np.array([1]), np.array([outcome]), 2)
    assert sorted(zip(*np.nonzero(beats), strict=True)) == wanted
