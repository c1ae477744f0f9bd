"""The answer in words: what a sentence says and when it says more."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.data.scores.scores import Scores
from detectable.metrics.mean import Mean
from detectable.report.shown.comparison_words import disagreements, naive_remarks, pair_sentence
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import (
    Agreement,
    Comparison,
    Influential,
    Naive,
    PairComparison,
    RunsClaim,
)
from tests.study.comparison.tables import noisy_scores

NAN = float("nan")

PAIR = PairComparison(
    measure="bleu",
    system="new",
    baseline="old",
    claim="better",
    difference=1.234,
    interval=Interval(-0.456, 2.924, 0.95),
    interval_alone=Interval(-0.1, 2.5, 0.95),
    standard_error=0.8,
    df=99.0,
    p_value=0.0401,
    p_adjusted=0.0802,
    p_equivalence=NAN,
    attainable_p=0.0001,
    mde=2.346,
    units_needed=None,
    runs_needed=None,
    mde_many_runs=NAN,
    verdict="undecided",
    naive=None,
    p_by_document=NAN,
    these_runs=None,
    new_runs=None,
)

METRIC = ({"metric": "bleu", "label": "BLEU", "digits": 1, "higher_is_better": True},)
ONE_RUN = "One run per system: this says nothing about other seeds."


def _result(*pairs: PairComparison, **more: Any) -> Comparison:
    fields: dict[str, Any] = {
        "metrics": (
            {"metric": "bleu", "label": "BLEU", "digits": 1, "higher_is_better": True},
            {"metric": "chrf", "label": "chrF", "digits": 2, "higher_is_better": True},
        ),
        "systems": (),
        "pairs": pairs,
        "groups": {},
        "agreement": (),
        "contrasts": (),
        "influential": (),
        "unit": "segment",
        "n_units": 100,
        "n_segments": 100,
        "n_runs": {"old": 3, "new": 3},
        "test": "swap",
        "runs": "fixed",
        "correction": "max-t",
        "family": "systems",
        "n_resamples": 9_999,
        "exact": False,
        "claim": "better",
        "alpha": 0.05,
        "power": 0.8,
        "margin": {},
        "effect": {},
        "signature": Signature("compare", {}),
    }
    return Comparison(**{**fields, **more})


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("better", "new is better than old"),
        ("worse", "new is worse than old"),
        ("higher", "new is higher than old"),
        ("lower", "new is lower than old"),
    ],
)
def test_a_decided_pair_is_named_with_its_numbers_and_no_more(verdict: Any, words: str) -> None:
    text = _result(replace(PAIR, verdict=verdict)).summary()
    assert text == f"{words}: +1.2 BLEU [−0.5, +2.9], p = .0802."


def test_an_undecided_pair_says_what_could_have_been_seen() -> None:
    text = _result(PAIR, power=0.9).summary()
    assert text.startswith("undecided between new and old: +1.2 BLEU [−0.5, +2.9], p = .0802.")
    assert text.endswith("could have detected 2.3 or more (90% power).")


def test_an_undecided_pair_says_what_the_named_difference_needs() -> None:
    pair = replace(PAIR, units_needed=12_345)
    text = _result(pair, effect={"bleu": 0.5}, unit="document").summary()
    assert text.endswith("(80% power); 0.5 needs about 12,345 documents.")
    one = _result(replace(PAIR, units_needed=1), effect={"bleu": 0.5}).summary()
    assert one.endswith("0.5 needs about 1 segment.")


def test_an_equivalent_pair_says_its_margin() -> None:
    pair = replace(PAIR, verdict="equivalent")
    text = _result(pair, margin={"bleu": 3.04}).summary()
    # A margin has as many decimals as it was given with.
    assert text.startswith("new and old are equivalent within ±3.04: +1.2 BLEU")


def test_equivalent_and_yet_not_equal() -> None:
    pair = replace(PAIR, verdict="equivalent", p_equivalence=0.0123, p_adjusted=0.004)
    assert _result(pair, margin={"bleu": 3.0}).summary() == (
        "new and old are equivalent within ±3: +1.2 BLEU [−0.5, +2.9], p = .0123 (and not "
        "equal: p = .0040)."
    )
    unsure = replace(pair, p_adjusted=0.4)
    assert "not equal" not in _result(unsure, margin={"bleu": 3.0}).summary()


@pytest.mark.parametrize(
    ("claim", "verdict", "words"),
    [
        ("non-inferior", "non-inferior", "new is not worse than old by more than 0.5: +1.2"),
        (
            "non-inferior",
            "undecided",
            "not shown that new is not worse than old by more than 0.5: +1.2",
        ),
        ("equivalent", "equivalent", "new and old are equivalent within ±0.5: +1.2"),
        (
            "equivalent",
            "undecided",
            "not shown that new and old are equivalent within ±0.5: +1.2",
        ),
    ],
)
def test_claims_about_margins_in_words(claim: Any, verdict: Any, words: str) -> None:
    pair = replace(PAIR, claim=claim, verdict=verdict, p_equivalence=0.0802)
    text = _result(pair, claim=claim, margin={"bleu": 0.5}).summary()
    assert text.startswith(words)
    promised = "If the systems are equal, a margin of 2.3 could have been shown (80% power)."
    assert text.endswith(promised) == (verdict == "undecided")


def test_the_effect_is_answered_also_where_the_pair_is_decided() -> None:
    pair = replace(PAIR, verdict="better", units_needed=321)
    text = _result(pair, effect={"bleu": 0.5}).summary()
    assert text.endswith("p = .0802. 0.5 needs about 321 segments.")


def test_a_tiny_detectable_difference_is_not_printed_as_zero() -> None:
    text = _result(replace(PAIR, mde=0.00041)).summary()
    assert text.endswith("could have detected 0.0004 or more (80% power).")
    margin = replace(PAIR, mde=0.00041, claim="equivalent")
    text = _result(margin, claim="equivalent", margin={"bleu": 0.001}).summary()
    assert "within ±0.001:" in text
    assert "a margin of 0.0004 could have been shown" in text


def test_where_nothing_can_be_shown_the_sentence_says_so() -> None:
    pair = replace(PAIR, attainable_p=0.0625, mde=NAN, units_needed=6)
    few = _result(pair, n_units=5, unit="document", exact=True, n_resamples=15, metrics=METRIC)
    assert few.summary().endswith(
        "This design cannot reject at .05: the smallest possible p of 5 documents is .063. It "
        "needs at least 6."
    )
    pairs = [replace(pair, system=name, attainable_p=10 / 128) for name in "abcdefghij"]
    many = _result(
        *pairs, n_units=8, exact=True, n_resamples=127, correction="holm", metrics=METRIC
    )
    assert (
        many.summary()
        .splitlines()[0]
        .endswith(
            "This design cannot reject at .05 among 10 pairs: the smallest possible p of 8 segments "
            "is .078. It needs at least 9."
        )
    )
    drawn = _result(replace(pair, attainable_p=0.1), n_resamples=9)
    assert drawn.summary().endswith(
        "This test cannot reject at .05: the smallest possible p of 9 swaps is .1. It needs at "
        "least 19."
    )
    bootstrap = _result(replace(pair, attainable_p=0.1), n_resamples=9, test="bootstrap")
    assert "of 9 resamples is .1. It needs at least 19." in bootstrap.summary()


def test_where_nothing_varies_the_sentence_says_so() -> None:
    pair = replace(PAIR, standard_error=0.0, mde=NAN)
    assert (
        _result(pair)
        .summary()
        .endswith("The difference is the same in every segment: there is no spread to test.")
    )


def test_where_no_size_would_do_the_sentence_says_so() -> None:
    text = _result(replace(PAIR, mde=NAN), n_units=6).summary()
    assert text.endswith("No difference of any size could have been shown with 6 segments.")


# Runs


def _with_runs(these: float, new: float, difference: float = 1.234) -> PairComparison:
    return replace(
        PAIR,
        difference=difference,
        these_runs=RunsClaim(
            p_value=these / 2, p_adjusted=these, interval=Interval(0.3, 2.2, 0.95)
        ),
        new_runs=RunsClaim(p_value=new / 2, p_adjusted=new, interval=PAIR.interval),
        p_adjusted=new,
    )


def test_both_claims_about_runs_are_in_the_sentence() -> None:
    text = _result(_with_runs(0.0123, 0.24), runs="random").summary()
    assert text.startswith(
        "undecided between new and old: +1.2 BLEU [−0.5, +2.9], p = .2400 for new runs; these "
        "runs [+0.3, +2.2], p = .0123. These 3 runs of new are ahead, other runs might not be."
    )
    behind = _result(_with_runs(0.0123, 0.24, -1.234), runs="random").summary()
    assert "These 3 runs of new are behind, other runs might not be." in behind
    sure = _result(replace(_with_runs(0.001, 0.02), verdict="better"), runs="random").summary()
    assert "might not be" not in sure
    neither = _result(_with_runs(0.2, 0.3), runs="random").summary()
    assert "might not be" not in neither


def test_a_verdict_about_these_runs_names_the_new_ones_beside_it() -> None:
    pair = replace(_with_runs(0.0123, 0.24), p_adjusted=0.0123, verdict="better")
    assert _result(pair, runs="fixed").summary() == (
        "new is better than old: +1.2 BLEU [−0.5, +2.9], p = .0123 for these runs; new runs "
        "[−0.5, +2.9], p = .2400. These 3 runs of new are ahead, other runs might not be."
    )


def test_a_claim_about_a_margin_says_which_runs_it_is_about() -> None:
    pair = replace(_with_runs(0.01, 0.02), claim="non-inferior", verdict="non-inferior")
    for runs, words in (("random", "new"), ("fixed", "these")):
        text = _result(pair, claim="non-inferior", margin={"bleu": 1}, runs=runs).summary()
        assert text.endswith(f"p = .0200 for {words} runs.")


def test_lower_is_better_turns_ahead_and_behind() -> None:
    metrics = ({"metric": "bleu", "label": "TER", "digits": 1, "higher_is_better": False},)
    text = _result(_with_runs(0.0123, 0.24), runs="random", metrics=metrics).summary()
    assert "These 3 runs of new are behind, other runs might not be." in text


def test_one_run_of_each_says_what_it_cannot_show() -> None:
    assert _result(PAIR, n_runs={"old": 1, "new": 1}).summary().splitlines()[-1] == ONE_RUN
    assert ONE_RUN not in _result(PAIR, n_runs={"old": 1, "new": 2}).summary()


# Few units


def test_few_units_say_which_test_they_were_given() -> None:
    pair = replace(PAIR, df=2.81)
    few = _result(pair, test="t", n_units=5, unit="document").summary()
    assert few.splitlines()[-1] == (
        "5 documents: too few to swap (the smallest possible p is .063). Tested by t over "
        "documents, 2.8 degrees of freedom; it assumes that document differences are roughly "
        "normal. Swapping needs 7 documents."
    )
    # Asked for by name with enough units, t needs no excuse; for new runs it is the only one.
    assert "too few" not in _result(pair, test="t", n_units=100).summary()
    assert "too few" not in _result(pair, test="t", n_units=5, runs="random").summary()
    assert "too few" not in _result(pair, n_units=5).summary()


# One unit


def test_what_hangs_on_one_unit_is_said_where_it_decides() -> None:
    found = Influential(
        metric="chrf",
        system="new",
        baseline="old",
        unit="document",
        name="story-3",
        difference=0.814,
        p_adjusted=0.09,
        decides=True,
    )
    text = _result(PAIR, influential=(found, replace(found, decides=False))).summary()
    assert text.splitlines()[1:] == [
        "Without document story-3 the difference new − old in chrF would be undecided (+0.81, "
        "p = .0900)."
    ]


def test_the_family_is_what_the_correction_covers() -> None:
    both = (PAIR, replace(PAIR, measure="chrf"))
    assert _result(*both).family_size == 1
    assert _result(*both, family="systems-and-metrics").family_size == 2


def test_every_metric_has_its_own_decimals_and_label() -> None:
    result = _result(PAIR, replace(PAIR, measure="chrf", verdict="better"))
    assert "+1.23 chrF [−0.46, +2.92]" in result.summary().splitlines()[1]
    assert (result.digits("bleu"), result.digits("chrf")) == (1, 2)
    assert (result.label("bleu"), result.label("chrf")) == ("BLEU", "chrF")
    assert result.about("chrf")["metric"] == "chrf"


def test_there_is_one_sentence_for_each_pair() -> None:
    pairs = [replace(PAIR, system=name) for name in ("x", "y", "z")]
    lines = _result(*pairs).summary().splitlines()
    assert [line.split()[2] for line in lines] == ["x", "y", "z"]


def test_disagreements_name_the_metrics_by_label() -> None:
    names = tuple(f"s{i} against t" for i in range(7))
    found = Agreement(metrics=("bleu", "chrf"), same_order=0, pairs=7, conflicts=names)
    [text] = disagreements(_result(agreement=(found, replace(found, conflicts=()))))
    assert text.startswith("BLEU and chrF disagree on s0 against t, s1 against t")
    assert text.endswith("and 2 more")


# What the wrong analysis would have said matters only where it decides otherwise


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (0.04, 0.03, False),
        (0.04, 0.06, True),
        (0.06, 0.04, True),
        (0.06, 0.07, False),
        (0.05, 0.06, True),
        (0.05, 0.04, False),
        (0.06, 0.05, True),
        (0.04, 0.05, False),
    ],
)
def test_a_wrong_analysis_is_named_where_it_decides_otherwise(
    right: float, wrong: float, said: bool
) -> None:
    naive = Naive(method="segments counted as independent", p_value=wrong)
    remarks = naive_remarks(_result(replace(PAIR, p_value=right, naive=naive)))
    assert bool(remarks) is said


def test_a_remark_on_the_wrong_analysis_gives_both_p_values() -> None:
    naive = Naive(method="runs counted as further sentences", p_value=0.0007)
    pair = replace(PAIR, p_value=0.31, p_adjusted=0.31, naive=naive)
    [text] = naive_remarks(_result(pair, PAIR))
    assert text == (
        "With runs counted as further sentences, BLEU of new against old would have had "
        "p = .0007 instead of p = .3100."
    )


# To JSON and back to the same run


def test_a_comparison_becomes_plain_json() -> None:
    result = compare(noisy_scores(0.1, n=10), baseline="A", n_resamples=9, rng=1, n_examples=1)
    plain = result.to_dict()
    assert plain["kind"] == "Comparison"
    assert plain["pairs"][0]["mde_many_runs"] is None  # nan is «no value»
    low, high = plain["pairs"][0]["interval"]
    assert low < plain["pairs"][0]["difference"] < high
    assert (plain["alpha"], plain["power"], plain["unit"]) == (0.05, 0.8, "segment")
    assert (plain["claim"], plain["test"], plain["exact"]) == ("better", "swap", True)
    assert plain["n_resamples"] == 511  # all swaps of ten units but the data themselves
    assert plain["pairs"][0]["attainable_p"] == 1 / 512
    assert plain["pairs"][0]["these_runs"] is None
    low, high = plain["pairs"][0]["interval_alone"]
    assert [low, high] == plain["pairs"][0]["interval"]
    assert plain["signature"].startswith("compare|metrics:mean[aggregation:mean]|systems:2")


def test_a_tiny_scale_has_the_decimals_that_its_verdict_needs() -> None:
    """«better: +0.0000 [+0.0000, +0.0000]» would contradict itself."""
    rng = np.random.default_rng(3)
    steps = rng.normal(2e-7, 1e-7, 20)
    tiny = Scores.build({"A": np.zeros(20), "B": steps})
    found = compare(tiny, rng=1)
    assert found.pairs[0].verdict == "better"
    assert found.digits("mean") == 8
    assert f"+{steps.mean():.8f}" in found.summary()
    assert "+0.0000 " not in found.summary()
    usual = compare(Scores.build({"A": np.zeros(20), "B": 1e5 * steps}), rng=1)
    assert usual.digits("mean") == Mean().digits
    # Without any spread there is nothing to go by.
    same = compare(Scores.build({"A": np.zeros(9), "B": np.full(9, 1e-9)}), rng=1)
    assert same.digits("mean") == Mean().digits


def test_ties_that_leave_no_small_p_say_what_would_be_found() -> None:
    pair = replace(PAIR, attainable_p=0.25, mde=0.1905, n_differing=3, verdict="undecided")
    said = pair_sentence(_result(pair, n_units=40, unit="segment"), pair)
    assert said.endswith(
        "Only 3 of 40 segments differ; the smallest possible p is .25. A difference of 0.2 or more "
        "would make enough segments differ (80% power)."
    )


def test_systems_that_never_differ_have_no_spread_to_test() -> None:
    pair = replace(
        PAIR, attainable_p=1.0, mde=NAN, n_differing=0, standard_error=0.0, verdict="undecided"
    )
    said = pair_sentence(_result(pair, n_units=40, unit="segment"), pair)
    assert said.endswith("is the same in every segment: there is no spread to test.")


def test_a_simpler_p_is_set_against_the_one_before_correction() -> None:
    naive = Naive(method="segments counted as independent", p_value=0.019)
    pair = replace(PAIR, naive=naive, p_value=0.1285, p_adjusted=0.3017)
    made = _result(pair, pair, pair, family="systems-and-metrics")
    said = naive_remarks(made)[0]
    assert said.endswith(
        "would have had p = .0190 instead of p = .1285, both before the correction for 3 tests "
        "(p = .3017 after it)."
    )
    [alone] = naive_remarks(_result(replace(pair, p_adjusted=0.1285)))
    assert alone.endswith("would have had p = .0190 instead of p = .1285.")
    [tiny] = naive_remarks(
        _result(replace(pair, naive=replace(naive, p_value=0.3), p_value=1e-9, p_adjusted=1e-9))
    )
    assert tiny.endswith("p = .3000 instead of p < .0001.")
