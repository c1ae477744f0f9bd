"""What metrics judged by people show."""

from dataclasses import replace

import pytest

from detectable.report.blocks import Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, shown, table_of


def test_the_order_of_what_is_shown() -> None:
    assert shown(results.meta()) == [
        "Verdict", "chart metrics", "Text", "metrics", "pairs", "Text", "Text", "Methods", "Repeat",
    ]  # fmt: skip


def test_the_verdict_names_the_better_metric() -> None:
    assert block_of(results.meta(), "Verdict") == Verdict(
        "info",
        "comet is better than ter at accuracy with calibrated ties, 0.612 [0.581, 0.643].",
        (
            "comet is better than ter at accuracy with calibrated ties: +0.133 [+0.101, +0.165], "
            "p = .0015.",
            "From 13 systems × 530 segments in 5 documents; intervals draw segments, tests swap "
            "whole segments.",
        ),
    )


def test_rows_of_metrics_and_pairs() -> None:
    assert table_of(results.meta(), "metrics").texts()[1] == (
        "ter", "accuracy with calibrated ties", "0.479", "[0.450, 0.508]", "0.480", "no", "3.5",
        "529", "7",
    )  # fmt: skip
    assert table_of(results.meta(), "pairs").texts() == [
        ("comet", "ter", "accuracy with calibrated ties", "+0.133", "[+0.101, +0.165]", ".0015",
         ".0005", "▲ better", "0.041"),
    ]  # fmt: skip


def test_the_chart_says_who_leads() -> None:
    made = block_of(results.meta(), "chart metrics")
    assert made.title == (  # type: ignore[union-attr]
        "comet leads at accuracy with calibrated ties 0.612; 1 of 1 pair of metrics told apart"
    )
    assert "A metric that says nothing gets 0.480." in made.alt  # type: ignore[union-attr]
    alone = results.meta(rows=results.meta().rows[:1], pairs=())
    assert block_of(alone, "chart metrics").title == (  # type: ignore[union-attr]
        "comet: accuracy with calibrated ties 0.612, against 0.480 of a metric that says nothing"
    )


@pytest.mark.parametrize(("above", "words"), [
    ("yes", "a metric that says nothing gets 0.480"),
    ("no", "that is not above 0.480, which a metric gets that says nothing"),
    ("undecided", "not shown to be above 0.480, which a metric gets that says nothing"),
])  # fmt: skip
def test_one_metric_alone(above: str, words: str) -> None:
    row = results.meta_row(above_floor=above)
    found = results.meta(rows=(row,), pairs=())
    assert words in found.headline()


def test_undecided_pairs_say_what_could_have_been_seen() -> None:
    pair = replace(results.meta().pairs[0], verdict="undecided", p_adjusted=0.3)
    found = results.meta(pairs=(pair,))
    assert found.headline().startswith("Undecided which metric agrees best with people: comet")
    text = block_of(found, "Text")
    assert isinstance(text, Text)
    assert "a difference of 0.041 in accuracy with calibrated ties" in text.text


def test_what_simpler_tests_say() -> None:
    pair = replace(results.meta().pairs[0], p_value=0.26, p_cells=0.02, p_williams=0.054)
    blocks = blocks_of(results.meta(pairs=(pair,)))
    checks = [b for b in blocks if isinstance(b, Text) and b.role == "checks"]
    assert checks[0].points[1] == (
        "look",
        "comet against ter: swapping every output by itself (PERM-BOTH) gives p = .0200 and "
        "Williams' test .0540, where whole segments give .2600. Outputs for one segment are not "
        "independent.",
    )
