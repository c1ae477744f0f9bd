"""The record of a selection: what it holds, that it cannot be changed, and draws before it."""

import json
from pathlib import Path

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError
from detectable.study.selection.selection import (
    Selection,
    count_earlier,
    read_selection,
    records_in,
    write_selection,
)
from tests.study.selection.test_select import first_of, judge, people, toy


def made() -> Selection:
    return dt.select(toy(), n_items=20, by="metric")


def test_a_record_gives_the_selection_back(tmp_path: Path) -> None:
    for number, chosen in enumerate(
        (made(), first_of()[1], dt.select(judge(), take={0: 9, 1: "all"}))
    ):
        path = tmp_path / f"{number}.json"
        write_selection(chosen, path)
        again = read_selection(path)
        assert again == chosen
        for name in ("unit_of", "unit_cost", "size", "probability", "weight", "batch_of"):
            assert np.array_equal(getattr(again, name), getattr(chosen, name)), name
        assert np.array_equal(again.first_metric, chosen.first_metric)
        assert again.fingerprint == chosen.fingerprint


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "selection.json"
    write_selection(made(), path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"exists already\. It is never overwritten"):
        write_selection(dt.select(toy(), n_items=25), path)
    assert path.read_bytes() == before


def test_a_changed_record_is_refused_with_its_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "selection.json"
    chosen = made()
    write_selection(chosen, path)
    content = json.loads(path.read_text())
    content["weight"][0] *= 2
    path.write_text(json.dumps(content))
    with pytest.raises(
        DataError, match=f"does not fit its fingerprint {chosen.fingerprint[:12]}"
    ):
        read_selection(path)


def test_what_is_no_record_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    with pytest.raises(DataError, match="this is no record of a selection"):
        read_selection(path)


def test_earlier_draws_from_the_pool_are_counted(tmp_path: Path) -> None:
    scores, first = first_of()
    write_selection(first, tmp_path / "selection.json")
    (tmp_path / "other.json").write_text('{"a": 1}')
    more = dt.select_more(first, people(scores, first.items))
    assert count_earlier(more, tmp_path) == 0  # its own first batch
    write_selection(more, tmp_path / "selection-2.json")
    assert set(records_in(tmp_path)) == {
        tmp_path / "selection.json",
        tmp_path / "selection-2.json",
    }
    again = dt.select(scores, n_items=50, rng=3)
    assert count_earlier(again, tmp_path) == 1
    assert count_earlier(dt.select(toy(seed=1, documents=30), n_items=20), tmp_path) == 0
