"""What a campaign takes, and the defaults that follow from raters, looks, texts and budget."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import NewCampaign, Page
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import (
    affordable_lines,
    begin_campaign,
    budget_of,
    fit_to,
    fitted_block,
    preview_campaign,
    saving_looks,
    usual_pairs,
)
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.close import turn_campaign
from detectable.study.campaign.looks import planned_numbers, run_due_look
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.plan import Plan, plan
from tests.study.campaign.simulated import Rater, Truth, corpus, in_memory, maker_of

PLANTED = Truth(effects={"new": 40.0, "old": 0.0}, degraded=40.0, noise=6.0)


def made(
    folder: Path, *, n: int, n_raters: int, looks: int, size: int | None = None, **more: Any
) -> tuple[NewCampaign, Plan]:
    """Return a campaign whose block and controls follow from its raters."""
    pairs = usual_pairs(mixed=size is not None and size > 1)
    frozen = plan(
        folder / "ship.json",
        systems=("new", "old"),
        n_max=n,
        looks=looks,
        admission={"rule": "degraded-paired-t", "pairs": pairs},
    )
    block, controls = (4, 0.12) if size else (10, 0.3)
    settings = CampaignSettings(mode="reference", block=block, controls=controls, **more)
    texts = corpus(n, lines_per_document=size)
    new, _ = make_campaign(
        texts, "ship", settings, rng=1, fit=fit_to(frozen, n_raters, None, None)
    )
    return new, frozen


@pytest.mark.parametrize("n_works", [1, 7, 40, 190, 1000])
@pytest.mark.parametrize("n_raters", [1, 2, 6, 25])
@pytest.mark.parametrize("looks", [1, 3, 5])
def test_a_block_is_a_small_part_of_what_a_rater_gets(
    n_works: int, n_raters: int, looks: int
) -> None:
    block = fitted_block(n_works, n_raters, looks, usual=10)
    assert 1 <= block <= 10
    assert block == 1 or block <= n_works / n_raters / (2 * looks)


@pytest.mark.parametrize(
    ("n", "n_raters", "size"), [(173, 6, None), (200, 4, 9), (60, 2, None)]
)
def test_every_rater_sees_enough_controls_to_be_judged(
    n: int, n_raters: int, size: int | None, tmp_path: Path
) -> None:
    new, frozen = made(tmp_path, n=n, n_raters=n_raters, looks=3, size=size)
    rule = frozen.admission
    assert rule is not None
    found = preview_campaign(new, pairs=rule["pairs"], n_raters=n_raters)
    assert found.most_raters is not None
    assert found.most_raters >= n_raters
    assert found.power >= 0.95  # of a careful rater; who clicks passes with alpha
    assert rule["alpha"] == 0.05


def test_the_rows_add_up_and_are_what_raters_are_asked_for(tmp_path: Path) -> None:
    new, frozen = made(tmp_path, n=100, n_raters=4, looks=3)
    found = preview_campaign(new, n_raters=4, n_max=frozen.n_max, price=0.2)
    parts = ("texts", "controls", "repeats", "refused")
    assert sum(map(found.judgments_of, parts)) == found.judgments_of("expected")
    assert found.judgments_of("texts") == 200
    assert found.judgments_of("repeats") == 20
    half = preview_campaign(new, n_raters=4, n_max=50)
    assert half.judgments_of("texts") == 100
    assert half.judgments_of("expected") == pytest.approx(
        found.judgments_of("expected") / 2, abs=2
    )


def test_the_preview_counts_the_controls_that_raters_get(tmp_path: Path) -> None:
    """Whole blocks of one rater, page by page."""
    new, _ = made(tmp_path, n=60, n_raters=2, looks=2, overlap=0.0)
    store = in_memory()
    store.create(new)
    store.turn("ship", "open")
    store.add_raters("ship", 1)
    asked = 0
    while isinstance(page := store.next_page("ship/r-01", maker_of(store), 1.0), Page):
        asked += len(page.lines)
        answers = Rater("r-01", PLANTED, np.full(60, 50.0), 1).answers(page)
        store.save("ship/r-01", page.token, key="k", answers=answers, now=1.0)
    found = preview_campaign(new)
    assert asked == pytest.approx(found.n_judgments, rel=0.02)


def test_a_budget_says_how_many_lines_it_judges(tmp_path: Path) -> None:
    new, _ = made(tmp_path, n=100, n_raters=4, looks=3)
    found = preview_campaign(new, n_raters=4)
    expected = found.judgments_of("expected")
    assert affordable_lines(found, expected) == 100
    n = affordable_lines(found, expected // 2)
    assert n < 51
    assert preview_campaign(new, n_max=n).judgments_of("expected") <= expected // 2 + 2


def test_money_buys_judgments_at_the_price_of_the_plan(tmp_path: Path) -> None:
    plan(tmp_path / "ship.json", systems=("new", "old"), n_max=40, cost_per_judgment=0.25)
    store = in_memory()
    begin_campaign(
        store,
        corpus(40),
        "ship",
        plan_path=tmp_path / "ship.json",
        mode="reference",
        spend=20.0,
    )
    assert campaign_progress(store, "ship").budget == 80
    plan(tmp_path / "free.json", systems=("new", "old"), n_max=40)
    with pytest.raises(InputError, match="price of a judgment, and the plan states none"):
        begin_campaign(
            store, corpus(40), "two", plan_path=tmp_path / "free.json", mode="reference", spend=2.0
        )  # fmt: skip
    with pytest.raises(InputError, match="must buy one judgment at least"):
        budget_of(0.1, 0.2, None)


@pytest.mark.parametrize(
    ("n", "n_raters", "looks", "block", "saves"),
    [(400, 3, 3, None, True), (300, 2, 4, None, True), (180, 6, 3, 30, False)],
)
def test_looks_save_work_where_the_check_says_so(
    n: int, n_raters: int, looks: int, block: int | None, saves: bool, tmp_path: Path
) -> None:
    """Raters in step, and a difference that the first look finds."""
    frozen = plan(
        tmp_path / "ship.json", systems=("new", "old"), n_max=n, looks=looks,
        admission={"rule": "degraded-paired-t", "pairs": 13},
    )  # fmt: skip
    store = in_memory()
    begin_campaign(
        store, corpus(n), "ship", plan_path=tmp_path / "ship.json", mode="reference", rng=1,
        n_raters=n_raters, block=block, overlap=0.0,
    )  # fmt: skip
    row = store.campaign("ship")
    settings = CampaignSettings.from_json(row.settings)
    new = NewCampaign(
        name="ship", settings=row.settings, systems=row.systems, parts=store.parts("ship"),
        works=[(one.name, 1) for one in store.parts("ship")], block=settings.block,
        lease=1.0, seed=row.seed,
    )  # fmt: skip
    found = preview_campaign(
        new, pairs=13, n_raters=n_raters, looks=planned_numbers(frozen), n_max=n
    )
    turn_campaign(store, "ship", "open", now=0.0)
    store.add_raters("ship", n_raters)
    in_step(store, n)
    left = store.status("ship")["cut"]  # work that nobody had begun when it stopped
    first = campaign_progress(store, "ship").looks[0]
    assert first.decision == "stop: better"
    assert (1 in found.saving_looks, left > 0) == (saves, saves)


def in_step(store: Any, n: int) -> None:
    """Let all raters judge page by page at one pace, until a look has stopped it."""
    raters = [Rater(one.code, PLANTED, np.full(n, 50.0), 1) for one in store.raters("ship")]
    arrange, clock = maker_of(store), 1.0
    while raters and store.campaign("ship").state == "open":
        for rater in list(raters):
            clock += 1.0
            page = store.next_page(f"ship/{rater.code}", arrange, clock)
            if not isinstance(page, Page):
                raters.remove(rater)
                continue
            store.save(
                f"ship/{rater.code}",
                page.token,
                key="k",
                answers=rater.answers(page),
                now=clock,
            )
        run_due_look(store, "ship", now=clock)
    run_due_look(store, "ship", now=clock)


def test_a_plan_without_raters_saves_nothing() -> None:
    given: dict[str, Any] = {"n_max": 60, "n_works": 60, "block": 5, "blocks_to_decide": 1}
    assert saving_looks([20, 40, 60], n_raters=0, **given) == ()
    assert saving_looks([20, 40, 60], n_raters=2, **given) == (1, 2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store(tmp_path / "kept", new=True)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("protocol", "lines", "why"),
    [
        ("da", ['{"system": "new"}'], "`suggestions` must be left out with the protocol da"),
        ("esa", ['{"system": "x", "item": "1"}'], "no error of it is in a text"),
        (
            "esa",
            ['{"system": "new", "item": "1", "start": 0, "end": 999, "severity": "minor"}'],
            "line 1: An error of new, item 1, lies outside of its text",
        ),
        (
            "esa",
            ['{"system": "new", "item": "1", "start": 0, "end": 3, "severity": "awful"}'],
            "line 1: The severity of an error of new, item 1, must be minor or major",
        ),
        (
            "mqm",
            ['{"system": "new", "item": "1", "start": 0, "end": 3, "severity": "minor"}'],
            "The category of an error of new, item 1, is not known",
        ),
        ("esa", ["{"], "this is not JSON"),
    ],
)
def test_suggestions_that_do_not_fit_are_refused(
    store: Store, tmp_path: Path, protocol: str, lines: list[str], why: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(lines) + "\n")
    corpus = Corpus.build(
        {"new": ["one text"] * 4, "old": ["two text"] * 4}, ["ref"] * 4, sources=["s"] * 4
    )
    with pytest.raises((InputError, DataError), match=why):
        begin_campaign(store, corpus, "ship", protocol=protocol, suggestions=path)
    assert store.names() == ()


def test_suggestions_are_counted_and_those_of_other_texts_left_out(
    store: Store, tmp_path: Path
) -> None:
    path, said = tmp_path / "s.jsonl", list[str]()
    one = {"system": "new", "item": "2", "severity": "minor", "text": "what else stands there"}
    lines = [
        {**one, "start": 4, "end": 6},
        {**one, "start": 0, "end": 3},
        one,
        {**one, "item": "9"},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    corpus = Corpus.build(
        {"new": ["one text"] * 4, "old": ["two text"] * 4}, ["ref"] * 4, sources=["s"] * 4
    )
    begin_campaign(
        store,
        corpus,
        "ship",
        protocol="esa",
        suggestions=path,
        said=lambda *more: said.extend(more),
    )
    assert "3 errors suggested in 1 of 8 texts." in said
    assert "1 suggested error of other texts left out." in said
    settings = CampaignSettings.from_json(store.campaign("ship").settings)
    assert settings.suggested
    (kept,) = [row[0] for row in store.all("SELECT suggested FROM output") if row[0]]
    assert [mark.get("start") for mark in json.loads(kept)] == [0, 4, None]
