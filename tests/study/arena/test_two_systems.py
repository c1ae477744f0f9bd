"""Two systems: the exact sign test, and t over clusters."""

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import detectable as dt
from detectable.core.errors import DataError
from detectable.data.battles.battles import Battles
from detectable.inference.battle_votes import ELO, plain_votes
from detectable.inference.bradley_terry import fit_strengths
from detectable.inference.rank_sets import pair_errors
from detectable.report.shown.arena import common
from detectable.study.arena.ranked import votes_needed
from detectable.study.arena.result import Arena
from detectable.study.arena.two_systems import clopper_pearson
from tests.gold_evals import evals


def votes(wins: int, losses: int, ties: int = 0) -> dict[str, list[str]]:
    n = wins + losses + ties
    return {
        "a": ["x"] * n,
        "b": ["y"] * n,
        "winner": ["a"] * wins + ["b"] * losses + ["tie"] * ties,
    }


def test_sixty_to_forty() -> None:
    """The exact sign test: .056888."""
    found = dt.arena(votes(60, 40))
    (pair,) = found.pairs
    assert (found.test, pair.verdict) == ("sign", "undecided")
    assert pair.p_value == pair.p_adjusted == pytest.approx(0.056888, abs=5e-7)
    assert (pair.better, pair.share) == ("x", 0.6)
    assert pair.difference == pytest.approx(math.log(1.5))
    assert pair.difference / pair.standard_error == pytest.approx(1.986365, abs=5e-7)
    assert [row.rank_high for row in found.systems] == [2, 2]
    assert common(found) == ""
    assert found.summary() == (
        "Undecided between x and y.\n"
        "undecided between x and y: 60.0% of wins [49.7, 69.7], p = .0569. 64.5% of wins or more "
        "(104 Elo) could have been detected (80% power).\n"
        "100 votes (0 ties), ties as half a win, votes as independent."
    )


def test_ten_to_none() -> None:
    found = dt.arena(votes(0, 10))
    (pair,) = found.pairs
    assert (pair.better, pair.verdict) == ("y", "better")
    assert pair.p_value == pytest.approx(0.001953, abs=5e-7)
    assert pair.interval.low == pytest.approx(math.log(0.6915 / 0.3085), abs=1e-3)
    assert math.isinf(pair.difference)
    assert [row.placed for row in found.systems] == ["above", "below"]
    ranks = [(row.system, row.rank_low, row.rank_high) for row in found.systems]
    assert ranks == [("y", 1, 1), ("x", 2, 2)]


@pytest.mark.parametrize(("wins", "n"), [(0, 7), (3, 7), (7, 7), (55, 100)])
def test_clopper_and_pearson_are_quantiles_of_beta(wins: int, n: int) -> None:
    low, high = clopper_pearson(wins, n, alpha=0.05)
    assert low == pytest.approx(
        stats.beta.ppf(0.025, wins, n - wins + 1) if wins else 0.0, abs=1e-9
    )
    assert high == pytest.approx(
        stats.beta.ppf(0.975, wins + 1, n - wins) if wins < n else 1.0, abs=1e-9
    )


@pytest.mark.parametrize("ties", [0, 30])
def test_the_interval_leaves_out_a_half_exactly_where_the_test_decides(ties: int) -> None:
    for wins in range(50, 75):
        (pair,) = dt.arena(votes(wins, 100 - wins, ties)).pairs
        assert (pair.verdict == "better") == (pair.interval.low > 0.0) == (pair.p_value <= 0.05)


def test_ties_count_as_half_in_the_share_and_not_in_the_test() -> None:
    (pair,) = dt.arena(votes(60, 40, 100)).pairs
    assert pair.share == 0.55
    assert pair.p_value == pytest.approx(0.056888, abs=5e-7)
    # Of 200 votes half are decided: what is said of those is half as far from ½ for all.
    low, high = (0.5 + 0.5 * (end - 0.5) for end in clopper_pearson(60, 100, alpha=0.05))
    assert pair.interval.low == pytest.approx(math.log(low / (1 - low)))
    assert pair.interval.high == pytest.approx(math.log(high / (1 - high)))
    seen = dt.mde(dt.scenarios.Preference(ties=0.5), n_items=200).effect
    assert pair.mde_share == pytest.approx(0.5 + 0.5 * (seen - 0.5))
    dropped = dt.arena(votes(60, 40, 100), ties="drop")
    assert dropped.pairs[0].share == 0.6


def test_the_mde_is_that_of_the_sign_test() -> None:
    (pair,) = dt.arena(votes(260, 240)).pairs
    wanted = dt.mde(dt.scenarios.Preference(), n_items=500).effect
    assert pair.mde_share == pytest.approx(wanted)
    assert pair.mde == pytest.approx(math.log(wanted / (1 - wanted)))


def test_prompts_that_repeat_are_tested_by_t() -> None:
    rng = np.random.default_rng(3)
    y = rng.choice([0.0, 0.5, 1.0], 120, p=[0.3, 0.2, 0.5])
    prompt = np.repeat(np.arange(40), 3)
    found = dt.arena(Battles.build(["x"] * 120, ["y"] * 120, y, prompt=prompt))
    (pair,) = found.pairs
    assert (found.test, found.clusters, found.df) == ("t", {"prompt": 40}, 39)
    means = y.reshape(40, 3).mean(axis=1)
    wanted = stats.ttest_1samp(means, 0.5)
    assert pair.p_value == pytest.approx(wanted.pvalue)
    low, high = wanted.confidence_interval(0.95)
    assert 1 / (1 + math.exp(-pair.interval.low)) == pytest.approx(low)
    assert 1 / (1 + math.exp(-pair.interval.high)) == pytest.approx(high)
    assert "Votes as independent would say p = " in found.summary()


def test_clusters_that_all_say_the_same_count_as_one_vote_each() -> None:
    table = {**votes(24, 0), "prompt": [i % 8 for i in range(24)]}
    (pair,) = dt.arena(table).pairs
    assert pair.p_value == pytest.approx(2 * 0.5**8)


def test_prompts_in_which_wins_and_losses_balance_tell_nothing() -> None:
    table = {**votes(8, 8), "prompt": [i % 8 for i in range(16)]}
    with pytest.raises(DataError, match="wins and losses balance in every cluster, so that"):
        dt.arena(table)


def test_intervals_have_the_level_that_was_asked_for() -> None:
    found = dt.arena(votes(60, 40), alpha=0.1)
    (pair,) = found.pairs
    assert pair.verdict == "better"  # p = .0569
    ends = [pair.interval, pair.interval_alone, *(row.interval for row in found.systems)]
    assert [end.level for end in ends] == pytest.approx([0.9] * 4)
    low, _ = clopper_pearson(60, 100, alpha=0.1)
    assert pair.interval.low == pytest.approx(math.log(low / (1 - low)))
    halves = [(row.interval.low, row.interval.high) for row in found.systems]
    half = (0.5 * pair.interval.low, 0.5 * pair.interval.high)
    assert halves == [pytest.approx(half), pytest.approx((-half[1], -half[0]))]


def test_two_kinds_of_clusters_are_never_surer_than_one() -> None:
    rng = np.random.default_rng(5)
    y = rng.choice([0.0, 1.0], 300, p=[0.4, 0.6])
    prompt, voter = rng.integers(0, 60, 300), rng.integers(0, 20, 300)
    battles = Battles.build(["x"] * 300, ["y"] * 300, y, prompt=prompt, voter=voter)
    both = dt.arena(battles).pairs[0].standard_error
    for kind in ("prompt", "voter"):
        assert both >= dt.arena(battles, cluster=kind).pairs[0].standard_error - 1e-12


def test_the_side_of_two_systems_is_fitted_where_both_orders_occur() -> None:
    rng = np.random.default_rng(6)
    first = rng.random(400) < 0.5
    table = {
        "model_a": np.where(first, "x", "y"),
        "model_b": np.where(first, "y", "x"),
        "winner": np.where(rng.random(400) < 0.65, "model_a", "model_b"),
    }
    found = dt.arena(table)
    assert [effect.name for effect in found.effects] == ["side"]
    assert found.effects[0].estimate == pytest.approx(math.log(0.65 / 0.35), abs=0.25)
    assert dt.arena(votes(60, 40)).effects == ()  # one order only: it cannot be told


def test_a_share_stays_below_one() -> None:
    likely = Battles.build(["x"] * 4, ["y"] * 4, [0.9, 0.7, 1.0, 0.95])
    (pair,) = dt.arena(likely).pairs
    assert math.isinf(pair.interval.high)
    (turned,) = dt.arena(Battles.build(["y"] * 4, ["x"] * 4, 1 - likely.outcome)).pairs
    assert turned.interval.low == pytest.approx(pair.interval.low)


def test_a_side_that_cannot_be_fitted_is_refused_with_the_reason() -> None:
    unknown = Battles.build(["x"] * 9, ["y"] * 9, [1.0, 0.0, 1.0] * 3)
    with pytest.raises(DataError, match="the order in which systems were shown is not known"):
        dt.arena(unknown, side="fit")
    with pytest.raises(DataError, match="side cannot be told from the systems"):
        dt.arena(votes(6, 4), side="fit")
    with pytest.raises(DataError, match="a system won everything"):
        dt.arena(votes(10, 0), side="fit")


def test_the_votes_needed_under_a_model_of_ties_are_near_those_without() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 900)
    b = (a + rng.integers(1, 3, 900)) % 3
    y = rng.choice([0.0, 0.5, 1.0], 900, p=[0.4, 0.2, 0.4])
    battles = Battles.build([f"s{i}" for i in a], [f"s{i}" for i in b], y)
    plain = dt.arena(battles, ties="drop", rng=1).pairs[0].votes_needed or 0
    modelled = dt.arena(battles, ties="davidson", rng=1).pairs[0].votes_needed or 0
    assert modelled == pytest.approx(plain / 0.8, rel=0.1)  # a fifth of its votes are ties


def hard(folder: Path, games: list[tuple[str, str]]) -> Arena:
    """Return an arena of a file of Arena-Hard: the words of both games of each question."""
    lines = [
        {"uid": i, "model": "m", "games": [{"score": first}, {"score": second}]}
        for i, (first, second) in enumerate(games)
    ]
    path = folder / "hard.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return dt.arena(path)


def test_arena_hard_says_what_its_own_rule_would(tmp_path: Path) -> None:
    """All games strong and both alike: six rows a question, √6 too sure of each."""
    won, lost = ("B>>A", "A>>B"), ("A>>B", "B>>A")
    found = hard(tmp_path, [won if i % 3 else lost for i in range(60)])
    (pair,) = found.pairs
    assert found.n_votes == 60
    assert pair.share == pytest.approx(2 / 3)
    error = 100 * math.sqrt(2 / 9 / 60)
    assert found.naive.tool == (
        "Arena-Hard's rule (two games a question, strong verdicts three times, all rows "
        f"independent) would say 66.7% of wins with a standard error of {error / math.sqrt(6):.2f}; "
        f"one observation per question has {error:.2f}."
    )


def test_the_rule_of_arena_hard_is_told_of_who_is_ahead(tmp_path: Path) -> None:
    won, lost = ("B>>A", "A>>B"), ("A>>B", "B>>A")
    found = hard(tmp_path, [lost if i % 3 else won for i in range(60)])
    assert (found.pairs[0].better, found.pairs[0].worse) == ("baseline", "m")
    assert "would say 66.7% of wins" in found.naive.tool


@pytest.mark.golden
def test_arena_hard_is_too_sure_by_what_its_games_share(tmp_path: Path) -> None:
    """The same estimate with questions as clusters, and with all rows independent.

    Where both games of a question say the same and a share q of the verdicts is strong, the ratio is
    √(2 (1 + 8 q) / (1 + 2 q)): from √2 without strong verdicts to √6 with nothing else. The page does
    not say how its verdicts were drawn; its 1.93 of 500 questions is that of a fifth strong ones.
    """
    games = []
    for i in range(500):
        mark = ">>" if i % 5 == 0 else ">"
        won = (i // 5) % 10 < 6  # as often where the verdict is strong
        ahead, behind = (("B", "A"), ("A", "B")) if won else (("A", "B"), ("B", "A"))
        games.append((mark.join(ahead), mark.join(behind)))
    theirs = float(re.findall(r"error of ([\d.]+\d)", hard(tmp_path, games).naive.tool)[0])
    rows = dt.read_battles(tmp_path / "hard.jsonl").counted_by_tool
    assert rows is not None
    [pair] = dt.arena(rows, cluster="prompt", side="none", penalty="none", rng=1).pairs
    clustered = 100 * pair.standard_error * 0.6 * 0.4  # of the share, by the delta method
    assert clustered / theirs == pytest.approx(math.sqrt(2 * 2.6 / 1.4), rel=0.005)
    assert evals("arenahard.se_ratio") == pytest.approx(math.sqrt(2 * 2.6 / 1.4), rel=0.01)


def test_one_battle_is_refused_and_two_are_not() -> None:
    table = {"a": ["x", "x"], "b": ["y", "y"], "winner": ["a", "tie"]}
    assert dt.arena(table).pairs[0].verdict == "undecided"
    assert "2 votes (1 tie)," in dt.arena(table).summary()
    with pytest.raises(DataError, match=r"one battle says nothing about the next\. Give"):
        dt.arena({role: cells[:1] for role, cells in table.items()})


@pytest.mark.golden
def test_sixty_of_a_hundred_and_ten_of_ten() -> None:
    def battles(wins: int, losses: int) -> dict[str, list[str]]:
        n = wins + losses
        return {"a": ["x"] * n, "b": ["y"] * n, "winner": ["a"] * wins + ["b"] * losses}

    for votes, key in (((60, 40), "two.sign_exact_60_40"), ((10, 0), "two.sign_exact_10_0")):
        [pair] = dt.arena(battles(*votes)).pairs
        assert pair.p_value == pytest.approx(evals(key), rel=1e-6)
    # By Bradley and Terry: the logit of the share, with the model's standard error.
    place = np.zeros(100, np.int64)
    won = np.repeat([1.0, 0.0], [60, 40])
    fit = fit_strengths(plain_votes(2, place, place + 1, won))
    z = (fit.strengths[0] - fit.strengths[1]) / float(pair_errors(fit.inverse)[0, 1])
    assert z == pytest.approx(evals("two.bt_z_60_40"), rel=1e-6)
    assert 2 * stats.norm.sf(z) == pytest.approx(evals("two.bt_wald_60_40"), rel=1e-6)
    ratio = 2 * (fit.likelihood - 100 * math.log(0.5))
    assert stats.chi2.sf(ratio, 1) == pytest.approx(evals("two.bt_lrt_60_40"), rel=1e-6)
    # The score test, in whose place ours stands: the spread of a coin, and no steps.
    score = (60 - 50) / math.sqrt(100 / 4)
    assert 2 * stats.norm.sf(score) == pytest.approx(evals("two.sign_score_60_40"), rel=1e-6)
    assert evals("two.bt_wald_10_0") == "infinite"
    [unbeaten] = dt.arena(battles(10, 0)).pairs
    assert unbeaten.difference == math.inf
    [firth] = dt.arena(battles(10, 0), penalty="firth").pairs
    assert firth.difference == pytest.approx(evals("two.firth_10_0"), rel=1e-6)
    assert pytest.approx(evals("elo.scale"), rel=1e-6) == ELO


def test_two_equal_votes_on_every_prompt_are_worth_one() -> None:
    """A variance of C / (C − 1) over C prompts, beside that of 2 C votes."""
    table = {**votes(48, 32), "prompt": [i // 2 for i in range(80)]}
    found = dt.arena(table)
    assert found.clusters == {"prompt": 40}
    assert found.naive.design_effect == pytest.approx(2 * 40 / 39)
    assert found.naive.n_apart == int(dt.arena(votes(48, 32)).pairs[0].p_value <= 0.05)
    assert dt.arena(votes(48, 32)).naive.design_effect == 1.0


# --- How many votes it takes to tell two systems apart, by the formula ---

Z = 1.9599639845400545
ASKED: dict[str, Any] = {"gap": 1.0, "critical": Z, "power": 0.8}


def known(error: float, alone: float | None = None, **changes: float) -> Any:
    """Return what is known of two systems with a standard error of their difference."""
    return SimpleNamespace(
        errors=np.full((2, 2), error),
        errors_votes=np.full((2, 2), error if alone is None else alone),
        **{"dispersion": 1.0, "information": math.nan, **changes},
    )


def test_what_is_known_is_taken_off_however_precise_it_is() -> None:
    g = math.log(10) / 400
    share = 1 / (1 + math.exp(-g))
    wanted = ((Z + 0.8416212335729143) / g) ** 2
    for error in (0.5, 0.004):
        more = (wanted - error**-2) / (share * (1 - share))
        assert votes_needed(known(error), 0, 1, **ASKED) == math.ceil(more)
    assert votes_needed(known(0.002), 0, 1, **ASKED) == 0  # more than enough is known
    assert votes_needed(known(0.5), 0, 1, **ASKED) == pytest.approx(945_500, rel=0.01)


def test_clusters_and_noise_cost_votes_and_a_model_of_ties_has_its_own_information() -> None:
    plain = votes_needed(known(0.5), 0, 1, **ASKED) or 0
    clustered = votes_needed(known(0.5, 0.25), 0, 1, **ASKED) or 0
    assert clustered == pytest.approx(4 * plain, rel=1e-5)
    noisy = votes_needed(known(0.5, dispersion=1.5), 0, 1, **ASKED) or 0
    assert noisy == pytest.approx(1.5 * plain, rel=1e-5)
    tied = votes_needed(known(0.5, information=0.2), 0, 1, **ASKED) or 0
    assert tied == pytest.approx(1.25 * plain, rel=1e-4)


@pytest.mark.parametrize(
    ("strengths", "critical"), [(known(0.0), Z), (known(0.5, 0.0), Z), (known(0.5), math.inf)]
)
def test_without_an_error_nothing_is_said(strengths: Any, critical: float) -> None:
    assert votes_needed(strengths, 0, 1, **{**ASKED, "critical": critical}) is None


@pytest.mark.parametrize(
    ("gap", "error", "needed"),
    [(1e30, 0.5, 0), (1e4, 0.5, 0), (1e30, math.inf, None), (1e6, 1e9, None)],
)
def test_a_gap_at_which_no_vote_tells_anything_has_an_answer(
    gap: float, error: float, needed: int | None
) -> None:
    assert votes_needed(known(error), 0, 1, **{**ASKED, "gap": gap}) == needed
