"""How captions name a test: what was tested, over what, how it was corrected, at which level."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.result import Signature
from detectable.report.shown.paper_tables import comparison_test, ranking_test, told
from tests.report.many_systems import compared
from tests.report.results import comparison, long_ranking, ranking


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "paired approximate randomization over 40 documents, max-T for 4 pairs, α = .05"),
        (
            {"exact": True, "correction": "holm", "alpha": 0.01},
            "exact paired approximate randomization over 40 documents, Holm for 4 pairs, α = .01",
        ),
        (
            {"test": "t", "exact": True, "n_units": 5, "unit": "segment"},
            "paired t test over 5 segments, max-T for 4 pairs, α = .05",
        ),
        (
            {"test": "bootstrap", "correction": "none"},
            "paired bootstrap over 40 documents, not corrected for 4 tests, α = .05",
        ),
        (
            {"runs": "random"},
            "two-way t test over 40 documents and the runs, max-T for 4 pairs, α = .05",
        ),
        (
            {"test": "compat", "signature": Signature("c", {"test": "multeval-randomization"})},
            "multeval-randomization, 40 documents, max-T for 4 pairs, α = .05",
        ),
    ],
)
def test_a_comparison(changes: dict[str, Any], said: str) -> None:
    assert comparison_test(replace(compared(5), **changes)) == said


def test_what_the_correction_covers() -> None:
    several = compared(3, ("bleu", "ter"))
    assert "max-T for 2 pairs per metric," in comparison_test(several)
    together = replace(several, family="systems-and-metrics")
    assert "max-T for 4 pairs, α" in comparison_test(together)
    one = comparison_test(compared(2))
    assert one == "paired approximate randomization over 40 documents, α = .05"
    assert comparison_test(comparison()).endswith("Holm for 2 pairs, α = .05")


def test_a_ranking() -> None:
    assert ranking_test(long_ranking(4)) == (
        "sign flips of matched differences over items, max-T for 6 pairs, α = .05"
    )
    documents = ranking(unit="document", test="signed-rank", correction="none")
    assert ranking_test(documents) == (
        "Wilcoxon's signed-rank test over documents, not corrected for 3 tests, α = .05"
    )
    published = ranking(preset="wmt21", test="rank-sum", correction="none")
    assert "rank-sum test over items as in WMT21, not corrected" in ranking_test(published)
    assert "over judgments" in ranking_test(ranking(level="judgment", test="rank-sum"))


def test_what_a_small_p_shows() -> None:
    assert told("better") == "told apart"
    assert told("equivalent") == "shown to be equivalent"
