"""Say which built pages would fetch something from elsewhere: python scripts/check_site.py FOLDER."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# What a browser fetches by itself. A link (<a href>) is fetched only when a person follows it.
FETCHED = {"src", "srcset", "data", "poster", "background", "xlink:href"}
HREF = {"link", "image", "use", "feimage", "base"}
REMOTE = re.compile(r"\s*(https?:)?//", re.IGNORECASE)
IN_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        for name, value in attrs:
            fetched = name in FETCHED or (name == "href" and tag in HREF)
            if fetched and any(REMOTE.match(part) for part in (value or "").split(",")):
                self.found.append(f"<{tag} {name}={value}>")
            elif name == "style":
                self.found += IN_CSS.findall(value or "")

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.found += IN_CSS.findall(data)


def remote(path: Path) -> list[str]:
    """Return what a page or a style sheet would fetch from elsewhere."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        return IN_CSS.findall(text)
    page = _Page()
    page.feed(text)
    return page.found


def main(folder: Path) -> int:
    files = [
        path for path in sorted(folder.rglob("*")) if path.suffix in {".html", ".css", ".svg"}
    ]
    wrong = [(path, what) for path in files for what in remote(path)]
    for path, what in wrong:
        print(f"{path.relative_to(folder)} would fetch {what}")
    if not files:
        print(f"{folder} holds no page: build the site first (make docs)")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
