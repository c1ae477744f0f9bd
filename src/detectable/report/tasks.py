"""Annotation tasks as tables: for a spreadsheet and for the terminal."""

from dataclasses import fields

from detectable.report.table import Column, Table, to_csv
from detectable.study.tasks.result import Tasks
from detectable.study.tasks.rows import TaskRow


def tasks_csv(tasks: Tasks) -> str:
    """Return one row per text, with empty columns for the score and the time.

    The names of the columns are those of judgments: filled in, the file can be read by
    `read_judgments` and checked with `quality_control`.
    """
    names = [part.name for part in fields(TaskRow)]
    used = [
        name
        for name in names
        if name not in ("document", "domain", "source")
        or any(getattr(row, name) is not None for row in tasks.rows)
    ]
    rows = (
        [*("" if (value := getattr(row, name)) is None else value for name in used), "", ""]
        for row in tasks.rows
    )
    return to_csv((*used, "score", "seconds"), rows)


def raters_table(tasks: Tasks, *, most: int = 20) -> Table:
    """Return what each rater gets."""
    work: dict[str, list[TaskRow]] = {}
    for row in tasks.rows:
        work.setdefault(row.rater, []).append(row)
    title = "Work of each rater"
    if len(work) > most:
        title += f" ({most} of {len(work):,})"
    columns = (
        Column("rater", "left"),
        Column("tasks"),
        Column("texts"),
        Column("outputs"),
        Column("degraded"),
        Column("repeated"),
        Column("references"),
    )
    rows = []
    for name, texts in list(work.items())[:most]:
        kinds: list[str] = [row.kind for row in texts]
        shown = ("system", "degraded", "repeat", "reference")
        numbers = [len({row.task for row in texts}), len(texts), *map(kinds.count, shown)]
        rows.append((name, *(f"{number:,}" for number in numbers)))
    return Table(title, columns, tuple(rows))
