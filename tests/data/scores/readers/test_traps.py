"""What is easily misread in a format: each has its line in the table of readers of evaluation logs.

The other traps of that table stand with the tests of their formats.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import fails
from tests.helpers import reference_data

HEAD = {"eval": {"task": "arc", "model": "m"}, "status": "success"}


def _sample(item: int, epoch: int, value: str) -> dict[str, Any]:
    return {"id": item, "epoch": epoch, "scores": {"match": {"value": value}}}


def _archive(path: Path, members: dict[str, Any]) -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, member in members.items():
            file.writestr(name, json.dumps(member))
    path.write_bytes(content.getvalue())
    return path


def test_reduced_scores_of_inspect_are_not_counted_twice(tmp_path: Path) -> None:
    samples = {
        f"samples/{item}_epoch_{epoch}.json": _sample(item, epoch, value)
        for item, epoch, value in ((1, 1, "C"), (1, 2, "I"), (2, 1, "C"), (2, 2, "C"))
    }
    reduced = [
        {"scorer": "match", "reducer": "mean", "samples": [{"value": 0.5, "sample_id": 1}]}
    ]
    plain = _archive(tmp_path / "plain.eval", {"header.json": HEAD, **samples})
    both = _archive(
        tmp_path / "both.eval",
        {"header.json": HEAD, **samples, "reductions.json": reduced},
    )
    for path in (plain, both):
        scores = read_scores(path).table
        assert scores.systems["m"].tolist() == [[1.0, 1.0], [0.0, 1.0]]
        assert scores.repeats == "samples"


def test_what_inspect_writes_beside_its_logs_is_no_log(tmp_path: Path) -> None:
    log = {**HEAD, "samples": [_sample(1, 1, "C"), _sample(2, 1, "I")]}
    for name in ("run.json", "logs.json", "eval-set.json"):
        (tmp_path / name).write_text(json.dumps(log))
    assert read_scores(tmp_path).table.systems["m"].tolist() == [[1.0, 0.0]]


def test_groups_of_the_harness_are_no_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "lab__m"
    folder.mkdir()
    for task in ("arc_easy", "arc_hard"):
        rows: list[dict[str, Any]] = [
            {"doc_id": i, "doc_hash": f"{task}{i}", "resps": [], "acc": i % 2} for i in (0, 1)
        ]
        name = f"samples_{task}_2025-01-01T00-00-00.000001.jsonl"
        (folder / name).write_text("\n".join(map(json.dumps, rows)))
    results = {
        "arc": {"acc,none": 0.5},
        "arc_easy": {"acc,none": 0.5},
        "arc_hard": {"acc,none": 0.5},
    }
    about = {"results": results, "groups": {"arc": {}}, "n-samples": {}}
    (folder / "results_2025-01-01T00-00-00.000001.json").write_text(json.dumps(about))
    assert set(read_scores(tmp_path).table.tasks or ()) == {"arc_easy", "arc_hard"}


def test_splits_of_helm_are_told() -> None:
    path = next(reference_data("data", "real", "helm").glob("mmlu*"))
    loaded = read_scores(path, metric="exact_match")
    assert loaded.table.n_items == 10
    [note] = loaded.notes
    assert note.endswith("instances of 2 splits count alike: test 9, valid 1.")


def test_draws_of_alpaca_eval_are_written_in_two_ways(tmp_path: Path) -> None:
    rows = [
        {
            "instruction": str(i),
            "generator_1": "ref",
            "generator_2": "m",
            "preference": preference,
        }
        for i, preference in enumerate((0, 1.5, 1, 2, None))
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    loaded = read_scores(tmp_path / "a.json")
    np.testing.assert_equal(loaded.table.systems["m"], [[0.5, 0.5, 0.0, 1.0, np.nan]])
    assert loaded.notes[0].endswith("1 annotation without a preference.")


_CASE = {"name": "test_case_0", "input": "1 + 1", "success": True}


def test_a_flaky_metric_of_deepeval_is_missing_and_not_passed(tmp_path: Path) -> None:
    failed = {"name": "Bias", "score": None, "error": "the judge timed out", "success": True}
    sure = {"name": "Bias", "score": 0.25, "threshold": 0.1, "success": True}
    cases = [
        {**_CASE, "metricsData": [failed]},
        {**_CASE, "input": "2 + 2", "metricsData": [sure]},
    ]
    (tmp_path / "run.json").write_text(json.dumps({"testCases": cases}))
    loaded = read_scores(tmp_path / "run.json")
    [scores] = loaded.table.systems.values()
    np.testing.assert_equal(scores, [[np.nan, 0.25]])
    assert any("1 of 2 items without a score" in note for note in loaded.notes)


_WMT = "doc_id\tsegment_id\tsource_lang\ttarget_lang\tset_id\tsystem_id\tdomain_name\tmethod\toverall"


def _wmt(folder: Path, *rows: tuple[str, int, str, str, str, str]) -> Path:
    lines = [
        f"{d}\t{s}\ten\t{to}\t{of}\t{who}\tnews\tesa\t{x}" for d, s, to, of, who, x in rows
    ]
    path = folder / "mteval.tsv"
    path.write_text("\n".join([_WMT, *lines]))
    return path


def test_languages_of_wmt25_are_tasks_and_segments_restart(tmp_path: Path) -> None:
    path = _wmt(
        tmp_path,
        ("d1", 1, "cs", "official", "X", "80"), ("d2", 1, "cs", "official", "X", "NaN"),
        ("d1", 1, "ja", "official", "X", "70"), ("d1", 1, "cs", "official", "Y", "81"),
        ("d2", 1, "cs", "official", "Y", "82"),
    )  # fmt: skip
    scores = read_scores(path).table
    assert scores.tasks == ("en-cs", "en-cs", "en-ja")
    np.testing.assert_equal(scores.systems["X"], [[80.0, np.nan, 70.0]])
    np.testing.assert_equal(scores.systems["Y"], [[81.0, 82.0, np.nan]])  # not in Japanese


def test_challenge_sets_of_wmt25_are_kept_apart(tmp_path: Path) -> None:
    path = _wmt(
        tmp_path, ("d1", 1, "cs", "official", "X", "80"), ("d2", 1, "cs", "hard", "X", "10")
    )
    with fails("column 'set_id': 2 campaigns: official, hard", "Give a table of one of them."):
        read_scores(path)


@pytest.mark.parametrize("score", [27.7, "27.7 (p = 0.0100)*"])
def test_scores_of_whole_test_sets_are_refused_however_written(
    tmp_path: Path, score: object
) -> None:
    content = [{"name": "BLEU", "score": score, "signature": {"nrefs": 1}}]
    (tmp_path / "bleu.json").write_text(json.dumps(content))
    with fails("holds scores of whole test sets", "sacrebleu --sentence-level"):
        read_scores(tmp_path / "bleu.json")


def test_a_table_of_promptfoo_has_answers_and_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "output.csv"
    path.write_text('question,"[openai:gpt] prompt"\n1 + 1,"[PASS] 2"\n')
    with fails("column '[openai:gpt] prompt': expected a score, found '[PASS] 2'"):
        read_scores(path)
