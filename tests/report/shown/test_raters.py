"""What a quality control shows, against one made by hand."""

import math
from typing import Any

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.quality_control()) == [
        "Verdict",
        "chart raters",
        "Text",
        "flags",
        "raters",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.quality_control(), "Verdict") == Verdict(
        status="info",
        headline="1 of 3 testable raters passes; 1 could not be tested.",
        detail=(
            "Passing is to score degraded copies below their originals (paired t test, one-sided, "
            "p ≤ 0.05, not corrected over raters).",
            "Not passing: dee, cho.",
            "1 rater with flags, 0 of them passing: read before you pay or drop.",
        ),
    )


def test_verdict_where_all_could_be_tested_or_none() -> None:
    made = results.quality_control(
        raters=(results.rater("a", "good"), results.rater("b", "good")), correction="holm"
    )
    said = block_of(made, "Verdict")
    assert isinstance(said, Verdict)
    assert said.headline == "2 of 2 testable raters pass."
    assert said.detail == (
        "Passing is to score degraded copies below their originals (paired t test, one-sided, "
        "p ≤ 0.05, corrected over raters by Holm's method).",
    )
    none = results.quality_control(raters=(results.rater("a", "untestable", n_pairs=0),))
    assert block_of(none, "Verdict") == Verdict("warning", "None of 1 rater could be tested.")
    assert "chart raters" not in shown(none)


def test_what_the_check_could_have_shown() -> None:
    assert block_of(results.quality_control(), "Text") == Text(
        role="limits",
        title="What this check could have shown",
        text="A careful rater (25.0 points between original and copy, spread 10.0) passes with "
        "median power 0.88; .80 or more for every rater. If all 3 testable raters clicked at "
        "random, 0.1 would pass by luck. Corrected over raters 4 pass (Benjamini-Hochberg) or 4 "
        "(Holm).",
    )


def test_the_table_of_flags() -> None:
    made = results.quality_control(
        raters=(
            results.rater("a", "good", flags=("fast-task",)),
            results.rater("b", "bad", flags=("long-run", "fast-task")),
        )
    )
    table = table_of(made, "flags")
    assert columns(table) == [
        "flag: flag, name",
        "raters: raters, count",
        "passing: of them pass / pass, count",
        "meaning: because, text, keep 2",
    ]
    assert rows(table) == [
        "fast-task | 2 | 1 | a task took too little time",
        "long-run | 1 | 0 | the same score was given many times in a row",
    ]
    without = results.quality_control(raters=(results.rater("a", "good"),))
    assert "flags" not in shown(without)


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
        "n_pairs: pairs, count, keep 2",
        "gap: original − copy / gap, signed number",
        "interval: 90% interval, signed interval, keep 4",
        "power: power, number, keep 3",
        "mean_system: mean score, number, keep 5 (of ordinary items)",
        "remarks: flags and reasons / remarks, text",
        "mean_difference: copy − original, signed number, keep 9",
        "t: t of copy − original, number, keep 9",
    ]
    assert rows(table) == [
        "dee | bad | .7500 | 11 | −3.0 | [−9.8, +3.8] | 0.88 | 65.0 | – | +3.0 | −4.50",
        "cho | bad | .2500 | 11 | +21.5 | [+14.7, +28.3] | 0.88 | 65.0 | fast; one score | −21.5 | −4.50",
        "bob | untestable | – | 1 | +21.5 | – | 0.88 | 65.0 | one pair only | −21.5 | −4.50",
        "ann | good | .0040 | 11 | +21.5 | [+14.7, +28.3] | 0.88 | 65.0 | – | −21.5 | −4.50",
    ]
    assert csv_lines(table)[0] == (
        "rater,verdict,p_value,n_pairs,gap,interval_low,interval_high,power,mean_system,remarks,"
        "mean_difference,t"
    )
    assert csv_lines(table)[3] == "bob,untestable,,1,21.5,,,0.875,65.0,one pair only,-21.5,-4.5"


def test_many_raters_are_folded() -> None:
    made = [results.rater(f"r{i}", "good") for i in range(13)]
    assert table_of(results.quality_control(raters=tuple(made)), "raters").folded
    assert not table_of(results.quality_control(raters=tuple(made[:12])), "raters").folded


def _chart(**changes: Any) -> Chart:
    made = block_of(results.quality_control(**changes), "chart raters")
    assert isinstance(made, Chart)
    return made


def test_the_chart_says_who_passes_and_who_scores_copies_no_lower() -> None:
    chart = _chart()
    assert chart.key
    assert chart.twin == "raters"
    assert chart.title == (
        "1 of 3 testable raters tells originals from degraded copies; 1 scores copies no lower"
    )
    assert chart.caption == (
        "● passes, ▼ does not pass. The 90% interval lies above 0 exactly where the one-sided test "
        "passes."
    )
    assert chart.alt == (
        f"{chart.title}. Original − copy is −3.0 points at the lowest rater, +21.5 at the middle "
        "one and +21.5 at the highest."
    )


def test_the_chart_of_another_result() -> None:
    raters = (
        results.rater("a", "good", mean_difference=-30.0),
        results.rater("b", "good", mean_difference=-10.0),
        results.rater("c", "bad", mean_difference=-5.0, power=0.79, sd_difference=80.0),
    )
    chart = _chart(raters=raters, test="signed-rank", alpha=0.1)
    assert chart.title == "2 of 3 testable raters tell originals from degraded copies"
    assert chart.caption == (
        "● passes, ○ does not pass, but was tested too little (power below 80%). Intervals beyond "
        "the axis are cut."
    )
    assert "is +5.0 points at the lowest rater, +10.0 at the middle one and +30.0" in chart.alt
    corrected = _chart(raters=raters[:2], correction="holm")
    assert corrected.caption == "● passes."


def test_what_is_drawn_of_a_rater() -> None:
    drawn = str(_chart().make(720))
    assert "'gap': 21.5" in drawn
    assert "'mean': 65.0" in drawn
    assert drawn.count("'kind': 'passes'") == 3  # of its interval, its gap and its mean
    assert "bob" not in drawn


def test_long_names_can_be_read() -> None:
    raters = [
        results.rater(LONG, "good"),
        results.rater(JAPANESE, "bad", mean_difference=3.0, mean_system=20.0),
    ]
    check(blocks_of(results.quality_control(raters=tuple(raters))))
    many = [
        results.rater(f"{LONG}{i}", "good" if i % 3 else "bad", mean_difference=-float(i))
        for i in range(40)
    ]
    check(blocks_of(results.quality_control(raters=tuple(many))))


def test_methods() -> None:
    made = results.quality_control(correction="benjamini-hochberg", alpha=0.01)
    assert block_of(made, "Methods") == Methods(
        "Raters were checked with degraded copies of translations that they also judged (Graham et "
        "al., 2017). Of 4 raters, 3 had enough such pairs for a test, and 1 scored the copies lower "
        "(one-sided paired t test, p ≤ 0.01, corrected over raters by the method of Benjamini and "
        "Hochberg). Against a careful rater's gap of 25.0 points the check had less than 80% power "
        "for 0 of the 3.",
        ("graham-etal-2017", "benjamini-hochberg-1995"),
    )


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
        assert columns(table)[-1] == "z: z of copy − original, number, keep 9"
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


def test_kinds_of_raters_differ_in_shape_or_filling() -> None:
    gaps = _chart().make(720)["hconcat"][0]["layer"][2]["encoding"]
    looks = [gaps[channel]["scale"]["range"] for channel in ("shape", "fill", "stroke")]
    kinds = gaps["shape"]["scale"]["domain"]
    assert kinds == ["passes", "does not pass", "tested too little"]
    assert all(len(values) == 3 for values in looks)
    assert len({(shape, fill) for shape, fill in zip(looks[0], looks[1], strict=True)}) == 3


def test_of_very_many_raters_a_part_is_drawn() -> None:
    raters = tuple(
        results.rater(f"r{i}", "good", mean_difference=-float(i)) for i in range(1100)
    )
    chart = _chart(raters=raters)
    assert "A part of the 1,100 raters is drawn; the table has all." in chart.caption
    points = chart.make(720)["hconcat"][0]["layer"][2]["data"]["values"]
    assert len(points) == 367
    assert [point["gap"] for point in points[:3]] == [0.0, 3.0, 6.0]
