"""What metrics judged by people show."""

import math
from dataclasses import replace

import pytest

from detectable.report.blocks import Chart, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.meta.result import Meta
from tests.report import results
from tests.report.shown.shown import block_of, columns, shown, table_of


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


def text_of(found: Meta, role: str) -> list[Text]:
    return [
        block for block in blocks_of(found) if isinstance(block, Text) and block.role == role
    ]


def test_columns_of_metrics_and_pairs() -> None:
    assert columns(table_of(results.meta(), "metrics")) == [
        "metric: metric, name",
        "statistic: statistic, name, keep 3",
        "value: value, number",
        "interval: 95% interval, interval",
        "floor: floor, number, keep 2 (what a metric that says nothing gets)",
        "above_floor: above it, text, keep 2",
        "epsilon: ties up to, text, keep 4",
        "n_groups: groups, count, keep 5",
        "n_undefined: undefined, count, keep 4",
    ]
    assert columns(table_of(results.meta(), "pairs")) == [
        "metric: metric, name",
        "other: against, name",
        "statistic: statistic, name, keep 9",
        "difference: difference, signed number",
        "interval: 95% interval, signed interval, keep 3",
        "p_adjusted: p, p (swaps of whole units, Holm over pairs)",
        "p_value: p alone, p, keep 9",
        "verdict: verdict, verdict",
        "mde: could see, number, keep 4",
    ]
    assert not table_of(results.meta(), "pairs").folded


def test_columns_without_values_are_not_there() -> None:
    rows = (results.meta_row(epsilon=None, n_undefined=0),)
    plain = columns(table_of(results.meta(rows=rows, pairs=()), "metrics"))
    assert [line.split(":")[0] for line in plain] == [
        "metric", "statistic", "value", "interval", "floor", "above_floor", "n_groups",
    ]  # fmt: skip


def test_several_statistics_stand_below_each_other() -> None:
    first = results.meta().rows
    second = tuple(replace(row, statistic="pearson") for row in first)
    pair = results.meta().pairs[0]
    found = results.meta(
        rows=(*first, *second),
        statistics=("acc-eq", "pearson"),
        pairs=(pair, replace(pair, statistic="pearson")),
        alpha=0.1,
    )
    made = table_of(found, "metrics")
    assert made.breaks == (2,)
    assert "statistic: statistic, name" in columns(made)
    assert "interval: 90% interval, interval" in columns(made)
    pairs = table_of(found, "pairs")
    assert pairs.title == "Metrics against each other"
    assert "statistic: statistic, name" in columns(pairs)
    assert table_of(results.meta(), "pairs").title == (
        "Metrics against each other (accuracy with calibrated ties)"
    )


def test_many_pairs_are_folded_and_left_out_of_the_verdict() -> None:
    pair = results.meta().pairs[0]
    for n, told, folded in ((3, 4, False), (4, 1, False), (12, 1, False), (13, 1, True)):
        found = results.meta(pairs=(pair,) * n)
        verdict = block_of(found, "Verdict")
        assert isinstance(verdict, Verdict)
        assert len(verdict.detail) == told
        assert table_of(found, "pairs").folded == folded


def test_the_chart_of_metrics() -> None:
    made = block_of(results.meta(), "chart metrics")
    assert isinstance(made, Chart)
    assert made.caption == (
        "Line: 95% interval over segments. Open: not shown to be above the dashed line."
    )
    assert made.alt == (
        f"{made.title}. comet 0.612 [0.581, 0.643]; ter 0.479 [0.450, 0.508]. A metric that says "
        "nothing gets 0.480."
    )
    drawn = block_of(results.meta(draw_systems=True, unit="document"), "chart metrics")
    assert "95% interval over documents and systems." in drawn.caption  # type: ignore[union-attr]
    undefined = results.meta_row("flat", value=math.nan, interval=None, above_floor="no")
    both = results.meta(rows=(*results.meta().rows, undefined))
    assert "flat" not in block_of(both, "chart metrics").alt  # type: ignore[union-attr]
    assert "chart metrics" not in shown(results.meta(rows=(undefined,), pairs=()))
    for n, there in ((30, True), (31, False)):
        rows = tuple(results.meta_row(f"m{i}") for i in range(n))
        assert ("chart metrics" in shown(results.meta(rows=rows))) == there


def test_what_could_not_be_told() -> None:
    pair = replace(results.meta().pairs[0], verdict="undecided")
    others = "All this is about these 13 systems; --draw-systems asks about others like them."
    seen = "would reliably have been seen (80% power)."
    [limits] = text_of(results.meta(pairs=(pair, replace(pair, mde=0.06))), "limits")
    assert limits.text == (
        "Of two metrics that were not told apart, a difference of 0.060 in accuracy with calibrated "
        f"ties {seen} {others}"
    )
    [limits] = text_of(results.meta(pairs=(replace(pair, mde=math.nan),)), "limits")
    assert limits.text == (
        "1 pair of metrics cannot be told apart at all by accuracy with calibrated ties: swapping "
        f"their scores changes nothing. {others}"
    )
    [limits] = text_of(results.meta(), "limits")
    assert limits.text == others
    assert text_of(results.meta(draw_systems=True), "limits") == []


def test_metrics_at_the_floor_are_named_once() -> None:
    [checks] = text_of(results.meta(), "checks")
    assert checks.points == (("look", "Not above what a metric gets that says nothing: ter."),)
    fine = results.meta(rows=(results.meta_row(),), pairs=())
    assert text_of(fine, "checks") == []
    low = results.meta_row("ter", above_floor="no")
    twice = results.meta(rows=(results.meta_row(), low, replace(low, statistic="acc23")))
    assert text_of(twice, "checks")[0].points == checks.points


def test_a_simpler_test_that_says_the_same_is_not_marked() -> None:
    pair = replace(results.meta().pairs[0], p_value=0.01, p_cells=0.05, p_williams=0.02)
    [checks] = text_of(results.meta(pairs=(pair,)), "checks")
    assert checks.points[1][0] == "plain"
    [checks] = text_of(results.meta(pairs=(replace(pair, p_cells=0.0501),)), "checks")
    assert checks.points[1][0] == "look"


@pytest.mark.parametrize(
    ("changes", "said", "cite"),
    [
        ({}, "Agreement of metrics with human scores was measured by accuracy with calibrated "
         "ties, averaged over segments, on 13 systems and 530 segments. Intervals are of the "
         "bootstrap over segments (2,000 draws). Metrics were compared by swapping their "
         "standardised scores for whole segments (2,000 random patterns, two-sided), with Holm's "
         "correction over pairs.", ("deutsch-etal-2023", "deutsch-etal-2021", "holm-1979")),
        ({"pairs": (), "draw_systems": True, "unit": "document", "average_by": None,
          "statistics": ("spa", "pairwise-accuracy")},
         "Agreement of metrics with human scores was measured by soft pairwise accuracy and "
         "pairwise accuracy, on 13 systems and 530 segments. Intervals are of the bootstrap over "
         "documents and systems (Owen, 2007) (2,000 draws).",
         ("thompson-etal-2024", "kocmi-etal-2021", "owen-2007")),
        ({"exact": True, "average_by": "none", "statistics": ("pearson",)},
         "Agreement of metrics with human scores was measured by Pearson's correlation over all "
         "outputs, on 13 systems and 530 segments. Intervals are of the bootstrap over segments "
         "(2,000 draws). Metrics were compared by swapping their standardised scores for whole "
         "segments (all patterns, two-sided), with Holm's correction over pairs.",
         ("deutsch-etal-2021", "holm-1979")),
        ({"pairs": (), "average_by": "sys", "statistics": ("acc23", "tau23")},
         "Agreement of metrics with human scores was measured by accuracy with ties and τ with "
         "ties, averaged over systems, on 13 systems and 530 segments. Intervals are of the "
         "bootstrap over segments (2,000 draws).", ("deutsch-etal-2023",)),
    ],
)  # fmt: skip
def test_methods(changes: dict[str, object], said: str, cite: tuple[str, ...]) -> None:
    made = results.meta(**changes)
    rows = tuple(replace(row, statistic=name) for name in made.statistics for row in made.rows)
    assert block_of(replace(made, rows=rows), "Methods") == Methods(said, cite)


def test_headlines() -> None:
    comet, ter = results.meta().rows
    low = replace(comet, above_floor="no")
    assert results.meta(rows=(low, ter)).headline() == (
        "No metric is above what a metric gets that says nothing: comet leads at accuracy with "
        "calibrated ties 0.612 [0.581, 0.643], and the floor is 0.480."
    )
    pair = results.meta().pairs[0]
    more = tuple(results.meta_row(name) for name in ("bleu", "chrf"))
    pairs = tuple(replace(pair, other=name) for name in ("ter", "bleu", "chrf"))
    three = results.meta(rows=(comet, ter, more[0]), pairs=pairs[:2])
    assert three.headline().startswith("comet is better than ter and bleu at accuracy")
    four = results.meta(rows=(comet, ter, *more), pairs=pairs)
    assert four.headline().startswith("comet is better than all 3 others at accuracy")
    turned = replace(pairs[1], metric="bleu", other="comet", verdict="worse")
    assert results.meta(rows=(comet, ter, more[0]), pairs=(pairs[0], turned)).headline() == (
        three.headline()
    )
    # A pair of another statistic, or none, does not decide.
    other = replace(pairs[1], statistic="pearson")
    for known in ((pairs[0],), (pairs[0], other)):
        assert results.meta(rows=(comet, ter, more[0]), pairs=known).headline() == (
            "Undecided which metric agrees best with people: comet leads at accuracy with "
            "calibrated ties 0.612 [0.581, 0.643], but bleu could be as good."
        )
    bare = results.meta(
        rows=(replace(comet, interval=None),), pairs=(), n_documents=None, draw_systems=True
    )
    assert bare.summary() == (
        "comet agrees with people at accuracy with calibrated ties 0.612; a metric that says "
        "nothing gets 0.480.\nFrom 13 systems × 530 segments; intervals draw segments and systems, "
        "tests swap whole segments."
    )
