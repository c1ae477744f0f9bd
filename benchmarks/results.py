"""What the benchmarks found, kept in a file per section: a run that was stopped can go on.

A file holds as long as the package and the benchmark of its section are the same.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from benchmarks.installed import ROOT, source_code
from benchmarks.timing import Row

FOLDER = ROOT / "build" / "bench"


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a section, and when and how they were measured.

    Attributes
    ----------
    load : float
        Processes that wanted a core, on average over the section; of `cores`.
    """

    section: str
    rows: tuple[Row, ...]
    code: str
    day: str
    load: float
    cores: int


def code_of(section: str) -> str:
    """Return what changes with the package, with how it is measured and with this section."""
    own = ROOT / "benchmarks"
    measuring = ("timing", "commands", "whole_command", f"bench_{section}")
    return source_code(*(own / f"{name}.py" for name in measuring))


def keep(section: str, rows: Iterable[Row], loads: Sequence[float], code: str) -> None:
    """Write down what a section found, and with which code (`code_of` when it began)."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = Found(
        section=section,
        rows=tuple(rows),
        code=code,
        day=datetime.now(UTC).date().isoformat(),
        load=sum(loads) / len(loads),
        cores=os.cpu_count() or 1,
    )
    (FOLDER / f"{section}.json").write_text(json.dumps(asdict(found), indent=1) + "\n")


def kept(section: str) -> Found | None:
    """Return what a section found, whatever the code was; None where it was never run."""
    path = FOLDER / f"{section}.json"
    if not path.exists():
        return None
    stored = json.loads(path.read_text())
    stored["rows"] = tuple(Row(**row) for row in stored["rows"])
    return Found(**stored)


def is_current(found: Found | None) -> bool:
    """Whether a section need not be run again."""
    return found is not None and found.code == code_of(found.section)


def table(found: Iterable[Found]) -> str:
    """Return all rows as one table."""
    cells = [("what", "against", "measured as", "peer / ours", "ratio", "")]
    for section in found:
        for row in section.rows:
            ratio = "" if row.ratio is None else f"{row.ratio:,.1f}x"
            cells.append((row.what, row.against, row.kind, row.found, ratio, row.note))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
