"""The form of a new campaign: every field of the API can be filled in, for the right protocols."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from msgspec.structs import fields
from playwright.sync_api import expect

from detectable.web.changes import Texts
from detectable.web.new_campaign import CampaignAsked, Planning
from tests.browser.chromium import chromium
from tests.browser.test_pages import check_for_everyone
from tests.web.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Fields that only some protocols have.
ONLY = {
    "da": {"document_score", "training"},
    "sqm": {"document_score", "training", "points"},
    "esa": {"document_score", "training", "suggestions"},
    "pairwise": {"strength"},
    "likert": {"document_score", "training", "criteria", "primary", "steps"},
    "mqm": {"document_score", "training", "categories", "weight", "weights", "suggestions"},
}
EVERY = set.union(*ONLY.values())
FILES = ("output-1", "output-2", "references", "sources", "documents", "corpus", "campaign")


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def fill_in(page: "Page", folder: Path) -> None:
    """Choose files, and give numbers that have no default."""
    (folder / "lines.txt").write_text("One.\nTwo.\n")
    page.evaluate("document.getElementById('in-one').open = true")
    for name in (*FILES, "training", "suggestions"):
        page.set_input_files(f"#{name}", folder / "lines.txt")
        expect(page.locator(f"#{name}-said")).to_have_text("2 lines")
    numbers = {"seed": "7", "n_items": "2", "block": "3", "controls": "0.2", "n_max": "2"}
    numbers |= {
        "budget": "500",
        "spend": "90",
        "seconds": "30",
        "looks": "3",
        "pairs": "9",
        "most_blocks": "2",
    }
    page.fill("#name", "ship")
    for id, value in (numbers | {"cost_per_judgment": "0.5", "baseline": "lines"}).items():
        page.fill(f"#{id}", value)


def answer_of(page: "Page", protocol: str) -> None:
    """Fill in what only one protocol asks."""
    if protocol == "likert":
        page.fill("#criteria", " adequacy , fluency,")
        page.select_option("#steps", "7")
    if protocol == "mqm":
        page.fill("#categories", "style, other")
        page.fill("#weight", "critical=25, minor style=0.5")
        page.select_option("#weights", "wmt")
    if protocol == "pairwise":
        page.check("#strength")


def test_the_form_sends_all_that_can_be_asked(browser: "Browser", tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []

    def answer(route: Any) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(
            json={"says": [f"Checked {len(sent)}."], "notes": [], "table": [], "remarks": []}
        )

    with running(tmp_path, tmp_path / "log.txt") as server:
        context = browser.new_context()
        page = context.new_page()
        page.route("**/api/v1/campaigns/check", answer)
        page.goto(f"{server.address}/new-campaign")
        page.wait_for_selector("html[data-ready]")
        fill_in(page, tmp_path)
        for n, (protocol, own) in enumerate(ONLY.items(), start=1):
            page.select_option("#protocol", protocol)
            assert {id for id in EVERY if page.locator(f"#{id}").is_visible()} == own
            answer_of(page, protocol)
            page.click("#check")
            expect(page.locator("#checked-says")).to_have_text(f"Checked {n}.")
            assert EVERY & set(sent[-1]) == own
        context.close()
    found = dict(zip(ONLY, sent, strict=True))
    assert (found["likert"]["criteria"], found["likert"]["steps"]) == (
        ["adequacy", "fluency"],
        7,
    )
    assert found["mqm"]["categories"] == ["style", "other"]
    assert found["pairwise"]["strength"] is True
    assert (found["sqm"]["points"], found["da"]["seed"]) == (6, 7)
    # No plan is in the folder yet, and what a plan assumes of the data is on the planner's page.
    assert set().union(*sent) == {one.name for one in fields(CampaignAsked)} - {"plan_file"}
    assert set(sent[0]["plan"]) == {one.name for one in fields(Planning)} - {"sd", "effect"}
    assert set(sent[0]["texts"]) == {one.name for one in fields(Texts)}


@pytest.mark.parametrize("protocol", [*ONLY, "alone"])
def test_the_page_of_raters_is_previewed(
    browser: "Browser", tmp_path: Path, protocol: str
) -> None:
    """With the texts and settings of the form, in every protocol; nothing is kept."""
    texts = {name: "".join(f"{name} wrote {n}.\n" for n in range(8)) for name in ("new", "old")}
    (tmp_path / "sources.txt").write_text("".join(f"Quelle {n}\n" for n in range(8)))
    for name, said in texts.items():
        (tmp_path / f"{name}.txt").write_text(said)
    with running(tmp_path, tmp_path / "log.txt") as server:
        context = browser.new_context(bypass_csp=True)
        page, heard = context.new_page(), list[str]()
        context.on("console", lambda message: heard.append(message.text))
        page.goto(f"{server.address}/new-campaign")
        page.wait_for_selector("html[data-ready]")
        page.fill("#name", "ship")
        for n, name in enumerate(texts, start=1):
            page.set_input_files(f"#output-{n}", tmp_path / f"{name}.txt")
            expect(page.locator(f"#output-{n}-said")).to_have_text("8 lines")
        page.set_input_files("#sources", tmp_path / "sources.txt")
        expect(page.locator("#sources-said")).to_have_text("8 lines")
        page.select_option("#protocol", "da" if protocol == "alone" else protocol)
        if protocol == "alone":
            page.select_option("#mode", "alone")
        answer_of(page, protocol)
        with page.expect_popup() as opened:
            page.click("#see")
        shown = opened.value
        shown.click("#begin")
        expect(shown.locator("#rate-title")).to_be_visible()
        expect(shown.locator("#preview")).to_be_visible()
        assert shown.locator("#texts .source:visible").count() == int(protocol != "alone")
        n_pages = int(shown.locator("#place").inner_text().split()[3].rstrip(","))
        assert n_pages >= 2
        for n in range(1, n_pages + 1):
            expect(shown.locator("#place")).to_contain_text(f"Page {n} of {n_pages}")
            shown.click("#texts .skip-text")
            shown.click("#save")
        expect(shown.locator("#message-title")).to_have_text("You are done for now")
        check_for_everyone(shown)
        context.close()
    log = (tmp_path / "log.txt").read_text()
    assert not heard
    assert "/api/v1/pages" not in log
    assert "/api/v1/next" not in log
    assert not list(tmp_path.glob("*.sqlite"))


def test_what_a_proxy_says_is_told_apart(browser: "Browser", tmp_path: Path) -> None:
    with running(tmp_path, tmp_path / "log.txt") as server:
        context = browser.new_context()
        page = context.new_page()
        page.route(
            "**/api/v1/campaigns/check",
            lambda route: route.fulfill(status=502, body="<html>Bad Gateway</html>"),
        )
        page.goto(f"{server.address}/new-campaign")
        page.wait_for_selector("html[data-ready]")
        fill_in(page, tmp_path)
        page.click("#check")
        expect(page.locator("#fault")).to_contain_text("answered in its place (502)")
        context.close()
