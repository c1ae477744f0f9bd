"""From a corpus to the work of a campaign."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.data.store.open_store import open_store
from detectable.data.store.records import (
    JudgmentRow,
    NewPage,
    Page,
    Part,
    Segment,
)
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.make_campaign import (
    LINES_BEFORE,
    BlockMaker,
    Context,
    make_campaign,
)
from detectable.study.campaign.settings import CampaignSettings, checked_name
from detectable.study.campaign.work import AdmissionRule
from detectable.study.monitoring.plan import plan

LINES = [f"line {i} of the text" for i in range(40)]
DOCUMENTS = [f"doc-{i // 4}" for i in range(40)]


def corpus(**more: object) -> Corpus:
    systems = {"new": LINES, "old": LINES}
    return Corpus.build(systems, LINES, **{"sources": LINES, "documents": DOCUMENTS, **more})  # type: ignore[arg-type]


def test_all_documents_come_once_and_some_twice_later() -> None:
    made, notes = make_campaign(corpus(), "ship", CampaignSettings(overlap=0.2), rng=1)
    assert notes == ()
    first = [name for name, wave in made.works if wave == 1]
    second = [name for name, wave in made.works if wave == 2]
    assert sorted(first) == sorted(set(DOCUMENTS))
    assert first != sorted(first)
    assert len(second) == 2
    places = {work: place for place, work in enumerate(made.works)}
    for name in second:
        between = made.works[places[name, 1] : places[name, 2]]
        ahead = [work for work in made.works[places[name, 1] :] if work[1] == 1]
        assert sum(wave == 1 for _, wave in between) == min(16, len(ahead))
    assert [one.item for one in made.parts[0].segments] == ["1", "2", "3", "4"]
    assert made.settings["degrade"] == "word"
    assert (made.block, made.lease) == (4, 2700.0)


def test_a_second_wave_follows_four_blocks_later() -> None:
    """One sentence at a time: before the second wave of the first come the four after it."""
    settings = CampaignSettings(overlap=1.0, block=1)
    made, _ = make_campaign(corpus(documents=None), "a", settings, rng=1)
    order = [name for name, wave in made.works if wave == 1]
    assert made.works[:6] == [
        *((name, 1) for name in order[:5]),
        (order[0], 2),
    ]


def test_the_ends_of_shares_are_possible() -> None:
    for value in (0.0, 0.5):
        assert CampaignSettings(controls=value).controls == value
    for value in (0.0, 1.0):
        assert CampaignSettings(overlap=value).overlap == value


def test_a_page_of_one_line_is_a_sentence_of_its_document() -> None:
    settings = CampaignSettings(page_lines=1, overlap=0.0)
    made, notes = make_campaign(corpus(), "a", settings, rng=1)
    assert len(made.parts) == 40
    assert {len(part.segments) for part in made.parts} == {1}
    assert {part.document for part in made.parts} == set(DOCUMENTS)
    assert made.parts[1].name == "doc-0 (2 of 4)"
    assert notes[0].startswith("10 documents longer than 1 line or 6,000 characters")
    order = [name for name, _ in made.works]
    assert order[1] == order[0].replace("(1 of 4)", "(2 of 4)")  # one after the other
    made, _ = make_campaign(corpus(), "a", CampaignSettings(page_lines=3), rng=1)
    assert {len(part.segments) for part in made.parts} == {2}


def test_sentences_come_in_blocks_of_ten(tmp_path: Path) -> None:
    store = open_store(tmp_path, new=True)
    for name, n, usual in (("two", 2, (4, 0.12)), ("one", 1, (10, 0.3))):
        begin_campaign(store, corpus(), name, rng=1, page_lines=n)
        kept = store.campaign(name).settings
        assert (kept["block"], kept["controls"]) == usual
    store.close()


def test_the_seed_decides_the_order() -> None:
    settings = CampaignSettings()
    one, again = (make_campaign(corpus(), "a", settings, rng=3)[0] for _ in range(2))
    assert one == again
    assert one.works != make_campaign(corpus(), "a", settings, rng=4)[0].works


def test_sentences_are_parts_where_no_documents_are_known() -> None:
    made, _ = make_campaign(corpus(documents=None), "a", CampaignSettings(overlap=0.0), rng=1)
    assert len(made.parts) == 40
    assert made.parts[0].document is None
    assert made.parts[2].segments[0].item == "3"


def test_long_documents_are_cut_by_lines_and_by_letters() -> None:
    long = Corpus.build(
        {"new": ["x"] * 70, "old": ["x"] * 70},
        ["x"] * 70,
        sources=["x"] * 70,
        documents=["d"] * 70,
    )
    made, notes = make_campaign(long, "a", CampaignSettings(overlap=0.5), rng=1)
    assert [len(part.segments) for part in made.parts] == [24, 23, 23]
    assert [part.name for part in made.parts] == [f"d ({i} of 3)" for i in (1, 2, 3)]
    assert {part.document for part in made.parts} == {"d"}
    assert "1 document longer than 30 lines or 6,000 characters cut into parts (d)" in notes[0]
    assert len(made.works) == 6  # all parts of a document are judged twice, or none
    wide = Corpus.build(
        {"new": ["y" * 2500] * 4, "old": ["x"] * 4},
        ["x"] * 4,
        sources=["x"] * 4,
        documents=["d"] * 4,
    )
    made, _ = make_campaign(wide, "a", CampaignSettings(), rng=1)
    assert [len(part.segments) for part in made.parts] == [2, 2]


def test_a_sample_is_of_whole_documents() -> None:
    made, notes = make_campaign(corpus(), "a", CampaignSettings(overlap=0.0), n_items=10, rng=1)
    assert len(made.parts) == 3
    assert "12 of 40 lines were drawn" in notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"controls": 0.6}, "`controls` must lie between 0 and 0.5"),
        ({"overlap": 1.5}, "`overlap` must lie between 0 and 1"),
        ({"block": 0}, "`block` must be"),
        ({"lease_minutes": 0.0}, "`lease_minutes` must be"),
        ({"source_language": "e n"}, "`source_language` must be a language tag"),
        ({"protocol": "guess"}, "`protocol` must be"),
        ({"mode": "none"}, "`mode` must be"),
    ],
)
def test_impossible_settings_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(CampaignSettings(), **change)  # type: ignore[arg-type]


def test_what_cannot_be_a_campaign_is_refused() -> None:
    with pytest.raises(InputError, match="`systems` must be two at least; got 1"):
        make_campaign(corpus(), "a", CampaignSettings(), systems=["new"])
    with pytest.raises(
        InputError, match='`mode` must be "reference" or "alone" for texts without sources'
    ):
        make_campaign(corpus(sources=None), "a", CampaignSettings())
    make_campaign(corpus(sources=None), "a", CampaignSettings(mode="reference"))
    broken = ["doc\nx"] * 40
    with pytest.raises(DataError, match="with a line break"):
        make_campaign(corpus(documents=broken), "a", CampaignSettings())
    for name in ("Ship", "a b", "", "-a", "a" * 61, "a/b"):
        with pytest.raises(InputError, match="`name` must be made of small letters"):
            checked_name(name)
    assert checked_name("ship-2026") == "ship-2026"


@pytest.mark.parametrize("where", ["sources", "references", "systems"])
def test_a_null_character_is_refused_before_anything_is_made(where: str) -> None:
    """PostgreSQL does not keep it: nobody should learn that from a campaign half made."""
    odd = [*LINES[:6], "a\0b", *LINES[7:]]
    given = {"sources": LINES, "references": LINES, "systems": LINES, where: odd}
    texts = Corpus.build(
        {"new": given["systems"], "old": LINES}, given["references"], sources=given["sources"]
    )
    with pytest.raises(DataError, match=r"line 7: a text holds a null character"):
        make_campaign(texts, "ship", CampaignSettings(), rng=1)


def test_settings_come_back_from_the_store() -> None:
    settings = CampaignSettings(target_language="he", overlap=0.2)
    assert CampaignSettings.from_json(settings.to_json()) == settings
    with pytest.raises(DataError, match=r"does not know \(colour\)"):
        CampaignSettings.from_json({**settings.to_json(), "colour": "red"})
    assert settings.scale == (0.0, 100.0)


# --- Blocks: blind, balanced, far apart, and the same for the same rater ---

SYSTEMS = ("A", "B", "C")


def parts(n: int = 12, lines: int = 3) -> list[Part]:
    words = [f"w{i}" for i in range(200)]
    rng = np.random.default_rng(1)

    def text() -> str:
        return " ".join(rng.choice(words, 12))

    return [
        Part(
            name=f"d{i}",
            document=f"d{i}",
            segments=tuple(
                Segment(
                    item=f"{i}-{j}",
                    source=text(),
                    reference=text(),
                    outputs={name: text() for name in SYSTEMS},
                )
                for j in range(lines)
            ),
        )
        for i in range(n)
    ]


TEXTS, SINGLE = parts(), parts(lines=1)
BLOCK = ["d3", "d7", "d1", "d4"]


def maker(controls: float = 0.25, seed: int = 5) -> BlockMaker:
    return BlockMaker(SINGLE, seed=seed, controls=controls, unit="word")


def test_every_system_of_every_part_is_there_once() -> None:
    pages = maker(0.0)("r-01", 1, BLOCK, SYSTEMS)
    assert all(page.kind == "system" and page.lines is None for page in pages)
    assert Counter((page.part, page.system) for page in pages) == {
        (part, name): 1 for part in BLOCK for name in SYSTEMS
    }


def test_two_versions_of_a_part_stand_half_a_round_apart_in_an_order_drawn_anew() -> None:
    orders = set()
    for block in range(1, 30):
        pages = maker(0.0)("r-01", block, BLOCK, SYSTEMS)
        shown = [page.part for page in pages]
        for part in BLOCK:
            places = [place for place, one in enumerate(shown) if one == part]
            assert min(np.diff(places)) >= 2
        rounds = [tuple(shown[start : start + 4]) for start in (0, 4, 8)]
        assert all(sorted(one) == sorted(BLOCK) for one in rounds)
        orders.add(len(set(rounds)))
    assert orders == {2, 3} or orders == {3}


def test_systems_take_every_turn_equally_often() -> None:
    """Four parts, three systems: a system comes first once, or twice for one of them."""
    for block in range(1, 30):
        pages = maker(0.0)("r-01", block, BLOCK, SYSTEMS)
        for turn in range(3):
            shown = Counter(page.system for page in pages[4 * turn : 4 * turn + 4])
            assert sorted(shown.values()) in ([1, 1, 2], [2, 1, 1])
            assert set(shown) == set(SYSTEMS)


def test_texts_come_as_they_are_asked_for_and_phrases_from_the_first() -> None:
    """With the same phrases, blocks are the same, whether all texts are at hand or not."""
    asked = []

    def texts(names: Sequence[str]) -> list[Part]:
        asked.append(sorted(names))
        return [part for part in SINGLE if part.name in names]

    settings: dict[str, Any] = {"seed": 5, "controls": 0.25, "unit": "word"}
    lazy = BlockMaker(SINGLE, texts=texts, **settings)
    assert lazy("r-01", 1, BLOCK, SYSTEMS) == maker()("r-01", 1, BLOCK, SYSTEMS)
    assert asked == [sorted(BLOCK)]
    few = BlockMaker(SINGLE[:2], texts=texts, **settings)
    pages = few("r-01", 1, BLOCK, SYSTEMS)  # of parts whose lines phrases are not drawn from
    assert len(pages) == 16
    plain = {(part.name, one.reference) for part in SINGLE for one in part.segments}
    for control in controls_of(pages):
        assert control.lines is not None
        if control.kind == "reference":
            assert {(control.part, text) for _, text in control.lines} <= plain


def controls_of(pages: list[NewPage]) -> list[NewPage]:
    return [page for page in pages if page.kind != "system"]


def test_a_quarter_of_the_pages_are_controls_of_the_same_block() -> None:
    pages = maker(0.25)("r-01", 1, BLOCK, SYSTEMS)
    controls = controls_of(pages)
    assert len(pages) == 16
    assert sorted(page.kind for page in controls) == [
        "degraded",
        "degraded",
        "reference",
        "repeat",
    ]
    assert len({(page.part, page.system) for page in controls}) == 4
    texts = {part.name: part for part in SINGLE}
    for page in controls:
        assert page.lines is not None
        for (kind, text), segment in zip(page.lines, texts[page.part].segments, strict=True):
            original = segment.outputs[page.system]
            assert kind == page.kind
            assert (text == original) == (kind == "repeat")
            assert (text == segment.reference) == (kind == "reference")


def test_a_control_stands_anywhere_among_the_versions_of_its_part() -> None:
    """Each of four places equally often, and before its original as often as after it."""
    places, before = Counter[int](), 0
    n = 600
    for block in range(1, n + 1):
        pages = maker(0.08)("r-02", block, BLOCK, SYSTEMS)  # one degraded copy
        (copy,) = controls_of(pages)
        versions = [page for page in pages if page.part == copy.part]
        assert len(versions) == 4
        places[versions.index(copy)] += 1
        original = next(p for p in versions if p.kind == "system" and p.system == copy.system)
        before += versions.index(copy) < versions.index(original)
    # Standard errors of the counts: √(600 · 1/4 · 3/4) = 10.6 and √(600 / 4) = 12.2
    assert all(abs(places[place] - n / 4) < 4 * 10.6 for place in range(4))
    assert abs(before - n / 2) < 4 * 12.2


# What a bot can go by that never reads: when a source came before, and how far away. Each says how
# suspicious the pages are; the bot gives those most suspicious the lowest scores.
def _beside(shown: list[str], place: int) -> float:
    return float(
        shown[place] in (*shown[max(place - 1, 0) : place], *shown[place + 1 : place + 2])
    )


def _nearest(shown: list[str], place: int) -> float:
    gaps = [abs(place - i) for i, one in enumerate(shown) if one == shown[place] and i != place]
    return -min(gaps, default=99)


def _half(shown: list[str], place: int) -> float:
    away = [i for i, one in enumerate(shown) if one == shown[place] and i != place]
    return -min((abs(abs(place - i) - len(shown) // 2) for i in away), default=99)


def _once_more(shown: list[str], place: int) -> float:
    usual = min(Counter(shown).values())
    return float(shown[: place + 1].count(shown[place]) > usual)


def _late(shown: list[str], place: int) -> float:
    return place / len(shown)


Bot = Callable[[list[str], int], float]
BOTS: tuple[Bot, ...] = (_beside, _nearest, _half, _once_more, _late)


def _rows(
    pages: Sequence[NewPage], scores: Sequence[FloatArray], block: int
) -> list[JudgmentRow]:
    """Return what a rater gave the pages of a block, as a store has it."""
    return [
        JudgmentRow(
            item=f"{block}-{page.part}-{line}",
            document="one for all",  # its parts are pages of their own
            part=page.part,
            system=page.system,
            kind="system" if page.lines is None else page.lines[line][0],
            rater="r",
            block=block,
            wave=1,
            score=float(score),
            extra=None,
            seconds=None,
            saved=0.0,
            work=10 * block + BLOCK.index(page.part),
            epoch=1,
            orphan=False,
            done_at=float(block),
            admitted=None,
            page=f"{block}-{place}",
        )
        for place, (page, given) in enumerate(zip(pages, scores, strict=True))
        for line, score in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("rule", "systems", "lines"),
    [
        ("degraded-paired-t", ("A", "B"), 1),  # pages that tell nothing but where they stand
        ("degraded-paired-t", ("A", "B"), 3),
        *(
            pytest.param(rule, systems, lines, marks=pytest.mark.slow)
            for rule, systems, lines in (
                ("symmetric", ("A", "B"), 3),
                ("degraded-paired-t", SYSTEMS, 1),
                ("symmetric", ("A", "B"), 1),
                ("symmetric", SYSTEMS, 1),
                *product(("degraded-paired-t", "symmetric"), (("A", "B"), SYSTEMS), (2, 10)),
            )
        ),
    ],
)
def test_who_goes_by_the_order_of_pages_passes_no_check(
    rule: Any, systems: tuple[str, ...], lines: int, tmp_path: Path
) -> None:
    """60 raters: 5 % of random clickers pass, with an error of .028.

    The lines of a page get nearly one score, so that a page guessed right is all its lines won.
    """
    made = BlockMaker(
        parts(lines=lines), seed=5, controls=0.12 if lines > 1 else 0.3, unit="word"
    )
    frozen = plan(
        tmp_path / "p.json", systems=("A", "B"), n_max=20, scale=(-1e3, 1e3), admission=rule
    )
    decide, rng = AdmissionRule(frozen, mixed=lines > 1), np.random.default_rng(3)
    passed, n = Counter[str](), 60
    for rater in range(n):
        blocks = [made(f"r-{rater}", block, BLOCK, systems) for block in range(1, 11)]
        for bot in BOTS:
            rows = []
            for block, pages in enumerate(blocks, start=1):
                shown = [page.part for page in pages]
                rows += _rows(
                    pages,
                    [
                        -5.0 * bot(shown, i) + rng.normal(0.0, 1.0, lines)
                        for i in range(len(pages))
                    ],
                    block,
                )
            passed[bot.__name__] += decide(rows, ending=False)[0].admitted
    assert max(passed.values()) / n <= 0.05 + 3 * 0.028, passed


def test_who_reads_passes_the_check_of_mixed_copies(tmp_path: Path) -> None:
    made = BlockMaker(TEXTS, seed=5, controls=0.12, unit="word")
    frozen = plan(
        tmp_path / "p.json",
        systems=("A", "B"),
        n_max=20,
        scale=(-1e3, 1e3),
        admission="degraded-paired-t",
    )
    rng, found = np.random.default_rng(3), []
    for rater in range(40):
        rows = []
        for block in range(1, 11):
            pages = made(f"r-{rater}", block, BLOCK, ("A", "B"))
            kinds = [[one for one, _ in page.lines or [("system", "")] * 3] for page in pages]
            # Degraded lines fall by 20, and all scores vary by 10.
            falls = [np.array([20.0 * (one == "degraded") for one in own]) for own in kinds]
            rows += _rows(
                pages, [60.0 - fall + rng.normal(0.0, 10.0, 3) for fall in falls], block
            )
        found += AdmissionRule(frozen, mixed=True)(rows, ending=False)
    # The power of 10 pairs with a standardised effect of 1 is .898; its standard error .048.
    assert sum(one.admitted for one in found) / 40 > 0.898 - 3 * 0.048
    assert [one.n_pairs for one in found] == [10] * 40  # one line of three, with two beside it


def test_copies_of_several_lines_are_mixed_at_random() -> None:
    texts, places = parts(lines=5), Counter[int]()
    made = BlockMaker(texts, seed=5, controls=0.25, unit="word")
    for block in range(1, 101):
        controls = controls_of(made("r-01", block, BLOCK, SYSTEMS))
        assert len(controls) == 4
        for page in controls:
            assert page.kind == "degraded"
            assert page.lines is not None
            kinds = [kind for kind, _ in page.lines]
            assert kinds.count("degraded") == 2
            assert sorted((kinds.count("repeat"), kinds.count("reference"))) == [1, 2]
            places.update(i for i, kind in enumerate(kinds) if kind == "degraded")
    # 160 at each place; the standard error of a count is √(400 · 2/5 · 3/5) = 9.8
    assert all(abs(places[i] - 160) < 4 * 9.8 for i in range(5))


def test_campaigns_of_before_have_copies_of_one_kind() -> None:
    old = BlockMaker(TEXTS, seed=5, controls=0.25, unit="word", mixed=False)
    for page in controls_of(old("r-01", 1, BLOCK, SYSTEMS)):
        assert page.lines is not None
        assert {kind for kind, _ in page.lines} == {page.kind}
    assert not CampaignSettings.from_json({"protocol": "da"}).mixed_controls
    several, _ = make_campaign(corpus(), "a", CampaignSettings(), rng=1)
    single, _ = make_campaign(corpus(), "a", CampaignSettings(page_lines=1), rng=1)
    assert (several.settings["mixed_controls"], single.settings["mixed_controls"]) == (
        True,
        False,
    )


def degraded_systems(controls: float, n_blocks: int, rater: str = "r-01") -> list[str]:
    made = maker(controls)
    found = []
    for block in range(1, n_blocks + 1):
        pages = made(rater, block, BLOCK, SYSTEMS)
        found += sorted(page.system for page in pages if page.kind == "degraded")
    return found


def test_degraded_copies_are_of_each_system_in_turn() -> None:
    """Of six blocks with two copies each, every system has four; of any three blocks, two."""
    found = degraded_systems(0.25, 6)
    assert Counter(found) == {"A": 4, "B": 4, "C": 4}
    for start in range(0, 12, 3):
        one_more = Counter(found[: start + 3])
        assert max(one_more.values()) - min(one_more.values()) <= 1


def test_which_system_is_degraded_first_is_random_over_raters() -> None:
    firsts = Counter(
        next(
            page.system
            for page in maker(0.08)(f"r-{i}", 1, BLOCK, SYSTEMS)
            if page.kind == "degraded"
        )
        for i in range(300)
    )
    # 100 each; the standard error of a count is √(300 · 1/3 · 2/3) = 8.2
    assert all(abs(firsts[name] - 100) < 4 * 8.2 for name in SYSTEMS)


def test_a_small_share_of_controls_is_one_degraded_copy() -> None:
    assert [page.kind for page in controls_of(maker(0.01)("r", 1, BLOCK, SYSTEMS))] == [
        "degraded"
    ]


def test_a_block_is_the_same_whoever_asks_for_it() -> None:
    first, again = maker(), maker()
    assert first("r-01", 3, BLOCK, SYSTEMS) == again("r-01", 3, BLOCK, SYSTEMS)
    assert first("r-01", 3, BLOCK, SYSTEMS) != first("r-01", 4, BLOCK, SYSTEMS)
    assert first("r-01", 3, BLOCK, SYSTEMS) != first("r-02", 3, BLOCK, SYSTEMS)
    assert first("r-01", 3, BLOCK, SYSTEMS) != maker(seed=6)("r-01", 3, BLOCK, SYSTEMS)


def test_later_blocks_show_the_systems_that_are_still_needed() -> None:
    pages = maker(0.25)("r-01", 2, BLOCK, ("A", "C"))
    assert {page.system for page in pages} == {"A", "C"}


@pytest.mark.parametrize("parts_given", [["d1"], ["d1", "d2"]])
def test_the_last_small_block_is_whole(parts_given: list[str]) -> None:
    pages = maker(0.3)("r-01", 9, parts_given, SYSTEMS)
    shown = [(page.part, page.system) for page in pages if page.kind == "system"]
    assert sorted(shown) == [(part, name) for part in parts_given for name in SYSTEMS]


def test_what_cannot_be_degraded_is_repeated() -> None:
    same = [
        Part(
            name="d",
            document=None,
            segments=(
                Segment(item="1", source=None, reference="", outputs={"A": "x", "B": "y"}),
            ),
        )
    ]
    pages = BlockMaker(same, seed=1, controls=0.3, unit="word")("r", 1, ["d"], ["A", "B"])
    (control,) = controls_of(pages)
    assert control.kind == "repeat"


# --- What precedes a page: three lines at most, of its own document and its own system ---


def part(name: str, document: str | None, *items: str) -> Part:
    return Part(
        name=name,
        document=document,
        segments=tuple(
            Segment(
                item=item,
                source=f"source {item}",
                reference=f"reference {item}",
                outputs={"new": f"new {item}", "old": f"old {item}"},
            )
            for item in items
        ),
    )


PARTS = [
    part("d (1 of 3)", "d", "1", "2"),
    part("d (2 of 3)", "d", "3", "4"),
    part("e", "e", "9"),
    part("d (3 of 3)", "d", "5"),
    part("s", None, "6"),
    part("t", None, "7"),
]


def page(name: str, system: str = "new", beside: str | None = None) -> Page:
    return Page(
        token="x",
        part=name,
        system=system,
        kind="system",
        lines=(),
        block=1,
        place=1,
        n_pages=1,
        beside=beside,
    )


def before(name: str) -> list[str]:
    return [line.item for line in Context(PARTS).of(page(name))]


def test_the_lines_before_are_three_at_most_and_of_the_same_document() -> None:
    assert LINES_BEFORE == 3
    assert before("d (1 of 3)") == []
    assert before("d (2 of 3)") == ["1", "2"]
    assert before("d (3 of 3)") == ["2", "3", "4"]  # two parts back, in their order
    assert before("e") == []  # another document
    assert before("s") == before("t") == []  # sentences that belong to none


def test_the_lines_before_are_of_the_same_system() -> None:
    (line, _) = Context(PARTS).of(page("d (2 of 3)", "old"))
    assert (line.source, line.reference, line.text) == ("source 1", "reference 1", "old 1")
    assert line.other is None
    (line, _) = Context(PARTS).of(page("d (2 of 3)", "old", beside="new"))
    assert (line.text, line.other) == ("old 1", "new 1")
