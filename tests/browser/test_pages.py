"""Every page of every result in a real browser: alone, at a desk, on a phone, for everyone."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.render.page import render_page
from detectable.report.saved.save import written_result
from detectable.report.several import report
from tests.browser.chromium import DESK, PHONE, chromium, opened, resized
from tests.report.results import RESULTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Pictures that are shown, each with its label and size; CSS hides the one for the other width.
_PICTURES = """() => [...document.querySelectorAll('svg[role=img]')].map(picture => {
  const box = picture.getBoundingClientRect();
  return {label: picture.getAttribute('aria-label'), width: box.width, height: box.height};
})"""

# Tables wider than their box, which then scrolls; folded ones are opened first.
_SCROLLED = """() => {
  document.querySelectorAll('details').forEach(part => { part.open = true; });
  return [...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => box.getAttribute('aria-label'));
}"""


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def page_of(name: str, folder: Path, *, interactive: bool = False) -> tuple[Path, int]:
    """Write the page of a result; return it and how many charts it has."""
    blocks = blocks_of(RESULTS[name], command="detectable it")
    path = folder / f"{name}.html"
    path.write_text(render_page(blocks, title=f"About {name}", interactive=interactive))
    return path, sum(isinstance(block, Chart) for block in blocks)


def check_fit(page: "Page", width: int, charts: int) -> None:
    """Check that nothing is wider than the screen, and that every chart is shown and labelled."""
    shown = [p for p in page.evaluate(_PICTURES) if p["width"] or p["height"]]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(_SCROLLED) == []
    assert len(shown) == charts
    for picture in shown:
        assert picture["label"]
        assert 100 < picture["width"] <= width
        assert picture["height"] > 30


def check_for_everyone(page: "Page") -> None:
    """Check what axe knows of reading by keyboard, by ear and with weak eyes."""
    from axe_playwright_python.sync_playwright import Axe

    answer = Axe().run(page)
    assert answer.violations_count == 0, answer.generate_report()


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_page_opens_draws_fits_and_is_for_everyone(
    name: str, browser: "Browser", tmp_path: Path
) -> None:
    path, charts = page_of(name, tmp_path)
    with opened(browser, path, DESK) as found:
        check_fit(found.page, DESK, charts)
        check_for_everyone(found.page)
        found.page.emulate_media(color_scheme="dark")
        check_for_everyone(found.page)
        resized(found.page, PHONE)
        check_fit(found.page, PHONE, charts)
        assert found.said == []


def several(folder: Path) -> Path:
    """Write all results on one page, kept ones among them."""
    kept = folder / "kept.json"
    kept.write_text(written_result(RESULTS["ranking"], command=["detectable", "rank"]).text)
    path = folder / "all.html"
    path.write_text(report(*RESULTS.values(), kept, title="All of them").page())
    return path


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_page_of_several_opens_draws_and_fits(
    width: int, browser: "Browser", tmp_path: Path
) -> None:
    results = [*RESULTS.values(), RESULTS["ranking"]]
    charts = sum(isinstance(b, Chart) for result in results for b in blocks_of(result))
    with opened(browser, several(tmp_path), width) as found:
        shown = [p for p in found.page.evaluate(_PICTURES) if p["width"] or p["height"]]
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width
        assert found.page.locator("ol.results li").count() == len(results)
        assert found.said == []
    assert len(shown) == charts > len(RESULTS) / 2


def test_the_page_of_several_passes_axe(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, several(tmp_path), DESK) as found:
        check_for_everyone(found.page)


WITH_CHARTS = [
    name
    for name in sorted(RESULTS)
    if any(isinstance(b, Chart) for b in blocks_of(RESULTS[name]))
]


_WIDTHS = (
    "[...document.querySelectorAll('.drawn svg')].map(svg => svg.getAttribute('width')).join()"
)


@pytest.mark.parametrize("name", WITH_CHARTS)
def test_every_interactive_page_draws_by_itself_and_says_nothing(
    name: str, browser: "Browser", tmp_path: Path
) -> None:
    # Vega warns on the console of what a drawn picture hides: scales that clash, fields that lack.
    path, charts = page_of(name, tmp_path, interactive=True)
    with opened(browser, path, DESK) as found:
        figures = found.page.locator("figure.interactive .drawn svg")
        figures.nth(charts - 1).wait_for()
        assert figures.count() == charts
        assert found.page.evaluate("document.documentElement.scrollWidth") <= DESK
        # A matrix of few systems is as wide on a phone; some picture is not.
        before = found.page.evaluate(_WIDTHS)
        resized(found.page, PHONE)
        found.page.wait_for_function(f"old => {_WIDTHS} != old", arg=before)
        assert figures.count() == charts
        assert found.page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert found.said == []


def test_printing_shows_the_static_pictures(browser: "Browser", tmp_path: Path) -> None:
    path, charts = page_of("comparison", tmp_path, interactive=True)
    with opened(browser, path, DESK) as found:
        found.page.locator("figure.interactive .drawn svg").nth(charts - 1).wait_for()
        found.page.emulate_media(media="print")
        assert found.page.locator("figure > svg.wide:visible").count() == charts
        assert found.page.locator("figure .drawn svg:visible").count() == 0


def test_a_notebook_keeps_its_rules_to_itself(browser: "Browser", tmp_path: Path) -> None:
    made = RESULTS["comparison"]._repr_html_()
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><p id='other'>other</p>{made}", encoding="utf-8")
    size = "e => getComputedStyle(e).fontSize + getComputedStyle(e).margin"
    with opened(browser, path, DESK) as found:
        there = found.page.locator("#other").evaluate(size)
        shown = [p for p in found.page.evaluate(_PICTURES) if p["width"]]
        found.page.locator(".detectable").evaluate("e => e.remove()")
        assert found.page.locator("#other").evaluate(size) == there
    assert len(shown) == 1
