"""Every protocol through its real page: keyboard, finger, strange scripts, lost answers, axe."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

from detectable.data.store.open_store import open_store
from detectable.data.store.records import JudgmentRow
from tests.browser.chromium import DESK, PHONE, chromium, resized
from tests.browser.rating import begin, rating, serving
from tests.web.campaigns import campaign

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

HARMFUL = "<img src=x onerror=\"document.title='hit'\"></script> & \u202etxet"
HEBREW = "detectable הוא כלי למדידה של תרגום"
CHINESE = "机器翻译𠮷野家的评测工具" * 4  # 𠮷 is two units of JavaScript, and one letter
LETTERS = "x" * 4000
SETTINGS: dict[str, dict[str, Any]] = {
    "esa": {},
    "mqm": {"categories": ("accuracy/mistranslation", "fluency/punctuation")},
    "pairwise": {"strength": True},
    "likert": {"criteria": ("adequacy", "fluency"), "steps": 7},
}


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def rows_of(folder: Path) -> list[JudgmentRow]:
    store = open_store(folder)
    rows = store.rows("ship")
    store.close()
    return rows


def press(page: "Page", *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def answer_esa(page: "Page", place: int) -> None:
    page.focus(f"#marking-{place}")
    press(page, "Home", "m", "Enter")  # the first word; then the score has the focus
    assert page.evaluate("document.activeElement.id") == f"score-{place}-number"
    page.keyboard.type("100")


def answer_mqm(page: "Page", place: int) -> None:
    page.focus(f"#marking-{place}")
    press(page, "Home", "M", "Enter")  # no category yet: it is asked for
    assert page.evaluate("document.activeElement.className") == "category"
    press(page, "ArrowDown")
    page.focus(f"#marking-{place}")
    press(page, "Enter")


def answer_pairwise(page: "Page", place: int) -> None:
    page.focus(f"input[name=choice-{place}]")
    press(page, "a", "Enter", "3")


def answer_likert(page: "Page", place: int) -> None:
    page.focus(f"input[name=rating-{place}-0]")
    press(page, "6", "Enter", "7")


OPEN = {
    "esa": "Text 1: mark its errors, or choose “No errors”.",
    "mqm": "Text 1: mark its errors, or choose “No errors”.",
    "pairwise": "Text 1 is not rated yet.",
    "likert": "Text 1 is not rated yet.",
}
ANSWER: dict[str, Callable[["Page", int], None]] = {
    "esa": answer_esa,
    "mqm": answer_mqm,
    "pairwise": answer_pairwise,
    "likert": answer_likert,
}


def answer_page(page: "Page", protocol: str) -> None:
    """Answer every text by keyboard, and save."""
    before = page.locator("#place").inner_text()
    for place in range(page.locator("#texts > li").count()):
        ANSWER[protocol](page, place)
    assert page.locator("#save").get_attribute("aria-disabled") == "false"
    press(page, "Control+Enter")
    expect(page.locator("#place")).not_to_have_text(before)


@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_a_block_by_keyboard(browser: "Browser", tmp_path: Path, protocol: str) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol=protocol, **SETTINGS[protocol])
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        press(page, "Tab")
        page.keyboard.press("Control+Enter")
        assert page.locator("#fault").inner_text() == OPEN[protocol]
        assert page.evaluate("document.activeElement.closest('.faulty') !== null")
        for _ in range(20):
            if page.locator("#message").is_visible():
                break
            answer_page(page, protocol)
        assert page.locator("#message-title").inner_text() == "You are done for now"
        assert said == []
    rows = [row for row in rows_of(tmp_path) if row.kind == "system"]
    assert len(rows) == 12  # six lines of two systems
    extra = [row.extra or {} for row in rows]
    if protocol == "esa":
        assert {row.score for row in rows} == {100.0}
        assert all(
            one["spans"] == [{"start": 0, "end": 3, "severity": "minor"}] for one in extra
        )
    elif protocol == "mqm":
        span = {
            "start": 0,
            "end": 3,
            "severity": "major",
            "category": "accuracy/mistranslation",
        }
        assert all(one["spans"] == [span] for one in extra)
        assert {row.score for row in rows} == {-5.0}
    elif protocol == "likert":
        assert all(one["ratings"] == {"adequacy": 6, "fluency": 7} for one in extra)
        assert {row.score for row in rows} == {6.0}
    else:
        assert {(one["choice"], one["strength"]) for one in extra} == {("left", 3)}
        assert {(row.score, one["side"]) for row, one in zip(rows, extra, strict=True)} == {
            (1.0, "left"),
            (0.0, "right"),
        }


def test_errors_are_marked_and_unmarked_by_keyboard(  # noqa: PLR0915 (a whole walk)
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol="esa")
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        box = page.locator("#marking-0")
        page.focus("#marking-0")
        assert page.locator(".toolbar").count() == 0
        press(page, "ArrowRight", "Shift+ArrowRight")
        expect(page.locator(".toolbar")).to_be_visible()
        press(page, "m")  # quick brown
        expect(page.locator(".toolbar")).to_be_hidden()
        assert page.locator("#told").inner_text() == "Marked as minor: quick brown"
        marked = box.locator(".minor:not(.gap)")
        assert marked.all_inner_texts() == ["quick", "brown"]
        lines = marked.first.evaluate("one => getComputedStyle(one).textDecorationStyle")
        press(page, "M")  # the cursor is in it: it becomes a major one
        assert box.locator(".minor").count() == 0
        major = box.locator(".major").first
        assert major.evaluate("one => getComputedStyle(one).textDecorationStyle") != lines
        assert major.get_attribute("aria-label") == "quick, major error"
        press(page, "Home", "Delete")  # nothing is marked there
        assert box.locator(".major:not(.gap)").count() == 2
        press(page, "End", "m", "0", "M")  # the full stop, and something is missing
        assert box.locator("[aria-label]").all_inner_texts() == [
            "quick",
            "brown",
            ".",
            "[missing]",
        ]
        assert page.locator(".clean").first.inner_text() == "Done: 3 errors"
        press(page, "ArrowLeft", "Delete")
        assert page.locator(".clean").first.inner_text() == "Done: 2 errors"
        press(page, "Control+z", "Control+z")  # the full stop is back, and then minor is
        assert box.locator(".minor").all_inner_texts() == [".", "[missing]"]
        page.locator(".undo").first.click()  # nothing is missing
        assert box.locator(".minor").all_inner_texts() == ["."]
        press(page, "0", "M", "ArrowLeft", "Delete")
        active = box.get_attribute("aria-activedescendant")
        assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
        press(page, "Control+Enter")  # errors, and no score
        assert page.locator("#fault").inner_text() == "Text 1 is not rated yet."
        assert page.evaluate("document.activeElement.id") == "score-0-number"
        press(page, "1", "0", "1")
        assert page.locator("#score-0-number").get_attribute("aria-invalid") == "true"
        press(page, "Backspace", "Backspace", "Backspace", "0", "Enter")
        assert page.evaluate("document.activeElement.id") == "marking-1"
        assert page.locator("#score-0").get_attribute("aria-valuetext") == "0"
        press(page, "Control+Enter")
        assert page.locator("#fault").inner_text() == OPEN["esa"].replace("1", "2")
        press(page, "n")  # no errors, and to the score
        assert page.locator(".clean").nth(1).get_attribute("aria-pressed") == "true"
        page.keyboard.type("75")
        press(page, "Control+Enter")
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert said == []
    first, second = rows_of(tmp_path)
    assert first.extra == {
        "spans": [{"start": 4, "end": 15, "severity": "major"}, {"severity": "major"}]
    }
    assert (first.score, second.score, second.extra) == (0.0, 75.0, {"spans": []})


def test_letters_are_keys_only_where_they_mean_something(
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol="esa")
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        press(page, "m", "M", "0", "Delete", "n")  # the heading has the focus
        page.focus("#save")
        press(page, "m", "0", "n")
        page.focus("#marking-0")
        press(page, "C", "u")  # severities of MQM
        assert page.locator(".marking [aria-label]").count() == 0
        assert page.locator(".clean[aria-pressed=true]").count() == 0
        assert page.locator(".toolbar").count() == 0


def test_nine_segments_fit_on_a_page_and_no_errors_is_one_click(
    browser: "Browser", tmp_path: Path
) -> None:
    line = "The commission decided yesterday that the bridge at the harbour stays closed until May."
    texts = {name: [f"{line} {name} {n}" for n in range(9)] for name in ("a", "b")}
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        texts=texts,
        n_lines=9,
        per_document=9,
        protocol="esa",
        controls=0.0,
    )
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        assert page.locator("#texts > li").count() == 9
        height = page.evaluate("document.documentElement.scrollHeight")
        assert height <= 2_000
        for place in range(9):
            page.locator(".clean").nth(place).click()
            page.keyboard.type("75")  # the score has the focus
        marks, slider = page.locator(".legend b"), page.locator("#score-0")
        assert marks.all_inner_texts() == ["0", "33", "66", "100"]
        page.evaluate("scrollTo(0, 0)")
        left, width = slider.evaluate(
            "one => [one.getBoundingClientRect().x, one.getBoundingClientRect().width]"
        )
        for mark, share in ((marks.nth(1), 0.33), (marks.nth(3), 1.0)):  # over the slider
            box = mark.bounding_box()
            assert box is not None
            middle = box["x"] + box["width"] / 2
            assert abs(middle - (left + 8 + share * (width - 16))) <= 12
        bar = page.locator("#status").bounding_box()
        assert bar is not None
        assert bar["y"] + bar["height"] == pytest.approx(844, abs=1)  # it sticks to the bottom
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert said == []
    assert {row.score for row in rows_of(tmp_path)} == {75.0}


def test_the_toolbar_stands_at_the_words_and_goes_by_keyboard(
    browser: "Browser", tmp_path: Path
) -> None:
    (link,) = campaign(
        tmp_path, n_raters=1, protocol="mqm", weights="wmt", n_lines=12, per_document=6
    )
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        toolbar = page.locator(".toolbar")
        for width in (DESK, PHONE):
            resized(page, width)
            for place, n in ((0, 0), (4, 8), (5, 3)):
                word = page.locator(f"#marking-{place} [role=option]").nth(n)
                word.click()
                at, tools = word.bounding_box(), toolbar.bounding_box()
                assert at is not None
                assert tools is not None
                above = at["y"] - (tools["y"] + tools["height"])
                below = tools["y"] - (at["y"] + at["height"])
                assert 0 <= max(above, below) <= 24
                assert tools["x"] >= 0
                assert tools["x"] + tools["width"] <= width
                press(page, "Escape")
                expect(toolbar).to_be_hidden()
        page.focus("#marking-1")
        press(page, "Home", "Tab")  # the tools come after the text
        assert page.evaluate("document.activeElement.className") == "mark-neutral"
        press(page, "ArrowRight", "ArrowRight", "ArrowRight")
        assert page.evaluate("document.activeElement.className") == "mark-critical"
        press(page, "Enter")
        assert page.evaluate("document.activeElement.className") == "category"
        groups = page.locator("optgroup").evaluate_all("all => all.map((one) => one.label)")
        assert groups == ["accuracy", "fluency", "style"]
        page.select_option(".marks .category", "accuracy/omission")
        page.click("#marking-2 [role=option] >> nth=0")
        page.click(".mark-whole")  # the whole text
        assert page.locator(".marks q").nth(1).inner_text().startswith("The quick")
        assert page.locator(".marks .category").nth(1).input_value() == "non-translation"
        for place in (0, 3, 4, 5):
            page.locator(".clean").nth(place).click()
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert said == []
    assert sorted(row.score or 0.0 for row in rows_of(tmp_path)) == [-25.0, -10.0, 0, 0, 0, 0]


@pytest.mark.parametrize("touch", [False, True])
def test_errors_are_marked_by_mouse_and_finger(
    browser: "Browser", tmp_path: Path, touch: bool
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol="mqm", **SETTINGS["mqm"])
    width = PHONE if touch else DESK
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, width, touch=touch) as (page, said),
    ):
        begin(page)
        word = page.locator("#marking-0 [role=option]")

        def act(one: "Locator") -> None:
            if touch:
                one.tap()
            else:
                one.click()

        act(word.nth(1))
        act(word.nth(3))
        act(page.locator(".mark-major"))
        assert page.locator(".marks q").all_inner_texts() == ["quick brown fox"]
        if not touch:
            start, end = word.nth(5).bounding_box(), word.nth(6).bounding_box()
            assert start is not None
            assert end is not None
            page.mouse.move(start["x"] + 3, start["y"] + 8)
            page.mouse.down()
            page.mouse.move(end["x"] + 3, end["y"] + 8, steps=4)
            page.mouse.up()
            page.locator(".mark-minor").click()
            number = word.nth(5).inner_text()  # which line it is
            assert page.locator(".marks q").all_inner_texts() == [
                "quick brown fox",
                f"{number} jumps",
            ]
            act(page.locator(".marks li button").nth(1))
        page.select_option(".marks .category", "fluency/punctuation")
        page.select_option(".marks .severity", "minor")
        act(page.locator(".skip-text").nth(1))
        act(page.locator("#save"))
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert said == []
    first, second = rows_of(tmp_path)
    category = "fluency/punctuation"
    assert first.extra == {
        "spans": [{"start": 4, "end": 19, "severity": "minor", "category": category}]
    }
    assert (first.score, second.score) == (-0.1, None)


@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_answers_survive_a_lost_connection_and_a_closed_tab(
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol=protocol, **SETTINGS[protocol])
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        ANSWER[protocol](page, 0)
        page.locator(".skip-text").nth(1).click()
        page.reload()  # the draft is kept in the tab
        page.wait_for_selector("#begin:visible")
        begin(page)
        assert page.locator("#save").get_attribute("aria-disabled") == "false"
        answered = threading.Event()

        def lose_the_answer(route: Any) -> None:
            if not answered.is_set():
                answered.set()
                route.fetch()  # it arrives, and nobody hears of it
                route.abort()
            else:
                route.continue_()

        page.route("**/api/v1/pages/*", lose_the_answer)
        page.click("#save")
        expect(page.locator("#fault")).to_contain_text("no connection")
        expect(page.locator("#place")).to_contain_text("Page 2")
    rows = rows_of(tmp_path)
    n = 2 if protocol == "pairwise" else 1
    assert [row.score is None for row in rows] == [False] * n + [True] * n


@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_strange_texts_are_shown_as_texts(
    browser: "Browser", tmp_path: Path, protocol: str, width: int
) -> None:
    lines = [HARMFUL, HEBREW, CHINESE, LETTERS, LETTERS, HEBREW]
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        texts={"a": lines, "b": lines},
        target_language="he",
        controls=0.0,
        protocol=protocol,
        **SETTINGS[protocol],
    )
    output = ".left p, .right p" if protocol == "pairwise" else ".output p, .output .marking"
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, width) as (page, said),
    ):
        begin(page)
        for _ in range(3):
            for text in page.locator(output).locator("visible=true").all():
                found = text.evaluate("one => one.textContent").removesuffix("[missing]")
                assert found in lines
                assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
                assert text.get_attribute("lang") == "he"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            answer_page(page, protocol)
        assert page.title() == "Rate translations"
        assert page.locator("main img").count() == 0
        assert said == []


def test_right_to_left_the_left_arrow_goes_on(browser: "Browser", tmp_path: Path) -> None:
    texts = {"a": [HEBREW] * 6, "b": [HEBREW] * 6}
    (link,) = campaign(
        tmp_path, n_raters=1, texts=texts, target_language="he", protocol="mqm", controls=0.0
    )
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        page.focus("#marking-0")
        press(page, "ArrowLeft", "Shift+ArrowLeft", "m")
        assert page.locator(".marks q").all_inner_texts() == ["הוא כלי"]
        assert page.locator(".marks q").first.get_attribute("dir") == "rtl"


def test_characters_are_marked_where_there_are_no_spaces(
    browser: "Browser", tmp_path: Path
) -> None:
    texts = {"a": [CHINESE] * 6, "b": [CHINESE] * 6}
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        texts=texts,
        target_language="zh",
        unit="character",
        protocol="esa",
        controls=0.0,
    )
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        page.focus("#marking-0")
        press(page, *["ArrowRight"] * 4, "Shift+ArrowRight", "m")
        assert page.locator("#told").inner_text() == "Marked as minor: 𠮷野"
        press(page, "ArrowDown", "ArrowUp", "ArrowDown", "Enter")
        page.keyboard.type("80")
        page.locator(".skip-text").nth(1).click()
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
    first = rows_of(tmp_path)[0]
    assert first.extra == {"spans": [{"start": 4, "end": 6, "severity": "minor"}]}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("protocol", sorted(SETTINGS))
def test_the_page_passes_axe(
    browser: "Browser", tmp_path: Path, protocol: str, width: int, dark: bool
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        pay="A fair hour.",
        consent="Scores are kept.",
        protocol=protocol,
        **SETTINGS[protocol],
    )
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, width, dark=dark, bypass_csp=True) as (page, _),
    ):
        assert axe.run(page).violations_count == 0
        page.click("#begin")
        assert "consent" in page.locator("#welcome-fault").inner_text()
        page.check("#agreed")
        begin(page)
        ANSWER[protocol](page, 0)
        page.locator(".skip-text").nth(1).click()
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        low = page.evaluate(
            """[...document.querySelectorAll("main button, main select, .steps label, input[type=range]")]
            .filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44)
            .map((one) => one.className)"""
        )
        assert low == []


def test_a_document_may_have_a_score_of_its_own(browser: "Browser", tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1, document_score=True)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        for n, score in ((1, "End"), (2, None)):
            for place in range(2):
                page.focus(f"#score-{place}")
                press(page, "Home", "Enter")
            assert page.evaluate("document.activeElement.id") == "overall-score"
            press(page, "End")
            if score is None:
                page.click("#no-overall")
            page.focus("#overall-score")
            press(page, "Control+Enter")
            expect(page.locator("#place")).to_contain_text(f"Page {n + 1}")
        assert said == []
    store = open_store(tmp_path)
    (found,) = store.document_scores("ship")
    assert (found.score, found.rater) == (100.0, "r-01")
    store.close()


def test_training_texts_are_tried_and_never_counted(browser: "Browser", tmp_path: Path) -> None:
    training = [
        {"text": "Ein Satz.", "source": "A sentence.", "low": 70, "high": 80, "hint": "Fine."},
        {"text": "Noch einer.", "source": None, "hint": ""},
    ]
    (link,) = campaign(tmp_path, n_raters=1, training=training, document_score=True)
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, said):
        begin(page)
        assert page.locator("#place").inner_text() == "Trial 1 of 2 · not counted"
        assert page.locator("#overall").is_hidden()
        assert page.locator(".output p").inner_text() == "Ein Satz."
        press(page, "Control+Enter")
        assert page.locator("#fault").inner_text() == "Text 1 is not rated yet."
        press(page, "End", "Control+Enter")
        assert page.locator("#try-said").inner_text() == (
            "You gave 100; we expected 70 to 80. Fine."
        )
        page.focus("#score-0")
        press(page, "PageDown", "PageDown", "PageDown")
        page.click("#save")
        assert page.locator("#place").inner_text() == "Trial 2 of 2 · not counted"
        page.locator(".skip-text").click()
        page.click("#save")
        assert page.locator("#try-said").inner_text() == "Thank you. This text was not counted."
        page.click("#save")
        expect(page.locator("#place")).to_have_text("Page 1 of 7, about 5 minutes left")
        assert page.locator("#save").inner_text() == "Save and continue"
        assert page.locator("#overall").is_visible()
        page.reload()
        page.wait_for_selector("#begin:visible")
        begin(page)  # once is enough
        assert page.locator("#place").inner_text() == "Page 1 of 7, about 5 minutes left"
        assert said == []
    assert rows_of(tmp_path) == []


def test_the_trial_can_be_skipped(browser: "Browser", tmp_path: Path) -> None:
    training = [{"text": "Gut", "low": 1, "high": 7, "hint": "H."}]
    (link,) = campaign(
        tmp_path, n_raters=1, training=training, protocol="likert", criteria=("adequacy",)
    )
    with serving(tmp_path) as address, rating(browser, address, link.token) as (page, _):
        begin(page)
        page.focus("input[name=rating-0-0]")
        press(page, "3", "Control+Enter")
        assert page.locator("#try-said").inner_text() == "H."  # there is no score to compare
        page.click("#try-skip")
        expect(page.locator("#place")).to_contain_text("Page 1")


@pytest.mark.parametrize("protocol", ["esa", "mqm"])
def test_suggested_errors_are_kept_changed_or_removed(
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    kind = {"category": "accuracy/omission"} if protocol == "mqm" else {}
    marks = [
        {"system": system, "item": str(n), "start": 4, "end": 9, "severity": "minor", **kind}
        for system in ("a", "b")
        for n in (1, 2, 3)
    ]
    path = tmp_path / "marks.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in marks))
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        protocol=protocol,
        suggestions=path,
        texts={
            name: [f"The quick fox {n} of {name}." for n in range(4)] for name in ("a", "b")
        },
        n_lines=4,
        per_document=4,
        controls=0.0,
    )
    with (
        serving(tmp_path) as address,
        rating(browser, address, link.token, bypass_csp=True) as (page, said),
    ):
        begin(page)
        expect(page.locator("#how")).to_contain_text("Some errors are marked already")
        keeps = page.locator(".clean")
        assert keeps.all_inner_texts() == ["Keep 1 mark"] * 3 + ["No errors"]
        if protocol == "esa":
            for place in range(4):
                page.fill(f"#score-{place}-number", "50")
        page.locator(".clean").nth(3).click()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#fault")).to_have_text(
            "Text 1: keep, change or remove the errors that are marked."
        )
        axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        assert axe.run(page).violations_count == 0
        keeps.nth(0).click()  # kept
        expect(keeps.nth(0)).to_have_text("Done: 1 error")
        page.locator("#marking-1 .minor").first.click()
        page.keyboard.press("M")  # changed
        page.locator("#marking-2 .minor").first.click()
        page.keyboard.press("Delete")  # removed
        expect(keeps.nth(2)).to_have_text("No errors")
        page.keyboard.press("Control+z")
        expect(keeps.nth(2)).to_have_text("Keep 1 mark")
        page.keyboard.press("Delete")
        keeps.nth(2).click()
        page.click("#save")
        expect(page.locator("#place")).to_contain_text("Page 2")
        assert not said
    told = [(row.extra or {})["suggested"] for row in rows_of(tmp_path)]
    assert [(one["shown"], one["origins"]) for one in told] == [
        *((1, ["kept"]), (1, ["changed"])),
        *((1, []), (0, [])),
    ]
