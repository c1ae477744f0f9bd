""""""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.names import Runs
from detectable.data.reader import find_score_reader, score_readers
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

LOGS = {name: next((SAMPLES / "lm_eval" / name).iterdir()) for name in ("model-a", "model-b")}


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("scores_wide.csv", "table"),
        ("scores_long.jsonl", "table"),
        ("lines_A.txt", "lines"),
        ("sacrebleu_A.txt", "sacrebleu"),
        ("sacrebleu_corpus.json", "sacrebleu"),
        ("comet_score.json", "comet"),
        ("comet_compare.json", "comet"),
        ("mtme/metric-scores/en-de/TOY-refA.seg.score", "seg-score"),
        ("inspect.json", "inspect"),
    ],
)
def test_every_sample_is_recognised(name: str, format: str) -> None:
    assert find_score_reader(FileContent(SAMPLES / name)).name == format


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"doc_id": 0, "resps": [], "acc": 1}\n', "lm-eval"),
        ('{"system": "A", "item": 1, "score": 0.5}\n', "table"),
        ('[{"src": "a", "COMET": 1}]', "comet"),
        ('[{"system": "A", "BLEU": "40.9"}]', "sacrebleu"),
        ('{"name": "BLEU", "signature": "x"}', "sacrebleu"),
        ("PK\x03\x04", "inspect"),
        ("nan\n\n1e-3\n", "lines"),
        ("A None\nA 0.5\n", "seg-score"),
        ("A;B\n1;2\n", "table"),
    ],
)
def test_small_contents_are_recognised(tmp_path: Path, content: str, format: str) -> None:
    assert find_score_reader(FileContent(write(tmp_path, "x", content))).name == format


@pytest.mark.parametrize(
    "content", ["hello world again\n", "[1, 2]", "{broken\n[\n", "[1]\n[2]\n"]
)
def test_an_unknown_format_is_answered_with_the_known_ones(
    tmp_path: Path, content: str
) -> None:
    with fails(
        "x: the format of the scores cannot be told. Choose it with format=",
        *score_readers().names(),
    ):
        read_scores(write(tmp_path, "x", content))


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    with fails("x: the file is empty. Give a file with scores."):
        read_scores(write(tmp_path, "x", "\n"))


def test_each_format_is_read_through_one_function(tmp_path: Path) -> None:
    table = read_scores(SAMPLES / "scores_wide.csv", metric="toy", systems=["two"])
    assert (table.metric, list(table.systems)) == ("toy", ["two"])
    lines: dict[str, Runs] = {"A": SAMPLES / "lines_A.txt", "B": [SAMPLES / "lines_A.txt"] * 2}
    assert read_scores(lines).n_runs("B") == 2
    printed = {name: SAMPLES / f"sacrebleu_{name}.txt" for name in "AB"}
    assert read_scores(printed).metric == "chrF2"
    assert read_scores(SAMPLES / "comet_score.json", systems=["two"]).n_items == 2
    score = SAMPLES / "mtme" / "metric-scores" / "en-de" / "TOY-refA.seg.score"
    assert read_scores(score).metric == "TOY-refA"
    assert read_scores(LOGS, filter="strict-match").metric == "exact_match"
    assert read_scores(SAMPLES / "inspect.json", metric="match").n_items == 2
    long = SAMPLES / "scores_long.csv"
    chosen = read_scores(long, format="table", layout="long", columns={"score": "score"})
    assert chosen.n_items == 2
    renamed = tmp_path / "renamed.txt"
    shutil.copy(long, renamed)
    assert read_scores(renamed, quoted=False).n_items == 2


def test_an_option_of_another_format_is_refused() -> None:
    path = SAMPLES / "comet_score.json"
    given: dict[str, Any] = {"layout": "wide", "columns": {}, "filter": "x", "quoted": True}
    for name, value in given.items():
        with pytest.raises(
            InputError, match=rf"`{name}` does not apply to scores in the format 'comet'\."
        ):
            read_scores(path, **{name: value})
    with pytest.raises(InputError, match=r"`filter` does not apply to .* 'table'"):
        read_scores(SAMPLES / "scores_wide.csv", filter="x")
    with pytest.raises(InputError, match=r"`format` must be one of auto, .*table.*; got 'x'"):
        read_scores(path, format="x")
    with pytest.raises(
        InputError,
        match=r"'seg-score' name their systems themselves, so none can be given for A",
    ):
        read_scores({"A": path}, format="seg-score")


def test_files_of_different_formats_are_refused() -> None:
    with fails("all files must be in one format:", "lines_A.txt is lines", "is sacrebleu."):
        read_scores({"A": SAMPLES / "lines_A.txt", "B": SAMPLES / "sacrebleu_A.txt"})


def test_readers_load_polars_only_when_they_need_it() -> None:
    code = (
        "import sys, detectable.data.scores.read_scores, detectable.data.texts.text_table as r; "
        f"r.read_text_table({str(SAMPLES / 'texts.tsv')!r}); "
        "sys.exit(not sys.modules.keys().isdisjoint({'polars', 'lxml', 'sacrebleu', 'scipy'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- Formats of scores: which there are, in which order they are asked, and what is no format ---


def test_all_readers_are_asked_in_their_order() -> None:
    found = score_readers().in_order()
    assert {"comet-text", "helm", "lines", "lm-eval", "table"} <= {one.name for one in found}
    places = [(one.order, one.name) for one in found]
    assert places == sorted(places)


def test_what_no_reader_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    with pytest.raises(DataError, match="the file is empty"):
        find_score_reader(FileContent(path))
    path.write_text("some words\nand more\n")
    with pytest.raises(DataError, match=r"cannot be told\. Choose .*helm: per_instance_stats"):
        find_score_reader(FileContent(path))
