"""One object says how a campaign ended, and every judgment is in one part of it."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, RefusedError
from detectable.core.interval import Interval
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Page
from detectable.report.blocks import Chart, Examples, Table, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.saved.load import load
from detectable.report.saved.save import save
from detectable.report.shown.campaign_outcome import marked_pieces, say_answer
from detectable.study.campaign.campaigns import (
    campaign_progress,
    campaigns,
    judgments_given,
)
from detectable.study.campaign.close import conclude_campaign, turn_campaign
from detectable.study.campaign.export import payments_csv
from detectable.study.campaign.looks import decide_admissions, look_now
from detectable.study.campaign.outcome import (
    Answer,
    CampaignOutcome,
    ConcludedPair,
    JudgmentCounts,
    MarkedError,
    ShownText,
    campaign_outcome,
    read_answer,
)
from detectable.study.campaign.withdraw import erase_rater, void_rater
from detectable.study.campaign.work import plan_of
from tests.study.campaign.simulated import Truth, begin, in_memory, judge, maker_of

RULE = {"rule": "degraded-paired-t", "pairs": 5}
THREE = Truth(effects={"a": 12.0, "b": 3.0, "c": 0.0}, careless=frozenset({"r-06"}), skips=0.02)


def ended(store: AnyStore, path: Path, truth: Truth = THREE, **planned: Any) -> CampaignOutcome:
    """Run a whole campaign with a careless rater, and return how it ended."""
    options = {"n_items": 90, "n_max": 60, "looks": 3, "admission": RULE, **planned}
    options.setdefault("baseline", list(truth.effects)[-1])
    begin(store, path, truth, settings={"controls": 0.4, "block": 4}, **options)
    judge(store, truth, seed=1)
    if store.campaign("ship").state != "stopped":
        look_now(store, "ship", final=True, now=1e5)
    judge(store, truth, seed=1, after_block=lambda: True)
    made = conclude_campaign(store, "ship", at_once=True, now=2e5)
    return campaign_outcome(store, "ship", conclusion=made)


def test_every_judgment_is_in_one_part_and_all_count_the_same(
    either: AnyStore, tmp_path: Path
) -> None:
    found = ended(either, tmp_path / "ship.json")
    given = found.judgments.given
    status = either.status("ship")
    assert given == sum(getattr(found.judgments, one.name) for one in fields(JudgmentCounts))
    assert given == status["judgments"] + status["skipped"] == judgments_given(either, "ship")
    assert given == sum(one.judgments for one in found.raters)
    assert found.judgments.decided == found.conclusion.judgments
    assert found.judgments.refused > 0
    assert found.judgments.skipped > 0
    assert given == campaigns(either, "ship").campaigns[0].n_given


def test_the_answer_is_that_beside_the_plan_and_survives_a_file(tmp_path: Path) -> None:
    store = in_memory()
    found = ended(store, tmp_path / "ship.json")
    assert read_answer(plan_of(store, "ship")) == found.answer
    save(found, tmp_path / "outcome.json")
    assert load(tmp_path / "outcome.json") == found
    again = campaign_outcome(store, "ship")  # computed anew, from the store
    assert again == found


def test_means_differ_as_the_plain_estimate_says(tmp_path: Path) -> None:
    store = in_memory()
    two = Truth(effects={"new": 8.0, "old": 0.0})
    found = ended(store, tmp_path / "ship.json", two, baseline="old")
    means = {one.system: one for one in found.scores}
    (pair,) = found.conclusion.pairs
    difference = means["new"].mean - means["old"].mean
    assert difference == pytest.approx(pair.naive_estimate, abs=1e-9)
    assert means["new"].n_lines == pair.n_units == found.n_lines


def test_void_and_erased_work_stays_counted_and_paid(tmp_path: Path) -> None:
    store = in_memory()
    truth = Truth(effects={"new": 5.0, "old": 0.0})
    begin(
        store,
        tmp_path / "ship.json",
        truth,
        n_items=60,
        n_max=60,
        looks=2,
        admission=RULE,
        cost_per_judgment=0.5,
        settings={"controls": 0.4, "block": 4},
    )
    judge(store, truth, seed=3, most_pages=260, after_block=lambda: True)
    decide_admissions(store, "ship")
    before = judgments_given(store, "ship")
    paid = payments_csv(store, "ship")
    void_rater(store, "ship", "r-02", who="me", reason="two accounts", evidence="the bank")
    erased = erase_rater(store, "ship", "r-01", who="me")
    assert erased > 0
    assert judgments_given(store, "ship") == before
    assert payments_csv(store, "ship") == paid  # judgments, minutes and amount
    look_now(store, "ship", final=True, now=1e5)
    conclude_campaign(store, "ship", at_once=True, now=2e5)
    found = campaign_outcome(store, "ship")
    assert found.judgments.given == before
    assert found.judgments.erased == erased
    assert found.cost == pytest.approx(0.5 * before)
    assert sum(one.judgments for one in found.raters) == before


def test_examples_show_the_direction_of_the_claim(tmp_path: Path) -> None:
    found = ended(in_memory(), tmp_path / "ship.json")
    assert {(one.system, one.baseline) for one in found.examples} == {("a", "c"), ("b", "c")}
    for some in found.examples:
        assert 0 < len(some.lines) <= 3
        for line in some.lines:
            first, second = line.texts
            assert first.score - second.score >= some.least
    other = campaign_outcome(*_again(tmp_path), rng=1)
    assert other.examples != found.examples  # another seed, other lines


def _again(tmp_path: Path) -> tuple[AnyStore, str]:
    store = in_memory()
    (tmp_path / "again").mkdir()
    ended(store, tmp_path / "again" / "ship.json")
    return store, "ship"


def test_before_the_conclusion_there_is_nothing_to_report(tmp_path: Path) -> None:
    store = in_memory()
    begin(store, tmp_path / "ship.json", THREE, baseline="c", n_max=60, looks=2)
    with pytest.raises(DataError, match="ship is open: there is no report"):
        campaign_outcome(store, "ship")
    turn_campaign(store, "ship", "stopped")
    turn_campaign(store, "ship", "concluded")
    with pytest.raises(DataError, match="closed before any look"):
        campaign_outcome(store, "ship")


# --- Words ---


def pair(verdict: Any, estimate: float, low: float, high: float, **more: Any) -> ConcludedPair:
    given = {"system": "nova", "baseline": "current", "scale": "mean difference", **more}
    return ConcludedPair(
        verdict=verdict, estimate=estimate, interval=Interval(low, high, 0.95), **given
    )


def answer(question: str, *pairs: ConcludedPair, **more: Any) -> Answer:
    given = {"claim": "better", "margin": None, "sided": 2, **more}
    return Answer(question=question, pairs=pairs, **given)


NOVA = pair("better", 7.9, 1.5, 13.9)
VENDOR = pair("undecided", 0.9, -3.1, 4.9, system="vendorx")


@pytest.mark.parametrize(
    ("asked", "protocol", "headline", "others"),
    [
        (
            answer("Ship nova?", NOVA, VENDOR),
            "esa",
            "Yes. nova is better than current by 7.9 points (1.5 to 13.9).",
            (
                "vendorx: no verdict; the data fit anything from 3.1 points worse to 4.9 points "
                "better than current.",
            ),
        ),
        (
            answer("Ship vendorx?", NOVA, VENDOR),
            "esa",
            "No verdict. undecided between vendorx and current; the data fit anything from 3.1 "
            "points worse to 4.9 points better than current.",
            ("Nova is better than current by 7.9 points (1.5 to 13.9).",),
        ),
        (
            answer("Who wins?", VENDOR, NOVA),
            "da",
            "nova is better than current by 7.9 points (1.5 to 13.9).",
            (
                "vendorx: no verdict; the data fit anything from 3.1 points worse to 4.9 points "
                "better than current.",
            ),
        ),
        (
            answer("Ship it?", pair("worse", -7.9, -13.9, -1.5)),
            "da",
            "No. nova is worse than current by 7.9 points (1.5 to 13.9).",
            (),
        ),
        (
            answer("Ship it?", pair("better", 0.23, 0.05, 0.41)),
            "pairwise",
            "Yes. nova is better than current, chosen 23.0 percentage points more often (5.0 to "
            "41.0).",
            (),
        ),
        (
            answer(
                "Ship it?",
                pair("non-inferior", 0.4, -0.9, 1.7),
                claim="non-inferior",
                margin=2.0,
            ),
            "da",
            "Yes. nova is not worse than current by more than 2: difference +0.40 points (−0.90 to "
            "1.70).",
            (),
        ),
    ],
)
def test_the_answer_in_one_sentence(
    asked: Answer, protocol: str, headline: str, others: tuple[str, ...]
) -> None:
    said = say_answer(asked, protocol)
    assert said[0] == headline
    assert tuple(one.lower() for one in said[1]) == tuple(one.lower() for one in others)


def test_a_text_is_cut_at_its_marks() -> None:
    text = ShownText(
        system="a",
        text="the north side",
        score=1.0,
        errors=(
            MarkedError(start=4, end=9, severity="major"),
            MarkedError(start=6, end=12, severity="minor"),  # laps over: the first stays
            MarkedError(start=None, end=None, severity="minor"),
        ),
    )
    assert marked_pieces(text) == [
        ("the ", ""),
        ("north", "major"),
        (" side", ""),
        ("missing", "missing"),
    ]


def test_it_shows_the_answer_first_and_the_statistics_last(tmp_path: Path) -> None:
    found = ended(in_memory(), tmp_path / "ship.json")
    blocks = blocks_of(found)
    assert isinstance(blocks[0], Verdict)
    assert isinstance(blocks[1], Chart)
    assert blocks[1].key
    assert sum(one.key for one in blocks if isinstance(one, Chart)) == 1
    tables = [one.id for one in blocks if isinstance(one, Table)]
    assert tables[:3] == ["scores", "judgments", "raters"]
    assert tables[-2:] == ["looks", "ledger"]
    assert sum(isinstance(one, Examples) for one in blocks) == 2
    told = next(one for one in blocks if isinstance(one, Table) and one.id == "judgments")
    assert sum(told.column("n")[:-1]) == told.column("n")[-1] == found.judgments.given
    assert np.all(np.array(told.column("n")) > 0)


# --- Stalled, archived, deleted ---


def test_it_is_not_stalled_while_finished_work_waits_for_its_decision(
    either: AnyStore, tmp_path: Path
) -> None:
    """In the seconds between the last page and the decision nothing is wrong."""
    truth = Truth(effects={"new": 0.0, "old": 0.0})
    begin(
        either, tmp_path / "ship.json", truth, n_items=24, n_max=24, looks=1, n_raters=1,
        admission={**RULE, "pairs": 50}, settings={"controls": 0.3, "overlap": 0.0},
    )  # fmt: skip
    judge(either, truth, seed=1, after_block=lambda: True)
    assert either.status("ship")["leased"] == 0
    assert campaign_progress(either, "ship").works.waiting > 0
    assert not campaign_progress(either, "ship").stalled
    decide_admissions(either, "ship")  # too few controls: refused, and nobody is left
    assert campaign_progress(either, "ship").works.waiting == 0
    assert campaign_progress(either, "ship").stalled


def test_a_campaign_is_archived_and_brought_back(either: AnyStore, tmp_path: Path) -> None:
    begin(either, tmp_path / "ship.json", THREE, baseline="c", n_max=60, looks=2)
    with pytest.raises(RefusedError, match="is open: raters may still come"):
        either.archive("ship")
    turn_campaign(either, "ship", "stopped")
    either.archive("ship")
    assert campaigns(either).campaigns[0].archived
    either.archive("ship", back=True)
    assert not campaigns(either).campaigns[0].archived


def test_only_a_draft_or_a_concluded_campaign_is_deleted(
    either: AnyStore, tmp_path: Path
) -> None:
    begin(either, tmp_path / "ship.json", THREE, baseline="c", n_max=60, looks=2)
    page = either.next_page("ship/r-01", maker_of(either), 1.0)
    assert isinstance(page, Page)
    for state in ("open", "paused", "stopped"):
        if state != "open":
            turn_campaign(either, "ship", state)
        with pytest.raises(RefusedError, match=f"is {state}: its judgments are still needed"):
            either.delete("ship")
    judge(either, THREE, seed=1, after_block=lambda: True, most_pages=40)
    turn_campaign(either, "ship", "concluded")
    either.delete("ship")
    assert either.names() == ()
    for table in ("judgment", "page", "work", "part", "segment", "output", "rater", "event"):
        assert either.one(f"SELECT COUNT(*) FROM {table}")[0] == 0, table
    assert (tmp_path / "ship.ledger.jsonl").exists()  # what was planned and looked at stays
