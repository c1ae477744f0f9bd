"""What a doctor says in words, and what is kept of it."""

import math
from pathlib import Path
from typing import Any

import pytest

import detectable as dt
from detectable.report.shown.doctor import could_see
from detectable.study.doctor.examination import Detectable


def _detectable(**changes: Any) -> Detectable:
    made: dict[str, Any] = {
        "metric": "BLEU",
        "smallest": 0.5,
        "median": 0.75,
        "largest": 1.0,
        "n_pairs": 3,
        "unit": "document",
        "n_units": 12,
        "test": "swap",
        "correction": "holm",
        "alpha": 0.05,
        "power": 0.8,
    }
    return Detectable(**made | changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"n_pairs": 2},
            "0.75 (0.5 to 1 by pair) or more in BLEU (swap over 12 documents, α = 0.05, "
            "corrected for 2 pairs, 80% power)",
        ),
        (
            {"n_pairs": 2, "smallest": 0.75, "largest": 0.75},
            "0.75 or more in BLEU (swap over 12 documents, α = 0.05, corrected for 2 pairs, "
            "80% power)",
        ),
        (
            {"n_pairs": 1},
            "0.75 or more in BLEU (swap over 12 documents, α = 0.05, 80% power)",
        ),
        (
            {"median": math.nan, "n_pairs": 2, "n_units": 1},
            "no difference of any size in BLEU (swap over 1 document, α = 0.05, corrected for 2 "
            "pairs, 80% power)",
        ),
    ],
)
def test_a_difference_is_said_with_all_that_it_hangs_on(
    changes: dict[str, Any], said: str
) -> None:
    assert could_see(_detectable(**changes)) == said


def _scores(path: Path) -> Path:
    rows = [f"i{i},{i % 2},{i % 3 % 2}" for i in range(20)]
    path.write_text("\n".join(["item,new,old", *rows]) + "\n")
    return path


def test_what_is_kept_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"a": "x"}')
    found = dt.doctor([_scores(tmp_path / "s.csv"), tmp_path / "odd.json"])
    assert str(tmp_path) in found.next_command  # which can be typed here
    dt.save(found, tmp_path / "kept.json")
    text = (tmp_path / "kept.json").read_text()
    assert "s.csv" in text
    assert str(tmp_path) not in text


def test_it_says_what_is_going_on(tmp_path: Path) -> None:
    told: list[tuple[Any, ...]] = []
    path = _scores(tmp_path / "s.csv")
    dt.doctor([path], progress=lambda *words: told.append(words))
    assert told == [(f"reading {path}", 0, None), ("what could be seen", 0, None)]
    told.clear()
    votes = tmp_path / "votes.csv"
    votes.write_text("model_a,model_b,winner\n" + "x,y,model_a\ny,x,model_a\n" * 10)
    dt.doctor([votes], progress=lambda *words: told.append(words))
    assert told == [(f"reading {votes}", 0, None), ("what could be seen", 0, None)]
