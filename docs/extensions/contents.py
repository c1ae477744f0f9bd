"""The table of contents is what docs/index.md lists: one list, readable on a forge and here."""

import re
from pathlib import Path

from sphinx.application import Sphinx

SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.MULTILINE)
LINK = re.compile(r"(?P<first>^- )?\[(?P<text>[^\]]+)\]\((?P<page>[^)#:]+\.md)\)", re.MULTILINE)


def toctrees(text: str) -> str:
    """Return hidden tables of contents, one for each section of the page that lists pages."""
    found = []
    for section in SECTION.finditer(text):
        lines = [_entry(link) for link in LINK.finditer(section["body"])]
        if lines:
            head = ["```{toctree}", ":hidden:", f":caption: {section['title']}", ""]
            found.append("\n".join([*head, *lines, "```"]))
    return "\n\n".join(found)


def _entry(link: re.Match[str]) -> str:
    """Return a line of a table of contents. The first link of a point gives its own title."""
    page = link["page"]
    place = page[3:] if page.startswith("../") else f"docs/{page}"
    name = Path(place).with_suffix("").as_posix()
    return f"{link['text']} </{name}>" if link["first"] else f"/{name}"


def _add(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == "docs/index":
        source[0] += "\n" + toctrees(source[0]) + "\n"


def _first_page(app: Sphinx, error: Exception | None) -> None:
    """Write index.html at the top, where people look, which leads to the first page."""
    if error is None and app.builder.format == "html":
        start = app.builder.get_target_uri("docs/index")
        page = f'<!doctype html><meta charset="utf-8"><title>detectable</title><meta http-equiv="refresh" content="0; url={start}"><a href="{start}">detectable</a>'
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect both steps."""
    app.connect("source-read", _add)
    app.connect("build-finished", _first_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
