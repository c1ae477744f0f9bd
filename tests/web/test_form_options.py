"""The form of a new campaign takes whatever the command line takes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import detectable.web
from detectable.cli.campaign_new import new
from detectable.core.options import Shared, declared
from detectable.data.store.open_store import open_store
from detectable.report.planner.field import ALPHA, POWER
from detectable.study.campaign.settings import CampaignSettings
from detectable.web.changes import Texts
from detectable.web.new_campaign import CampaignAsked, Planning
from detectable.web.openapi import description
from tests.web.client import OURS, Client, client
from tests.web.organised import send, texts

FORM = Path(detectable.web.__file__).parent / "templates" / "new_campaign.html.j2"
# Options that have another name here.
CALLED = {
    "file": "campaign",
    "n_raters": "raters",
    "plan_path": "plan_file",
    "unit": "degrade",
    "rng": "seed",
    "systems": "output-1",
}
# Options that a form has no use for, and why.
LEFT_OUT = {
    "address": "the server has its store",
    "selection": "a record of this machine, beside the sheet that was drawn",
    "direction": "one of a test set that is kept before the files are sent",
    "language_pair": "of tables that hold several, which are cut before they are sent",
    **dict.fromkeys(
        ("scores", "metric", "format", "filter", "errors", "columns", "pool"),
        "of scores, from which no campaign is made",
    ),
    **dict.fromkeys(
        (
            "as_json",
            "everything",
            "markdown",
            "csv",
            "latex",
            "html",
            "interactive",
            "chart",
            "out",
            "keep_draws",
            "force",
            "width",
            "no_title",
        ),
        "how the command line shows what it made",
    ),
}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Client]:
    made = client(tmp_path)
    yield made
    made.close()


def test_every_option_of_the_command_line_is_on_the_form(asked: Client) -> None:
    (asked.app.state.settings.folder / "frozen.json").write_text("{}")
    (asked.app.state.settings.folder / "frozen.ledger.jsonl").write_text("")
    shown = set(re.findall(r'\sid="([\w-]+)"', asked.get("/new-campaign").text))
    names = {one.name or "" for one in new.params if isinstance(one, click.Option)}
    assert set(LEFT_OUT) <= names  # what is left out exists
    missing = {name for name in names - set(LEFT_OUT) if CALLED.get(name, name) not in shown}
    assert missing == set()


def test_every_setting_can_be_asked_for() -> None:
    """What the form sends goes into the settings, and no setting is left to the command line."""
    taken = {field.name for field in msgspec.structs.fields(CampaignAsked)}
    # The plan has the first three; the others follow from what is on a page, a file of marks, and
    # the record of a selection, which the command line takes.
    by_itself = {"plan", "plan_path", "baseline", "mixed_controls", "suggested"}
    by_itself |= {"sampling_weights"}
    settings = {name for name in CampaignSettings.__dataclass_fields__ if name not in by_itself}
    assert settings <= taken


def test_the_form_has_a_field_for_all_that_can_be_asked() -> None:
    source = FORM.read_text(encoding="utf-8")
    ids = set(re.findall(r'(?:id="|\b(?:field|file|choice|tick)\(")([\w-]+)"', source))
    # Asked for by programs: what the plan assumes of the data is on the page of the planner.
    programs = {"sd", "effect"}
    structs: tuple[Any, ...] = (CampaignAsked, Planning, Texts)
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            if field.name not in {"texts", "plan", *programs}:
                assert field.name in ids, field.name


def settings_of(folder: Path) -> CampaignSettings:
    store = open_store(folder)
    found = CampaignSettings.from_json(store.campaign("ship").settings)
    store.close()
    return found


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"protocol": "sqm", "points": 100}, {"points": 100}),
        (
            {
                "protocol": "likert",
                "criteria": ["a", "b"],
                "primary": "b",
                "steps": 7,
            },
            {"criteria": ("a", "b"), "primary": "b", "steps": 7},
        ),
        (
            {"protocol": "mqm", "categories": ["x", "y"]},
            {"categories": ("x", "y")},
        ),
        ({"protocol": "pairwise", "strength": True}, {"strength": True}),
        (
            {"page_language": "ja", "page_lines": 1, "degrade": "character"},
            {"page_language": "ja", "page_lines": 1, "degrade": "character"},
        ),
        ({"reveal": "full", "grace_minutes": 5.0}, {"reveal": "full", "grace_minutes": 5.0}),
    ],
)
def test_what_is_asked_for_is_kept(
    given: dict[str, Any], kept: dict[str, Any], asked: Client, tmp_path: Path
) -> None:
    plan = {
        "looks": 2,
        "test": "preference" if given.get("protocol") == "pairwise" else "paired-mean",
    }
    if given.get("protocol") in ("mqm", "pairwise"):
        plan = None  # type: ignore[assignment]
    body = {"name": "ship", "texts": texts(asked), "plan": plan, **given}
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.status_code == 201, made.text
    found = settings_of(tmp_path)
    assert {name: getattr(found, name) for name in kept} == kept


def test_the_plan_has_the_scale_of_the_protocol(asked: Client, tmp_path: Path) -> None:
    body = {
        "name": "ship",
        "texts": texts(asked),
        "plan": {"looks": 2},
        "protocol": "sqm",
        "points": 100,
    }
    assert asked.post("/api/v1/campaigns", json=body, headers=OURS).status_code == 201
    assert json.loads((tmp_path / "ship.json").read_text())["scale"] == [0.0, 100.0]


def test_training_texts_come_from_a_table(asked: Client, tmp_path: Path) -> None:
    table = send(asked, "tried.csv", "text,source,low,high,hint\nTry me.,Quelle,70,80,Fine.\n")
    body = {"name": "ship", "texts": texts(asked), "training": table}
    assert asked.post("/api/v1/campaigns", json=body, headers=OURS).status_code == 201
    (found,) = settings_of(tmp_path).training
    assert (found.text, found.low, found.hint) == ("Try me.", 70.0, "Fine.")
    wrong = send(asked, "C:\\tried.csv", "words\nTry me.\n")
    body = {"name": "other", "texts": texts(asked), "training": wrong}
    refused = asked.post("/api/v1/campaigns/check", json=body, headers=OURS)
    assert (refused.status_code, refused.json()["code"]) == (422, "unusable")
    assert "tried.csv" in refused.json()["message"]
    assert "detectable-" not in refused.text


def pearmut(n_checks: int = 1) -> str:
    data = [
        [{"item_id": f"s{i}", "src": f"Quelle {i}", "tgt": {"A": f"one {i}", "B": f"two {i}"}}]
        for i in range(8)
    ]
    for n in range(n_checks):
        rule = {"validation": {"A": {"score": [70, 80], "warning": "Fine."}}}
        data.append([{"item_id": f"c{n}", "src": "q", "tgt": {"A": f"check {n}"}, **rule}])
    return json.dumps({"data": data, "info": {"protocol": "ESA"}})


@pytest.mark.parametrize(("n_checks", "kept"), [(1, 1), (21, 20)])
def test_a_campaign_of_another_tool(
    n_checks: int, kept: int, asked: Client, tmp_path: Path
) -> None:
    file = send(asked, "pearmut.json", pearmut(n_checks))
    body = {"name": "ship", "texts": {"campaign": file}, "protocol": "esa"}
    checked = asked.post("/api/v1/campaigns/check", json=body, headers=OURS).json()
    assert checked["n_lines"] == 8
    said = " ".join(checked["notes"])
    assert "asks for the protocol ESA" in said
    assert ("the first 20 are taken" in said) == (n_checks > 20)
    made = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert made.status_code == 201, made.text
    assert len(settings_of(tmp_path).training) == kept
    store = open_store(tmp_path)
    items = sorted(part.segments[0].item for part in store.parts("ship"))
    assert items == [f"s{i}" for i in range(8)]
    store.close()


def test_one_file_with_everything_stands_alone(asked: Client) -> None:
    for name in ("corpus", "campaign"):
        given = {**texts(asked), name: send(asked, "all.json", pearmut())}
        answer = asked.post(
            "/api/v1/campaigns/check", json={"name": "ship", "texts": given}, headers=OURS
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "not_understood")


def test_planner_and_campaigns_ask_for_the_level_that_is_declared() -> None:
    """What OpenAPI says of a field is made from its declaration."""
    known = {one.name: one for one in declared(Shared)}
    for field in (ALPHA, POWER):
        assert field.default == known[field.name].default
        assert field.option == known[field.name].flag
    plans = {field.name: field.default for field in msgspec.structs.fields(Planning)}
    assert plans["alpha"] == known["alpha"].default


def test_openapi_has_every_declared_setting_of_a_campaign() -> None:
    schemas = description()["components"]["schemas"]
    properties = schemas["CampaignAsked"]["properties"]
    for one in declared(CampaignSettings):
        if one.name == "baseline":  # the plan names it
            continue
        said = properties[one.name]
        if one.words and not one.said.open and one.default is not None:
            assert tuple(sorted(one.words)) == tuple(sorted(said["enum"])), one.name
        if one.kind is not tuple and not one.said.open and not one.needed:
            assert said.get("default") == one.default, one.name
        if one.said.most is not None and one.kind is int and "maximum" in said:
            assert (said["minimum"], said["maximum"]) == (one.said.least, one.said.most)


def test_the_form_begins_with_what_is_declared(asked: Client) -> None:
    """All but how many raters begin: programs add theirs later, if they do not say."""
    source = FORM.read_text(encoding="utf-8")
    assert re.findall(r'field\("(\w+)".*value="\w', source) == ["raters"]
    page = asked.get("/new-campaign").text
    compared = set()
    for kind in (CampaignAsked, Planning):
        for one in msgspec.structs.fields(kind):
            shown = re.search(rf' id="{one.name}"[^>]* value="([^"]*)"', page)
            if shown and one.name != "raters":
                assert type(one.default)(shown[1]) == one.default, one.name
                compared.add(one.name)
    assert {"lease_minutes", "overlap", "alpha", "page_lines"} <= compared
