"""Past ratings: mean and spread of a system, by group, and the sizes that follow from them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.kernels.distributions import normal_quantile
from detectable.planning.ask import sample_size
from detectable.planning.rank_sum import RankSum
from detectable.planning.rating_model import GammaScores, superiority
from detectable.planning.ratings import Ratings
from detectable.planning.sample_sizes import past_ratings, sample_sizes
from tests.helpers import reference_data


def campaigns(**more: Any) -> dict[str, list[Any]]:
    """Return three campaigns: two of cs-en with three and two systems, one of ja-en with two."""
    table: dict[str, list[Any]] = {
        name: [] for name in ("campaign", "language", "system", "item", "score")
    }
    for campaign, pair, systems in (
        ("x", "cs-en", "abc"),
        ("y", "cs-en", "ab"),
        ("z", "ja-en", "ab"),
    ):
        for place, system in enumerate(systems):
            for item, score in enumerate((50 + place, 60 + place, 70 + place)):
                row = (campaign, pair, system, item, score)
                for name, value in zip(table, row, strict=True):
                    table[name].append(value)
    return {**table, **more}


def test_the_average_mean_and_variance_of_a_system() -> None:
    found, notes = past_ratings(Judgments.build(campaigns()), by="language-pair")
    first, second = found
    assert (first.group, first.systems, first.comparisons) == ("cs-en", 5, 4)
    assert first.mean == pytest.approx(60.0 + (0 + 1 + 2 + 0 + 1) / 5)
    assert first.sd == pytest.approx(10.0)  # of 50, 60, 70
    assert (second.group, second.comparisons) == ("ja-en", 1)
    assert notes == ()
    everything, _ = past_ratings(Judgments.build(campaigns()))
    assert [(one.group, one.systems, one.comparisons) for one in everything] == [("all", 7, 5)]
    by_campaign, _ = past_ratings(Judgments.build(campaigns()), by="campaign", only=["z", "x"])
    assert [one.group for one in by_campaign] == ["z", "x"]


def test_degraded_copies_are_no_output() -> None:
    table = campaigns()
    kinds = ["degraded" if score == 70 else "system" for score in table["score"]]
    found, notes = past_ratings(Judgments.build({**table, "kind": kinds}))
    assert found[0].systems == 7
    assert "left out, not of systems' own output" in notes[-1]


def test_histograms_say_the_same_as_judgments(tmp_path: Path) -> None:
    path = tmp_path / "h.npz"
    counts = np.zeros((2, 101), np.int64)
    counts[0, [50, 60, 70]] = 1
    counts[1, [51, 61, 71]] = 1
    np.savez(path, all=counts, campaign=["z", "z"], system=["a", "b"])
    (found,), _ = past_ratings(path)
    (known,), _ = past_ratings(Judgments.build(campaigns()), by="language-pair", only=["ja-en"])
    assert (found.mean, found.sd, found.comparisons) == (known.mean, known.sd, 1)
    with pytest.raises(DataError, match=r"h.npz: nothing says the language-pair of a judgment"):
        past_ratings(path, by="language-pair")


def test_only_the_largest_are_taken_unless_they_are_named() -> None:
    table = {
        "language": [f"p{k:02}" for k in range(12) for _ in range(4)],
        "system": ["a", "a", "b", "b"] * 12,
        "item": [1, 2] * 24,
        "score": [50, 60] * 24,
    }
    found, notes = past_ratings(Judgments.build(table), by="language-pair")
    assert [one.group for one in found] == [f"p{k:02}" for k in range(10)]
    assert notes[-1] == "The 10 groups with most comparisons of 12 groups; `only` names others."
    named, _ = past_ratings(Judgments.build(table), by="language-pair", only=["p11"])
    assert named[0].group == "p11"
    with pytest.raises(InputError, match=r"`only` must name groups: p00, .*; got 'no'"):
        past_ratings(Judgments.build(table), by="language-pair", only=["no"])
    with pytest.raises(InputError, match="`only` names groups, so `by` must say of what"):
        past_ratings(Judgments.build(table), only=["p01"])


def test_ratings_without_spread_are_refused() -> None:
    flat = Judgments.build({"system": ["a", "a"], "item": [1, 2], "score": [50, 50]})
    with pytest.raises(DataError, match="no system has ratings that differ"):
        past_ratings(flat)


# --- The sizes that several effects need ---


def test_every_size_is_a_sample_size() -> None:
    found = sample_sizes(RankSum(), effect=[0.47, 0.45])
    for effect, point in zip((0.47, 0.45), found.groups[0].points, strict=True):
        assert point is not None
        assert point.n_items == sample_size(RankSum(), effect=effect).n_items
    assert found.accuracy == pytest.approx(0.95 * 0.8)
    assert [point["effect"] for point in found.to_dict()["groups"][0]["points"]] == [0.47, 0.45]


def test_an_effect_that_one_of_several_cannot_have_is_left_out() -> None:
    near_top = Ratings(mean=99.0, sd=2.0, method="closed-form", second="same-shape")
    usual = Ratings(mean=80.0, sd=20.0, method="closed-form")
    found = sample_sizes({"top": near_top, "usual": usual}, effect=[1.0, 60.0], name="pair")
    top, other = found.groups
    assert top.points[0] is not None
    assert top.points[1] is None
    assert other.points[1] is not None or top.points[1] is None
    assert "none" in found.to_frame().columns or found.to_frame().height == 2
    with pytest.raises(InputError, match="`effect`"):
        sample_sizes(near_top, effect=[60.0])
    with pytest.raises(InputError, match="must each hold at least one"):
        sample_sizes(usual, effect=[])


def test_a_simulated_answer_is_repeated_by_its_seed() -> None:
    scenario = Ratings(mean=80.0, sd=20.0)
    first = sample_sizes(scenario, effect=[5.0, 6.0], n_trials=500)
    seed = int(first.signature.seed or 0)
    assert sample_sizes(scenario, effect=[5.0, 6.0], n_trials=500, rng=seed) == first


@pytest.mark.golden
def test_shipdata_asks_for_as_many_judgments_as_another_program() -> None:
    """Wei et al. (2022), Figure 3: the average mean and variance of a system of ten language pairs."""
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())["gamma"]
    archive = reference_data("data", "shipdata", "shipdata_hist.npz")
    found, _ = past_ratings(archive, by="language-pair")
    moments = {one.group: one for one in found}
    assert [row["lp"] for row in gold["lp_stats"]] == list(moments)
    for row in gold["lp_stats"]:
        own = moments[row["lp"]]
        assert (own.mean, own.sd) == pytest.approx((row["mean"], row["sd"]), rel=1e-6)
    assert len(gold["n_required"]) == 40
    for row in gold["n_required"]:
        own = moments[row["lp"]]
        better = GammaScores.of(own.mean, own.sd)
        p = superiority(better, better.lowered(row["diff"], "same-variance"))
        noether = (1.959963984540054 + normal_quantile(0.95)) ** 2 / (3.0 * (p - 0.5) ** 2)
        assert noether == pytest.approx(row["noether_total"], abs=1.5)
        scenario = Ratings(
            mean=own.mean, sd=own.sd, test="rank-sum", continuous=True, method="closed-form"
        )
        ours = sample_size(scenario, effect=row["diff"], power=0.95, drawn=0).n_items
        assert ours is not None
        # Simulated by the other program, Noether's sizes have powers up to .966: by normal theory
        # (1.960 + 1.645)² / (1.960 + 1.825)² = .907 of them are enough for .95.
        assert 0.907 < 2 * ours / noether <= 1.001
