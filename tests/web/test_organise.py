"""What organisers do and see through the API, from the files of a campaign to its report."""

import asyncio
import csv
import html
import io
import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from detectable.data.store.open_store import open_store
from detectable.study.campaign.looks import decide_admissions
from detectable.web import changes as uploads
from detectable.web.app import make_app
from detectable.web.changes import MOST_BYTES
from detectable.web.settings import Settings
from detectable.web.watch import look_if_due
from tests.web.client import OURS, Client, client
from tests.web.organised import (
    FILE,
    PASSWORD,
    RIGHT,
    judged,
    make,
    press,
    send,
    status,
    texts,
    working,
)
from tests.web.simulated import BETTER, Simulated, judge_in_turns, lines, outputs


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Client]:
    made = client(tmp_path)
    yield made
    made.close()


def look(asked: Client) -> str | None:
    """Do what the task of the server does every few seconds."""
    return asyncio.run(look_if_due(asked.app, "ship"))


def test_an_empty_folder_has_no_campaigns(asked: Client, tmp_path: Path) -> None:
    assert asked.get("/api/v1/campaigns").json() == {"campaigns": []}
    assert "There is no campaign yet" in asked.get("/campaigns").text
    assert list(tmp_path.iterdir()) == []  # asking makes nothing


def test_a_campaign_is_checked_and_nothing_is_kept(asked: Client, tmp_path: Path) -> None:
    plan = {"looks": 3, "pairs": 10}
    body = {"name": "ship", "texts": texts(asked), "plan": plan, "raters": 6, "controls": 0.1}
    found = asked.post("/api/v1/campaigns/check", json=body, headers=OURS).json()
    assert (found["n_lines"], found["n_works"]) == (40, 44)
    # Noncentral t: 10 pairs, one standard deviation, α = .05 one-sided.
    assert found["power_of_check"] == pytest.approx(0.8975, abs=5e-5)
    said = " ".join(found["says"])
    assert "40 lines of 2 systems: 44 pieces of work" in said
    assert "A block of 1 holds 1 spoiled copies" in said
    assert "after 10 blocks, by 10 copies" in said
    assert "passes with 90% chance" in said
    reds = [one for one in found["remarks"] if one["level"] == "red"]
    assert "With 6 raters there is not enough work" in reds[0]["text"]
    assert reds[0]["remedies"] == [{"label": "Take 4 raters", "field": "raters", "value": "4"}]
    assert "new against old" in said
    assert "up to 40 items" in said
    assert list(tmp_path.iterdir()) == []


def test_what_was_checked_is_what_is_made(asked: Client, tmp_path: Path) -> None:
    body = {"name": "ship", "texts": texts(asked), "plan": {"looks": 3}, "raters": 2}
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.status_code == 201
    assert [one["rater"] for one in made.json()["links"]] == ["r-01", "r-02"]
    assert all(
        one["link"].startswith("http://127.0.0.1:8300/a#") for one in made.json()["links"]
    )
    assert status(asked)["plan"] == made.json()["plan"]
    assert {one.name for one in tmp_path.iterdir()} >= {"ship.json", "ship.ledger.jsonl"}
    again = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert (again.status_code, again.json()["code"]) == (422, "no_file")  # they were used
    twice = asked.post("/api/v1/campaigns", json={**body, "texts": texts(asked)}, headers=OURS)
    assert (twice.status_code, twice.json()["code"]) == (409, "exists")
    assert str(tmp_path) not in twice.text


def test_a_plan_of_the_planner_can_be_used(asked: Client) -> None:
    plan = {"name": "frozen", "systems": ["new", "old"], "design": "s=ratings&n=30&k=3"}
    frozen = asked.post("/api/v1/plans", json=plan, headers=OURS).json()
    assert 'value="frozen"' in asked.get("/new-campaign").text
    body = {"name": "ship", "texts": texts(asked), "plan_file": "frozen"}
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.json()["plan"] == frozen["fingerprint"]
    assert status(asked)["units_planned"] == 30
    for name in ("none", "../frozen", "ship.ledger"):
        body = {"name": "other", "texts": texts(asked), "plan_file": name}
        refused = asked.post("/api/v1/campaigns", json=body, headers=OURS)
        assert (refused.status_code, refused.json()["code"]) == (422, "no_plan")


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"name": "Ship it"}, "impossible", "small letters, digits and hyphens"),
        ({"texts": {}}, "not_understood", "two systems or more"),
        ({"controls": 0.9}, "impossible", "controls"),
        ({"protocol": "likert"}, "impossible", "what is rated, such as adequacy"),
        ({"criteria": ["fluency"]}, "impossible", "belongs to likert"),
        ({"source_language": "?"}, "impossible", "language tag"),
        ({"plan": {"test": "guess"}}, "no_json", ""),
        ({"plan": {"family": "guess"}}, "impossible", "family"),
        ({"plan": {"baseline": "nobody"}}, "impossible", "nobody"),
        ({"n_items": 0}, "no_json", ""),
        ({"plan": {"n_max": 41}}, "impossible", "must end at 40 lines at most"),
        ({"unknown": 1}, "no_json", ""),
    ],
)
def test_an_impossible_campaign_is_refused_in_words(
    change: dict[str, object], code: str, says: str, asked: Client, tmp_path: Path
) -> None:
    body = {"name": "ship", "texts": texts(asked), "plan": {}, **change}
    for path in ("/api/v1/campaigns/check", "/api/v1/campaigns"):
        answer = asked.post(path, json=body, headers=OURS)
        assert (answer.status_code, answer.json()["code"]) == (422, code)
        assert says in answer.json()["message"]
        assert str(tmp_path) not in answer.text
    assert not (tmp_path / "ship.json").exists()


def test_criteria_pay_and_consent_reach_the_raters(asked: Client) -> None:
    body = {
        "name": "ship",
        "texts": texts(asked),
        "protocol": "likert",
        "criteria": ["fluency", "adequacy"],
        "pay": "12 an hour.",
        "consent": "My answers may be published.",
        "raters": 1,
    }
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.status_code == 201, made.text
    token = made.json()["links"][0]["link"].partition("#")[2]
    told = asked.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).json()
    assert [told[key] for key in ("protocol", "pay", "consent")] == [
        "likert",
        "12 an hour.",
        "My answers may be published.",
    ]
    assert told["criteria"] == ["fluency", "adequacy"]


def test_files_that_do_not_fit_are_called_by_their_own_names(asked: Client) -> None:
    given = texts(asked)
    given["references"] = [send(asked, "C:\\my\\short.txt", "only one line\n")]
    answer = asked.post(
        "/api/v1/campaigns/check", json={"name": "ship", "texts": given}, headers=OURS
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "unusable")
    assert "short.txt" in answer.json()["message"]
    assert "/tmp" not in answer.text
    assert "detectable-" not in answer.text


def test_pause_open_and_stop_go_where_they_may(asked: Client) -> None:
    tokens = make(asked)
    one = working(tokens)[0]
    assert one.judge(asked.request, 1)
    assert press(asked, "open").status_code == 409  # it is open already
    assert press(asked, "pause").json() == {"state": "paused"}
    assert not one.judge(asked.request, 1)
    assert one.ended["state"] == "paused"
    assert status(asked)["says"].startswith("Paused")
    assert press(asked, "open").status_code == 200
    assert press(asked, "stop").json() == {"state": "stopped"}
    refused = press(asked, "open")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")


def test_raters_are_added_stopped_revoked_and_given_new_links(asked: Client) -> None:
    tokens = make(asked, block=10, controls=0.3)
    more = press(asked, "raters", {"raters": 2}).json()["links"]
    assert [one["rater"] for one in more] == ["r-04", "r-05"]
    first = working(tokens)[0]
    assert first.judge(asked.request, 1)

    def change(rater: str, body: object) -> object:
        path = f"/api/v1/campaigns/ship/raters/{rater}"
        return asked.patch(path, json=body, headers=OURS)

    assert change("r-01", {"state": "no more work"}).status_code == 200  # type: ignore[attr-defined]
    while first.judge(asked.request, 1):  # what was begun may be finished
        pass
    assert first.pages == 29  # a block: 10 sentences in two systems, and 9 controls
    assert change("r-02", {"state": "revoked"}).status_code == 200  # type: ignore[attr-defined]
    header = {"authorization": f"Bearer {tokens[1]}"}
    assert asked.get("/api/v1/next", headers=header).status_code == 401
    renewed = change("r-03", {"renew": True}).json()["links"]  # type: ignore[attr-defined]
    assert [one["rater"] for one in renewed] == ["r-03"]
    old = {"authorization": f"Bearer {tokens[2]}"}
    assert asked.get("/api/v1/me", headers=old).status_code == 401
    assert change("r-99", {"renew": True}).status_code == 404  # type: ignore[attr-defined]
    assert change("r-01", {}).status_code == 422  # type: ignore[attr-defined]
    assert change("r-01", {"state": "active", "renew": True}).status_code == 422  # type: ignore[attr-defined]
    assert press(asked, "raters", {"raters": 0}).status_code == 422
    states = {one["rater"]: one["state"] for one in status(asked)["raters"]}
    assert states["r-01"] == "no more work"
    assert states["r-02"] == "revoked"


@pytest.mark.usefixtures("people_take_their_time")
def test_a_campaign_from_the_first_judgment_to_the_report(
    asked: Client, tmp_path: Path
) -> None:
    judged(asked, 60, plan={"cost_per_judgment": 0.5}, raters=3, careless=1)
    decisions = []
    while (found := look(asked)) is not None:
        decisions.append(found)
    assert decisions[-1] == "stop: better"
    now = status(asked)
    assert now["state"] == "stopped"
    assert now["looks"][-1]["says"] == "stop: new is better than old"
    checks = [one["check"] for one in now["raters"]]
    assert checks == ["passes", "passes", "does not pass"]
    assert now["raters"][2]["admitted"] == 0
    assert now["cost"] == pytest.approx(0.5 * now["judgments"])
    assert now["seconds_per_text"] == 20.0
    page = asked.get("/campaigns/ship").text
    assert "new is better than old" in page
    assert asked.get("/reports/ship").status_code == 409
    done = press(asked, "conclude", {"at_once": True})
    assert done.status_code == 200
    assert done.json()["says"].startswith("Yes. new is better than old by 1")
    report = asked.get("/reports/ship")
    assert report.status_code == 200
    for said in ("new is better than old", "With all work, admitted or not", now["plan"]):
        assert said in report.text
    assert "Nobody saw scores by system" in report.text
    twin = asked.get("/api/v1/reports/ship").json()
    assert twin["conclusion"]["pairs"][0]["verdict"] == "better"
    ledger = asked.get("/api/v1/reports/ship/ledger")
    events = [json.loads(line)["event"] for line in ledger.text.splitlines()]
    assert events[0] == "plan"
    assert events[-1] == "final"
    whole = asked.get("/api/v1/reports/ship/page")
    assert whole.headers["content-disposition"] == 'attachment; filename="ship.html"'
    assert "new is better than old" in whole.text
    assert status(asked)["state"] == "concluded"
    named = list(csv.DictReader(io.StringIO(_export(asked, "csv"))))
    assert {row["system"] for row in named} == {"new", "old"}
    copy = asked.get("/api/v1/campaigns/ship/backup")
    (tmp_path / "copy.sqlite").write_bytes(copy.content)
    store = open_store(tmp_path / "copy.sqlite")
    assert store.campaign("ship").state == "concluded"
    store.close()


def _numbers(text: str, before: str, after: str) -> set[str]:
    """Return the numbers that stand between two words, wherever they do."""
    plain = re.sub(r"<[^>]+>", " ", text).replace("&#39;", "'")
    return set(re.findall(rf"{before}\s*([\d,.−–]+)\s*{after}", re.sub(r"\s+", " ", plain)))


def _seen(asked: Client) -> dict[str, str]:
    """Return every page and file that tells how a concluded campaign ended."""
    return {
        "monitor": asked.get("/campaigns/ship").text,
        "list": asked.get("/campaigns").text,
        "report": asked.get("/reports/ship").text,
        "file": asked.get("/api/v1/reports/ship/page").text,
        "markdown": asked.get("/api/v1/reports/ship/markdown").text,
    }


@pytest.mark.parametrize("protocol", ["da", "pairwise"])
def test_every_number_that_two_pages_tell_is_the_same(protocol: str, asked: Client) -> None:
    """Judgments, cost, the decision, work of each rater, and the answer with its interval."""
    if protocol == "da":
        judged(asked, 60, plan={"cost_per_judgment": 0.5}, raters=4, careless=1, overlap=0.1)
    else:
        choices(asked, 40)
    while look(asked) is not None:
        pass
    if status(asked)["state"] != "stopped":
        press(asked, "looks", {"final": True})
    assert press(asked, "conclude", {"at_once": True}).status_code == 200
    told = asked.get("/api/v1/reports/ship").json()
    outcome, now = told["outcome"], status(asked)
    given, decided = sum(outcome["judgments"].values()), outcome["judgments"]["decided"]
    cost = f"{0.5 * given:,.2f}"
    # What programs are told.
    (listed,) = asked.get("/api/v1/campaigns").json()["campaigns"]
    assert {now["judgments"], now["answers"], listed["judgments"]} == {given}
    assert now["cost"] == float(cost.replace(",", ""))
    assert told["conclusion"]["judgments"] == decided > 0
    payments = asked.get("/api/v1/campaigns/ship/payments.csv").text
    rows = list(csv.DictReader(io.StringIO(payments)))
    assert sum(int(row["judgments"]) for row in rows) == given
    assert sum(float(row["amount"]) for row in rows) == now["cost"]
    work = {one["rater"]: (one["admitted"], one["not_admitted"]) for one in now["raters"]}
    assert {
        one["rater"]: (one["admitted"], one["refused"]) for one in outcome["raters"]
    } == work
    # What people read.
    pages = _seen(asked)
    assert f"{given:,}" in _numbers(pages["monitor"], "", "judgments")
    assert _numbers(pages["list"], "", "judgments") == {f"{given:,}"}
    for name in ("report", "file", "markdown"):
        assert _numbers(pages[name], "", "judgments: ") == {f"{given:,}"}, name
        assert _numbers(pages[name], "", "in the decision") == {f"{decided:,}"}, name
        assert _numbers(pages[name], "looks? and", "judgments") == {f"{decided:,}"}, name
    assert all(cost in pages[name] for name in ("monitor", "report", "file", "markdown"))
    answers = {_answered(pages[name]) for name in ("monitor", "report", "file", "markdown")}
    assert len(answers) == 1, answers


def _answered(page: str) -> str:
    """Return the sentence of the answer, as it is read."""
    plain = html.unescape(re.sub(r"<[^>]+>", "", page)).replace("\\", "")
    found = re.search(r"new is \w+ than old.*?\)|undecided between.*?\.", plain)
    assert found, plain[:2000]
    return found[0]


def choices(asked: Client, n: int) -> None:
    """Let raters choose between two texts: what is not degraded, and mostly the better one."""
    plan = {"cost_per_judgment": 0.5, "pairs": 10}
    tokens = make(asked, n, protocol="pairwise", plan=plan, raters=2)
    known = {text for said in outputs(lines(n)).values() for text in said}
    pages = itertools.count()
    for token in tokens:
        own = {"authorization": f"Bearer {token}", "x-detectable": "1"}
        while "texts" in (page := asked.get("/api/v1/next", headers=own).json()):
            given = []
            for one in page["texts"]:
                left, right = (
                    (one[side] in known, one[side].endswith(BETTER)) for side in SIDES
                )
                other = left[0] and right[0] and next(pages) % 5 == 4
                given.append({"choice": "left" if (left > right) != other else "right"})
            body = {"key": "k", "answers": given, "seconds": 20.0}
            saved = asked.put(f"/api/v1/pages/{page['token']}", json=body, headers=own)
            assert saved.status_code == 200, saved.text


SIDES = ("left", "right")


def _export(asked: Client, ending: str) -> str:
    answer = asked.get(f"/api/v1/campaigns/ship/export.{ending}")
    assert answer.status_code == 200, answer.text
    assert f'filename="ship.{ending}"' in answer.headers["content-disposition"]
    return answer.text


def test_exports_are_blind_until_the_end_or_until_somebody_says_why(asked: Client) -> None:
    judged(asked, 20, plan={"looks": 1})
    rows = list(csv.DictReader(io.StringIO(_export(asked, "csv"))))
    assert {row["system"] for row in rows} == {"A", "B"}
    assert {json.loads(line)["system"] for line in _export(asked, "jsonl").splitlines()} == {
        "A",
        "B",
    }
    parquet = asked.get("/api/v1/campaigns/ship/export.parquet")
    assert parquet.content[:4] == b"PAR1"
    assert asked.get("/api/v1/campaigns/ship/export.exe").status_code == 404
    assert asked.get("/api/v1/campaigns/ship/backup").json()["code"] == "blind"
    for body in ({"who": "Ada", "reason": ""}, {"who": "Ada", "reason": " "}, {"reason": "x"}):
        assert press(asked, "unblind", body).status_code == 422
    assert (
        press(asked, "unblind", {"who": "Ada", "reason": "A rater fell ill."}).status_code
        == 200
    )
    named = list(csv.DictReader(io.StringIO(_export(asked, "csv"))))
    assert {row["system"] for row in named} == {"new", "old"}
    told = status(asked)["unblindings"]
    assert (told[0]["who"], told[0]["reason"]) == ("Ada", "A rater fell ill.")
    assert "A rater fell ill." in asked.get("/campaigns/ship").text


@pytest.mark.usefixtures("people_take_their_time")
def test_payments_count_blocks_and_nothing_else(asked: Client) -> None:
    found = judged(asked, 20, careless=1)
    rows = list(
        csv.DictReader(io.StringIO(asked.get("/api/v1/campaigns/ship/payments.csv").text))
    )
    assert list(rows[0]) == ["rater", "blocks", "judgments", "minutes", "amount"]
    assert sum(int(row["judgments"]) for row in rows) == status(asked)["judgments"]
    assert [row["minutes"] for row in rows] == [f"{one.pages / 3:.1f}" for one in found]
    worked = [int(row["blocks"]) > 0 for row in rows]
    assert worked == [one.pages > 0 for one in found]


def test_every_file_of_the_monitor_can_be_taken_away(asked: Client) -> None:
    judged(asked, 20)
    links = re.findall(r'href="(\S+)" download', asked.get("/campaigns/ship").text)
    assert [link.rpartition("/")[2] for link in links] == [
        *("export.csv", "export.jsonl", "export.parquet"),
        *("campaign.json", "payments.csv"),
    ]
    for link in links:
        assert asked.get(link).status_code == 200, link


def test_look_now_is_for_plans_that_allow_it(asked: Client) -> None:
    judged(asked, 30, plan={"looks": 2, "admission": ""})
    assert press(asked, "looks", {"final": "yes"}).status_code == 422
    found = press(asked, "looks", {})
    assert found.status_code == 201
    assert found.json()["look"] == 1
    assert found.json()["says"] == "stop: new is better than old"
    again = press(asked, "looks", {})
    assert again.status_code == 409
    assert "/" not in again.json()["message"].replace("and/or", "")


def test_a_report_is_read_by_others_once_it_is_published(asked: Client) -> None:
    judged(asked, 30, plan={"looks": 1, "admission": ""})
    early = press(asked, "publish")
    assert (early.status_code, early.json()["code"]) == (409, "not_concluded")
    assert look(asked) == "stop: better"
    assert press(asked, "conclude", {"at_once": True}).status_code == 200
    assert "Publish" in asked.get("/reports/ship").text
    assert press(asked, "publish").json() == {"state": "published"}
    assert status(asked)["published"]


def test_nothing_is_said_about_a_campaign_that_is_not_there(asked: Client) -> None:
    make(asked)
    for path in ("status", "events", "export.csv", "backup", "payments.csv"):
        answer = asked.get(f"/api/v1/campaigns/other/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_campaign"), path
    for what, body in (
        ("open", None),
        ("looks", {}),
        ("conclude", {}),
        ("raters", {"raters": 1}),
    ):
        assert press(asked, what, body, "other").status_code == 404
    assert asked.get("/campaigns/other").status_code == 404
    assert asked.get("/reports/other").status_code == 404


def test_a_campaign_without_a_plan_collects_and_never_looks(asked: Client) -> None:
    body = {"name": "ship", "texts": texts(asked, 10), "raters": 1}
    asked.post("/api/v1/campaigns", json=body, headers=OURS)
    press(asked, "open")
    now = status(asked)
    assert (now["plan"], now["units_planned"], now["may_look"]) == ("", None, False)
    assert "has no plan" in now["says"]
    assert asked.get("/campaigns/ship").status_code == 200
    assert press(asked, "looks", {}).status_code == 409


def test_the_first_page_leads_to_the_campaigns_where_there_are_any(asked: Client) -> None:
    assert asked.get("/").headers["location"] == "/plan"
    make(asked)
    assert asked.get("/").headers["location"] == "/campaigns"
    assert "/campaigns/ship" in asked.get("/campaigns").text


def test_work_of_a_rater_is_voided_and_judgments_are_deleted(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20)
    body = {"who": "Ada", "reason": "Two accounts.", "evidence": "One bank account."}
    assert press(asked, "raters/r-01/void", body).json() == {"state": "voided"}
    assert press(asked, "raters/r-02/erase", {"who": "Ada"}).json() == {"state": "erased"}
    told = {one["rater"]: one for one in status(asked)["raters"]}
    assert told["r-01"]["state"] == told["r-02"]["state"] == "revoked"
    assert (told["r-01"]["admitted"], told["r-01"]["pending"]) == (0, 0)
    assert told["r-02"]["not_admitted"] == told["r-02"]["pending"] == 0
    ledger = (tmp_path / "ship.ledger.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in ledger.splitlines()]
    assert [one["event"] for one in lines][-2:] == ["void", "erasure"]
    assert lines[-2]["detail"] == {"rater": "r-01", **body}
    for what, wrong in (("void", {"who": "Ada", "reason": "x"}), ("erase", {})):
        assert press(asked, f"raters/r-03/{what}", wrong).status_code == 422
    for what in ("void", "erase"):
        answer = press(asked, f"raters/r-99/{what}", body if what == "void" else {"who": "A"})
        assert (answer.status_code, answer.json()["code"]) == (404, "no_rater")
    assert press(asked, "raters/r-01/void", body).status_code == 409
    asked.close()


def test_pairs_of_three_systems_are_those_of_the_plan(tmp_path: Path) -> None:
    asked = client(tmp_path)
    files = texts(asked, 20)
    files["systems"].append({"name": "other", "file": files["systems"][0]["file"]})
    body: dict[str, Any] = {
        "name": "ship",
        "texts": files,
        "protocol": "pairwise",
        "overlap": 0.0,
        "controls": 0.0,
    }
    for baseline, pages in (("old", 40), (None, 60)):
        plan = {"looks": 1, "admission": "", "baseline": baseline}
        answer = asked.post(
            "/api/v1/campaigns/check", json={**body, "plan": plan}, headers=OURS
        )
        assert answer.status_code == 200, answer.text
        assert answer.json()["n_pages"] == pages
    made = asked.post(
        "/api/v1/campaigns",
        json={**body, "plan": {"looks": 1, "admission": "", "baseline": "old"}},
        headers=OURS,
    )
    assert made.status_code == 201, made.text
    store = open_store(tmp_path)
    assert store.campaign("ship").settings["baseline"] == "old"
    store.close()
    files = texts(asked, 20)
    files["systems"].append({"name": "other", "file": files["systems"][0]["file"]})
    body |= {"name": "again", "plan_file": "ship", "texts": files}
    assert (
        asked.post("/api/v1/campaigns/check", json=body, headers=OURS).json()["n_pages"] == 40
    )
    asked.close()


# --- The statements of the security page about organisers: 1, 3, 6, 8, 12, 14, 15; every route is walked ---

SECRET = ("SENTINEL-FIRST", "SENTINEL-SECOND")


def organiser_routes(folder: Path) -> list[Route]:
    made = make_app(Settings(folder))
    return [
        route
        for route in made.routes
        if isinstance(route, Route) and hasattr(route.endpoint, "for_organisers")
    ]


def ask(asked: Client, route: Route, **headers: str) -> Any:
    (method,) = (route.methods or set()) - {"HEAD"}
    path = route.path.replace("{name}", "ship").replace("{rater}", "r-01")
    path = path.replace("{ending}", "csv")
    return asked.request(
        method, path, headers=headers, **({} if method == "GET" else {"json": {}})
    )


def sign_in(asked: Client) -> None:
    answer = asked.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
    assert answer.status_code == 204


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Client]:
    made = client(tmp_path, password=PASSWORD)
    yield made
    made.close()


# 1. Every route of organisers, without and with a session.


def test_every_route_of_organisers_asks_for_a_session(guarded: Client, tmp_path: Path) -> None:
    sign_in(guarded)
    judged(guarded, 20, names=SECRET)
    routes = organiser_routes(tmp_path)
    assert len(routes) >= 25
    kept, guarded.cookies = guarded.cookies, type(guarded.cookies)()
    for route in routes:
        answer = ask(guarded, route, **OURS)
        assert answer.status_code == 401, route.path
        assert "SENTINEL" not in answer.text
        assert "ship" not in answer.text
    link = {"authorization": "Bearer guess"}
    assert all(ask(guarded, route, **OURS, **link).status_code == 401 for route in routes)
    guarded.cookies = kept
    for route in routes:
        if not route.path.endswith("/events"):  # a stream, which test_watch.py listens to
            answer = ask(guarded, route, **OURS)
            assert answer.status_code in (200, 201, 409, 415, 422), (route.path, answer.text)


def test_a_link_of_a_rater_opens_nothing_of_organisers(guarded: Client, tmp_path: Path) -> None:
    sign_in(guarded)
    tokens = make(guarded, 20)
    guarded.cookies.clear()
    own = {"authorization": f"Bearer {tokens[0]}"}
    assert guarded.get("/api/v1/next", headers=own).status_code == 200
    for route in organiser_routes(tmp_path):
        assert ask(guarded, route, **OURS, **own).status_code == 401, route.path


def test_a_report_needs_a_session_until_it_is_published(guarded: Client) -> None:
    sign_in(guarded)
    judged(guarded, 30, plan={"looks": 1, "admission": ""})
    paths = (
        "/reports/ship",
        *(f"/api/v1/reports/ship{more}" for more in ("", "/ledger", "/page")),
    )
    asyncio.run(look_if_due(guarded.app, "ship"))
    for step in ("stopped", "concluded", "published"):
        if step == "concluded":
            press(guarded, "conclude", {"at_once": True})
        if step == "published":
            press(guarded, "publish")
        kept, guarded.cookies = guarded.cookies, type(guarded.cookies)()
        for path in (*paths, "/reports/nothing", "/api/v1/reports/nothing"):
            wanted = 200 if step == "published" and "nothing" not in path else 401
            answer = guarded.get(path)
            assert answer.status_code == wanted, (step, path)
            assert wanted == 200 or "ship" not in answer.text
        guarded.cookies = kept
    page = guarded.get("/reports/ship").text
    guarded.cookies.clear()
    assert 'href="/campaigns/ship"' in page
    assert 'href="/campaigns/ship"' not in guarded.get("/reports/ship").text


# 8. What changes something needs our header, our origin and our kind of body.


def test_every_route_that_changes_refuses_foreign_pages(tmp_path: Path) -> None:
    asked = client(tmp_path)
    make(asked, 20)
    before = status(asked)
    for route in organiser_routes(tmp_path):
        if route.methods == {"GET", "HEAD"}:
            continue
        for headers in ({}, {**OURS, "Origin": "https://evil.example"}, {"X-Detectable": "0"}):
            answer = ask(asked, route, **headers)
            assert answer.status_code == 403, route.path
            assert not any(name.startswith("access-control") for name in answer.headers)
    for what in ("raters", "unblind", "looks", "conclude", "go-on"):
        answer = asked.post(
            f"/api/v1/campaigns/ship/{what}",
            content=b'{"raters": 1, "who": "x", "reason": "x"}',
            headers={**OURS, "Content-Type": "text/plain"},
        )
        assert answer.status_code == 415
    assert status(asked) == before
    asked.close()


# 12. Uploads.


def test_a_file_is_cut_off_where_it_becomes_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BYTES == 64 << 20
    monkeypatch.setattr(uploads, "MOST_BYTES", 200_000)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 65_536
            yield b"a" * 65_536

    asked = client(tmp_path)
    answer = asked.post("/api/v1/uploads", content=endless(), headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert sent < 400_000
    folder = asked.app.state.uploads._folder
    assert list(folder.iterdir()) == []
    asked.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    "start",
    [b"PK\x03\x04", b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"BZh9", b"\x28\xb5\x2f\xfd"],
)
def test_packed_files_are_refused(start: bytes, tmp_path: Path) -> None:
    asked = client(tmp_path)
    answer = asked.post("/api/v1/uploads?file=x.txt", content=start + b"x" * 99, headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (415, "packed")

    async def slowly() -> AsyncIterator[bytes]:
        for byte in start + b"x" * 99:
            yield bytes([byte])

    answer = asked.post("/api/v1/uploads?file=x.txt", content=slowly(), headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (415, "packed")
    asked.close()


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "..\\..\\x.txt", "a\x00b", "\u202egnp.exe", "x" * 999],
)
def test_names_from_a_browser_are_never_paths(name: str, tmp_path: Path) -> None:
    asked = client(tmp_path)
    id = send(asked, name, "one\ntwo\n")
    found = asked.app.state.uploads.get(id)
    assert found.path.parent == asked.app.state.uploads._folder
    assert found.path.stem == id
    assert found.path.suffix == ".txt"
    assert len(found.name) <= 100
    assert "\x00" not in found.name
    assert "\u202e" not in found.name
    assert list(tmp_path.iterdir()) == []
    asked.close()


def test_files_of_others_are_not_kept_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_MOST", 2)
    asked = client(tmp_path)
    ids = [send(asked, "x", "one\n") for _ in range(3)]
    assert len(list(asked.app.state.uploads._folder.iterdir())) == 2
    body = {"name": "ship", "texts": {"corpus": ids[0]}}
    answer = asked.post("/api/v1/campaigns/check", json=body, headers=OURS)
    assert answer.json()["code"] == "no_file"
    asked.close()


@pytest.mark.parametrize(
    ("content", "media", "code"),
    [(b"", None, 422), (b"x", "text/plain", 415), (b"x", "multipart/form-data", 415)],
)
def test_a_body_that_is_no_file_is_refused(
    content: bytes, media: str | None, code: int, tmp_path: Path
) -> None:
    headers = FILE if media is None else {**OURS, "Content-Type": media}
    answer = client(tmp_path).post("/api/v1/uploads", content=content, headers=headers)
    assert answer.status_code == code


# 14. Scores by system, and which system a rater saw, are nowhere before the conclusion.


TOLD = ("interval", '"z"')  # of a campaign that was frozen to tell looks in full


@pytest.mark.parametrize("reveal", ["decision", "full"])
def test_no_answer_tells_scores_by_system_before_the_end(tmp_path: Path, reveal: str) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    judged(asked, 40, careless=1, reveal=reveal)
    asyncio.run(look_if_due(asked.app, "ship"))
    said: list[str] = []
    for route in organiser_routes(tmp_path):
        if route.methods == {"GET", "HEAD"} and not route.path.endswith("/events"):
            answer = ask(asked, route)
            if "export" not in route.path:  # letters, see below
                said.append(answer.text)
            assert answer.status_code in (200, 409)
    now = json.dumps(status(asked))
    assert json.loads(now)["looks"]
    for word in ("estimate", "mean", "p_value", "score", "effect", "standard_error"):
        assert word not in now
    for word in TOLD:
        assert (word in now) == (reveal == "full")
    scores = _scores(tmp_path)
    assert len(scores) == 2
    for text in (*said, now):  # a mean to two decimals is nobody's count
        assert not any(re.search(rf"(?<![\d.]){score:.2f}", text) for score in scores.values())
    about = asked.get("/api/v1/campaigns/ship/campaign.json").json()
    assert (about["ledger"], about["key"]) == (None, None)
    rows = asked.get("/api/v1/campaigns/ship/export.jsonl").text
    systems = {json.loads(line)["system"] for line in rows.splitlines()}
    assert systems == {"A", "B"}
    # Letters are drawn anew for every item, so no letter has the better scores.
    assert 3 <= _gap(rows) <= 97
    assert "new.txt" not in log.getvalue()
    assert "unblinding" not in (tmp_path / "ship.ledger.jsonl").read_text()
    asked.close()


def _scores(folder: Path) -> dict[str, float]:
    """Return what each system scored on average, as nobody may know it."""
    from detectable.data.store.open_store import open_store

    store = open_store(folder)
    rows = [row for row in store.rows("ship") if row.kind == "system"]
    store.close()
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            found.setdefault(row.system, []).append(row.score)
    return {name: sum(given) / len(given) for name, given in found.items()}


def test_page_and_status_tell_a_look_in_full_if_it_was_frozen(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 40, reveal="full")
    asyncio.run(look_if_due(asked.app, "ship"))
    (line,) = status(asked)["looks"][:1]
    (pair,) = line["pairs"]
    low, high = pair["interval"]
    numbers = f"new − old from {low:+.2f} to {high:+.2f}, z = {pair['z']:+.3f}".replace(
        "-", "−"
    )
    assert line["says"].endswith(f"({numbers})")
    assert numbers in asked.get("/campaigns/ship").text
    asked.close()


def _gap(rows: str) -> float:
    """Return the percentage of items of which the letter A has the higher score."""
    items: dict[str, dict[str, float]] = {}
    for line in rows.splitlines():
        row = json.loads(line)
        if row["kind"] == "system":
            items.setdefault(row["item"], {})[row["system"]] = row["score"]
    both = [one for one in items.values() if len(one) == 2]
    assert len(both) >= 20
    return 100 * sum(one["A"] > one["B"] for one in both) / len(both)


def test_unblinding_is_in_the_ledger_before_anything_is_shown(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20, plan={"looks": 1})
    press(asked, "unblind", {"who": "Ada", "reason": "A test of it."})
    lines = [
        json.loads(line) for line in (tmp_path / "ship.ledger.jsonl").read_text().splitlines()
    ]
    found = [one for one in lines if one["event"] == "unblinding"]
    assert found[0]["detail"] == {"who": "Ada", "reason": "A test of it."}
    asked.close()


# 6, 15. Links and passwords are in no log; refusals tell no place.


def test_the_log_holds_no_secret(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log, password=PASSWORD)
    sign_in(asked)
    tokens = make(asked, 20)
    asked.get("/api/v1/next", headers={"authorization": f"Bearer {tokens[0]}"})
    for what, body in (
        ("looks", {}),
        ("conclude", {}),
        ("unblind", {"who": "Ada", "reason": "SENTINEL"}),
    ):
        answer = press(asked, what, body)
        assert str(tmp_path) not in answer.text
        assert "Traceback" not in answer.text
        assert not re.search(r"SELECT|INSERT|sqlite", answer.text)
    secrets = (*tokens, RIGHT, asked.cookies["dt"], "SENTINEL", "Bearer")
    assert not any(secret in log.getvalue() for secret in secrets)
    assert '"status": 500' not in log.getvalue()
    asked.close()


def test_a_plan_that_was_changed_is_told_without_its_folder(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20, plan={"looks": 1, "admission": ""})
    plan = tmp_path / "ship.json"
    plan.write_text(plan.read_text().replace("Ship it?", "Ship?"))
    answer = press(asked, "looks", {})
    assert answer.status_code == 409
    assert answer.json()["message"].startswith("ship.json: the plan was changed")
    assert str(tmp_path) not in answer.text
    assert asked.get("/campaigns/ship").status_code in (200, 409)
    asked.close()


def test_a_campaign_needs_neither_references_nor_sources(asked: Client) -> None:
    """Texts of one language are judged by themselves; controls are made from the outputs."""
    given = texts(asked, 40)
    body = {
        "name": "ship",
        "texts": {"systems": given["systems"]},
        "mode": "alone",
        "plan": {"looks": 1},
        "raters": 1,
    }
    refused = asked.post(
        "/api/v1/campaigns/check", json={**body, "mode": "source"}, headers=OURS
    )
    assert refused.status_code == 422
    assert '"reference" or "alone" for texts without sources' in refused.json()["message"]
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.status_code == 201, made.text
    assert press(asked, "open").status_code == 200
    own = {"authorization": f"Bearer {made.json()['links'][0]['link'].partition('#')[2]}"}
    page = asked.get("/api/v1/next", headers=own).json()
    (one,) = page["texts"]
    assert (one["source"], one["reference"]) == (None, None)
    assert one["text"]


def test_an_error_names_its_field(asked: Client) -> None:
    """A form shows it beside that field; no sentence is about JSON."""
    body = {"name": "ship", "texts": texts(asked), "plan": {}}
    for change, field in (
        ({"n_items": 0}, "n_items"),
        ({"plan": {"test": "guess"}}, "test"),
        ({"plan": {"n_max": 41}}, "n_max"),
        ({"name": "Ship it"}, "name"),
        ({"controls": 0.9}, "controls"),
        ({"name": ""}, "name"),
    ):
        said = asked.post(
            "/api/v1/campaigns/check", json={**body, **change}, headers=OURS
        ).json()
        assert said["field"] == field, said
        assert "JSON" not in said["message"]
    gone = asked.post("/api/v1/campaigns/check", json={"texts": {}}, headers=OURS).json()
    assert (gone["field"], gone["message"]) == ("name", "This value is not possible: missing.")


def test_what_was_typed_is_there_again(asked: Client) -> None:
    id = send(asked, "new.txt", ["one", "two"])
    draft = {
        "fields": {"name": "ship", "strength": True},
        "files": {
            "output-1": {"id": id, "name": "new.txt", "lines": 2},
            "output-2": {"id": "gone", "name": "old.txt", "lines": 2},
        },
    }
    assert asked.get("/api/v1/new-campaigns/abc").json() == {"fields": {}, "files": {}}
    assert asked.put("/api/v1/new-campaigns/abc", json=draft, headers=OURS).status_code == 200
    kept = asked.get("/api/v1/new-campaigns/abc").json()
    assert kept["fields"] == draft["fields"]
    assert set(kept["files"]) == {"output-1"}  # the other is not on the server any more
    for n in range(60):
        asked.put(f"/api/v1/new-campaigns/d{n}", json=draft, headers=OURS)
    assert asked.get("/api/v1/new-campaigns/abc").json()["fields"] == {}  # the oldest went


def test_the_code_may_depend_on_controls_and_on_nothing_else(
    asked: Client, tmp_path: Path
) -> None:
    out = "https://panel.example/out"
    given: dict[str, Any] = {
        "completion_code": "C",
        "screen_out_url": out,
        "code_for": "admitted",
    }
    refused = asked.post(
        "/api/v1/campaigns",
        json={"name": "x", "texts": texts(asked), "plan": {}, **given},
        headers=OURS,
    )
    assert (refused.status_code, refused.json()["field"]) == (422, "code_for")
    tokens = make(asked, consent="The code depends on controls.", **given)
    raters = working(tokens, careless=1)
    for token in tokens:
        own = {**OURS, "authorization": f"Bearer {token}"}
        assert asked.get("/api/v1/me", headers=own).json()["code_for"] == "admitted"
        assert asked.post("/api/v1/me/consent", headers=own).status_code == 200
    for _ in range(3):  # what was refused is judged again, by the others
        judge_in_turns(asked.request, raters)
        store = open_store(tmp_path)
        decide_admissions(store, "ship")
        store.close()
    judge_in_turns(asked.request, raters)
    ends = [(one.ended["ending"], one.ended["code"], one.ended["return_to"]) for one in raters]
    assert ends == [("completed", "C", ""), ("completed", "C", ""), ("screened_out", "", out)]


def test_an_open_link_is_made_and_closed(asked: Client) -> None:
    make(asked, panel="generic", participant="worker", completion_code="C")
    assert press(asked, "open-link", {"most": 0}).status_code == 422
    answer = press(asked, "open-link", {"most": 5})
    assert answer.status_code == 201
    link = answer.json()["link"]
    assert link.startswith("http://127.0.0.1:8300/join/")
    assert link.endswith("?worker=")
    secret = link.partition("/join/")[2].partition("?")[0]
    joined = asked.post(
        f"/api/v1/join/{secret}", json={"query": {"worker": "SENTINEL-PID"}}, headers=OURS
    )
    assert joined.status_code == 200
    found = status(asked)
    assert (found["open_link"], found["joined"], found["most_raters"]) == (True, 1, 5)
    for page in ("/campaigns/ship", "/api/v1/campaigns/ship/payments.csv"):
        said = asked.get(page).text
        assert "SENTINEL-PID" not in said
        assert secret not in said
    assert "SENTINEL-PID" in asked.get("/api/v1/campaigns/ship/participants.csv").text
    assert press(asked, "close-link").json() == {"state": "closed"}
    assert status(asked)["open_link"] is False


class Keeping(Simulated):
    """Marks the first word of every text as a minor error, also where that was suggested."""

    def answer(self, text: str) -> dict[str, Any]:
        """Return score and errors."""
        return {**super().answer(text), "spans": [{"start": 0, "end": 3, "severity": "minor"}]}


def test_the_report_says_what_became_of_suggested_errors(asked: Client, tmp_path: Path) -> None:
    marks = [
        {"system": "new", "item": str(n), "start": 0, "end": 3 + n % 2, "severity": "minor"}
        for n in range(1, 41)
    ]
    file = send(asked, "marks.jsonl", [json.dumps(one) for one in marks])
    tokens = make(asked, protocol="esa", suggestions=file)
    raters = [Keeping(one.token, one.known, one.rng) for one in working(tokens)]
    judge_in_turns(asked.request, raters)
    with closing(open_store(tmp_path)) as store:
        decide_admissions(store, "ship")
    assert press(asked, "looks", {"final": True}).status_code == 201
    assert press(asked, "conclude", {"at_once": True}).status_code == 200
    found = asked.get("/api/v1/reports/ship").json()["outcome"]
    told, n = found["suggestions"], found["n_lines"]
    # Every second suggestion is a letter longer than the word; in texts of the other system none was made.
    assert told["shown"] == n
    assert told["kept"] + told["changed"] == n
    assert abs(told["kept"] - told["changed"]) <= 40 - n + 1
    assert told["added"] == n
    said = asked.get("/reports/ship").text
    assert f"Raters saw {n} suggested errors: they kept {told['kept']}" in said
