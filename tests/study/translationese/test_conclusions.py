"""What a half concludes, whatever it was made from."""

import math

import pytest

from detectable.study.translationese.conclusions import (
    Concluded,
    PairVerdict,
    of_comparison,
    of_ranking,
)
from tests.report import results


@pytest.mark.parametrize("turned", ["better", "worse", "undecided", "higher", "lower"])
def test_a_verdict_reads_both_ways(turned: str) -> None:
    opposite = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}
    found = Concluded({("A", "B"): PairVerdict(turned, 1.0)}, ())  # type: ignore[arg-type]
    assert found.of("A", "B").verdict == turned
    assert found.of("B", "A").verdict == opposite.get(turned, turned)
    assert found.told_apart == (turned != "undecided")


def test_the_typical_detectable_difference() -> None:
    pairs = {(a, b): PairVerdict("undecided", m) for a, b, m in
             [("A", "B", 1.0), ("A", "C", math.nan), ("B", "C", 4.0)]}  # fmt: skip
    assert Concluded(pairs, ()).median_mde == 2.5
    assert math.isnan(Concluded({}, ()).median_mde)


def test_of_a_ranking() -> None:
    ranking = results.ranking()
    found = of_ranking(ranking)
    assert found.clusters == ranking.clusters
    assert len(found.pairs) == len(ranking.pairs)
    for row in ranking.pairs:
        assert found.of(row.better, row.worse) == PairVerdict(row.verdict, row.mde)


def test_of_a_comparison_one_metric_is_taken() -> None:
    rows = (results.pair(), results.pair(metric="chrf", verdict="undecided", mde=0.75))
    groups = {"bleu": (("new",), ("old",)), "chrf": (("new", "old"),)}
    both = results.comparison(pairs=rows, groups=groups)
    assert of_comparison(both, "bleu") == Concluded(
        {("new", "old"): PairVerdict("better", 1.05)}, (("new",), ("old",))
    )
    assert of_comparison(both, "chrf") == Concluded(
        {("new", "old"): PairVerdict("undecided", 0.75)}, (("new", "old"),)
    )
    assert of_comparison(results.comparison(pairs=rows, groups={}), "bleu").clusters == ()
