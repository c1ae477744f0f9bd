"""The answer in words: what a sentence says and when it says more."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import (
    Agreement,
    Comparison,
    Naive,
    PairComparison,
)
from tests.study.comparison.tables import noisy_scores

NAN = float("nan")

PAIR = PairComparison(
    metric="bleu",
    system="new",
    baseline="old",
    difference=1.234,
    interval=Interval(-0.456, 2.924, 0.95),
    standard_error=0.8,
    p_value=0.0401,
    p_adjusted=0.0802,
    p_equivalence=NAN,
    mde=2.346,
    units_needed=None,
    runs_needed=None,
    mde_many_runs=NAN,
    verdict="undecided",
    naive=None,
)


def _result(*pairs: PairComparison, **more: Any) -> Comparison:
    fields: dict[str, Any] = {
        "metrics": (
            {"metric": "bleu", "label": "BLEU", "digits": 1},
            {"metric": "chrf", "label": "chrF", "digits": 2},
        ),
        "systems": (),
        "pairs": pairs,
        "groups": {},
        "agreement": (),
        "contrasts": (),
        "unit": "segment",
        "n_units": 100,
        "n_segments": 100,
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
    assert text.endswith("would reliably have seen 2.3 or more (90% power).")


def test_an_undecided_pair_says_what_the_named_difference_needs() -> None:
    pair = replace(PAIR, units_needed=12_345)
    text = _result(pair, effect={"bleu": 0.5}, unit="document").summary()
    assert text.endswith("(80% power); 0.5 needs about 12,345 documents.")
    one = _result(replace(PAIR, units_needed=1), effect={"bleu": 0.5}).summary()
    assert one.endswith("0.5 needs about 1 segment.")


def test_an_equivalent_pair_says_its_margin() -> None:
    pair = replace(PAIR, verdict="equivalent")
    text = _result(pair, margin={"bleu": 3.04}).summary()
    assert text.startswith("new and old are equivalent within ±3.0: +1.2 BLEU")


def test_every_metric_has_its_own_decimals_and_label() -> None:
    result = _result(PAIR, replace(PAIR, metric="chrf", verdict="better"))
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
    [text] = _result(agreement=(found, replace(found, conflicts=()))).disagreements()
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
    remarks = _result(replace(PAIR, p_value=right, naive=naive)).naive_remarks()
    assert bool(remarks) is said


def test_a_remark_on_the_wrong_analysis_gives_both_p_values() -> None:
    naive = Naive(method="runs counted as further sentences", p_value=0.0007)
    [text] = _result(replace(PAIR, p_value=0.31, naive=naive), PAIR).naive_remarks()
    assert text == (
        "With runs counted as further sentences, BLEU of new against old would have had "
        "p = .0007 instead of .3100."
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
    assert plain["signature"].startswith("compare|metrics:mean[aggregation:mean]|systems:2")
