"""Folders and patterns instead of files."""

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import expand
from detectable.data.formats import comet, metricx
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.score_folder import first_lines, is_score, with_documents
from detectable.data.scores.scored_texts import ScoredText, check_scored_texts
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.study.comparison.compare import compare
from detectable.study.comparison.remarks import suspicions
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

LOGS = SAMPLES / "lm_eval"


def _log(folder: Path, name: str, model: str, task: str, value: object, **more: Any) -> None:
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": task, "model": model},
        "samples": [
            {"id": i, "epoch": 1, "scores": {"match": {"value": value}}} for i in (1, 2)
        ],
        **more,
    }
    folder.mkdir(parents=True, exist_ok=True)
    if name.endswith(".json"):
        write(folder, name, json.dumps(log))
        return
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        samples: Any = log.pop("samples")
        file.writestr("header.json", json.dumps(log))
        for sample in samples:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    write(folder, name, content.getvalue())


def test_a_folder_of_inspect_holds_a_system_per_model(tmp_path: Path) -> None:
    _log(tmp_path, "1.eval", "lab/a", "arc", "C")
    _log(tmp_path, "2.json", "lab/a", "gsm", "I")
    _log(tmp_path, "3.eval", "lab/b", "arc", "C", status="error")
    _log(tmp_path, "4.eval", "lab/b", "arc", "I")
    _log(tmp_path, "5.eval", "lab/b", "gsm", "C")
    write(tmp_path, "logs.json", "{}")
    write(tmp_path, "notes.json", '{"about": "nothing"}')
    loaded = read_scores(tmp_path)
    assert list(loaded.systems) == ["lab/a", "lab/b"]
    assert loaded.items == ("arc:1", "arc:2", "gsm:1", "gsm:2")
    assert loaded.tasks == ("arc", "arc", "gsm", "gsm")
    assert loaded.systems["lab/b"].tolist() == [[0.0, 0.0, 1.0, 1.0]]
    assert f"{tmp_path}: 1 log of tasks that were tried again left out." in loaded.notes


def test_a_folder_given_for_a_system(tmp_path: Path) -> None:
    for model in ("a", "b"):
        _log(tmp_path / model, "1.eval", f"lab/{model}", "arc", "C")
        _log(tmp_path / model, "2.eval", f"lab/{model}", "arc", "I")
    loaded = read_scores({"new": tmp_path / "a", "old": tmp_path / "b"})
    assert loaded.systems["new"].tolist() == [[0.0, 0.0]]  # the last of two
    assert sum("arc: 2 logs, the newest (2.eval) is read" in said for said in loaded.notes) == 2
    pooled = read_scores({"new": tmp_path / "a", "old": tmp_path / "b"}, pool=True)
    assert sorted(pooled.systems["new"].tolist()) == [[0.0, 0.0], [1.0, 1.0]]
    assert any("2 logs of arc are read as samples" in said for said in pooled.notes)
    named = read_scores({"new": [tmp_path / "a" / "1.eval", tmp_path / "a" / "2.eval"]})
    assert named.systems["new"].tolist() == [[1.0, 1.0], [0.0, 0.0]]  # asked for
    with fails("the folder holds logs of 2 systems: lab/a, lab/b"):
        read_scores({"new": tmp_path})


def test_folders_of_the_harness(tmp_path: Path) -> None:
    shutil.copytree(LOGS, tmp_path / "logs")
    [log] = (tmp_path / "logs" / "model-a").iterdir()
    shutil.copy(log, log.with_name("samples_toy_2020-01-02T03-04-05.678901.jsonl"))
    loaded = read_scores(tmp_path / "logs", filter="strict-match")
    assert list(loaded.systems) == ["model-a", "model-b"]
    assert loaded.n_runs("model-a") == 1
    assert (
        f"{tmp_path / 'logs'}: toy: 2 logs, the newest ({log.name}) is read. `pool` takes all as samples."
        in loaded.notes
    )
    pooled = read_scores(tmp_path / "logs", filter="strict-match", pool=True)
    assert (len(pooled.systems["model-a"]), pooled.repeats) == (2, "samples")
    with pytest.raises(
        InputError, match="`pool` does not apply to scores in the format 'table'"
    ):
        read_scores({"item": ["1"], "A": [1.0]}, pool=True)
    named = {"x": tmp_path / "logs" / "model-a", "y": tmp_path / "logs" / "model-b"}
    assert list(read_scores(named, filter="strict-match").systems) == ["x", "y"]


def test_folders_of_one_model_in_different_places_are_systems(tmp_path: Path) -> None:
    for place in ("old", "new"):
        shutil.copytree(LOGS / "model-a", tmp_path / place / "model-a")
    loaded = read_scores(tmp_path, filter="strict-match")
    assert set(loaded.systems) == {"old/model-a", "new/model-a"}
    assert all(len(table) == 1 for table in loaded.systems.values())  # nothing is pooled


def test_a_summary_alone_is_told_so(tmp_path: Path) -> None:
    path = reference_data("data", "real", "lm-eval", "results_summary_only.json")
    with fails("this is a summary of the lm-evaluation-harness", "Give its samples_*.jsonl"):
        read_scores(path)
    shutil.copy(path, tmp_path / "results_2025-01-01.json")
    with fails("results_2025-01-01.json: this is a summary"):
        read_scores({"x": tmp_path})


def test_published_samples_of_the_harness() -> None:
    folder = reference_data("data", "real", "lm-eval")
    full = read_scores(folder / "samples_math_perturbed_full.jsonl")
    assert (full.n_items, full.metric) == (10, "exact_match")
    assert not np.concatenate(list(full.systems.values())).any()
    two = folder / "samples_two_filters_0.4.13.jsonl"
    for filter in ("strict-match", "flexible-extract"):
        scores = read_scores(two, filter=filter, metric="exact_match")
        assert scores.n_items == 40
        assert not np.concatenate(list(scores.systems.values())).any()
    with fails("2 filters"):
        read_scores(two)
    with fails("metric 'bleu' holds", "no score of the single answer"):
        read_scores(two, filter="strict-match", metric="bleu")


def test_a_folder_of_plain_files_is_a_file_per_system(tmp_path: Path) -> None:
    write(tmp_path, "A.txt", "1\n2\n")
    write(tmp_path, "B.txt", "3\n4\n")
    assert list(read_scores(tmp_path).systems) == ["A", "B"]
    assert read_scores({"S": tmp_path}).n_runs("S") == 2
    (tmp_path / "empty").mkdir()
    with fails("empty: the folder holds no file"):
        read_scores(tmp_path / "empty")


def test_hidden_files_and_folders_are_no_systems(tmp_path: Path) -> None:
    for name in ("A.txt", ".notes.txt"):
        (tmp_path / name).write_text("1\n2\n")
    for name in ("old", ".git"):
        (tmp_path / name).mkdir()
    assert list(read_scores(tmp_path).systems) == ["A"]


def test_patterns_put_numbers_in_order(tmp_path: Path) -> None:
    for seed in (10, 2, 1):
        write(tmp_path, f"seed{seed}.en", "x\n")
    found = expand(str(tmp_path / "seed*.en"))
    assert [Path(path).name for path in found] == ["seed1.en", "seed2.en", "seed10.en"]
    assert expand("plain.en") == ["plain.en"]
    odd = write(tmp_path, "a[1].en", "x\n")
    assert expand(str(odd)) == [str(odd)]
    with fails("none*.en: no file has such a name. Check the pattern"):
        expand(str(tmp_path / "none*.en"))


def test_zstd_logs_of_inspect() -> None:
    if sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    folder = reference_data("data", "real", "inspect")
    files = {name: folder / f"zstd_0.3.285_{name}.eval" for name in ("good", "weak")}
    expected = {
        "match": (0.875, 0.375),
        "multi/fluency": (1.75, 0.958333),
        "multi/adequacy": (0.958333, 0.458333),
    }
    for metric, means in expected.items():
        scores = read_scores(files, metric=metric)
        assert scores.n_items == 8
        assert scores.n_samples("good").tolist() == [3] * 8
        found = tuple(float(scores.systems[name].mean()) for name in files)
        assert found == pytest.approx(means, abs=5e-7)


def test_published_logs_of_inspect() -> None:
    folder = reference_data("data", "real", "inspect")
    ten = read_scores(folder / "popularity_10_samples.eval")
    assert (ten.n_items, ten.metric) == (10, "match")
    cancelled = read_scores(folder / "popularity_cancelled.json")
    assert cancelled.systems["openai/gpt-4o-mini"].tolist() == [[1.0, 1.0, 0.0]]
    assert "did not finish (status 'cancelled')" in cancelled.notes[0]
    both = {"s": folder / "arc_sonnet.json", "q": folder / "arc_qwen.json"}
    scores = read_scores(both)
    assert scores.systems["s"].tolist() == [[1.0] * 5]
    assert scores.complete().items == ("1", "2", "3")
    assert scores.complete().systems["q"].tolist() == [[1.0, 0.0, 0.0]]


# --- The first lines of a file ---


def test_fifty_lines_without_outer_space(tmp_path: Path) -> None:
    text = "\n".join(f" {i} " for i in range(60))
    assert first_lines(FileContent(write(tmp_path, "a.txt", text))) == [
        str(i) for i in range(50)
    ]
    few = FileContent(write(tmp_path, "b.txt", "1\n\n2\n\n"))
    assert first_lines(few) == ["1", "", "2"]


@pytest.mark.parametrize("text", ["", '{"a": 1}\n', "[1]\n"])
def test_none_of_what_is_no_text(tmp_path: Path, text: str) -> None:
    assert first_lines(FileContent(write(tmp_path, "a.txt", text))) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", True), ("-1.5", True), ("+2E+3", True), ("", True), ("nan", True), ("1 2", False),
     ("a", False), ("1e", False)],
)  # fmt: skip
def test_numbers(text: str, number: bool) -> None:
    assert is_score(text) is number


# --- Documents of scores that come one file per system ---


def test_lines_name_the_documents(tmp_path: Path) -> None:
    scores = Scores.build({"A": [1, 2, 3]})
    plain = write(tmp_path, "docs.txt", "d1\nd1\nd2\n")
    assert with_documents(scores, plain).documents == ("d1", "d1", "d2")
    tabbed = write(tmp_path, "t.docs", "news\td1\nnews\td1\nchat\td2\n")
    zero = Scores.build({"A": [1, 2, 3]}, items=["0", "1", "2"])
    assert with_documents(zero, tabbed).documents == ("d1", "d1", "d2")


def test_lines_that_do_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, "docs.txt", "d1\nd2\n")
    with fails("docs.txt: 2 lines for 3 items"):
        with_documents(Scores.build({"A": [1, 2, 3]}), path)
    with fails("docs.txt: the items of the scores have names (first: 'x')"):
        with_documents(Scores.build({"A": [1, 2]}, items=["x", "y"]), path)
    with fails("docs.txt: the scores name their documents already"):
        with_documents(Scores.build({"A": [1, 2]}, documents=["d", "e"]), path)


# --- Scores beside texts must have been computed from these texts ---

SOURCES = ["eins", "zwei", "drei", "vier"]
REFERENCE = ["the one", "the two", "the three", "the four"]
A, B = (
    ["one  here", "two", "three", "four is"],
    ["a one", "a two", "a three", "a four"],
)
SECOND = ["1 here", "2 here", "3 here", "4 here"]
CORPUS = Corpus.build({"A": A, "B": B}, [REFERENCE, SECOND], sources=SOURCES)


def rows(outputs: list[str], **changes: list[str]) -> list[dict[str, Any]]:
    lines = {"src": SOURCES, "mt": outputs, "ref": REFERENCE, **changes}
    return [
        {**dict(zip(lines, texts, strict=True)), "COMET": i / 7}
        for i, texts in enumerate(zip(*lines.values(), strict=True))
    ]


def read(folder: Path, content: object) -> Any:
    path = folder / "comet.json"
    path.write_text(json.dumps(content))
    return comet.read_comet(path)


def test_scores_of_these_texts_are_taken_whatever_their_white_space(tmp_path: Path) -> None:
    scores = read(tmp_path, {"A": rows(["one here", *A[1:]]), "B": rows(B)})
    assert compare(CORPUS, [scores], rng=1).n_segments == 4
    no_texts = [{"COMET": row["COMET"]} for row in rows(A)]
    assert (
        compare(CORPUS, [read(tmp_path, {"A": no_texts, "B": rows(B)})], rng=1).n_segments == 4
    )


def test_outputs_of_another_system_are_refused_with_the_line_and_the_system(
    tmp_path: Path,
) -> None:
    scores = read(tmp_path, {"A": rows(B), "B": rows(B)})
    with pytest.raises(
        DataError,
        match=r"comet.json\), line 1: the output of system 'A' that was scored is 'a one', the texts "
        r"have 'one  here'; 4 of 4 lines differ\. They are the outputs of system 'B'\. Score",
    ):
        compare(CORPUS, [scores], rng=1)
    assert suspicions(scores, ()) == [
        "systems 'A' and 'B' have identical scores: is one a copy?"
    ]


def test_the_same_outputs_under_two_names_are_said(tmp_path: Path) -> None:
    other = [{**row, "COMET": 0.5} for row in rows(B)]
    scores = read(tmp_path, {"A": rows(B), "B": other})
    assert suspicions(scores, ()) == ["systems 'A' and 'B' were scored on the same outputs."]


@pytest.mark.parametrize(
    ("key", "what"), [("ref", "the reference"), ("src", "the source"), ("mt", "the output")]
)
def test_one_line_that_differs_is_named(tmp_path: Path, key: str, what: str) -> None:
    lines = {"ref": REFERENCE, "src": SOURCES, "mt": B}[key]
    changed = [*lines[:2], "something else", lines[3]]
    content = {"A": rows(A), "B": rows(B)}
    if key == "mt":
        content["B"] = rows(B, mt=changed)
    else:  # of all systems, as otherwise the reader refuses it
        content = {"A": rows(A, **{key: changed}), "B": rows(B, **{key: changed})}
    with pytest.raises(
        DataError, match=rf"line 3: {what}.* is 'something else'.*; 1 of 4 lines"
    ):
        compare(CORPUS, [read(tmp_path, content)], rng=1)


def test_any_reference_of_a_segment_will_do() -> None:
    scored = ScoredText("x.json", references=[REFERENCE[0], SECOND[1], None, SECOND[3]])
    check_scored_texts({"A": (scored,)}, CORPUS, "comet")


def test_systems_scored_on_different_references_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"segment 2 of 'B' has the reference 'x', that of 'A' is 'the two'"
    ):
        read(
            tmp_path,
            {"A": rows(A), "B": rows(B, ref=[REFERENCE[0], "x", *REFERENCE[2:]])},
        )


def test_the_files_of_comet_compare_and_metricx_hold_texts_too(tmp_path: Path) -> None:
    content = {
        "source": SOURCES,
        "reference": REFERENCE,
        "translations": [
            {"name": "A", "mt": B, "scores": [0, 1, 2, 3]},
            {"name": "B", "mt": B, "scores": [1, 1, 2, 3]},
        ],
    }
    with pytest.raises(DataError, match="They are the outputs of system 'B'"):
        compare(CORPUS, [read(tmp_path, content)], rng=1)
    content["translations"][0]["mt"] = B[:3]  # type: ignore[index]
    with pytest.raises(DataError, match=r"3 texts beside 4 scores"):
        read(tmp_path, content)
    files = {}
    for name, texts in (("A", A), ("B", A)):
        files[name] = tmp_path / f"{name}.jsonl"
        lines = [
            {
                "source": s,
                "reference": r,
                "hypothesis": h,
                "prediction": 1.5 + len(h) * len(name),
            }
            for s, r, h in zip(SOURCES, REFERENCE, texts, strict=True)
        ]
        files[name].write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(DataError, match=r"output of system 'B'.*outputs of system 'A'"):
        compare(CORPUS, [metricx.read(files)], rng=1)


def test_items_that_are_left_out_take_their_texts_along(tmp_path: Path) -> None:
    scores = read(tmp_path, {"A": rows(A), "B": rows(B)}).take([2, 0])
    assert scores.texts["B"][0].outputs == ("a three", "a one")
