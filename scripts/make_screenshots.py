"""Take pictures of a few pages with a browser: python scripts/make_screenshots.py FOLDER.

Without a browser it says so and writes nothing; the site then does without them.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from detectable.cli import main as detectable
from detectable.data.example.bundled import write_campaign

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = "1100,1500"
PAGES = {
    "compare": "compare --corpus {campaign}/corpus.tsv --metric bleu --metric chrf --baseline birch --seed 1",
    "rank": "rank {campaign}/judgments.tsv --seed 1",
    "quality": "quality {campaign}/judgments.tsv --seed 1",
}
EXPLORED = "compare --corpus {campaign}/corpus.tsv --system birch --system elm --metric chrf --baseline birch --seed 1"

SERVED = {  # pages of `detectable serve`
    "planner": "plan?s=ratings&n=400&k=5&c=0.4",
    "planner-two": "plan?s=ratings&n=400&b.s=ratings&b.n=400&b.t=two-means",
}
STARTED = re.compile(r"is at (http://\S+/) ")
MEANWHILE = 20_000  # milliseconds of a page's own time, for its charts to be drawn


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


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run `detectable serve` on a free port, with all that its pages need put together."""
    words = [sys.executable, "-m", "detectable", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as found:
        try:
            line = found.stdout.readline() if found.stdout is not None else ""
            started = STARTED.search(line)
            if started is None:
                raise SystemExit(f"detectable serve did not start: {line}")
            urllib.request.urlopen(f"{started[1]}static/vega.js", timeout=120).read()
            yield started[1]
        finally:
            found.kill()


def photograph(program: str, address: str, picture: Path) -> None:
    """Let a browser without a window draw a page."""
    words = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    words.append(f"--virtual-time-budget={MEANWHILE}")
    if os.geteuid() == 0:  # Chromium refuses its sandbox to root
        words.append("--no-sandbox")
    done = subprocess.run(
        [program, *words, f"--screenshot={picture}", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode or not picture.exists():
        raise SystemExit(f"{program} drew no picture of {address}: {done.stderr[-500:]}")


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
            photograph(program, page.as_uri(), folder / f"{page.stem}.png")
        with server(Path(place)) as address:
            for name, path in SERVED.items():
                photograph(program, address + path, folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
