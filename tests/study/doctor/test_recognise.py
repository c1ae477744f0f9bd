"""What a table is, by its columns."""

from pathlib import Path

import numpy as np
import polars as pl

from detectable.data.files.table import read_table
from detectable.study.doctor.recognise import metric_columns, recognise


def test_a_cell_that_is_missing_does_not_make_a_metric_a_text(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    columns = {
        "system": ["a", "a", "b", "b"],
        "segment": [1, 2, 1, 2],
        "chrf": [50.0, None, 60.0, 40.0],
        "comet": [0.5, 0.6, 0.7, 0.8],
        "words": [["x"], ["y"], ["x"], ["y"]],
    }
    pl.DataFrame(columns).write_parquet(path)
    assert metric_columns(read_table(path)) == ["chrf", "comet"]
    assert recognise(path).kind == "metrics"


def test_histograms_of_past_evaluations_are_no_log(tmp_path: Path) -> None:
    np.savez(tmp_path / "h.npz", all=[[1, 2], [0, 3]], campaign=["w", "w"], system=["A", "B"])
    found = recognise(tmp_path / "h.npz")
    assert found.kind == "unknown"
    assert f"audit them (detectable audit {tmp_path / 'h.npz'})" in found.about
