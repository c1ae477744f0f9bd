"""A rater at work in a browser: keyboard only, lost connections, strange texts, both widths."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

from detectable.data.store.open_store import open_store
from tests.browser.chromium import DESK, PHONE, chromium
from tests.browser.rating import begin, rating, serving
from tests.web.campaigns import campaign

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HARMFUL = "<img src=x onerror=\"document.title='hit'\"></script> javascript:alert(1) \u202etxet"
HEBREW = "detectable הוא כלי למדידה של תרגום"
LONG = "字" * 2000


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def rate_all(page: "Page", key: str = "End") -> None:
    """Rate every text of the page by keyboard, and save."""
    before = page.locator("#place").inner_text()
    for place in range(page.locator("#texts li").count()):
        page.focus(f"#score-{place}")
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#place")).not_to_have_text(before)


def said_of(page: "Page") -> list[str | None]:
    """Return what every slider says of its text."""
    return [
        one.get_attribute("aria-valuetext") for one in page.locator(".score [type=range]").all()
    ]


def test_a_block_by_keyboard(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        assert said_of(page) == ["not rated", "not rated"]
        expect(page.locator("#place")).to_have_text("Page 1 of 7, about 6 minutes left")
        page.focus("#score-0")
        page.keyboard.press("Enter")  # nothing is rated yet: it stays
        assert page.evaluate("document.activeElement.id") == "score-0"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("PageUp")
        assert page.locator("#score-0-number").input_value() == "61"
        assert page.locator("#score-0").get_attribute("aria-valuetext") == "61"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "score-1-number"
        page.keyboard.press("Control+Enter")  # one text is missing
        assert page.locator("#fault").inner_text() == "Text 2 is not rated yet."
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert said_of(page) == ["61", "cannot judge"]
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#place")).to_contain_text("Page 2")
        for _ in range(6):
            rate_all(page)
        assert page.locator("#message-title").inner_text() == "You are done for now"
        assert said == []
    store = open_store(tmp_path)
    rows = store.rows("ship")
    assert sorted({row.score for row in rows}, key=str) == [100.0, 61.0, None]
    assert store.status("ship")["works_done"] == 3
    assert all(row.seconds is not None and row.seconds > 0 for row in rows)
    store.close()


def test_who_has_nothing_to_rate_stays_on_call(browser: "Browser", tmp_path: Path) -> None:
    """Work that comes back is shown by itself, and a page that nobody sees asks for none."""
    (link,) = campaign(tmp_path, n_raters=1)
    store = open_store(tmp_path)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        page.clock.install()
        begin(page)
        store.turn("ship", "paused")
        rate_all(page)
        expect(page.locator("#message-title")).to_have_text("Paused")
        store.turn("ship", "open")
        page.evaluate(
            "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})"
        )
        page.clock.run_for(61_000)
        expect(page.locator("#message-title")).to_have_text("Paused")
        page.evaluate("delete document.visibilityState")
        page.clock.run_for(61_000)
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert said == []
    store.close()


def test_a_store_that_is_away_is_asked_again(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        page.wait_for_selector("#begin:visible")
        page.route(
            "**/api/v1/next*",
            lambda route: route.fulfill(status=503, json={"code": "not_reached"}),
        )
        page.click("#begin")
        expect(page.locator("#again")).to_be_visible()
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        page.unroute("**/api/v1/next*")
        page.click("#again")
        expect(page.locator("#place")).to_contain_text("Page 1")


def test_answers_survive_a_lost_connection_and_a_closed_tab(
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        page.focus("#score-0")
        page.keyboard.press("Home")
        page.reload()  # the draft is kept in the tab
        page.wait_for_selector("#begin:visible")
        begin(page)
        assert said_of(page) == ["0", "not rated"]
        page.focus("#score-1")
        page.keyboard.press("End")
        answered = threading.Event()

        def lose_the_answer(route: object) -> None:
            if not answered.is_set():
                answered.set()
                route.fetch()  # type: ignore[attr-defined]  # it arrives, and nobody hears of it
                route.abort()  # type: ignore[attr-defined]
            else:
                route.continue_()  # type: ignore[attr-defined]

        page.route("**/api/v1/pages/*", lose_the_answer)
        page.click("#save")
        expect(page.locator("#fault")).to_contain_text("no connection")
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert page.locator("#saved").inner_text() == "Saved"
    store = open_store(tmp_path)
    assert [row.score for row in store.rows("ship")] == [0.0, 100.0]
    store.close()


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_strange_texts_are_shown_as_texts(
    browser: "Browser", tmp_path: Path, width: int
) -> None:
    texts = {"a": [HARMFUL, HEBREW, LONG] * 2, "b": [HARMFUL, HEBREW, LONG] * 2}
    (link,) = campaign(
        tmp_path, n_raters=1, texts=texts, target_language="he", source_language="de"
    )
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, width) as (page, said),
    ):
        begin(page)
        for _ in range(7):
            shown = page.locator(".output p")
            for text in shown.all():
                assert text.evaluate("one => one.textContent") in {HARMFUL, HEBREW, LONG} or (
                    text.evaluate("one => one.children.length") == 0
                )
                assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
                assert text.get_attribute("lang") == "he"
            assert page.locator(".source p").first.get_attribute("dir") == "ltr"
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width
            rate_all(page)
        assert page.title() == "Rate translations"
        assert page.locator("main img").count() == 0
        assert said == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_page_passes_axe(
    browser: "Browser", tmp_path: Path, width: int, dark: bool
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    (link,) = campaign(tmp_path, n_raters=1, instructions="Read first.\nThen rate.")
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        bypass_csp=True,
        color_scheme="dark" if dark else "light",
    )
    with serving(tmp_path) as address:
        page = context.new_page()
        page.goto(f"{address}a#{link.token}")
        page.wait_for_selector("#begin:visible")
        for step in ("welcome", "rate"):
            found = axe.run(page)
            assert found.violations_count == 0, (step, found.generate_report())
            if step == "welcome":
                begin(page)
        assert page.locator("button:visible").first.bounding_box()["height"] >= 44  # type: ignore[index]
    context.close()


def test_a_link_that_is_not_valid_says_so(browser: "Browser", tmp_path: Path) -> None:
    campaign(tmp_path)
    with serving(tmp_path) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}a#wrong")
        page.wait_for_selector("#message:visible")
        assert page.locator("#message-title").inner_text() == "This link is not valid"
