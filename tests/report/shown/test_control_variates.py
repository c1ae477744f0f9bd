"""What a control variates shows, against one made by hand."""

import json
from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.bibliography import bibtex
from detectable.study.precision.control_variate_result import ControlVariates
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.control_variates()) == [
        *("Verdict", "chart intervals", "Text", "pairs", "means", "Text", "Text", "Methods"),
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.control_variates(), "Verdict") == Verdict(
        status="info",
        headline="With COMET the same precision takes 19% fewer judgments.",
        detail=(
            "Correlation 0.45 within systems, data efficiency 1.25.",
            "new is better than old: +2.25 [+0.50, +4.00], p = .0220 (without the metric +2.00, p = .1000).",
        ),
    )


def test_the_table_of_pairs() -> None:
    table = table_of(results.control_variates(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Differences", (), False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "estimate: difference / diff., signed number",
        "interval: 95% interval, signed interval",
        "p_value: p, p, keep 9",
        "p_adjusted: p corrected / p corr., p",
        "standard_error: SE, number, keep 3",
        "plain_estimate: plain difference, signed number, keep 9",
        "plain_standard_error: SE plain, number, keep 4",
        "saved: saved, share, keep 2",
        "n_items: items, count, keep 5",
        "paired: items shared, text, keep 9",
        "verdict: verdict, verdict",
    ]
    assert rows(table) == [
        "new | old | +2.25 | [+0.50, +4.00] | .0110 | .0220 | 0.90 | +2.00 | 1.00 | 19% | 110 | yes | ▲ better",
    ]
    assert csv_lines(table) == [
        "system,baseline,estimate,interval_low,interval_high,p_value,p_adjusted,standard_error,plain_estimate,plain_standard_error,saved,n_items,paired,verdict",
        "new,old,2.25,0.5,4.0,0.011,0.022,0.9,2.0,1.0,0.18999999999999995,110,yes,better",
    ]


def test_the_table_of_means() -> None:
    table = table_of(results.control_variates(), "means")
    assert (table.title, table.breaks, table.folded) == ("Means", (), False)
    assert columns(table) == [
        "system: system, name",
        "mean: mean, number",
        "interval: 95% interval, interval",
        "standard_error: SE, number, keep 2",
        "plain_mean: plain mean, number, keep 3",
        "plain_standard_error: SE plain, number, keep 3",
        "slope: λ, number, keep 5",
        "correlation: correlation / corr., number, keep 4",
        "n_items: items, count, keep 4",
        "n_pool: pool, count, keep 5",
    ]
    assert rows(table) == [
        "new | 70.50 | [68.00, 73.00] | 1.25 | 71.50 | 1.50 | 0.62 | 0.45 | 120 | 2,000",
    ]
    assert csv_lines(table) == [
        "system,mean,interval_low,interval_high,standard_error,plain_mean,plain_standard_error,slope,correlation,n_items,n_pool",
        "new,70.5,68.0,73.0,1.25,71.5,1.5,0.625,0.45,120,2000",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "The pool has 2,000 items."),)
    ) in blocks_of(results.control_variates())


def test_repeat() -> None:
    assert block_of(results.control_variates(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_one_system_has_no_differences() -> None:
    assert shown(results.control_variates(pairs=())) == [
        *("Verdict", "chart intervals", "Text", "means", "Text", "Text", "Methods", "Repeat"),
    ]


def test_pairs_on_different_items_say_so_and_many_are_folded() -> None:
    one = results.control_variates().pairs[0]
    made = results.control_variates(pairs=(replace(one, paired=False),) * 13)
    table = table_of(made, "pairs")
    assert table.column("paired") == ("no",) * 13
    assert table.folded
    assert not table_of(results.control_variates(pairs=(one,) * 12), "pairs").folded
    verdict = block_of(made, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.detail[1:] == ("13 of 13 pairs are told apart; 0 without the metric.",)
    assert "paired: items shared, text, keep 6" in columns(table)


def several() -> ControlVariates:
    """Three pairs: one told apart with the metric only, one either way, one not at all."""
    one = results.control_variates().pairs[0]
    return results.control_variates(
        pairs=(
            one,
            replace(
                one,
                system="third",
                estimate=-9.0,
                plain_estimate=-8.0,
                plain_p_adjusted=0.001,
                p_adjusted=0.0005,
                verdict="worse",
                standard_error=0.5,
                correlation=-0.8,
            ),
            replace(one, system="fourth", estimate=0.1, p_adjusted=0.9, verdict="undecided"),
        )
    )


def chart(found: ControlVariates) -> Chart:
    made = block_of(found, "chart intervals")
    assert isinstance(made, Chart)
    return made


def width(interval: Interval) -> float:
    return interval.high - interval.low


def test_the_picture_says_how_much_narrower_the_intervals_are() -> None:
    found = several()
    made = chart(found)
    ratios = [
        width(found.joint_interval(p)) / width(found.plain_interval(p)) for p in found.pairs
    ]
    mean = 1.0 - sum(ratios) / 3
    assert made.title == f"COMET narrows the intervals by {mean:.0%} on average"
    assert made.key
    assert made.caption == (
        "Above, hollow: judgments alone; below, filled: with COMET. Lines: 95% intervals, over all 3 "
        "pairs. ▲ better, ▼ worse, ● undecided. Beside: judgments that the metric saves at equal "
        "precision."
    )
    assert made.alt == (
        f"{made.title}. new: +2.00 by judgments alone, +2.25 with COMET, 19% saved. fourth: +2.00 by "
        "judgments alone, +0.10 with COMET, 19% saved. third: −8.00 by judgments alone, −9.00 with "
        "COMET, 75% saved."
    )
    drawn = json.dumps(made.make(720), ensure_ascii=False)
    assert "difference to old" in drawn


def test_a_metric_that_saves_nothing_is_said_to() -> None:
    one = replace(
        results.control_variates().pairs[0],
        standard_error=1.25,
        interval=Interval(-0.2, 4.7, 0.95),
    )
    found = results.control_variates(pairs=(one,), saved=-0.5, metric="the metric")
    assert chart(found).title == "The metric does not narrow the intervals"
    assert "none saved" in chart(found).alt
    verdict = block_of(found, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.headline == "The metric saves no judgments here."


def test_one_system_shows_its_mean_both_ways() -> None:
    made = chart(results.control_variates(pairs=()))
    assert made.twin == "means"
    assert "new: 71.50 by judgments alone, 70.50 with COMET, 31% saved." in made.alt
    assert made.title.startswith("COMET narrows the interval by ")
    assert "pairs" not in made.caption


def test_many_pairs_show_means_and_many_systems_nothing() -> None:
    found = results.control_variates()
    many = results.control_variates(pairs=found.pairs * 25)
    assert chart(many).twin == "means"
    assert chart(results.control_variates(pairs=found.pairs * 24)).twin == "pairs"
    assert (
        "And 12 more in the table."
        in chart(results.control_variates(pairs=found.pairs * 24)).alt
    )
    crowd = results.control_variates(pairs=found.pairs * 25, systems=found.systems * 25)
    assert "chart intervals" not in shown(crowd)


def test_joint_intervals_agree_with_the_verdicts() -> None:
    found = several()
    for pair in found.pairs:
        assert (0.0 in found.joint_interval(pair)) == (pair.verdict == "undecided")
        plain = found.plain_verdict(pair)
        assert (0.0 in found.plain_interval(pair)) == (plain == "undecided")
    wide = found.joint_interval(found.pairs[2])
    # t(60) at 1 − .05/6 is 2.463.
    assert wide.high == pytest.approx(0.1 + 2.463 * 0.9, abs=1e-3)
    assert results.control_variates().joint_interval(found.pairs[0]) == found.pairs[0].interval
    column = table_of(found, "pairs").column("interval_joint")
    assert column == tuple(found.joint_interval(pair) for pair in found.pairs)


def texts(found: ControlVariates, role: str) -> Text:
    return next(b for b in blocks_of(found) if isinstance(b, Text) and b.role == role)


def test_limits_say_what_could_be_saved_and_found() -> None:
    one = results.control_variates()
    mde = one.detectable(one.pairs[0])
    assert mde == pytest.approx(0.9 * 2.87, abs=0.05)  # t(60): 2.000 + 0.848, a little more
    assert texts(one, "limits").text == (
        "At best, known on endless items, such a metric saves 16% of the judgments of these "
        "differences: the square of its correlation with them. With these judgments and COMET a true "
        f"difference of {mde:.2f} is found with 80% power. Smaller ones are usually missed."
    )
    assert (
        "saves 16% to 64% of the judgments of these differences"
        in texts(several(), "limits").text
    )
    single = results.control_variates(pairs=(), quality_share=0.5, true_correlation=0.64)
    assert texts(single, "limits").text == (
        "At best, known on endless items, such a metric saves 20% of the judgments of a system: the "
        "square of its correlation with them. Raters scatter: with the quality of an item itself it "
        "correlates at 0.64."
    )


def test_checks_say_whom_it_is_about_and_what_the_metric_changed() -> None:
    said = [text for _, text in texts(several(), "checks").points]
    assert said[0] == "The claims are about texts like those of the pool."
    assert said[2] == "Without the metric 1 of 3 verdicts would be another."
    apart = replace(several().pairs[1], paired=False)
    other = results.control_variates(pairs=(apart,), target="test-set")
    said = [text for _, text in texts(other, "checks").points]
    assert said[0].startswith("The claims are about the items of the pool only")
    assert said[2:] == [
        "Without the metric every verdict would be the same.",
        "1 pair of 1 hardly share judged items.",
    ]


def test_the_paragraph_for_a_paper() -> None:
    made = block_of(several(), "Methods")
    assert isinstance(made, Methods)
    assert made.paragraph == (
        "Human scores of 120 judged items per system were combined with COMET, known on 2,000 items, "
        "as a control variate with an estimated slope. Items were taken as independent. Differences "
        "were tested two-sided at α = 0.05, corrected for 3 comparisons by Holm's procedure. The "
        "metric correlates at 0.45 with the judgments within systems; at equal precision it saves "
        "19% of the judgments."
    )
    assert made.cite == ("chaganty-etal-2018", "angelopoulos-etal-2023", "holm-1979")
    bibtex(made.cite)
    alone = block_of(results.control_variates(pairs=(), unit="document"), "Methods")
    assert isinstance(alone, Methods)
    assert "items of one document being alike. The metric" in alone.paragraph
    assert alone.cite == ("chaganty-etal-2018", "angelopoulos-etal-2023")


def test_long_and_japanese_names_can_be_read() -> None:
    one = results.control_variates().pairs[0]
    named = tuple(replace(one, system=name) for name in (LONG, JAPANESE, LONG[::-1]))
    check(blocks_of(results.control_variates(pairs=named, metric=JAPANESE)))
    check(blocks_of(results.control_variates(pairs=(replace(one, baseline=LONG),))))
