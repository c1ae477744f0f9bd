"""What a campaign will be, and when its next look comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from detectable.data.store.admissions import finished_at
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Decision, NewPage, Page
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign, preview_campaign
from detectable.study.campaign.looks import forecast
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import CampaignSettings

N = 40
LINES = [f"The committee number {i} met on day {i * 3} near the old harbour." for i in range(N)]


def corpus(*, documents: bool = False) -> Corpus:
    return Corpus.build(
        {"a": LINES, "b": [f"{one} So." for one in LINES]},
        LINES,
        sources=LINES,
        documents=[f"d{i // 4}" for i in range(N)] if documents else None,
    )


def arrange(rater: str, block: int, parts: object, needed: object) -> list[NewPage]:
    del rater, block
    return [NewPage(part=p, system=s, kind="system") for s in needed for p in parts]  # type: ignore[attr-defined]


def judge(store: Store, rater: str, at: float, seconds: float = 30.0) -> None:
    """Judge one piece of work, which is done at a time."""
    for step in range(2):
        page = store.next_page(f"ship/{rater}", arrange, now=at - 1.0)
        assert isinstance(page, Page)
        answers = [Answer(score=50.0)]
        store.save(
            f"ship/{rater}", page.token, key=f"{step}", answers=answers, seconds=seconds, now=at
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store(tmp_path, new=True)
    begin_campaign(made, corpus(), "ship", rng=1, block=1, overlap=0.0)
    made.add_raters("ship", 2)
    made.turn("ship", "open")
    yield made
    made.close()


def test_the_pace_and_the_time_of_the_next_look(store: Store) -> None:
    start = 1_000_000.0
    early = forecast(store, "ship", n_units=0, wanted=10, now=start)
    assert (early.works_per_hour, early.next_look) == (None, None)
    for step in range(5):
        judge(store, "r-01", start + 600.0 * step)
    now = start + 3000.0
    # Four more pieces of work in 50 minutes; each brought one line, and five are missing.
    found = forecast(store, "ship", n_units=5, wanted=10, now=now)
    assert found.works_per_hour == pytest.approx(4 * 3600 / 3000)
    assert found.next_look == pytest.approx(now + 5 * 3000 / 4)
    # If only one of five was admitted, it takes five times as long for each line.
    slow = forecast(store, "ship", n_units=1, wanted=2, now=now)
    assert slow.next_look == pytest.approx(now + 5 * 3000 / 4)
    assert forecast(store, "ship", n_units=0, wanted=2, now=now).next_look is None
    assert forecast(store, "ship", n_units=5, wanted=None, now=now).next_look is None
    assert forecast(store, "ship", n_units=9, wanted=4, now=now).next_look == now
    # Nobody has judged for a day: there is no pace any more.
    assert (
        forecast(store, "ship", n_units=5, wanted=10, now=now + 86_400).works_per_hour is None
    )


def test_work_that_was_refused_still_made_the_pace(store: Store) -> None:
    for step in range(3):
        judge(store, "r-01", 1000.0 + step)
    works = {(row.work, row.epoch) for row in store.rows("ship")}
    refused = Decision(rater="r-01", works=tuple(sorted(works)), admitted=False)
    store.decide("ship", lambda *_, **__: [refused], most_failed=9)
    assert finished_at(store, "ship", 0.0) == [1000.0, 1001.0, 1002.0]
    assert finished_at(store, "ship", 1001.0) == [1001.0, 1002.0]
    assert finished_at(store, "other", 0.0) == []
    judge(store, "r-02", 2000.0)  # the same work again, by somebody else
    assert finished_at(store, "ship", 0.0) == [1000.0, 1001.0, 1002.0, 2000.0]


def test_a_preview_counts_what_raters_will_judge() -> None:
    new, _ = make_campaign(corpus(), "ship", CampaignSettings(block=10, controls=0.3), rng=1)
    found = preview_campaign(new, pairs=10)
    # A block: 20 pages and 9 controls, of which every third is degraded.
    assert found.copies_per_block == 3.0
    assert (found.n_lines, found.n_works) == (40, 44)
    assert found.n_pages == found.n_judgments == round(44 * 2 + 9 * 4.4)
    assert (found.blocks_to_decide, found.most_raters) == (4, 1)
    assert preview_campaign(new, pairs=3).most_raters == 4
    assert (found.effect, found.sd) == (20.0, 20.0)
    # The power of the one-sided paired t test with 10 pairs and one standard deviation (R:
    # power.t.test(10, 1, 1, type = "paired", alternative = "one.sided")$power).
    assert found.power == pytest.approx(0.897517, abs=1e-6)
    assert preview_campaign(new, pairs=10, effect=0.0).power == pytest.approx(0.05)


def test_a_preview_of_documents_counts_their_lines() -> None:
    settings = CampaignSettings(block=4, controls=0.12, overlap=0.0)
    new, _ = make_campaign(corpus(documents=True), "ship", settings, rng=1)
    found = preview_campaign(new, pairs=10)
    assert (found.n_works, found.n_lines) == (10, 40)
    assert found.copies_per_block == 2.0  # of the four lines of one document
    assert (found.blocks_to_decide, found.most_raters) == (5, 0)
    # Compared with the lines beside them (R: power.t.test(10, 1, sqrt(2), …)$power).
    assert found.power == pytest.approx(0.662376, abs=1e-6)
    assert found.n_judgments == round(80 + 4 * 2.5)


def test_without_controls_nothing_can_be_decided() -> None:
    new, _ = make_campaign(corpus(), "ship", CampaignSettings(controls=0.0), rng=1)
    found = preview_campaign(new)
    assert (found.copies_per_block, found.blocks_to_decide, found.most_raters) == (
        0.0,
        None,
        None,
    )


def test_pairs_side_by_side_are_one_page_of_both_systems() -> None:
    made, _ = make_campaign(
        corpus(),
        "ship",
        CampaignSettings(protocol="pairwise", controls=0.0, overlap=0.0),
        rng=1,
    )
    found = preview_campaign(made)
    assert (found.n_pages, found.n_judgments) == (N, N)
    assert (found.copies_per_block, found.blocks_to_decide) == (0.0, None)
    checked, _ = make_campaign(
        corpus(),
        "ship",
        CampaignSettings(protocol="pairwise", controls=0.3, overlap=0.0),
        rng=1,
    )
    assert preview_campaign(checked).n_pages > N
