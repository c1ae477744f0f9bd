"""What a tasks shows, against one made by hand."""

import pytest

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.tasks.result import SHARES, Arrival
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.tasks()) == [
        *("Verdict", "chart arrival", "raters", "degraded", "arrival"),
        *("Text", "Methods", "Repeat"),
    ]


def test_the_picture_says_how_early_pairs_come() -> None:
    chart = block_of(results.tasks(), "chart arrival")
    assert isinstance(chart, Chart)
    assert chart.title == "After 50% of the work 25% of 4 pairs are complete"
    assert chart.alt == (
        f"{chart.title}. Pairs by share of the work: 25%: 0; 50%: 1; 75%: 3; 100%: 4."
    )
    lines = [one for one in chart.make(720)["layer"] if one["mark"]["type"] == "line"]
    assert [(row["x"], row["y"]) for row in lines[1]["data"]["values"]] == [
        *((0.0, 0.0), (0.25, 0.0), (0.5, 0.25), (0.75, 0.75), (1.0, 1.0)),
    ]


@pytest.mark.parametrize("n", [(0, 0, 0, 9), (3, 6, 9, 12), (9000, 9500, 9900, 10_000)])
def test_the_picture_is_readable(n: tuple[int, ...]) -> None:
    pairs = tuple(Arrival(share, k) for share, k in zip(SHARES, n, strict=True))
    check(blocks_of(results.tasks(arrival=pairs)))


def test_the_paragraph_says_who_judges_what() -> None:
    assert block_of(results.tasks(), "Methods") == Methods(
        "6 texts of 2 systems were handed out in 3 tasks to 2 raters, 50% of them controls (1 "
        "degraded, 1 repeated, 1 reference). Assignment was paired: one rater saw all systems of "
        "1 of 1 sentence.",
        ("graham-etal-2017",),
    )
    plain = results.tasks(
        counts={"system": 6, "degraded": 0, "repeat": 0, "reference": 0},
        n_shared=24,
        n_items=240,
        task_kind="document",
    )
    assert block_of(plain, "Methods") == Methods(
        "6 texts of 2 systems were handed out in 3 tasks to 2 raters. Assignment was paired: one "
        "rater saw all systems of 1 of 1 document. Two raters judged 24 of 240 lines.",
        (),
    )


def test_verdict() -> None:
    assert block_of(results.tasks(), "Verdict") == Verdict(
        status="info",
        headline="3 tasks for 2 raters: 6 texts, 3 outputs of 2 systems and 50% controls (1 degraded, 1 repeated, 1 reference).",
        detail=(
            "A control stands 2 texts from its original on average, and 1 at least, in the same task.",
            "One rater sees all systems of 1 of 1 sentence. Compared in pairs they are worth 1.8 times the judgments (quartiles 1.4 to 2.4): the difficulty of the sentence and the rater's severity cancel.",
            "0 of 4 pairs of outputs are complete after 25% of the work, 1 after 50%, 3 after 75%.",
        ),
    )


def test_the_table_of_raters() -> None:
    table = table_of(results.tasks(), "raters")
    assert (table.title, table.breaks, table.folded) == ("Work of each rater", (), False)
    assert columns(table) == [
        "rater: rater, name",
        "tasks: tasks, count",
        "texts: texts, count",
        "outputs: outputs, count",
        "degraded: degraded, count, keep 2",
        "repeated: repeated, count, keep 2",
        "references: references, count, keep 2",
    ]
    assert rows(table) == [
        "rater-1 | 2 | 4 | 2 | 1 | 1 | 0",
        "rater-2 | 1 | 2 | 1 | 0 | 0 | 1",
    ]
    assert csv_lines(table) == [
        "rater,tasks,texts,outputs,degraded,repeated,references",
        "rater-1,2,4,2,1,1,0",
        "rater-2,1,2,1,0,0,1",
    ]


def test_the_table_of_degraded_copies() -> None:
    table = table_of(results.tasks(), "degraded")
    assert columns(table) == [
        "system: system, name",
        "degraded: degraded, count",
        "fewest: fewest, count",
        "most: most, count",
    ]
    assert rows(table) == ["new | 1 | 0 | 1", "old | 0 | 0 | 0"]


def test_the_table_of_complete_pairs() -> None:
    table = table_of(results.tasks(), "arrival")
    assert columns(table) == [
        "share: work, share",
        "n_pairs: pairs, count",
        "complete: complete, share",
    ]
    assert rows(table) == [
        *("25% | 0 | 0%", "50% | 1 | 25%", "75% | 3 | 75%", "100% | 4 | 100%"),
    ]
    assert csv_lines(table)[:3] == ["share,n_pairs,complete", "0.25,0,0.0", "0.5,1,0.25"]


def test_one_system_makes_no_pairs() -> None:
    alone = results.tasks(arrival=tuple(Arrival(share, 0) for share in SHARES))
    assert "arrival" not in shown(alone)
    assert "pairs of outputs are complete" not in alone.summary()


def test_what_two_raters_judge_is_said() -> None:
    assert (
        results.tasks(n_items=240, n_shared=24)
        .summary()
        .endswith(
            "Two raters judge 24 of 240 lines: agreement between raters and components of variance "
            "are estimated from these."
        )
    )


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "The first run was taken."),)
    ) in blocks_of(results.tasks())


def test_repeat() -> None:
    assert block_of(results.tasks(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )
