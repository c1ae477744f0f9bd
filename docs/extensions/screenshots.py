"""Pictures of result pages, where a browser took them before the build (scripts/make_screenshots.py).

``<!-- screenshot NAME: WHAT IT SHOWS -->`` becomes the picture, or a sentence where there is none.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

FOLDER = Path(__file__).parent.parent / "_static" / "made"
MARKER = re.compile(r"^<!-- screenshot (?P<name>[\w-]+): (?P<alt>[^\n]+?) -->$", re.MULTILINE)
NONE = "*(No browser was found when this site was built, so there is no picture of the page here.)*"


def shown(text: str, folder: Path = FOLDER) -> str:
    """Return a page with its pictures."""

    def picture(found: re.Match[str]) -> str:
        if (folder / f"{found['name']}.png").exists():
            return f"![{found['alt']}](_static/made/{found['name']}.png)"
        return NONE

    return MARKER.sub(picture, text)


def _show(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = shown(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the step."""
    app.connect("source-read", _show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
