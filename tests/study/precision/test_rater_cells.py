"""Cells of translations and raters."""

import numpy as np

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
    first, second = cells.pairs()
    assert cells.translation[first].tolist() == cells.translation[second].tolist() == [0, 1]


def test_one_rater_throughout_makes_no_pairs() -> None:
    columns = {"system": ["A"] * 2, "item": [1, 2], "rater": ["v", "v"], "score": [1, 2]}
    first, second = rater_cells(Judgments.build(columns).cells(repeats="first")).pairs()
    assert first.size == second.size == 0
