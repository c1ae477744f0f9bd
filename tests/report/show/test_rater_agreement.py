"""What a rater agreement shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.rater_agreement()) == ["Verdict", "pairs", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.rater_agreement(), "Verdict") == Verdict(
        status="info",
        headline="Raters agree enough for tentative conclusions: Krippendorff's alpha 0.70 [0.60, 0.80] (interval), from 68 translations judged by two or more of 3 raters.",
        detail=(
            "Two raters correlate at 0.65 on average (ranks: 0.55; 1 pair with 10 or more translations in common).",
        ),
    )


def test_the_table_of_pairs() -> None:
    table = table_of(results.rater_agreement(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Pairs of raters", (), False)
    assert columns(table) == [
        "rater: rater, name",
        "other: other, name",
        "n_translations: translations, count, keep 2",
        "pearson: Pearson, number",
        "spearman: Spearman, number",
        "mean_difference: mean difference / difference, signed number",
    ]
    assert rows(table) == [
        "ann | bob | 1,043 | 0.75 | 0.62 | −8.50",
    ]
    assert csv_lines(table) == [
        "rater,other,n_translations,pearson,spearman,mean_difference",
        "ann,bob,1043,0.75,0.625,-8.5",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "17 repeats left out."),)
    ) in blocks_of(results.rater_agreement())


def test_repeat() -> None:
    assert block_of(results.rater_agreement(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_without_pairs_there_is_no_table() -> None:
    assert shown(results.rater_agreement(pairs=())) == ["Verdict", "Text", "Repeat"]


def test_many_pairs_are_folded() -> None:
    one = results.rater_agreement().pairs[0]
    assert table_of(results.rater_agreement(pairs=(one,) * 13), "pairs").folded
    assert not table_of(results.rater_agreement(pairs=(one,) * 12), "pairs").folded
