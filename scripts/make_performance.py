"""Write what `make bench` found into docs/performance.md and the README.

    python scripts/make_performance.py

Tables stand between ``<!-- table NAME -->`` and ``<!-- end NAME -->``; only what is between them is
written, the prose around is kept. The README has one paragraph of this kind.
"""

import platform
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the benchmarks are not installed

from benchmarks.results import Found, is_current, kept  # noqa: E402
from benchmarks.sections import SECTIONS  # noqa: E402
from benchmarks.timing import Row  # noqa: E402

PAGE, README = ROOT / "docs" / "performance.md", ROOT / "README.md"
_ASKED = re.compile(r"\s*\(asked: [^()]*\)")


class Unfit(Exception):
    """The page or the results lack something."""


def main() -> int:
    """Write both, or say what is missing."""
    found = [kept(name) for name in SECTIONS]
    try:
        lacking = [n for n, one in zip(SECTIONS, found, strict=True) if one is None]
        if lacking:
            raise Unfit(f"not measured yet: {', '.join(lacking)}. Run make bench.")
        known = [one for one in found if one is not None]
        page, readme = PAGE.read_text("utf-8"), README.read_text("utf-8")
        page = written(page, tables(known))
        readme = written(readme, {"speed": speed(known)}, gap="\n")
    except Unfit as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    PAGE.write_text(page, "utf-8")
    README.write_text(readme, "utf-8")
    old = [one.section for one in known if not is_current(one)]
    if old:
        print(f"measured with other code: {', '.join(old)}", file=sys.stderr)
    return 0


def tables(found: Sequence[Found]) -> dict[str, str]:
    """Return the bodies of all tables of the page, by name."""
    rows = [row for one in found for row in one.rows]
    alone = [row for row in rows if not row.against]
    return {
        "machine": machine(found),
        "ratios": _table(
            ("what", "against", "times less CPU", "measured as"),
            (
                (row.what, row.against, times(row.ratio), _how(row))
                for row in rows
                if row.ratio is not None
            ),
        ),
        "short": _found(alone, lambda row: row.kind == "whole command" and _is_time(row)),
        "memory": _found(alone, lambda row: "GB" in row.found),
        "growth": _found(alone, lambda row: "exponent" in row.found),
        "calls": _found(alone, lambda row: row.kind == "in process" and _is_time(row)),
        "missing": _table(
            ("what", "peer", "why not"),
            (
                (row.what, row.against, row.note)
                for row in rows
                if row.against and row.ratio is None
            ),
        ),
    }


def speed(found: Sequence[Found]) -> str:
    """Return what the README says, with the kind of measurement beside every figure."""
    rows = [row for one in found for row in one.rows]

    def ratio(what: str) -> str:
        return times(_one(rows, what, "sacreBLEU").ratio)

    def first(what: str) -> str:
        return _one(rows, what, "").found.split(",")[0]

    return (
        "Whole commands against sacreBLEU 2.6 on the same texts, from typing to the end, CPU in the "
        "same run (2 systems, 2,489 segments, 10,000 "
        f"randomizations): BLEU {ratio('BLEU')}×, chrF {ratio('chrF')}×, TER {ratio('TER')}×; BLEU and "
        f"chrF of 10 systems {ratio('BLEU and chrF, 10 systems')}×; BLEU without any `.pyc` file, as in "
        f"a fresh container, {ratio('BLEU, no .pyc file')}×.\n"
        "The first run costs what later ones cost: nothing is compiled. Whole commands too: BLEU of "
        f"2 × 10 million segments needs {first('BLEU from files, 10,000,000 segments x 2')}, a ranking of 50 "
        f"million judgments {first('rank, 50,000,000 judgments from Parquet')}, a gate of 80,000 answers "
        f"{first('gate, 80,000 answers')} of CPU. In process: a million battles of 100 systems "
        f"{first('1,000,000 battles, errors by prompt, ranks')}. "
        "[Performance](docs/performance.md) says for every figure what was measured; `make bench` measures it again."
    )


def machine(found: Sequence[Found]) -> str:
    """Return on what it was measured, and how busy that was."""
    days = sorted({one.day for one in found})
    loads = [one.load for one in found]
    names = ("numpy", "scipy", "sacrebleu")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return (
        f"Measured {' to '.join(dict.fromkeys((days[0], days[-1])))} on {found[0].cores} cores that "
        f"others used as well: {min(loads):.0f} to {max(loads):.0f} processes wanted a core on average, so "
        "that a quiet machine takes fewer seconds. Ratios are of the same run, commands taking turns. "
        f"Python {platform.python_version()}, {packages}."
    )


def times(ratio: float | None) -> str:
    """Return a ratio as it is printed: 8.7, 12, 1,670.

    Examples
    --------
    >>> times(8.74), times(12.4), times(1670.2)
    ('8.7', '12', '1,670')
    """
    if ratio is None:
        raise Unfit("a peer that is needed was not measured")
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:,.0f}"


def written(page: str, bodies: dict[str, str], *, gap: str = "\n\n") -> str:
    """Return the page with every body between its markers, and `gap` on either side."""
    for name, body in bodies.items():
        start, end = f"<!-- table {name} -->", f"<!-- end {name} -->"
        if (
            page.count(start) != 1
            or page.count(end) != 1
            or page.index(start) > page.index(end)
        ):
            raise Unfit(f"the page must hold {start} and {end} once, in this order.")
        before, rest = page.split(start)
        _, after = rest.split(end)
        page = f"{before}{start}{gap}{body}{gap}{end}{after}"
    return page


def _is_time(row: Row) -> bool:
    return row.found.endswith("s") and "GB" not in row.found


def _found(rows: Iterable[Row], wanted: Callable[[Row], bool]) -> str:
    return _table(
        ("what", "found", "measured as"),
        ((row.what, row.found, _how(row)) for row in rows if wanted(row)),
    )


def _how(row: Row) -> str:
    note = _ASKED.sub("", row.note).strip()
    return f"{row.kind}; {note}" if note else row.kind


def _one(rows: Iterable[Row], what: str, against: str) -> Row:
    for row in rows:
        if (row.what, row.against) == (what, against):
            return row
    raise Unfit(f"no row {what!r}" + (f" against {against}" if against else ""))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    made = [tuple(cell.replace("|", r"\|") for cell in row) for row in rows]
    if not made:
        return "None."
    right = [name in ("times less CPU", "found") for name in head]
    rule = "|".join("---:" if one else "---" for one in right)
    return "\n".join(
        [f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(r)} |" for r in made)]
    )


if __name__ == "__main__":
    sys.exit(main())
