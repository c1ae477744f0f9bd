"""Take pictures of a few result pages with a browser: python scripts/make_screenshots.py FOLDER.

Without a browser it says so and writes nothing; the site then does without them.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from detectable.cli import main as detectable
from detectable.data.example.example_campaign import write_campaign

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = "1100,1500"
PAGES = {
    "compare": "compare --corpus {campaign}/corpus.tsv --metric bleu --metric chrf --baseline birch --seed 1",
    "rank": "rank {campaign}/judgments.tsv --seed 1",
    "quality": "quality {campaign}/judgments.tsv --seed 1",
}
EXPLORED = "compare --corpus {campaign}/corpus.tsv --system birch --system elm --metric chrf --baseline birch --seed 1"


def browser() -> str | None:
    """Return the browser of this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def write_pages(folder: Path) -> list[Path]:
    """Write the pages that are photographed."""
    write_campaign(folder / "campaign")
    made = []
    for name, line in PAGES.items():
        path = folder / f"{name}.html"
        _run(folder, f"{line} --html {path}")
        made.append(path)
    return [*made, _explored(folder)]


def _run(folder: Path, line: str) -> None:
    found = CliRunner().invoke(detectable, line.format(campaign=folder / "campaign").split())
    if found.exit_code:
        raise SystemExit(f"detectable {line}: {found.output}")


def _explored(folder: Path) -> Path:
    """Write the page of the explorer, open where a pair is looked into."""
    path = folder / "explore.html"
    with contextlib.chdir(folder):  # names of data are as seen from there
        _run(Path(), f"{EXPLORED} --out compare.json")
        _run(Path(), "report compare.json --bake explore.html")
    return path


def photograph(program: str, page: Path, picture: Path) -> None:
    """Let a browser without a window draw a page."""
    words = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    if os.geteuid() == 0:  # Chromium refuses its sandbox to root
        words.append("--no-sandbox")
    done = subprocess.run(
        [program, *words, f"--screenshot={picture}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode or not picture.exists():
        raise SystemExit(f"{program} drew no picture of {page.name}: {done.stderr[-500:]}")


def main(folder: Path) -> None:
    program = browser()
    if program is None:
        print(
            f"No browser ({', '.join(BROWSERS)}): the site is built without pictures of pages."
        )
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for page in write_pages(Path(place)):
            photograph(program, page, folder / f"{page.stem}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
