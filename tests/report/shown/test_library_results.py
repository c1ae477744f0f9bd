"""What results show that no command returns, against some made by hand."""

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.report.blocks import Chart, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.shown.shown import block_of, rows, shown, table_of


def headline(result: Result) -> str:
    found = block_of(result, "Verdict")
    assert isinstance(found, Verdict)
    return found.headline


def detail(result: Result) -> tuple[str, ...]:
    found = block_of(result, "Verdict")
    assert isinstance(found, Verdict)
    return found.detail


def text(result: Result, role: str) -> Text:
    return next(b for b in blocks_of(result) if isinstance(b, Text) and b.role == role)


def test_a_component() -> None:
    made = results.component_test()
    assert headline(made) == "rater slope: standard deviation 0.125, p = .0196."
    assert detail(made) == (
        "Likelihood ratio 4.25, by its distribution in large samples, half at zero.",
    )
    assert rows(table_of(made, "component")) == ["rater slope | 0.1250 | 4.25 | .0196"]
    drawn = results.component_test(method="bootstrap", n_resamples=999)
    assert detail(drawn)[0].endswith("by a parametric bootstrap with 999 samples.")


def test_effects_of_raters() -> None:
    made = results.effect_predictions()
    assert headline(made) == "2 raters, from ann (−0.250) to bob, jr. (+0.333)."
    assert rows(table_of(made, "effects")) == [
        "bob, jr. | +0.333 | [−0.500, +1.000] | 0.500 | 12",
        "ann | −0.250 | [−0.500, +0.000] | 0.125 | 36",
    ]
    chart = block_of(made, "chart effects")
    assert isinstance(chart, Chart)
    assert chart.title == "2 raters against the average one: 2 either side"
    assert chart.caption == "● undecided. Line: 95% interval of each alone."


def test_a_simulation() -> None:
    made = results.simulation()
    assert headline(made) == "new − old = +0.500 is found in 81%."
    assert rows(table_of(made, "power")) == [
        "new − old | +0.500 | 81.2% | 3.1%",
        "third − old | +0.000 | 6.2% | 1.8%",
    ]
    assert text(made, "checks").points == (
        ("look", "3 fits failed and count as not significant."),
    )
    none = results.simulation(truth=(0.0, 0.0), n_failed=0, contrasts=(("1 unit", None),) * 2)
    assert headline(none) == "1 unit = +0.000 is called a difference in 81%."
    assert shown(none) == ["Verdict", "Text", "power", "Methods", "Repeat"]


def test_past_comparisons() -> None:
    made = results.observed_mde()
    assert headline(made) == "Past comparisons could see 2.75."
    assert detail(made) == ("31 of 90 comparisons were significant; median difference 1.12.",)
    assert text(made, "limits").text == (
        "It rests on the 12 comparisons with a difference of at least that: their share is known to "
        "[0.65, 0.99]. So few say little about the next comparison."
    )
    assert rows(table_of(made, "mde")) == ["2.75 | 12 | 11 | 92% | [0.65, 0.99]"]
    assert "So few" not in text(results.observed_mde(n_above=20), "limits").text
    none = results.observed_mde(effect=None, share_interval=None)
    assert headline(none) == "No difference was significant in 80% of the comparisons."


def test_a_choice_of_items() -> None:
    made = results.stratification()
    assert headline(made) == "2 items of 5 chosen from 2 bins."
    assert detail(made) == ("The bins hold 75% of the metric's variance.",)
    assert rows(table_of(made, "strata")) == ["0.125 | 0.500 | 3 | 1", "0.500 | 0.875 | 2 | 1"]
    paragraph = block_of(made, "Methods")
    assert isinstance(paragraph, Methods)
    assert paragraph.paragraph.startswith(
        "2 items of 5 chosen from 2 bins of an automatic metric"
    )


def test_means_by_bins() -> None:
    made = results.stratified_means()
    assert headline(made) == "The bins saved 44% of the judgments."  # 1 − .75²
    assert detail(made) == ("new − old: +2.50 [+1.00, +4.00] from 40 items.",)
    chart = block_of(made, "chart intervals")
    assert isinstance(chart, Chart)
    assert chart.title == "Bins of the metric narrow the intervals by 25%"
    assert chart.twin == "pairs"
    hollow = chart.make(720)["layer"][1]["data"]["values"][0]
    assert (hollow["low"], hollow["high"]) == (pytest.approx(0.5), pytest.approx(4.5))
    assert rows(table_of(made, "pairs")) == [
        "new | old | +2.50 | [+1.00, +4.00] | 0.75 | 1.00 | 40"
    ]
    assert rows(table_of(made, "means"))[0] == "new | 70.50 | [69.00, 72.00] | 0.75 | 1.00 | 40"
    single = results.stratified_means(pairs=())
    assert detail(single)[0] == "new: 70.50 [69.00, 72.00] from 40 items."
    useless = results.stratified_mean(
        simple_standard_error=0.75, interval=Interval(1.0, 4.0, 0.95)
    )
    assert headline(results.stratified_means(pairs=(useless,))) == "The bins saved nothing."
