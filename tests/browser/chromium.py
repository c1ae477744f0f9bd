"""A browser for tests, where there is one: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers import require

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESK = 1280
PHONE = 390
SLOW = 60_000  # milliseconds that a busy machine may need to show what was asked for
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> "Iterator[Browser]":
    """Start the browser, or skip and say what is missing."""
    found = next((path for path in map(shutil.which, _NAMES) if path), None)
    if found is None:
        require("browser", "Chromium is not installed: no page is opened")
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        require("browser", "the package playwright is not installed: no page is opened")
    expect.set_options(timeout=SLOW)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


@dataclass
class Opened:
    """A page at one width, with the network off, and what it wrote to the console."""

    page: "Page"
    said: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: "Browser", path: Path, width: int, *, dark: bool = False
) -> Iterator[Opened]:
    """Open a file with the network off; collect what the console and scripts say."""
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        offline=True,
        color_scheme="dark" if dark else "light",
    )
    made = Opened(context.new_page())
    made.page.on("console", lambda message: made.said.append(message.text))
    made.page.on("pageerror", lambda error: made.said.append(str(error)))
    made.page.on("request", lambda request: _note(made, request.url))
    made.page.goto(path.resolve().as_uri())
    yield made
    context.close()


def _note(made: Opened, url: str) -> None:
    if not url.startswith("file:"):
        made.said.append(f"asked for {url}")


def resized(page: "Page", width: int) -> None:
    """Make a page as wide as another device."""
    page.set_viewport_size({"width": width, "height": 844})
