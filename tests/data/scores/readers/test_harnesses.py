"""Logs of evaluation harnesses: promptfoo, DeepEval, HELM, lighteval, AlpacaEval."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader, score_readers
from detectable.data.scores.direction import direction_of
from detectable.data.scores.read_scores import read_scores
from detectable.study.comparison.compare import compare
from detectable.study.ranking.item_scores import read_segment_scores
from tests.data.sample_files import SAMPLES, fails, write
from tests.gold_evals import evals
from tests.helpers import reference_data

FOLDER = SAMPLES / "scores"
NAN = math.nan


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("promptfoo.json", "promptfoo"),
        ("deepeval.json", "deepeval"),
        ("mt_bench.jsonl", "mt-bench"),
        ("helm_per_instance_stats.json", "helm"),
        ("alpaca.annotations.json", "alpaca-eval"),
        ("every_eval_ever.jsonl", "every-eval-ever"),
        ("langsmith.csv", "langsmith"),
        ("langfuse/run.json", "langfuse"),
        ("langfuse/scores.jsonl", "langfuse"),
        ("comet.out", "comet-text"),
        ("metricx_A.jsonl", "metricx"),
        ("wmt25_A.jsonl", "metric-scores"),
        ("ad-seg-scores-cs-en.csv", "segment-scores"),
        ("avg_seg_scores.tsv", "segment-scores"),
    ],
)
def test_samples_are_recognised(file: str, name: str) -> None:
    assert find_score_reader(FileContent(FOLDER / file)).name == name


# promptfoo


@pytest.mark.usefixtures("sound_parquet")
def test_promptfoo_matches_by_variables_and_counts_repeats_as_runs() -> None:
    loaded = read_scores(FOLDER / "promptfoo.json")
    scores = loaded
    assert scores.items == ('{"q": "hello"}', '{"q": "bye"}')
    np.testing.assert_equal(scores.systems["lab:one"], [[1, 0.5], [0, NAN]])
    np.testing.assert_equal(scores.systems["Two"], [[NAN, 1]])
    assert (scores.metric, scores.lower_is_better) == ("score", False)
    named = read_scores(FOLDER / "promptfoo.json", metric="tone", systems=["lab:one"])
    assert named.lower_is_better is None
    assert (
        f"{FOLDER / 'promptfoo.json'}: 1 call of 'Two' failed and has no score." in loaded.notes
    )
    tone = read_scores(FOLDER / "promptfoo.json", metric="tone", systems=["lab:one"])
    np.testing.assert_equal(tone.systems["lab:one"], [[0.25, 0.5], [0.75, NAN]])


@pytest.mark.usefixtures("sound_parquet")
def test_promptfoo_with_several_prompts_as_published() -> None:
    for parts in (("real", "promptfoo", "output.json"),
                  ("more", "real", "promptfoo", "v4evalToShare.json")):  # fmt: skip
        scores = read_scores(reference_data("data", *parts))
        assert len(scores.systems) == 2
        assert scores.n_items == 4
        assert all((table == 1.0).all() for table in scores.systems.values())


@pytest.mark.usefixtures("sound_parquet")
def test_promptfoo_for_one_system(tmp_path: Path) -> None:
    with fails("promptfoo.json: the file holds 2 systems (lab:one, Two); expected one for 'a'"):
        read_scores({"a": FOLDER / "promptfoo.json"})
    with fails("there is no metric 'x'. Found: score, tone"):
        read_scores(FOLDER / "promptfoo.json", metric="x")
    empty = write(tmp_path, "p.json", '{"results": {"version": 3, "results": []}}')
    with fails("p.json: the file holds no results of promptfoo"):
        read_scores(empty)


def _promptfoo(folder: Path, *rows: dict[str, Any], nested: bool = False) -> Path:
    results: Any = {"version": 3, "results": rows} if nested else rows
    return write(folder, "p.json", json.dumps({"results": results}))


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("nested", [True, False])
def test_promptfoo_names_prompts_where_there_are_several(tmp_path: Path, nested: bool) -> None:
    case = {"vars": {"q": "a", "__repeat": 1}, "description": "first"}
    one = {"promptIdx": 0, "testIdx": 5, "provider": "lab", "score": 1, "testCase": case}
    two = {**one, "promptIdx": 1, "score": 0.5}
    path = _promptfoo(tmp_path, one, two, nested=nested)
    assert find_score_reader(FileContent(path)).name == "promptfoo"
    scores = read_scores(path)
    assert scores.items == ('{"description": "first", "q": "a"}',)
    assert {name: table.tolist() for name, table in scores.systems.items()} == {
        "lab #1": [[1.0]],
        "lab #2": [[0.5]],
    }


@pytest.mark.usefixtures("sound_parquet")
def test_promptfoo_without_variables_or_provider(tmp_path: Path) -> None:
    rows = [
        {"promptIdx": 0, "testIdx": test, "score": 1, "failureReason": reason}
        for test, reason in ((7, 1), (8, 2))
    ]
    loaded = read_scores(_promptfoo(tmp_path, *rows))
    assert loaded.items == ("7", "8")
    np.testing.assert_equal(loaded.systems, {"provider": np.array([[1.0, NAN]])})
    bare = write(tmp_path, "b.json", json.dumps({"results": [{"promptIdx": 0}]}))
    assert find_score_reader(FileContent(bare)).name != "promptfoo"
    none = write(tmp_path, "n.json", '{"results": []}')
    assert not score_readers().get("promptfoo").recognise(FileContent(none))
    with fails("p.json, result 2, score: expected a score, found 'x'"):
        read_scores(_promptfoo(tmp_path, rows[0], {**rows[0], "score": "x"}))


# DeepEval


@pytest.mark.usefixtures("sound_parquet")
def test_deepeval_takes_the_score_and_not_whether_it_passed() -> None:
    loaded = read_scores(FOLDER / "deepeval.json", metric="Correctness")
    np.testing.assert_equal(loaded.systems, {"lab-1": np.array([[0.75, NAN]])})
    assert loaded.items == ("What is 1 + 1?", "What is 2 + 2?")
    assert loaded.notes[0] == f"{FOLDER / 'deepeval.json'}: 1 test case ended in an error."
    with fails("the log holds 2 metrics: Correctness, Bias. Choose one"):
        read_scores(FOLDER / "deepeval.json")


@pytest.mark.usefixtures("sound_parquet")
def test_deepeval_matches_by_input(tmp_path: Path) -> None:
    content = json.loads((FOLDER / "deepeval.json").read_text())
    content["testCases"].reverse()
    other = write(tmp_path, "other.json", json.dumps(content))
    both = {"a": FOLDER / "deepeval.json", "b": other}
    scores = read_scores(both, metric="Bias")
    np.testing.assert_equal(scores.systems["a"], scores.systems["b"])


@pytest.mark.usefixtures("sound_parquet")
def test_deepeval_without_a_model_or_a_metric_of_a_case(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [
        {"input": "a", "metricsData": [{"name": "Bias", "score": 0.5}]},
        {"input": {"q": 1}, "metricsData": []},
    ]
    path = write(tmp_path, "mine.json", json.dumps({"testCases": cases}))
    assert find_score_reader(FileContent(path)).name == "deepeval"
    loaded = read_scores(path)
    np.testing.assert_equal(loaded.systems, {"mine": np.array([[0.5, NAN]])})
    assert loaded.items == ("a", '{"q": 1}')
    assert not any("ended in an error" in note for note in loaded.notes)
    oddities: list[Any] = [{"testCases": []}, {"testCases": 3}, [1]]
    for odd in oddities:
        with fails("the file holds no test cases of DeepEval"):
            read_scores(write(tmp_path, "odd.json", json.dumps(odd)), format="deepeval")
    with fails("odd.json, test case 1, metric 'Bias': expected a score"):
        cases[0]["metricsData"] = [{"name": "Bias", "score": "x"}]
        read_scores(write(tmp_path, "odd.json", json.dumps({"testCases": cases})))


# HELM


@pytest.mark.usefixtures("sound_parquet")
def test_helm_leaves_out_perturbed_instances() -> None:
    loaded = read_scores(FOLDER / "helm_per_instance_stats.json", metric="exact_match")
    np.testing.assert_equal(next(iter(loaded.systems.values())), [[1.0, 0.0]])
    assert loaded.items == ("id1", "id2")
    assert loaded.notes[0].endswith(
        "helm_per_instance_stats.json: 1 perturbed instance left out."
    )
    with fails("the log holds 2 metrics: exact_match, num_bytes"):
        read_scores(FOLDER / "helm_per_instance_stats.json")


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.golden
@pytest.mark.parametrize(
    ("begin", "model", "name"),
    [
        ("commonsense", "eleutherai_pythia-1b-v0", "hellaswag_pythia-1b"),
        ("mmlu", "openai_gpt2", "mmlu_philosophy_gpt2"),
    ],
)
def test_published_runs_of_helm(begin: str, model: str, name: str) -> None:
    path = next(reference_data("data", "real", "helm").glob(f"{begin}*"))
    scores = read_scores(path, metric="exact_match")
    assert scores.n_items == 10
    means = {system: table.mean() for system, table in scores.systems.items()}
    assert means == {model: pytest.approx(evals("helm.exact_match")[name])}


@pytest.mark.usefixtures("sound_parquet")
def test_the_score_that_is_proposed_scores_answers(tmp_path: Path) -> None:
    named = [
        "num_references",
        "num_perplexity_tokens",
        "inference_runtime",
        "exact_match",
        "f1",
    ]
    for names, proposed in ((named, "exact_match"), (named[:3], "num_references")):
        stats = [{"name": {"name": name}, "mean": 1.0} for name in names]
        path = tmp_path / "per_instance_stats.json"
        path.write_text(json.dumps([{"instance_id": "id1", "stats": stats}]))
        with fails(f"Choose one with metric='{proposed}'."):
            read_scores(path)
    real = next(reference_data("data", "real", "helm").glob("mmlu*"))
    with fails("Choose one with metric='exact_match'."):
        read_scores(real)


def _helm(folder: Path, model: str, text: str = "1 + 1 =") -> Path:
    run = folder / f"mmlu:subject=x,model={model}"
    run.mkdir(parents=True)
    (run / "per_instance_stats.json").write_bytes(
        (FOLDER / "helm_per_instance_stats.json").read_bytes()
    )
    spec = {"name": run.name, "adapter_spec": {"model": f"lab/{model}"}}
    (run / "run_spec.json").write_text(json.dumps(spec))
    states = [{"instance": {"id": "id1", "input": {"text": text}}}]
    (run / "scenario_state.json").write_text(json.dumps({"request_states": states}))
    return run


@pytest.mark.usefixtures("sound_parquet")
def test_a_folder_of_helm_holds_a_run_per_model(tmp_path: Path) -> None:
    first = _helm(tmp_path, "a")
    _helm(tmp_path, "b")
    scores = read_scores(tmp_path, metric="exact_match")
    assert list(scores.systems) == ["lab/a", "lab/b"]
    assert scores.n_items == 2  # the model in the name of the run is no task
    assert list(read_scores({"x": first}, metric="exact_match").systems) == ["x"]
    with fails("the folder holds logs of 2 systems: lab/a, lab/b. Give the files or"):
        read_scores({"x": tmp_path}, metric="exact_match")


@pytest.mark.usefixtures("sound_parquet")
def test_two_runs_of_helm_are_two_systems(tmp_path: Path) -> None:
    old, new = (_helm(tmp_path / suite, "a") for suite in ("v1", "v2"))
    _helm(tmp_path / "v2", "b")
    other = json.loads((new / "per_instance_stats.json").read_bytes())
    (new / "per_instance_stats.json").write_text(json.dumps(other[:1]))
    scores = read_scores(tmp_path, metric="exact_match")
    assert list(scores.systems) == ["lab/a (v1)", "lab/a (v2)", "lab/b"]
    assert [scores.n_runs(name) for name in scores.systems] == [1, 1, 1]
    assert list(read_scores(old.parent, metric="exact_match").systems) == ["lab/a"]
    again = old.with_name("again")
    shutil.copytree(old, again)  # its specification names the same task
    names = [f"lab/a (v1/{run}/per_instance_stats)" for run in ("again", old.name)]
    assert list(read_scores(tmp_path, metric="exact_match").systems)[:2] == names


@pytest.mark.usefixtures("sound_parquet")
def test_runs_of_helm_without_files_beside(tmp_path: Path) -> None:
    stats = [{"name": {"name": "exact_match"}, "mean": 1.0}]
    rows = [
        {"instance_id": "id1", "train_trial_index": trial, "stats": stats} for trial in (0, 1)
    ]
    run = tmp_path / "mmlu:subject=x,model=lab_m"
    run.mkdir()
    named = "mmlu:subject=x_model_lab_n__per_instance_stats.json"
    for path in (run / "per_instance_stats.json", tmp_path / named):
        path.write_text(json.dumps(rows))
    (run / "run_spec.json").write_text("[]")  # says nothing
    (run / "scenario_state.json").write_text('{"request_states": 3}')
    scores = read_scores(tmp_path)
    assert scores.metric == "exact_match"
    assert set(scores.systems) == {"lab_m", "lab_n"}
    assert scores.items == ("id1",)  # one task
    assert all(len(scores.systems[name]) == 2 for name in scores.systems)
    same = [run / "per_instance_stats.json"] * 2
    assert read_scores({"x": same}).n_samples("x").max() == 4  # trials of both files
    with fails("instance 1 has no stats"):
        read_scores(write(tmp_path, "odd.json", '[{"stats": []}]'), format="helm")
    for text in ("[]", "{}"):
        with fails("the file holds no instances of HELM"):
            read_scores(write(tmp_path, named, text), format="helm")


@pytest.mark.usefixtures("sound_parquet")
def test_questions_of_perturbed_instances_do_not_count(tmp_path: Path) -> None:
    _helm(tmp_path, "a")
    other = _helm(tmp_path, "b")
    state = json.loads((other / "scenario_state.json").read_text())
    for instance in (3, {"id": "id1", "input": {"text": "x"}, "perturbation": {"name": "y"}}):
        state["request_states"].append({"instance": instance})
    (other / "scenario_state.json").write_text(json.dumps(state))
    assert read_scores(tmp_path, metric="exact_match").n_items == 2


@pytest.mark.usefixtures("sound_parquet")
def test_instances_of_helm_must_be_the_same_questions(tmp_path: Path) -> None:
    _helm(tmp_path, "a")
    _helm(tmp_path, "b", "2 + 2 =")
    with fails("question 'id1' of task 'mmlu:subject=x' differs from that in"):
        read_scores(tmp_path, metric="exact_match")


# lighteval


def _details(folder: Path, model: str, date: str, scores: list[float]) -> Path:
    path = (
        folder / "details" / "lab" / model / date / f"details_leaderboard|arc|0_{date}.parquet"
    )
    path.parent.mkdir(parents=True)
    rows: dict[str, list[Any]] = {
        "doc": [{"id": "", "query": f"question {i} " * 9} for i, _ in enumerate(scores)],
        "metric": [{"acc": score, "acc_norm": 1 - score} for score in scores],
        "model_response": [{"text": ["a"]} for _ in scores],
    }
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.usefixtures("sound_parquet")
def test_lighteval_by_folder(tmp_path: Path) -> None:
    _details(tmp_path, "one", "2025-01-01T00-00-00.0", [0.0, 0.0])
    newest = _details(tmp_path, "one", "2025-02-01T00-00-00.0", [1.0, 0.0])
    _details(tmp_path, "two", "2025-01-01T00-00-00.0", [0.0, 1.0])
    loaded = read_scores(tmp_path, metric="acc")
    np.testing.assert_equal(
        loaded.systems, {"lab/one": np.array([[1.0, 0.0]]), "lab/two": [[0.0, 1.0]]}
    )
    assert f"{tmp_path}: 1 older file of the same tasks left out." in loaded.notes
    assert find_score_reader(FileContent(newest)).name == "lighteval"
    with fails("the log holds 2 metrics: acc, acc_norm"):
        read_scores(newest)


@pytest.mark.usefixtures("sound_parquet")
def test_a_score_of_lighteval_that_is_none_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "details_x_2025-01-01T00-00-00.0.parquet"
    docs = [{"id": "1", "query": "q"}] * 2
    pl.DataFrame({"doc": docs, "metric": [{"acc": "1"}, {"acc": "x"}]}).write_parquet(path)
    with fails("row 2, column 'acc': expected a score, found 'x'"):
        read_scores(path)


@pytest.mark.usefixtures("sound_parquet")
def test_old_details_of_lighteval_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "details_x_2025-01-01T00-00-00.0.parquet"
    pl.DataFrame({"doc": ["{}"], "metric": ["{}"]}).write_parquet(path)
    with fails("row 1: the columns 'doc' and 'metric' must hold named values"):
        read_scores(path)


@pytest.mark.usefixtures("sound_parquet")
def test_lighteval_outside_its_folders(tmp_path: Path) -> None:
    rows = {
        "doc": [{"id": "7", "query": "q"}, {"id": "", "query": "p"}],
        "metric": [{"acc": 1}] * 2,
    }
    (tmp_path / "model").mkdir()
    names = ("details_arc_2025-01-01T00-00-00.0.parquet", "mine.parquet")
    paths = [tmp_path / "model" / name for name in names]
    for path in paths:
        pl.DataFrame(rows).write_parquet(path)
        scores = read_scores(path)
        assert list(scores.systems) == ["model"]
        assert (scores.items, scores.documents) == (("7", "p"), None)
    named = read_scores({"x": paths})
    assert named.tasks == ("arc", "arc", "mine", "mine")
    bare = tmp_path / "details"
    bare.mkdir()
    pl.DataFrame(rows).write_parquet(bare / "a.parquet")
    assert list(read_scores(bare / "a.parquet").systems) == ["details"]


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize(("good", "line"), [(0, 1), (1, 2)])
def test_details_of_lighteval_without_names(tmp_path: Path, good: int, line: int) -> None:
    path = tmp_path / "details_x_2025-01-01T00-00-00.0.parquet"
    doc = [{"id": "1", "query": "q"}] * good + [None]
    rows = {"doc": doc, "metric": [{"acc": 1.0}] * (good + 1)}
    pl.DataFrame(rows, schema_overrides={"doc": pl.Struct({"id": pl.String, "query": pl.String})}
                 ).write_parquet(path)  # fmt: skip
    with fails(f"row {line}: the columns 'doc' and 'metric' must hold named values"):
        read_scores(path)


# AlpacaEval


@pytest.mark.usefixtures("sound_parquet")
def test_alpaca_eval_is_the_probability_of_a_win() -> None:
    loaded = read_scores(FOLDER / "alpaca.annotations.json")
    np.testing.assert_equal(loaded.systems, {"mine": np.array([[0.75, 0.5, NAN]])})
    assert loaded.metric == "wins against ref"
    assert loaded.notes[0].endswith("1 annotation without a preference.")


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.golden
def test_win_rates_of_the_leaderboard() -> None:
    folder = reference_data("data", "real", "alpaca-eval")
    names = ("claude-2.1", "gemma-7b-it")
    scores = read_scores({name: folder / f"{name}.annotations.json" for name in names})
    assert scores.n_items == 805
    means = {name: 100 * float(table.mean()) for name, table in scores.systems.items()}
    assert means == {
        "claude-2.1": pytest.approx(15.733507, abs=5e-7),
        "gemma-7b-it": pytest.approx(6.937294, abs=5e-7),
    }
    errors = {n: 100 * float(t.std(ddof=1)) / 805**0.5 for n, t in scores.systems.items()}
    assert errors["gemma-7b-it"] == pytest.approx(0.786967, abs=5e-7)
    assert errors["claude-2.1"] == pytest.approx(1.120316, abs=5e-7)
    result = compare(scores, baseline="gemma-7b-it", rng=1, n_resamples=199)
    assert 100 * result.pairs[0].difference == pytest.approx(8.796, abs=5e-4)
    assert result.pairs[0].verdict == "better"


@pytest.mark.usefixtures("sound_parquet")
def test_preferences_of_two_annotators_are_not_mixed(tmp_path: Path) -> None:
    text = (FOLDER / "alpaca.annotations.json").read_text()
    other = write(tmp_path, "b.json", text.replace("judge-1", "judge-2"))
    with pytest.raises(DataError, match="preferences of 2 annotators: judge-1, judge-2"):
        read_scores({"a": FOLDER / "alpaca.annotations.json", "b": other})
    odd = write(tmp_path, "c.json", text.replace("1.75", "2.5"))
    with fails("c.json, line 1, column 'preference': a preference goes from 1 to 2"):
        read_scores(odd)


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("promptfoo.json", '"promptIdx": 0', '"promptIdx": {}', "result 1 is no result"),
        ("promptfoo.json", '"namedScores": {"tone": 0.25}', '"namedScores": 3', "result 1 is no"),
        ("helm_per_instance_stats.json", '"train_trial_index": 0', '"train_trial_index": "x"',
         "instance 1 has no stats, or no whole number of its trial"),
        ("helm_per_instance_stats.json", '{"name": "exact_match", "split": "test"}', "7",
         "a statistic of instance 1 has no name"),
        ("helm_per_instance_stats.json", '"count": 1, "mean": 1.0', '"count": 1, "mean": "x"',
         "instance 1, exact_match: expected a score, found 'x'"),
        ("deepeval.json", '"metricsData": [{"name": "Correctness"', '"metricsData": [3, {"name": "C"',
         "test case 1 has no metricsData"),
        ("alpaca.annotations.json", '"instruction": "Name a fish.", ', "",
         "line 2: expected an annotation of AlpacaEval with instruction"),
    ],
)  # fmt: skip
def test_odd_content_is_named(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    text = (FOLDER / file).read_text()
    assert old in text
    path = write(tmp_path, file, text.replace(old, new, 1))
    format = find_score_reader(FileContent(FOLDER / file)).name
    with fails(message):
        read_scores(path, format=format, metric="exact_match" if format == "helm" else None)


@pytest.mark.usefixtures("sound_parquet")
def test_what_ended_in_an_error_may_count_zero() -> None:
    path = FOLDER / "promptfoo.json"
    loaded = read_scores(path, errors="zero")
    assert loaded.systems["Two"][0].tolist() == [0.0, 1.0]
    assert f"{path}: 1 call of 'Two' failed and counts 0." in loaded.notes
    case = FOLDER / "deepeval.json"
    found = read_scores(case, metric="Correctness", errors="zero")
    assert found.systems["lab-1"].tolist() == [[0.75, 0.0]]
    assert f"{case}: 1 test case ended in an error and counts 0." in found.notes
    with pytest.raises(
        InputError, match=r"`errors` does not apply to scores in the format 'helm'"
    ):
        read_scores(FOLDER / "helm_per_instance_stats.json", errors="zero")
    with pytest.raises(InputError, match=r"`errors` must be one of missing, zero"):
        read_scores(path, errors="x")  # type: ignore[arg-type]


@pytest.mark.usefixtures("sound_parquet")
def test_repeats_of_a_test_are_samples() -> None:
    scores = read_scores(FOLDER / "promptfoo.json")
    assert scores.repeats == "samples"
    assert scores.averaged().systems["lab:one"].tolist() == [[0.5, 0.5]]


# MT-bench


@pytest.mark.usefixtures("sound_parquet")
def test_turns_of_mt_bench_are_samples_of_a_question(tmp_path: Path) -> None:
    path = FOLDER / "mt_bench.jsonl"
    loaded = read_scores(path)
    assert loaded.items == ("81", "82")
    assert loaded.metric == "grade"
    means = loaded.averaged().systems
    assert {name: table.tolist() for name, table in means.items()} == {
        "A": [[9.0, 4.0]], "B": [[6.5, 6.0]]}  # fmt: skip
    assert f"{path}: 1 answer that the judge failed to grade (-1)." in loaded.notes
    assert read_scores(path, metric="helpful", systems=["B"]).metric == "helpful"
    row = json.loads(path.read_text().splitlines()[0])
    two = write(
        tmp_path, "two.jsonl", f"{json.dumps(row)}\n{json.dumps({**row, 'judge': 'x'})}\n"
    )
    with fails("two.jsonl: the file holds grades of 2 judges"):
        read_scores(two)
    odd = write(tmp_path, "odd.jsonl", json.dumps({**row, "turn": "first"}) + "\n")
    with fails(
        "odd.jsonl, line 1: expected model, question_id, score, turn, with a whole turn"
    ):
        read_scores(odd)


# --- What metrics of translation print or publish: COMET, MetricX, WMT25, averages of segments ---


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
    with fails("c.out, line 4: expected “FILE TAB Segment N TAB score: x”"):
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
