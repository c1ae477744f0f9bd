"""Which way scores go, by their name and their sign."""

import math
from pathlib import Path

import pytest

from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.direction import direction_of, direction_of_name, name_from_files
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.scores import Scores
from tests.data.sample_files import write


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        *((name, "lower") for name in ("metricx", "mqm", "ter", "wer", "ppl", "perplexity")),
        *(
            (name, "lower")
            for name in ("error", "loss", "MetricX-24-Hybrid", "word_perplexity")
        ),
        *((name, "lower") for name in ("TER", "error rate", "eval/loss", "toxicity")),
        *((name, "higher") for name in ("COMET", "chrF2", "wmt22-comet-da", "f1", "includes")),
        *(
            (name, "lower")
            for name in ("output_tokens", "cost_usd", "inference_runtime", "TTFT")
        ),
        *(
            (name, "lower")
            for name in ("latencyMs", "totalTime", "peak memory", "price", "ece")
        ),
        *((name, "lower") for name in ("errors_per_minute", "cost_per_hour", "Hallucination")),
        *((name, "higher") for name in ("tokens_per_second", "throughput", "tokens/s", "tps")),
        *((name, "higher") for name in ("passed", "success_rate", "isCorrect", "BERTScore")),
        *(
            (name, "higher")
            for name in ("MetaMetrics", "exact", "token_f1", "Answer Relevancy")
        ),
        *((name, "unknown") for name in ("words", "length", "steps", "turns", "refusal")),
        *((name, "unknown") for name in ("time to success", "timeline", "bias", "rating")),
        *((name, "unknown") for name in ("score", "glow", "", "comet error", "termite", "22")),
    ],
)
def test_words_in_a_name_tell_the_direction(name: str, direction: str) -> None:
    assert direction_of_name(name) == direction


@pytest.mark.parametrize(
    ("values", "direction"),
    [([0.0, 3.0], "lower"), ([0.0, -3.0, math.nan], "higher"), ([-1.0, 0.005], "unknown")],
)
def test_penalties_with_a_minus_go_up(values: list[float], direction: str) -> None:
    assert direction_of(Scores.build({"A": values}, metric="mqm")) == direction


@pytest.mark.parametrize("name", ["ter", "val_loss", "metricx-24", "z-scored WER"])
def test_scores_of_both_signs_go_by_their_name(name: str) -> None:
    assert direction_of(Scores.build({"A": [-0.5, 1.5]}, metric=name)) == "lower"
    assert direction_of(Scores.build({"A": [-0.5, -1.5]}, metric=name)) == "higher"


def test_the_reader_knows_better_than_the_name() -> None:
    scores = Scores.build({"A": [0.0, -3.0]}, metric="comet", lower_is_better=True)
    assert direction_of(scores) == "lower"
    assert (
        direction_of(Scores.build({"A": [1.0]}, metric="ter", lower_is_better=False))
        == "higher"
    )
    assert direction_of(Scores.build({"A": [1.0]})) == "unknown"
    gap = Scores.build({"A": [0.0, math.nan]}, metric="comet", lower_is_better=True)
    assert gap.complete().lower_is_better is True


def test_the_column_of_a_long_table_names_the_scores(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "system,item,metricx\nA,1,3\nB,1,2\n")
    assert read_scores(path, columns={"score": "metricx"}).metric == "metricx"
    plain = write(tmp_path, "p.csv", "system,item,score\nA,1,3\nB,1,2\n")
    assert read_scores(plain).metric is None
    assert read_scores(plain, metric="wer").metric == "wer"


def test_files_that_are_called_after_an_error(tmp_path: Path) -> None:
    for name in ("A.ter.txt", "B.ter.txt"):
        write(tmp_path, name, "30\n40\n")
    files = {"A": tmp_path / "A.ter.txt", "B": tmp_path / "B.ter.txt"}
    assert read_scores(files).metric == "ter"
    wide = write(tmp_path, "ter.csv", "item,A,B\n1,3,4\n")
    assert read_scores(wide).metric == "ter"
    assert name_from_files(["a.ter", "b.wer"]) is None
    assert name_from_files([]) is None


def test_judgments_in_a_column_of_penalties_get_a_note(tmp_path: Path) -> None:
    path = write(tmp_path, "j.csv", "system,item,ter\nA,1,3\nB,1,2\n")
    notes = read_judgments(path, columns={"score": "ter"}).notes
    assert notes[-1].startswith("Column 'ter': higher is taken to be better, and the name")


def test_words_of_costs_in_names_of_files_must_be_the_last() -> None:
    assert name_from_files(["a.latency.txt", "b.latency.txt"]) == "latency"
    assert name_from_files(["memory-a.txt", "memory-b.txt"]) is None


def test_no_score_of_costs_is_suggested() -> None:
    found = SeveralFound("log", "metric", ["inference_runtime", "num_tokens", "exact_match"])
    assert found.likely == "exact_match"
