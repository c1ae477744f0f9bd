"""Ordinary judgments and controls."""

import pytest

from detectable.core.errors import DataError
from detectable.data.human.cells import ordinary
from detectable.data.human.judgments import Judgments


def judged(kinds: list[str]) -> Judgments:
    n = len(kinds)
    columns = {"system": ["A"] * n, "item": list(range(n)), "score": list(range(n))}
    return Judgments.build({**columns, "kind": kinds}, path="j.csv")


def test_controls_are_counted_by_kind() -> None:
    kept, notes = ordinary(judged(["TGT", "BAD", "REF", "BAD", "CHK"]))
    assert kept.score.tolist() == [0.0, 4.0]
    assert notes == (
        "3 judgments left out, not of systems' own output: 2 degraded, 1 reference.",
    )
    assert ordinary(judged(["TGT", "REF"]))[1] == (
        "1 judgment left out, not of systems' own output: 1 reference.",
    )


def test_without_controls_nothing_is_said() -> None:
    whole = judged(["TGT", "CHK"])
    kept, notes = ordinary(whole)
    assert kept is whole
    assert notes == ()


def test_nothing_but_controls() -> None:
    with pytest.raises(DataError, match=r"j\.csv: no judgment is of a system's own output"):
        ordinary(judged(["BAD", "REF"]))
