"""The picture of the demo: what was planted beside what was found."""

from collections.abc import Sequence
from functools import partial

from detectable.core.wording import number
from detectable.report.blocks import Chart
from detectable.report.charts.forest import Difference, Panel
from detectable.report.charts.marks import said_shapes
from detectable.report.charts.planted import planted_forest
from detectable.study.demo.story import DemoStory, PlantedDifference

TABLE = "differences"


def planted_and_found(story: DemoStory) -> Chart:
    """Return every system against the baseline, with a tick where the truth lies."""
    rows = story.differences
    panel = Panel(
        "points",
        tuple(
            Difference(
                row.system, row.found, row.interval, row.interval_alone, row.verdict, row.mde
            )
            for row in rows
        ),
        digits=1,
    )
    title = _title(rows)
    return Chart(
        "planted",
        title,
        f"Against {rows[0].baseline}. Black tick: what was planted. "
        f"{said_shapes([row.verdict for row in rows])} Thin line and numbers: "
        f"{rows[0].interval.level:.0%} interval over all pairs, as the verdict; thick: of the pair "
        "alone. Grey bar: too small to be seen reliably.",
        f"{title}. {' '.join(map(_told, rows))}",
        partial(_drawn, panel, tuple(row.planted for row in rows)),
        TABLE,
        key=True,
    )


def _drawn(panel: Panel, planted: Sequence[float], width: int) -> dict[str, object]:
    return planted_forest(panel, planted, width=width)


def _title(rows: Sequence[PlantedDifference]) -> str:
    n = sum(row.holds for row in rows)
    which = (
        f"All {n} intervals hold" if n == len(rows) else f"{n} of {len(rows)} intervals hold"
    )
    apart = sum(row.verdict in ("better", "worse") for row in rows)
    return f"{which} what was planted; {apart} of {len(rows)} systems are told apart"


def _told(row: PlantedDifference) -> str:
    planted, found = (number(value, digits=1, sign=True) for value in (row.planted, row.found))
    return f"{row.system}: planted {planted}, found {found}, {row.verdict}."
