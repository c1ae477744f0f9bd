"""A rater's page in a browser: opened by a link, with all that its console says."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.chromium import DESK, SLOW
from tests.web.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Start a server, and return its address."""
    with running(folder, folder / "log") as server:
        yield f"{server.address}/"


@contextmanager
def rating(
    browser: "Browser",
    address: str,
    token: str,
    width: int = DESK,
    *,
    dark: bool = False,
    touch: bool = False,
    bypass_csp: bool = False,
) -> "Iterator[tuple[Page, list[str]]]":
    """Open a link; what the console says and what is asked elsewhere is collected."""
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme="dark" if dark else "light",
        has_touch=touch,
        bypass_csp=bypass_csp,
    )
    page = context.new_page()
    page.set_default_timeout(SLOW)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith(address) else said.append(r.url))
    page.goto(f"{address}a#{token}")
    page.wait_for_selector("#begin:visible")
    yield page, said
    context.close()


def begin(page: "Page") -> None:
    """Begin by keyboard."""
    page.focus("#begin")
    page.keyboard.press("Enter")
    page.wait_for_selector("#rate:visible")
