"""Preferences between systems: AlpacaEval, Arena-Hard, MT-bench and battles of arenas."""

from pathlib import Path

import polars as pl
import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.human.preferences import NOTE
from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

pytestmark = pytest.mark.usefixtures("sound_parquet")

FOLDER = SAMPLES / "judgments"


def _rows(judgments: Judgments, *roles: str) -> list[tuple[object, ...]]:
    whole = judgments.to_columns()
    return list(zip(*(whole[role] for role in roles), strict=True))


def test_alpaca_eval_as_preferences() -> None:
    judgments = read_judgments(FOLDER / "alpaca_eval.json")
    assert _rows(judgments, "system", "item", "score", "rater") == [
        ("mine", "own: Name a bird.", 0.75, "judge-1"),
        ("ref", "own: Name a bird.", 0.25, "judge-1"),
        ("mine", "own: Name a fish.", 0.5, "judge-1"),
        ("ref", "own: Name a fish.", 0.5, "judge-1"),
    ]
    assert judgments.scale == (0.0, 1.0)
    assert judgments.notes == (
        "1 battle left out: comparisons without an outcome.",
        NOTE,
    )


@pytest.mark.golden
def test_a_published_win_rate() -> None:
    path = reference_data("data", "real", "alpaca-eval", "claude-2.1.annotations.json")
    judgments = read_judgments(path)
    assert judgments.where(system="claude-2.1").n_judgments == 805
    mean = judgments.where(system="claude-2.1").score.mean()
    assert 100 * mean == pytest.approx(15.733507, abs=5e-7)
    ranking = rank_systems(judgments, rng=1, n_resamples=199)
    assert [row.system for row in ranking.systems] == ["gpt4_1106_preview", "claude-2.1"]
    assert ranking.pairs[0].verdict == "better"


def test_arena_hard_is_one_observation_per_question() -> None:
    judgments = read_judgments(FOLDER / "arena_hard.jsonl")
    new = judgments.where(system="new")
    # u1: won both games. u2: lost the first, tied the second. u3: lost the only one.
    assert _rows(new, "item", "score", "domain", "rater") == [
        ("u1", 1.0, "math", "j"),
        ("u2", 0.25, "code", "j"),
        ("u3", 0.0, "code", "j"),
    ]
    assert judgments.where(system="old").score.tolist() == [0.0, 0.75, 1.0]
    assert judgments.notes[0] == "1 battle left out: comparisons without an outcome."
    assert judgments.notes[-1] == "1 question with an outcome in one order only."


def test_an_outcome_of_arena_hard_that_is_not_known(tmp_path: Path) -> None:
    text = (FOLDER / "arena_hard.jsonl").read_text().replace("A=B", "A~B")
    with fails("a.jsonl, line 2: unknown outcome 'A~B' of a game. Known are A>>B, A>B"):
        read_judgments(write(tmp_path, "a.jsonl", text))


def test_grades_of_mt_bench() -> None:
    judgments = read_judgments(FOLDER / "mt_bench_single.jsonl")
    assert _rows(judgments, "system", "item", "score", "rater", "document") == [
        ("A", "81:1", 9.0, "gpt-4", "81"),
        ("B", "81:1", 7.5, "gpt-4", "81"),
    ]
    assert judgments.scale == (1.0, 10.0)
    assert judgments.notes == (
        "1 judgment left out: answers that the judge failed to grade (-1).",
    )


def test_pairs_of_mt_bench_that_disagree_are_ties(tmp_path: Path) -> None:
    judgments = read_judgments(FOLDER / "mt_bench_pair.jsonl")
    assert _rows(judgments, "system", "item", "score") == [
        ("A", "81:1", 1.0),
        ("B", "81:1", 0.0),
        ("A", "82:1", 0.5),
        ("B", "82:1", 0.5),
    ]
    text = (FOLDER / "mt_bench_pair.jsonl").read_text()
    with fails("p.jsonl, line 2: unknown winner 'nobody'"):
        changed = text.replace('"g2_winner": "model_2"', '"g2_winner": "nobody"')
        read_judgments(write(tmp_path, "p.jsonl", changed))
    mixed = text + (FOLDER / "mt_bench_single.jsonl").read_text()
    with fails("p.jsonl, line 4: expected g1_winner", "Do not mix single answers and pairs"):
        read_judgments(write(tmp_path, "p.jsonl", mixed))


def test_battles_of_an_arena() -> None:
    judgments = read_judgments(FOLDER / "arena.csv")
    assert _rows(judgments, "system", "item", "score", "rater", "language") == [
        ("A", "q1", 1.0, "v1", "English"),
        ("B", "q1", 0.0, "v1", "English"),
        ("B", "q2", 0.5, "v2", "English"),
        ("A", "q2", 0.5, "v2", "English"),
        ("A", "q3", 0.0, "v1", "English"),
        ("B", "q3", 1.0, "v1", "English"),
    ]
    assert judgments.notes[0] == (
        "1 battle left out: battles in which the names of the models were shown (anony is "
        "false)."
    )
    assert "1 battle in which both are bad counted as ties." in judgments.notes


def test_battles_with_a_column_for_each_outcome(tmp_path: Path) -> None:
    path = tmp_path / "kaggle.parquet"
    pl.DataFrame(
        {
            "id": [7, 8],
            "model_a": ["A", "A"],
            "model_b": ["B", "C"],
            "winner_model_a": [0, 0],
            "winner_model_b": [1, 0],
            "winner_tie": [0, 1],
        }
    ).write_parquet(path)
    judgments = read_judgments(path)
    assert _rows(judgments, "system", "item", "score") == [
        ("A", "7", 0.0),
        ("B", "7", 1.0),
        ("A", "8", 0.5),
        ("C", "8", 0.5),
    ]


def test_a_winner_that_is_not_known(tmp_path: Path) -> None:
    text = (FOLDER / "arena.csv").read_text().replace("tie (bothbad)", "left")
    with fails(
        "b.csv, line 3, column 'winner': expected model_a, model_b, tie", "found 'left'"
    ):
        read_judgments(write(tmp_path, "b.csv", text))
