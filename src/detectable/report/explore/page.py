"""The page of the explorer and its scripts: for a server, or baked into one file."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.report.blocks import Section
from detectable.report.charts.theme import COLOUR
from detectable.report.explore.segments import Segments
from detectable.report.render.block_values import block_values
from detectable.report.render.interactive import vega_script
from detectable.report.render.page import page_style
from detectable.report.render.picture import can_draw

if TYPE_CHECKING:
    from jinja2 import Template

LIMIT = 20_000_000  # bytes of a page: more, and mail and browsers refuse it
_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


def explorer_page(
    *, base: str, vega: str = "", links: Sequence[tuple[str, str]] = (), icon: str = "data:,"
) -> str:
    """Return the page that a server sends, without results.

    Parameters
    ----------
    base : str
        Where its files are: see `explorer_files`.
    vega : str
        Where the script is that draws (`vega_script`); without it charts are said in words.
    links : sequence of (address, name)
        Other pages of the server.
    icon : str
        Its icon; by default an empty one, so that no browser asks for another.
    """
    return _render(base=base, vega=vega, links=links, icon=icon)


def explorer_files() -> dict[str, tuple[str, str]]:
    """Return the files of the page: for each name its content type and its text."""
    texts = {name: source(name) for name in module_names()}
    texts["explore.css"] = _style()
    return {name: (_TYPES[name.rsplit(".", 1)[1]], text) for name, text in texts.items()}


@dataclass(frozen=True, slots=True)
class BakedPage:
    """One file that explores results, and what to say about it."""

    text: str
    notes: tuple[str, ...]


def baked_page(
    sections: Sequence[Section],
    *,
    title: str = "",
    segments: Mapping[str, Segments] | None = None,
) -> BakedPage:
    """Return one file that explores results, from disk and without a network.

    Parameters
    ----------
    sections : sequence of Section
        A result each.
    title : str
        What they are about.
    segments : mapping of name to Segments, optional
        Of the results that have some. What does not fit into 20 MB is left out, and counted.
    """
    drawing = [vega_script()] if can_draw() else []
    scripts = [_harmless(script) for script in (*drawing, one_script())]
    given = segments or {}
    style = _style()
    entries: list[dict[str, Any]] = [
        {"name": section.name, "blocks": block_values(section.blocks), "segments": None}
        for section in sections
    ]
    bare = _bytes(*scripts, style, _strings(), _json(entries), _template_source())
    room = (LIMIT - bare) // max(1, len(given))
    notes = []
    for entry in entries:
        name = entry["name"]
        if name in given:
            kept = fitting(given[name], room)
            entry["segments"] = kept.to_values()
            notes.append(f"{name}: {_said(kept)}")
    return BakedPage(
        _render(
            title=title,
            saved=_json(entries),
            style=style,
            scripts=scripts,
            policy=(
                f"default-src 'none'; script-src {' '.join(map(_digest, scripts))}; "
                f"style-src {_digest(style)}; base-uri 'none'; form-action 'none'"
            ),
        ),
        tuple(notes),
    )


def _said(segments: Segments) -> str:
    texts = "with their texts" if segments.has_texts else "without texts"
    said = f"{count(len(segments.names), 'segment')} {texts} on the page"
    if segments.n_left_out:
        said += (
            f"; {segments.n_left_out:,} left out, since a page holds {LIMIT // 10**6} MB at "
            "most. Those that differ most are there"
        )
    return f"{said}."


def fitting(segments: Segments, room: int) -> Segments:
    """Return as many segments as `room` bytes hold: those that differ most."""
    n = len(segments.names)
    low, high = 0, n  # the first of which fits
    if _size(segments) <= room:
        return segments
    while high - low > max(1, n // 200):
        middle = (low + high) // 2
        if _size(segments.most_different(middle)) <= room:
            low = middle
        else:
            high = middle
    return segments.most_different(low)


def _size(segments: Segments) -> int:
    return _bytes(_json(segments.to_values()))


def _bytes(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts)


def _json(value: Any) -> str:
    """Return JSON that ends no script and begins no comment, wherever it stands in a page."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


def _harmless(script: str) -> str:
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def strings() -> dict[str, str]:
    """Return what the explorer says, by key."""
    read: dict[str, str] = json.loads(_own("strings.json"))
    return read


def _render(**parts: Any) -> str:
    given: dict[str, Any] = dict.fromkeys(
        ("title", "base", "vega", "icon", "policy", "style", "saved"), ""
    )
    tokens = {colour: name for name, colour in COLOUR.items()}
    made: str = _template().render(
        **{**given, "links": (), "scripts": (), **parts},
        say=strings(),
        strings=_strings(),
        tokens=_json(tokens),
    )
    return made


def _style() -> str:
    return f"{page_style()}\n{source('explore.css')}"


def _strings() -> str:
    return _json(strings())


def _own(*path: str) -> str:
    return files("detectable.report.explore").joinpath(*path).read_text("utf-8")


def _template_source() -> str:
    return _own("templates", "explore.html.j2")


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made.from_string(_template_source())


# --- The scripts of the explorer: as files for a server, or as one script for a page that stands alone ---

ENTRY = "main.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def source(name: str) -> str:
    """Return a file of ``static`` as it is."""
    return (files("detectable.report.explore") / "static" / name).read_text("utf-8")


def module_names() -> tuple[str, ...]:
    """Return the modules that the entry needs, itself included, each after those that it needs."""
    found: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise InputError(f"modules need each other: {' → '.join((*above, name))}.")
        if name in found:
            return
        for needed in _IMPORT.findall(source(name)):
            visit(needed, (*above, name))
        found.append(name)

    visit(ENTRY, ())
    return tuple(found)


@cache
def one_script() -> str:
    """Return all modules as one: a page that stands alone has nowhere to import from.

    Every name is declared once in all of them (a test holds that), so the lines that import and
    the word that exports can go.
    """
    parts = [_EXPORT.sub("", _IMPORT.sub("", source(name))) for name in module_names()]
    return "\n".join(parts)
