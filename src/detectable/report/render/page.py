"""Blocks as one HTML file: no network, no script, nothing beside it."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from detectable.core.version import VERSION
from detectable.core.wording import count
from detectable.report.blocks import (
    LEGEND,
    Block,
    Chart,
    Examples,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    plain,
    sections_of,
    status_of,
)
from detectable.report.charts.theme import NARROW, WIDE, colours_css
from detectable.report.methods.shared import OWN, bibtex
from detectable.report.render.interactive import Scripts, interactive_scripts
from detectable.report.render.picture import can_draw, inline_svg, with_own_clips
from detectable.report.render.text_table import (
    Arranged,
    ShownColumns,
    arrange,
    cut_rows,
    shown_columns,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_EQUATION = re.compile(r"(?<![\w])[pzrEtατρκ] [=<≤≥] (?=[±−.\d])")
SEVERAL = "Results"  # the title of a page with more than one
_STEPS = "Step by step"
_NUMBERS = itertools.count(1)  # of what a notebook shows
_MOST_ROWS = (
    500  # of a folded table; more would make the page slow, and nobody reads them there
)
_OPEN_ROWS = 40  # of one that is open


def render_page(blocks: Sequence[Block], *, title: str = "", interactive: bool = False) -> str:
    """Return a whole page.

    Its order is that of reading: the verdict, what could not have been seen, short tables, long
    tables folded, examples, checks, and how to repeat it.

    Parameters
    ----------
    blocks : sequence of blocks
        Of one result; or a section for each of several, which are first named with their verdicts,
        and then follow each as on a page of its own.
    title : str
        What the page is about; by default the verdict says it.
    interactive : bool
        Put the charts' specifications and Vega into the page as well, so that marks tell their
        numbers under the pointer: about 900 kB more. The static pictures stay, for places without
        scripts.
    """
    sections = sections_of(blocks)
    page: str = (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title or (SEVERAL if sections else ""),
            names=[section.name for section in sections],
            parts=[_part(section.blocks) for section in sections] or [_part(blocks)],
            scripts=_scripts(blocks) if interactive else None,
            colours=colours_css(),
            version=VERSION,
        )
    )
    return with_own_clips(page)


def _scripts(blocks: Sequence[Block]) -> Scripts | None:
    """Return what draws the charts again, by the ids of their figures; None without charts."""
    sections = sections_of(blocks)
    prefixed = [(f"result-{i}-", section.blocks) for i, section in enumerate(sections, 1)]
    charts = [
        (f"{prefix}chart-{block.id}", block)
        for prefix, found in prefixed or [("", tuple(blocks))]
        for block in found
        if isinstance(block, Chart)
    ]
    return interactive_scripts(charts) if charts else None


def render_notebook(blocks: Sequence[Block]) -> str:
    """Return the verdict, the key chart and the first table, for a notebook.

    Its rules hold inside it alone, and its ids are its own: a notebook shows many results.
    """
    id = f"detectable-{next(_NUMBERS)}"
    part = _part(sections[0].blocks if (sections := sections_of(blocks)) else blocks)
    tables = [block for block in part.evidence if isinstance(block, Table)]
    made: str = (
        _templates()
        .get_template("notebook.html.j2")
        .render(id=id, part=part, tables=tables, colours=colours_css("&"))
    )
    return with_own_clips(made, f"{id}-clip")


@dataclass(frozen=True, slots=True)
class _Part:
    """The blocks of one result by their place on the page."""

    verdict: Verdict
    key_tables: list[Table]
    key_charts: list[Chart]
    story: list[Text]
    limits: list[Text]
    evidence: list[Table | Matrix | Chart]
    examples: list[Examples]
    checks: list[Text]
    remarks: list[Text]
    methods: list[Methods]
    repeat: Repeat
    drawn: frozenset[str]  # matrices that a chart of the same name shows too


def _part(blocks: Sequence[Block]) -> _Part:
    texts = [block for block in blocks if isinstance(block, Text)]
    return _Part(
        verdict=next(block for block in blocks if isinstance(block, Verdict)),
        key_tables=[block for block in blocks if isinstance(block, Table) and block.key],
        key_charts=[block for block in blocks if isinstance(block, Chart) and block.key],
        story=[text for text in texts if text.role == "story"],
        limits=[text for text in texts if text.role == "limits"],
        evidence=_evidence(blocks),
        examples=[block for block in blocks if isinstance(block, Examples)],
        checks=[text for text in texts if text.role == "checks"],
        remarks=[text for text in texts if text.role == "note"],
        methods=[block for block in blocks if isinstance(block, Methods)],
        repeat=next(block for block in blocks if isinstance(block, Repeat)),
        drawn=frozenset(block.id for block in blocks if isinstance(block, Chart) if can_draw()),
    )


def _contents(part: _Part) -> list[tuple[str, str]]:
    """Return what the page has, for the line of links at its top."""
    there = (
        ("story", part.story[0].title if len(part.story) == 1 else _STEPS, part.story),
        ("limits", "Limits", part.limits),
        ("evidence", "Evidence", part.evidence or part.examples),
        ("checks", "Checks", part.checks or part.remarks),
        ("methods", "For your paper", part.methods),
        ("repeat", "Repeat", [part.repeat]),
    )
    return [(id, name) for id, name, found in there if found]


def _evidence(blocks: Sequence[Block]) -> list[Table | Matrix | Chart]:
    """Return tables, matrices and charts, the folded ones last."""
    found = [
        block
        for block in blocks
        if isinstance(block, Matrix) or (isinstance(block, Table | Chart) and not block.key)
    ]
    return sorted(found, key=lambda block: isinstance(block, Table) and block.folded)


def _pictures(chart: Chart) -> "list[Markup]":
    """Return a chart at both widths, of which CSS shows one; nothing where none can be drawn."""
    from markupsafe import Markup

    if not can_draw():
        return []
    sizes = (("wide", WIDE), ("narrow", NARROW))
    return [Markup(inline_svg(chart, width, name=name)) for name, width in sizes]


def page_style() -> str:
    """Return the rules of a page: its colours, light and dark, and what stands where."""
    rules = (files("detectable.report") / "templates" / "page.css").read_text("utf-8")
    return f"{colours_css()}\n{rules}"


def _cut(table: Table) -> Table:
    """Return the rows of a table that a page shows."""
    return cut_rows(table, _MOST_ROWS if table.folded else _OPEN_ROWS)


def _shown_columns(table: Table, arranged: Arranged) -> ShownColumns:
    return shown_columns(_cut(table), arranged)


def _unbroken(value: object) -> object:
    """Keep “p = .01” in one line."""
    if type(value) is not str:  # text of ours; what is markup already stays as it is
        return value
    return _EQUATION.sub(lambda found: found[0].replace(" ", "\u00a0"), value)


def _unhyphenated(heading: str) -> str:
    """Keep “max-T” in one line: a word joiner lets no line end at the hyphen."""
    return heading.replace("-", "-\u2060")


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("detectable.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_unbroken,
    )
    made.filters |= {"zip": zip, "unhyphenated": _unhyphenated}
    made.globals |= {
        "arrange": arrange,
        "shown_columns": _shown_columns,
        "cut": _cut,
        "counted": count,
        "legend": LEGEND,
        "status_of": status_of,
        "plain": plain,
        "is_table": lambda block: isinstance(block, Table),
        "is_chart": lambda block: isinstance(block, Chart),
        "pictures_of": _pictures,
        "contents_of": _contents,
        "bibtex": bibtex,
        "own": OWN,
    }
    return made
