"""Around the texts of a rater: what precedes them, what scores mean, the language of the page."""

import html
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

from detectable.core.choices import PageLanguage, words
from detectable.data.store.open_store import open_store
from detectable.study.campaign.campaigns import open_address
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


@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_a_text_of_one_language_stands_by_itself(
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    more: dict[str, Any] = {"protocol": protocol, **SETTINGS[protocol], "mode": "alone"}
    (link,) = campaign(tmp_path, n_raters=1, **more)
    words = rating_strings("en")
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        assert "translation" not in page.locator("#welcome").inner_text().lower()
        begin(page)
        assert (
            page.locator("#rate-title").inner_text()
            == (words[f"script.rate_question_{protocol}_alone"])
        )
        for side in ("source", "reference"):
            assert page.locator(f"#texts .{side}:visible").count() == 0
        shown = page.locator("#texts").locator("p:visible, .marking").first.inner_text()
        assert shown.startswith("The quick brown fox")
        check_with_axe(page)
        assert not said


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
        assert page.locator("#score-0").get_attribute("aria-valuetext") == "not rated"
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
        numbers = page.locator(".number")
        assert [one.input_value() for one in numbers.all()] == [after, str(points)]
        check_with_axe(page)
        resized(page, PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        check_with_axe(page)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#place")).to_contain_text("Page 2")
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
        assert (
            page.locator("#score-0").get_attribute("aria-valuetext")
            == (said["script.rate_unrated"])
        )
        place = said["script.rate_place_left"].split("{minutes")[0].format(place=1, pages=7)
        assert page.locator("#place").inner_text().startswith(place)
        guide = page.locator("#guide-text")
        page.click("#guide-open")
        assert guide.locator("li").first.is_visible()
        words = said["script.rate_guide_da"].replace("**", "").replace("- ", "").split()
        assert guide.inner_text().split() == words
        check_with_axe(page)
        page.keyboard.press("Escape")
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


# --- Going back, drafts that the server keeps, two tabs, the end ---


def open_link(page: "Page", address: str, token: str) -> None:
    page.goto(f"{address}a#{token}")
    page.wait_for_selector("#begin:visible")
    begin(page)


def type_scores(page: "Page", *scores: int) -> None:
    for place, score in enumerate(scores):
        page.fill(f"#score-{place}-number", str(score))


@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_saved_pages_are_gone_back_to_and_changed(  # noqa: PLR0915 (a whole walk)
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    from tests.browser.test_protocols import ANSWER, press

    more: dict[str, Any] = {"protocol": protocol, **SETTINGS[protocol], "controls": 0.0}
    (link,) = campaign(tmp_path, n_raters=1, document_score=protocol == "esa", **more)
    if protocol == "mqm":
        ANSWER = {**ANSWER, "mqm": lambda page, n: page.locator(".clean").nth(n).click()}

    def answer(page: "Page", place: int) -> None:
        if protocol in ("da", "sqm"):
            page.fill(f"#score-{place}-number", "3")
        elif protocol == "pairwise":
            page.focus(f"input[name=choice-{place}]")
            press(page, "a")
        elif protocol == "likert":
            page.focus(f"input[name=rating-{place}-0]")
            press(page, "3")
        else:
            ANSWER[protocol](page, place)

    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        begin(page)
        assert page.locator("#back").is_hidden()
        answer(page, 0)
        page.locator(".skip-text").nth(1).click()
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        states = "[...document.querySelectorAll('input, .marking')].map((one) => one.type === 'radio' ? one.checked : one.type === 'range' ? one.className : one.value ?? one.className)"
        answer(page, 0)
        page.click("#back")
        expect(page.locator("#place")).to_contain_text("Page 1")
        check_with_axe(page)
        assert page.locator(".done").count() == 2
        assert page.locator(".skip-text").nth(1).get_attribute("aria-pressed") == "true"
        assert page.locator("#save").inner_text() == "Continue"
        page.click("#save")  # nothing was changed: back to the draft
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert page.locator(".done").count() == 1
        page.click("#back")
        expect(page.locator("#place")).to_contain_text("Page 1")
        page.locator(".skip-text").first.click()
        assert page.locator("#save").inner_text() == "Save changes and continue"
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        page.click("#back")
        expect(page.locator("#place")).to_contain_text("Page 1")
        assert page.locator(".skip-text[aria-pressed=true]").count() == 2
        assert page.evaluate(states)
        assert said == []
    store = open_store(tmp_path)
    n = 4 if protocol == "pairwise" else 2
    assert [row.score for row in store.rows("ship")] == [None] * n
    (old,) = store.revisions("ship")
    assert [one.score is None for one in old.answers] == [False, True]
    store.close()


def test_a_draft_survives_a_closed_tab_and_another_device(
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address:
        first = browser.new_context()
        page = first.new_page()
        open_link(page, address, link.token)
        type_scores(page, 40)
        expect(page.locator("#saved")).to_have_text("Saved")  # the draft is on the server
        page.fill("#score-0-number", "41")
        page.close(run_before_unload=True)  # before the second has passed
        first.close()
        second = browser.new_context()
        page = second.new_page()
        open_link(page, address, link.token)
        assert page.input_value("#score-0-number") in ("40", "41")
        page.fill("#score-1-number", "60")
        expect(page.locator("#saved")).to_have_text("Saved")
        second.close()
        third = browser.new_context()
        page = third.new_page()
        open_link(page, address, link.token)
        assert page.input_value("#score-1-number") == "60"
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        third.close()
    store = open_store(tmp_path)
    assert store.one("SELECT COUNT(*) FROM draft")[0] == 0
    store.close()


def test_a_draft_waits_for_the_connection(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        page.route("**/api/v1/drafts/*", lambda route: route.abort())
        type_scores(page, 40)
        expect(page.locator("#fault")).to_have_text("Not saved: no connection, trying again")
        page.unroute("**/api/v1/drafts/*")
        expect(page.locator("#saved")).to_have_text("Saved")
        assert page.locator("#fault").is_hidden()


@pytest.mark.parametrize("device", ["same", "other"])
def test_the_older_of_two_tabs_is_told(browser: "Browser", tmp_path: Path, device: str) -> None:
    (link,) = campaign(tmp_path, n_raters=1)
    with serving(tmp_path) as address:
        context = browser.new_context()
        older = context.new_page()
        open_link(older, address, link.token)
        type_scores(older, 40)
        expect(older.locator("#saved")).to_have_text("Saved")
        other = context if device == "same" else browser.new_context()
        newer = other.new_page()
        open_link(newer, address, link.token)
        assert newer.input_value("#score-0-number") == "40"
        if device == "other":
            older.bring_to_front()
            type_scores(older, 50)  # the server tells it
        expect(older.locator("#message-title")).to_have_text("Open elsewhere")
        newer.fill("#score-1-number", "70")
        expect(newer.locator("#saved")).to_have_text("Saved")
        older.click("#again")  # the rater goes on here
        expect(older.locator("#place")).to_contain_text("Page 1")
        assert older.input_value("#score-1-number") == "70"
        if device == "other":
            newer.fill("#score-1-number", "71")
        expect(newer.locator("#message-title")).to_have_text("Open elsewhere")
        older.click("#save")
        expect(older.locator("#place")).to_contain_text("Page 2")
        context.close()
        if device == "other":
            other.close()
    store = open_store(tmp_path)
    assert [row.score for row in store.rows("ship")] == [40.0, 70.0]
    store.close()


def test_the_end_shows_a_code_and_the_way_back(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        controls=0.0,
        completion_code="C0-DE 77",
        return_url="https://panel.example/done?code=C0DE77",
    )
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        begin(page)
        assert page.locator("#completed").is_hidden()
        for n in range(6):
            type_scores(page, 50, 51)
            place = page.locator("#place").inner_text()
            assert place.startswith(f"Page {n + 1} of 6, about ")
            page.click("#save")
            expect(page.locator("#place")).not_to_have_text(place)
        expect(page.locator("#message-title")).to_have_text("You are done for now")
        assert page.locator("#code").inner_text() == "C0-DE 77"
        address_back = page.locator("#return").get_attribute("href")
        assert address_back == "https://panel.example/done?code=C0DE77"
        for width in (DESK, PHONE):
            resized(page, width)
            check_with_axe(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("#change")  # the last page may still be changed
        expect(page.locator("#place")).to_contain_text("Page 6 of 6")
        page.fill("#score-0-number", "99")
        page.click("#save")
        expect(page.locator("#message")).to_be_visible()  # once it is saved
        assert said == []
    store = open_store(tmp_path)
    assert max(row.score or 0.0 for row in store.rows("ship")) == 99.0
    store.close()


def test_the_keys_are_told_and_own_instructions_are_no_markup(
    browser: "Browser", tmp_path: Path
) -> None:
    own = """# Our rules

Line one
line two with <b>tags</b> and <img src=x onerror=alert(1)>

- **Read** the *source*
- see [the guide](https://example.org/g), [not this](javascript:alert(1))

3. third"""
    (link,) = campaign(tmp_path, n_raters=1, instructions=own, guide="instead", protocol="mqm")
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        shown = page.locator("#instructions")
        assert shown.locator("h2").inner_text() == "Our rules"
        assert shown.locator("strong").all_inner_texts() == ["Read"]
        assert shown.locator("img, b, script").count() == 0
        assert "<b>tags</b>" in shown.inner_text()
        links = shown.locator("a").evaluate_all("all => all.map((one) => one.href)")
        assert links == ["https://example.org/g"]
        assert shown.locator("ol").get_attribute("start") == "3"
        assert rating_strings("en")["script.rate_guide_mqm"][:20] not in shown.inner_text()
        check_with_axe(page)
        begin(page)
        page.keyboard.press("?")
        keys = page.locator("#keys-list li")
        assert keys.first.inner_text().startswith("Arrow keys move by word")
        assert keys.count() == 6
        check_with_axe(page)
        page.click("#keys button")
        expect(page.locator("#keys")).to_be_hidden()
        assert said == []


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_raters_say_who_they_are_and_comment(
    browser: "Browser", tmp_path: Path, width: int
) -> None:
    asked = ("Native language: German | other", "Years of experience")
    (link,) = campaign(tmp_path, n_raters=1, protocol="esa", questionnaire=asked, comments=True)
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, width, bypass_csp=True) as (page, said),
    ):
        page.click("#begin")
        expect(page.locator("#questions-fault")).to_have_text("Please answer every question.")
        assert page.evaluate("document.activeElement.id") == "question-0"
        check_with_axe(page)
        page.select_option("#question-0", "other")
        page.fill("#question-1", "7")
        page.click("#begin")
        expect(page.locator("#rate")).to_be_visible()
        for place in range(page.locator("#texts > li").count()):
            page.locator(".clean").nth(place).click()
            page.fill(f"#score-{place}-number", "50")
        page.locator(".comment-open").first.click()
        page.keyboard.type("An old name?")  # `?` is no key here
        assert not page.locator("#keys[open]").count()
        check_with_axe(page)
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        page.click("#back")
        expect(page.locator(".comment").first).to_have_value("An old name?")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not said
    store = open_store(tmp_path)
    kept = [row.extra or {} for row in store.rows("ship")]
    assert [one.get("comment") for one in kept] == ["An old name?", None]
    assert store.said_of_self("ship") == {
        "r-01": {"Native language": "other", "Years of experience": "7"}
    }
    store.close()


@dataclass
class Panel:
    """A crowd-work site on this machine: it leads to a study, and hears of its end."""

    server: ThreadingHTTPServer
    study: str = ""  # the address that the organiser gave it
    heard: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def panel() -> Iterator[Panel]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.heard.append(self.path)
            places = {"PROLIFIC_PID": "5f-pid", "STUDY_ID": "st-1", "SESSION_ID": "se-1"}
            link = found.study
            for name, value in places.items():
                link = link.replace(f"{{{{%{name}%}}}}", value)
            body = f"<a id=study href='{html.escape(link)}'>Study</a>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    found = Panel(server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def test_people_come_from_a_panel_and_go_back_with_their_code(  # noqa: PLR0915 (a whole walk)
    browser: "Browser", tmp_path: Path, panel: Panel
) -> None:
    campaign(
        tmp_path,
        n_raters=0,
        panel="prolific",
        completion_code="C0DE",
        return_url=f"{panel.address}/submissions/complete?cc=C0DE",
        screen_out_url=f"{panel.address}/out",
        consent="We keep your answers.",
        controls=0.0,
        block=1,
        most_blocks=1,
    )
    store = open_store(tmp_path)
    with serving(tmp_path) as address:
        panel.study = open_address(store, "ship", 1, address)
        context = browser.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(f"{panel.address}/studies")
        page.click("#study")
        expect(page.locator("#begin")).to_be_visible()
        assert "5f-pid" not in page.url  # nothing of it stays in the address
        link = page.url
        page.click("#decline")
        expect(page.locator("#message-title")).to_have_text("You do not take part")
        assert page.locator("#return").get_attribute("href") == f"{panel.address}/out"
        page.goto(f"{panel.address}/studies")
        page.click("#study")  # and comes back: the same rater
        expect(page.locator("#begin")).to_be_visible()
        assert page.url == link
        page.check("#agreed")
        page.click("#begin")
        for n in (1, 2):
            expect(page.locator("#place")).to_contain_text(f"Page {n} of 2")
            assert "C0DE" not in page.content()
            type_scores(page, 50, 60)
            page.click("#save")
        expect(page.locator("#message-title")).to_have_text("You are done")
        assert page.locator("#code").inner_text() == "C0DE"
        for width in (DESK, PHONE):
            resized(page, width)
            check_with_axe(page)
        page.click("#return")
        page.wait_for_url("**/submissions/complete?cc=C0DE")
        context.close()
        other = browser.new_context(bypass_csp=True)
        page = other.new_page()
        page.goto(f"{address}join/{panel.study.partition('/join/')[2].partition('?')[0]}")
        expect(page.locator("#message-title")).to_have_text("This link is not complete")
        page.goto(panel.study.replace("{{%PROLIFIC_PID%}}", "second"))
        expect(page.locator("#message-title")).to_have_text("All places are taken")
        assert page.locator("#return").get_attribute("href") == f"{panel.address}/out"
        check_with_axe(page)
        other.close()
    assert "/submissions/complete?cc=C0DE" in panel.heard
    (one,) = store.participants("ship")
    assert (one.code, one.participant, one.study, one.session) == (
        *("r-01", "5f-pid"),
        *("st-1", "se-1"),
    )
    store.close()
