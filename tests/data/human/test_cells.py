"""Cells, matched pairs and units: against plain loops over the rows."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.factor import factor
from detectable.data.human import cells as cell_module
from detectable.data.human.cells import Cells, ordinary
from detectable.data.human.judgments import Judgments

Key = tuple[str, str, str, str]  # campaign, item, rater, system
Row = tuple[str, str, str, str, str, float]  # the same, kind, score

ROWS = st.lists(
    st.tuples(
        st.sampled_from("xy"),
        st.sampled_from("1234"),
        st.sampled_from(["ann", "bob", "cho"]),
        st.sampled_from("ABC"),
        st.sampled_from(["system", "system", "system", "repeat", "degraded", "reference"]),
        st.integers(20, 1000).map(lambda score: score / 10),
    ),
    min_size=1,
    max_size=60,
).filter(lambda rows: any(row[4] in ("system", "repeat") for row in rows))


def build(rows: list[Row], *, raters: bool = True) -> Judgments:
    campaign, item, rater, system, kind, score = map(list, zip(*rows, strict=True))
    columns: dict[str, list[Any]] = {
        "campaign": campaign,
        "item": item,
        "system": system,
        "kind": kind,
        "score": score,
        "document": [f"d{int(name) // 2}" for name in item],
    }
    if raters:
        columns["rater"] = rater
    return Judgments.build(columns, repeated="mark")


def order(rows: list[Row], column: int) -> dict[str, int]:
    """Return the place of every name: where it first appears.

    A campaign is named together with its language, once only the rows that count are left.
    """
    if column == 0:
        rows = [row for row in rows if row[4] in ("system", "repeat")]
    names = dict.fromkeys(str(row[column]) for row in rows)
    return {name: place for place, name in enumerate(names)}


def by_loop(rows: list[Row], *, raters: bool = True) -> dict[Key, list[float]]:
    """Return the scores of every cell, sorted as cells are."""
    found: dict[Key, list[float]] = defaultdict(list)
    for campaign, item, rater, system, kind, score in rows:
        if kind in ("system", "repeat"):
            found[campaign, item, rater if raters else "", system].append(score)
    places = [order(rows, column) for column in range(4)]
    if not raters:
        places[2] = {"": 0}

    def place(key: Key) -> list[int]:
        return [one[name] for one, name in zip(places, key, strict=True)]

    return {key: found[key] for key in sorted(found, key=place)}


def keys(cells: Cells) -> list[Key]:
    raters = [""] * cells.n_cells
    if cells.rater is not None and cells.raters is not None:
        raters = [cells.raters[code] for code in cells.rater.tolist()]
    return [
        (cells.campaigns[c], cells.items[i], r, cells.systems[s])
        for c, i, r, s in zip(
            cells.campaign.tolist(),
            cells.item.tolist(),
            raters,
            cells.system.tolist(),
            strict=True,
        )
    ]


@given(ROWS, st.booleans())
def test_cells_are_those_of_a_loop(rows: list[Row], raters: bool) -> None:
    found, expected = build(rows, raters=raters).cells(), by_loop(rows, raters=raters)
    assert keys(found) == list(expected)
    assert found.n.tolist() == [len(scores) for scores in expected.values()]
    assert found.mean.tolist() == [sum(s) / len(s) for s in expected.values()]
    first = found.judgments.cells(repeats="first")
    assert first.mean.tolist() == [scores[0] for scores in expected.values()]
    assert first.n.tolist() == [1] * len(expected)
    assert found.judgments.score[found.row].tolist() == first.mean.tolist()
    left = sum(kind in ("degraded", "reference") for *_, kind, _ in rows)
    assert len(found.notes) == bool(left)
    assert all(f"{left} judgment" in note for note in found.notes)


@given(ROWS, st.booleans())
def test_the_judgments_of_a_cell_can_be_found(rows: list[Row], raters: bool) -> None:
    found = build(rows, raters=raters).cells()
    spans = zip(found.starts[:-1], found.starts[1:], strict=True)
    scores = [found.judgments.score[found.rows[low:high]].tolist() for low, high in spans]
    assert scores == list(by_loop(rows, raters=raters).values())


def units_by_loop(
    rows: list[Row], pairs: list[tuple[str, str]] | None = None, *, raters: bool = True
) -> dict[tuple[str, str, str], dict[str, list[float]]]:
    """Return, for each campaign and pair, the differences of every item's raters."""
    cells = by_loop(rows, raters=raters)
    means = {key: sum(scores) / len(scores) for key, scores in cells.items()}
    found: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    systems = [name for name in order(rows, 3) if any(key[3] == name for key in cells)]
    campaigns = [name for name in order(rows, 0) if any(key[0] == name for key in cells)]
    for campaign in campaigns:
        here = {key[3] for key in cells if key[0] == campaign}
        for a, b in pairs or combinations([s for s in systems if s in here], 2):
            if not {a, b} <= here:
                continue
            items: dict[str, list[float]] = defaultdict(list)
            for own, item, rater, system in cells:
                if (own, system) == (campaign, a) and (own, item, rater, b) in means:
                    d = means[own, item, rater, a] - means[own, item, rater, b]
                    items[item].append(d)
            found[campaign, a, b] = items
    return found


@given(ROWS, st.booleans())
def test_matched_pairs_and_units_are_those_of_a_loop(rows: list[Row], raters: bool) -> None:
    cells = build(rows, raters=raters).cells()
    check_against_loop(cells, units_by_loop(rows, raters=raters))


@given(ROWS, st.permutations(["A", "B", "C"]))
def test_chosen_pairs_come_in_their_order(rows: list[Row], names: list[str]) -> None:
    cells = build(rows).cells()
    pairs = [(names[0], names[1]), (names[2], names[1])]
    if not set(names) <= set(cells.systems):
        with pytest.raises(DataError, match="there is no judgment of the system"):
            cells.matched(pairs)
        return
    check_against_loop(cells, units_by_loop(rows, pairs), pairs)


@given(ROWS)
def test_within_items_all_judgments_count_alike(rows: list[Row]) -> None:
    cells = build(rows).cells()
    expected = units_by_loop(rows, raters=False)
    found = cells.matched(within="item").units("item")
    assert found.d == pytest.approx(
        [d for items in expected.values() for (d,) in items.values()], abs=1e-12
    )
    whole = cells.without_raters()
    assert (whole.rater, whole.raters) == (None, None)
    assert whole.n.sum() == cells.n.sum()


def check_against_loop(
    cells: Cells,
    expected: dict[tuple[str, str, str], dict[str, list[float]]],
    pairs: list[tuple[str, str]] | None = None,
) -> None:
    matched = cells.matched(pairs)
    campaigns = [cells.campaigns[code] for code in matched.campaign.tolist()]
    named = [(c, *matched.names(p)) for p, c in enumerate(campaigns)]
    assert named == list(expected)
    units, documents = matched.units("item"), matched.units("document")
    for p, items in enumerate(expected.values()):
        part = slice(units.starts[p], units.starts[p + 1])
        assert [cells.items[i] for i in units.item[part]] == list(items)
        means = [sum(d) / len(d) for d in items.values()]
        assert units.d[part].tolist() == means  # the same additions in the same order
        if means:
            assert units.mean(p) == pytest.approx(np.mean(means), abs=1e-12)
        else:
            assert np.isnan(units.mean(p))
        assert [documents.clusters[c] for c in documents.cluster[part]] == [
            f"d{int(item) // 2}" for item in items
        ]
        if matched.rater is not None:
            by_rater = matched.units("rater")
            span = slice(by_rater.starts[p], by_rater.starts[p + 1])
            assert by_rater.d[span].tolist() == [d for one in items.values() for d in one]
        own = [(c == campaigns[p]) & (s in named[p][1:]) for c, _, _, s in keys(cells)]
        assert matched.n_judgments[p] + matched.unmatched[p] == cells.n[own].sum()
    table = units.table()
    assert np.isfinite(table).sum(axis=0).tolist() == np.diff(units.starts).tolist()


@given(ROWS)
def test_sorting_by_columns_gives_the_same(rows: list[Row]) -> None:
    plain = build(rows).cells()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_module, "_LARGEST", 0.0)
        patch.setattr("detectable.data.human.cells._LARGE", 0)
        other = build(rows).cells()
        pairs = plain.matched(), other.matched()
    assert (plain.rows == other.rows).all()
    assert (np.diff(plain.group) == 0).tolist() == (np.diff(other.group) == 0).tolist()
    assert pairs[0].left.tolist() == pairs[1].left.tolist()
    assert pairs[0].starts.tolist() == pairs[1].starts.tolist()


SMALL: list[Row] = [
    ("x", "1", "ann", "A", "system", 10.0),
    ("x", "1", "ann", "B", "system", 20.0),
    ("y", "1", "ann", "A", "system", 30.0),
    ("y", "1", "ann", "A", "repeat", 40.0),
    ("y", "1", "ann", "B", "degraded", 1.0),
    ("y", "2", "bob", "B", "system", 50.0),
]


def test_values_in_place_of_scores_may_be_missing() -> None:
    values = np.array([1.0, np.nan, 2.0, np.nan, 9.0, 3.0])
    found = build(SMALL).cells(values=values)
    assert found.mean.tolist() == [1.0, 2.0, 3.0]
    assert found.n.tolist() == [1, 1, 1]
    nothing = build(SMALL).cells(values=np.full(6, np.nan))
    assert nothing.n_cells == 0
    one = build(SMALL).cells(values=values, across_campaigns=True)
    np.testing.assert_array_equal(one.table(), [[1.5, np.nan], [np.nan, 3.0]])
    assert one.counts().tolist() == [[2, 0], [0, 1]]
    with pytest.raises(InputError, match="must be of one campaign; got x, y"):
        found.table()
    with pytest.raises(InputError, match="`values` must hold one number for each of the 6"):
        build(SMALL).cells(values=values[:3])


def test_items_of_one_name_may_be_taken_together() -> None:
    apart, together = (build(SMALL).cells(across_campaigns=one) for one in (False, True))
    assert keys(apart)[2] == ("y", "1", "ann", "A")
    assert together.campaigns == ("",)
    assert together.mean.tolist() == [80.0 / 3, 20.0, 50.0]


def test_other_items_and_other_kinds_may_be_compared() -> None:
    judgments = build(SMALL)
    each = factor("item", [str(row) for row in range(6)])
    assert judgments.cells(item=each).n.tolist() == [1] * 5
    kinds = factor("kind", [row[4] for row in SMALL])
    found = judgments.cells(kinds=("system", "degraded"), system=kinds)
    assert found.systems == ("system", "degraded")
    matched = found.matched([("degraded", "system")])
    assert matched.score_first.tolist() == [1.0]
    assert matched.score_second.tolist() == [30.0]


def test_names_of_units() -> None:
    matched = build(SMALL).cells().matched([("B", "A")])
    assert matched.units("item").names() == ("1",)
    assert matched.units("rater").names() == ("1:ann",)
    assert matched.units("document").cluster_factor().labels() == ["d0"]
    assert matched.unmatched.tolist() == [0, 3]


def test_messages() -> None:
    with pytest.raises(DataError, match="no judgment is of a system's own output"):
        build(SMALL[4:5]).cells()
    with pytest.raises(InputError, match="there is no rater"):
        build(SMALL, raters=False).cells().matched().units("rater")
    with pytest.raises(InputError, match="each pair once"):
        build(SMALL).cells().matched([("A", "B"), ("B", "A")])
    with pytest.raises(InputError, match="each pair once"):
        build(SMALL).cells().matched([("A", "A")])
    with pytest.raises(InputError, match="`within` must be one of rater, item"):
        build(SMALL).cells().matched(within="task")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`repeats` must be one of mean, first"):
        build(SMALL).cells(repeats="last")


# --- Ordinary judgments and controls ---


def judged(kinds: list[str]) -> Judgments:
    n = len(kinds)
    columns = {"system": ["A"] * n, "item": list(range(n)), "score": list(range(n))}
    return Judgments.build({**columns, "kind": kinds}, path="j.csv")


def test_controls_are_counted_by_kind() -> None:
    kept, notes = ordinary(judged(["TGT", "BAD", "REF", "BAD", "CHK"]))
    assert kept.score.tolist() == [0.0, 4.0]
    assert notes == (
        "3 judgments left out, not of systems' own output: 2 degraded, 1 reference.",
    )
    assert ordinary(judged(["TGT", "REF"]))[1] == (
        "1 judgment left out, not of systems' own output: 1 reference.",
    )


def test_without_controls_nothing_is_said() -> None:
    whole = judged(["TGT", "CHK"])
    kept, notes = ordinary(whole)
    assert kept is whole
    assert notes == ()


def test_nothing_but_controls() -> None:
    with pytest.raises(DataError, match=r"j\.csv: no judgment is of a system's own output"):
        ordinary(judged(["BAD", "REF"]))
