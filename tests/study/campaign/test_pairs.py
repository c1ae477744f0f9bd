"""Two texts beside each other: who stands where, and what a choice says of each system."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Answer, NewPage, Page, Part, Segment
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.answers import read_answers
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.close import conclude_campaign, turn_campaign
from detectable.study.campaign.looks import campaign_looks, run_due_look
from detectable.study.campaign.make_campaign import BlockMaker
from detectable.study.campaign.replay_campaign import replay_store
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import CampaignWork, campaign_judgments, plan_of
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import plan

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


def paired(folder: Path, systems: int = 2, **more: Any) -> AnyStore:
    lines = [f"{LINE} {i}" for i in range(6)]
    corpus = Corpus.build(
        {name: [f"{one} {name}" for one in lines] for name in "ABC"[:systems]},
        lines,
        sources=lines,
        documents=[f"d{i // 2}" for i in range(6)],
    )
    store = open_store(folder, new=True)
    begin_campaign(store, corpus, "c", protocol="pairwise", overlap=0.0, rng=1, **more)
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


def three(baseline: str = "", n: int = 12) -> BlockMaker:
    texts = [
        Part(
            name=f"d{i}",
            document=None,
            segments=(
                Segment(
                    item=str(i),
                    source="s",
                    reference=f"{LINE} {i}",
                    outputs={name: f"{LINE} {name.lower()}{i}" for name in "ABC"},
                ),
            ),
        )
        for i in range(n)
    ]
    return BlockMaker(
        texts, seed=3, controls=0.3, unit="word", together=True, baseline=baseline
    )


def both(page: NewPage) -> frozenset[str]:
    assert page.beside is not None
    return frozenset((page.system, page.beside))


@pytest.mark.parametrize(
    ("baseline", "wanted"), [("", ["AB", "AC", "BC"]), ("B", ["AB", "BC"])]
)
def test_of_three_systems_every_pair_is_a_page_of_each_part(
    baseline: str, wanted: list[str]
) -> None:
    maker, names = three(baseline), [f"d{i}" for i in range(12)]
    pairs = [frozenset(one) for one in wanted]
    for block in range(1, 6):
        pages = maker("r-01", block, names, ("A", "B", "C"))
        own = [page for page in pages if page.kind == "system"]
        assert Counter((page.part, both(page)) for page in own) == Counter(
            (part, pair) for part in names for pair in pairs
        )
        # Of every pair each system stands on the left equally often, and no page is flipped.
        left = Counter((both(page), page.system) for page in own)
        assert set(left.values()) == {6}
        assert not any(page.flipped for page in own)
        # Of the parts each pair comes first, second … equally often.
        turns = zip(*([p for p in own if p.part == part] for part in names), strict=True)
        for shown in turns:
            assert set(Counter(map(both, shown)).values()) == {12 // len(pairs)}


def test_copies_of_three_systems_take_turns_beside_a_partner() -> None:
    maker, names = three(), [f"d{i}" for i in range(12)]
    pages = [
        page
        for block in range(1, 13)
        for page in maker("r-01", block, names, ("A", "B", "C"))
        if page.kind == "degraded"
    ]
    n = Counter(page.system for page in pages)
    assert max(n.values()) - min(n.values()) <= 1
    assert {both(page) for page in pages} == {frozenset(one) for one in ("AB", "AC", "BC")}
    for page in pages:
        ((_, text),) = page.lines or ()
        assert page.system.lower() + page.part[1:] in text.split()  # of the system it copies
    assert {page.flipped for page in pages} == {True, False}


def test_systems_that_are_decided_are_in_no_pair() -> None:
    names = [f"d{i}" for i in range(12)]
    pages = three()("r-01", 1, names, ("A", "C"))
    assert {both(page) for page in pages} == {frozenset("AC")}
    pages = three("B")("r-01", 1, names, ("B", "C"))
    assert {both(page) for page in pages} == {frozenset("BC")}
    assert three("B")("r-01", 1, names, ("A", "C")) == []


def test_a_choice_between_two_of_three_is_an_item_of_its_own(tmp_path: Path) -> None:
    store = paired(tmp_path, systems=3)
    settings = CampaignSettings.from_json(store.campaign("c").settings)
    (link,) = store.add_raters("c", 1)
    rater = store.rater_of(link.token)
    assert rater is not None
    maker = BlockMaker(store.parts("c"), seed=1, controls=0.3, unit="word", together=True)
    rank = "ABC"  # A is better than B, and B than C
    while not hasattr(page := store.next_page(rater.id, maker), "retry_after"):
        own, other = ("right", "left") if page.flipped else ("left", "right")
        assert page.beside is not None
        better = own if rank.index(page.system) < rank.index(page.beside) else other
        answers = read_answers(
            settings,
            [{"choice": better}] * len(page.lines),
            store.given_page(rater.id, page.token),
        )
        store.save(rater.id, page.token, key=page.token, answers=answers, seconds=8.0)
    rows = [row for row in store.rows("c") if row.kind == "system"]
    assert len(rows) == 6 * 3 * 2  # lines, pairs, systems of each
    numbers = {1: "AB", 2: "AC", 3: "BC"}
    items: dict[str, dict[str, float]] = {}
    for row in rows:
        line, _, number = row.item.partition(" pair ")
        assert row.line == line
        assert row.system in numbers[int(number)]
        assert row.score is not None
        items.setdefault(row.item, {})[row.system] = row.score
    assert len(items) == 18
    for item, scores in items.items():
        first, second = tuple(numbers[int(item[-1])])
        assert scores == {first: 1.0, second: 0.0}
    store.close()


def test_the_baseline_must_be_a_system(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"`baseline` must be one of A, B, C; got 'D'"):
        paired(tmp_path, systems=3, baseline="D")
    with pytest.raises(InputError, match=r"`baseline` must be left out with the protocol da"):
        CampaignSettings(baseline="A")


def test_a_plan_says_which_pairs_are_shown(tmp_path: Path) -> None:
    lines = [f"{LINE} {i}" for i in range(20)]
    texts = Corpus.build(dict.fromkeys("ABC", lines), lines)
    store = open_store(tmp_path, new=True)
    made: dict[str, Any] = {"protocol": "pairwise", "mode": "reference", "rng": 1}
    for name, baseline in (("one", "B"), ("all", None)):
        path = tmp_path / f"{name}.json"
        plan(path, systems=list("ABC"), baseline=baseline, n_max=20, scale=(0.0, 1.0))
        begin_campaign(store, texts, name, plan_path=path, **made)
        settings = CampaignSettings.from_json(store.campaign(name).settings)
        assert settings.baseline == (baseline or "")
    with pytest.raises(InputError, match=r"must be that of the plan \(B\); got 'A'"):
        begin_campaign(store, texts, "x", plan_path=tmp_path / "one.json", baseline="A", **made)
    with pytest.raises(InputError, match=r"must be that of the plan \(none: all pairs\)"):
        begin_campaign(store, texts, "x", plan_path=tmp_path / "all.json", baseline="A", **made)
    store.close()


class Chooser:
    """Chooses by how good systems are, and sees a degraded copy."""

    def __init__(self, seed: int, skips: str = "") -> None:
        self._rng, self._skips = np.random.default_rng(seed), set(skips)

    def answers(self, page: Page, settings: CampaignSettings) -> list[Answer]:
        level = {"A": 1.5, "B": 0.0, "C": 0.0}
        assert page.beside is not None
        gap = level[page.system] - level[page.beside] - 5.0 * (page.kind == "degraded")
        own, other = ("right", "left") if page.flipped else ("left", "right")
        given: list[dict[str, str]] = []
        for _ in page.lines:
            drawn = gap + self._rng.logistic()
            given.append({"choice": "tie" if abs(drawn) < 0.2 else own if drawn > 0 else other})
            if self._skips == {page.system, page.beside} and self._rng.random() < 0.2:
                given[-1] = {"skipped": "cannot_judge"}
        return read_answers(settings, given, page)


def chosen_to_the_end(
    folder: Path, *, baseline: str | None, rule: str, choosers: list[Chooser]
) -> AnyStore:
    """Return a campaign of three systems in which there is nothing left to choose."""
    lines = [f"{LINE} {i}" for i in range(140)]
    texts = Corpus.build({name: [f"{one} {name}" for one in lines] for name in "ABC"}, lines)
    store = open_store(folder, new=True)
    plan(
        folder / "ship.json", systems=list("ABC"), baseline=baseline, n_max=80, looks=2,
        scale=(0.0, 1.0), futility="none", admission={"rule": rule, "pairs": 6},
    )  # fmt: skip
    begin_campaign(
        store, texts, "ship", plan_path=folder / "ship.json", protocol="pairwise",
        mode="reference", overlap=0.0, controls=0.3, rng=1,
    )  # fmt: skip
    turn_campaign(store, "ship", "open")
    store.add_raters("ship", len(choosers))
    settings = CampaignSettings.from_json(store.campaign("ship").settings)
    maker = BlockMaker(
        store.parts("ship"), seed=1, controls=0.3, unit="word", together=True,
        baseline=settings.baseline,
    )  # fmt: skip
    raters = {f"ship/r-0{n}": chooser for n, chooser in enumerate(choosers, start=1)}
    clock = 1.0
    while any(
        isinstance(page := store.next_page(rater, maker, clock), Page)
        and store.save(
            rater, page.token, key="k", answers=chooser.answers(page, settings), now=clock
        )
        for rater, chooser in raters.items()
    ):
        clock += 1.0
        run_due_look(store, "ship", now=clock)
    return store


@pytest.mark.parametrize(
    ("baseline", "rule"),
    [
        ("B", "symmetric"),
        (None, "degraded-paired-t"),
        pytest.param("B", "degraded-paired-t", marks=pytest.mark.slow),
        pytest.param(None, "symmetric", marks=pytest.mark.slow),
    ],
)
def test_looks_compare_pairs_by_choices_between_these_two_alone(
    tmp_path: Path, baseline: str | None, rule: str
) -> None:
    store = chosen_to_the_end(
        tmp_path, baseline=baseline, rule=rule, choosers=[Chooser(1), Chooser(2)]
    )
    clock = 1e6
    first, *_ = campaign_looks(store, "ship")
    wanted = {("A", "B"), ("C", "B")} if baseline else {("B", "A"), ("C", "A"), ("C", "B")}
    assert {(one.system, one.baseline) for one in first.pairs} == wanted
    state = LedgerState.read(plan_of(store, "ship"))
    counts = ("system", "repeat")
    rows = [row for row in store.rows("ship") if row.kind in counts and row.admitted]
    work = CampaignWork.read(store, "ship", (0.0, 1.0))
    first_forty = work.first_of(dict.fromkeys(state.plan.pairs, 40))
    seen = {(unit.rater, unit.item) for unit in first_forty}
    for pair in state.entries[0]["pairs"]:
        names = {pair["system"], pair["baseline"]}
        chosen: dict[tuple[str, str], dict[str, list[float]]] = {}
        for row in rows:
            if (row.rater, row.item) in seen and row.score is not None:
                given = chosen.setdefault((row.rater, row.item), {})
                given.setdefault(row.system, []).append(row.score)
        own = [one for one in chosen.values() if set(one) == names]
        assert len(own) == pair["n_units"] == 40
        gaps = [np.mean(one[pair["system"]]) - np.mean(one[pair["baseline"]]) for one in own]
        assert pair["estimate"] == pytest.approx(np.mean(gaps), abs=1e-12)
    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    verdicts = {frozenset((one.system, one.baseline)): one.verdict for one in conclusion.pairs}
    assert verdicts[frozenset("AB")] in ("better", "worse")
    assert verdicts[frozenset("BC")] == "undecided"
    assert {one.state for one in replay_store(store, "ship")} == {"same"}
    store.close()


@pytest.mark.parametrize("baseline", ["B", None])
def test_pairs_that_differ_in_what_could_be_judged_end_where_the_plan_does(
    tmp_path: Path, baseline: str | None
) -> None:
    """A pair of which nothing was skipped waited for the others, and had more than its plan."""
    choosers = [Chooser(n, skips="AB") for n in (1, 2)]
    store = chosen_to_the_end(tmp_path, baseline=baseline, rule="symmetric", choosers=choosers)
    assert store.campaign("ship").state == "stopped"
    state = LedgerState.read(plan_of(store, "ship"))
    numbers = {pair: [look.n_units for look in looks] for pair, looks in state.history.items()}
    assert all(n in ([40], [40, 80]) for n in numbers.values()), numbers
    assert [40, 80] in numbers.values()
    conclude_campaign(store, "ship", at_once=True, now=1e6)
    assert {one.state for one in replay_store(store, "ship")} == {"same"}
    store.close()
