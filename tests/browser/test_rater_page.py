"""Around the texts of a rater: what precedes them, what scores mean, the language of the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

from detectable.core.choices import PageLanguage, words
from detectable.data.store.open_store import open_store
from detectable.web.strings import rating_strings
from tests.browser.chromium import DESK, PHONE, chromium, resized
from tests.browser.rating import begin, rating, serving
from tests.web.campaigns import campaign

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HEBREW = "detectable הוא כלי למדידה של תרגום"
SETTINGS: dict[str, dict[str, Any]] = {
    "da": {},
    "sqm": {"points": 100},
    "esa": {},
    "mqm": {},
    "pairwise": {},
    "likert": {"criteria": ("adequacy",)},
}
# Sentences of documents of three lines, in the order of the documents.
SENTENCES: dict[str, Any] = {"n_raters": 1, "per_document": 3, "page_lines": 1, "controls": 0.0}


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def check_with_axe(page: "Page") -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def skip_until_before(page: "Page", n: int) -> None:
    """Skip texts until one is preceded by so many lines."""
    for _ in range(12):
        if page.locator("#before li").count() == n:
            return
        place = page.locator("#place").inner_text()
        page.locator(".skip-text").first.click()
        page.click("#save")
        expect(page.locator("#place")).not_to_have_text(place)
    raise AssertionError(f"no text with {n} lines before it")


@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_sentences_are_preceded_by_those_before_them(
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    texts = {name: [f"{HEBREW} {name} {n}" for n in range(6)] for name in ("a", "b")}
    more: dict[str, Any] = {"protocol": protocol, **SETTINGS[protocol], **SENTENCES}
    (link,) = campaign(tmp_path, texts=texts, target_language="he", mode="bilingual", **more)
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        begin(page)
        skip_until_before(page, 2)
        at = int(page.locator("#texts .source p").inner_text().split()[1])
        sources = page.locator("#before .source p").all_inner_texts()
        assert sources == [f"Quelle {at - 2}", f"Quelle {at - 1}"]
        sides = ("left", "right") if protocol == "pairwise" else ("output",)
        for side in sides:
            shown = page.locator(f"#texts .{side}").locator("p, .marking").inner_text()
            system = shown.removesuffix("[missing]").split()[-2]
            grey = page.locator(f"#before .{side} p")
            assert grey.all_inner_texts() == [f"{HEBREW} {system} {at - n}" for n in (2, 1)]
            for one in grey.all():
                assert one.get_attribute("lang") == "he"
                assert one.evaluate("one => getComputedStyle(one).direction") == "rtl"
        soft, ink = (
            page.locator(f"{where} .source p").first.evaluate(
                "one => getComputedStyle(one).color"
            )
            for where in ("#before", "#texts")
        )
        assert soft != ink
        assert page.locator("#before").locator("button, input, [tabindex]").count() == 0
        for width, scheme in ((DESK, "light"), (PHONE, "dark")):
            resized(page, width)
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            check_with_axe(page)
        assert said == []


def test_the_next_page_of_a_long_document_begins_with_the_end_of_the_last(
    browser: "Browser", tmp_path: Path
) -> None:
    more: dict[str, Any] = {"n_raters": 1, "controls": 0.0, "n_lines": 40, "per_document": 40}
    (link,) = campaign(tmp_path, **more)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        skipped: list[str] = []
        for _ in range(4):  # two parts of 20 lines, in two systems
            first = page.locator("#texts .source p").first.inner_text()
            before = page.locator("#before .source p").all_inner_texts()
            assert before == (
                [] if first == "Quelle 0" else ["Quelle 17", "Quelle 18", "Quelle 19"]
            )
            assert page.locator("#before").is_visible() == bool(before)
            skipped.append(first)
            place = page.locator("#place").inner_text()
            for one in page.locator(".skip-text").all():
                one.click()
            page.click("#save")
            expect(page.locator("#place")).not_to_have_text(place)
        assert sorted(skipped) == ["Quelle 0", "Quelle 0", "Quelle 20", "Quelle 20"]
        assert said == []


@pytest.mark.parametrize(
    ("points", "marks", "after"),
    [(6, ["0", "2", "4", "6"], "4"), (100, ["0", "33", "66", "100"], "60")],
)
def test_sqm_names_its_scores(
    browser: "Browser", tmp_path: Path, points: int, marks: list[str], after: str
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol="sqm", points=points, controls=0.0)
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        begin(page)
        anchors = page.locator("#score-0-anchors")
        assert anchors.locator("b").all_inner_texts() == marks
        assert anchors.locator("span").all_inner_texts() == [
            rating_strings("en")[f"script.rate_anchor_{n}"] for n in range(4)
        ]
        assert page.locator("#score-0").get_attribute("aria-describedby") == "score-0-anchors"
        assert page.locator("output").first.inner_text() == "not rated"
        slider = page.locator("#score-0").bounding_box()
        for n, mark in enumerate(anchors.locator("li").all()):
            box = mark.bounding_box()
            assert slider is not None
            assert box is not None
            if n in (1, 2):  # below the place where the score stands
                middle = (box["x"] + box["width"] / 2 - slider["x"]) / slider["width"]
                assert middle == pytest.approx(n / 3, abs=0.02)
        for place in range(2):
            page.focus(f"#score-{place}")
            page.keyboard.press("PageUp")
            page.keyboard.press("End" if place else "Enter")
        assert page.locator("output").all_inner_texts() == [after, str(points)]
        check_with_axe(page)
        resized(page, PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        check_with_axe(page)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#place")).to_contain_text("page 2")
        assert said == []
    store = open_store(tmp_path)
    assert [row.score for row in store.rows("ship")] == [float(after), float(points)]
    store.close()


@pytest.mark.parametrize("language", words(PageLanguage))
def test_the_page_speaks_the_language_of_the_campaign(
    browser: "Browser", tmp_path: Path, language: str
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, page_language=language, pay="9", consent="x")
    said = rating_strings(language)
    with serving(tmp_path) as address:
        context = browser.new_context(viewport={"width": PHONE, "height": 844}, bypass_csp=True)
        page = context.new_page()
        page.goto(f"{address}a#{link.token}")
        page.wait_for_selector(f"html[lang={language}] #begin:visible")
        assert page.locator("html").get_attribute("dir") == "ltr"
        assert page.title() == said["annotate.title"]
        assert page.locator("#welcome h1").inner_text() == said["annotate.welcome"]
        assert page.input_value("#language") == language
        check_with_axe(page)
        page.check("#agreed")
        page.click("#begin")
        page.wait_for_selector("#rate:visible")
        assert (
            page.locator("#rate-title").inner_text() == said["script.rate_question_da_source"]
        )
        assert page.locator("output").first.inner_text() == said["script.rate_unrated"]
        assert page.locator("#place").inner_text() == said["script.rate_place"].format(
            block=1, place=1, pages=7
        )
        page.focus("#save")
        page.keyboard.press("Enter")
        expect(page.locator("#fault")).to_have_text(said["script.rate_missing"].format(n=1))
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        check_with_axe(page)
        context.close()


def test_a_rater_may_choose_another_language(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1, page_language="de")
    with serving(tmp_path) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}a#{link.token}")
        page.wait_for_selector("html[lang=de] #begin:visible")
        page.select_option("#language", "ja")
        page.wait_for_selector("html[lang=ja] #begin:visible")
        assert page.url == f"{address}a?language=ja#{link.token}"
        page.goto(f"{address}a#{link.token}")  # it is kept on this device
        page.wait_for_selector("html[lang=ja] #begin:visible")
        page.click("#begin")
        page.wait_for_selector("#rate:visible")
        other = browser.new_context()  # and not on another
        page = other.new_page()
        page.goto(f"{address}a?language=tlh#{link.token}")
        page.wait_for_selector("html[lang=de] #begin:visible")
        for one in (context, other):
            one.close()


def test_numbers_choose_their_words_as_the_language_does(
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}a#{link.token}")
        page.wait_for_selector("#begin:visible")
        page.select_option("#language", "de")  # so that the choice below is always another
        page.wait_for_selector("html[lang=de] #begin:visible")
        for language, one, many in (
            ("en", "within 1 minute;", "within 1,200 minutes;"),
            ("fr", "1 minute\u00a0;", "1\u202f200 minutes\u00a0;"),
            ("es", "1 minuto;", "1200 minutos;"),  # Spanish groups from five digits on
            ("ja", "1 分以内", "1,200 分以内"),
            ("de", "1 Minute kann", "1.200 Minuten kann"),
        ):
            page.select_option("#language", language)
            page.wait_for_selector(f"html[lang={language}] #begin:visible")
            said = [
                page.evaluate(
                    """async (minutes) => {
                      const { word } = await import("/static/tell.js");
                      return word("script.rate_empty", { minutes });
                    }""",
                    minutes,
                )
                for minutes in (1, 1200)
            ]
            assert one in said[0]
            assert many in said[1]
        page.context.close()


def test_a_page_from_right_to_left_is_laid_out_so(browser: "Browser", tmp_path: Path) -> None:
    """No file is in such a language yet; the page takes its direction from the language."""
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        page.evaluate("document.documentElement.dir = 'rtl'")
        begin(page)
        for width in (DESK, PHONE):
            resized(page, width)
            low, high = (
                page.locator(f".score .{name}").first.bounding_box() for name in ("low", "high")
            )
            assert low is not None
            assert high is not None
            assert low["x"] > high["x"]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
