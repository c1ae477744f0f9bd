"""Annotation tasks as a spreadsheet to fill in."""

from dataclasses import fields

from detectable.report.render.csv import to_csv
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
