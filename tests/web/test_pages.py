"""Every page has a twin for programs, and both say what the library says."""

import asyncio
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from detectable.report.planner.answer import answer, shown
from detectable.report.planner.forms import forms
from detectable.web import reports
from detectable.web.app import make_app
from detectable.web.guard import HEADER
from detectable.web.openapi import description
from detectable.web.settings import Settings, write_password
from tests.helpers import require
from tests.report import results
from tests.report.planner.designs import ADDRESSES, chosen
from tests.web.client import OURS, Far, client
from tests.web.organised import RIGHT, judged
from tests.web.running import running

# What a person opens; each has a twin below /api/v1.
PAGES = ("/plan", "/campaigns", "/campaigns/{name}", "/reports/{name}")
# The explorer reads in the browser and holds nothing of the server's, so there is nothing to tell;
# the page of raters is the same for every link, and its texts come below /api/v1/next.
# The forms of signing in and of a new campaign hold nothing but fields.
ALONE = ("/explore", "/explore/{file}", "/a", "/join/{open}", "/sign-in", "/new-campaign")
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
    said = "“True difference in accuracy” must be a finite number other than 0"
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


# --- The API does what its description says, whatever is asked: schemathesis tries ---

# All of these refuse too, and are described. Names of a campaign that is there reach further.
_SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "408", "409", "413", "415", "421", "422"]
[parameters]
"path.name" = "ship"
"path.rater" = "r-01"
"""
_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,negative_data_rejection"
)
# A stream has no end, and whoever signs out can try no more.
_LEFT_OUT = ("events", "sign_out")
_ALL = "examples,coverage,fuzzing"


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        yield from (one for word, one in path.items() if word != "parameters")


@pytest.mark.parametrize(
    ("phases", "examples"),
    [("examples,fuzzing", "2"), pytest.param(_ALL, "6", marks=pytest.mark.slow)],
)
def test_no_answer_is_broken_or_undescribed(phases: str, examples: str, tmp_path: Path) -> None:
    if find_spec("schemathesis") is None:
        require("schemathesis", "the package schemathesis is not installed: no API is tried")
    (tmp_path / "schemathesis.toml").write_text(_SETTINGS)
    folder, secret = tmp_path / "folder", tmp_path / "organisers.txt"
    folder.mkdir()
    write_password(secret, RIGHT)
    with (
        running(folder, tmp_path / "log.txt", "--password-file", str(secret)) as found,
        Far(found.address) as far,
    ):
        far.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
        judged(far, 20)
        # Every request carries session and header, so nothing is tried without them here.
        described = far.get("/openapi.json").json()
        for operation in _operations(described):
            operation.pop("security", None)
            kept = [one for one in operation.get("parameters", ()) if one["name"] != HEADER]
            operation["parameters"] = kept
        (tmp_path / "openapi.json").write_text(json.dumps(described))
        program = Path(sys.executable).with_name("schemathesis")
        words = [str(program), "run", "openapi.json", "--url", found.address]
        words += ["--phases", phases, "--max-examples", examples, "--seed", "1"]
        words += ["--header", "X-Detectable: 1", "--request-timeout", "60", "--workers", "1"]
        words += ["--header", f"Cookie: dt={far.http.cookies['dt']}", "--checks", _CHECKS]
        for one in _LEFT_OUT:
            words += ["--exclude-operation-id", one]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=1500, check=False
        )
        organised = far.get("/api/v1/campaigns")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert '"status": 500' not in (tmp_path / "log.txt").read_text()
    assert organised.status_code == 200  # the session held to the end


# --- The report of a campaign for programs ---

pytest.importorskip("starlette")


def test_what_is_no_number_is_null_and_names_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = results.concluded(system="NaNo-7B", p_value=math.nan)
    outcome = results.campaign_outcome(conclusion=results.conclusion(pairs=(pair,)))

    async def found(_: Any) -> Any:
        return {"name": "ship"}, outcome

    monkeypatch.setattr(reports, "_report", found)
    answer = asyncio.run(reports.report_json(None))  # type: ignore[arg-type]
    told = json.loads(bytes(answer.body), parse_constant=pytest.fail)  # no NaN, no Infinity
    (said,) = told["conclusion"]["pairs"]
    assert (said["system"], said["p_value"]) == ("NaNo-7B", None)
    assert told["campaign"] == {"name": "ship"}
