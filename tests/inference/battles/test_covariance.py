"""Clustered errors of strengths, against R's sandwich and against explicit sums."""

import math

import numpy as np
import pytest

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import cross_codes
from detectable.inference import bradley_terry as covariance
from detectable.inference.battle_votes import (
    Davidson,
    HalfTies,
    Model,
    RaoKupper,
    cells_of,
    plain_votes,
)
from detectable.inference.bradley_terry import (
    bootstrap_covariance,
    clustered,
    fit_strengths,
    larger,
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
    fit = fit_strengths(cells_of(all_votes)[0])
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
    strengths = fit_strengths(cells_of(votes())[0]).strengths
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
    fit = fit_strengths(cells_of(plain)[0])
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
