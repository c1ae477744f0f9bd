"""Accepting a baseline: when asked, and nothing else is overwritten."""

from pathlib import Path

import pytest

from detectable import save
from detectable.core.errors import DataError, InputError
from detectable.study.gate.baseline import (
    accept_baseline,
    counted,
    level,
    read_baseline,
    rewrite_baseline,
)
from tests.study.gate.data import answers, sampled


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    found = accept_baseline(sampled(50, 2, tasks=("a", "b")), path, system="old", commit="3f2c")
    assert (
        found.summary()
        == "Accepted as the baseline: old, accuracy on 100 questions of 2 tasks."
    )
    assert (found.path, found.n_items, found.n_tasks, found.replaced) == (str(path), 100, 2, "")
    assert str(found.signature).startswith(f"accept-baseline|n:100|sha256:{found.sha256[:12]}|")
    kept = read_baseline(path)
    assert (kept.sha256, kept.commit) == (found.sha256, "3f2c")
    assert kept.created.endswith("+00:00")


def test_a_baseline_is_replaced_whatever_it_scored(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    accept_baseline(answers(50), path, system="old")
    rewrite_baseline(path, read_baseline(path))
    found = accept_baseline(answers(50, 20), path, system="new")
    assert found.replaced.startswith("old: accuracy on 50 questions of 20")
    assert found.summary().endswith(f"It replaces {found.replaced}.")
    assert read_baseline(path).system == "new"
    assert read_baseline(path).attempts == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("system,item,score\nold,1,1\n", "is no baseline file, so it is not replaced"),
        ('{"format": "detectable-baseline/9"}', "newer format"),
        ('{"format": "detectable-baseline/1"}', "damaged"),
    ],
)
def test_other_files_are_not_replaced_unless_asked(
    content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "precious.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        accept_baseline(answers(50), path, system="old")
    assert path.read_text() == content
    found = accept_baseline(answers(50), path, system="old", overwrite=True)
    assert found.replaced == f"{path} as it was"
    assert read_baseline(path).system == "old"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it is a folder"):
        accept_baseline(answers(50), tmp_path, system="old", overwrite=True)


def test_what_is_kept_of_it_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    found = accept_baseline(answers(50), tmp_path / "baseline.json", system="old")
    save(found, tmp_path / "accepted.json")
    text = (tmp_path / "accepted.json").read_text()
    assert "baseline.json" in text
    assert str(tmp_path) not in text


# --- Tries of one candidate ---


def test_levels_of_all_tries_add_up_to_alpha() -> None:
    assert sum(level(0.05, j) for j in range(1, 11)) == pytest.approx(0.05, rel=0.001)
    assert level(0.05, 1) == 0.025
    assert level(0.05, None) == 0.05


@pytest.mark.parametrize("attempt", [0, -1, 2.5, 11])
def test_absurd_tries_are_refused(attempt: int) -> None:
    with pytest.raises(InputError, match="`attempt` must be"):
        level(0.05, attempt)


def test_the_same_scores_are_the_same_try() -> None:
    tries: dict[str, tuple[str, ...]] = {}
    numbers = []
    for name, scores in (("B", "x"), ("B", "y"), ("C", "x"), ("B", "x"), ("B", "z")):
        number, tries = counted(tries, name, scores)
        numbers.append(number)
    assert numbers == [1, 2, 1, 1, 3]
    assert tries == {"B": ("x", "y", "z"), "C": ("x",)}
