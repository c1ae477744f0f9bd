"""What is easily misread in a format: each has its line in the table of readers of evaluation logs.

The other traps of that table stand with the tests of their formats.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.data.battles.read_battles import read_battles
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import fails
from tests.helpers import reference_data

pytestmark = pytest.mark.usefixtures("sound_parquet")

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
        scores = read_scores(path)
        assert scores.systems["m"].tolist() == [[1.0, 1.0], [0.0, 1.0]]
        assert scores.repeats == "samples"


def test_what_inspect_writes_beside_its_logs_is_no_log(tmp_path: Path) -> None:
    log = {**HEAD, "samples": [_sample(1, 1, "C"), _sample(2, 1, "I")]}
    for name in ("run.json", "logs.json", "eval-set.json"):
        (tmp_path / name).write_text(json.dumps(log))
    assert read_scores(tmp_path).systems["m"].tolist() == [[1.0, 0.0]]


def _log(folder: Path, name: str, value: str, status: str = "success", **about: Any) -> None:
    head = {"eval": {"task": "arc", "model": "m", **about}, "status": status}
    log = {**head, "samples": [_sample(1, 1, value), _sample(2, 1, value)]}
    (folder / name).write_text(json.dumps(log))


def test_a_retry_of_inspect_that_failed_does_not_replace_a_success(tmp_path: Path) -> None:
    _log(tmp_path, "1.json", "C")
    _log(tmp_path, "2.json", "I", "error")
    loaded = read_scores(tmp_path)
    assert loaded.systems["m"].tolist() == [[1.0, 1.0]]
    assert f"{tmp_path}: 1 log of tasks that were tried again left out." in loaded.notes


def test_of_retries_that_all_failed_the_last_is_read(tmp_path: Path) -> None:
    _log(tmp_path, "1.json", "C", "error")
    _log(tmp_path, "2.json", "I", "cancelled")
    loaded = read_scores(tmp_path)
    assert loaded.systems["m"].tolist() == [[0.0, 0.0]]
    assert any("did not finish (status 'cancelled')" in note for note in loaded.notes)


def test_a_task_of_inspect_with_other_arguments_is_another_system(tmp_path: Path) -> None:
    _log(tmp_path, "1.json", "C", task_args={"shots": 5, "seed": 1})
    _log(tmp_path, "2.json", "I", task_args={"shots": 0, "seed": 1})
    _log(tmp_path, "3.json", "C", task_args={"shots": 0, "seed": 1})
    _log(tmp_path, "4.json", "I", task="gsm", task_args={"shots": 5})
    _log(tmp_path, "5.json", "I", task="gsm", task_args={"shots": 0})
    systems = read_scores(tmp_path).systems
    assert list(systems) == ["m (shots=5)", "m (shots=0)"]
    np.testing.assert_equal(systems["m (shots=5)"], [[1, 1, 0, 0]])
    np.testing.assert_equal(systems["m (shots=0)"], [[1, 1, 0, 0]])  # of two logs, the last
    with fails("the folder holds logs of 2 systems: m (shots=5), m (shots=0). Give the files"):
        read_scores({"x": tmp_path})


def test_arguments_of_different_tasks_make_no_other_system(tmp_path: Path) -> None:
    _log(tmp_path, "1.json", "C", task_args={"shots": 5})
    _log(tmp_path, "2.json", "I", task="gsm", task_args={"shots": 0})
    _log(tmp_path, "3.json", "I", task="mmlu")
    scores = read_scores(tmp_path)
    assert list(scores.systems) == ["m"]
    assert set(scores.tasks or ()) == {"arc", "gsm", "mmlu"}


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
    assert set(read_scores(tmp_path).tasks or ()) == {"arc_easy", "arc_hard"}


def test_splits_of_helm_are_told() -> None:
    path = next(reference_data("data", "real", "helm").glob("mmlu*"))
    loaded = read_scores(path, metric="exact_match")
    assert loaded.n_items == 10
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
    np.testing.assert_equal(loaded.systems["m"], [[0.5, 0.5, 0.0, 1.0, np.nan]])
    assert loaded.notes[0].endswith("1 annotation without a preference.")


def test_draws_of_alpaca_eval_are_draws_as_battles_too(tmp_path: Path) -> None:
    rows = [
        {"instruction": str(i), "generator_1": "ref", "generator_2": "m", "preference": value}
        for i, value in enumerate((0, 1.5, 1, None))
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    battles = read_battles(tmp_path / "a.json")
    assert battles.outcome.tolist() == [0.5, 0.5, 0.0]
    assert battles.notes == ("1 battle left out: comparisons without an outcome.",)


def test_lighteval_without_ids_goes_by_the_question_and_keeps_the_whole_task(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "details" / "m" / "2025-01-01T00-00-00.0"
    folder.mkdir(parents=True)
    docs = [{"query": "1 + 1"}, {"query": "2 + 2"}]  # the column of ids is dropped on saving
    for task, values in (("lighteval|gsm8k|0", (1.0, 0.0)), ("lighteval|gsm8k|5", (0.0, 0.0))):
        frame = pl.DataFrame({"doc": docs, "metric": [{"em": value} for value in values]})
        frame.write_parquet(folder / f"details_{task}_2025-01-01T00-00-00.0.parquet")
    scores = read_scores(tmp_path)
    cells = zip(scores.tasks or (), scores.items, scores.systems["m"][0], strict=True)
    assert sorted(cells) == [
        ("lighteval|gsm8k|0", "lighteval|gsm8k|0:1 + 1", 1.0),
        ("lighteval|gsm8k|0", "lighteval|gsm8k|0:2 + 2", 0.0),
        ("lighteval|gsm8k|5", "lighteval|gsm8k|5:1 + 1", 0.0),
        ("lighteval|gsm8k|5", "lighteval|gsm8k|5:2 + 2", 0.0),
    ]


def test_languages_of_an_arena_are_not_ranked_together(tmp_path: Path) -> None:
    path = tmp_path / "arena.csv"
    path.write_text(
        "question_id,model_a,model_b,winner,language\n"
        "q1,A,B,model_a,English\nq2,A,B,tie,German\n"
    )
    judgments = read_judgments(path)
    assert judgments.column("language").levels == ("English", "German")
    with fails("English, German", "--language"):
        rank_systems(judgments)


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
    [scores] = loaded.systems.values()
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
    scores = read_scores(path)
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
