"""Every page has a twin for programs, and both say what the library says."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from detectable.report.planner.answer import answer, shown
from detectable.report.planner.forms import forms
from detectable.web.app import make_app
from detectable.web.openapi import description
from detectable.web.settings import Settings
from tests.report.planner.designs import ADDRESSES, chosen
from tests.web.client import client

# What a person opens; each has a twin below /api/v1.
PAGES = ("/plan", "/campaigns", "/campaigns/{name}", "/reports/{name}")
# The explorer reads in the browser and holds nothing of the server's, so there is nothing to tell;
# the page of raters is the same for every link, and its texts come below /api/v1/next.
# The forms of signing in and of a new campaign hold nothing but fields.
ALONE = ("/explore", "/explore/{file}", "/a", "/sign-in", "/new-campaign")
FOR_ALL = ("/", "/healthz", "/readyz", "/metrics", "/openapi.json")


def routes(folder: Path) -> list[Route]:
    return [route for route in make_app(Settings(folder)).routes if isinstance(route, Route)]


def test_every_page_has_a_twin_and_every_twin_is_described(tmp_path: Path) -> None:
    paths = {route.path for route in routes(tmp_path)}
    rest = {p for p in paths if not p.startswith(("/static/", "/api/v1/"))} - set(FOR_ALL)
    rest -= set(ALONE)
    assert rest == set(PAGES)
    assert {f"/api/v1{page}" for page in PAGES} <= paths
    described = set(description()["paths"])
    assert {p for p in paths if p.startswith("/api/")} <= described


@pytest.mark.parametrize(
    "name", [n for n in ADDRESSES if not chosen(n).form.slow(chosen(n).values)]
)
def test_page_and_twin_say_what_the_library_says(name: str, tmp_path: Path) -> None:
    asked = client(tmp_path)
    found = answer(chosen(name), search=True)
    words = shown(found)
    page = asked.get(f"/plan?{ADDRESSES[name]}").text
    text = re.sub(r"<[^>]+>", " ", page)
    for said in (words.verdict.headline, *words.details):
        assert said in text.replace("&#39;", "'")
    for number in words.numbers:
        assert f'data-number="{number.key}"' in page
        assert number.value.replace("<", "&lt;") in page
    twin = asked.get(f"/api/v1/plan?{ADDRESSES[name]}").json()["designs"][0]
    assert twin["power"]["power"] == found.power.power
    assert twin["verdict"] == words.verdict.headline
    assert twin["commands"] == list(words.commands)


def test_the_start_leads_to_the_planner(tmp_path: Path) -> None:
    answer = client(tmp_path).get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/plan")


def test_a_slow_scenario_shows_what_is_quick_first(tmp_path: Path) -> None:
    asked, address = client(tmp_path), "/plan?s=likert&n=20&r=3"
    assert asked.get(address).text.count("data-pending") == 2
    whole = asked.get(address, headers={"X-Detectable-Part": "whole"}).text
    assert "data-pending" not in whole


def test_two_designs_stand_side_by_side(tmp_path: Path) -> None:
    asked = client(tmp_path)
    page = asked.get("/plan?n=500&b.s=preference&b.n=300").text
    assert page.count('<section class="design"') == 2
    assert "Side by side" in page
    answer = asked.get("/api/v1/plan?n=500&b.s=preference&b.n=300").json()
    assert [one["scenario"] for one in answer["designs"]] == ["accuracy", "preference"]
    assert answer["address"] == "/plan?n=500&b.s=preference&b.n=300"


def test_a_broken_address_falls_back_and_says_so(tmp_path: Path) -> None:
    asked = client(tmp_path)
    page = asked.get("/plan?s=blue&n=many").text
    assert "There is no scenario called &#39;blue&#39;" in page
    assert "With 1,000 items an effect of 0.02" in page
    refused = asked.get("/api/v1/plan?s=blue")  # a program is not given something else
    assert (refused.status_code, refused.json()["code"]) == (422, "not_understood")


def test_an_impossible_choice_is_told_beside_its_field(tmp_path: Path) -> None:
    asked = client(tmp_path)
    page = asked.get("/plan?e=0").text
    said = "«True difference in accuracy» must be a finite number other than 0"
    assert re.search(rf'id="a-e-fault" role="alert">{said}', page)
    assert "aria-invalid=true" in page
    refused = asked.get("/api/v1/plan?e=0").json()
    assert refused["field"] == "effect"
    assert refused["message"].startswith(said)


def test_the_description_knows_every_key(tmp_path: Path) -> None:
    found: dict[str, Any] = client(tmp_path).get("/openapi.json").json()
    assert found["openapi"] == "3.1.0"
    parameters = found["paths"]["/api/v1/plan"]["get"]["parameters"]
    names = {parameter["name"] for parameter in parameters}
    assert names == {
        "s",
        *(f.key for form in forms().values() for f in (*form.fields, form.size, form.effect)),
    } | {"p", "a", "c", "k", "f"}


def test_styles_scripts_and_colours_are_our_own(tmp_path: Path) -> None:
    asked = client(tmp_path)
    page = asked.get("/plan").text
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) == 3
    for file in files:
        assert asked.get(file).status_code == 200
    colours = asked.get("/static/colours.css")
    assert "--paper: #ffffff" in colours.text
    known = asked.get("/static/colours.css", headers={"If-None-Match": colours.headers["etag"]})
    assert known.status_code == 304


def test_the_explorer_is_here_with_all_its_files(tmp_path: Path) -> None:
    asked = client(tmp_path)
    page = asked.get("/explore")
    assert page.status_code == 200
    files = re.findall(r'(?:href|src)="(/explore/[^"]+)"', page.text)
    assert "/explore/main.js" in files
    for file in files:
        assert asked.get(file).status_code == 200
    assert asked.get("/explore/nothing.js").status_code == 404
    assert asked.get("/explore/..%2fpage.py").status_code == 404
