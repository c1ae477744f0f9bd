"""Campaigns of random settings: all end within the stated maximum, and nobody has to help them."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, DetectableError
from detectable.data.store.records import Page
from detectable.data.store.store import Store
from detectable.study.campaign.begin import (
    begin_campaign,
    fit_to,
    preview_campaign,
    usual_share,
)
from detectable.study.campaign.campaigns import campaign_progress, judgments_given
from detectable.study.campaign.close import conclude_campaign, turn_campaign
from detectable.study.campaign.looks import (
    LOOK_LEFT_OUT,
    look_now,
    planned_numbers,
    run_due_look,
)
from detectable.study.campaign.make_campaign import BlockMaker, make_campaign
from detectable.study.campaign.outcome import campaign_outcome
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.plan import plan
from tests.helpers import spread
from tests.study.campaign.simulated import Rater, Truth, corpus, in_memory, judge, maker_of

N = 200
SCALES = {"da": (0.0, 100.0), "pairwise": (0.0, 1.0), "esa": (0.0, 100.0)}


def drawn(seed: int) -> dict[str, Any]:
    """Return a random campaign: texts, raters, protocol, plan and cap."""
    rng = np.random.default_rng([32, seed])
    n = int(rng.integers(12, 61))
    systems = ("new", "old", "third")[: int(rng.integers(2, 4))]
    n_raters = int(rng.integers(1, 8))
    careless = [f"r-{i + 1:02d}" for i in range(n_raters) if rng.random() < 0.2]
    protocol = str(rng.choice(["da", "da", "esa", "pairwise"]))
    settings: dict[str, Any] = {
        "protocol": protocol,
        "overlap": float(rng.choice([0.0, 0.1, 0.3])),
        "budget": int(rng.integers(30, 600)) if rng.random() < 0.4 else None,
        "mode": "reference",
    }
    if rng.random() < 0.5:
        settings["block"] = int(rng.integers(1, 9))
    planned: dict[str, Any] = {
        "n_max": int(rng.integers(max(5, n // 2), n + 1)),
        "looks": int(rng.integers(1, 5)),
        "baseline": systems[-1] if rng.random() < 0.7 else None,
        "scale": SCALES[protocol],
        "test": "sign-flip" if protocol == "pairwise" else "paired-mean",
        "sd": 1.0 if protocol == "pairwise" else 20.0,
        "admission": (
            {
                "rule": "symmetric" if protocol == "pairwise" else "degraded-paired-t",
                "pairs": int(rng.integers(4, 15)),
                "few": str(rng.choice(["refuse", "admit"])),
            }
            if rng.random() < 0.8
            else None
        ),
    }
    return {
        "n": n,
        "systems": systems,
        "n_raters": n_raters,
        "lines_per_document": int(rng.integers(1, 7)) if rng.random() < 0.5 else None,
        "settings": settings,
        "planned": planned,
        "truth": Truth(
            effects=dict(
                zip(systems, rng.normal(0.0, 8.0, len(systems)).tolist(), strict=True)
            ),
            careless=frozenset(careless),
            skips=float(rng.choice([0.0, 0.03])),
        ),
    }


class Chooser(Rater):
    """Judges as others do; of two texts it chooses the one that it would score higher."""

    def _answer(self, page: Page, line: Any) -> Any:
        from dataclasses import replace

        own = super()._answer(page, line)
        if page.beside is None or own.score is None:
            return own
        beside = replace(page, system=page.beside, beside=None)
        other = super()._answer(beside, replace(line, text=line.other))
        if other.score is None:
            return other
        better = 0.5 if abs(own.score - other.score) < 2 else float(own.score > other.score)
        return replace(own, score=better)


def run(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, int]:
    """Make a campaign and let it run until it says that it has ended or needs its final look."""
    given = drawn(seed)
    monkeypatch.setattr("tests.study.campaign.simulated.Rater", Chooser)
    store, path = in_memory(), folder / "ship.json"
    frozen = plan(path, systems=given["systems"], **given["planned"])
    texts = corpus(given["n"], given["systems"], lines_per_document=given["lines_per_document"])
    settings = given["settings"]
    fit = fit_to(frozen, given["n_raters"], settings.get("block"), None)
    block, controls = usual_share(texts, 30)
    more = {"baseline": frozen.baseline or ""} if settings["protocol"] == "pairwise" else {}
    chosen = CampaignSettings(**{"block": block, "controls": controls, **settings, **more})
    new, _ = make_campaign(texts, "ship", chosen, systems=given["systems"], rng=seed, fit=fit)
    rule = frozen.admission
    foreseen = preview_campaign(
        new,
        pairs=4 if rule is None else rule["pairs"],
        n_raters=given["n_raters"],
        looks=planned_numbers(frozen),
        n_max=frozen.n_max,
    )
    begin_campaign(
        store, texts, "ship", plan_path=path, n_raters=given["n_raters"], rng=seed, **settings
    )
    assert store.campaign("ship").settings["block"] == new.block == foreseen.block
    turn_campaign(store, "ship", "open", now=0.0)
    store.add_raters("ship", given["n_raters"])
    judge(
        store,
        given["truth"],
        seed=seed,
        maker=_maker(store),
        after_block=lambda: watched(store),
    )
    return store, foreseen.judgments_of("most")


def watched(store: Store) -> bool:
    """Do what the server does every few seconds; a look that fails is written down and tried again."""
    with contextlib.suppress(DetectableError):
        while run_due_look(store, "ship", now=1e5) is not None:
            pass  # as long as one is due
    return store.campaign("ship").state == "open"


def _maker(store: Store) -> BlockMaker:
    row = store.campaign("ship")
    settings = CampaignSettings.from_json(row.settings)
    if not settings.asks.together:
        return maker_of(store)
    return BlockMaker(
        store.parts("ship"),
        seed=row.seed,
        controls=settings.controls,
        unit="word",
        together=True,
        baseline=settings.baseline,
        mixed=settings.mixed_controls,
    )


@pytest.mark.parametrize("seed", spread(range(N), one_in=10))
def test_it_ends_within_what_was_stated(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, most = run(seed, tmp_path, monkeypatch)
    found = campaign_progress(store, "ship")
    # It has stopped by itself, or says why it cannot go on, and offers the final look.
    assert found.state == "stopped" or found.stalled or found.advice or found.failed, found
    assert judgments_given(store, "ship") <= most
    if found.may_end and not found.advice:
        assert found.works.admitted + found.works.waiting + found.works.refused > 0
        if not store.complete_lines("ship").total():
            return  # no work counts at all: it is closed without a verdict
        with contextlib.suppress(DataError):
            look_now(store, "ship", final=True, now=1e6)
        if campaign_progress(store, "ship").may_end:
            # Nothing can be said of such data: it is closed without a verdict.
            said = "one document says nothing|their spread says nothing"
            with pytest.raises(DataError, match=said):
                look_now(store, "ship", final=True, now=1e6)
            if found.state != "stopped":
                turn_campaign(store, "ship", "stopped")
            turn_campaign(store, "ship", "concluded")
            return
    conclude_campaign(store, "ship", at_once=True, now=2e6)
    outcome = campaign_outcome(store, "ship")
    assert outcome.judgments.given == judgments_given(store, "ship") <= most


def test_a_look_of_one_document_is_left_out_and_the_next_one_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its units are the first that were admitted: they stay one document for ever."""
    store, _ = run(8, tmp_path, monkeypatch)
    events = [detail for _, event, detail in store.events("ship") if event == LOOK_LEFT_OUT]
    assert [one["units"] for one in events] == [3, 5]
    assert "1 document so far" in events[0]["reason"]
    assert campaign_progress(store, "ship").state == "stopped"
    assert campaign_progress(store, "ship").failed == ""
