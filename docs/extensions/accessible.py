"""What the theme leaves to be done for people who use a keyboard or a reader of the screen.

Found with axe: headings of the contents without a level, two asides without a name, and boxes that
scroll but cannot be reached with the keyboard.
"""

from pathlib import Path

from sphinx.application import Sphinx

# Each is replaced where it stands just so, and no longer does afterwards.
MENDED = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<aside class="toc-drawer no-toc">': '<aside class="toc-drawer no-toc" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<div class="math-wrapper': '<div tabindex="0" class="math-wrapper',
}


def mended(page: str) -> str:
    """Return a page with all of it in place."""
    for before, after in MENDED.items():
        page = page.replace(before, after)
    return page


def _mend(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            path.write_text(mended(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the step."""
    app.connect("build-finished", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
