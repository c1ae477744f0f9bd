"""What metrics of translation print or publish: COMET, MetricX, WMT25, averages of segments."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.scores.direction import direction_of
from detectable.data.scores.read_scores import read_scores
from detectable.study.comparison.compare import compare
from detectable.study.ranking.item_scores import read_segment_scores
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

FOLDER = SAMPLES / "scores"


def test_comet_prints_several_systems() -> None:
    loaded = read_scores(FOLDER / "comet.out")
    assert loaded.metric == "COMET"
    assert loaded.items == ("0", "1")
    np.testing.assert_equal(loaded.systems, {"a": [[0.8, 0.6001]], "b": [[0.5, 0.4]]})
    with fails("the file holds 2 systems (a, b); expected one for 'x'"):
        read_scores({"x": FOLDER / "comet.out"})


def test_an_output_of_comet_that_is_cut_short(tmp_path: Path) -> None:
    text = (FOLDER / "comet.out").read_text()
    lines = text.splitlines(keepends=True)
    with fails("c.out: the last line of 'out/b.txt', its mean, is missing"):
        read_scores(write(tmp_path, "c.out", "".join(lines[:-1])))
    with fails(
        "c.out, line 3: 'out/a.txt' has the mean 0.7000, and its 1 segments have 0.8000"
    ):
        read_scores(write(tmp_path, "c.out", "".join([*lines[:2], *lines[3:]])))
    with fails("c.out, line 4: expected «FILE TAB Segment N TAB score: x»"):
        read_scores(write(tmp_path, "c.out", text.replace("a.txt\tscore", "x.txt\tscore")))


def test_lower_is_better_in_metricx() -> None:
    files = {name: FOLDER / f"metricx_{name}.jsonl" for name in "AB"}
    scores = read_scores(files)
    assert scores.metric == "MetricX"
    assert direction_of(scores) == "lower"
    np.testing.assert_equal(scores.systems, {"A": [[0.5, 4.25]], "B": [[2.5, 0.0]]})
    result = compare(scores, baseline="A", test="t")
    assert result.metrics[0]["higher_is_better"] is False
    assert "MetricX: lower is better." in result.notes


def test_metricx_on_other_segments_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "metricx_B.jsonl").read_text()
    other = write(tmp_path, "b.jsonl", text.replace("zwei", "drei"))
    with fails("b.jsonl, line 2: the source is 'drei', in", "it is 'zwei'"):
        read_scores({"A": FOLDER / "metricx_A.jsonl", "B": other})
    short = write(tmp_path, "c.jsonl", text.splitlines()[0])
    with fails("scores are matched by their position"):
        read_scores({"A": FOLDER / "metricx_A.jsonl", "C": short})


def test_automatic_scores_of_wmt25() -> None:
    path = FOLDER / "wmt25_A.jsonl"
    both = read_scores(path, metric="MetricX")  # language pairs are tasks
    assert both.task_names == ("en-cs_CZ", "en-ja_JP")
    assert both.items[-1] == "en-ja_JP:d1:1"
    assert both.documents == ("d1", "d1", "d2", "d1")
    loaded = read_scores(path, metric="MetricX", language_pair="en-cs_CZ")
    assert loaded.items == ("d1:1", "d1:2", "d2:1")
    assert loaded.documents == ("d1", "d1", "d2")
    np.testing.assert_equal(loaded.systems, {"wmt25_A": [[1.5, 3.0, 9.0]]})
    assert direction_of(loaded) == "lower"
    assert loaded.notes == ("1 document of other language pairs left out as asked.",)
    with fails("the log holds 2 metrics: CometKiwi, MetricX"):
        read_scores(path, language_pair="en-cs_CZ")
    with fails("there is no language pair 'en-de'"):
        read_scores(path, metric="MetricX", language_pair="en-de")


def test_averages_of_segments_with_spaces() -> None:
    path = FOLDER / "ad-seg-scores-cs-en.csv"
    with fails("the log holds 2 metrics: RAW.SCR, Z.SCR"):
        read_scores(path)
    raw = read_scores(path, metric="RAW.SCR")
    np.testing.assert_equal(raw.systems, {"A": [[55.5, 70.0]], "B": [[40.0, 65.0]]})
    segments = read_segment_scores(path)
    assert segments.systems == ("A", "B")
    assert segments.z is not None
    assert segments.z.tolist() == [[0.25, -0.5], [0.5, 0.125]]
    assert segments.n_judgments.tolist() == [[2, 1], [1, 3]]
    mqm = read_scores(FOLDER / "avg_seg_scores.tsv")
    np.testing.assert_equal(mqm.systems, {"A": [[-1.0, 0.0]], "B": [[-5.5, -2.0]]})
    assert direction_of(mqm) == "higher"  # penalties are written with a minus


def test_a_row_with_a_space_in_a_name_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "SYS SID RAW.SCR N \nA 1 50 1\nmy system 1 60 1\n")
    with fails("s.csv, line 3: the header has 4 columns, this row has 5"):
        read_scores(path)


@pytest.mark.golden
def test_published_averages_of_mqm() -> None:
    path = reference_data("data", "real", "google-mqm", "avg_seg_scores.tsv")
    scores = read_scores(path)
    official = {
        "Facebook-AI": -1.322857,
        "HuaweiTSC": -2.431429,
        "Nemo": -2.359286,
        "Online-W": -1.435714,
    }
    for system, mean in official.items():
        assert scores.systems[system].mean() == pytest.approx(mean, abs=5e-7)
    segments = read_segment_scores(path)
    assert (len(segments.systems), len(segments.items)) == (14, 140)
    of = segments.systems.index("Nemo")
    assert segments.raw[:, of].mean() == pytest.approx(-2.359286, abs=5e-7)


def test_the_only_language_pair_may_be_named(tmp_path: Path) -> None:
    first = "\n".join((FOLDER / "wmt25_A.jsonl").read_text().splitlines()[:2])
    path = write(tmp_path, "one.jsonl", first)
    assert read_scores(path, metric="MetricX", language_pair="en-cs_CZ").notes == ()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("sid raw.scr", "the system"),
        ("sys raw.scr", "the segment"),
        ("sys sid", "the log holds no metric"),
    ],
)
def test_averages_without_a_column(tmp_path: Path, header: str, said: str) -> None:
    with fails(said):
        read_scores(write(tmp_path, "s.csv", f"{header}\n1 2\n"), format="segment-scores")


def test_an_average_that_is_no_number_is_placed(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "SYS SID RAW.SCR\nA 1 50\n\nA 2 x\n")
    with fails("s.csv, line 4, column 'RAW.SCR': expected a score, found 'x'"):
        read_scores(path)


def test_runs_of_metricx(tmp_path: Path) -> None:
    path = FOLDER / "metricx_A.jsonl"
    scores = read_scores({"A": [path, path]}, metric="MX")
    assert (scores.n_runs("A"), scores.metric) == (2, "MX")
    bare = write(
        tmp_path, "b.jsonl", '{"hypothesis": "a", "prediction": 1}\n{"hypothesis": "b"}\n'
    )
    with fails("b.jsonl, line 2: there is no 'prediction', found"):
        read_scores(bare)
    for name in ("source", "reference"):
        one, other = (
            write(tmp_path, f"{text}.jsonl", json.dumps({name: text, "prediction": 1, "hypothesis": ""}))
            for text in ("x", "y")
        )  # fmt: skip
        with fails(f"y.jsonl, line 1: the {name} is 'y', in", "x.jsonl, line 1 it is 'x'"):
            read_scores({"x": one, "y": other})


def test_documents_of_wmt25_that_are_none(tmp_path: Path) -> None:
    good = {"document_id": "d", "metric_scores": {"M": [1, 2]}}
    runs = write(tmp_path, "a.jsonl", json.dumps(good))
    assert read_scores({"A": [runs, runs]}).n_runs("A") == 2
    odd: list[tuple[Any, str]] = [
        ({"metric_scores": {}}, "line 2: expected a document with 'document_id'"),
        ({**good, "metric_scores": 3}, "line 2: expected a document with 'document_id'"),
        ({**good, "metric_scores": {"M": 3}}, "line 2: metric 'M' must have a list of scores"),
        ({**good, "metric_scores": {"M": ["x"]}}, "line 2, column 'M': expected a score"),
    ]
    for row, said in odd:
        text = f"{json.dumps(good)}\n{json.dumps(row)}\n"
        with fails(said):
            read_scores(write(tmp_path, "b.jsonl", text))


def test_outputs_of_comet_in_two_folders_keep_their_folders(tmp_path: Path) -> None:
    lines = [
        f"{name}\tSegment 0\tscore: 0.5000\n{name}\tscore: {mean}\n"
        for name, mean in (("x/a.txt", "0.5000"), ("y/a.txt", "0.5001"))
    ]
    found = read_scores(write(tmp_path, "c.out", "".join(lines)), metric="kiwi")
    assert list(found.systems) == ["x/a.txt", "y/a.txt"]
    assert found.metric == "kiwi"
    with fails("c.out, line 2: 'x/a.txt' has the mean 0.5002"):
        text = lines[0].replace("x/a.txt\tscore: 0.5000", "x/a.txt\tscore: 0.5002")
        read_scores(write(tmp_path, "c.out", text))
    with fails("there is no score of a segment"):
        read_scores(write(tmp_path, "d.out", "some log\n"), format="comet-text")
