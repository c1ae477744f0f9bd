"""From a corpus to a store, where a campaign stands, and the judgments that come out."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Answer, Page
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.campaigns import campaigns
from detectable.study.campaign.export import BLIND, export_campaign
from detectable.study.campaign.make_campaign import BlockMaker
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan

LINES = [f"the quick brown fox number {i} jumps over a lazy dog" for i in range(60)]


LIKERT = {"protocol": "likert", "criteria": ("adequacy",)}


def corpus(*, documents: bool = True) -> Corpus:
    names = [f"doc-{i // 3}" for i in range(60)] if documents else None
    systems = {"new": [f"{one} now" for one in LINES], "old": LINES, "third": LINES}
    return Corpus.build(systems, LINES, sources=LINES, documents=names)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnyStore]:
    made = open_store(tmp_path / "c.sqlite", new=True)
    yield made
    made.close()


def judge_all(store: AnyStore, effect: float = 20.0) -> None:
    """Two raters judge everything: new is better by `effect`, controls are what they are."""
    row = store.campaign("ship")
    settings = CampaignSettings.from_json(row.settings)
    maker = BlockMaker(
        store.parts("ship"), seed=row.seed, controls=settings.controls, unit="word"
    )
    for _ in range(2):
        store.add_raters("ship", 1)
    going = ["ship/r-01", "ship/r-02"]
    while going:
        for rater in list(going):
            page = store.next_page(rater, maker)
            if not isinstance(page, Page):
                going.remove(rater)
                continue
            base = {"degraded": 5.0, "reference": 90.0}.get(page.kind, 50.0)
            quality = base + effect * (page.system == "new")
            wobble = [
                3.0 * (((int(line.item) * (3 if page.system == "new" else 1)) % 7) - 3)
                for line in page.lines
            ]
            answers = [Answer(score=min(100.0, max(0.0, quality + w))) for w in wobble]
            store.save(rater, page.token, key="k", answers=answers, seconds=9.0)


def test_a_plan_decides_which_systems_are_judged(store: AnyStore, tmp_path: Path) -> None:
    frozen = plan(tmp_path / "ship.json", systems=("new", "old"), n_max=20)
    found = begin_campaign(store, corpus(), "ship", plan_path=tmp_path / "ship.json", rng=1)
    (line,) = found.campaigns
    assert line.systems == ("new", "old")
    assert (line.state, line.n_works, line.n_open) == ("draft", 22, 22)  # 20, and 10 % twice
    settings = CampaignSettings.from_json(store.campaign("ship").settings)
    assert settings.plan == frozen.fingerprint
    assert (settings.block, settings.controls) == (4, 0.12)
    plan(tmp_path / "other.json", systems=("new", "older"), n_max=20)
    with pytest.raises(InputError, match="there are no texts of older"):
        begin_campaign(store, corpus(), "b", plan_path=tmp_path / "other.json")
    beside = {"rule": "degraded-paired-t", "against": "neighbours"}
    plan(tmp_path / "lines.json", systems=("new", "old"), n_max=20, admission=beside)
    begin_campaign(store, corpus(), "c", plan_path=tmp_path / "lines.json")


@pytest.mark.parametrize(
    ("settings", "scale", "gives"),
    [
        ({"protocol": "da"}, (0.0, 99.0), "from 0 to 99, and da gives 0 to 100"),
        (LIKERT, (2.0, 5.0), "from 2 to 5, and likert gives 1 to 5"),
    ],
)
def test_a_plan_that_could_not_take_every_score_is_refused(
    settings: dict[str, Any],
    scale: tuple[float, float],
    gives: str,
    store: AnyStore,
    tmp_path: Path,
) -> None:
    path = tmp_path / "ship.json"
    plan(path, systems=("new", "old"), n_max=20, scale=scale)
    with pytest.raises(InputError, match=f"{gives}. Make a plan with that scale."):
        begin_campaign(store, corpus(), "ship", plan_path=path, **settings)
    assert campaigns(store).campaigns == ()


@pytest.mark.parametrize(
    ("settings", "scale", "said"),
    [
        ({"protocol": "da"}, (0.0, 100.0), False),
        ({"protocol": "mqm"}, (-math.inf, 0.0), False),
        ({"protocol": "da"}, (-math.inf, 100.0), True),
        ({"protocol": "sqm"}, (0.0, 6.0), False),
        ({"protocol": "sqm", "points": 100}, (0.0, 100.0), False),
        ({"protocol": "sqm"}, (0.0, 100.0), True),
        ({**LIKERT, "steps": 7}, (1.0, 7.0), False),
        (LIKERT, (0.0, 5.0), True),
    ],
)
def test_a_plan_in_other_points_is_noted(
    settings: dict[str, Any],
    scale: tuple[float, float],
    said: bool,
    store: AnyStore,
    tmp_path: Path,
) -> None:
    path = tmp_path / "ship.json"
    notes: list[str] = []
    plan(path, systems=("new", "old"), n_max=20, scale=scale)
    begin_campaign(
        store,
        corpus(),
        "ship",
        plan_path=path,
        rng=1,
        said=lambda *t: notes.extend(t),
        **settings,
    )
    assert any("in points as given" in note for note in notes) == said


def test_sentences_have_larger_blocks_and_more_controls(store: AnyStore) -> None:
    begin_campaign(store, corpus(documents=False), "ship", rng=1)
    settings = CampaignSettings.from_json(store.campaign("ship").settings)
    assert (settings.block, settings.controls) == (10, 0.3)
    begin_campaign(store, corpus(), "b", block=2, controls=0.2, rng=1)
    settings = CampaignSettings.from_json(store.campaign("b").settings)
    assert (settings.block, settings.controls) == (2, 0.2)


def test_notes_are_said(store: AnyStore) -> None:
    said: list[str] = []
    begin_campaign(store, corpus(), "ship", n_items=10, rng=1, said=lambda *t: said.extend(t))
    assert "12 of 60 lines were drawn" in said[0]


def test_a_campaign_is_judged_exported_and_looked_at(store: AnyStore, tmp_path: Path) -> None:
    plan(tmp_path / "ship.json", systems=("new", "old"), n_max=20, unit="document")
    begin_campaign(store, corpus(), "ship", plan_path=tmp_path / "ship.json", rng=1)
    store.turn("ship", "open")
    judge_all(store)
    found = campaigns(store, "ship")
    assert found.campaigns[0].n_done == 22
    assert "ship is open. 22 of 22 pieces of work done (100%)" in found.summary()
    assert [rater.rater for rater in found.raters] == ["r-01", "r-02"]
    assert sum(rater.judgments for rater in found.raters) == found.campaigns[0].n_judgments
    pages = sum(rater.pages for rater in found.raters)
    assert sum(rater.minutes for rater in found.raters) == pytest.approx(pages * 9.0 / 60.0)

    said: list[str] = []
    export_campaign(store, "ship", tmp_path / "blind.csv", said=lambda *t: said.extend(t))
    assert BLIND in said
    blind = read_judgments(tmp_path / "blind.csv")
    assert sorted(blind.system.levels) == ["A", "B"]
    with pytest.raises(DataError, match="exists"):
        export_campaign(store, "ship", tmp_path / "blind.csv")

    store.turn("ship", "stopped")
    store.turn("ship", "concluded")
    export_campaign(store, "ship", tmp_path / "ship.csv")
    judgments = read_judgments(tmp_path / "ship.csv")
    assert sorted(judgments.system.levels) == ["new", "old"]
    assert judgments.is_kind("system").sum() == 2 * 60  # the first wave
    assert judgments.is_kind("degraded").sum() > 0
    looked = look(tmp_path / "ship.json", judgments, final=True)
    (pair,) = looked.pairs
    assert pair.decision == "stop: better"


def test_names_before_the_end_are_asked_for_and_kept(store: AnyStore, tmp_path: Path) -> None:
    begin_campaign(store, corpus(), "ship", rng=1)
    store.turn("ship", "open")
    judge_all(store)
    with pytest.raises(InputError, match="`unblind` must say why"):
        export_campaign(store, "ship", tmp_path / "x.csv", unblind=" ")
    export_campaign(store, "ship", tmp_path / "x.csv", unblind="a complaint", everything=True)
    found = read_judgments(tmp_path / "x.csv")
    assert set(found.system.levels) == {"new", "old", "third"}
    assert found.column("wave").levels == ("1", "2")
    assert store.events("ship")[-1][1:] == ("unblinding", {"who": "", "reason": "a complaint"})


def test_all_campaigns_are_listed(store: AnyStore) -> None:
    assert campaigns(store).summary() == "There is no campaign yet."
    begin_campaign(store, corpus(), "one", rng=1)
    begin_campaign(store, corpus(), "two", rng=1)
    store.turn("two", "open")
    store.turn("two", "stopped")
    found = campaigns(store)
    assert [line.name for line in found.campaigns] == ["one", "two"]
    assert found.raters == ()
    assert "22 given up" in found.summary()
    assert campaigns(store, "one").campaigns[0].name == "one"
    with pytest.raises(DataError, match="there is no campaign 'three'"):
        campaigns(store, "three")
