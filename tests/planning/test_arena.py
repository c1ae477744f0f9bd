"""Arena: votes for a gap in Elo, direct and among several systems."""

import math

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import InputError
from detectable.inference.rank_sets import largest_range
from detectable.planning.arena import Arena
from tests.gold_evals import evals

Z = 1.9599639845400545 + 0.8416212335729143


@pytest.mark.golden
@pytest.mark.parametrize(
    ("gap", "key"),
    [
        (5.0, "arena.votes.elo5"),
        (10.0, "arena.votes.elo10"),
        (20.0, "arena.votes.elo20"),
        (50.0, "arena.votes.elo50"),
    ],
)
def test_direct_votes_of_the_page(gap: float, key: str) -> None:
    assert dt.sample_size(Arena(), effect=gap).n_items == evals(key)


@pytest.mark.golden
def test_all_pairs_equally_often() -> None:
    scenario = Arena(systems=20, pairing="uniform")
    assert dt.sample_size(scenario, effect=10.0).n_items == evals("arena.uniform.K20.elo10")


@pytest.mark.golden
@pytest.mark.parametrize(("gap", "key"), [(5.0, "arena.p.elo5"), (50.0, "arena.p.elo50")])
def test_the_share_of_wins_of_a_gap(gap: float, key: str) -> None:
    found = dt.power(Arena(), n_items=1000, effect=gap)
    assert found.details["share_of_wins"] == pytest.approx(evals(key), abs=5e-9)


@pytest.mark.golden
def test_the_exact_sign_test_of_so_many_votes() -> None:
    """The Wald formula asks for 387 votes at 50 Elo; the exact test has .784 with them."""
    sign = dt.power(dt.scenarios.Preference(), n_items=387, effect=evals("arena.p.elo50"))
    assert sign.power == pytest.approx(evals("arena.power_exact.elo50"), abs=1e-6)
    seen = dt.mde(dt.scenarios.Preference(), n_items=500).effect
    assert seen == pytest.approx(evals("arena.p_needed_n500"), abs=5e-4)  # a grid of .0005


@pytest.mark.golden
def test_the_resistance_of_a_complete_network() -> None:
    """Per vote, over 4 (K − 1): the formula must be exact for equal systems."""
    k, n = 7, 21_000
    first, second = np.triu_indices(k, 1)
    weight = np.zeros((k, k))
    weight[first, second] = weight[second, first] = 0.25 * n / first.size
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    resistance = inverse[0, 0] + inverse[1, 1] - 2 * inverse[0, 1]
    assert resistance * n / (4 * (k - 1)) == pytest.approx(evals("arena.uniform.check"))
    assert Arena(systems=k, pairing="uniform")._spread(n, 0.0) ** 2 == pytest.approx(resistance)


@pytest.mark.parametrize(
    ("scenario", "n", "effect"),
    [
        (Arena(), 2377, 20.0),
        (Arena(ties=0.3, design_effect=1.5), 4000, -25.0),
        (Arena(systems=5, pairing="uniform"), 8000, 20.0),
        (Arena(systems=5, pairing="uniform", ties=0.2, family="all-pairs"), 12_000, 20.0),
        (Arena(systems=5, family="all-pairs"), 2500, 20.0),
    ],
)
def test_simulation_agrees(scenario: Arena, n: int, effect: float) -> None:
    closed = dt.power(scenario, n_items=n, effect=effect)
    drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, n_trials=6000, rng=7)
    assert closed.method == "closed-form"
    assert drawn.power == pytest.approx(closed.power, abs=4 * (drawn.standard_error or 0))
    assert drawn.type_m == pytest.approx(closed.type_m, rel=0.03)


def test_ties_and_clusters_cost_votes() -> None:
    plain = dt.sample_size(Arena(), effect=20.0).n_items or 0
    tied = dt.sample_size(Arena(ties=0.2), effect=20.0).n_items or 0
    assert tied == pytest.approx(plain / 0.8, abs=1)
    both = dt.sample_size(Arena(ties=0.2, design_effect=1.34), effect=20.0).n_items or 0
    assert both == pytest.approx(1.34 * plain / 0.8, abs=1)


def test_all_pairs_at_once_have_a_higher_bar() -> None:
    assert Arena(systems=6, family="all-pairs").critical(0.05) == pytest.approx(
        largest_range(6, 0.05)
    )
    assert Arena(systems=6).critical(0.05) == pytest.approx(1.959964, abs=1e-6)
    assert Arena(family="all-pairs").critical(0.05) == pytest.approx(1.959964, abs=1e-6)
    wanted = (
        4
        * 5
        * ((largest_range(6, 0.05) + Z - 1.9599639845400545) * 400 / math.log(10) / 20) ** 2
    )
    scenario = Arena(systems=6, pairing="uniform", family="all-pairs")
    assert dt.sample_size(scenario, effect=20.0).n_items == math.ceil(wanted)


def test_the_detectable_gap_is_where_the_power_is() -> None:
    scenario = Arena(systems=8, pairing="uniform", ties=0.1)
    found = dt.mde(scenario, n_items=50_000)
    assert found.effect == pytest.approx(Z * math.sqrt(4 * 7 / 45_000) * 400 / math.log(10))
    assert dt.power(scenario, n_items=50_000, effect=found.effect).power == pytest.approx(0.8)
    assert found.details["votes_per_pair"] == pytest.approx(50_000 / 28)
    assert found.details["expected_decided"] == pytest.approx(45_000)


def test_a_true_null_is_rejected_at_the_level() -> None:
    data = Arena(systems=4, pairing="uniform").draw(
        4000, 0.0, trials=4000, rng=np.random.default_rng(1)
    )
    assert (data.sum(axis=(1, 2)) == 4000).all()
    p = Arena(systems=4, pairing="uniform").analyse(data, alpha=0.05).p_values
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 4000))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"systems": 1}, "`systems` must be a whole number ≥ 2"),
        ({"systems": 500}, "`systems` must be at most 200"),
        ({"ties": 1.0}, "`ties` must lie between 0 and 1, below 1; got 1.0"),
        ({"design_effect": 0.5}, "`design_effect` must lie between 1 and 1,000; got 0.5"),
        ({"pairing": "swiss"}, "`pairing` must be one of direct, uniform"),
        ({"family": "some"}, "`family` must be one of pair, all-pairs"),
    ],
)
def test_messages(settings: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        Arena(**settings)  # type: ignore[arg-type]
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "scenario", [Arena(), Arena(ties=0.2), Arena(systems=20, pairing="uniform")]
)
def test_searches_begin_near_their_answer(scenario: Arena) -> None:
    for gap in (5.0, 50.0, 400.0):
        votes = dt.sample_size(scenario, effect=gap).n_items or 0
        assert scenario.first_n(gap) == pytest.approx(votes, rel=0.03)  # 8 for (z + z)² = 7.85
    assert Arena().first_n(0.0) == Arena().largest_n() == 10_000_000_000
    half = dt.power(scenario, n_items=20_000, effect=scenario.typical_effect(20_000))
    assert half.power == pytest.approx(0.516, abs=0.002)  # 2 errors, beside 1.96
    assert Arena(design_effect=1000.0).typical_effect(10) == 1200.0  # the widest gap there is


def test_ten_votes_are_the_fewest() -> None:
    assert dt.power(Arena(), n_items=10, effect=300.0).power > 0.4
    with pytest.raises(InputError, match="`n_items` must be a whole number ≥ 10; got 9"):
        dt.power(Arena(), n_items=9, effect=300.0)


def test_votes_without_a_finite_estimate_show_nothing() -> None:
    """Nobody voted; one system won everything; the two never met but through one that lost."""
    two = np.zeros((3, 2, 2))
    two[1, 0, 1] = 9
    two[2, 0, 1] = two[2, 1, 0] = 9
    found = Arena().analyse(two, alpha=0.05)
    assert found.p_values == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    assert found.estimates[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-9)
    three = np.zeros((2, 3, 3))
    three[0, 0, 2] = three[0, 2, 0] = 5
    three[1, 0, 2] = three[1, 2, 1] = 50
    assert Arena(systems=3, pairing="uniform").analyse(three, alpha=0.05).p_values.min() > 0.9
