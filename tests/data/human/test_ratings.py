"""Tables of ratings from files and frames, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.ratings import read_ratings

COLUMNS: dict[str, Any] = {
    "response": "score",
    "system": "system",
    "rater": "rater",
    "item": "item",
}


def small() -> dict[str, list[Any]]:
    return {
        "score": [1, 2.5, 3, 4],
        "system": ["a", "b", "a", "b"],
        "rater": ["x", "x", "y", "y"],
        "item": [1, 1, 2, 2],
        "doc": ["d", "d", "e", "e"],
    }


def test_a_mapping_a_frame_and_files_say_the_same(tmp_path: Path) -> None:
    frame = pl.DataFrame(small(), strict=False)
    frame.write_csv(tmp_path / "r.csv")
    frame.write_parquet(tmp_path / "r.parquet")
    frame.write_ndjson(tmp_path / "r.jsonl")
    frame.write_csv(tmp_path / "r.tsv", separator="\t")
    wanted = read_ratings(small(), **COLUMNS)
    assert wanted.system.levels == ("a", "b")
    assert wanted.rater.codes.tolist() == [0, 0, 1, 1]
    for source in (
        frame,
        *(tmp_path / f"r.{end}" for end in ("csv", "parquet", "jsonl", "tsv")),
    ):
        found = read_ratings(source, **COLUMNS)
        assert np.array_equal(found.response, wanted.response)
        assert found.item.levels == wanted.item.levels
        assert found.n_ratings == 4


def test_items_with_one_name_in_two_documents_are_two() -> None:
    ratings = small() | {"item": [1, 1, 1, 1]}
    assert read_ratings(ratings, **COLUMNS, document="doc").item.levels == ("d:1", "e:1")
    assert read_ratings(small(), **COLUMNS, document="doc").item.levels == ("1", "2")


@pytest.mark.parametrize("hole", [None, "", float("nan"), "NA"])
@pytest.mark.parametrize("column", ["score", "system", "rater", "item"])
def test_missing_values_are_counted_and_placed(column: str, hole: Any) -> None:
    ratings = small()
    ratings[column] = [*ratings[column][:2], hole, *ratings[column][3:]]
    with pytest.raises(
        DataError,
        match=rf"column '{column}' is empty in 1 of 4 rows, first in row 2 \(from 0\)",
    ):
        read_ratings(ratings, **COLUMNS)


def test_a_place_in_a_file_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("score,system,rater,item\n1,a,x,1\n,b,x,1\n")
    with pytest.raises(DataError, match=r"r\.csv, line 3"):
        read_ratings(path, **{**COLUMNS, "system": "item", "item": "system"})


def test_a_system_without_any_rating() -> None:
    ratings = small() | {"score": [1, None, 3, None]}
    with pytest.raises(
        DataError, match=r"row 1 .*: system 'b' has no rating at all: .* all its 2 rows\. Drop"
    ):
        read_ratings(ratings, **COLUMNS)


def test_text_in_the_response() -> None:
    ratings = small() | {"score": [1, 2, "good", "bad"]}
    with pytest.raises(
        DataError, match=r"must hold numbers; 2 of 4 rows do not, first in row 2 .*: 'good'"
    ):
        read_ratings(ratings, **COLUMNS)


def test_columns_that_are_not_there_or_twice(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"^there is no column 'stars' for the response\. Found: sc"
    ):
        read_ratings(small(), **{**COLUMNS, "response": "stars"})
    with pytest.raises(InputError, match="`item` and `rater` must be two columns"):
        read_ratings(small(), **{**COLUMNS, "item": "rater"})
    path = tmp_path / "r.csv"
    path.write_text("score,system\n1,a\n")
    with pytest.raises(DataError, match=r"r\.csv: there is no column 'rater' for the rater"):
        read_ratings(path, **COLUMNS)


def test_things_that_are_not_tables() -> None:
    with pytest.raises(
        InputError, match="must be a file, a mapping of columns or a data frame"
    ):
        read_ratings(3, **COLUMNS)
    with pytest.raises(DataError, match="must have one length: score has 3 rows, system has 4"):
        read_ratings(small() | {"score": [1, 2, 3]}, **COLUMNS)
    with pytest.raises(DataError, match="`ratings` has no row"):
        read_ratings({name: [] for name in small()}, **COLUMNS)
