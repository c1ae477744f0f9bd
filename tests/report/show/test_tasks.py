"""What a tasks shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.tasks()) == ["Verdict", "raters", "degraded", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.tasks(), "Verdict") == Verdict(
        status="info",
        headline="3 tasks for 2 raters: 6 texts, 3 outputs of 2 systems and 50% controls (1 degraded, 1 repeated, 1 references).",
        detail=(
            "A control stands 2 texts from its original on average, and 1 at least, in the same task.",
            "One rater sees all systems of 1 of 1 sentence. Compared in pairs they are worth 1.8 times the judgments (quartiles 1.4 to 2.4): the difficulty of the sentence and the rater's severity cancel.",
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
        "degraded: degraded, count",
        "repeated: repeated, count",
        "references: references, count",
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


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "The first run was taken."),)
    ) in blocks_of(results.tasks())


def test_repeat() -> None:
    assert block_of(results.tasks(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )
