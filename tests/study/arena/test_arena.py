"""An arena as a whole: checked numbers, verdicts that agree with intervals, and what is refused."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm
from scipy.stats import t as student_t

import detectable as dt
from detectable.core.errors import ConvergenceError, DataError, InputError
from detectable.data.battles.battles import Battles
from detectable.inference.battle_votes import plain_votes
from detectable.inference.bradley_terry import fit_strengths
from detectable.inference.sampled_answers import sampled_answers
from detectable.report.shown.arena import basis, uneven
from detectable.study.arena.result import Arena, ArenaPair
from tests.gold_evals import evals
from tests.helpers import reference_data
from tests.inference.battles.battles_file import NAMES, battles, by_system


def made(n: int = 400, k: int = 4, seed: int = 1, **columns: Any) -> dict[str, Any]:
    """Return a table of battles of systems that differ by half a unit each."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    chance = 1 / (1 + np.exp(0.5 * (a - b)))
    won = np.where(rng.random(n) < chance, "a", "b").astype("U8")
    won[rng.random(n) < 0.15] = "tie"
    names = np.array([f"s{i}" for i in range(k)])
    return {"a": names[a], "b": names[b], "winner": won, **columns}


def pair(found: Arena, first: str, second: str) -> ArenaPair:
    return next(p for p in found.pairs if {p.better, p.worse} == {first, second})


def in_effect(found: Arena) -> Mapping[str, float]:
    assert found.effective is not None
    return found.effective


@pytest.mark.golden
def test_the_arena_of_the_page() -> None:
    found = dt.arena(battles(), cluster="prompt", rng=1)
    assert [row.system for row in found.systems] == list(NAMES)
    strengths = [row.strength for row in found.systems]
    assert strengths == pytest.approx(by_system("bt.half.centered"), abs=6e-7)
    # The page has CR1, which test_bradley_terry.py repeats; CR3 is a little larger.
    ratio = [row.standard_error for row in found.systems] / np.array(
        by_system("bt.half.se.prompt")
    )
    assert ratio.min() > 1.0
    assert ratio.max() < 1.01
    sets = {row.system: [row.rank_low, row.rank_high] for row in found.systems}
    assert sets == evals("bt.rank.sets_maxt")
    assert {row.system: row.lmarena_rank for row in found.systems} == evals("bt.rank.lmarena")
    # The page has the normal distribution; 249 prompts are some fewer in effect.
    assert 100 < found.df == in_effect(found)["prompt"] - 1 < 248
    wanted = student_t.ppf(norm.cdf(evals("bt.rank.crit_maxt")), found.df)
    assert found.critical == pytest.approx(wanted, abs=0.012)
    counts = evals("bt.n")
    assert (found.n_votes, found.n_ties) == (counts["votes"], counts["ties"])
    assert found.clusters == {"prompt": counts["prompts"]}
    left, right = ((battles().outcome == won).sum() for won in (1.0, 0.0))
    assert (left, right) == (counts["a"], counts["b"])
    assert found.n_both_bad == 99
    assert found.systems[0].elo == pytest.approx(1000 + 173.7178 * 0.442942, abs=1e-3)


@pytest.mark.golden
def test_by_itself_it_clusters_by_prompts_and_voters() -> None:
    found = dt.arena(battles(), rng=1)
    counts = evals("bt.n")
    assert found.cluster == "two-way"
    assert found.clusters == {"prompt": counts["prompts"], "voter": counts["voters"]}
    ratio = pair(found, "ant", "bee").standard_error / evals("bt.half.ant_bee.se.twoway")
    assert 1.0 < ratio < 1.05  # CR3 beside CR1
    assert found.df == min(in_effect(found).values()) - 1


@pytest.mark.golden
def test_strengths_come_with_and_without_what_sways_voters() -> None:
    found = dt.arena(battles(), cluster="prompt", covariates=["length"], rng=1)
    side, length = found.effects
    assert side.name == "side"
    assert side.estimate == pytest.approx(0.1547, abs=5e-5)
    assert side.standard_error == pytest.approx(0.0477, abs=5e-5)  # .0474 by CR1
    spread = battles().covariates["length"].std(ddof=1)
    assert [side.scale, length.scale] == pytest.approx([1.0, spread], rel=1e-12)
    for one in (side, length):  # p and interval by one t, of fewer than 249 prompts in effect
        t = abs(one.estimate) / one.standard_error
        df = brentq(lambda df, t=t, p=one.p_value: 2 * student_t.sf(t, df) / p - 1, 50, 248)
        half = student_t.ppf(0.975, df) * one.standard_error
        assert one.interval.high - one.estimate == pytest.approx(half, rel=1e-6)
        assert one.estimate - one.interval.low == pytest.approx(half, rel=1e-6)
    assert length.estimate / length.scale == pytest.approx(0.231952, abs=1e-6)
    assert length.standard_error / length.scale == pytest.approx(0.0346, abs=5e-5)
    plain = dt.arena(battles(), cluster="prompt", side="none", rng=1)
    assert plain.effects == ()
    assert [r.strength for r in plain.systems] == [r.strength for r in found.systems]
    assert all(math.isnan(row.adjusted) for row in plain.systems)
    assert found.systems[3].adjusted - found.systems[3].strength == pytest.approx(
        0.009, abs=1e-3
    )


@pytest.mark.golden
def test_win_rates_of_the_leaderboard_of_alpaca_eval() -> None:
    folder = reference_data("data", "real", "alpaca-eval")
    names = ("claude-2.1", "gemma-7b-it")
    keys = ("alpaca.claude-2.1", "alpaca.gemma-7b-it")
    found = dt.arena([folder / f"{name}.annotations.json" for name in names], rng=1)
    assert found.clusters == {"prompt": 805}
    for name, key in zip(names, keys, strict=True):
        rate, error = evals(key)
        one = pair(found, name, "gpt4_1106_preview")
        assert 100 * (1 - one.share) == pytest.approx(rate, abs=1e-6)
        # The error of a logit, back on the scale of shares, with C / (C − 1) as we have it.
        back = one.standard_error * one.chance * (1 - one.chance)
        assert 100 * back == pytest.approx(error, rel=1e-6)
    assert pair(found, *names).verdict == "better"
    alone = dt.arena(folder / f"{names[0]}.annotations.json")
    rate, error = evals(keys[0])
    assert alone.test == "t"
    assert 100 * alone.systems[1].wins == pytest.approx(rate, abs=1e-6)
    back = alone.pairs[0].standard_error * 0.01 * rate * (1 - 0.01 * rate)
    assert 100 * back == pytest.approx(error, rel=1e-6)


@pytest.mark.golden
def test_two_systems_of_alpaca_eval_are_compared_on_the_same_instructions() -> None:
    folder = reference_data("data", "real", "alpaca-eval")
    names = ("claude-2.1", "gemma-7b-it")
    scores = dt.read_scores({n: folder / f"{n}.annotations.json" for n in names})
    found = dt.compare(scores, baseline="gemma-7b-it", test="t", rng=1)
    n_instructions, difference, error = evals("alpaca.paired")
    assert found.n_units == n_instructions
    assert 100 * found.pairs[0].difference == pytest.approx(difference, abs=1e-6)
    assert 100 * found.pairs[0].standard_error == pytest.approx(error, abs=1e-6)
    # What the two columns of the leaderboard would give.
    apart = math.hypot(*(sampled_answers(scores.systems[n]).standard_error for n in names))
    assert 100 * apart == pytest.approx(evals("alpaca.unpaired_se"), rel=1e-6)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper", "drop"])
@pytest.mark.parametrize("cluster", ["vote", "prompt"])
def test_verdict_interval_and_p_agree(ties: Any, cluster: Any) -> None:
    table = made(prompt=np.arange(400) % 80)
    found = dt.arena(table, ties=ties, cluster=cluster, rng=3)
    assert sum(row.strength for row in found.systems) == pytest.approx(0.0, abs=1e-9)
    for one in found.pairs:
        told = one.verdict == "better"
        assert told == (one.p_adjusted <= 0.05) == (one.interval.low > 0.0)
        assert (one.p_value <= 0.05) == (one.interval_alone.low > 0.0)
        assert one.difference > 0.0
        half = one.interval.high - one.difference
        assert half == pytest.approx(found.critical * one.standard_error)
        df = in_effect(found)["prompt"] - 1 if cluster == "prompt" else math.inf
        typical = one.standard_error
        if cluster == "prompt":  # median-unbiased
            typical *= math.sqrt(df / chi2.median(df))
        sure = found.critical + student_t.ppf(0.8, df)
        assert found.df == df
        assert df < 80 or cluster == "vote"
        assert one.mde == pytest.approx(sure * typical, rel=1e-6)
        assert one.mde_elo == pytest.approx(173.7178 * one.mde, rel=1e-6)
        assert one.mde_share == pytest.approx(1 / (1 + math.exp(-one.mde)))
    for row in found.systems:
        better = sum(p.verdict == "better" and p.worse == row.system for p in found.pairs)
        worse = sum(p.verdict == "better" and p.better == row.system for p in found.pairs)
        assert (row.rank_low, row.rank_high) == (1 + better, 4 - worse)
        half = (
            student_t.ppf(1 - 0.025 / 4, found.df) * row.standard_error
        )  # Bonferroni's, of four
        assert row.interval.high - row.strength == pytest.approx(half, rel=1e-6)


def test_the_same_seed_gives_the_same_answer_and_order_does_not_matter() -> None:
    table = made()
    first = dt.arena(table, rng=5)
    assert first == dt.arena(table, rng=5)
    assert f"seed:{5}" in str(first.signature)
    turned = {name: values[::-1] for name, values in table.items()}
    again = dt.arena(turned, rng=5)
    assert [r.strength for r in again.systems] == pytest.approx(
        [r.strength for r in first.systems]
    )
    assert [r.rank_high for r in again.systems] == [r.rank_high for r in first.systems]


def test_votes_needed_follow_the_formula_for_direct_votes() -> None:
    """From scratch it would be (c + z)² φ deff / (g² p (1 − p)); what is known is taken off."""
    found = dt.arena(made(), effect=30.0, side="none", rng=1)
    one = pair(found, "s0", "s1")
    g = 30.0 * math.log(10) / 400
    p = 1 / (1 + math.exp(-g))
    wanted = ((found.critical + 0.8416212) / g) ** 2 - one.standard_error**-2
    # Without clusters there is no design effect; ties make votes vary less than a coin.
    read = dt.read_battles(made())
    strength = {row.system: row.strength for row in found.systems}
    gaps = np.array(
        [
            strength[read.systems[i]] - strength[read.systems[j]]
            for i, j in zip(read.a, read.b, strict=True)
        ]
    )
    chance = 1 / (1 + np.exp(-gaps))
    phi = ((read.outcome - chance) ** 2).sum() / (chance * (1 - chance)).sum()
    assert phi < 0.95
    assert one.votes_needed == math.ceil(wanted * phi / (p * (1 - p)))
    assert dt.arena(made(), effect=500.0, rng=1).pairs[0].votes_needed == 0


def test_the_next_vote_is_that_which_lowers_the_variance_most() -> None:
    table = made(n=300)
    found = dt.arena(table, between=("s0", "s3"), side="none", rng=1)
    assert found.next_pair is not None
    assert found.next_pair.between == ("s0", "s3")
    # Fit again with one more vote of each pair, at its expected outcome: only the errors move.
    read = dt.read_battles(table)
    gains = {}
    strength = {row.system: row.strength for row in found.systems}

    def variance(a: Any, b: Any, y: Any) -> float:
        inverse = fit_strengths(plain_votes(4, a, b, y)).inverse
        i, j = read.systems.index("s0"), read.systems.index("s3")
        return float(inverse[i, i] + inverse[j, j] - 2 * inverse[i, j])

    before = variance(read.a, read.b, read.outcome)
    for i in range(4):
        for j in range(i + 1, 4):
            gap = strength[read.systems[i]] - strength[read.systems[j]]
            extra = 1 / (1 + math.exp(-gap))
            after = variance(
                np.append(read.a, i), np.append(read.b, j), np.append(read.outcome, extra)
            )
            gains[frozenset((read.systems[i], read.systems[j]))] = 1 - after / before
    best = max(gains, key=lambda key: gains[key])
    assert frozenset(found.next_pair.vote) == best
    assert found.next_pair.gain == pytest.approx(gains[best], rel=1e-6)


def test_few_clusters_have_wider_intervals() -> None:
    table = made(prompt=np.arange(400) % 12)
    found = dt.arena(table, cluster="prompt", side="none", rng=1)
    assert 10 < found.df < 11
    assert found.critical > 2.9  # 2.57 with many clusters
    assert any("Only 12 prompts" in note for note in found.notes)


def test_what_is_independent_is_chosen_from_the_data() -> None:
    n = 400
    prompts, voters = np.arange(n) % 80, np.arange(n) % 30
    assert dt.arena(made(), rng=1).cluster == "vote"
    assert dt.arena(made(prompt=np.arange(n)), rng=1).cluster == "vote"  # no prompt repeats
    assert dt.arena(made(prompt=prompts), rng=1).cluster == "prompt"
    assert dt.arena(made(voter=voters), rng=1).cluster == "voter"
    assert dt.arena(made(prompt=prompts, voter=voters), rng=1).cluster == "two-way"
    few = dt.arena(made(prompt=prompts, voter=np.arange(n) % 3), rng=1)
    assert few.cluster == "prompt"
    assert "3 voters are no sample of voters: the claim is about these." in few.notes
    one = dt.arena(made(prompt=["p"] * n), rng=1)
    assert one.cluster == "vote"
    assert any("All battles have one prompt" in note for note in one.notes)
    assert dt.arena(made(prompt=prompts), cluster="vote", rng=1).clusters == {}


def test_copies_of_all_votes_change_nothing_where_prompts_are_clusters() -> None:
    table = made(prompt=np.arange(400) % 100)
    twice = {name: np.concatenate([values, values]) for name, values in table.items()}
    once, copied = (dt.arena(t, cluster="prompt", side="none", rng=1) for t in (table, twice))
    for one, two in zip(once.pairs, copied.pairs, strict=True):
        assert two.standard_error == pytest.approx(one.standard_error)
    assert copied.naive.design_effect == pytest.approx(2 * once.naive.design_effect)


def test_an_unbeaten_system_is_above_all_and_the_rest_is_ranked() -> None:
    table = made(n=200, k=3, seed=4)
    table = {
        name: [*values, *extra]
        for (name, values), extra in zip(
            table.items(), (["top"] * 9, ["s0", "s1", "s2"] * 3, ["a"] * 9), strict=True
        )
    }
    found = dt.arena(table, rng=1)
    assert [row.placed for row in found.systems] == ["above", "ranked", "ranked", "ranked"]
    top = found.systems[0]
    assert (top.system, top.rank_low) == ("top", 1)
    assert math.isnan(top.strength)
    assert 0.5 < top.bound < 2.5
    assert "top is above all" in found.summary()
    rest = dt.arena(made(n=200, k=3, seed=4), rng=1)
    assert [r.strength for r in found.systems[1:]] == pytest.approx(
        [r.strength for r in rest.systems]
    )
    for one in found.pairs[:3]:
        assert (
            (one.verdict == "better") == (one.p_adjusted <= 0.05) == (one.interval.low == 0.0)
        )
        assert math.isinf(one.difference)
        assert one.p_adjusted == pytest.approx(min(1.0, 6 * one.p_value))  # of six pairs
    # The level is shared among all six pairs, so that the three of the rest have a higher bar.
    assert found.critical > rest.critical


def test_an_unbeaten_system_is_tested_both_ways_against_a_coin() -> None:
    """Nine wins against one other alone: χ² = 2 · 9 log 2, in both tails."""
    table = made(n=200, k=3, seed=4)
    won = (["top"] * 9, ["s0"] * 9, ["a"] * 9)
    table = {
        name: [*values, *extra]
        for (name, values), extra in zip(table.items(), won, strict=True)
    }
    one = pair(dt.arena(table, rng=1), "top", "s0")
    assert one.p_value == pytest.approx(chi2.sf(18 * math.log(2), 1), rel=1e-6)
    assert one.p_adjusted == pytest.approx(6 * one.p_value)
    assert (one.interval.low, one.interval.high) == (0.0, math.inf)


def test_a_winless_system_is_below_all() -> None:
    table = made(n=200, k=3, seed=4)
    lost = (["low"] * 9, ["s0", "s1", "s2"] * 3, ["b"] * 9)
    table = {
        name: [*values, *extra]
        for (name, values), extra in zip(table.items(), lost, strict=True)
    }
    found = dt.arena(table, rng=1)
    low = found.systems[-1]
    assert (low.system, low.placed, low.rank_high) == ("low", "below", 4)
    assert -2.5 < low.bound < -0.5
    assert "low is below all: it won against none" in found.summary()
    # Nine votes on one prompt are one vote: nothing is shown by them.
    one = {**table, "prompt": [f"p{i % 40}" for i in range(200)] + ["q"] * 9}
    clustered = dt.arena(one, cluster="prompt", rng=1)
    assert clustered.systems[-1].bound > low.bound
    assert all(pair.verdict == "undecided" for pair in clustered.pairs if pair.worse == "low")


def test_a_system_that_met_only_the_unbeaten_cannot_be_placed() -> None:
    table = made(n=200, k=3, seed=4)
    extra = (["top"] * 5, ["s0", "s1", "s2", "who", "who"], ["a"] * 5)
    table = {
        name: [*values, *more]
        for (name, values), more in zip(table.items(), extra, strict=True)
    }
    found = dt.arena(table, rng=1)
    who = next(row for row in found.systems if row.system == "who")
    assert (who.placed, who.rank_low, who.rank_high) == ("unknown", 1, 5)
    assert math.isnan(who.bound)
    assert "who cannot be placed beside those that can be ranked." in found.summary()
    with pytest.raises(DataError, match="sides and covariates cannot be fitted"):
        dt.arena(table, side="fit", rng=1)


def test_firths_penalty_ranks_everybody() -> None:
    table = {
        "a": ["A"] * 7 + ["B"] * 5,
        "b": ["B"] * 3 + ["C"] * 9,
        "winner": ["a"] * 9 + ["b"] * 3,
    }
    found = dt.arena(table, penalty="firth", rng=1)
    strength = {row.system: row.strength for row in found.systems}
    assert strength["A"] - strength["B"] == pytest.approx(2.841587, abs=1e-5)
    assert pair(found, "A", "B").standard_error >= 1.617  # at least what the model says
    assert all(row.placed == "ranked" for row in found.systems)


def test_the_bootstrap_is_near_the_sandwich() -> None:
    table = made(prompt=np.arange(400) % 80)
    plain = dt.arena(table, cluster="prompt", side="none", rng=1)
    drawn = dt.arena(table, cluster="prompt", side="none", bootstrap=800, rng=1)
    assert "bootstrap:800" in str(drawn.signature)
    for one, two in zip(plain.pairs, drawn.pairs, strict=True):
        assert two.standard_error == pytest.approx(one.standard_error, rel=0.12)
        assert two.standard_error != one.standard_error


def test_weights_of_votes_and_of_pairs() -> None:
    table = made()
    weighted = dt.arena({**table, "weight": [2.0] * 400}, rng=1)
    plain = dt.arena(table, rng=1)
    for one, two in zip(plain.pairs, weighted.pairs, strict=True):
        assert two.difference == pytest.approx(one.difference)
        assert two.standard_error == pytest.approx(one.standard_error)
    alike = dt.arena(table, weights="pairs", rng=1)
    assert alike.pairs[0].difference != pytest.approx(plain.pairs[0].difference)


def refused(table: Any, error: type[Exception] = DataError, **options: Any) -> str:
    with pytest.raises(error) as caught:
        dt.arena(table, **options)
    return str(caught.value)


def test_systems_that_never_met_are_listed() -> None:
    table = {"a": ["A", "B", "C", "D"], "b": ["B", "A", "D", "C"], "winner": ["a"] * 4}
    said = refused(table)
    assert "fall into 2 parts that never met" in said
    assert "A, B; C, D" in said


def test_a_chain_of_wins_has_no_strengths() -> None:
    said = refused({"a": ["A", "B", "A"], "b": ["B", "C", "C"], "winner": ["a"] * 3})
    assert "no two systems have won or tied against each other" in said
    assert "firth" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cluster": "prompt"}, "there is no prompt to cluster by"),
        ({"cluster": "two-way"}, "there is no prompt to cluster by"),
        ({"cluster": "voter"}, "there is no voter to cluster by"),
        ({"covariates": ["length"]}, "there is no column for the covariate 'length'"),
    ],
)
def test_what_the_battles_do_not_say(options: Any, said: str) -> None:
    assert said in refused(made(), **options)


def test_one_sentence_each() -> None:
    n = 400
    assert "all battles have one prompt, and one cluster has no standard error" in refused(
        made(prompt=["p"] * n), cluster="prompt"
    )
    tied = {**made(), "winner": ["tie"] * n}
    assert "every battle is a tie" in refused(tied)
    never = {**made(), "winner": np.where(made()["winner"] == "tie", "a", made()["winner"])}
    assert "there is no tie" in refused(never, ties="davidson")
    halves = Battles.build(["x", "y", "z"] * 4, ["y", "z", "x"] * 4, [0.25] * 12)
    assert "is neither a win nor a tie" in refused(halves, ties="rao-kupper")
    assert "the order in which systems were shown is not known" in refused(halves, side="fit")
    exact = Battles.build(["x", "y", "x"] * 3, ["y", "z", "z"] * 3, [0.6, 0.5, 0.6] * 3)
    assert "the votes do not vary" in refused(exact)
    same = {**made(), "length_a": [5] * n, "length_b": [5] * n}
    assert "is the same in all battles" in refused(same, covariates=["length"])


def test_options_that_do_not_go_together() -> None:
    table = made()
    assert "does not go with ties='davidson'" in refused(
        table, InputError, penalty="firth", ties="davidson"
    )
    assert "does not go with penalty='firth'" in refused(
        table, InputError, penalty="firth", bootstrap=500
    )
    assert "at least 100 draws; got 5" in refused(table, InputError, bootstrap=5)
    assert "`bootstrap` must be at most 100" in refused(table, InputError, bootstrap=100_001)
    assert "must name two systems" in refused(table, InputError, between=("s0", "s0"))
    assert "must name two of s" in refused(table, InputError, between=("s0", "nobody"))
    for name, value in (
        ("ties", "none"),
        ("cluster", "item"),
        ("side", "left"),
        ("weights", "all"),
        ("penalty", "ridge"),
    ):
        assert f"`{name}` must be one of" in refused(table, InputError, **{name: value})
    assert "`effect` must be" in refused(table, InputError, effect=0.0)
    assert "`alpha`" in refused(table, InputError, alpha=1.0)


def test_a_side_that_decides_everything_has_no_estimate() -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 90)
    table = {"a": a, "b": (a + rng.integers(1, 3, 90)) % 3, "winner": ["a"] * 90}
    with pytest.raises(ConvergenceError, match="a side, a covariate or a system separates"):
        dt.arena(table, side="fit", rng=1)


def test_a_tie_that_is_dropped_takes_no_system_with_it() -> None:
    table = made()
    only = {
        name: [*values, x]
        for (name, values), x in zip(table.items(), ("new", "s0", "tie"), strict=True)
    }
    assert "without ties nothing is left of new" in refused(only, ties="drop")
    found = dt.arena(table, ties="drop", rng=1)
    assert any(note.endswith("ties left out.") for note in found.notes)
    assert found.n_votes + found.n_ties == 400


def test_one_tie_does_not_settle_where_a_system_stands() -> None:
    table = {name: list(values) for name, values in made(k=3).items()}
    table = {
        name: [*values, last]
        for (name, values), last in zip(table.items(), ("s0", "late", "tie"), strict=True)
    }
    for ties in ("half", "davidson"):
        found = dt.arena(table, ties=ties, cluster="vote", rng=1)
        late, first = (next(r for r in found.systems if r.system == n) for n in ("late", "s0"))
        assert late.strength == pytest.approx(first.strength, abs=1e-6)
        assert late.standard_error > 10 * first.standard_error
        with_first, with_last = pair(found, "late", "s0"), pair(found, "late", "s2")
        assert with_first.standard_error > 1.0  # log-odds: of a single vote at least 2
        assert with_last.standard_error > with_first.standard_error
        assert {with_first.verdict, with_last.verdict} == {"undecided"}
        assert pair(found, "s0", "s2").verdict == "better"
        assert (late.rank_low, late.rank_high) == (1, 4)


def test_votes_in_several_languages_are_pooled_unless_one_is_chosen() -> None:
    tongues = np.where(np.arange(400) % 4 == 0, "fr", "de")
    table = made(language=tongues)
    pooled = dt.arena(table, rng=1)
    said = "Votes in several languages are pooled: de (300), fr (100). `language` keeps one of them."
    assert said in pooled.notes
    assert pooled.pairs == dt.arena(made(), rng=1).pairs
    assert "language" not in str(pooled.signature)
    french = dt.arena(table, language="fr", rng=1)
    alone = {name: values[tongues == "fr"] for name, values in table.items()}
    assert (french.n_votes, french.n_ties) == (100, (alone["winner"] == "tie").sum())
    wanted = {row.system: row.strength for row in dt.arena(alone, rng=1).systems}
    assert {row.system: row.strength for row in french.systems} == pytest.approx(wanted)
    assert french.notes == ("300 battles left out: battles in other languages.",)
    assert "|language:fr|" in str(french.signature)
    assert "there is no battle in the language 'en'. Found: de, fr." in refused(
        table, language="en"
    )


@pytest.mark.parametrize(("n", "few"), [(29, True), (30, False)])
def test_below_thirty_clusters_are_few(n: int, few: bool) -> None:
    found = dt.arena(made(prompt=np.arange(400) % n), rng=1)
    said = f"Only {n} prompts: standard errors from so few clusters are rough."
    assert (said in found.notes) == few


@pytest.mark.parametrize(("n", "by"), [(9, "vote"), (10, "voter")])
def test_ten_voters_are_a_sample_of_voters(n: int, by: str) -> None:
    assert dt.arena(made(voter=np.arange(400) % n), rng=1).cluster == by


@pytest.mark.parametrize(
    ("outcomes", "options", "said"),
    [
        ([1, 0, 1, 0], {"cluster": "prompt"}, "there is no prompt to cluster by"),
        ([1, 0, 1, 0], {"language": "de"}, "there is no language to choose by"),
        ([0.5] * 4, {}, "every battle is a tie"),
        ([1, 0, 1, 0], {"ties": "davidson"}, "there is no tie"),
        ([1, 1, 1, 1], {}, "no two systems have won or tied against each other"),
        ([1, 1, 1, 0], {"side": "fit"}, "the order in which systems were shown is not known"),
        ([0.5, 1, 1, 0], {"ties": "drop"}, "without ties nothing is left of w"),
    ],
)
def test_what_is_refused_names_its_file(outcomes: Any, options: Any, said: str) -> None:
    first, second = ["w", "x", "y", "y"], ["x", "y", "z", "z"]
    if options.get("side"):
        first, second = ["x", "y", "z", "x"], ["y", "z", "x", "y"]
    for path, named in (("b.csv", "b.csv"), ("", "the battles")):
        battles = Battles.build(first, second, outcomes, path=path)
        assert refused(battles, **options).startswith(f"{named}: {said}")


def test_votes_and_wins_of_a_system_are_counted_with_ties_as_half() -> None:
    table = made()
    for row in dt.arena(table, rng=1).systems:
        won = [
            0.5 if winner == "tie" else float((a if winner == "a" else b) == row.system)
            for a, b, winner in zip(table["a"], table["b"], table["winner"], strict=True)
            if row.system in (a, b)
        ]
        assert row.votes == len(won)
        assert row.wins == pytest.approx(np.mean(won))


def test_what_is_asked_by_default() -> None:
    found = dt.arena(made(), rng=1)
    assert (found.effect, found.alpha, found.power) == (20.0, 0.05, 0.8)
    assert (found.ties, found.weights) == ("half", "votes")


# --- Voters who gave most of the votes ---


def unequal(
    rng: np.random.Generator, shares: "np.ndarray", *, k: int = 5, n: int = 800
) -> dict[str, "np.ndarray"]:
    """Return votes on equal systems; prompts (.8) and voters (.6) have favourites."""
    of_prompts, of_voters = rng.normal(0, 0.8, (80, k)), rng.normal(0, 0.6, (shares.size, k))
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    prompt, voter = rng.integers(0, 80, n), rng.choice(shares.size, n, p=shares)
    liked = of_prompts[prompt] + of_voters[voter]
    rows = np.arange(n)
    won = rng.random(n) < 1 / (1 + np.exp(liked[rows, b] - liked[rows, a]))
    names = np.array([f"s{i}" for i in range(k)])
    return {
        "a": names[a],
        "b": names[b],
        "winner": np.where(won, "a", "b"),
        "prompt": prompt,
        "voter": voter,
    }


ONE_HALF = np.r_[0.5, np.full(39, 0.5 / 39)]


def test_a_voter_with_half_of_the_votes_is_named() -> None:
    table = unequal(np.random.default_rng(1), ONE_HALF)
    found = dt.arena(table, rng=1)
    effective = in_effect(found)["voter"]
    assert found.df == pytest.approx(effective - 1)
    share = np.bincount(table["voter"]).max() / 800
    said = (
        f"40 voters count as {effective:.1f}: one gave {100 * share:.0f} % of the votes. "
        "--cap-voter 2 weighs voters more evenly."
    )
    assert said in found.summary()
    assert effective < 5
    capped = dt.arena(table, cap_voter=2, rng=1)
    assert in_effect(capped)["voter"] > 15
    assert capped.df > 5 * found.df
    assert "count as" not in capped.summary()
    assert "no voter counts more than 2 times the median one" in basis(capped)
    assert capped.signature.settings["cap_voter"] == 2
    even = dt.arena(unequal(np.random.default_rng(1), np.full(40, 1 / 40)), rng=1)
    assert uneven(even) == []


def test_capped_votes_weigh_less_everywhere() -> None:
    table = unequal(np.random.default_rng(2), ONE_HALF)
    votes = np.bincount(table["voter"])
    weight = np.minimum(1.0, 2 * np.median(votes) / votes)[table["voter"]]
    capped = dt.arena(table, cap_voter=2, rng=1)
    weighted = dt.arena({**table, "weight": weight}, rng=1)
    assert [row.strength for row in capped.systems] == pytest.approx(
        [row.strength for row in weighted.systems]
    )
    assert [pair.standard_error for pair in capped.pairs] == pytest.approx(
        [pair.standard_error for pair in weighted.pairs]
    )
    # A cap that nobody reaches changes strengths and errors not at all.
    plain, loose = (dt.arena(table, rng=1, cap_voter=cap) for cap in (None, 1000))
    assert [row.strength for row in plain.systems] == [row.strength for row in loose.systems]
    assert [p.standard_error for p in plain.pairs] == [p.standard_error for p in loose.pairs]


def test_half_of_what_capped_voters_weigh_goes_by_their_tastes() -> None:
    """With two systems a taste weighs with the square of the votes: gamma of the reference page."""
    table = unequal(np.random.default_rng(3), ONE_HALF, k=2)
    found = dt.arena(table, cap_voter=2, rng=1)
    votes = np.bincount(table["voter"]).astype(float)
    each = votes * np.minimum(1.0, 2.0 * np.median(votes) / votes)
    gamma = 0.5 * each / each.sum() + 0.5 * each**2 / (each**2).sum()
    assert in_effect(found)["voter"] == pytest.approx(1.0 / (gamma**2).sum(), rel=1e-6)


def test_two_systems_can_be_capped() -> None:
    table = unequal(np.random.default_rng(3), ONE_HALF, k=2)
    found = dt.arena(table, cap_voter=2, rng=1)
    assert found.test == "max-t"
    assert found.pairs[0].p_value == pytest.approx(found.pairs[0].p_adjusted, abs=2e-3)


def test_a_cap_needs_voters_and_a_number_above_zero() -> None:
    said = refused(made(), cap_voter=2)
    assert "there is no voter to weigh by" in said
    assert "--column voter=NAME" in said
    with pytest.raises(dt.InputError, match="`cap_voter` must be"):
        dt.arena(made(), cap_voter=0)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [2.0, None])
def test_one_voter_with_half_of_the_votes_does_not_decide(cap: float | None) -> None:
    """CR1 with clusters − 1 degrees of freedom told equal systems apart in a third of arenas."""
    rng, told, sets = np.random.default_rng(77), 0, 60
    for _ in range(sets):
        found = dt.arena(unequal(rng, ONE_HALF), cap_voter=cap, side="none", rng=1)
        told += found.n_apart > 0
    assert told / sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)


# --- Style control: what is taken out decides ---


def swayed(rng: np.random.Generator, n: int, *, by: float = 1.5) -> dict[str, Any]:
    """Draw battles of three equal systems, of which one writes longer answers that voters like."""
    names = np.array(["a", "b", "c"])
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(1, 3, n)) % 3
    longer = np.array([0.6, 0.0, 0.0])
    lengths = [np.exp(longer[s] + rng.normal(0.0, 0.5, n)) for s in (first, second)]
    share = (lengths[0] - lengths[1]) / (lengths[0] + lengths[1])
    won = rng.random(n) < 1.0 / (1.0 + np.exp(-by * share))
    return {
        "model_a": names[first].tolist(),
        "model_b": names[second].tolist(),
        "winner": np.where(won, "model_a", "model_b").tolist(),
        "length_a": np.round(1000 * lengths[0]).tolist(),
        "length_b": np.round(1000 * lengths[1]).tolist(),
    }


def test_adjusted_strengths_decide_where_that_is_asked() -> None:
    battles = swayed(np.random.default_rng(5), 3000)
    shown = dt.arena(battles, covariates=["length"], rng=1)
    decides = dt.arena(battles, covariates=["length"], adjusted="decides", rng=1)
    assert shown.n_apart == 2
    assert decides.n_apart == 0
    assert (shown.decided_without, decides.decided_without) == (None, ("side", "length"))
    before = {row.system: row for row in shown.systems}
    assert decides.unadjusted is not None
    assert shown.unadjusted is None
    for row, plain in zip(decides.systems, decides.unadjusted, strict=True):
        other = before[row.system]
        assert row.strength == pytest.approx(other.adjusted)
        assert plain.strength == pytest.approx(other.strength)
        assert (plain.system, plain.rank_low, plain.rank_high) == (
            row.system,
            other.rank_low,
            other.rank_high,
        )
        assert (row.rank_low, row.rank_high) == (
            other.adjusted_rank_low,
            other.adjusted_rank_high,
        )
        assert math.isnan(row.adjusted)
    assert decides.effects == shown.effects
    assert "adjusted:decides" in str(decides.signature)
    assert "Strengths, ranks and verdicts are adjusted for the side and length." in (
        decides.summary()
    )
    assert "adjusted:" not in str(shown.signature)


def test_two_systems_are_adjusted_too() -> None:
    battles = swayed(np.random.default_rng(6), 3000)
    keep = [i for i in range(3000) if "c" not in (battles["model_a"][i], battles["model_b"][i])]
    two = {name: [values[i] for i in keep] for name, values in battles.items()}
    assert dt.arena(two, rng=1).pairs[0].verdict == "better"
    found = dt.arena(two, covariates=["length"], adjusted="decides", rng=1)
    assert found.pairs[0].verdict == "undecided"


def test_nothing_to_adjust_for_is_refused() -> None:
    battles = swayed(np.random.default_rng(5), 300)
    with pytest.raises(DataError, match="there is nothing to adjust for"):
        dt.arena(battles, side="none", adjusted="decides")
    with pytest.raises(InputError, match="`adjusted` must be one of"):
        dt.arena(battles, adjusted="yes")  # type: ignore[arg-type]


@pytest.mark.slow
def test_adjusted_verdicts_hold_their_level_where_plain_ones_go_by_style() -> None:
    """500 arenas of 900 votes: .05 of them may call any two of three equal systems different."""
    rng, runs = np.random.default_rng(7), 500
    wrong = plain = 0
    for _ in range(runs):
        battles = swayed(rng, 900)
        adjusted = dt.arena(battles, covariates=["length"], adjusted="decides", rng=1)
        wrong += adjusted.n_apart > 0
        plain += dt.arena(battles, rng=1).n_apart > 0
    assert wrong / runs <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)
    assert plain / runs > 0.5
