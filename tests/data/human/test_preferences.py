"""Preferences as judgments."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.human.preferences import read_preferences

AB = ("A", "B")


def test_winners_become_scores(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,rater,winner\n1,x,A\n1,y,B\n2,x,tie\n3,x,\n")
    found = read_preferences(path, AB)
    assert found.score.tolist() == [1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5]
    assert found.system.labels() == ["A", "B"] * 4
    assert found.rater is not None
    assert found.rater.labels() == ["x", "x", "y", "y", "x", "x", "x", "x"]
    assert found.scale == (0.0, 1.0)


@pytest.mark.parametrize("word", ["tie", "Tie", "EQUAL", "none", "neither", "both", " ", None])
def test_words_for_neither(word: str | None) -> None:
    assert read_preferences({"item": [1], "winner": [word]}, AB).score.tolist() == [0.5, 0.5]


def test_an_unknown_winner_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,winner\n1,A\n2,C\n")
    with pytest.raises(DataError, match=r"line 3.*expected 'A', 'B' or «tie», found 'C'"):
        read_preferences(path, AB)


def test_columns_that_are_missing() -> None:
    with pytest.raises(DataError, match="winner"):
        read_preferences({"item": [1]}, AB)
    with pytest.raises(DataError, match="item"):
        read_preferences({"winner": ["A"]}, AB)


def test_preferences_are_about_two_systems() -> None:
    with pytest.raises(DataError, match="preferences compare two systems"):
        read_preferences({"item": [1], "winner": ["A"]}, ("A", "B", "C"))
