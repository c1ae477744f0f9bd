"""Archives of comparisons made from judgments."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.study.archive.comparison_archive import ComparisonArchive

COLUMNS: dict[str, list[Any]] = {
    "campaign": ["x", "x", "x", "x", "x", "x", "x", "y", "y"],
    "system": ["A", "A", "B", "A", "B", "A", "B", "A", "B"],
    "item": [1, 1, 1, 2, 2, 3, 4, 1, 1],
    "rater": ["v"] * 9,
    "score": [10, 20, 12, 5, 7, 9, 1, 60, 50],
}


def test_matches_are_within_raters_and_repeats_are_averaged() -> None:
    archive = ComparisonArchive.from_judgments(Judgments.build(COLUMNS, repeated="mark"))
    assert archive.values.tolist() == [-2.0, 3.0]
    assert (archive.paired, archive.names) == (True, ("x: A – B",))
    assert archive.notes == (
        "1 pair of systems with fewer than two matches left out.",
        "Up to 2 judgments of a pair without a partner on the same item and by the same rater "
        "left out.",
    )


def test_unpaired_all_judgments_of_a_system_count() -> None:
    rng = np.random.default_rng(2)
    rows = [
        (c, s, i, int(rng.integers(0, 101)))
        for c, systems in (("x", "abc"), ("y", "ab"))
        for i in range(9)
        for s in systems
        if rng.random() < 0.8
    ]
    names = ("campaign", "system", "item", "score")
    table = Judgments.build(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    archive = ComparisonArchive.from_judgments(table, paired=False)
    expected = []
    for campaign, systems in (("x", "abc"), ("y", "ab")):
        scores = {s: [r[3] for r in rows if r[:2] == (campaign, s)] for s in systems}
        order = [s for s in table.system.levels if s in scores]
        expected += [np.mean(scores[a]) - np.mean(scores[b]) for a, b in combinations(order, 2)]
    assert archive.differences == pytest.approx(expected)
    assert archive.second is not None
    assert archive.first.sum() + archive.second.sum() == sum(
        (len("abc") if r[0] == "x" else len("ab")) - 1 for r in rows
    )


def test_nothing_to_compare() -> None:
    alone = Judgments.build(
        {name: values[:2] for name, values in COLUMNS.items()}, repeated="mark"
    )
    for paired in (True, False):
        with pytest.raises(DataError, match="no two systems of one campaign have judgments"):
            ComparisonArchive.from_judgments(alone, paired=paired)
