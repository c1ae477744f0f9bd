"""What a ranking says, from results made by hand."""

import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.report.shown.ranking import design, hinges, pair_sentence, wmt_sentence
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import (
    DifferentVerdict,
    Influential,
    RankedPair,
    RankedSystem,
    Ranking,
    WmtView,
)
from detectable.study.ranking.settings import RankSettings, with_preset
from tests.study.ranking.test_rank_systems import THREE, crossed, judged

PAIR = RankedPair(
    system="b",
    baseline="a",
    claim="better",
    difference=2.5,
    interval=Interval(0.501, 4.499, 0.95),
    interval_alone=Interval(0.6, 4.4, 0.95),
    standard_error=1.0,
    df=39.0,
    probability=0.6,
    p_value=0.0123,
    p_adjusted=0.0246,
    p_equivalence=math.nan,
    attainable_p=0.0001,
    mde=2.84,
    units_needed=None,
    verdict="better",
    n=40,
    n_clusters=None,
)
UNDECIDED = replace(PAIR, verdict="undecided", p_adjusted=0.3)


def ranking(*pairs: RankedPair, correction: str = "holm", **changed: Any) -> Ranking:
    """Return a ranking with these pairs; its systems are one of each cluster."""
    made: dict[str, Any] = {
        "clusters": (("b",), ("a",)),
        "pairs": pairs,
        "wmt": WmtView(clusters=(("b",), ("a",)), n_significant=1, n_pairs=1, different=()),
        "preset": None,
        "test": "permutation",
        "matching": "item",
        "unit": "item",
        "level": "item",
        "scale": "points",
        "reason": "Tested.",
        "claim": "better",
        "n_units": 40,
        "n_resamples": 9_999,
        "exact": False,
        "alpha": 0.05,
        "power": 0.8,
        "margin": None,
        "correction": correction,
        "signature": Signature("rank", {}),
        **changed,
    }
    names = [name for group in made["clusters"] for name in group]
    made["systems"] = tuple(_system(name) for name in names)
    return Ranking(**made)


def _system(name: str) -> RankedSystem:
    return RankedSystem(
        system=name,
        score=70.0,
        interval=Interval(69.0, 71.0, 0.95),
        mean_raw=70.0,
        mean_z=math.nan,
        n=1,
        N=1,
        cluster=1,
        rank_low=1,
        rank_high=1,
    )


class TestSentence:
    def test_better(self) -> None:
        assert pair_sentence(ranking(PAIR), PAIR) == (
            "b is better than a: +2.50 points [+0.50, +4.50], p = .0246."
        )

    def test_a_loss_of_the_system_with_the_higher_score_is_said(self) -> None:
        turned = replace(PAIR, verdict="worse")
        assert pair_sentence(ranking(turned, scale="z"), turned) == (
            "b has the higher score but is worse than a: +2.500 z [+0.501, +4.499], p = .0246."
        )

    def test_equivalent(self) -> None:
        same = replace(PAIR, verdict="equivalent", p_equivalence=0.0246, p_adjusted=0.0001)
        assert pair_sentence(ranking(same, margin=3.0), same) == (
            "b and a are equivalent within ±3.00: +2.50 points [+0.50, +4.50], p = .0246."
        )

    def test_undecided_with_what_could_have_been_seen(self) -> None:
        numbers = "undecided between b and a: +2.50 points [+0.50, +4.50], p = .3000."
        assert pair_sentence(ranking(UNDECIDED, power=0.9), UNDECIDED) == (
            f"{numbers} This evaluation could have detected 2.84 or more (90% power)."
        )
        unknown = replace(UNDECIDED, mde=math.nan, attainable_p=0.06)
        assert pair_sentence(ranking(unknown), unknown) == numbers
        flat = replace(UNDECIDED, mde=math.nan, standard_error=0.0)
        assert pair_sentence(ranking(flat), flat) == (
            f"{numbers} Nothing varies here, so that nothing can be shown."
        )
        few = replace(UNDECIDED, mde=math.nan)
        assert pair_sentence(ranking(few), few).endswith(
            "too few units of its own for any difference to be detected."
        )

    def test_claims_about_a_margin(self) -> None:
        kept = replace(PAIR, claim="non-inferior", verdict="non-inferior")
        made = ranking(kept, claim="non-inferior", margin=5.0)
        assert pair_sentence(made, kept) == (
            "a is not worse than b by more than 5.00: b − a +2.50 points [+0.50, +4.50], p = .0246."
        )
        unknown = replace(kept, verdict="undecided")
        assert pair_sentence(made, unknown) == (
            "not shown that a is not worse than b by more than 5.00: b − a +2.50 points [+0.50, "
            "+4.50], p = .0246. If the systems are equal, a margin of 2.84 could have been "
            "shown (80% power)."
        )
        assert made.summary().splitlines()[0] == (
            "1 of 1 pair shown: the lower system not worse by more than 5.00 (p ≤ 0.05)."
        )
        both = ranking(
            replace(PAIR, claim="equivalent", verdict="equivalent"),
            replace(UNDECIDED, claim="equivalent"),
            claim="equivalent",
            margin=5.0,
        )
        assert both.summary().splitlines()[0] == (
            "1 of 2 pairs shown: equivalent within ±5.00 (p ≤ 0.05, Holm)."
        )
        assert "WMT" not in both.summary()
        assert "significantly" not in both.summary()


class TestDesign:
    def test_nothing_to_say_of_the_usual_test(self) -> None:
        assert design(ranking(PAIR)) == ""
        assert design(ranking(PAIR, test="t", n_units=100)) == ""

    def test_a_t_test_because_units_are_few(self) -> None:
        two = ranking(PAIR, replace(PAIR, df=3.21), test="t", n_units=5, unit="document")
        assert design(two) == (
            "5 documents: too few to swap (the smallest possible p is .063). Tested by t over "
            "documents, 3.2 degrees of freedom; it assumes that document differences are roughly "
            "normal. Swapping needs 7 documents."
        )
        unpaired = replace(two, matching="none")
        assert design(unpaired).startswith(
            "5 documents of some system: too few for a test of r"
        )
        assert "swap" not in design(unpaired)
        assert design(ranking(PAIR, test="t", n_units=7, alpha=0.01)).endswith(
            "needs 10 items."
        )

    def test_a_test_that_cannot_reject(self) -> None:
        stuck = replace(UNDECIDED, mde=math.nan, attainable_p=0.0625, units_needed=6)
        made = ranking(stuck, n_units=5, unit="document", exact=True)
        assert design(made) == (
            "This design cannot reject at .05: the smallest possible p of 5 documents is .063. It "
            "needs at least 6."
        )
        assert design(made) in made.summary()
        assert design(ranking(stuck, PAIR)).startswith(
            "This design cannot reject at .05 for 1 of 2 pairs: the"
        )
        drawn = replace(stuck, units_needed=None)
        assert design(ranking(drawn, n_resamples=9)) == (
            "This design cannot reject at .05: the smallest possible p of 9 sign patterns is .063. "
            "Draw more."
        )


class TestHinges:
    def test_a_pair(self) -> None:
        without = Influential(
            kind="document",
            name="d7",
            share=0.0759,
            better="b",
            worse="a",
            difference=0.8,
            p_adjusted=0.09,
        )
        made = ranking(PAIR, influential=(without,))
        said = "Without document d7 (8% of the comparisons) b − a would be undecided (+0.80, p = .0900)."
        assert hinges(made) == [said]
        assert said in made.summary()
        turned = replace(without, kind="rater", name="bob", verdict="equivalent")
        assert hinges(ranking(PAIR, influential=(turned,))) == [
            "Without rater bob (8% of the comparisons) b − a would be “equivalent” (+0.80, p = .0900)."
        ]

    def test_clusters(self) -> None:
        without = Influential(
            kind="document", name="d7", share=0.1, clusters=(("b",), ("a", "c"))
        )
        assert hinges(ranking(PAIR, influential=(without,))) == [
            "Without document d7 (10% of the comparisons) the clusters would be b | a, c."
        ]


class TestSummary:
    def test_holm_is_named_where_it_corrected(self) -> None:
        # Both p-values are 1, so that the correction changes neither: it was used all the same.
        pairs = [replace(UNDECIDED, p_value=1.0, p_adjusted=1.0, mde=math.nan)] * 2
        said = ranking(*pairs).summary().splitlines()[1]
        assert said == "0 of 2 pairs differ significantly (p ≤ 0.05, Holm), 2 undecided."

    def test_holm_is_not_named_where_it_did_not(self) -> None:
        # WMT25 doubles p-values, so that they differ without any correction.
        pairs = [PAIR, replace(PAIR, baseline="c")]
        told = "2 of 2 pairs differ significantly (p ≤ 0.05)."
        assert ranking(*pairs, correction="none").summary().splitlines()[1] == told
        assert (
            ranking(*pairs, correction="none", preset="wmt25").summary().splitlines()[1] == told
        )
        assert (
            ranking(PAIR).summary().splitlines()[1]
            == "1 of 1 pair differs significantly (p ≤ 0.05)."
        )

    def test_equivalent_and_undecided_pairs_are_counted(self) -> None:
        pairs = (
            replace(PAIR, verdict="worse"),
            replace(PAIR, verdict="equivalent"),
            UNDECIDED,
            replace(UNDECIDED, mde=1.5),
            replace(UNDECIDED, mde=math.nan),
        )
        assert ranking(*pairs, margin=0.5).summary().splitlines()[1] == (
            "1 of 5 pairs differs significantly (p ≤ 0.05, Holm), 1 equivalent within ±0.50, 3 undecided; "
            "there, differences of 1.50 to 2.84 points could have been detected (80% power)."
        )
        same = ranking(UNDECIDED, UNDECIDED).summary().splitlines()[1]
        assert "2 undecided; there, differences of 2.84 points could" in same

    @pytest.mark.parametrize(
        ("clusters", "said"),
        [
            ((("a",), ("b",)), "a is on top: better than the other system."),
            ((("a",), ("b", "c")), "a is on top: better than the other 2."),
            ((("a", "b"),), "a and b cannot be separated."),
            (
                (("a", "b"), ("c",)),
                "2 systems share the top cluster, above the other system: a, b.",
            ),
        ],
    )
    def test_who_is_on_top(self, clusters: tuple[tuple[str, ...], ...], said: str) -> None:
        assert ranking(PAIR, clusters=clusters).summary().splitlines()[0] == said

    def test_pairs_are_spelt_out_up_to_three(self) -> None:
        assert len(ranking(PAIR, PAIR, PAIR).summary().splitlines()) == 2 + 3 + 2
        assert len(ranking(PAIR, PAIR, PAIR, PAIR).summary().splitlines()) == 2 + 2

    def test_wmt_is_not_compared_with_itself(self) -> None:
        assert (
            ranking(PAIR, preset="wmt21", correction="none").summary().splitlines()[-1]
            == "Tested."
        )
        assert ranking(PAIR).summary().splitlines()[-1] == (
            "WMT's rule (one-sided rank-sum on z, uncorrected) would make 2 clusters and call 1 "
            "of 1 pair different, and agrees on every pair."
        )

    def test_where_wmt_differs(self) -> None:
        one = DifferentVerdict(better="b", worse="a", verdict="better", wmt="undecided")
        view = WmtView(clusters=(("b", "a"),), n_significant=0, n_pairs=3, different=(one,))
        start = (
            "WMT's rule (one-sided rank-sum on z, uncorrected) would make 1 cluster and call 0 "
            "of 3 pairs different, 2 here; "
        )
        assert wmt_sentence(view, 2) == f"{start}1 pair differs."
        assert wmt_sentence(replace(view, different=(one, one)), 2) == f"{start}2 pairs differ."


def test_a_pair_is_found_whichever_way_it_is_asked_for() -> None:
    other = replace(PAIR, baseline="c")
    made = ranking(PAIR, other)
    assert made.pair("a", "b") is PAIR
    assert made.pair("c", "b") is other


class TestTheCorrectionIsNamedWhereItWasUsed:
    def test_in_the_summary(self) -> None:
        table = judged(crossed(THREE))
        assert "(p ≤ 0.05, max-T)" in rank_systems(table, rng=1).summary()
        holm = rank_systems(table, rng=1, correction="holm")
        assert "(p ≤ 0.05, Holm)" in holm.summary()
        by_t = rank_systems(table, rng=1, test="t")
        assert (by_t.correction, "(p ≤ 0.05, Holm)" in by_t.summary()) == ("holm", True)
        none = rank_systems(table, rng=1, correction="none")
        assert none.correction == "none"
        assert "(p ≤ 0.05)" in none.summary()

    @pytest.mark.filterwarnings("ignore:preset")
    def test_not_for_a_preset_that_doubles_p_values(self) -> None:
        ranking = rank_systems(judged(crossed(THREE)), preset="wmt25")
        assert any(pair.p_adjusted != pair.p_value for pair in ranking.pairs)
        assert "Holm" not in ranking.summary()
        assert "max-T" not in ranking.summary()


def test_scores_between_0_and_1_have_four_decimals() -> None:
    made = ranking(PAIR)
    assert made.digits == 2
    small = replace(
        made, systems=tuple(replace(row, score=row.score / 100) for row in made.systems)
    )
    assert (small.digits, replace(small, scale="z").digits) == (4, 3)


# --- Every choice of a ranking is checked, and choices that contradict each other are refused ---

WORDS = (
    "preset",
    "standardise",
    "over",
    "test",
    "unit",
    "level",
    "correction",
    "cluster_rule",
    "average",
    "claim",
)


@pytest.mark.parametrize("option", WORDS)
@pytest.mark.parametrize("word", ["best", ""])
def test_unknown_words_are_refused_by_name(option: str, word: Any) -> None:
    with pytest.raises(InputError, match=f"`{option}` must be one of .*; got '{word}'"):
        RankSettings(**{option: word})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("alpha", 0.0),
        ("alpha", 1.0),
        ("power", 0.0),
        ("power", 80.0),
        ("n_resamples", 0),
        ("n_resamples", 99.5),
        ("margin", 0.0),
        ("margin", -1.0),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"`{option}` must (be|lie)"):
        RankSettings(**{option: value})


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"level": "judgment", "test": "signed-rank"}, "goes with the rank-sum test only"),
        ({"level": "judgment", "unit": "document"}, "whole documents. Choose one"),
        ({"test": "mixed", "standardise": "z"}, "drop `standardise='z'`"),
        ({"test": "mixed", "standardise": "mixed"}, "drop `standardise='mixed'`"),
        ({"test": "stouffer", "average": "items"}, "drop `average='items'`"),
        ({"test": "stouffer-unsigned", "average": "items"}, "drop `average='items'`"),
        ({"claim": "non-inferior"}, "`claim='non-inferior'` needs a margin.* Give `margin`"),
        ({"claim": "equivalent"}, "`claim='equivalent'` needs a margin"),
        (
            {"claim": "equivalent", "margin": 1.0, "preset": "wmt21"},
            "a preset tests for a diff",
        ),
        (
            {"claim": "non-inferior", "margin": 1.0, "alpha": 0.5},
            "alpha below .5: it is one-sid",
        ),
    ],
)
def test_contradictions(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RankSettings(**choices)


@pytest.mark.parametrize(
    "choices",
    [
        {"level": "judgment"},
        {"level": "judgment", "test": "rank-sum", "unit": "item"},
        {"test": "mixed"},
        {"test": "mixed", "standardise": "none"},
        {"test": "stouffer"},
        {"test": "permutation", "average": "items"},
        {"margin": 0.01, "alpha": 0.001, "n_resamples": 1},
        {"claim": "non-inferior", "margin": 1.0, "alpha": 0.49},
        {"claim": "equivalent", "margin": 1.0, "correction": "holm"},
        {"correction": "max-t", "test": "permutation"},
    ],
)
def test_what_goes_together(choices: dict[str, Any]) -> None:
    made = RankSettings(**choices)
    assert all(getattr(made, name) == value for name, value in choices.items())


def test_intervals_have_the_level_of_the_tests() -> None:
    assert RankSettings(alpha=0.1).level_of_intervals == 0.9


@pytest.mark.parametrize(
    ("preset", "test", "rule", "one_sided", "zeros"),
    [
        ("wmt21", "rank-sum", "wmt-last", True, "pratt"),
        ("wmt24", "stouffer-unsigned", "all-pairs", False, "drop"),
        ("wmt25", "signed-rank", "rank-ranges", True, "drop"),
    ],
)
def test_a_preset_is_what_wmt_did(
    preset: Any, test: str, rule: str, zeros: str, *, one_sided: bool
) -> None:
    made = with_preset(RankSettings(preset=preset), {})
    assert (made.test, made.cluster_rule, made.one_sided) == (test, rule, one_sided)
    assert (made.unit, made.level, made.correction) == ("item", "item", "none")
    assert (made.zeros, made.continuity) == (zeros, preset == "wmt21")
    assert made.waves_as_items == (preset == "wmt25")
    assert not made.within_raters
    assert made.standardise == ("z" if preset == "wmt21" else "none")
    assert made.average == ("domains" if preset == "wmt24" else "items")


def test_without_a_preset_nothing_changes() -> None:
    asked = RankSettings(test="rank-sum")
    assert with_preset(asked, {"test": "rank-sum"}) is asked
