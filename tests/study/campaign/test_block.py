"""Blocks: blind, balanced, far apart, and the same for the same rater."""

from collections import Counter

import numpy as np
import pytest

from detectable.data.store.records import NewPage, Part, Segment
from detectable.study.campaign.make_campaign import BlockMaker

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


TEXTS = parts()
BLOCK = ["d3", "d7", "d1", "d4"]


def maker(controls: float = 0.25, seed: int = 5) -> BlockMaker:
    return BlockMaker(TEXTS, seed=seed, controls=controls, unit="word")


def test_every_system_of_every_part_is_there_once() -> None:
    pages = maker(0.0)("r-01", 1, BLOCK, SYSTEMS)
    assert all(page.kind == "system" and page.lines is None for page in pages)
    assert Counter((page.part, page.system) for page in pages) == {
        (part, name): 1 for part in BLOCK for name in SYSTEMS
    }


def test_two_versions_of_a_part_stand_a_whole_round_apart() -> None:
    pages = maker(0.0)("r-01", 1, BLOCK, SYSTEMS)
    for part in BLOCK:
        places = [place for place, page in enumerate(pages) if page.part == part]
        assert np.diff(places).tolist() == [4, 4]


def test_systems_take_every_turn_equally_often() -> None:
    """Four parts, three systems: a system comes first once, or twice for one of them."""
    for block in range(1, 30):
        pages = maker(0.0)("r-01", block, BLOCK, SYSTEMS)
        for turn in range(3):
            shown = Counter(page.system for page in pages[4 * turn : 4 * turn + 4])
            assert sorted(shown.values()) in ([1, 1, 2], [2, 1, 1])
            assert set(shown) == set(SYSTEMS)


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
    texts = {part.name: part for part in TEXTS}
    for page in controls:
        assert page.lines is not None
        for (kind, text), segment in zip(page.lines, texts[page.part].segments, strict=True):
            original = segment.outputs[page.system]
            assert kind == page.kind
            assert (text == original) == (kind == "repeat")
            assert (text == segment.reference) == (kind == "reference")


def test_a_control_stands_half_a_block_from_its_original() -> None:
    for block in range(1, 20):
        pages = maker(0.25)("r-02", block, BLOCK, SYSTEMS)
        for place, page in enumerate(pages):
            if page.kind != "system":
                original = next(
                    i
                    for i, one in enumerate(pages)
                    if (one.kind, one.part, one.system) == ("system", page.part, page.system)
                )
                assert abs(place - original) >= 6


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
