"""A whole campaign in a browser: planned, frozen, opened, judged, looked at, stopped and reported."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

from detectable.data.store.open_store import open_store
from detectable.web.settings import write_password
from tests.browser.chromium import DESK, PHONE, SLOW, chromium, resized
from tests.browser.test_pages import check_for_everyone
from tests.web.client import OURS, Far
from tests.web.organised import RIGHT, make, working
from tests.web.running import running
from tests.web.simulated import Simulated, judge_in_turns, lines, outputs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

N = 60
MINUTES = 300_000  # of milliseconds, for looks on a busy machine


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


class Organiser:
    """Somebody who organises, and all that their pages said or asked for elsewhere."""

    def __init__(self, context: "BrowserContext", address: str) -> None:
        self.address, self.said = address, list[str]()
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SLOW)
        self.page.on("console", lambda message: self._heard(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _heard(self, text: str) -> None:
        # Said of the page that asks to sign in, and of a value that is wrong on purpose.
        if "status of 401" not in text and "status of 422" not in text:
            self.said.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", f"blob:{self.address}")):
            self.said.append(f"asked for {url}")

    def go(self, path: str) -> "Page":
        self.page.goto(f"{self.address}{path}")
        return self.page

    def fits_everyone(self) -> None:
        """Check the page at both widths, light and dark, with all that can be unfolded."""
        self.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => (d.open = true))"
        )
        for width in (DESK, PHONE):
            resized(self.page, width)
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                check_for_everyone(self.page)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, self.page.url
            hidden = self.page.evaluate(
                """[...document.querySelectorAll(".scroll")]
                .filter((one) => one.scrollWidth > one.clientWidth + 1)
                .map((one) => one.textContent)"""
            )
            assert hidden == [], self.page.url  # no table is to be pushed aside
        self.page.emulate_media(color_scheme="light")
        resized(self.page, DESK)


@contextmanager
def organising(browser: "Browser", tmp_path: Path) -> Iterator[Organiser]:
    """Start a server with a password, and open its first page."""
    folder, secret = tmp_path / "folder", tmp_path / "organisers.txt"
    folder.mkdir()
    write_password(secret, RIGHT)
    with running(folder, tmp_path / "log.txt", "--password-file", str(secret)) as server:
        context = browser.new_context(
            viewport={"width": DESK, "height": 844}, bypass_csp=True, accept_downloads=True
        )
        yield Organiser(context, server.address)
        context.close()
    assert '"status": 500' not in (tmp_path / "log.txt").read_text()


def sign_in(organiser: Organiser) -> None:
    page = organiser.go("/")
    expect(page.locator("h1")).to_have_text("Sign in")
    page.fill("#password", "wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#fault")).to_have_text("That is not the password.")
    organiser.fits_everyone()
    page.fill("#password", RIGHT)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Campaigns")
    assert page.url.endswith("/campaigns")  # the page that was asked for


def load_again_and_correct(organiser: Organiser) -> None:
    """Nothing typed is lost, and what is wrong is said beside its field."""
    page = organiser.page
    page.wait_for_timeout(1500)  # the draft is kept
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.input_value("#question") == "Ship the new one?"
    expect(page.locator("#output-1-said")).to_have_text(f"new.txt: {N} lines")
    page.fill("#name", "")
    page.click("#check")
    expect(page.locator("#fault")).to_have_text("Please fill in: Name of the campaign.")
    expect(page.locator("#name-fault")).to_have_text("Please fill in.")
    page.fill("#name", "ship")
    page.fill("#controls", "0.9")
    page.click("#check")
    expect(page.locator("#controls-fault")).to_contain_text("must lie between 0 and 0.5")
    organiser.fits_everyone()
    page.fill("#controls", "")


def plan_and_freeze(  # noqa: PLR0915 (all steps of the form)
    organiser: Organiser, tmp_path: Path, protocol: str = "da"
) -> list[str]:
    """Fill in the six steps, and return the secrets of the links."""
    page = organiser.page
    page.click("text=New campaign")
    page.wait_for_selector("html[data-ready]")
    references = lines(N)
    texts = {**outputs(references), "references": references, "sources": references}
    for name, said in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(said) + "\n")
    page.fill("#name", "ship")
    for id, name in (("output-1", "new"), ("output-2", "old")):
        page.set_input_files(f"#{id}", tmp_path / f"{name}.txt")
    for name in ("references", "sources"):
        page.set_input_files(f"#{name}", tmp_path / f"{name}.txt")
        expect(page.locator(f"#{name}-said")).to_have_text(f"{N} lines")
    assert page.input_value("#system-1") == "new"  # from the name of the file
    page.select_option("#protocol", protocol)
    if protocol == "mqm":
        page.select_option("#weights", "wmt")
        page.fill("#weight", "minor style=2")
    page.fill("#source_language", "de")
    page.fill("#target_language", "en")
    page.fill("#instructions", "Read the source first.")
    page.fill("#pay", "12 an hour.")
    page.fill("#question", "Ship the new one?")
    page.fill("#looks", "3")
    page.fill("#pairs", "3")
    page.fill("#overlap", "0")
    page.fill("#cost_per_judgment", "0.4")
    page.focus("#freeze")
    page.keyboard.press("Enter")  # it says what is missing
    expect(page.locator("#fault")).to_have_text("Check first.")
    load_again_and_correct(organiser)
    page.click("#check")
    expect(page.locator("#cost")).to_contain_text(f"{N} lines × 2 systems")
    expect(page.locator("#remarks")).to_contain_text("spoiled copies a careful rater passes")
    organiser.fits_everyone()
    page.click("#freeze")
    expect(page.locator("#links-list li")).to_have_count(6)
    links = page.locator("#links-list code").all_inner_texts()
    with page.expect_download() as download:
        page.click("#links-csv")
    assert download.value.path().read_text().splitlines()[1] == f"r-01,{links[0]}"
    organiser.fits_everyone()
    page.click("#go")
    expect(page.locator(".badge").first).to_have_text("draft")
    page.wait_for_selector("html[data-ready]")  # buttons before that do nothing yet
    assert not any(link in page.content() for link in links)
    return [link.partition("#")[2] for link in links]


def rate_a_page(organiser: Organiser, rater: Simulated, n_pages: int) -> None:
    """Judge some pages as a rater does: with the keyboard, on the real page."""
    context = organiser.page.context.browser.new_context()  # type: ignore[union-attr]
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(f"{organiser.address}/a#{rater.token}")
    page.click("#begin")
    for _ in range(n_pages):
        page.wait_for_selector("#rate:visible")
        before = page.locator("#place").inner_text()
        shown = page.locator(".output p").first.inner_text()
        page.focus("#score-0")
        page.keyboard.press("Home")
        for _ in range(round(rater.score(shown) / 10)):
            page.keyboard.press("PageUp")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#place")).not_to_have_text(before)
        rater.pages += 1
    context.close()


@dataclass
class Marking(Simulated):
    """A rater of MQM: a minor error for every four points that a text is below 100."""

    def errors(self, text: str) -> int:
        """Return how many errors this rater finds."""
        return (100 - self.score(text)) // 4

    def answer(self, text: str) -> dict[str, Any]:
        """Return errors at the first words."""
        error = {"severity": "minor", "category": "style/awkward"}
        return {"spans": [error] * self.errors(text)}


def mark_a_page(organiser: Organiser, rater: Marking) -> None:
    """Judge a page of MQM by mouse alone."""
    context = organiser.page.context.browser.new_context()  # type: ignore[union-attr]
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(f"{organiser.address}/a#{rater.token}")
    page.click("#begin")
    page.wait_for_selector("#rate:visible")
    for place in range(page.locator("#texts > li").count()):
        words = page.locator(f"#marking-{place} [role=option]")
        shown = page.locator(f"#marking-{place}").inner_text().removesuffix("[missing]")
        n = rater.errors(shown)
        if n == 0:
            page.locator(".clean").nth(place).click()
        if n:  # all at once: one error over as many words costs less, and is one of the kinds
            words.first.click()
            page.click(".mark-major")
            page.locator("#texts > li").nth(place).locator(".category").select_option(
                "accuracy/mistranslation"
            )
    page.click("#save")
    expect(page.locator("#place")).not_to_have_text(re.compile(r"Page 1 "))
    rater.pages += 1
    context.close()


def test_mqm_from_an_empty_folder_to_a_report(browser: "Browser", tmp_path: Path) -> None:
    with organising(browser, tmp_path) as organiser:
        sign_in(organiser)
        tokens = plan_and_freeze(organiser, tmp_path, "mqm")
        raters = [
            Marking(**{one.name: getattr(rater, one.name) for one in fields(rater)})
            for rater in working(tokens, N)
        ]
        page = organiser.page
        press(page, "text=Open", "open")
        mark_a_page(organiser, raters[0])
        with Far(organiser.address) as far, page.expect_navigation(timeout=MINUTES):
            judge_in_turns(far.request, raters, most=60)
        expect(page.locator(".badge").first).to_have_text("stopped")
        expect(page.locator("#says")).to_contain_text("new is better than old")
        page.click("text=Conclude without waiting")
        page.wait_for_url("**/reports/ship")
        page.wait_for_selector("html[data-ready]")
        expect(page.locator(".headline")).to_contain_text("new is better than old")
        organiser.fits_everyone()
        assert organiser.said == []
    folder = tmp_path / "folder"
    assert json.loads((folder / "ship.json").read_text())["scale"] == [None, 0.0]
    store = open_store(folder)
    lowest = min(row.score or 0.0 for row in store.rows("ship"))
    store.close()
    assert lowest < -25.0  # several errors cost more than the heaviest alone


def press(page: "Page", button: str, state: str) -> None:
    """Change the state of a campaign, and wait for the page that the monitor then asks for."""
    with page.expect_navigation():
        page.click(button)
    expect(page.locator(".badge").first).to_have_text(state)


def test_a_campaign_says_what_was_planted(browser: "Browser", tmp_path: Path) -> None:
    with organising(browser, tmp_path) as organiser:
        sign_in(organiser)
        raters = working(plan_and_freeze(organiser, tmp_path), N, careless=1)
        page = organiser.page
        press(page, "text=Open", "open")
        for rater in (raters[0], raters[-1]):
            rate_a_page(organiser, rater, 3)
        expect(page.locator("#raters tbody tr").first).to_contain_text(
            re.compile("just now|min ago")
        )
        with Far(organiser.address) as far:
            judge_in_turns(far.request, raters, most=7)  # until a block of each is done
            press(page, "text=Pause", "paused")
            organiser.fits_everyone()
            press(page, ".doing >> text=Open", "open")
            with page.expect_navigation(timeout=MINUTES):  # when a look has stopped it
                judge_in_turns(far.request, raters, most=60)
        expect(page.locator(".badge").first).to_have_text("stopped")
        expect(page.locator("#says")).to_contain_text("new is better than old")
        careless = page.locator("#raters tbody tr").last
        expect(careless).to_contain_text("does not pass")
        expect(page.locator("#raters tbody tr").first).to_contain_text("passes")
        organiser.fits_everyone()
        page.click("text=Conclude without waiting")
        page.wait_for_url("**/reports/ship")
        page.wait_for_selector("html[data-ready]")
        expect(page.locator(".headline")).to_contain_text("new is better than old")
        assert page.locator("figure svg").count() >= 1
        organiser.fits_everyone()
        page.click("text=Publish")
        expect(page.locator(".badge").first).to_have_text("public")
        organiser.go("/campaigns/ship")
        expect(page.locator("#says")).to_contain_text("new is better than old by")
        organiser.go("/campaigns")
        organiser.fits_everyone()
        page.click("#sign-out")
        expect(page.locator("h1")).to_have_text("Sign in")
        organiser.go("/reports/ship")  # a reader needs no password now
        expect(page.locator(".headline")).to_contain_text("new is better than old")
        assert page.locator("text=Monitor").count() == 0
        organiser.go("/campaigns/ship")
        expect(page.locator("h1")).to_have_text("Sign in")
        assert organiser.said == []


def about_rater(page: "Page", rater: str, form: str, said: dict[str, str]) -> None:
    """Choose a rater, and fill in and send one of the forms about them."""
    if page.locator("#about-rater[open]").count() == 0:
        page.click("#about-rater summary")
    page.select_option("#which", rater)
    chosen = page.locator(f"#about-rater form:has(h3:text-is('{form}'))")
    for field, words in said.items():
        chosen.locator(f"[data-field={field}]").fill(words)
    chosen.locator("button").click()


def test_a_stalled_campaign_is_ended_by_its_buttons(browser: "Browser", tmp_path: Path) -> None:
    """One rater, who cannot judge some lines: the last look of the plan never comes by itself."""
    with organising(browser, tmp_path) as organiser:
        with Far(organiser.address) as far:
            far.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
            tokens = make(far, 20, raters=3, plan={"looks": 1}, controls=0.4, block=10)
            (rater, idle, lost) = working(tokens, 20)
            rater.skips = 3
            judge_in_turns(far.request, [rater])
            for one in (idle, lost):
                judge_in_turns(far.request, [one])
        sign_in(organiser)
        page = organiser.go("/campaigns/ship")
        page.wait_for_selector("html[data-ready]")
        expect(page.locator("#says")).to_contain_text("Stalled: 17 of 20 lines count")
        organiser.fits_everyone()
        about_rater(page, "r-03", "New link", {})
        expect(page.locator("#links-list li")).to_have_count(1)
        assert tokens[2] not in page.locator("#links-list code").inner_text()
        page.get_by_role("button", name="Final look").click()
        expect(page.locator(".badge").first).to_have_text("stopped", timeout=MINUTES)
        page.click("text=Conclude without waiting")
        page.wait_for_url("**/reports/ship")
        expect(page.locator(".headline")).to_contain_text("new is better than old")
        page = organiser.go("/campaigns/ship")
        page.wait_for_selector("html[data-ready]")
        about_rater(page, "r-01", "Delete the judgments", {"who": "Ann"})
        expect(page.locator("#raters tbody tr").first).to_contain_text("link taken away")
        assert organiser.said == []
