"""What a quality control shows, against one made by hand."""

import math

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.quality_control()) == ["Verdict", "raters", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.quality_control(), "Verdict") == Verdict(
        status="info",
        headline="1 of 4 raters passes: degraded copies score below their originals (paired t test, one-sided, p ≤ 0.05).",
        detail=(
            "2 do not pass, 1 cannot be tested.",
            "If all 3 testable raters clicked at random, 0.1 would pass by luck. Corrected over raters 4 pass (Benjamini-Hochberg) or 4 (Holm).",
            "A careful rater (25.0 points between original and copy, spread 10.0) passes with median power 0.88; .80 or more for every rater.",
            "1 rater with flags, 0 of them passing: read before you pay or drop.",
        ),
    )


def test_the_table_of_raters() -> None:
    table = table_of(results.quality_control(), "raters")
    assert (table.title, table.breaks, table.folded) == (
        "Raters, the most doubtful first",
        (),
        False,
    )
    assert columns(table) == [
        "rater: rater, name",
        "verdict: verdict, text",
        "p_value: p, p",
        "t: t, number, keep 4",
        "n_pairs: pairs, count, keep 2",
        "mean_difference: difference / diff., signed number",
        "power: power, number, keep 3",
        "remarks: flags and reasons / remarks, text",
    ]
    assert rows(table) == [
        "dee | bad | .7500 | −4.50 | 11 | +3.0 | 0.88 | –",
        "cho | bad | .2500 | −4.50 | 11 | −21.5 | 0.88 | fast; one score",
        "bob | untestable | – | −4.50 | 1 | −21.5 | 0.88 | one pair only",
        "ann | good | .0040 | −4.50 | 11 | −21.5 | 0.88 | –",
    ]
    assert csv_lines(table) == [
        "rater,verdict,p_value,t,n_pairs,mean_difference,power,remarks",
        "dee,bad,0.75,-4.5,11,3.0,0.875,",
        "cho,bad,0.25,-4.5,11,-21.5,0.875,fast; one score",
        "bob,untestable,,-4.5,1,-21.5,0.875,one pair only",
        "ann,good,0.004,-4.5,11,-21.5,0.875,",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "One rater left out."),)
    ) in blocks_of(results.quality_control())


def test_repeat() -> None:
    assert block_of(results.quality_control(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_other_tests_have_another_statistic() -> None:
    for test in ("signed-rank", "mann-whitney"):
        table = table_of(results.quality_control(test=test), "raters")
        assert columns(table)[3] == "z: z, number, keep 4"
        assert table.column("z") == (-3.25,) * 4


def test_raters_alike_stand_by_name_and_reasons_come_before_flags() -> None:
    names = ("zoe", "ann", "max")
    made = [results.rater(name, "good") for name in names]
    made.append(results.rater("sam", "untestable", reason="one pair", flags=("fast",)))
    table = table_of(results.quality_control(raters=tuple(made)), "raters")
    assert table.column("rater") == ("sam", "ann", "max", "zoe")
    assert table.column("remarks") == ("one pair; fast", None, None, None)


def test_of_raters_that_cannot_be_told_by_p_none_comes_first() -> None:
    made = (
        results.rater("nan", "untestable", p_value=math.nan),
        results.rater("low", "untestable", p_value=0.5),
    )
    table = table_of(results.quality_control(raters=made), "raters")
    assert table.column("rater") == ("low", "nan")
