"""The planner in a real browser: moved by keyboard and mouse, it says what the library says."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import pytest

from detectable.report.planner.answer import answer, shown
from detectable.report.planner.forms import forms
from detectable.study.monitoring.plan import read_plan
from detectable.web.planner import readings_of
from tests.browser.chromium import DESK, PHONE, chromium, resized
from tests.browser.test_pages import check_for_everyone
from tests.web.running import Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_REST = """() => document.documentElement.dataset.ready && !document.body.classList.contains('asking')
  && !document.querySelector('[data-pending]')
  && [...document.querySelectorAll('figure .drawn')].every(place => place.querySelector('svg'))"""
_NUMBERS = """() => [...document.querySelectorAll('.design')].map(design => Object.fromEntries(
  [...design.querySelectorAll('[data-number]')].map(
    number => [number.dataset.number, number.querySelector('b').textContent])))"""


class Opened:
    """A page of the server, and what its console said or asked for elsewhere."""

    def __init__(self, page: "Page", server: Running) -> None:
        self.page, self.server = page, server
        self.said: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((self.server.address, "data:")):
            self.said.append(f"asked for {url}")

    def go(self, query: str = "") -> "Opened":
        self.page.goto(f"{self.server.address}/plan?{query}")
        return self.rest()

    def rest(self) -> "Opened":
        self.page.wait_for_function(_REST, timeout=90_000)
        return self

    @property
    def query(self) -> str:
        return str(self.page.evaluate("location.search.slice(1)"))

    def moved(self, before: str) -> "Opened":
        """Wait for another state than the one before."""
        self.page.wait_for_function(
            "old => location.search.slice(1) !== old", arg=before, timeout=90_000
        )
        return self.rest()

    def check_numbers(self) -> list[dict[str, str]]:
        """Check that all numbers on the page are the library's for the page's address."""
        address, found = self.page.evaluate(f"[location.search.slice(1), ({_NUMBERS})()]")
        readings = readings_of(parse_qsl(address))
        wanted = [
            {n.key: n.value for n in shown(answer(one.chosen, search=True)).numbers}
            for one in readings
        ]
        assert found == wanted
        return wanted


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plans")


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(folder, tmp_path_factory.mktemp("log") / "log.txt") as made:
        yield made


@contextmanager
def planner(
    browser: "Browser", server: Running, *, width: int = DESK, dark: bool = False
) -> Iterator[Opened]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    try:
        yield Opened(context.new_page(), server)
    finally:
        context.close()


@pytest.mark.parametrize("name", forms())
def test_every_scenario_is_moved_by_keyboard_and_mouse(
    name: str, browser: "Browser", server: Running
) -> None:
    with planner(browser, server) as found:
        found.go(f"s={name}").check_numbers()
        page, first = found.page, found.query
        page.locator("#a-n-slider").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        found.moved(first)
        size = page.locator("#a-n").input_value()
        assert int(size) > int(forms()[name].size.default)
        found.check_numbers()
        before = found.query
        box = page.locator("#a-e-slider").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
        page.mouse.down()
        for share in (0.4, 0.5, 0.6):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        page.mouse.up()
        found.moved(before).check_numbers()
        assert found.said == []


def test_a_number_that_is_typed_moves_the_slider(browser: "Browser", server: Running) -> None:
    with planner(browser, server) as found:
        found.go()
        before = found.query
        found.page.locator("#a-n").fill("5000")
        found.moved(before).check_numbers()
        assert found.page.locator("#a-n-slider").input_value() == "154"  # of 200, by factors
        assert found.query == "n=5000"


def test_back_and_a_shared_address_restore_the_state(
    browser: "Browser", server: Running
) -> None:
    with planner(browser, server) as found, planner(browser, server) as other:
        found.go("s=ratings&n=500")
        first = found.check_numbers()
        found.page.locator("#a-t").select_option("two-means")
        found.moved("s=ratings&n=500")
        second, address = found.check_numbers(), found.query
        assert address == "s=ratings&n=500&t=two-means"
        assert first != second
        assert not found.page.locator("#a-r").is_visible()  # no correlation without pairs
        assert other.go(address).check_numbers() == second
        found.page.go_back()
        found.moved(address)
        assert found.query == "s=ratings&n=500"
        assert found.check_numbers() == first
        assert found.page.locator("#a-r").is_visible()
        found.page.go_forward()
        found.moved("s=ratings&n=500")
        assert found.check_numbers() == second
        assert found.said == []


def test_back_after_sliders_takes_one_step(browser: "Browser", server: Running) -> None:
    with planner(browser, server) as found:
        found.go("s=bleu")
        for slider in ("#a-n-slider", "#a-b-slider"):
            before = found.query
            found.page.locator(slider).focus()
            for _ in range(3):
                found.page.keyboard.press("ArrowRight")
            found.moved(before)
        after = found.query
        found.page.go_back()
        found.moved(after)
        assert "b=" not in found.query
        assert "n=" in found.query


def test_an_impossible_choice_is_said_beside_its_field_and_the_chart_stays(
    browser: "Browser", server: Running
) -> None:
    with planner(browser, server) as found:
        page = found.go("s=preference").page
        numbers = page.evaluate(_NUMBERS)
        drawn = page.locator("figure .drawn").first.inner_html()
        page.locator("#a-e").fill("0.5")
        fault = page.locator("#a-e-fault")
        fault.filter(has_text="other than 0.5").wait_for()
        assert page.evaluate(_NUMBERS) == numbers
        assert page.locator("figure .drawn").first.inner_html() == drawn
        assert page.locator(".results.stale").count() == 1
        before = found.query
        page.locator("#a-e").fill("0.6")
        found.moved(before).check_numbers()
        assert fault.inner_text() == ""
        assert page.locator(".results.stale").count() == 0
        assert found.said == []


def test_two_designs_stand_side_by_side(browser: "Browser", server: Running) -> None:
    with planner(browser, server) as found:
        page = found.go("s=ratings&n=400").page
        page.locator("#compare").click()
        page.locator("#b-n").wait_for()
        found.rest()
        before = found.query
        page.locator("#b-t").select_option("two-means")
        found.moved(before)
        both = found.check_numbers()
        assert len(both) == 2
        rows = page.locator("table.sides tbody tr").all_inner_texts()
        assert any(both[0]["power"] in row and both[1]["power"] in row for row in rows)
        check_for_everyone(page)
        resized(page, PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert found.said == []


def test_a_plan_is_frozen_and_its_hash_shown(
    browser: "Browser", server: Running, folder: Path
) -> None:
    with planner(browser, server) as found:
        page = found.go("s=ratings&n=300&k=3").page
        page.locator(".freeze summary").click()
        for name, said in (("name", "shown"), ("system", "new"), ("baseline", "old")):
            page.locator(f'[data-freeze="{name}"]').fill(said)
        page.locator("[data-freeze-now]").click()
        place = page.locator(".freeze .answer")
        place.filter(has_text="Frozen").wait_for()
        plan = read_plan(folder / "shown.json")
        assert plan.fingerprint in place.inner_text()
        assert plan.n_max == 300
        page.locator("[data-freeze-now]").click()
        place.filter(has_text="exists").wait_for()
        assert read_plan(folder / "shown.json") == plan


def test_a_pilot_fills_the_form(browser: "Browser", server: Running, tmp_path: Path) -> None:
    file = tmp_path / "<img src=x onerror=alert(1)>.csv"
    rows = [
        f"{s},q{i},{int((i * k) % 7 > 2)}"
        for s, k in (("a", 3), ("<b>", 5), ("c", 1))
        for i in range(50)
    ]
    file.write_text("\n".join(["system,item,score", *rows]))
    with planner(browser, server) as found:
        page = found.go().page
        before = found.query
        page.locator(".pilot summary").click()
        page.locator("input[type=file]").set_input_files(file)
        page.locator(".pair button").click()
        found.moved(before)
        assert page.locator("#a-g").input_value() != "0.9"
        assert found.query.startswith("g=")
        assert page.locator("main b b, main img").count() == 0
        found.check_numbers()
        # The status of a refused request would be told by the console; none was refused.
        assert found.said == []


@pytest.mark.parametrize("name", forms())
def test_every_scenario_fits_and_is_for_everyone(
    name: str, browser: "Browser", server: Running
) -> None:
    with planner(browser, server) as found:
        page = found.go(f"s={name}&k=3").page
        check_for_everyone(page)
        page.emulate_media(color_scheme="dark")
        found.rest()
        check_for_everyone(page)
        for width in (DESK, PHONE):
            resized(page, width)
            found.rest()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_everyone(page)
        assert found.said == []


def test_a_broken_address_says_so_on_the_page(browser: "Browser", server: Running) -> None:
    with planner(browser, server) as found:
        page = found.go("s=<img src=x onerror=alert(1)>&n=zz").page
        said = page.locator("#remarks").inner_text()
        assert "There is no scenario called '<img" in said
        assert page.locator("#remarks img").count() == 0
        assert found.said == []
