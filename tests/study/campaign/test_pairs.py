"""Two texts beside each other: who stands where, and what a choice says of each system."""

from collections import Counter
from pathlib import Path

import pytest

from detectable.core.errors import InputError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import NewPage, Part, Segment
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.answers import read_answers
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.block import BlockMaker
from detectable.study.campaign.campaign_judgments import campaign_judgments
from detectable.study.campaign.settings import CampaignSettings

LINE = "the quick brown fox jumps over a lazy dog and runs away"


def parts(n: int, *, references: bool = True) -> list[Part]:
    return [
        Part(
            name=f"d{i}",
            document=f"d{i}",
            segments=(
                Segment(
                    item=str(i),
                    source="s",
                    reference=f"{LINE} {i}" if references else None,
                    outputs={"A": f"{LINE} a{i}", "B": f"{LINE} b{i}"},
                ),
            ),
        )
        for i in range(n)
    ]


def blocks(n: int, size: int = 10) -> list[list[NewPage]]:
    maker = BlockMaker(
        parts(size),
        seed=3,
        controls=0.3,
        unit="word",
        together=True,
    )
    names = [f"d{i}" for i in range(size)]
    return [maker("r-01", block, names, ("A", "B")) for block in range(1, n + 1)]


def test_every_part_is_shown_once_and_sides_are_balanced() -> None:
    for pages in blocks(12):
        own = [page for page in pages if page.kind == "system"]
        assert sorted(page.part for page in own) == sorted(f"d{i}" for i in range(10))
        assert Counter(page.system for page in own) == {"A": 5, "B": 5}  # on the left
        assert all(page.beside != page.system and not page.flipped for page in own)


def test_controls_replace_one_text_of_either_system_on_either_side() -> None:
    controls = [page for pages in blocks(40) for page in pages if page.kind != "system"]
    degraded = [page for page in controls if page.kind == "degraded"]
    assert Counter(page.kind for page in controls).keys() == {"degraded", "repeat", "reference"}
    n = Counter(page.system for page in degraded)
    assert abs(n["A"] - n["B"]) <= 1
    sides = Counter((page.system, page.flipped) for page in degraded)
    assert len(sides) == 4
    for page in degraded:
        ((kind, text),) = page.lines or ()
        assert (kind, page.beside) == ("degraded", "B" if page.system == "A" else "A")
        assert page.system.lower() + page.part[1:] in text.split()  # of the system it copies


def test_without_references_no_control_shows_one() -> None:
    maker = BlockMaker(
        parts(10, references=False), seed=3, controls=0.4, unit="word", together=False
    )
    pages = maker("r-01", 1, [f"d{i}" for i in range(10)], ("A", "B"))
    kinds = Counter(page.kind for page in pages)
    assert kinds["reference"] == 0
    assert kinds["degraded"] > 0
    assert kinds["repeat"] > 0
    assert all(text for page in pages for _, text in page.lines or ())


def test_pairs_need_two_systems() -> None:
    maker = BlockMaker(parts(2), seed=1, controls=0.3, unit="word", together=True)
    assert maker("r-01", 1, ["d0", "d1"], ("A",)) == []


def paired(folder: Path, systems: int = 2) -> AnyStore:
    lines = [f"{LINE} {i}" for i in range(6)]
    corpus = Corpus.build(
        {name: [f"{one} {name}" for one in lines] for name in "ABC"[:systems]},
        lines,
        sources=lines,
        documents=[f"d{i // 2}" for i in range(6)],
    )
    store = open_store(folder, new=True)
    begin_campaign(store, corpus, "c", protocol="pairwise", overlap=0.0, rng=1)
    store.turn("c", "open")
    return store


def test_a_choice_is_a_row_of_each_system(tmp_path: Path) -> None:
    store = paired(tmp_path)
    settings = CampaignSettings.from_json(store.campaign("c").settings)
    (link,) = store.add_raters("c", 1)
    rater = store.rater_of(link.token)
    assert rater is not None
    maker = BlockMaker(store.parts("c"), seed=1, controls=0.3, unit="word", together=True)
    shown = []
    while not hasattr(page := store.next_page(rater.id, maker), "retry_after"):
        # Where a page is about A, A is better; elsewhere both are equal.
        side = "right" if page.flipped else "left"
        given = [{"choice": side if page.system == "A" else "tie"} for _ in page.lines]
        shown.append(page)
        answers = read_answers(settings, given, store.given_page(rater.id, page.token))
        store.save(rater.id, page.token, key=page.token, answers=answers, seconds=8.0)
    rows = store.rows("c")
    own = [row for row in rows if row.kind == "system"]
    assert len(own) == 12  # six lines, a row for each system
    by_item: dict[str, dict[str, float]] = {}
    for row in own:
        assert row.score is not None
        by_item.setdefault(row.item, {})[row.system] = row.score
    assert all(sum(both.values()) == 1.0 and len(both) == 2 for both in by_item.values())
    n_controls = sum(len(page.lines) for page in shown if page.kind != "system")
    assert len(rows) - len(own) == n_controls > 0
    assert all(row.extra is not None and row.extra["side"] in ("left", "right") for row in rows)
    for one, two in zip(own[::2], own[1::2], strict=True):
        assert (one.page, one.item) == (two.page, two.item)
        assert {one.extra["side"], two.extra["side"]} == {"left", "right"}  # type: ignore[index]
    found = campaign_judgments(rows, settings.scale)
    assert found.scale == (0.0, 1.0)
    assert found.seconds is not None
    # 8 seconds for two choices: each of the two rows of a choice has half of its time
    assert sorted(set(found.seconds.tolist())) == [2.0, 4.0]
    store.close()


def test_three_systems_are_no_pair(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"`systems` must be two for the protocol pairwise"):
        paired(tmp_path, systems=3)
