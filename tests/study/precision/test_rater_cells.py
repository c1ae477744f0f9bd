"""Cells of translations and raters."""

import numpy as np
import pytest

from detectable.data.factor import Factor, factor
from detectable.data.human.judgments import Judgments
from detectable.study.precision.rater_cells import combined_codes, rater_cells


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    together = {(int(a), int(b)) for a, b in zip(one, other, strict=True)}
    return len(together) == len(set(one.tolist())) == len(set(other.tolist()))


def test_combinations_are_told_apart_also_where_their_key_is_too_long() -> None:
    rng = np.random.default_rng(1)
    columns = [factor("a", rng.integers(0, 9, 200)) for _ in range(3)]
    want = np.array(
        [9 * (9 * a + b) + c for a, b, c in zip(*(x.codes for x in columns), strict=True)]
    )
    assert same_partition(combined_codes(*columns), want)
    # Levels that are never used make a key of 2**66.
    wide = [
        Factor(name="a", levels=tuple(str(i) for i in range(1 << 11)), codes=x.codes)
        for x in columns
    ]
    assert same_partition(combined_codes(*wide, *wide), want)


def test_a_translation_belongs_to_its_campaign_and_language() -> None:
    columns = {
        "system": ["A"] * 4,
        "item": [1, 1, 1, 1],
        "rater": ["v", "w", "v", "w"],
        "language": ["de", "de", "cs", "cs"],
        "campaign": ["x", "x", "x", "x"],
        "score": [1, 2, 3, 4],
    }
    judgments = Judgments.build(columns)
    cells = rater_cells(judgments.cells())
    assert cells.translation[cells.cell].tolist() == [0, 0, 1, 1]
    assert cells.size.tolist() == [2, 2]
    ((first, second),) = cells.pairs()
    assert cells.translation[first].tolist() == cells.translation[second].tolist() == [0, 1]


def test_one_rater_throughout_makes_no_pairs() -> None:
    columns = {"system": ["A"] * 2, "item": [1, 2], "rater": ["v", "v"], "score": [1, 2]}
    cells = rater_cells(Judgments.build(columns).cells(repeats="first"))
    assert sum(first.size + second.size for first, second in cells.pairs()) == 0


def test_pairs_come_in_blocks_of_whole_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    chosen = [(item, rater) for item in range(30) for rater in range(20) if rng.random() < 0.6]
    columns = {
        "system": ["A"] * len(chosen),
        "item": [item for item, _ in chosen],
        "rater": [f"r{rater:02d}" for _, rater in chosen],
        "score": rng.normal(50.0, 9.0, len(chosen)),
    }
    cells = rater_cells(Judgments.build(columns).cells())
    ((first, second),) = cells.pairs()
    # As they were found before: the nearest cells first.
    near = [
        (here, here + lag)
        for lag in range(1, int(cells.size.max()))
        for here in np.flatnonzero(cells.translation[lag:] == cells.translation[:-lag]).tolist()
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == near
    monkeypatch.setattr("detectable.study.precision.rater_cells._PAIRS", 200)
    blocks = list(cells.pairs())
    assert len(blocks) > 5
    raters = [set(cells.rater[one].tolist()) for one, _ in blocks]
    assert sum(map(len, raters)) == len(set().union(*raters))
    order = {pair: place for place, pair in enumerate(near)}
    for one, other in blocks:
        places = [order[pair] for pair in zip(one.tolist(), other.tolist(), strict=True)]
        assert places == sorted(places)  # so that sums are added up in the same order
    assert sum(one.size for one, _ in blocks) == len(near)
