"""What a control variates shows, against one made by hand."""

import json
from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import Chart, Text
from detectable.report.blocks_of import blocks_of
from detectable.study.precision.control_variate_result import ControlVariates
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, table_of


def several() -> ControlVariates:
    """Three pairs: one told apart with the metric only, one either way, one not at all."""
    one = results.control_variates().pairs[0]
    return results.control_variates(
        pairs=(
            one,
            replace(
                one,
                system="third",
                difference=-9.0,
                plain_estimate=-8.0,
                plain_p_adjusted=0.001,
                p_adjusted=0.0005,
                verdict="worse",
                standard_error=0.5,
                correlation=-0.8,
            ),
            replace(one, system="fourth", difference=0.1, p_adjusted=0.9, verdict="undecided"),
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


def test_long_and_japanese_names_can_be_read() -> None:
    one = results.control_variates().pairs[0]
    named = tuple(replace(one, system=name) for name in (LONG, JAPANESE, LONG[::-1]))
    check(blocks_of(results.control_variates(pairs=named, metric=JAPANESE)))
    check(blocks_of(results.control_variates(pairs=(replace(one, baseline=LONG),))))
