"""The tables of docs/calibration.md as numbers, so that its chart shows what the page says."""

import re
from pathlib import Path

from detectable.report.charts.past import Group, Rates

PAGE = Path(__file__).parent.parent / "calibration.md"
_NUMBER = re.compile(r"\d+\.\d+")  # the last column says why numbers are off
_SAID = re.compile(
    r"(?P<sets>[\d,]+) data sets, nominal (?P<nominal>\d*\.\d+), standard error (?P<se>\d*\.\d+)"
)
# Table (marker, how it opens) → heading, rows to show (name on the page → on the chart, ours).
SHOWN = {
    ("two-systems", "Two systems"): (
        "Two systems, segments swapped",
        {
            "approximate randomization": ("randomization", True),
            "t test (delta method)": ("t test", True),
            "sacreBLEU's paired bootstrap": ("sacreBLEU's bootstrap", False),
        },
    ),
    ("several-systems", "Five systems"): (
        "Five systems: any false alarm",
        {
            "randomization, max-T": ("max-T", True),
            "randomization, uncorrected": ("no correction", False),
        },
    ),
    ("documents", "Two systems"): (
        "Whole documents swapped",
        {
            "approximate randomization, documents": ("documents swapped", True),
            "approximate randomization, segments": ("segments swapped", False),
        },
    ),
    ("fixed-runs", "Three runs of each of two systems, real"): (
        "Three runs of each system",
        {
            "runs swapped together (ours)": ("runs together", True),
            "runs swapped one by one (MultEval)": ("MultEval's swaps", False),
        },
    ),
}


def groups(text: str | None = None) -> list[Group]:
    """Return what the chart shows, read from the page."""
    text = PAGE.read_text(encoding="utf-8") if text is None else text
    return [_group(text, *where, *what) for where, what in SHOWN.items()]


def _group(
    text: str, marker: str, opening: str, title: str, wanted: dict[str, tuple[str, bool]]
) -> Group:
    section = text.split(f"<!-- tables {marker} -->")[1].split(f"<!-- end {marker} -->")[0]
    table = next(
        part for part in re.split(r"\n\n(?=[A-Z])", section.strip()) if part.startswith(opening)
    )
    said = _SAID.search(table)
    if said is None:
        raise ValueError(
            f"docs/calibration.md: the table «{opening}» does not state its standard error"
        )
    rows = {}
    for line in table.splitlines():
        name, *cells = [cell.strip().strip("*") for cell in line.strip("| ").split("|")]
        if name in wanted:
            rows[name] = tuple(float(cell) for cell in cells if _NUMBER.fullmatch(cell))
    shown = tuple(Rates(name, rows[row], ours) for row, (name, ours) in wanted.items())
    heading = f"{title} ({said['sets']} data sets)"
    return Group(heading, shown, float(said["nominal"]), float(said["se"]))
