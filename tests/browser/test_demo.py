"""The page of the demo in a real browser: nine results, with all their pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from detectable.report.blocks import Chart
from detectable.report.shown.demo import demo_report
from detectable.study.demo.story import tell_story
from tests.browser.chromium import DESK, PHONE, chromium, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Write the page once; return it and how many charts it has."""
    made = demo_report(tell_story())
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    path.write_text(made.page(), encoding="utf-8")
    blocks = [block for section in made.sections() for block in section.blocks]
    return path, sum(isinstance(block, Chart) for block in blocks)


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_it_opens_draws_and_fits(
    width: int, browser: "Browser", page: tuple[Path, int]
) -> None:
    path, charts = page
    with opened(browser, path, width) as found:
        shown = found.page.locator("svg[role=img]:visible").count()
        across = found.page.evaluate("document.documentElement.scrollWidth")
        links = found.page.locator("ol.results a").count()
        assert found.said == []
    assert (shown, links) == (charts, 9)
    assert across <= width


def test_every_link_leads_somewhere(browser: "Browser", page: tuple[Path, int]) -> None:
    broken = """() => [...document.querySelectorAll('a[href^="#"]')]
      .map(link => link.getAttribute('href').slice(1))
      .filter(name => document.querySelectorAll('[id="' + name + '"]').length !== 1)"""
    with opened(browser, page[0], DESK) as found:
        assert found.page.evaluate(broken) == []


def test_it_passes_axe(browser: "Browser", page: tuple[Path, int]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, page[0], DESK) as found:
        answer = Axe().run(found.page)
    assert answer.violations_count == 0, answer.generate_report()
