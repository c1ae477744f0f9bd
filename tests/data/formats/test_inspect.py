import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.formats.inspect import read_inspect
from detectable.inference.sampled_answers import sampled_answers
from tests.data.sample_files import SAMPLES, fails, write
from tests.gold_evals import evals
from tests.helpers import reference_data

SAMPLE = SAMPLES / "inspect.json"
NAN = float("nan")


def archive(folder: Path, members: dict[str, Any], name: str = "x.eval") -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for member, value in members.items():
            file.writestr(member, json.dumps(value))
    return write(folder, name, content.getvalue())


def header(task: str = "toy", status: str = "success") -> dict[str, Any]:
    return {"version": 2, "status": status, "eval": {"task": task, "model": "m"}}


def sample(name: object, value: object, epoch: int = 1) -> dict[str, Any]:
    return {"id": name, "epoch": epoch, "scores": {"match": {"value": value}}}


def test_epochs_are_samples_and_failed_samples_are_counted() -> None:
    loaded = read_inspect(SAMPLE, metric="match")
    assert list(loaded.systems) == ["maker/model-a"]
    np.testing.assert_array_equal(loaded.systems["maker/model-a"], [[1, 0.5], [0, NAN]])
    assert loaded.items == ("q1", "q2")
    assert loaded.notes == (
        f"{SAMPLE}: 1 sample ended in an error.",
        "system 'maker/model-a': 25.0% of samples missing (up to 2 per item).",
    )


def test_a_value_of_several_parts_is_chosen_by_key() -> None:
    loaded = read_inspect({"A": SAMPLE}, metric="judge/tone")
    np.testing.assert_array_equal(loaded.systems["A"], [[0.5, NAN], [0.25, NAN]])
    with fails(
        "holds 3 metrics: match, judge/tone, judge/fact. Choose one with metric='match'"
    ):
        read_inspect(SAMPLE)


@pytest.mark.parametrize(
    "members",
    [
        {"header.json": header(), "samples/a/1_epoch_1.json": sample("a/1", "C"),
         "samples/2_epoch_1.json": sample(2, "N")},
        {"header.json": header(), "summaries.json": [sample("a/1", "C"), sample(2, "N")],
         "samples/a/1_epoch_1.json": {}, "samples/2_epoch_1.json": {}},
        {"header.json": header(), "summaries.json": [sample("a/1", "C")],
         "samples/a/1_epoch_1/sample.json": sample("a/1", "C"),
         "samples/a/1_epoch_1/events/0.json": [], "samples/a/1_epoch_1/skeleton.json": {},
         "samples/2_epoch_1.json": sample(2, "N")},
    ],
    ids=["samples", "summaries", "folders"],
)  # fmt: skip
def test_archives_are_read_in_all_their_forms(tmp_path: Path, members: dict[str, Any]) -> None:
    loaded = read_inspect({"A": archive(tmp_path, members)})
    assert loaded.items == ("a/1", "2")
    assert loaded.systems["A"].tolist() == [[1, 0]]
    assert (loaded.metric, loaded.notes) == ("match", ())


def test_an_unfinished_log_is_read_and_noted(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        {
            "_journal/start.json": header(status="started"),
            "samples/1_epoch_1.json": sample(1, 3),
        },
    )
    loaded = read_inspect(path)
    assert loaded.systems["m"].tolist() == [[3]]
    assert loaded.notes == (f"{path}: the evaluation did not finish (status 'started').",)


def test_logs_of_one_task_are_samples_and_others_are_tasks(tmp_path: Path) -> None:
    one = archive(tmp_path, {"header.json": header(), "summaries.json": [
        sample("q", "C"), sample("q", "I", epoch=2)]}, "1.eval")  # fmt: skip
    two = archive(
        tmp_path, {"header.json": header(), "summaries.json": [sample("q", True)]}, "2"
    )
    other = archive(
        tmp_path, {"header.json": header("z"), "summaries.json": [sample("q", "no")]}
    )
    more = read_inspect({"A": [one, two]})
    assert (more.systems["A"].tolist(), more.repeats) == ([[1], [0], [1]], "samples")
    parts = read_inspect({"A": [two, other]})
    assert parts.items == ("toy:q", "z:q")
    assert (parts.tasks, parts.documents) == (("toy", "z"), None)
    assert parts.notes == ("2 tasks: toy, z.",)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ([1], ("this is no log of Inspect: it has no 'eval' part.",)),
        (header(), ("the log holds no samples.", "--no-log-samples; run it again")),
        ({**header(), "samples": [{"epoch": 1}]}, ("sample 1 needs an id, a whole epoch and scores by scorer",)),
        ({**header(), "samples": [{"id": 1}]}, ("no sample has a score.", "inspect score")),
        ({**header(), "samples": [sample(1, "maybe")]},
         ("x.json, sample 1, scorer 'match': expected a score, found 'maybe'.",)),
        ({**header(), "samples": [sample(1, [1, 2])]}, ("expected a score, found [1, 2].",)),
        ({**header(), "samples": [sample(1, 1), sample(1, 0)]}, ("a second score", "item '1'")),
    ],
)  # fmt: skip
def test_a_bad_log_is_named(tmp_path: Path, content: object, parts: tuple[str, ...]) -> None:
    with fails("x.json", *parts):
        read_inspect({"A": write(tmp_path, "x.json", json.dumps(content))})


def test_scorers_must_agree(tmp_path: Path) -> None:
    one = archive(
        tmp_path, {"header.json": header(), "summaries.json": [sample(1, 1)]}, "1.eval"
    )
    rows = [{"id": 1, "epoch": 1, "scores": {"other": {"value": 1}}}]
    two = archive(tmp_path, {"header.json": header(), "summaries.json": rows}, "2.eval")
    with fails("the logs hold different scorers: match, other. Choose one with metric="):
        read_inspect({"A": one, "B": two})


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    good = archive(tmp_path, {"header.json": header(), "summaries.json": [sample(1, 1)]})
    with fails("cut.eval: the log is damaged (File is not a zip file). Copy it again."):
        read_inspect(write(tmp_path, "cut.eval", good.read_bytes()[:-30]))
    with fails("x.eval: the log is damaged", "no item named '_journal/start.json'"):
        read_inspect(archive(tmp_path, {"a.json": 1}))


def test_zstd_names_the_package_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "backports.zstd", "backports.zstd.zipfile"):
        monkeypatch.setitem(sys.modules, name, None)
    data = archive(tmp_path, {"header.json": header()}).read_bytes()
    method = (
        b"\x08\x00"  # deflate, in the local header at 8 and in the directory behind «PK\1\2»
    )
    directory = data.index(b"PK\x01\x02")
    assert data[8:10] == method == data[directory + 10 : directory + 12]
    data = data[:8] + b"\x63\x00" + data[10:]  # a number that no Python knows
    directory += 10
    data = data[:directory] + b"\x63\x00" + data[directory + 2 :]
    with fails("y.eval: the log is compressed with zstd", "inspect log convert --to json"):
        read_inspect(write(tmp_path, "y.eval", data))


def test_failed_samples_may_count_zero() -> None:
    loaded = read_inspect(SAMPLE, metric="match", errors="zero")
    assert loaded.systems["maker/model-a"].tolist() == [[1, 0.5], [0, 0]]
    assert loaded.notes == (f"{SAMPLE}: 1 sample ended in an error and counts 0.",)


def test_metadata_name_the_passage_of_a_question(tmp_path: Path) -> None:
    rows = [{**sample(i, "C"), "metadata": {"passage": f"p{i // 2}"}} for i in range(4)]
    path = archive(tmp_path, {"header.json": header(), "summaries.json": rows}, "m.eval")
    loaded = read_inspect(path, columns={"document": "passage"})
    assert loaded.documents == ("p0", "p0", "p1", "p1")
    assert read_inspect(path).documents is None
    with fails("sample '0': its metadata have no 'text' for the document. Found: passage"):
        read_inspect(path, columns={"document": "text"})
    bare = archive(tmp_path, {"header.json": header(), "summaries.json": [sample(1, "C")]}, "b")
    with fails("its metadata have no 'passage' for the document. Found: none"):
        read_inspect(bare, columns={"document": "passage"})
    with pytest.raises(InputError, match="`columns` must choose document, slice; got 'item'"):
        read_inspect(path, columns={"item": "passage"})


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "key"), [("good", "inspect.zstd_good"), ("weak", "inspect.zstd_weak")]
)
def test_epochs_of_a_log_have_the_standard_error_that_inspect_prints(
    name: str, key: str
) -> None:
    if sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    path = reference_data("data", "real", "inspect", f"zstd_0.3.285_{name}.eval")
    known = evals(key)
    (table,) = read_inspect(path, metric="match").systems.values()
    found = sampled_answers(table)
    assert found.value == pytest.approx(known["match"])
    assert found.standard_error == pytest.approx(known["match_stderr"], rel=1e-6)
    names = {"fluency": "multi/fluency", "adequacy": "multi/adequacy", "includes": "includes"}
    for short, metric in names.items():
        (table,) = read_inspect(path, metric=metric).systems.values()
        if short in known:
            assert sampled_answers(table).value == pytest.approx(known[short], abs=6e-8), short


@pytest.mark.parametrize(
    ("values", "known"),
    [(("C", "I"), False), (("C", "P"), False), ((1, 0), None), (("yes", "no"), None)],
)
def test_answers_that_are_right_or_wrong_go_up_whatever_they_are_called(
    tmp_path: Path, values: tuple[object, object], known: bool | None
) -> None:
    rows = [
        {"id": i, "epoch": 1, "scores": {"refusal": {"value": value}}}
        for i, value in enumerate(values)
    ]
    path = archive(tmp_path, {"header.json": header(), "summaries.json": rows})
    assert read_inspect(path).lower_is_better is known
