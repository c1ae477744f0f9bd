"""Frozen plans and pilots."""

import csv
import io
import tempfile
from pathlib import Path

import pytest

import detectable as dt
from detectable.data.example.bundled import write_campaign
from detectable.report.planner.forms import forms
from detectable.study.monitoring.plan import read_plan
from tests.web.client import OURS, Client, client

FILE = {**OURS, "Content-Type": "application/octet-stream"}


def frozen(asked: Client, design: str, **more: object) -> dict[str, str]:
    body = {"name": "ship", "systems": ["new", "old"], "design": design, **more}
    answer = asked.post("/api/v1/plans", json=body, headers=OURS)
    assert answer.status_code == 201, answer.text
    said: dict[str, str] = answer.json()
    return said


def test_a_design_becomes_a_plan_with_its_hash(tmp_path: Path) -> None:
    said = frozen(
        client(tmp_path), "s=ratings&n=400&k=5&f=pocock&a=0.01&c=0.4", question="Ship?"
    )
    plan = read_plan(tmp_path / "ship.json")
    assert said["fingerprint"] == plan.fingerprint
    assert said["file"] == "ship.json"
    assert (plan.n_max, plan.alpha, plan.test, plan.question) == (
        400,
        0.01,
        "paired-mean",
        "Ship?",
    )
    assert (plan.systems, plan.baseline) == (("new", "old"), "old")
    assert plan.design["family"] == "pocock"
    assert plan.design["looks"] == 5
    assert plan.cost_per_judgment == 0.4


def test_a_plan_states_the_power_that_the_planner_said(tmp_path: Path) -> None:
    asked = client(tmp_path)
    frozen(asked, "s=ratings&n=400")
    outlook = read_plan(tmp_path / "ship.json").outlook()
    said = asked.get("/api/v1/plan?s=ratings&n=400&k=10").json()["designs"][0]
    # The plan counts on ten looks by default, and on a normal statistic rather than t.
    point = said["looks"]["characteristics"][1]
    power = (point["with_futility"] or point)["power"]
    assert outlook.effect == 2.0
    assert outlook.power == pytest.approx(power, abs=0.005)


@pytest.mark.parametrize("name", [name for name, form in forms().items() if form.plan])
def test_every_scenario_that_looks_know_can_be_frozen(name: str, tmp_path: Path) -> None:
    frozen(client(tmp_path), f"s={name}&k=3")
    assert read_plan(tmp_path / "ship.json").n_max == forms()[name].size.default


def test_a_margin_is_frozen_as_a_claim(tmp_path: Path) -> None:
    asked = client(tmp_path)
    frozen(asked, "s=ratings&w=non-inferior&m=2")
    plan = read_plan(tmp_path / "ship.json")
    assert (plan.claim, plan.margin) == ("non-inferior", 2.0)
    frozen(asked, "n=300&b.s=ratings&b.t=rank-sum", which="b", name="other")
    assert read_plan(tmp_path / "other.json").test == "rank-sum"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "../evil"}, "name must be 1 to 64 letters"),
        ({"name": ".hidden"}, "name must be 1 to 64 letters"),
        ({"name": "a/b"}, "name must be 1 to 64 letters"),
        ({"systems": ["same", "same"]}, "same"),
        ({"design": "s=bleu"}, "cannot be frozen"),
        ({"design": "s=arena"}, "cannot be frozen"),
        ({"design": "s=blue"}, "There is no scenario"),
        ({"design": "n=1"}, "“Items”"),
        ({"which": "b"}, "no JSON"),
    ],
)
def test_what_cannot_be_frozen_leaves_no_file(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    body = {"name": "ship", "systems": ["new", "old"], "design": "s=ratings", **change}
    answer = client(tmp_path).post("/api/v1/plans", json=body, headers=OURS)
    assert answer.status_code == 422
    assert said in answer.json()["message"]
    assert list(tmp_path.iterdir()) == []


def table(rows: list[dict[str, object]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


RIGHT = [
    {"system": system, "item": f"q{i}", "score": int((i * step) % 7 > 2)}
    for system, step in (("new", 3), ("old", 5), ("third", 1))
    for i in range(60)
]


def test_a_pilot_says_the_agreement_and_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    asked = client(tmp_path)
    answer = asked.post(
        "/api/v1/pilot?scenario=accuracy&file=x.csv", content=table(RIGHT), headers=FILE
    )
    assert answer.json()["settings"] is None  # three systems: which two?
    assert answer.json()["systems"] == ["new", "old", "third"]
    pair = "system=new&baseline=old"
    answer = asked.post(
        f"/api/v1/pilot?scenario=accuracy&file=x.csv&{pair}", content=table(RIGHT), headers=FILE
    )
    new, old = ([r["score"] for r in RIGHT if r["system"] == name] for name in ("new", "old"))
    agreement = sum(a == b for a, b in zip(new, old, strict=True)) / 60
    assert answer.json()["settings"] == {"t": "agreement", "g": repr(round(agreement, 6))}
    assert list(place.iterdir()) == []
    assert list(tmp_path.iterdir()) == [place]


def test_judgments_say_how_ratings_spread(tmp_path: Path) -> None:
    write_campaign(tmp_path / "campaign")
    file = tmp_path / "campaign" / "judgments.tsv"
    answer = client(tmp_path).post(
        "/api/v1/pilot?scenario=likert&file=judgments.tsv",
        content=file.read_bytes(),
        headers=FILE,
    )
    assert answer.status_code == 200, answer.text
    fitted = dt.scenarios.Likert.from_ratings(file)
    said = answer.json()["settings"]
    assert said["sp"] == "own"
    assert float(said["i"]) == pytest.approx(fitted.rater_sd, rel=1e-5)
    assert float(said["o"]) == pytest.approx(fitted.residual_sd, rel=1e-5)


def test_texts_say_how_swaps_spread(tmp_path: Path) -> None:
    write_campaign(tmp_path / "campaign")
    file = tmp_path / "campaign" / "corpus.tsv"
    systems = "system=birch&baseline=aspen"
    answer = client(tmp_path).post(
        f"/api/v1/pilot?scenario=bleu&file=corpus.tsv&{systems}",
        content=file.read_bytes(),
        headers=FILE,
    )
    assert answer.status_code == 200, answer.text
    assert set(answer.json()["settings"]) == {"q", "b"}


@pytest.mark.parametrize(
    ("query", "body", "said"),
    [
        ("scenario=accuracy&file=x.csv", b"", ""),
        ("scenario=accuracy&file=x.csv", b"\x00\x01\x02", ""),
        (
            "scenario=accuracy&file=../../x.csv&system=new&baseline=nobody",
            table(RIGHT),
            "no system called 'nobody'",
        ),
        ("scenario=accuracy&file=x.csv&system=new&baseline=new", table(RIGHT), "two different"),
        ("scenario=accuracy&system=new", table(RIGHT), "two systems or none"),
        ("scenario=blue", b"", "must name a scenario"),
        ("scenario=arena&file=x.csv", table(RIGHT), "takes no pilot"),
    ],
)
def test_a_pilot_that_cannot_be_used_says_why(
    query: str, body: bytes, said: str, tmp_path: Path
) -> None:
    answer = client(tmp_path).post(f"/api/v1/pilot?{query}", content=body, headers=FILE)
    assert answer.status_code == 422, answer.text
    assert said in answer.json()["message"]
    assert "/tmp" not in answer.text
    assert "detectable-" not in answer.text
