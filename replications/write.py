"""Pages of papers as files: Markdown, HTML and a picture per figure, and an index of all."""

from collections.abc import Mapping, Sequence
from html import escape as as_html
from importlib.resources import files
from pathlib import Path

from detectable.report.blocks import Table, Text
from detectable.report.charts.theme import tokens_css
from detectable.report.render.markdown import escape, table_markdown
from detectable.report.render.page import render_page
from detectable.report.render.picture import render_picture
from replications.listed import KINDS
from replications.page import Page

_INTRODUCTION = (
    "Every published number that public data allow, beside ours, and the figures drawn again."
)


def write_page(page: Page, folder: Path) -> None:
    """Write a paper's table, figures and page into a folder of its own."""
    own = folder / page.paper
    own.mkdir(parents=True, exist_ok=True)
    for one in page.figures:
        _write(own / f"{one.chart.id}.svg", str(render_picture(one.chart, "svg")))
    _write(own / "index.md", markdown(page))
    _write(own / "index.html", render_page(page.blocks(), title=page.paper))


def markdown(page: Page) -> str:
    """Return a paper's page as Markdown, with its pictures beside it."""
    verdict, *others = page.blocks()
    parts = [f"# {page.paper}", page.citation, f"**{getattr(verdict, 'headline', '')}**"]
    parts += [escape(remark) for remark in page.remarks]
    parts += [f"- not as listed: {escape(problem)}" for problem in page.problems]
    for block in others:
        if isinstance(block, Text):
            points = [f"- {escape(point)}" for _, point in block.points]
            parts += [f"## {block.title}", escape(block.text), "\n".join(points)]
        elif isinstance(block, Table) and not block.id.startswith("figure-"):
            parts += [f"## {block.title}", table_markdown(block)]
    for one in page.figures:
        chart = one.chart
        picture = f"![{escape(chart.alt)}]({chart.id}.svg)"
        parts += [f"## {escape(chart.title)}", escape(chart.caption), picture]
    return "\n\n".join(part for part in parts if part) + "\n"


def write_index(pages: Sequence[Page], seconds: Mapping[str, float], folder: Path) -> None:
    """Write what was run, with links to every paper."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(page, str(len(page.figures)), f"{seconds[page.paper]:.0f} s") for page in pages]
    lines = [
        "# Replications",
        "",
        _INTRODUCTION,
        "",
        f"| paper | {' | '.join(KINDS.values())} | figures | CPU |",
        "|---|---|---|---|---|---|",
    ]
    for page, n, took in rows:
        said = f"[{page.paper}]({page.paper}/index.md): {escape(page.citation)}"
        lines.append(f"| {said} | {' | '.join(matched(page))} | {n} | {took} |")
    lines += ["", "## Figures", ""]
    for page in pages:
        lines += [f"- {page.paper}: {escape(page.about_figures)}"]
        lines += [f"  - not drawn, {what}: {escape(why)}" for what, why in page.not_drawn]
    _write(folder / "index.md", "\n".join(lines) + "\n")
    _write(folder / "index.html", _index_html(rows))


def matched(page: Page) -> list[str]:
    """Return how many numbers of each kind are matched, as the README has them."""
    return [str(page.total(kind)) for kind in KINDS]


def _index_html(rows: Sequence[tuple[Page, str, str]]) -> str:
    css = (files("detectable.report") / "templates" / "page.css").read_text(encoding="utf-8")
    light, dark = (
        f"{tokens_css(dark=d)} --shade: {s};"
        for d, s in ((False, "#1b1f2433"), (True, "#000c"))
    )
    body = "\n".join(
        f'<tr><th scope="row" class="left wrap"><a href="{page.paper}/index.html">{page.paper}</a>: '
        f"{as_html(page.citation)}</th>{_cells('td', [*matched(page), n, took])}</tr>"
        for page, n, took in rows
    )
    about = "\n".join(
        f'<li class="plain">{page.paper}: {as_html(" ".join([page.about_figures, *(f"Not drawn, {what}: {why}" for what, why in page.not_drawn)]))}</li>'
        for page, *_ in rows
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Replications</title>
<style>
:root {{ color-scheme: light dark; {light} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
{css}
</style>
</head>
<body>
<main>
<h1>Replications</h1>
<p>{_INTRODUCTION}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Papers">
<table>
<thead><tr><th scope="col" class="left">paper</th>{_cells('th scope="col"', [*map(as_html, KINDS.values()), "figures", "CPU"])}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
<h2>What the figures are</h2>
<ul class="points">
{about}
</ul>
</main>
</body>
</html>
"""


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{text}</{tag.split()[0]}>" for text in texts)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
