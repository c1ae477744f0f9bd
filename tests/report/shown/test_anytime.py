"""What bands and evidence that are watched value by value show, against some made by hand."""

import math

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.report.blocks import Chart, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.bibliography import bibtex
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.shown.shown import block_of, rows, shown, table_of


def verdict(result: Result) -> Verdict:
    found = block_of(result, "Verdict")
    assert isinstance(found, Verdict)
    return found


def chart(result: Result) -> Chart:
    found = block_of(result, "chart path")
    assert isinstance(found, Chart)
    return found


def limits(result: Result) -> str:
    return next(b.text for b in blocks_of(result) if isinstance(b, Text) and b.role == "limits")


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (results.confidence_band(), ["Verdict", "chart path", "Text", "path", "Text"]),
        (results.e_process_test(), ["Verdict", "chart path", "Text", "path", "Text"]),
        (
            results.preference_test(),
            ["Verdict", "chart path", "Text", "outcomes", "path", "Text"],
        ),
        (results.betting_band(), ["Verdict", "chart path", "Text", "path", "Text"]),
        (results.pair_decisions(), ["Verdict", "Text", "pairs", "Text"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_blocks_in_order(result: Result, names: list[str]) -> None:
    assert shown(result) == [*names, "Methods", "Repeat"]


def test_a_band_says_when_it_was_decided_and_that_this_stands() -> None:
    band = results.confidence_band()
    assert verdict(band) == Verdict(
        "better",
        "Better, decided at document 60 of 100.",
        ("Mean difference +2.00, 95% band [−2.00, +6.00].",),
    )
    made = chart(band)
    assert made.title == "The band rose above 0 at document 60; today's covers it again"
    assert made.caption.endswith(
        "Decided after 60 documents. The band may cover 0 again later; the decision stands."
    )
    assert made.key
    apart = results.confidence_band(verdict="worse", interval=Interval(-6.0, -2.0, 0.95))
    assert chart(apart).title == "The band fell below 0 at document 60"
    assert limits(band).startswith("No band is given before 50 documents.")


def test_a_band_that_covers_zero_is_no_tie() -> None:
    open_ = results.confidence_band(verdict="undecided", decided_at=None)
    assert verdict(open_).headline == "Undecided after 100 documents."
    assert chart(open_).title == "The band still covers 0 after 100 documents"
    assert limits(open_).startswith(
        "Undecided is not equal: anything from −2.00 to +6.00 fits the data."
    )
    assert "decision stands" not in chart(open_).caption


def test_the_table_follows_the_band() -> None:
    table = table_of(results.confidence_band(), "path")
    assert rows(table) == [
        "1 | +2.99 | – | ",
        "12 | +2.88 | – | ",
        "23 | +2.77 | – | ",
        "34 | +2.66 | – | ",
        "45 | +2.55 | – | ",
        "56 | +2.44 | [−1.56, +6.44] | ",
        "60 | +2.40 | [+0.90, +3.90] | better",
        "67 | +2.33 | [+0.83, +3.83] | ",
        "78 | +2.22 | [+0.72, +3.72] | ",
        "89 | +2.11 | [+0.61, +3.61] | ",
        "100 | +2.00 | [−2.00, +6.00] | ",
    ]


def test_a_path_that_goes_on_from_an_earlier_one_counts_on() -> None:
    later = results.confidence_band()
    assert later.mean is not None
    assert later.low is not None
    assert later.high is not None
    part = results.confidence_band(
        mean=later.mean[90:], low=later.low[90:], high=later.high[90:]
    )
    table = table_of(part, "path")
    assert table.column("n") == tuple(range(91, 101))
    check(blocks_of(part))


def test_without_a_path_there_is_no_picture() -> None:
    bare = results.confidence_band(mean=None, low=None, high=None)
    assert shown(bare) == ["Verdict", "Text", "Text", "Methods", "Repeat"]
    assert shown(results.e_process_test(path=None)) == [
        *("Verdict", "Text", "Text", "Methods", "Repeat"),
    ]
    empty = results.confidence_band(
        mean=None, low=None, high=None, n=0, estimate=math.nan, interval=None, decided_at=None
    )
    assert verdict(empty).detail == ("No values yet.",)
    early = results.confidence_band(interval=None, decided_at=None, verdict="undecided")
    assert verdict(early).detail == ("Mean difference +2.00, no band yet.",)


def test_evidence_says_when_it_was_reached_and_whether_it_fell() -> None:
    test = results.e_process_test()
    assert verdict(test) == Verdict(
        "better",
        "Better, decided at judgment 60 of 100.",
        ("E = 4.48 now (20 needed), p = .0498 at any time, mean difference +2.25.",),
    )
    assert chart(test).title == "E reached 20 at judgment 60: better; it has fallen since"
    assert chart(test).caption.endswith(
        "Decided after 60 judgments. E may fall later; the decision stands."
    )
    high = results.e_process_test(log_e=math.log(21.0))
    assert chart(high).title == "E reached 20 at judgment 60: better"
    strict = results.e_process_test(alpha=0.01, verdict="undecided", decided_at=None)
    assert chart(strict).title == "E has reached 20.1 of the 100 that decide"
    assert "at most 1% of evaluations" in chart(strict).caption
    table = table_of(test, "path")
    assert rows(table)[6:8] == ["60 | 20.1 | better", "67 | 20.1 | "]


def test_preferences_are_counted() -> None:
    test = results.preference_test()
    assert verdict(test).headline == "Undecided after 80 judgments."
    assert verdict(test).detail == (
        "E = 7.39 now (20 needed), p = .1353 at any time, P(win | not a tie) = 0.600 (36 to 24).",
    )
    assert rows(table_of(test, "outcomes")) == ["win | 36", "loss | 24", "tie | 20"]
    made = block_of(test, "Methods")
    assert isinstance(made, Methods)
    assert "80 preferences were tested" in made.paragraph
    assert "20 ties were left out" in made.paragraph


def test_an_exact_band_says_whether_it_leaves_zero_out() -> None:
    band = results.betting_band()
    assert verdict(band).headline == "The exact band leaves 0 out after 60 judgments."
    assert verdict(band).status == "better"
    assert chart(band).title == "What the bets have not refuted: +4.75 to +12.00"
    told = table_of(band, "path")
    assert told.column("decision").count("better") == 1
    place = told.column("decision").index("better")
    assert told.column("n")[place] == 42
    wide = results.betting_band(interval=Interval(-1.0, 2.0, 0.95), low=band.low - 20.0)
    assert verdict(wide).headline == "The exact band covers 0 after 60 judgments."
    assert verdict(wide).status == "undecided"
    below = results.betting_band(interval=Interval(-9.0, -2.0, 0.95))
    assert verdict(below).status == "worse"


def test_pairs_are_decided_by_their_method() -> None:
    found = results.pair_decisions()
    assert verdict(found) == Verdict(
        "info",
        "1 of 2 pairs is decided.",
        (
            "By e-Holm: chance of any wrong claim at most 0.05. The next direction is decided at "
            "E = 60.",
        ),
    )
    assert rows(table_of(found, "pairs")) == [
        "A − B | ▲ better | .0462 | 130 | 0.125",
        "A − C | ○ undecided | .8000 | 0.25 | 7.5",
    ]
    made = block_of(found, "Methods")
    assert isinstance(made, Methods)
    assert made.cite == ("holm-1979", "ramdas-etal-2023")
    other = results.pair_decisions(method="e-BH", needed=None)
    assert verdict(other).detail == ("By e-BH: expected share of wrong claims at most 0.05.",)
    made = block_of(other, "Methods")
    assert isinstance(made, Methods)
    assert made.cite == ("wang-ramdas-2022",)


def test_scores_in_order_say_what_waits() -> None:
    assert shown(results.ordered_pairs()) == ["Verdict", "pairs", "Text", "Repeat"]
    assert verdict(results.ordered_pairs()).headline == "2 pairs in order of arrival."
    assert rows(table_of(results.ordered_pairs(), "pairs")) == [
        "matched | 2",
        "of the first system, waiting | 1",
        "of the second system, waiting | 0",
    ]


@pytest.mark.parametrize(
    "name", ["confidence_band", "e_process_test", "preference_test", "betting_band"]
)
def test_paragraphs_cite_what_there_is(name: str) -> None:
    made = block_of(results.RESULTS[name], "Methods")
    assert isinstance(made, Methods)
    assert bibtex(made.cite)
