"""From p-values to verdicts: corrections, sides, margins, and who beats whom."""

import math
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.contrasts.analysis import Analysis, by_t, families, stepwise
from detectable.contrasts.contrast import Contrast
from detectable.core.choices import ClusterRule
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.data.human.read_judgments import read_judgments
from detectable.inference.margin_test import margin_test
from detectable.inference.standard_errors import Estimate
from detectable.study.ranking.pair_tests import PairTests
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import DifferentVerdict, RankedPair
from detectable.study.ranking.run import Outcome
from detectable.study.ranking.settings import RankSettings, with_preset
from detectable.study.ranking.verdicts import (
    Beats,
    _different,
    beats_matrix,
    cluster,
    decide_pairs,
    rank_ranges,
)

# Three systems, best first 2, 0, 1.
PAIRS = [(2, 0), (2, 1), (0, 1)]


def outcome(
    two_sided: ArrayLike = (0.01, 0.02, 0.5),
    *,
    greater: ArrayLike = (0.005, 0.01, 0.25),
    less: ArrayLike = (0.995, 0.99, 0.75),
    favours: ArrayLike = (1, 1, 1),
    error: float = 1.0,
    settings: RankSettings | None = None,
) -> Outcome:
    def array(values: ArrayLike) -> FloatArray:
        return np.asarray(values, dtype=np.float64)

    chosen = RankSettings() if settings is None else settings
    correction = "none" if chosen.correction == "none" else "holm"
    cells = [[Estimate(value, error, 1e9)] for value in (2.0, 1.0, 0.0)]
    return Outcome(
        means=[Estimate(0.0, 1.0, 9.0)] * 3,
        order=[2, 0, 1],
        pairs=PAIRS,
        analysis=analysed(cells, array(two_sided)[:, None], correction, chosen),
        tests=PairTests(
            p_two_sided=array(two_sided),
            p_greater=array(greater),
            p_less=array(less),
            favours=np.asarray(favours, dtype=np.int64),
            probability=np.full(3, 0.6),
            n=np.full(3, 40),
        ),
        correction=correction,
    )


def analysed(
    cells: list[list[Estimate]], p: FloatArray, correction: str, settings: RankSettings
) -> Analysis:
    """Return what a test with these p-values says."""
    margin = np.array([np.nan if settings.margin is None else settings.margin])
    groups = families((3, 1), "systems")
    made = by_t(cells, margin, groups, correction, alpha=settings.alpha, power=settings.power)
    return made._replace(p_values=p, p_adjusted=stepwise(p, groups, correction))


def decided(settings: RankSettings, *args: Any, **more: Any) -> list[Contrast]:
    return decide_pairs(outcome(*args, settings=settings, **more), settings)


def verdicts(found: list[Contrast]) -> list[Verdict | None]:
    return [claim.verdict for claim in found]


def p_values(found: list[Contrast]) -> list[float]:
    return [claim.p_value for claim in found]


def p_adjusted(found: list[Contrast]) -> list[float]:
    return [claim.p_adjusted for claim in found]


def p_equivalence(found: list[Contrast]) -> list[float]:
    return [claim.p_equivalence for claim in found]


def level(found: list[Contrast]) -> float:
    """Return the two-sided level that the detectable difference of the first pair stands for."""
    from scipy.stats import norm

    return float(2.0 * norm.sf(found[0].mde - norm.ppf(0.8)))


def preset(name: Any, **options: Any) -> RankSettings:
    return with_preset(RankSettings(preset=name, **options), {})


class TestCorrection:
    def test_holm(self) -> None:
        found = decided(RankSettings())
        assert p_values(found) == [0.01, 0.02, 0.5]
        assert p_adjusted(found) == pytest.approx([0.03, 0.04, 0.5])
        assert verdicts(found) == ["better", "better", "undecided"]
        assert level(found) == pytest.approx(0.05 / 3, rel=1e-3)

    def test_none(self) -> None:
        found = decided(RankSettings(correction="none"), (0.01, 0.05, 0.9))
        assert p_adjusted(found) == [0.01, 0.05, 0.9]
        assert verdicts(found) == ["better", "better", "undecided"]
        assert level(found) == pytest.approx(0.05, rel=1e-3)

    def test_exactly_alpha_decides(self) -> None:
        settings = RankSettings(correction="none", alpha=0.02)
        assert decided(settings)[1].verdict == "better"
        settings = RankSettings(correction="none", alpha=0.0199)
        assert decided(settings)[1].verdict == "undecided"


def test_the_test_has_the_direction_and_not_the_mean() -> None:
    found = decided(RankSettings(correction="none"), favours=(-1, 0, 1))
    assert verdicts(found) == ["worse", "undecided", "undecided"]
    # No interval of means can say what ranks say of the other system.
    alone = found[0].interval_alone
    assert alone.low <= 0.0 <= alone.high


class TestOneSided:
    def test_wmt21_claims_what_the_means_say(self) -> None:
        found = decided(preset("wmt21"), greater=(0.05, 0.06, 0.97), less=(0.95, 0.94, 0.03))
        assert p_values(found) == [0.05, 0.06, 0.97]
        assert p_adjusted(found) == [0.05, 0.06, 0.97]
        assert verdicts(found) == ["better", "undecided", "worse"]
        assert level(found) == pytest.approx(0.1, rel=1e-3)  # two-sided

    def test_also_where_no_preset_asks_for_it(self) -> None:
        found = decided(
            RankSettings(correction="none", one_sided=True),
            greater=(0.05, 0.06, 0.97),
            less=(0.95, 0.94, 0.03),
        )
        assert p_values(found) == [0.05, 0.06, 0.97]
        assert verdicts(found) == ["better", "undecided", "worse"]

    def test_wmt25_halves_the_level(self) -> None:
        found = decided(
            preset("wmt25"), greater=(0.025, 0.026, 0.98), less=(0.975, 0.974, 0.025)
        )
        assert p_values(found) == [0.025, 0.026, 0.98]
        assert p_adjusted(found) == [0.05, 0.052, 1.0]
        assert verdicts(found) == ["better", "undecided", "worse"]
        assert level(found) == pytest.approx(0.05, rel=1e-3)

    def test_a_level_of_more_than_a_half_is_none(self) -> None:
        assert level(decided(preset("wmt21", alpha=0.4))) == pytest.approx(0.5, rel=1e-3)

    def test_wmt24_is_two_sided(self) -> None:
        found = decided(preset("wmt24"))
        assert p_values(found) == [0.01, 0.02, 0.5]


class TestMargin:
    # With a standard error of 1, p of «within ±4» is Φ(−2), Φ(−3), Φ(−4) for 2, 1, 0.
    RAW = (0.02275013, 0.00134990, 0.00003167)

    def test_it_is_corrected_as_the_differences_are(self) -> None:
        found = decided(RankSettings(margin=4.0))
        assert p_equivalence(found) == pytest.approx(
            [self.RAW[0], 2 * self.RAW[1], 3 * self.RAW[2]], rel=1e-4
        )
        plain = decided(RankSettings(margin=4.0, correction="none"))
        assert p_equivalence(plain) == pytest.approx(list(self.RAW), rel=1e-4)

    def test_equivalent_comes_before_better(self) -> None:
        found = decided(RankSettings(margin=4.0))
        assert verdicts(found) == ["equivalent"] * 3

    def test_without_a_margin_there_is_no_equivalence(self) -> None:
        found = decided(RankSettings(), error=1e-9)
        assert all(math.isnan(p) for p in p_equivalence(found))
        assert "equivalent" not in verdicts(found)


class TestClaims:
    def test_the_lower_system_is_not_worse_by_more_than_the_margin(self) -> None:
        # p of «below 4» is that of one side: Φ(−2), Φ(−3), Φ(−4).
        settings = RankSettings(claim="non-inferior", margin=4.0)
        found = decided(settings)
        assert p_values(found) == pytest.approx(list(TestMargin.RAW), rel=1e-4)
        assert verdicts(found) == ["non-inferior"] * 3
        assert all(claim.interval.high < 4.0 for claim in found)
        assert all(claim.interval.level == 0.9 for claim in found)
        tight = decided(replace(settings, margin=3.0))
        assert verdicts(tight) == ["undecided", "non-inferior", "non-inferior"]
        assert tight[0].interval.high >= 3.0

    def test_equivalence_is_claimed_or_nothing(self) -> None:
        found = decided(RankSettings(claim="equivalent", margin=3.9))
        assert verdicts(found) == ["equivalent"] * 3
        found = decided(RankSettings(claim="equivalent", margin=1.0))
        assert verdicts(found) == ["undecided"] * 3  # never better, though p of it is .03


def test_who_beats_whom_in_the_order_of_the_ranking() -> None:
    beats = beats_matrix(outcome(), ["better", "equivalent", "worse"])
    assert beats.tolist() == [
        [False, True, False],
        [False, False, False],
        [False, True, False],
    ]


# --- Rules for drawing lines between clusters ---


def matrix(*rows: str) -> Beats:
    """Return who beats whom from rows of dots and crosses."""
    return np.array([[cell == "x" for cell in row] for row in rows])


# The third beats the fourth only; the first does not beat the third.
LAST_ONLY = matrix("...x", "..xx", "...x", "....")


def test_all_pairs_wants_every_system_above_to_beat_every_system_below() -> None:
    assert cluster(LAST_ONLY, "all-pairs") == [[0, 1, 2], [3]]


def test_wmt_looks_at_the_last_system_only() -> None:
    assert cluster(LAST_ONLY, "wmt-last") == [[0, 1], [2], [3]]


def test_min_wins_looks_at_the_weakest_so_far() -> None:
    # The first has one win, so no line with two systems below is drawn.
    assert cluster(LAST_ONLY, "min-wins") == [[0, 1, 2], [3]]


def test_rank_ranges_walk_from_neighbour_to_neighbour() -> None:
    # The first is stopped by the fourth, the second by the third.
    assert rank_ranges(LAST_ONLY, "rank-ranges") == ([1, 1, 3, 4], [3, 2, 3, 4])
    assert cluster(LAST_ONLY, "rank-ranges") == [[0, 1, 2], [3]]


def test_a_walk_may_draw_a_line_that_all_pairs_does_not() -> None:
    # Each beats the next, but the first does not beat the third.
    beats = matrix(".x.", "..x", "...")
    assert cluster(beats, "rank-ranges") == [[0], [1], [2]]
    assert cluster(beats) == [[0, 1, 2]]


def test_ranges_count_losses_and_wins() -> None:
    assert rank_ranges(LAST_ONLY) == ([1, 1, 2, 4], [3, 2, 3, 4])


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_every_rule_keeps_the_order_and_all_systems(n: int, seed: int) -> None:
    beats = np.triu(np.random.default_rng(seed).random((n, n)) < 0.6, 1)
    for rule in get_args(ClusterRule):
        groups = cluster(beats, rule)
        assert [i for group in groups for i in group] == list(range(n))


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_a_line_of_all_pairs_is_a_line_of_every_other_rule(n: int, seed: int) -> None:
    beats = np.triu(np.random.default_rng(seed).random((n, n)) < 0.8, 1)
    strict = {group[0] for group in cluster(beats)}
    for rule in get_args(ClusterRule):
        assert strict <= {group[0] for group in cluster(beats, rule)}


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match=r"`rule` must be one of .*; got 'last'"):
        cluster(LAST_ONLY, "last")  # type: ignore[arg-type]


def test_one_system_is_one_cluster_under_every_rule() -> None:
    for rule in get_args(ClusterRule):
        assert cluster(matrix("."), rule) == [[0]]
        assert rank_ranges(matrix("."), rule) == ([1], [1])


def test_wins_against_higher_systems_count_in_wmts_rules() -> None:
    # The third beats the first: two wins with one system below it.
    beats = matrix(".x.x", "...x", "x..x", "....")
    assert cluster(beats, "wmt-last") == [[0, 1, 2, 3]]
    assert cluster(beats, "min-wins") == [[0, 1, 2], [3]]
    assert rank_ranges(beats) == ([2, 2, 1, 4], [2, 3, 2, 4])


def test_a_rank_range_that_reaches_up_to_the_line_is_over_it() -> None:
    # The fourth is beaten by the first alone, so that it may be second: no line below the second.
    beats = matrix("..xx", "..x.", "....", "....")
    assert rank_ranges(beats, "rank-ranges") == ([1, 1, 3, 2], [2, 2, 4, 4])
    assert cluster(beats, "rank-ranges") == [[0, 1, 2, 3]]


# --- What WMT's rule would have said, and on which pairs it differs ---

SYSTEMS = {"a": 0, "b": 1}


def row(verdict: Verdict) -> RankedPair:
    return RankedPair(
        system="a",
        baseline="b",
        difference=1.0,
        interval=Interval(0.0, 2.0, 0.95),
        claim="better",
        interval_alone=Interval(0.1, 1.9, 0.95),
        standard_error=0.5,
        df=19.0,
        attainable_p=0.0,
        units_needed=None,
        probability=0.6,
        p_value=0.04,
        p_adjusted=0.04,
        p_equivalence=float("nan"),
        mde=1.5,
        verdict=verdict,
        n=20,
        n_clusters=None,
    )


def test_an_equivalent_pair_agrees_with_no_significant_difference() -> None:
    nobody = np.zeros((2, 2), dtype=bool)
    assert _different((row("equivalent"), row("undecided")), nobody, SYSTEMS) == []


def test_pairs_on_which_the_verdicts_differ() -> None:
    wins = np.array([[False, True], [False, False]])
    assert _different((row("better"),), wins, SYSTEMS) == []
    assert _different((row("equivalent"), row("worse")), wins, SYSTEMS) == [
        DifferentVerdict(better="a", worse="b", verdict="equivalent", wmt="better"),
        DifferentVerdict(better="a", worse="b", verdict="worse", wmt="better"),
    ]
    assert _different((row("better"),), wins.T, SYSTEMS) == [
        DifferentVerdict(better="a", worse="b", verdict="better", wmt="worse")
    ]


# --- A ranking says where a later step of the correction has cut an interval ---


def test_a_ranking_says_so() -> None:
    rng = np.random.default_rng(0)
    noise, said = rng.normal(size=40), set()
    for shift in np.linspace(0.25, 0.6, 15):
        scores = {
            "A": np.full(40, 50.0),
            "B": 50.0 + shift + noise,
            "C": 80.0 + rng.normal(size=40),
        }
        table = {
            "system": [name for name in scores for _ in range(40)],
            "item": [f"i{i}" for _ in scores for i in range(40)],
            "rater": ["r"] * 120,
            "score": [float(one) for column in scores.values() for one in column],
        }
        judged = read_judgments(table, scale=(0.0, 100.0))
        found = rank_systems(judged, standardise="none", n_resamples=999, rng=1)
        cut = [
            pair
            for pair in found.pairs
            if math.nextafter(0.0, math.inf) in (pair.interval.low, -pair.interval.high)
        ]
        noted = [note for note in found.notes if "a later step of the correction" in note]
        assert len(noted) == bool(cut)
        assert not cut or f"{cut[0].better} − {cut[0].worse}" in noted[0]
        said.add(bool(cut))
    assert said == {True, False}


# --- Margins of matched items go by the score rule, which `dt.margin_test` has for everybody ---


@pytest.mark.parametrize("documents", [None, 5])
def test_margins_of_rankings_are_those_of_the_score_rule(documents: int | None) -> None:
    rng = np.random.default_rng(8)
    old = rng.choice([60.0, 65.0, 70.0, 75.0, 90.0], 80)
    new = old - np.where(rng.random(80) < 0.2, rng.choice([1.0, 4.0], 80), 0.0)
    table = {
        "system": ["old"] * 80 + ["new"] * 80,
        "item": [*range(80)] * 2,
        "rater": ["ann"] * 160,
        "score": [*old, *new],
    }
    clusters = None if documents is None else np.arange(80) // documents
    if clusters is not None:
        table["document"] = [*clusters.tolist()] * 2
    asked: dict[str, Any] = {"claim": "non-inferior", "margin": 1.5, "rng": 1}
    made = rank_systems(table, **asked)
    [pair] = made.pairs
    wanted = margin_test(new, old, margin=1.5, clusters=clusters)
    assert wanted.kind == "sparse"
    assert pair.p_value == pytest.approx(wanted.p_noninferior, rel=1e-9)
    ends = wanted.interval(0.05)
    assert (pair.interval.low, pair.interval.high) == pytest.approx((-ends.high, -ends.low))
    assert made.signature.settings["margin-test"] == "score"
    swapped = rank_systems(table, test="permutation", **asked)
    assert "margin-test" not in swapped.signature.settings
    assert (
        swapped.pairs[0].p_value < pair.p_value
    )  # of losses that it has not seen it knows nothing
